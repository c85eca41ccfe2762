"""What a row of the static-shape tables is, and how its variants are built and inferred.

A row is an op with fully known inputs. From it come variants that know less: one dimension of one
input unknown, all of an input's, its rank, everybody's; and, for an input given by its value, a
value that is not known before the graph runs, or known in part. For each variant the table records
the static shapes of the outputs, or that the op refuses to be built.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import shape_rows

FAMILIES = tuple(sorted(info.name for info in pkgutil.iter_modules(shape_rows.__path__)))

Dims = tuple[int | None, ...] | None
UNKNOWN: Dims = None


@dataclass(frozen=True)
class Given:
    """An input by dtype and static shape; None for an unknown dimension, or an unknown rank."""

    dims: Dims
    dtype: str = "float32"

    def __str__(self) -> str:
        if self.dims is None:
            return "?"
        return f"({','.join('?' if size is None else str(size) for size in self.dims)})"

    def build(self, tf: Any) -> Any:
        return tf.placeholder(self.dtype, self.dims)

    def weaker(self) -> Iterator[Given]:
        """Yields inputs of which less is known."""
        if self.dims:
            yield Given((None, *self.dims[1:]), self.dtype)
        if self.dims and len(self.dims) > 1:
            yield Given((*self.dims[:-1], None), self.dtype)
            yield Given((None,) * len(self.dims), self.dtype)
        yield Given(None, self.dtype)


@dataclass(frozen=True)
class Value:
    """An input by its value, which shape functions may look at."""

    value: Any
    dtype: str = "int32"

    def __str__(self) -> str:
        return f"={self.value}".replace(" ", "")

    def build(self, tf: Any) -> Any:
        return tf.constant(self.value, self.dtype)

    def weaker(self) -> Iterator[Given | PartlyKnown]:
        """Yields the value known in part, not at all, and not even by its shape."""
        shape = np.shape(self.value)
        if len(shape) == 1 and shape[0] > 0 and self.dtype in ("int32", "int64"):
            yield PartlyKnown(tuple(self.value), self.dtype)
        yield from dict.fromkeys([Given(shape, self.dtype), *Given(shape, self.dtype).weaker()])


@dataclass(frozen=True)
class PartlyKnown:
    """A vector whose first element alone is known only when the graph runs."""

    value: tuple[int, ...]
    dtype: str

    def __str__(self) -> str:
        return f"=[{','.join(['?', *map(str, self.value[1:])])}]"

    def build(self, tf: Any) -> Any:
        first = tf.placeholder(self.dtype, [])
        return tf.stack([first, *(tf.constant(item, self.dtype) for item in self.value[1:])])


Input = Given | Value | PartlyKnown
Inputs = dict[str, Input | list[Input]]


@dataclass(frozen=True)
class Row:
    """An op, its inputs by argument name (a list for `N * T`), and its attributes."""

    op: str
    inputs: Inputs
    attrs: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        attrs = [f"{name}:{value}".replace(" ", "") for name, value in self.attrs.items()]
        return " ".join([self.op, inputs_text(self.inputs), *attrs])

    def variants(self) -> Iterator[Inputs]:
        """Yields the inputs as given, then weakened one at a time, then all at once."""
        yield self.inputs
        for name, given in self.inputs.items():
            for index, item in enumerate(given if isinstance(given, list) else [given]):
                for weaker in item.weaker():
                    yield {**self.inputs, name: _replaced(given, index, weaker)}
        if sum(len(x) if isinstance(x, list) else 1 for x in self.inputs.values()) > 1:
            yield {name: _weakened(given, keep_rank=True) for name, given in self.inputs.items()}
            yield {name: _weakened(given, keep_rank=False) for name, given in self.inputs.items()}


def _replaced(given: Any, index: int, weaker: Any) -> Any:
    if not isinstance(given, list):
        return weaker
    return [*given[:index], weaker, *given[index + 1 :]]


def _weakened(given: Any, keep_rank: bool) -> Any:
    if isinstance(given, list):
        return [_weakened(item, keep_rank) for item in given]
    if isinstance(given, Value):
        return given
    rank = None if given.dims is None or not keep_rank else len(given.dims)
    return Given(None if rank is None else (None,) * rank, given.dtype)


def inputs_text(inputs: Inputs) -> str:
    """`a=(2,3) axis==0`: names and what is known of each input."""
    texts = {
        name: f"[{';'.join(map(str, given))}]" if isinstance(given, list) else str(given)
        for name, given in inputs.items()
    }
    return " ".join(f"{name}{'' if text[0] == '=' else '='}{text}" for name, text in texts.items())


def infer(tf: Any, apply: Callable[..., Any], row: Row, inputs: Inputs) -> str:
    """Builds one variant in a fresh graph and returns its outputs' static shapes, or "refused".

    Args:
        tf: The TF1 namespace.
        apply: `apply(op_name, **inputs_and_attrs)` adds the op to the graph and returns its
            outputs: a tensor, or a nest of lists and tuples.
        row: The op and its attributes.
        inputs: One of `row.variants()`.
    """
    with tf.Graph().as_default():
        built = {
            name: [item.build(tf) for item in given] if isinstance(given, list) else given.build(tf)
            for name, given in inputs.items()
        }
        try:
            outputs = apply(row.op, **built, **row.attrs)
        except ValueError:
            return "refused"
        return " ".join(_shape_text(tensor.shape) for tensor in _flat(outputs))


def _flat(outputs: Any) -> Iterator[Any]:
    if isinstance(outputs, (list, tuple)):
        for item in outputs:
            yield from _flat(item)
    else:
        yield outputs


def _shape_text(shape: Any) -> str:
    return str(Given(None if shape.ndims is None else tuple(shape.as_list())))


def infer_row(tf: Any, apply: Callable[..., Any], row: Row) -> dict[str, str]:
    """Returns the outcome of each variant of a row, by what is known of its inputs."""
    return {inputs_text(inputs): infer(tf, apply, row, inputs) for inputs in row.variants()}


def rows_of(family: str) -> list[Row]:
    """The rows of a family's table."""
    return importlib.import_module(f"{__package__}.shape_rows.{family}").ROWS
