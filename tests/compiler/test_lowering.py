"""What compile rules may say, and what becomes of an op that a user registers with a rule."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from compiler.step_values import open_session
from featherflow.compiler.lowered import CannotCompile, Lowered, Number
from featherflow.compiler.lowering import Lowering
from featherflow.framework.op import get_op

Scaled = tf.register_op(
    "TestScaled",
    inputs=["x: T", "y: T"],
    outputs=["z: T"],
    attrs=["T: {float32, float64, string}", "scale: float = 2.0", "how: string = 'right'"],
    shape_fn=lambda c: c.merge(c.shapes[0], c.shapes[1]),
)
#: How often the NumPy kernel ran.
RUNS: list[str] = []


@tf.register_kernel("TestScaled", T=(tf.float32, tf.float64))
def _scaled(x: np.ndarray, y: np.ndarray, *, scale: float, how: str) -> np.ndarray:
    RUNS.append(how)
    return x * x.dtype.type(scale) + y


@get_op("TestScaled").compile_rule
def _scaled_compile(c: Any, x: Any, y: Any, *, scale: float, how: str) -> Any:
    c.require(how != "refused", "it says so")
    if how == "another shape":
        return c.reshape(x, (x.shape[0], 1, *x.shape[1:]))
    if how == "another dtype":
        return c.map("less", x, y)
    if how == "two values":
        return x, y
    if how == "raises":
        raise ValueError("no such thing")
    return x * scale + y


@pytest.fixture(autouse=True)
def empty_graph() -> None:
    tf.reset_default_graph()
    RUNS.clear()


def lowering() -> Lowering:
    c = Lowering()
    c.node = "node"
    return c


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_op_of_a_user_is_compiled(dtype: Any) -> None:
    x, y = tf.placeholder(dtype, [None, 3]), tf.placeholder(dtype, [None, 3])
    z = tf.exp(Scaled(x, y, scale=3.0) * 0.0) + x
    with open_session(z.graph, compiled=True) as session:
        one = np.arange(6, dtype=dtype).reshape(2, 3)
        np.testing.assert_array_equal(session.run(z, {x: one, y: one}), one + 1)
        assert not RUNS


@pytest.mark.parametrize(
    "how", ["refused", "another shape", "another dtype", "two values", "raises"]
)
def test_a_rule_that_does_not_serve_leaves_the_kernel(how: str) -> None:
    x, y = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [None, 3])
    z = tf.tanh(Scaled(x + 1.0, y, how=how)) * 0.0 + x
    one = np.arange(6, dtype=np.float32).reshape(2, 3)
    with open_session(z.graph, compiled=True) as session:
        for _ in range(2):
            np.testing.assert_array_equal(session.run(z, {x: one, y: one}), one)
    assert [how, how] == RUNS


def test_shapes_that_the_shape_function_refuses() -> None:
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = Scaled(tf.exp(x), y)
    with open_session(z.graph, compiled=True) as session:
        given = {x: np.zeros(3), y: np.ones((3, 3))}
        np.testing.assert_array_equal(session.run(z, given), np.full((3, 3), 3.0))
    assert RUNS == ["right"]  # it broadcasts, though its shape function does not


# --- values ---------------------------------------------------------------------------------------


def test_what_is_the_same_is_the_same_value() -> None:
    c = lowering()
    x = c.given(0, (2, 3), "float32")
    assert c.reshape(x, (2, 3)) is x and c.transpose(x, (0, 1)) is x
    assert c.broadcast(x, (2, 3)) is x and c.cast(x, "float32") is x
    assert c.concat([x], 0) is x and c.pad(x, [(0, 0), (0, 0)], 1) is x
    twice = c.reshape(c.reshape(x, (6,)), (3, 2))
    assert twice.operands == (x,)


def test_known_numbers_become_code() -> None:
    c = lowering()
    x = c.given(0, (2, 3), "float32")
    known = c.constant(np.full((1, 1), 2.5, np.float32))
    (_, operand) = (x * known).operands
    assert isinstance(operand.origin, Number) and operand.origin.number == 2.5
    assert (x * known).shape == (2, 3)


@pytest.mark.parametrize("axes", [[], [0], [1], [0, 2], [1, 3], [0, 1, 2, 3], [-1, 0], [2, 3]])
@pytest.mark.parametrize("keep_dims", [False, True])
def test_reductions_have_the_shapes_of_numpy(axes: list[int], keep_dims: bool) -> None:
    for shape in [(2, 3, 4, 5), (1, 3, 1, 5), (2, 1, 1, 1), (2, 0, 4, 5)]:
        c = lowering()
        x = c.given(0, shape, "float32")
        expected = np.zeros(shape).sum(axis=tuple(axes), keepdims=keep_dims).shape
        assert c.reduce("sum", x, axes, keep_dims).shape == expected
        assert c.mean(x, axes, keep_dims).shape == expected


REFUSED = {
    "a primitive of another dtype": lambda c, x: c.map("exp", c.cast(x, "int32")),
    "a primitive that there is not": lambda c, x: c.map("no such", x),
    "an argument that the run knows": lambda c, x: c.known(x),
    "negative padding": lambda c, x: c.pad(x, [(0, 0), (-1, 0)], 0),
    "paddings of another rank": lambda c, x: c.pad(x, [(0, 0)], 0),
    "inner sizes": lambda c, x: c.matmul(x, x, False, False),
    "a product of integers": lambda c, x: c.matmul(c.cast(x, "int32"), x, False, True),
    "an empty product": lambda c, x: c.matmul(c.part(x, 0, 0, 0), x, False, True),
    "einsum with a diagonal": lambda c, x: c.einsum("aa,ab->ab", [x, x]),
    "einsum of three": lambda c, x: c.einsum("ab,ab,ab->ab", [x, x, x]),
    "einsum that sums one operand": lambda c, x: c.einsum("ab,cb->b", [x, x]),
    "einsum that is none": lambda c, x: c.einsum("ab,", [x, x]),
    "a condition": lambda c, x: c.require(x.rank == 3, "another rank"),
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_what_is_refused(name: str) -> None:
    c = lowering()
    with pytest.raises(CannotCompile):
        REFUSED[name](c, c.given(0, (2, 3), "float32"))


def test_narrow_floats_are_summed_wide() -> None:
    """65,000 ones are more than float16 holds on the way; their mean is 1."""
    x = tf.placeholder(tf.float16, [None, 2])
    ones = np.ones((130_000, 2), np.float16)
    fetches = [tf.reduce_mean(x, 0), tf.reduce_mean(x), tf.reduce_sum(x * 0.25, [1])[:2]]
    with open_session(x.graph, compiled=True) as session:
        first, second, third = session.run(fetches, {x: ones})
    np.testing.assert_array_equal(first, [1, 1])
    assert second == 1
    np.testing.assert_array_equal(third, [0.5, 0.5])


def test_uses_are_counted() -> None:
    c = lowering()
    x: Lowered = c.given(0, (2,), "float32")
    assert (x + x).uses == 0 and x.uses == 2
