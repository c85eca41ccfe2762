"""Ops and kernels of users: the same objects as the library's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from featherflow.framework.errors import UnimplementedError
from featherflow.framework.exports import export
from featherflow.framework.op import Op, define_op, get_op
from featherflow.framework.source_location import caller_location


@export("register_op")
def register_op(
    name: str,
    *,
    inputs: Iterable[str] = (),
    outputs: Iterable[str] = (),
    attrs: Iterable[str] = (),
    shape_fn: Callable[..., Any] | None = None,
    is_stateful: bool = False,
    **facts: Any,
) -> Op:
    """Defines an op; calls of the result add nodes of it.

    Args:
      name: of the op, CamelCase.
      inputs, outputs: such as `"x: T"`, `"values: N * T"`, `"size: int32"`.
      attrs: such as `"T: {float32, float64}"`, `"N: int >= 1"`, `"alpha: float = 0.2"`.
      shape_fn: `function(c) -> TensorShape` or a list of them; None leaves shapes unknown. See
        `framework/shape_inference.py::InferenceContext`.
      is_stateful: whether it has state or an effect.
      facts: `elementwise`, `aliases`, …; see `framework/op.py::Op`.
    Returns:
      The Op: hang kernels and a gradient on it with its decorators, or with `tf.register_kernel`
      and `tf.RegisterGradient`.
    Raises:
      ValueError: the name is taken; the message says where.

    >>> import featherflow as tf
    >>> Halve = tf.register_op("DocHalve", inputs=["x: T"], outputs=["y: T"],
    ...                        attrs=["T: {float32, float64}"], shape_fn=lambda c: c.shapes[0])
    >>> @tf.register_kernel("DocHalve")
    ... def halve(x):
    ...     return x / 2
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     print(sess.run(Halve(tf.constant([2.0, 4.0]))))
    [1. 2.]
    """
    op = define_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=attrs,
        is_stateful=is_stateful,
        location=caller_location(),
        **facts,
    )
    if shape_fn is not None:
        op.shape_fn(shape_fn)
    return op


@export("register_kernel")
def register_kernel(
    op_name: str,
    device_type: str = "CPU",
    *,
    label: str = "",
    priority: int = 0,
    **types: Any,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that registers a kernel of an op.

    Args:
      op_name: the op.
      device_type: "CPU", "GPU".
      label: a kernel with a label runs only where `_kernel` asks for it.
      priority: among kernels that fit, the highest wins.
      types: dtypes for each type attr, `T=(tf.float32, tf.float64)`.
    Returns:
      A decorator of the kernel: a function of the inputs (attributes as keyword-only parameters),
      or a subclass of `framework/op_kernel.py::OpKernel`.
    Raises:
      NotFoundError: there is no such op.
      ValueError: a kernel for the same device, dtypes, label and priority is registered.
    """
    return get_op(op_name).kernel(device_type, label=label, priority=priority, **types)


@export("load_op_library")
def load_op_library(library_filename: str) -> NoReturn:
    """Refuses: op libraries are compiled against TensorFlow's C++ classes.

    Raises:
      UnimplementedError: always; says what to do instead.
    """
    raise UnimplementedError(
        None,
        None,
        f"Cannot load '{library_filename}': an op library holds C++ kernels built against "
        "TensorFlow's own classes, which featherflow does not have",
        remedy="Write the op in Python: tf.register_op, tf.register_kernel, tf.RegisterGradient "
        "(docs/adding_an_op.md).",
    )
