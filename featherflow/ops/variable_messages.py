"""Variables as messages, VariableDef, that name their nodes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.tensor import Tensor


def strip_scope(name: str, scope: str | None) -> str:
    """`name` without the prefix `scope/`."""
    return name[len(scope.rstrip("/")) + 1 :] if scope and name.startswith(scope) else name


def prepend_scope(name: str, scope: str | None) -> str:
    """`name` with the prefix `scope/`."""
    return f"{scope.rstrip('/')}/{name}" if scope else name


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
    def from_message(cls, variable_def: Any, import_scope: str | None) -> SaveSliceInfo | None:
        """The slice that a VariableDef message holds, or None."""
        if not variable_def.HasField("save_slice_info_def"):
            return None
        message = variable_def.save_slice_info_def
        return cls(
            prepend_scope(message.full_name, import_scope),
            list(message.full_shape),
            list(message.var_offset),
            list(message.var_shape),
        )

    @classmethod
    def from_spec(cls, spec: str) -> SaveSliceInfo:
        """The slice that checkpoints spell as `spec`: "4 3 0,2:1,2"."""
        if not spec:
            return cls()
        try:
            *whole, parts = spec.split(" ")
            pairs = [part.split(",") for part in parts.split(":")]
            return cls(
                full_shape=[int(size) for size in whole],
                var_offset=[int(start) for start, _ in pairs],
                var_shape=[int(size) for _, size in pairs],
            )
        except ValueError:
            raise ValueError(
                f"A slice must be spelled like '4 3 0,2:1,2': the whole's shape, then offset and "
                f"size of each dimension; received {spec!r}."
            ) from None

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


def to_message(variable: Any, snapshot: Tensor, export_scope: str | None, is_resource: bool) -> Any:
    """The VariableDef message of a variable; None if it is outside `export_scope`."""
    from featherflow.protos import variable_pb2

    if export_scope is not None and not variable.name.startswith(export_scope):
        return None
    message = variable_pb2.VariableDef(
        variable_name=strip_scope(variable._graph_element_name, export_scope),
        initializer_name=strip_scope(variable.initializer.name, export_scope),
        snapshot_name=strip_scope(snapshot.name, export_scope),
        trainable=variable.trainable,
        is_resource=is_resource,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )
    if isinstance(variable.initial_value, Tensor):
        message.initial_value_name = strip_scope(variable.initial_value.name, export_scope)
    if variable._save_slice_info is not None:
        message.save_slice_info_def.MergeFrom(variable._save_slice_info.to_proto(export_scope))
    return message


def element_finder(import_scope: str | None) -> Callable[[str], Any]:
    """A function from a name in a message to the element of the default graph."""
    graph = get_default_graph()

    def find(name: str) -> Any:
        return graph.as_graph_element(prepend_scope(name, import_scope))

    return find
