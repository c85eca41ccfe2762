"""PartitionedVariable: one variable kept as several parts along an axis."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import register_tensor_conversion_function
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.identity_ops import identity
from featherflow.ops.variable_base import Variable


@dataclass
class SaveSliceInfo:
    """Which slice of a whole variable a part is: checkpoints name the whole.

    Attributes:
      full_name: the whole's name.
      full_shape: the whole's shape.
      var_offset: where the part begins, in each dimension.
      var_shape: the part's shape.
    """

    full_name: str = ""
    full_shape: list[int] = field(default_factory=list)
    var_offset: list[int] = field(default_factory=list)
    var_shape: list[int] = field(default_factory=list)

    @classmethod
    def from_message(cls, variable_def: Any) -> SaveSliceInfo | None:
        """The slice that a VariableDef message holds, or None."""
        if not variable_def.HasField("save_slice_info_def"):
            return None
        message = variable_def.save_slice_info_def
        return cls(
            message.full_name,
            list(message.full_shape),
            list(message.var_offset),
            list(message.var_shape),
        )

    @property
    def spec(self) -> str:
        """The slice as checkpoints spell it: the whole's shape, then `offset,size` by dimension."""
        whole = " ".join(map(str, self.full_shape)) + " "
        parts = (f"{start},{size}" for start, size in zip(self.var_offset, self.var_shape))
        return whole + ":".join(parts)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The SaveSliceInfoDef message; None outside `export_scope`."""
        from featherflow.protos import variable_pb2

        if export_scope is not None and not self.full_name.startswith(export_scope):
            return None
        return variable_pb2.SaveSliceInfoDef(
            full_name=self.full_name[len(export_scope) + 1 :] if export_scope else self.full_name,
            full_shape=self.full_shape,
            var_offset=self.var_offset,
            var_shape=self.var_shape,
        )


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
        """Assigns to every part its slice of `value`, a list of parts' values or a function."""
        parts = [value(part.shape) for part in self] if callable(value) else value
        return [
            part.assign(piece, use_locking, name, read_value) for part, piece in zip(self, parts)
        ]


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
