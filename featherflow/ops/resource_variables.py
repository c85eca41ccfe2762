"""ResourceVariable: a variable behind a handle; every use of it reads it, where the use is."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes, recording
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import (
    convert_to_tensor,
    register_tensor_conversion_function,
)
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops import resource_variable_ops as variable_ops
from featherflow.ops import variable_creation
from featherflow.ops.identity_ops import identity
from featherflow.ops.strided_slice_assign_ops import ResourceStridedSliceAssign
from featherflow.ops.variable_base import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    shape_text,
)
from featherflow.ops.variable_gather_ops import ResourceGather, ResourceGatherNd
from featherflow.ops.variable_messages import element_finder, to_message


class ResourceVariable(Variable):
    """A variable whose reads are snapshots (see `resource_variable_ops`)."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        dtype: Any = None,
        variable_def: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        self._trainable = variable_creation.is_trainable(trainable, self._synchronization)
        self._constraint = constraint
        self._save_slice_info: Any = None
        self._cached_value: Tensor | None = None
        self._validate_shape = validate_shape
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._take_from_message(variable_def, import_scope)
            return
        variable_creation.check_initial_value(initial_value, constraint)
        self._build(initial_value, name, dtype, shape, caching_device)
        variable_creation.collect(self, collections, self._trainable)

    def _build(
        self, initial_value: Any, name: str | None, dtype: Any, shape: Any, caching_device: Any
    ) -> None:
        from_function = callable(initial_value)
        with name_scope(name, "Variable", () if from_function else [initial_value]) as scope:
            node_name = scope[:-1]
            dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
            make = initial_value if from_function else lambda: initial_value
            value = variable_creation.call_initializer(make, node_name, dtype)
            self._initial_value = value
            if shape is None:
                shape = value.get_shape() if self._validate_shape else UNKNOWN
            with get_default_graph()._attr_scope({"_class": (f"loc:@{node_name}",)}):
                self._handle = variable_ops.VarHandleOp(
                    shape=shape,
                    dtype=value.dtype.base_dtype,
                    shared_name=node_name,
                    debug_name=scope,
                    name=scope,
                )
            self._dtype = value.dtype.base_dtype
            self._shape = TensorShape(shape)
            with name_scope("IsInitialized"):
                self._is_initialized_op = variable_ops.VarIsInitializedOp(self._handle)
            with (
                name_scope("Assign") as assign_scope,
                get_default_graph().colocate_with(None, ignore_existing=True),
                get_default_graph().device(self._handle.device),
            ):
                self._initializer_op = variable_ops.AssignVariableOp(
                    self._handle,
                    variable_creation.guard_uninitialized(node_name, value),
                    name=assign_scope,
                )
            with name_scope("Read"), get_default_graph().device(caching_device or self.device):
                self._graph_element = self._read()
                if caching_device is not None:
                    self._cached_value = self._graph_element

    def _read(self) -> Tensor:
        self._tell_recorders()
        return variable_ops.ReadVariableOp(self._handle, dtype=self._dtype)

    def _tell_recorders(self) -> None:
        if self._trainable and recording.recorders.active:
            recording.variable_accessed(self)

    # --- what it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._handle.name

    @property
    def handle(self) -> Tensor:
        """The resource tensor that stands for its storage."""
        return self._handle

    @property
    def op(self) -> Operation:
        return self._handle.op

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        return self._shape

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether it is initialised."""
        return variable_ops.VarIsInitializedOp(self._handle, name=name)

    def initialized_value(self) -> Tensor:
        """Its value if it is initialised, else its initial value."""
        return variable_creation.value_or_initial(self)

    def set_shape(self, shape: Any) -> None:
        """Refines the static shape of the variable."""
        self._shape = self._shape.merge_with(shape)

    @property
    def create(self) -> Operation:
        """The Operation that initialises it."""
        return self._initializer_op

    @property
    def _graph_element_name(self) -> str:
        return self._handle.name

    # --- values -----------------------------------------------------------------------------------

    def value(self) -> Tensor:
        if self._cached_value is not None:
            return self._cached_value
        with get_default_graph().colocate_with(None, ignore_existing=True):
            return self._read()

    def read_value(self) -> Tensor:
        with name_scope("Read"):
            value = self._read()
        return identity(value)

    def read_value_no_copy(self) -> Tensor:
        """A tensor of its value; reads copy nothing anyway."""
        return self.read_value()

    def sparse_read(self, indices: Any, name: str | None = None) -> Tensor:
        """The rows `indices` of its value, without reading the rest."""
        self._tell_recorders()
        with name_scope("Gather" if name is None else name) as scope:
            return ResourceGather(self._handle, indices, dtype=self._dtype, name=scope)

    def gather_nd(self, indices: Any, name: str | None = None) -> Tensor:
        """The slices at `indices` of its value, without reading the rest; see `tf.gather_nd`."""
        self._tell_recorders()
        with name_scope("GatherNd" if name is None else name) as scope:
            value = ResourceGatherNd(self._handle, indices, dtype=self._dtype, name=scope)
        return identity(value)

    # --- changes ----------------------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← value`; returns the variable after the assignment, or the Operation."""
        value = convert_to_tensor(value, dtype=self._dtype)
        if not self._shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable '{self.name}': Shape mismatch. The variable "
                f"shape {self._shape}, and the assigned value shape {value.shape} are "
                "incompatible."
            )
        operation = variable_ops.AssignVariableOp(
            self._handle, value, name=name, validate_shape=self._shape.is_fully_defined()
        )
        return self.after(operation) if read_value else operation

    def assign_add(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← self + delta`."""
        delta = convert_to_tensor(delta, dtype=self._dtype)
        operation = variable_ops.AssignAddVariableOp(self._handle, delta, name=name)
        return self.after(operation) if read_value else operation

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool | None = None,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← self − delta`."""
        delta = convert_to_tensor(delta, dtype=self._dtype)
        operation = variable_ops.AssignSubVariableOp(self._handle, delta, name=name)
        return self.after(operation) if read_value else operation

    def count_up_to(self, limit: int, name: str | None = None) -> Tensor:
        """Increments the variable and gives its value before; fails at `limit`."""
        return variable_ops.ResourceCountUpTo(self._handle, limit=limit, T=self._dtype, name=name)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> UnreadVariable:
        """`self[…] ← value`; see `strided_slice_ops.make_assignable`."""
        value = convert_to_tensor(value, dtype=self._dtype)
        operation = ResourceStridedSliceAssign(
            self._handle, begin, end, strides, value, name=name, **masks
        )
        return self.after(operation)

    def after(self, operation: Operation) -> UnreadVariable:
        """The variable as it is after `operation`."""
        return UnreadVariable(self, operation)

    # --- as a message -----------------------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The VariableDef message that names its nodes; None outside `export_scope`."""
        return to_message(self, self._graph_element, export_scope, is_resource=True)

    def _take_from_message(self, message: Any, import_scope: str | None) -> None:
        super()._take_from_message(message, import_scope)
        element = element_finder(import_scope)
        self._handle = element(message.variable_name)
        self._dtype = self._handle.op.attrs["dtype"]
        self._shape = self._handle.op.attrs["shape"]
        read = f"{message.variable_name.split(':')[0]}/Read/ReadVariableOp:0"
        snapshot = element(message.snapshot_name or read)
        if snapshot.op.type != "ReadVariableOp":
            self._cached_value = snapshot
        while snapshot.op.type != "ReadVariableOp":
            snapshot = snapshot.op.inputs[0]
        self._graph_element = snapshot

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={shape_text(self.shape)} dtype={self.dtype.name}>"


class UnreadVariable(ResourceVariable):
    """A variable after an assignment: its reads run after it, and its `op` is the assignment."""

    def __init__(self, variable: ResourceVariable, assignment: Operation) -> None:
        vars(self).update(vars(variable))
        self._assignment = assignment
        with get_default_graph().control_dependencies([assignment]):
            self._graph_element = self._read()

    @property
    def name(self) -> str:
        return self._assignment.name

    @property
    def op(self) -> Operation:
        return self._assignment


def _after_assignment(name: str) -> Any:
    """The method `name` of a ResourceVariable, run after the assignment of an UnreadVariable."""

    def method(self: UnreadVariable, *args: Any, **kwargs: Any) -> Any:
        with get_default_graph().control_dependencies([self._assignment]):
            return getattr(super(UnreadVariable, self), name)(*args, **kwargs)

    method.__name__ = name
    return method


for _name in (
    "value", "read_value", "sparse_read", "gather_nd", "count_up_to", "assign", "assign_add",
    "assign_sub", "_strided_slice_assign", "batch_scatter_update", "scatter_update", "scatter_add",
    "scatter_sub", "scatter_mul", "scatter_div", "scatter_min", "scatter_max", "scatter_nd_update",
    "scatter_nd_add", "scatter_nd_sub", "scatter_nd_min", "scatter_nd_max",
):  # fmt: skip
    setattr(UnreadVariable, _name, _after_assignment(_name))


def _convert_variable(
    value: ResourceVariable,
    dtype: DType | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Any:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{value.dtype.name}'"
        )
    if dtype is dtypes.resource:
        return value.handle
    return value.value()


register_tensor_conversion_function(ResourceVariable, _convert_variable)
