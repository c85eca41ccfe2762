"""How ops that update a variable by a gradient are defined from a row of a table.

`define_updates` makes up to four ops of a row: `ApplyX` on ref variables and `ResourceApplyX` on
handles, `SparseApplyX` and `ResourceSparseApplyX` where the gradient is one of some rows.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.source_location import SourceLocation, caller_location
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.repeated_rows import update_rows
from featherflow.kernels.variable_scatter import check_rows
from featherflow.ops.resource_variable_ops import handle_shape

_NUMBERS = (
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ASSIGNMENT = "assignments are not differentiable"
_COMPARISONS = {">": operator.gt, ">=": operator.ge, "<=": operator.le}

Update = Callable[..., None]

DOUBLES = (dtypes.float32, dtypes.float64)
NARROW = (dtypes.float16, *DOUBLES)
FLOATS = (dtypes.bfloat16, *NARROW)
NARROW_OR_COMPLEX = (*NARROW, dtypes.complex64, dtypes.complex128)
FLOATS_OR_COMPLEX = (*FLOATS, dtypes.complex64, dtypes.complex128)


@dataclass(frozen=True)
class UpdateRule:
    """One optimiser's update.

    Attributes:
      name: of the op, after "Apply".
      cells: the arguments that are variables: the one trained, then its slots.
      values: the other arguments in order, "grad" or "delta" among them.
      update: the arithmetic on the arrays of all of them; attributes by name.
      types: for which there is a kernel.
      options: the attributes beside use_locking, as in a contract.
      bounds: argument → how it must compare with 0.
      gradient: which of the values, and of the arguments of `update`, is the gradient.
      on_refs: whether there is an op for ref variables.
    """

    name: str
    cells: tuple[str, ...]
    values: tuple[str, ...]
    update: Update
    types: tuple[DType, ...] = FLOATS_OR_COMPLEX
    options: tuple[str, ...] = ()
    bounds: Mapping[str, str] = field(default_factory=dict)
    gradient: str = "grad"
    on_refs: bool = True

    @property
    def is_sparse(self) -> bool:
        """Whether the gradient is one of some rows."""
        return "indices" in self.values


@dataclass(frozen=True)
class RowRule:
    """How the update of some rows differs from the dense one: by nothing, unless said here.

    Attributes:
      update: the arithmetic, if it is another.
      types: for which there is a kernel, if they are others.
      bounds: as in UpdateRule, if they are others.
      may_be_empty: whether rows without elements are accepted.
    """

    update: Update | None = None
    types: tuple[DType, ...] | None = None
    bounds: Mapping[str, str] | None = None
    may_be_empty: bool = False


def define_updates(rule: UpdateRule, rows: RowRule | None = None) -> None:
    """Defines the dense ops of a rule, and with `rows` the sparse ones."""
    location = caller_location()
    _define_pair(rule, location)
    if rows is None:
        return
    values: list[str] = []
    for value in rule.values:
        values += ["grad", "indices"] if value == rule.gradient else [value]
    sparse = replace(
        rule,
        values=tuple(values),
        update=rows.update or rule.update,
        types=rows.types or rule.types,
        bounds=rule.bounds if rows.bounds is None else rows.bounds,
    )
    _define_pair(sparse, location, rows.may_be_empty)


def _define_pair(rule: UpdateRule, location: SourceLocation, may_be_empty: bool = True) -> None:
    """The ops of a rule, on refs and on handles."""
    types = {"indices": "Tindices", "global_step": "int64"}
    values = tuple(f"{value}: {types.get(value, 'T')}" for value in rule.values)
    attrs = (
        _NUMBERS,
        *(("Tindices: {int32, int64}",) if rule.is_sparse else ()),
        "use_locking: bool = false",
        *rule.options,
    )
    name = f"SparseApply{rule.name}" if rule.is_sparse else f"Apply{rule.name}"
    variants = []
    if rule.on_refs:
        cells = tuple(f"{cell}: Ref(T)" for cell in rule.cells)
        on_refs = define_op(
            name,
            inputs=(*cells, *values),
            outputs=("out: Ref(T)",),
            attrs=attrs,
            location=location,
        )
        variants.append(on_refs)
    on_handles = define_op(
        f"Resource{name}",
        inputs=(*(f"{cell}: resource" for cell in rule.cells), *values),
        attrs=attrs,
        is_stateful=True,
        location=location,
    )
    for op in (*variants, on_handles):
        _hang_rules(op, rule, may_be_empty)


def _hang_rules(op: Op, rule: UpdateRule, may_be_empty: bool) -> None:
    """Shape function and kernel of one of the pair."""

    class UpdateCpu(_UpdateCpu):
        pass

    UpdateCpu.rule = rule
    UpdateCpu.may_be_empty = may_be_empty
    op.shape_fn(partial(_update_shape, rule))
    op.kernel("CPU", T=rule.types)(UpdateCpu)
    op.without_gradient(_ASSIGNMENT)


# --- static shapes --------------------------------------------------------------------------------


def _update_shape(rule: UpdateRule, c: InferenceContext) -> list[TensorShape]:
    returns_ref = bool(c.op.op_def.outputs)
    cells = range(len(rule.cells))
    shapes = [c.shapes[index] if returns_ref else handle_shape(c.inputs[index]) for index in cells]
    shape = shapes[0]
    for slot in shapes[1:]:
        shape = c.merge(shape, slot)
    for index, value in enumerate(rule.values, len(rule.cells)):
        if value == "indices":
            _check_rows_of_gradient(c, index)
        elif value not in ("grad", "delta"):
            c.with_rank(index, 0)
        elif rule.is_sparse:
            shape = _merge_rows(c, shape, c.shapes[index])
        else:
            shape = c.merge(shape, c.shapes[index])
    return [shape] if returns_ref else []


def _check_rows_of_gradient(c: InferenceContext, index: int) -> None:
    """One index for each row of the gradient, which is the input before."""
    (count,) = c.dims(index, 1)
    rows = c.with_rank_at_least(index - 1, 1)._dims
    if rows:
        c.merge_dim(count, rows[0])


def _merge_rows(c: InferenceContext, shape: TensorShape, grad: TensorShape) -> TensorShape:
    if not grad._dims:
        return shape
    return c.merge(shape, TensorShape._of((None, *grad._dims[1:])))


# --- kernels --------------------------------------------------------------------------------------


class _UpdateCpu(OpKernel):
    """Checks the arguments of an update, and runs its arithmetic with the variables locked."""

    rule: UpdateRule
    may_be_empty: bool

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        names = [option.split(":")[0] for option in self.rule.options]
        self.update = partial(self.rule.update, **{name: node.attrs[name] for name in names})
        self.returns_ref = bool(node.definition.op_def.outputs)

    def compute(self, ctx: Any, *inputs: Any) -> Any:
        """Changes the variables among the inputs."""
        count = len(self.rule.cells)
        cells, values = inputs[:count], dict(zip(self.rule.values, inputs[count:]))
        with ExitStack() as locks:
            for cell in sorted(set(cells), key=id):  # in one order: two steps must not deadlock
                locks.enter_context(cell.lock)
            arrays = [_writable(cell, in_place=self.returns_ref) for cell in cells]
            self._check(arrays, values)
            if self.rule.is_sparse:
                self._update_rows(arrays, values)
            else:
                self.update(*arrays, **values)
        return cells[0] if self.returns_ref else ()

    def _update_rows(self, arrays: list[np.ndarray], values: dict[str, np.ndarray]) -> None:
        grad, indices = values.pop("grad"), values.pop("indices")

        def update(parts: list[np.ndarray], rows: np.ndarray) -> None:
            self.update(*parts, **values, **{self.rule.gradient: rows})

        update_rows(update, arrays, grad, indices)

    def _check(self, arrays: Sequence[np.ndarray], values: dict[str, np.ndarray]) -> None:
        var, rule = arrays[0], self.rule
        for name, array in zip(rule.cells, arrays):
            if array.shape != var.shape:
                _refuse(f"var and {name} do not have the same shape", var, array)
        for name, value in values.items():
            if name not in ("grad", "delta", "indices") and value.ndim:
                received = f"shape {list(value.shape)}"
                raise InvalidArgumentError(None, None, f"{name} is not a scalar", received=received)
        for name, comparison in rule.bounds.items():
            self._check_bound(name, comparison, values[name])
        if rule.is_sparse:
            _check_sparse(var, values["grad"], values["indices"], self.may_be_empty)
        elif values[rule.gradient].shape != var.shape:
            _refuse(
                f"var and {rule.gradient} do not have the same shape", var, values[rule.gradient]
            )

    def _check_bound(self, name: str, comparison: str, value: np.ndarray) -> None:
        if comparison == ">" and self.node.attrs.get("multiply_linear_by_lr"):
            comparison = ">="  # nothing is divided by the rate
        if not _COMPARISONS[comparison](value, 0):
            raise InvalidArgumentError(
                None,
                None,
                f"{name} is out of range",
                received=f"{name} = {value}",
                expected=f"{name} {comparison} 0",
            )


def _writable(cell: VariableCell, in_place: bool) -> np.ndarray:
    """The array of a variable whose lock is held; a copy if a reader holds a resource's array."""
    array = cell.read()
    del array  # it would count as a reader
    if not in_place and cell.is_shared():
        cell.value = cell.read().copy()
    return cell.read()


def _check_sparse(
    var: np.ndarray, grad: np.ndarray, indices: np.ndarray, may_be_empty: bool
) -> None:
    if not var.ndim:
        _refuse("var must be at least 1 dimensional", var, grad)
    if indices.ndim != 1:
        _refuse("indices must be one-dimensional", var, indices)
    if grad.shape != indices.shape + var.shape[1:]:
        _refuse("grad must hold a row of var for each of the indices", var, grad)
    if not may_be_empty and 0 in var.shape[1:]:
        _refuse("Inner dimension should be greater than zero.", var, grad)
    check_rows(indices, var.shape[0])


def _refuse(message: str, var: np.ndarray, other: np.ndarray) -> None:
    raise InvalidArgumentError(
        None, None, message, received=f"{list(var.shape)} and {list(other.shape)}"
    )
