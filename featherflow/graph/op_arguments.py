"""The arguments of a call of an op: values become tensors, and give the attributes they imply.

Graphs and eager execution read calls alike; what differs is what a conversion makes: a node, or a
value.
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.op import Op
from featherflow.framework.op_def import ArgDef, AttrDef, check_attr, convert_attr
from featherflow.framework.tensor_conversion import convert
from featherflow.graph.tensor import Tensor


def values_by_position(op: Op, args: Sequence[Any], kwargs: dict[str, Any]) -> list[Any]:
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


def given_types(op: Op, kwargs: dict[str, Any]) -> dict[str, Any]:
    """The type attributes that a call gives by name."""
    return {
        attr.name: convert_attr(attr, kwargs[attr.name], op.name)
        for attr in op.op_def.attrs
        if attr.type == "type" and kwargs.get(attr.name) is not None
    }


def convert_arguments(op: Op, values: Sequence[Any], attrs: dict[str, Any]) -> list[Tensor]:
    """The inputs as a flat list of tensors; the attributes they imply go into `attrs`."""
    inputs: list[Tensor] = []
    for arg, value in zip(op.op_def.inputs, values):
        if arg.is_list:
            inputs.extend(convert_list(op, arg, value, attrs))
        else:
            inputs.append(convert_single(op, arg, value, attrs))
    return inputs


# --- inputs ---------------------------------------------------------------------------------------


def convert_single(op: Op, arg: ArgDef, value: Any, attrs: dict[str, Any]) -> Tensor:
    wanted = arg.type if arg.type_attr is None else attrs.get(arg.type_attr)
    if isinstance(value, Tensor) and not arg.is_ref:
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


def convert_list(op: Op, arg: ArgDef, value: Any, attrs: dict[str, Any]) -> list[Tensor]:
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


def complete_attrs(op: Op, kwargs: dict[str, Any], attrs: dict[str, Any]) -> None:
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


def in_groups(op: Op, attrs: dict[str, Any], outputs: Sequence[Any]) -> Any:
    """What a call returns: the only output, a list, or a namedtuple of them; None for none."""
    args = op.op_def.outputs
    if len(args) == 1:
        return list(outputs) if args[0].is_list else outputs[0]
    if not outputs:
        return None
    make_tuple = _output_tuples.get(op)
    if make_tuple is None:
        make_tuple = namedtuple(op.name, [arg.name for arg in args], rename=True)
        _output_tuples[op] = make_tuple
    if not any(arg.is_list for arg in args):
        return make_tuple(*outputs)
    grouped: list[Any] = []
    position = 0
    for arg in args:
        count = arg_length(arg, attrs)
        chunk = outputs[position : position + count]
        grouped.append(list(chunk) if arg.is_list else chunk[0])
        position += count
    return make_tuple(*grouped)


def arg_length(arg: ArgDef, attrs: dict[str, Any]) -> int:
    if arg.type_list_attr is not None:
        return len(attrs[arg.type_list_attr])
    return 1 if arg.number_attr is None else attrs[arg.number_attr]
