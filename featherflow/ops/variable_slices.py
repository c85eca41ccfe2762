"""PartitionedVariable: one variable kept as several parts along an axis."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import register_tensor_conversion_function
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.identity_ops import identity
from featherflow.ops.splitting_ops import split
from featherflow.ops.variable_base import Variable


class PartitionedVariable:
    """A variable kept as several parts along one axis; as a tensor it is their concatenation."""

    def __init__(
        self,
        name: str,
        shape: Any,
        dtype: DType,
        variable_list: list[Variable],
        partitions: list[int],
    ) -> None:
        if sum(1 for count in partitions if count > 1) > 1:
            raise ValueError(f"Cannot partition along more than one axis, received {partitions}.")
        self._name = name
        self._shape = TensorShape(shape)
        self._dtype = dtype
        self._variable_list = variable_list
        self._partitions = partitions
        self._as_tensor: Tensor | None = None

    def __iter__(self) -> Iterator[Variable]:
        return iter(self._variable_list)

    def __len__(self) -> int:
        return len(self._variable_list)

    def _partition_axes(self) -> list[int]:
        axes = [axis for axis, count in enumerate(self._partitions) if count > 1]
        return axes or [0]

    def _concat(self) -> Tensor:
        if len(self._variable_list) == 1:
            with name_scope(None):
                return identity(self._variable_list[0], name=self._name)
        with name_scope(f"{self._name}/ConcatPartitions/"):
            joined = concat(self._variable_list, self._partition_axes()[0])
        with name_scope(None):
            return identity(joined, name=self._name)

    def as_tensor(self) -> Tensor:
        """The whole variable as one tensor."""
        with get_default_graph().control_dependencies(None):
            return self._concat()

    @property
    def name(self) -> str:
        """The whole's name."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The whole's shape."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The whole's shape."""
        return self._shape

    def _get_variable_list(self) -> list[Variable]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """`part ← value` for every part.

        Args:
          value: a tensor like the whole, or a list of the parts' values, or another partitioned
            variable.
          use_locking: accepted.
          name: of the nodes.
          read_value: False asks for the Operations, not for the new values.
        Returns:
          A list with one element for each part.
        """
        pieces = self._pieces(value)
        return [part.assign(piece, use_locking, name, read_value) for part, piece in pieces]

    def assign_add(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """`part ← part + value` for every part; arguments as for `assign`."""
        pieces = self._pieces(value)
        return [part.assign_add(piece, use_locking, name, read_value) for part, piece in pieces]

    def assign_sub(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> list[Any]:
        """`part ← part − value` for every part; arguments as for `assign`."""
        pieces = self._pieces(value)
        return [part.assign_sub(piece, use_locking, name, read_value) for part, piece in pieces]

    def _pieces(self, value: Any) -> list[tuple[Any, Any]]:
        """Pairs of a part and its piece of `value`."""
        if not isinstance(value, (list, PartitionedVariable)):
            axis = self._partition_axes()[0]
            value = split(value, [part.shape.as_list()[axis] for part in self], axis=axis)
        return list(zip(self, value, strict=True))


def _convert(
    value: PartitionedVariable,
    dtype: DType | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to {dtype.name} for {value.name}."
        )
    if as_ref:
        raise NotImplementedError("A partitioned variable has no ref.")
    return value.as_tensor()


register_tensor_conversion_function(PartitionedVariable, _convert)
