"""Ref variables: TF1's variables, whose tensors are references to their storage.

The value of a ref tensor is the VariableCell itself. An op that wants the value reads the cell when
its kernel starts, and an Identity of it shares the memory, so later assignments show through it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError, OutOfRangeError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import (
    InferenceContext,
    scalar_shape,
    unchanged_shape,
)
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor

_ARITHMETIC = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_STORAGE = "it is storage: gradients are taken with respect to it"
_ASSIGNMENT = "assignments are not differentiable"

# --- storage --------------------------------------------------------------------------


def _declared_shape(c: InferenceContext) -> TensorShape:
    return c.attrs["shape"]


def _variable_v1_shape(c: InferenceContext) -> TensorShape:
    # An old Variable without a shape says "scalar", and means "unknown".
    return c.attrs["shape"] if c.attrs["shape"].rank else UNKNOWN


class _RefVariableCpu(OpKernel):
    """Gives the variable's cell: the session's, by container and shared name."""

    def compute(self, ctx: Any) -> VariableCell:
        node = self.node
        attrs = node.attrs
        name = attrs.get("shared_name") or node.name
        return ctx.resources.lookup_or_create(
            attrs.get("container", ""),
            str(name),
            VariableCell,
            lambda: VariableCell(node.name, attrs["dtype"], attrs["shape"]),
        )


VariableV2 = define_op(
    "VariableV2",
    outputs=("ref: Ref(dtype)",),
    attrs=(
        "shape: shape",
        "dtype: type",
        "container: string = ''",
        "shared_name: string = ''",
    ),
    is_stateful=True,
)
VariableV2.shape_fn(_declared_shape)
VariableV2.kernel("CPU")(_RefVariableCpu)
VariableV2.without_gradient(_STORAGE)

Variable = define_op(
    "Variable",
    outputs=("ref: Ref(dtype)",),
    attrs=(
        "shape: shape",
        "dtype: type",
        "container: string = ''",
        "shared_name: string = ''",
    ),
    is_stateful=True,
)
Variable.shape_fn(_variable_v1_shape)
Variable.kernel("CPU")(_RefVariableCpu)
Variable.without_gradient(_STORAGE)

TemporaryVariable = define_op(
    "TemporaryVariable",
    outputs=("ref: Ref(dtype)",),
    attrs=("shape: shape", "dtype: type", "var_name: string = ''"),
    is_stateful=True,
)
TemporaryVariable.shape_fn(_declared_shape)


@TemporaryVariable.kernel("CPU")
class _TemporaryVariableCpu(OpKernel):
    """Storage that lives as long as the step's edges hold it."""

    def compute(self, ctx: Any) -> VariableCell:
        attrs = self.node.attrs
        cell = VariableCell(attrs["var_name"] or self.node.name, attrs["dtype"], attrs["shape"])
        cell.value = np.zeros(tuple(attrs["shape"].as_list()), attrs["dtype"].numpy_dtype)
        return cell


TemporaryVariable.without_gradient(_STORAGE)

DestroyTemporaryVariable = define_op(
    "DestroyTemporaryVariable",
    inputs=("ref: Ref(T)",),
    outputs=("value: T",),
    attrs=("T: type", "var_name: string"),
)
DestroyTemporaryVariable.shape_fn(unchanged_shape)


@DestroyTemporaryVariable.kernel("CPU")
def _destroy_temporary_variable_cpu(ref: VariableCell) -> np.ndarray:
    value = ref.read()
    ref.value = None
    return value


DestroyTemporaryVariable.without_gradient(_ASSIGNMENT)

IsVariableInitialized = define_op(
    "IsVariableInitialized",
    inputs=("ref: Ref(dtype)",),
    outputs=("is_initialized: bool",),
    attrs=("dtype: type",),
    allows_uninitialized_input=True,
)
IsVariableInitialized.shape_fn(scalar_shape)


@IsVariableInitialized.kernel("CPU")
def _is_variable_initialized_cpu(ref: VariableCell) -> np.ndarray:
    return np.array(ref.value is not None)


IsVariableInitialized.without_gradient("its output is a bool")

# --- assignment -----------------------------------------------------------------------

Assign = define_op(
    "Assign",
    inputs=("ref: Ref(T)", "value: T"),
    outputs=("output_ref: Ref(T)",),
    attrs=("T: type", "validate_shape: bool = true", "use_locking: bool = true"),
    allows_uninitialized_input=True,
)


@Assign.shape_fn
def _assign_shape(c: InferenceContext) -> TensorShape:
    return c.merge(c.shapes[0], c.shapes[1]) if c.attrs["validate_shape"] else c.shapes[1]


@Assign.kernel("CPU")
def _assign_cpu(ref: VariableCell, value: np.ndarray, *, validate_shape: bool) -> VariableCell:
    with ref.lock:
        if validate_shape:
            _check_same_shape("Assign", _cell_shape(ref), value.shape)
        store(ref, value)
    return ref


Assign.not_differentiable(_ASSIGNMENT)


def store(cell: VariableCell, value: np.ndarray) -> None:
    """Writes `value` into a ref variable: in place where it fits, so that aliases see it."""
    current = cell.value
    if current is not None and current.shape == value.shape:
        np.copyto(current, value)
    else:
        cell.value = value.copy()


def _cell_shape(cell: VariableCell) -> tuple[int | None, ...] | None:
    return cell.value.shape if cell.value is not None else cell.shape._dims


def _check_same_shape(
    op_name: str, left: tuple[int | None, ...] | None, right: tuple[int, ...]
) -> None:
    if left is None or (
        len(left) == len(right) and all(m in (None, n) for m, n in zip(left, right))
    ):
        return
    raise InvalidArgumentError(
        None,
        None,
        f"{op_name} requires shapes of both tensors to match. lhs shape= {list(left)} "
        f"rhs shape= {list(right)}",
        remedy="Assign a value of the variable's shape, or pass validate_shape=False.",
    )


def _define_update(name: str, ufunc: np.ufunc) -> Any:
    """AssignAdd and AssignSub: `ref ← ufunc(ref, value)`, in place."""
    op = define_op(
        name,
        inputs=("ref: Ref(T)", "value: T"),
        outputs=("output_ref: Ref(T)",),
        attrs=(_ARITHMETIC, "use_locking: bool = false"),
    )

    @op.shape_fn
    def _update_shape(c: InferenceContext) -> TensorShape:
        return c.merge(c.shapes[0], c.shapes[1])

    @op.kernel("CPU")
    def _update_cpu(ref: VariableCell, value: np.ndarray) -> VariableCell:
        with ref.lock:
            current = ref.read()
            _check_same_shape(name, current.shape, value.shape)
            ufunc(current, value, out=current)
        return ref

    op.not_differentiable(_ASSIGNMENT)
    return op


AssignAdd = _define_update("AssignAdd", np.add)
AssignSub = _define_update("AssignSub", np.subtract)

CountUpTo = define_op(
    "CountUpTo",
    inputs=("ref: Ref(T)",),
    outputs=("output: T",),
    attrs=("limit: int", "T: {int32, int64}"),
)
CountUpTo.shape_fn(scalar_shape)


@CountUpTo.kernel("CPU")
def _count_up_to_cpu(ref: VariableCell, *, limit: int) -> np.ndarray:
    with ref.lock:
        current = ref.read()
        if current >= limit:
            raise OutOfRangeError(None, None, f"Reached limit of {limit}")
        before = current.copy()
        np.add(current, 1, out=current)
    return before


CountUpTo.without_gradient("it counts")


# --- public functions -----------------------------------------------------------------


def variable_op_v2(
    shape: Any, dtype: Any, name: str = "Variable", container: str = "", shared_name: str = ""
) -> Tensor:
    """A ref tensor for a variable of `shape` and `dtype`."""
    return VariableV2(
        shape=shape, dtype=dtype, name=name, container=container, shared_name=shared_name
    )


@export_v1("assign")
def assign(
    ref: Any,
    value: Any,
    validate_shape: bool | None = None,
    use_locking: bool | None = None,
    name: str | None = None,
) -> Any:
    """`ref ← value`; returns the new value of the variable.

    Args:
      ref: a variable, or its ref tensor; may be uninitialised.
      value: of the variable's shape and dtype.
      validate_shape: whether `value` must have the variable's shape; False lets it change.
      use_locking: accepted; updates of a variable exclude one another always.
      name: of the node.
    Returns:
      A ref tensor, or for a resource variable a tensor, that holds the new value once it is run.
    """
    if is_ref(ref):
        return Assign(
            ref,
            value,
            use_locking=use_locking,
            name=name,
            validate_shape=True if validate_shape is None else validate_shape,
        )
    return ref.assign(value, name=name)


@export_v1("assign_add")
def assign_add(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref ← ref + value`; returns the new value. Arguments as for `assign`."""
    if is_ref(ref):
        return AssignAdd(ref, value, use_locking=use_locking, name=name)
    return ref.assign_add(value)


@export_v1("assign_sub")
def assign_sub(
    ref: Any, value: Any, use_locking: bool | None = None, name: str | None = None
) -> Any:
    """`ref ← ref − value`; returns the new value. Arguments as for `assign`."""
    if is_ref(ref):
        return AssignSub(ref, value, use_locking=use_locking, name=name)
    return ref.assign_sub(value)


def is_ref(value: Any) -> bool:
    """Whether `value` is a ref tensor or a variable that has one."""
    dtype = getattr(value, "dtype", None)
    return isinstance(dtype, DType) and dtype._is_ref_dtype


@export_v1("is_variable_initialized")
def is_variable_initialized(variable: Any) -> Tensor:
    """A bool tensor: whether the variable has been initialised."""
    if is_ref(variable):
        return IsVariableInitialized(variable)
    return variable.is_initialized(name=None)


@export_v1("count_up_to")
def count_up_to(ref: Any, limit: int, name: str | None = None) -> Tensor:
    """Increments `ref` and returns its value before.

    Raises:
      OutOfRangeError: when run, `ref` has reached `limit`.
    """
    if is_ref(ref):
        return CountUpTo(ref, limit=limit, name=name)
    return ref.count_up_to(limit, name)
