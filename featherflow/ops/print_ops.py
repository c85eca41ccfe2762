"""Printing when the graph runs: Print, PrintV2 and StringFormat."""

from __future__ import annotations

import logging
import os
import pprint
import random
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes, nest
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.op_kernel import OpKernel
from featherflow.framework.shape_inference import (
    InferenceContext,
    no_outputs,
    unchanged_shape,
)
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.kernels.value_text import formatted, summary

logger = logging.getLogger("featherflow")

# --- Print ----------------------------------------------------------------------------------------

Print = define_op(
    "Print",
    inputs=("input: T", "data: U"),
    outputs=("output: T",),
    attrs=(
        "T: type",
        "U: list(type) >= 0",
        "message: string = ''",
        "first_n: int = -1",
        "summarize: int = 3",
    ),
    is_stateful=True,
    aliases=True,
)
Print.shape_fn(unchanged_shape)


@Print.kernel("CPU")
class _PrintCpu(OpKernel):
    """Counts how often it has printed."""

    def __init__(self, node: Any) -> None:
        super().__init__(node)
        self._count = 0

    def compute(self, ctx: Any, input: np.ndarray, *data: np.ndarray) -> np.ndarray:
        attrs = self.node.attrs
        if not 0 <= attrs["first_n"] <= self._count:
            self._count += 1
            values = "".join(f"[{summary(item, attrs['summarize'])}]" for item in data)
            sys.stderr.write(f"{attrs['message']}{values}\n")
        return input


@Print.gradient
def _print_grad(op: Operation, grad: Tensor) -> list[Tensor | None]:
    return [grad, *[None] * (len(op.inputs) - 1)]


@export_v1("Print")
def print_v1(
    input_: Any,
    data: Sequence[Any],
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`input_`; prints `data` to standard error whenever it is computed.

    Args:
      input_: a tensor, which is passed through.
      data: a list of tensors to print.
      message: printed before them.
      first_n: prints so many times only; None is always.
      summarize: the number of elements of each tensor to print; None is 3, −1 is all.
      name: of the node.
    Returns:
      A tensor of the same values as `input_`.
    """
    return Print(
        input_, list(data), message=message, first_n=first_n, summarize=summarize, name=name
    )


# --- StringFormat ---------------------------------------------------------------------------------

StringFormat = define_op(
    "StringFormat",
    inputs=("inputs: T",),
    outputs=("output: string",),
    attrs=(
        "T: list(type) >= 0",
        "template: string = '%s'",
        "placeholder: string = '%s'",
        "summarize: int = 3",
    ),
)


@StringFormat.shape_fn
def _string_format_shape(c: InferenceContext) -> TensorShape:
    places = str(c.attrs["template"]).count(c.attrs["placeholder"])
    if places != len(c.shapes):
        c.fail(
            "num placeholders in template and num inputs must match",
            received=f"{places} placeholders '{c.attrs['placeholder']}' and {len(c.shapes)} inputs",
        )
    return SCALAR


@StringFormat.kernel("CPU")
def _string_format_cpu(
    *inputs: np.ndarray, template: str, placeholder: str, summarize: int
) -> np.ndarray:
    first, *rest = template.split(placeholder)
    pairs = zip(inputs, rest)
    text = first + "".join(f"{formatted(item, summarize)}{part}" for item, part in pairs)
    return np.array(text.encode("utf-8", "surrogateescape"), dtype=object)


StringFormat.without_gradient("it makes strings")


@export("strings.format")
def format_(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """`template` with the text of a tensor in the place of each placeholder.

    Args:
      template: a string.
      inputs: a tensor or a list of tensors, one for each placeholder.
      placeholder: what they take the place of.
      summarize: the number of items at each end of a dimension to print; −1 is all.
      name: of the node.
    Returns:
      A scalar of string.
    Raises:
      ValueError: the numbers of tensors and placeholders differ.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.strings.format("x = {}", tf.constant([1.5, 2.0]))))
    b'x = [1.5 2]'
    """
    values = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    places = template.count(placeholder)
    if places != len(values):
        raise ValueError(
            f"The template expects {places} tensors, but the inputs only has {len(values)}. Please "
            "ensure the number of placeholders in template matches inputs length."
        )
    return StringFormat(
        values, template=template, placeholder=placeholder, summarize=summarize, name=name
    )


# --- PrintV2 --------------------------------------------------------------------------------------

PrintV2 = define_op(
    "PrintV2",
    inputs=("input: string",),
    attrs=("output_stream: string = 'stderr'", "end: string = '\\n'"),
    is_stateful=True,
    touches_world=True,
)
PrintV2.shape_fn(no_outputs)

_LEVELS = {
    "log(info)": logging.INFO,
    "log(warning)": logging.WARNING,
    "log(error)": logging.ERROR,
}
_FILE = "file://"


@PrintV2.kernel("CPU")
def _print_v2_cpu(input: np.ndarray, *, output_stream: str, end: str) -> None:
    if input.ndim:
        raise InvalidArgumentError(
            None, None, "Input is expected to be scalar", received=f"shape {list(input.shape)}"
        )
    text = input.item().decode("utf-8", "backslashreplace")
    if output_stream in _LEVELS:
        logger.log(_LEVELS[output_stream], "%s", text)
    elif output_stream.startswith(_FILE):
        with open(output_stream[len(_FILE) :], "a", encoding="utf-8") as file:
            file.write(text + end)
    elif output_stream in ("stdout", "stderr"):
        stream = getattr(sys, output_stream)
        stream.write(text + end)
        stream.flush()
    else:
        raise InvalidArgumentError(
            None,
            None,
            f"Unknown output stream '{output_stream}'",
            expected=f"stdout, stderr, {', '.join(_LEVELS)} or {_FILE}PATH",
        )


PrintV2.without_gradient("it has no outputs")


@export("print")
def print_(*inputs: Any, **kwargs: Any) -> Operation:
    """An operation that prints `inputs`: tensors with the values that they have in the run.

    Args:
      *inputs: tensors, Python values, and nests of these.
      output_stream: (keyword) sys.stdout, sys.stderr (the default), a function or level of
        tf.logging, or "file://PATH" to append to a file.
      summarize: (keyword) the number of items at each end of a dimension to print; −1 is all.
      sep: (keyword) printed between inputs.
      end: (keyword) printed at the end.
      name: (keyword) of the node.
    Returns:
      An Operation; nothing is printed unless it is run.
    Raises:
      ValueError: a keyword or stream is not known.

    >>> import sys
    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     session.run(tf.print("x:", tf.constant([1, 2, 3]), output_stream=sys.stdout))
    x: [1 2 3]
    """
    stream = _stream_name(kwargs.pop("output_stream", sys.stderr))
    name = kwargs.pop("name", None)
    summarize = kwargs.pop("summarize", 3)
    separator = kwargs.pop("sep", " ")
    end = kwargs.pop("end", os.linesep)
    if kwargs:
        raise ValueError(f"Unrecognized keyword arguments for tf.print: {kwargs}")
    text = _single_string(inputs)
    if text is None:
        text = _formatted_inputs(inputs, 3 if summarize is None else summarize, separator, name)
    return PrintV2(text, output_stream=stream, end=end, name=name)


def _stream_name(stream: Any) -> str:
    names = {sys.stdout: "stdout", sys.stderr: "stderr"}
    levels = {logging.INFO: "info", logging.WARNING: "warning", logging.ERROR: "error"}
    if isinstance(stream, str):
        if stream.startswith(_FILE):
            return stream
    elif isinstance(stream, int) and stream in levels:
        return f"log({levels[stream]})"
    elif (name := getattr(stream, "__name__", "")) in levels.values():
        return f"log({name})"
    elif stream in names:
        return names[stream]
    raise ValueError(
        f"Unsupported output stream, logging level, or file.{stream}. Supported streams are "
        "sys.stdout, sys.stderr, tf.logging.info, tf.logging.warning, tf.logging.error. File needs "
        "to be in the form of 'file://<filepath>'."
    )


def _single_string(inputs: Sequence[Any]) -> Tensor | None:
    """The only input if it is a scalar of string, which needs no formatting."""
    if len(inputs) == 1 and isinstance(inputs[0], Tensor):
        tensor = inputs[0]
        if tensor.dtype is dtypes.string and tensor.shape.rank == 0:
            return tensor
    return None


class _Place:
    """Stands for a tensor while a nest is turned into text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


def _formatted_inputs(
    inputs: Sequence[Any], summarize: int, separator: str, name: str | None
) -> Tensor:
    placeholder = _unused_placeholder(inputs)
    tensors: list[Tensor] = []

    def as_place(leaf: Any) -> Any:
        if not isinstance(leaf, Tensor) and not hasattr(leaf, "_as_graph_element"):
            return leaf
        tensors.append(convert_to_tensor(leaf))
        return _Place(placeholder)

    parts = []
    for item in inputs:
        replaced = nest.map_structure(as_place, item)
        parts.append(replaced if isinstance(replaced, str) else pprint.pformat(replaced))
    return format_(
        separator.join(parts),
        tensors,
        placeholder=placeholder,
        summarize=summarize,
        name=f"{name}_format" if name else None,
    )


def _unused_placeholder(inputs: Sequence[Any]) -> str:
    """A placeholder that no string among the inputs holds."""
    placeholder = "{}"
    digits = random.Random(5)  # the same graph for the same program
    strings = [leaf for leaf in nest.flatten(list(inputs)) if isinstance(leaf, str)]
    while any(placeholder in text for text in strings):
        placeholder += str(digits.randint(0, 9))
    return placeholder
