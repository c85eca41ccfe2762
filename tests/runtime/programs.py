"""Random programs with loops and branches, and what Python makes of them."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import featherflow.compat.v1 as tf

#: (tensor, value in Python).
Traced = tuple[Any, Any]


class RandomProgram:
    """Builds a graph and computes its values side by side, from a seed.

    Values are int32 scalars, kept small. Everything is built from variables in scope, so branches
    and loops capture values from around them.

    Args:
      delay: wraps some tensors, in asynchronous ops for example.
      devices: how many CPU devices nodes are scattered over.
    """

    def __init__(
        self, seed: int, delay: Callable[[Any], Any] | None = None, devices: int = 1
    ) -> None:
        self.random = random.Random(seed)
        self._delay = delay
        self._devices = devices

    def build(self, x: Traced, depth: int = 3) -> list[Traced]:
        """Some results made from `x`."""
        values = [x, (tf.constant(3), 3), (tf.constant(-2), -2)]
        for _ in range(3):
            values.append(self.expression(values, depth))
        return values[3:]

    def expression(self, values: list[Traced], depth: int) -> Traced:
        """One value made from others; deeper ones are conditionals and loops."""
        kind = self.random.choice(["arithmetic", "cond", "while"] if depth else ["arithmetic"])
        if kind == "cond":
            return self.cond(values, depth - 1)
        if kind == "while":
            return self.loop(values, depth - 1)
        return self.arithmetic(values)

    def arithmetic(self, values: list[Traced]) -> Traced:
        (a, python_a), (b, python_b) = self.operand(values), self.operand(values)
        with self.device():
            operation = self.random.choice(["add", "subtract", "maximum"])
            if operation == "add":
                result, value = a + b, python_a + python_b
            elif operation == "subtract":
                result, value = a - b, python_a - python_b
            else:
                result, value = tf.maximum(a, b), max(python_a, python_b)
            result, value = tf.floormod(result, 17), value % 17
        return self.maybe_delayed(result), value

    def operand(self, values: list[Traced]) -> Traced:
        """A value in scope, or a constant made on the spot: in a branch, it waits for its pivot."""
        if self.random.random() < 0.3:
            value = self.random.randrange(5)
            return tf.constant(value), value
        return self.random.choice(values)

    def device(self) -> Any:
        if self._devices == 1:
            return tf.device(None)
        return tf.device(f"/cpu:{self.random.randrange(self._devices)}")

    def maybe_delayed(self, tensor: Any) -> Any:
        if self._delay is not None and self.random.random() < 0.4:
            return self._delay(tensor)
        return tensor

    def cond(self, values: list[Traced], depth: int) -> Traced:
        (a, python_a), (b, python_b) = self.random.choices(values, k=2)
        python: dict[bool, Any] = {}

        def branch(which: bool) -> Any:
            def build() -> Any:
                # A branch may also be a constant, which nothing but its pivot can kill.
                if self.random.random() < 0.2:
                    python[which] = int(which)
                    return tf.constant(int(which))
                result, python[which] = self.expression(values, depth)
                return tf.identity(result)

            return build

        with self.device():
            result = tf.cond(a < b, branch(True), branch(False))
        return result, python[python_a < python_b]

    def loop(self, values: list[Traced], depth: int) -> Traced:
        """`while count > 0: count, total = count - 1, body(total, …)`.

        The Python value needs the body to be evaluated for each iteration, so the body is built
        from a seed that gives the same choices each time.
        """
        (start, python_total), (count, python_count) = self.random.choices(values, k=2)
        python_count = python_count % 4
        seed = self.random.randrange(1 << 30)

        def body(outer: list[Traced], total: Traced) -> Traced:
            inner = RandomProgram(seed, self._delay, self._devices)
            return inner.expression([*outer[-3:], total], depth)

        with self.device():
            _, result = tf.while_loop(
                lambda left, total: left > 0,
                lambda left, total: (
                    left - 1,
                    tf.identity(body(values, (total, 0))[0]),
                ),
                [tf.floormod(count, 4), start],
                parallel_iterations=self.random.choice([1, 2, 10]),
            )
        for _ in range(python_count):
            with tf.Graph().as_default():  # the nodes made here are thrown away
                shadow = [(tf.constant(0), value) for _, value in values]
                python_total = body(shadow, (tf.constant(0), python_total))[1]
        return result, python_total


def as_int(value: Any) -> int:
    return int(np.asarray(value))
