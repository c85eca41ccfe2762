"""IndexedSlices: rows of a larger tensor, as gradients of gathers are."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

from featherflow.framework import nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value_as_shape
from featherflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph
    from featherflow.graph.operation import Operation

IndexedSlicesValue = namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])
IndexedSlicesValue.__doc__ = "What `Session.run` gives for IndexedSlices: three arrays."


class IndexedSlices:
    """Rows of a tensor: `dense[indices[i], …] += values[i, …]`, zeros elsewhere.

    An index may occur several times: its rows add up.

    Args:
      values: `[D0, …]`, the rows.
      indices: `[D0]`, integers, the places of the rows in the dense tensor.
      dense_shape: the shape of the dense tensor, an integer vector; None if it is not known.
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_values")

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values = values
        self._indices = indices
        self._dense_shape = dense_shape

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """The places of the rows."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the dense tensor as a tensor, or None."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor, as far as it is known."""
        if self._dense_shape is None:
            return TensorShape(None)
        return constant_value_as_shape(self._dense_shape)

    def get_shape(self) -> TensorShape:
        """The static shape of the dense tensor, as far as it is known."""
        return self.shape

    @property
    def name(self) -> str:
        """The name of `values`."""
        return self._values.name

    @property
    def device(self) -> str:
        """The device asked for `values`."""
        return self._values.device

    @property
    def op(self) -> Operation:
        """The Operation that makes `values`."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds the parts."""
        return self._values.graph

    def consumers(self) -> list[Operation]:
        """The Operations that take `values` as an input."""
        return self._values.consumers()

    def __neg__(self) -> IndexedSlices:
        values: Any = self._values
        return IndexedSlices(-values, self._indices, self._dense_shape)

    def __str__(self) -> str:
        shape = "" if self._dense_shape is None else f", dense_shape={self._dense_shape}"
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"

    __repr__ = __str__


def _parts_of(slices: IndexedSlices) -> list[Tensor]:
    shape = slices.dense_shape
    return [slices.values, slices.indices, *([] if shape is None else [shape])]


nest.register_composite(IndexedSlices, _parts_of, lambda _, parts: IndexedSlices(*parts))
