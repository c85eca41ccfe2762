"""RefVariable: TF1's ordinary variable."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
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
from featherflow.ops import ref_variable_ops, variable_creation
from featherflow.ops.identity_ops import identity
from featherflow.ops.strided_slice_assign_ops import StridedSliceAssign
from featherflow.ops.variable_base import (
    Variable,
    VariableAggregation,
    VariableSynchronization,
    shape_text,
)
from featherflow.ops.variable_messages import element_finder, to_message


class RefVariable(Variable):
    """A variable whose tensor is a reference to its storage (see `ref_variable_ops`)."""

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Any = None,
        synchronization: VariableSynchronization = VariableSynchronization.AUTO,
        aggregation: VariableAggregation = VariableAggregation.NONE,
        shape: Any = None,
    ) -> None:
        self._in_graph_mode = True
        self._synchronization = synchronization or VariableSynchronization.AUTO
        self._aggregation = aggregation or VariableAggregation.NONE
        self._trainable = variable_creation.is_trainable(trainable, self._synchronization)
        self._constraint = constraint
        self._save_slice_info: Any = None
        if variable_def is not None:
            if initial_value is not None:
                raise ValueError("variable_def and initial_value are mutually exclusive.")
            self._take_from_message(variable_def, import_scope)
            return
        variable_creation.check_initial_value(initial_value, constraint)
        self._validate_shape = validate_shape
        self._build(initial_value, name, dtype, shape, caching_device)
        variable_creation.collect(self, collections, self._trainable)

    def _build(
        self, initial_value: Any, name: str | None, dtype: Any, shape: Any, caching_device: Any
    ) -> None:
        from_function = callable(initial_value)
        with name_scope(name, "Variable", () if from_function else (initial_value,)) as scope:
            node_name = scope[:-1]
            dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
            if from_function:
                value = variable_creation.call_initializer(initial_value, node_name, dtype)
                colocation: dict[str, Any] = {"_class": (f"loc:@{node_name}",)}
            else:
                value = convert_to_tensor(initial_value, name="initial_value", dtype=dtype)
                colocation = {}
            self._initial_value = value
            if shape is None:
                shape = value.get_shape() if self._validate_shape else UNKNOWN
            with get_default_graph()._attr_scope(colocation):
                self._variable = ref_variable_ops.variable_op_v2(
                    shape, value.dtype.base_dtype, name=scope
                )
            if self._validate_shape and not value.get_shape().is_fully_defined():
                raise ValueError(
                    "initial_value must have a shape specified: "
                    f"{value} has shape {value.get_shape()}. Give the shape, or pass "
                    "validate_shape=False."
                )
            guarded = variable_creation.guard_uninitialized(node_name, value)
            self._initializer_op = ref_variable_ops.Assign(
                self._variable, guarded, validate_shape=self._validate_shape, use_locking=True
            ).op
            self._snapshot = self._read(caching_device, "read")
        self._graph_element = self._variable

    def _read(self, caching_device: Any, name: str) -> Tensor:
        graph = get_default_graph()
        if caching_device is not None:
            with graph.device(caching_device):
                return identity(self._variable, name=name)
        with graph.colocate_with(self._variable.op):
            return identity(self._variable, name=name)

    # --- what it is -------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self._variable.name

    @property
    def op(self) -> Operation:
        return self._variable.op

    @property
    def dtype(self) -> DType:
        return self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        return self._variable.get_shape()

    def set_shape(self, shape: Any) -> None:
        """Refines the static shapes of the variable and its value."""
        self._variable.set_shape(shape)
        self.value().set_shape(shape)

    # --- values -----------------------------------------------------------------------

    def value(self) -> Tensor:
        return self._snapshot

    def read_value(self) -> Tensor:
        return identity(self._variable, name="read")

    def _ref(self) -> Tensor:
        return self._variable

    def initialized_value(self) -> Tensor:
        """Its value if it is initialised, else its initial value."""
        return variable_creation.value_or_initial(self)

    def is_initialized(self, name: str | None = None) -> Tensor:
        """A bool tensor: whether it is initialised."""
        return ref_variable_ops.IsVariableInitialized(self._variable, name=name)

    # --- changes ----------------------------------------------------------------------

    def assign(
        self,
        value: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← value`; returns the new value, or with `read_value=False` the Operation."""
        result = ref_variable_ops.assign(self._variable, value, use_locking=use_locking, name=name)
        return result if read_value else result.op

    def assign_add(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← self + delta`."""
        result = ref_variable_ops.assign_add(self._variable, delta, use_locking, name)
        return result if read_value else result.op

    def assign_sub(
        self,
        delta: Any,
        use_locking: bool = False,
        name: str | None = None,
        read_value: bool = True,
    ) -> Any:
        """`self ← self − delta`."""
        result = ref_variable_ops.assign_sub(self._variable, delta, use_locking, name)
        return result if read_value else result.op

    def count_up_to(self, limit: int) -> Tensor:
        """Increments the variable and gives its value before; fails at `limit`."""
        return ref_variable_ops.count_up_to(self._variable, limit)

    def _strided_slice_assign(
        self, begin: Any, end: Any, strides: Any, value: Any, name: str | None, **masks: int
    ) -> Tensor:
        """`self[…] ← value`; see `strided_slice_ops.make_assignable`."""
        return StridedSliceAssign(self._variable, begin, end, strides, value, name=name, **masks)

    # --- as a message -----------------------------------------------------------------

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The VariableDef message that names its nodes; None outside `export_scope`."""
        return to_message(self, self._snapshot, export_scope, is_resource=False)

    @property
    def _graph_element_name(self) -> str:
        return self._variable.name

    def _take_from_message(self, message: Any, import_scope: str | None) -> None:
        super()._take_from_message(message, import_scope)
        element = element_finder(import_scope)
        self._variable = self._graph_element = element(message.variable_name)
        self._snapshot = element(message.snapshot_name)
        self._validate_shape = True

    def __repr__(self) -> str:
        return f"<tf.Variable '{self.name}' shape={shape_text(self.shape)} dtype={self.dtype.name}>"


def _convert_variable(
    value: RefVariable, dtype: DType | None = None, name: str | None = None, as_ref: bool = False
) -> Any:
    if dtype is not None and not dtype.is_compatible_with(value.dtype.base_dtype):
        raise ValueError(
            f"Incompatible type conversion requested to type '{dtype.name}' for variable of type "
            f"'{value.dtype.name}'"
        )
    return value._ref() if as_ref else value.value()


register_tensor_conversion_function(RefVariable, _convert_variable)
