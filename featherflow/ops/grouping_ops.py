"""NoOp, and what is made of it: groups of operations, and tensors that wait for others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import no_outputs
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import colocate_with, control_dependencies, device, name_scope
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.identity_ops import Identity, RefIdentity

# --- NoOp -----------------------------------------------------------------------------------------

NoOp = define_op("NoOp", foldable=False)
NoOp.shape_fn(no_outputs)


@NoOp.kernel("CPU")
def _no_op_cpu() -> None:
    return None


NoOp.without_gradient("it has no inputs")


@export("no_op")
def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing: a place for control dependencies.

    Args:
      name: of the node.
    Returns:
      An Operation.
    """
    return NoOp(name=name)


# --- group and tuple ------------------------------------------------------------------------------


@export("group")
def group(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that is done when all of `inputs` are.

    Args:
      *inputs: tensors, operations, or nests of these.
      name: of the node.
    Returns:
      An Operation. Inputs on several devices are grouped on each of them first.
    Raises:
      TypeError: an input is neither, or an argument is not known.
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise TypeError(f"group() got unexpected keyword arguments: {', '.join(kwargs)}")
    with name_scope(name, "group_deps", _leaves(inputs)) as scope:
        by_device: dict[str, list[Any]] = {}
        for item in _leaves(inputs):
            operation = _operation_of(item)
            by_device.setdefault(operation.device, []).append(operation)
        if len(by_device) <= 1:
            for device_name, operations in by_device.items():
                return _group_on(device_name, operations, scope)
            return NoOp(name=scope)
        parts = [
            _group_on(device_name, by_device[device_name]) for device_name in sorted(by_device)
        ]
        with control_dependencies(parts):
            return NoOp(name=scope)


def _group_on(device_name: str, operations: list[Any], name: str | None = None) -> Operation:
    if not device_name:
        with control_dependencies(operations):
            return NoOp(name=name)
    with device(device_name), control_dependencies(operations):
        return NoOp(name=name)


def _leaves(nest: Any) -> list[Any]:
    return list(_flatten(nest))


def _flatten(nest: Any) -> Iterator[Any]:
    if isinstance(nest, dict):
        for key in sorted(nest):
            yield from _flatten(nest[key])
    elif isinstance(nest, (list, tuple)):
        for item in nest:
            yield from _flatten(item)
    else:
        yield nest


def _operation_of(item: Any) -> Operation:
    operation = item if isinstance(item, Operation) else getattr(item, "op", None)
    if not isinstance(operation, Operation):
        raise TypeError(
            "'inputs' should be zero or more (nested) Tensors. Received "
            f"'{item}' with type '{type(item)}'."
        )
    return operation


@export_v1("tuple")
def tuple_v1(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """`tensors`, each of which is there only when all of them are.

    Args:
      tensors: tensors, IndexedSlices, operations or None.
      name: of the scope of the nodes.
      control_inputs: further operations to wait for.
    Returns:
      A list of the same kinds as `tensors`.
    Raises:
      ValueError: there is no tensor among them.
      TypeError: `control_inputs` is not a list of operations or tensors.
    """
    with name_scope(name, "tuple", [item for item in tensors if item is not None]):
        gating = [_operation_of(item) for item in tensors if item is not None]
        for item in control_inputs or ():
            if not isinstance(item, (Operation, Tensor)):
                raise TypeError(
                    f"`control_inputs` must only contain Operation or Tensor, received {item!r}."
                )
            gating.append(_operation_of(item))
        if not gating:
            raise ValueError(
                "`tensors` must have at least one Tensor or Operation, received {tensors}."
            )
        gate = group(*sorted(dict.fromkeys(gating), key=lambda operation: operation.id))
        return [None if item is None else _behind(gate, item) for item in tensors]


def _behind(gate: Operation, item: Any) -> Any:
    if isinstance(item, Operation):
        with control_dependencies([gate]):
            return group(item)
    return with_dependencies([gate], item)


@export("tuple")
def tuple_v2(tensors: Any, control_inputs: Any = None, name: str | None = None) -> list[Any]:
    """`tuple_v1` with TF2's order of arguments."""
    return tuple_v1(tensors, name, control_inputs)


def with_dependencies(
    dependencies: Iterable[Any], output_tensor: Any, name: str | None = None
) -> Any:
    """`output_tensor`, which is there only when `dependencies` are done.

    Args:
      dependencies: operations or tensors.
      output_tensor: a Tensor, or IndexedSlices, of which the values wait.
      name: of the node.
    Returns:
      The same kind of value as `output_tensor`.
    """
    with (
        name_scope(name, "control_dependency", [output_tensor]) as scope,
        colocate_with(output_tensor),
        control_dependencies(dependencies),
    ):
        if isinstance(output_tensor, IndexedSlices):
            values = _identity(output_tensor.values, scope)
            return IndexedSlices(values, output_tensor.indices, output_tensor.dense_shape)
        return _identity(convert_to_tensor(output_tensor), scope)


def _identity(tensor: Tensor, name: str) -> Tensor:
    """Of a ref a ref, so that it can still be assigned to."""
    return (RefIdentity if tensor.dtype._is_ref_dtype else Identity)(tensor, name=name)
