"""How a call of an op becomes a node: name, inputs as tensors, attributes, static shapes."""

from __future__ import annotations

from collections import namedtuple
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.errors import OpError
from featherflow.framework.op import Op
from featherflow.framework.op_def import ArgDef, AttrDef, check_attr, convert_attr
from featherflow.framework.shape_inference import InferenceContext, ShapeInferenceError
from featherflow.framework.tensor_conversion import convert
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph import constant_value
from featherflow.graph.operation import Operation, creation_site
from featherflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph


def build_node(graph: Graph, op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any:
    """Adds the node that a call `op(*args, **kwargs)` stands for; returns its outputs."""
    values = _values_by_position(op, args, kwargs)
    other = _graph_of_inputs(graph, values)
    if other is not None:
        with other.as_default():
            return build_node(other, op, tuple(values), kwargs, name)
    scope = name or op.name.lstrip("_")  # no node's name may start as internal ops' do
    if scope.endswith("/"):
        node_name = scope[:-1]
    else:
        if name is not None:
            graph.check_name(name)
        node_name = graph.unique_name(scope)
    attrs: dict[str, Any] = {}
    if op.op_def.inputs:
        inputs = _convert_inputs(graph, op, node_name, values, kwargs, attrs)
    else:
        inputs = []
    _complete_attrs(op, kwargs, attrs)
    refs = [tensor for tensor in inputs if tensor._dtype._is_ref_dtype] if op.takes_ref else ()
    if not refs:
        return outputs_of(graph.add_node(op, inputs, attrs, node_name))
    with ExitStack() as colocation:  # what changes a variable goes where the variable is
        for tensor in refs:
            colocation.enter_context(graph.colocate_with(tensor._op))
        return outputs_of(graph.add_node(op, inputs, attrs, node_name))


def _graph_of_inputs(graph: Graph, values: list[Any]) -> Graph | None:
    """The graph that holds the inputs, where it is not `graph`: ops go where their inputs are.

    Functions take in what they use of other graphs.
    """
    other = None
    for value in values:
        for item in value if value.__class__ is list or value.__class__ is tuple else (value,):
            if item.__class__ is Tensor:
                if item._op.graph is graph:
                    return None
                other = other or item._op.graph
    return None if other is None or graph.building_function else other


def _values_by_position(op: Op, args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """The value for each input argument; takes those given by name out of `kwargs`."""
    names = op.input_names
    if len(args) > len(names):
        raise TypeError(
            f"{op.name} takes {len(names)} inputs ({', '.join(names) or 'none'}), received "
            f"{len(args)}; "
            "attributes are given by name."
        )
    values = list(args)
    for name in names[len(args) :]:
        if name not in kwargs:
            raise TypeError(f"{op.name}: missing input '{name}'.")
        values.append(kwargs.pop(name))
    return values


# --- inputs ---------------------------------------------------------------------------------------


def _convert_inputs(
    graph: Graph,
    op: Op,
    node_name: str,
    values: list[Any],
    kwargs: dict[str, Any],
    attrs: dict[str, Any],
) -> list[Tensor]:
    """The inputs as a flat list of tensors; the attributes they imply go into `attrs`.

    Constants made on the way are named below the node, `add/y`, as TensorFlow names them.
    """
    for attr in op.op_def.attrs:
        if attr.type == "type" and kwargs.get(attr.name) is not None:
            attrs[attr.name] = convert_attr(attr, kwargs[attr.name], op.name)
    inputs: list[Tensor] = []
    scopes = graph._scopes.names
    outer_scope = scopes.current
    scopes.current = node_name
    try:
        for arg, value in zip(op.op_def.inputs, values):
            if arg.is_list:
                inputs.extend(_convert_list(op, arg, value, attrs))
            else:
                inputs.append(_convert_single(op, arg, value, attrs))
    finally:
        scopes.current = outer_scope
    for index, tensor in enumerate(inputs):
        if tensor._op.graph is not graph:
            inputs[index] = graph._take_in(tensor, f"{op.name} '{node_name}'")
    return inputs


def _convert_single(op: Op, arg: ArgDef, value: Any, attrs: dict[str, Any]) -> Tensor:
    wanted = arg.type if arg.type_attr is None else attrs.get(arg.type_attr)
    if value.__class__ is Tensor and not arg.is_ref:
        tensor = value
    elif wanted is None and arg.type_attr is not None:
        tensor = _convert_inferred(op, arg, value)
    else:
        tensor = _convert_value(op, arg, value, wanted, None)
    dtype = tensor._dtype
    if arg.is_ref and not dtype._is_ref_dtype:
        raise TypeError(
            f"'{op.name}' Op requires that input '{arg.name}' be a mutable tensor (e.g.: a "
            "tf.Variable)"
            f", received {tensor!r}."
        )
    base = dtype.base_dtype if dtype._is_ref_dtype else dtype
    if wanted is None:
        attrs[arg.type_attr] = base  # type: ignore[index]
    elif base is not wanted:
        _refuse_dtype(op, arg, tensor, wanted)
    return tensor


def _convert_inferred(op: Op, arg: ArgDef, value: Any) -> Tensor:
    """`value` in its own dtype; in the default of the type attr where the op does not take that."""
    attr = op.op_def.attr(arg.type_attr)  # type: ignore[arg-type]
    if attr is None or not attr.has_default:
        return _convert_value(op, arg, value, None, None)
    try:
        tensor = convert(value, None, arg.name, arg.is_ref)
    except (TypeError, ValueError):
        pass  # a list of tensors of several dtypes, which may all become the default
    else:
        if attr.allowed_values is None or tensor.dtype.base_dtype in attr.allowed_values:
            return tensor
    return _convert_value(op, arg, value, attr.default, None)


def _convert_value(
    op: Op, arg: ArgDef, value: Any, wanted: DType | None, preferred: DType | None
) -> Tensor:
    try:
        return convert(value, wanted, arg.name, arg.is_ref, preferred if wanted is None else None)
    except TypeError as error:
        if wanted is None:
            raise
        raise TypeError(
            f"Input '{arg.name}' of '{op.name}' Op: expected {wanted.name}, received {value!r} "
            "of type "
            f"'{type(value).__name__}'. {error}"
        ) from None
    except ValueError as error:
        observed = getattr(getattr(value, "dtype", None), "name", None)
        if observed is None or wanted is None:
            raise ValueError(f"Input '{arg.name}' of '{op.name}' Op: {error}") from None
        raise TypeError(
            f"Input '{arg.name}' of '{op.name}' Op has type {observed} that does not match "
            "expected "
            f"type of {wanted.name}."
        ) from None


def _refuse_dtype(op: Op, arg: ArgDef, tensor: Tensor, wanted: DType) -> None:
    origin = next(
        (
            f"type {wanted.name} of argument '{other.name}'"
            for other in op.op_def.inputs
            if arg.type_attr is not None and other.type_attr == arg.type_attr and other is not arg
        ),
        f"expected type of {wanted.name}",
    )
    raise TypeError(
        f"Input '{arg.name}' of '{op.name}' Op has type {tensor.dtype.base_dtype.name} that does "
        "not "
        f"match {origin}. Received {tensor!r}; cast it with tf.cast."
    )


def _default_type(op: Op, arg: ArgDef) -> DType | None:
    """The default of the type attr: Python numbers take it where they fit."""
    if arg.type_attr is None:
        return None
    attr = op.op_def.attr(arg.type_attr)
    return attr.default if attr is not None and attr.has_default else None


def _convert_list(op: Op, arg: ArgDef, value: Any, attrs: dict[str, Any]) -> list[Tensor]:
    if isinstance(value, (Tensor, str, bytes)) or not hasattr(value, "__iter__"):
        raise TypeError(
            f"Expected list for '{arg.name}' argument to '{op.name}' Op, not {value!r}."
        )
    value = list(value)
    if arg.type_list_attr is not None:
        return _convert_heterogeneous(op, arg, value, attrs)
    wanted = arg.type if arg.type_attr is None else attrs.get(arg.type_attr)
    if wanted is None:
        # One tensor among the values decides for all of them.
        wanted = next(
            (item.dtype.base_dtype for item in value if isinstance(item, Tensor)),
            next((item.dtype.base_dtype for item in value if _has_dtype(item)), None),
        )
    tensors = []
    for index, item in enumerate(value):
        named = ArgDef(f"{arg.name}_{index}", wanted, is_ref=arg.is_ref)
        tensors.append(_convert_value(op, named, item, wanted, _default_type(op, arg)))
    base_types = {tensor.dtype.base_dtype for tensor in tensors}
    if wanted is None and tensors:
        wanted = tensors[0].dtype.base_dtype
    if len(base_types) > 1 or (base_types and wanted not in base_types):
        names = ", ".join(tensor.dtype.base_dtype.name for tensor in tensors)
        raise TypeError(
            f"Tensors in list passed to '{arg.name}' of '{op.name}' Op have types [{names}] that "
            "don't "
            f"all match{f' type {wanted.name}' if wanted else ''}."
        )
    _note_list(op, arg, tensors, wanted, attrs)
    return tensors


def _has_dtype(value: Any) -> bool:
    return isinstance(getattr(value, "dtype", None), DType)


def _note_list(
    op: Op, arg: ArgDef, tensors: list[Tensor], dtype: DType | None, attrs: dict[str, Any]
) -> None:
    if arg.number_attr is not None:
        count = attrs.setdefault(arg.number_attr, len(tensors))
        if count != len(tensors):
            raise ValueError(
                f"List argument '{arg.name}' to '{op.name}' Op with length {len(tensors)} must "
                "match "
                f"length {count} of the other lists of {arg.number_attr} tensors."
            )
        number = op.op_def.attr(arg.number_attr)
        if number is not None and number.minimum is not None and count < number.minimum:
            raise ValueError(
                f"List argument '{arg.name}' to '{op.name}' Op with length {count} shorter than "
                "minimum "
                f"length {number.minimum}."
            )
    if arg.type_attr is not None and dtype is not None:
        attrs.setdefault(arg.type_attr, dtype)


def _convert_heterogeneous(
    op: Op, arg: ArgDef, values: list[Any], attrs: dict[str, Any]
) -> list[Tensor]:
    wanted = attrs.get(arg.type_list_attr)  # type: ignore[arg-type]
    if wanted is not None and len(wanted) != len(values):
        raise ValueError(
            f"'{op.name}' Op: '{arg.name}' has {len(values)} tensors but attr "
            f"'{arg.type_list_attr}' "
            f"has {len(wanted)} types."
        )
    tensors = [
        _convert_value(op, ArgDef(f"{arg.name}_{index}"), item, wanted and wanted[index], None)
        for index, item in enumerate(values)
    ]
    assert arg.type_list_attr is not None
    attrs[arg.type_list_attr] = tuple(tensor.dtype.base_dtype for tensor in tensors)
    return tensors


# --- attributes -----------------------------------------------------------------------------------


def _complete_attrs(op: Op, kwargs: dict[str, Any], attrs: dict[str, Any]) -> None:
    """Moves the attributes of a call into `attrs`, with defaults, converted and checked."""
    for attr in op.op_def.attrs:
        if attr.name in attrs:
            kwargs.pop(attr.name, None)
            check_attr(attr, attrs[attr.name], op.name)
            continue
        value = kwargs.pop(attr.name, None)
        if value is not None:
            attrs[attr.name] = convert_attr(attr, value, op.name)
        elif attr.has_default:
            attrs[attr.name] = attr.default
        else:
            raise TypeError(f"{op.name}: missing {_describe(op, attr)}.")
    for key, value in kwargs.items():
        if not key.startswith("_"):
            raise TypeError(
                f"{op.name} has no input or attr '{key}'; inputs: "
                f"{', '.join(op.input_names) or 'none'}; "
                f"attrs: {', '.join(attr.name for attr in op.op_def.attrs) or 'none'}."
            )
        attrs[key] = value


def _describe(op: Op, attr: AttrDef) -> str:
    users = [arg.name for arg in op.op_def.inputs if attr.name in (arg.type_attr, arg.number_attr)]
    if users:
        return f"'{attr.name}': it cannot be inferred from an empty list for {', '.join(users)}"
    return f"attr '{attr.name}' of type {attr.type}"


# --- outputs --------------------------------------------------------------------------------------


_output_tuples: dict[Op, Any] = {}


def outputs_of(operation: Operation) -> Any:
    """What a call returns: the only output, a list, a namedtuple of them, or the node itself."""
    args = operation.definition.op_def.outputs
    outputs = operation.outputs
    if len(args) == 1 and not args[0].is_list:
        return outputs[0]
    if not outputs:
        return operation
    if len(args) == 1:
        return list(outputs)
    make_tuple = _output_tuples.get(operation.definition)
    if make_tuple is None:
        make_tuple = namedtuple(operation.definition.name, [arg.name for arg in args], rename=True)
        _output_tuples[operation.definition] = make_tuple
    if not any(arg.is_list for arg in args):
        return make_tuple(*outputs)
    grouped: list[Any] = []
    position = 0
    for arg in args:
        count = _arg_length(arg, operation.attrs)
        chunk = outputs[position : position + count]
        grouped.append(list(chunk) if arg.is_list else chunk[0])
        position += count
    return make_tuple(*grouped)


def _arg_length(arg: ArgDef, attrs: dict[str, Any]) -> int:
    if arg.type_list_attr is not None:
        return len(attrs[arg.type_list_attr])
    return 1 if arg.number_attr is None else attrs[arg.number_attr]


def infer_shapes(operation: Operation) -> list[TensorShape]:
    """The static shapes of a node's outputs.

    Raises:
      ShapeInferenceError: (a ValueError) the op cannot take its inputs; names node and line.
    """
    op = operation.definition
    inputs = operation._inputs
    function = op.shape_function
    if function is None:
        return [UNKNOWN] * sum(_arg_length(arg, operation.attrs) for arg in op.op_def.outputs)
    context = InferenceContext(
        op,
        operation.attrs,
        inputs,
        [tensor._shape for tensor in inputs],
        constant_value.constant_value,
        constant_value.constant_value_as_shape,
        operation.graph._producer,
    )
    try:
        shapes = function(context)
    except ShapeInferenceError as error:
        raise _located(operation, context, error) from None
    except OpError as error:
        failure = ShapeInferenceError(
            error.message, error.received, error.expected, error.remedy or ""
        )
        raise _located(operation, context, failure) from None
    return [shapes] if shapes.__class__ is TensorShape else shapes


def _located(
    operation: Operation, context: InferenceContext, error: ShapeInferenceError
) -> ShapeInferenceError:
    """The refusal with op, node, both sides and the user's line in its message."""
    received = error.received or context.received()
    parts = [f"{operation.type} '{operation.name}': {error.message.rstrip('.')}."]
    if received:
        parts.append(
            f"Received {received}" + (f"; expected {error.expected}." if error.expected else ".")
        )
    if error.remedy:
        parts.append(error.remedy)
    site = creation_site(operation)
    if site:
        parts.append(f"Created at {site}")
    return ShapeInferenceError(" ".join(parts), received, error.expected, error.remedy)


def propagate_handle_data(operation: Operation) -> None:
    """Resource handles carry dtype and shape of their value through ops that pass them on."""
    for index, tensor in enumerate(operation.outputs):
        if tensor._dtype is not dtypes.resource or tensor._handle_data is not None:
            continue
        dtype = operation.attrs.get("dtype", dtypes.resource)  # a placeholder's: of the handle
        if "shape" in operation.attrs and dtype is not dtypes.resource:
            tensor._handle_data = (dtype, operation.attrs["shape"])
        elif operation._inputs and (
            operation.definition.aliases or operation.definition.control_flow
        ):
            source = operation._inputs[min(index, len(operation._inputs) - 1)]
            if operation.definition.control_flow in ("switch", "merge"):
                source = operation._inputs[0]
            tensor._handle_data = source._handle_data
