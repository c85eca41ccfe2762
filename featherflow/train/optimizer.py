"""Optimizer: gradients of a loss, and the updates of variables that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_v1
from featherflow.framework.op import get_op
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops import gradients as gradients_module
from featherflow.ops.gather_ops import unsorted_segment_sum
from featherflow.ops.grouping_ops import group, tuple_v1
from featherflow.ops.indexed_slices_ops import IndexedSlices
from featherflow.ops.ref_variable_ops import assign_add
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.unique_ops import unique
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_slices import PartitionedVariable
from featherflow.ops.variables import Variable as make_variable
from featherflow.ops.variables import trainable_variables
from featherflow.train.slot_creator import create_slot, create_zeros_slot


@export_v1("train.Optimizer")
class Optimizer:
    """Base of optimisers.

    A subclass says how a variable is updated (`_apply_dense`, `_apply_sparse`), which slots it
    keeps (`_create_slots`), and what it prepares once (`_prepare`) or does at the end (`_finish`).

    Args:
      use_locking: accepted; updates of a variable exclude one another always.
      name: of the scope of the update nodes.
    """

    #: Values of `gate_gradients`: how far gradients wait for one another.
    GATE_NONE = 0
    GATE_OP = 1
    GATE_GRAPH = 2

    def __init__(self, use_locking: bool, name: str) -> None:
        if not name:
            raise ValueError("Must specify the optimizer name")
        self._use_locking = use_locking
        self._name = name
        self._slots: dict[str, dict[Any, Variable]] = {}
        self._non_slots: dict[Any, Variable] = {}

    def get_name(self) -> str:
        """The optimiser's name."""
        return self._name

    # --- gradients --------------------------------------------------------------------

    def minimize(
        self,
        loss: Any,
        global_step: Any = None,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        name: str | None = None,
        grad_loss: Any = None,
    ) -> Operation:
        """An Operation that takes one step: `compute_gradients`, then `apply_gradients`.

        Args:
          loss: the tensor to make small.
          global_step: a variable that the step increments.
          var_list: the variables to change; None means the trainable ones.
          gate_gradients: GATE_NONE, GATE_OP or GATE_GRAPH.
          aggregation_method: how gradients of one variable are added.
          colocate_gradients_with_ops: place gradients with the ops they are of.
          name: of the Operation.
          grad_loss: the gradient of `loss`, instead of ones.
        Raises:
          ValueError: no variable has a gradient.
        """
        pairs = self.compute_gradients(
            loss,
            var_list,
            gate_gradients,
            aggregation_method,
            colocate_gradients_with_ops,
            grad_loss,
        )
        if all(grad is None for grad, _ in pairs):
            raise ValueError(
                "No gradients provided for any variable, check your graph for ops that do not "
                "support "
                f"gradients, between variables {[str(var) for _, var in pairs]} and loss {loss}."
            )
        return self.apply_gradients(pairs, global_step, name)

    def compute_gradients(
        self,
        loss: Any,
        var_list: Any = None,
        gate_gradients: int = GATE_OP,
        aggregation_method: Any = None,
        colocate_gradients_with_ops: bool = False,
        grad_loss: Any = None,
    ) -> list[tuple[Any, Variable]]:
        """Pairs (gradient of `loss`, variable); the gradient is None where there is none."""
        if callable(loss) and not isinstance(loss, Tensor):
            raise RuntimeError("`loss` passed to Optimizer.compute_gradients should be a tensor.")
        if gate_gradients not in (self.GATE_NONE, self.GATE_OP, self.GATE_GRAPH):
            raise ValueError(
                "gate_gradients must be one of: Optimizer.GATE_NONE, Optimizer.GATE_OP, "
                f"Optimizer.GATE_GRAPH, not {gate_gradients}."
            )
        self._assert_valid_dtypes([loss])
        variables = _flat_variables(trainable_variables() if var_list is None else var_list)
        if not variables:
            raise ValueError("No variables to optimize.")
        gradients = gradients_module.gradients(
            loss,
            [_target(variable) for variable in variables],
            grad_ys=grad_loss,
            gate_gradients=gate_gradients == self.GATE_OP,
            aggregation_method=aggregation_method,
            colocate_gradients_with_ops=colocate_gradients_with_ops,
        )
        if gate_gradients == self.GATE_GRAPH:
            gradients = tuple_v1(gradients)
        self._assert_valid_dtypes(
            [var for grad, var in zip(gradients, variables) if grad is not None]
        )
        return list(zip(gradients, variables))

    # --- updates ----------------------------------------------------------------------

    def apply_gradients(
        self,
        grads_and_vars: Iterable[tuple[Any, Variable]],
        global_step: Any = None,
        name: str | None = None,
        skip_gradients_aggregation: bool = False,
    ) -> Operation:
        """An Operation that changes the variables by the gradients, then counts the step."""
        pairs = tuple(grads_and_vars)
        if not pairs:
            raise ValueError("No variables provided.")
        pairs = tuple((_as_gradient(grad, var), _as_variable(var)) for grad, var in pairs)
        variables = [var for grad, var in pairs if grad is not None]
        if not variables:
            raise ValueError(
                f"No gradients provided for any variable: {[str(var) for _, var in pairs]}."
            )
        with get_default_graph().control_dependencies(None):
            self._create_slots(variables)
        with name_scope(name, self.get_name()) as scope:
            self._prepare()
            updates = [self._update(grad, var) for grad, var in pairs if grad is not None]
            step = self._finish_and_count(updates, global_step, scope)
        train_ops = get_default_graph().get_collection_ref(GraphKeys.TRAIN_OP)
        if step not in train_ops:
            train_ops.append(step)
        return step

    def _update(self, grad: Any, variable: Variable) -> Any:
        graph = get_default_graph()
        with name_scope(f"update_{variable.op.name}"), graph.colocate_with(variable.op):
            is_resource = isinstance(variable, ResourceVariable)
            if isinstance(grad, IndexedSlices):
                if variable.constraint is not None:
                    raise RuntimeError("Cannot use a constraint function on a sparse variable.")
                if not is_resource:
                    return self._apply_sparse_duplicate_indices(grad, variable)
                return self._resource_apply_sparse_duplicate_indices(
                    grad.values, variable, grad.indices
                )
            apply = self._resource_apply_dense if is_resource else self._apply_dense
            update = apply(grad, variable)
            if variable.constraint is None:
                return update
            with graph.control_dependencies([update]):
                return variable.assign(variable.constraint(variable))  # type: ignore[attr-defined]

    def _finish_and_count(self, updates: list[Any], global_step: Any, scope: str) -> Operation:
        if global_step is None:
            return self._finish(updates, scope)
        graph = get_default_graph()
        with (
            graph.control_dependencies([self._finish(updates, "update")]),
            graph.colocate_with(global_step.op),
        ):
            if isinstance(global_step, ResourceVariable):
                return global_step.assign_add(1, name=scope, read_value=False)
            return assign_add(global_step, 1, name=scope).op

    # --- what subclasses say ----------------------------------------------------------

    def _valid_dtypes(self) -> set[DType]:
        return {dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64}

    def _create_slots(self, var_list: Sequence[Variable]) -> None:
        """Makes the slots for the variables; none by default."""

    def _prepare(self) -> None:
        """Makes the tensors that all updates share."""

    def _apply_dense(self, grad: Tensor, var: Variable) -> Any:
        """The node that updates `var` by a dense gradient."""
        raise NotImplementedError(type(self).__name__)

    def _apply_sparse(self, grad: IndexedSlices, var: Variable) -> Any:
        """The node that updates `var` by gradients of some of its rows, none repeated."""
        raise NotImplementedError(type(self).__name__)

    def _apply_sparse_duplicate_indices(self, grad: IndexedSlices, var: Variable) -> Any:
        """Adds the gradients of repeated rows together before `_apply_sparse`."""
        values, rows = _without_repetitions(grad.values, grad.indices)
        return self._apply_sparse(IndexedSlices(values, rows, grad.dense_shape), var)

    def _resource_apply_dense(self, grad: Tensor, handle: Variable) -> Any:
        """`_apply_dense` for the resource variable `handle`."""
        return self._apply_dense(grad, handle)

    def _resource_apply_sparse(self, grad: Tensor, handle: Variable, indices: Tensor) -> Any:
        """`_apply_sparse` for the resource variable `handle`."""
        return self._apply_sparse(IndexedSlices(grad, indices), handle)

    def _resource_apply_sparse_duplicate_indices(
        self, grad: Tensor, handle: Variable, indices: Tensor
    ) -> Any:
        """Adds the gradients of repeated rows together before `_resource_apply_sparse`."""
        values, rows = _without_repetitions(grad, indices)
        return self._resource_apply_sparse(values, handle, rows)

    def _finish(self, update_ops: list[Any], name_scope: str) -> Operation:
        """One Operation for all updates."""
        return group(*update_ops, name=name_scope)

    def _assert_valid_dtypes(self, tensors: Iterable[Any]) -> None:
        valid = self._valid_dtypes()
        for tensor in tensors:
            dtype = tensor.dtype.base_dtype
            if dtype not in valid:
                raise ValueError(
                    f"Invalid type {dtype.name} for {tensor.name}, expected: "
                    f"{sorted(dtype.name for dtype in valid)}."
                )

    # --- slots ------------------------------------------------------------------------

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """The slot `name` of a variable, or None."""
        return self._slots.get(name, {}).get(_slot_key(var))

    def get_slot_names(self) -> list[str]:
        """The names of the slots."""
        return sorted(self._slots)

    def variables(self) -> list[Variable]:
        """The optimiser's own variables, in the order of their names."""
        graph = get_default_graph()
        own = [var for var in self._non_slots.values() if var.graph is graph]
        for slots in self._slots.values():
            own.extend(slot for slot in slots.values() if slot.graph is graph)
        return sorted(own, key=lambda var: var.name)

    def _slot_dict(self, slot_name: str) -> dict[Any, Variable]:
        return self._slots.setdefault(slot_name, {})

    def _get_or_make_slot(
        self, var: Variable, value: Any, slot_name: str, op_name: str
    ) -> Variable:
        slots = self._slot_dict(slot_name)
        key = _slot_key(var)
        if key not in slots:
            slots[key] = create_slot(var, value, op_name)
        return slots[key]

    def _get_or_make_slot_with_initializer(
        self, var: Variable, initializer: Any, shape: Any, dtype: Any, slot_name: str, op_name: str
    ) -> Variable:
        slots = self._slot_dict(slot_name)
        key = _slot_key(var)
        if key not in slots:
            slots[key] = create_slot(var, initializer, op_name, shape, dtype)
        return slots[key]

    def _zeros_slot(self, var: Variable, slot_name: str, op_name: str) -> Variable:
        slots = self._slot_dict(slot_name)
        key = _slot_key(var)
        if key not in slots:
            slots[key] = create_zeros_slot(var, op_name)
        return slots[key]

    def _create_non_slot_variable(self, initial_value: Any, name: str, colocate_with: Any) -> Any:
        """A variable for the whole graph, made once, placed with `colocate_with`."""
        key = (name, colocate_with.graph)
        if key not in self._non_slots:
            with get_default_graph().colocate_with(colocate_with.op):
                self._non_slots[key] = make_variable(
                    initial_value,
                    name=name,
                    trainable=False,
                    use_resource=isinstance(colocate_with, ResourceVariable),
                )
        return self._non_slots[key]

    def _get_non_slot_variable(self, name: str, graph: Any = None) -> Any:
        return self._non_slots.get((name, graph))

    def _non_slot_variables(self) -> Any:
        return self._non_slots.values()

    def _call_if_callable(self, value: Any) -> Any:
        return value() if callable(value) else value


def _slot_key(var: Variable) -> tuple[Any, str]:
    return var.graph, var._shared_name


def _without_repetitions(values: Tensor, indices: Tensor) -> tuple[Tensor, Tensor]:
    """Rows and their indices, repeated ones added together."""
    rows, positions = unique(indices)
    return unsorted_segment_sum(values, positions, shape_of(rows)[0]), rows


def _flat_variables(variables: Any) -> list[Variable]:
    if isinstance(variables, (Variable, PartitionedVariable)):
        variables = [variables]
    flat: list[Variable] = []
    for variable in variables:
        flat.extend(variable if isinstance(variable, PartitionedVariable) else [variable])
    return flat


def _target(variable: Any) -> Tensor:
    """What gradients are taken with respect to: a ref, a handle, or a tensor itself."""
    if isinstance(variable, ResourceVariable):
        return variable.handle
    return _as_variable(variable)._as_graph_element()


def _as_variable(variable: Any) -> Variable:
    if isinstance(variable, Variable):
        return variable
    raise NotImplementedError(f"Trying to optimize unsupported type {variable!r}")


def _as_gradient(grad: Any, variable: Any) -> Any:
    if grad is None or isinstance(grad, IndexedSlices):
        return grad
    try:
        return convert_to_tensor(grad)
    except TypeError:
        raise TypeError(
            f"Gradient must be convertible to a Tensor or IndexedSlices, or None: {grad!r} for "
            f"{variable!r}"
        ) from None


def apply_op(name: str, variables: Sequence[Variable], *values: Any, **attrs: Any) -> Any:
    """Calls the op `name` on ref variables, or `Resource…name` on handles."""
    cells = [_target(variable) for variable in variables]
    if isinstance(variables[0], ResourceVariable):
        return get_op(f"Resource{name}")(*cells, *values, **attrs)
    return get_op(name)(*cells, *values, **attrs).op
