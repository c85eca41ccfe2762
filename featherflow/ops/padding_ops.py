"""PadV2 and MirrorPad, and `tf.pad`."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import mirror_pad as kernels
from featherflow.ops.core_array_ops import Pad, check_paddings, pad_gradient, pad_shape, pad_with
from featherflow.ops.pack_ops import partial_value

# --- PadV2 ----------------------------------------------------------------------------------------

PadV2 = define_op(
    "PadV2",
    inputs=("input: T", "paddings: Tpaddings", "constant_values: T"),
    outputs=("output: T",),
    attrs=("T: type", "Tpaddings: {int32, int64} = int32"),
)
PadV2.shape_fn(pad_shape)


@PadV2.kernel("CPU")
def _pad_v2_cpu(input: np.ndarray, paddings: np.ndarray, constant_values: np.ndarray) -> np.ndarray:
    if constant_values.ndim:
        raise InvalidArgumentError(
            None,
            None,
            "constant_values must be a scalar",
            received=f"shape {list(constant_values.shape)}",
        )
    return pad_with(input, paddings, constant_values)


@PadV2.compile_rule
def _pad_v2_compile(c: Any, input: Any, paddings: Any, constant_values: Any) -> Any:
    c.require(not constant_values.rank, "no scalar")
    return c.pad(input, c.known(paddings).tolist(), c.known(constant_values).item())


@PadV2.gradient
def _pad_v2_grad(op: Any, grad: Tensor) -> tuple[Tensor, None, None]:
    return pad_gradient(op, grad), None, None


# --- MirrorPad ------------------------------------------------------------------------------------

_MIRROR_ATTRS = (
    "T: type",
    "Tpaddings: {int32, int64} = int32",
    "mode: {'REFLECT', 'SYMMETRIC'}",
)

MirrorPad = define_op(
    "MirrorPad",
    inputs=("input: T", "paddings: Tpaddings"),
    outputs=("output: T",),
    attrs=_MIRROR_ATTRS,
)
MirrorPad.shape_fn(pad_shape)


@MirrorPad.kernel("CPU")
def _mirror_pad_cpu(input: np.ndarray, paddings: np.ndarray, *, mode: str) -> np.ndarray:
    check_paddings(input, paddings)
    return kernels.mirror_pad(input, paddings.tolist(), mode)


@MirrorPad.gradient
def _mirror_pad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return MirrorPadGrad(grad, op.inputs[1], mode=op.attrs["mode"]), None


# --- MirrorPadGrad --------------------------------------------------------------------------------

MirrorPadGrad = define_op(
    "MirrorPadGrad",
    inputs=("input: T", "paddings: Tpaddings"),
    outputs=("output: T",),
    attrs=_MIRROR_ATTRS,
)


@MirrorPadGrad.shape_fn
def _mirror_pad_grad_shape(c: InferenceContext) -> TensorShape:
    dims = c.shapes[0]._dims
    paddings = c.constant(1)
    rows, columns = c.dims(1, 2)
    c.merge_dim(columns, 2)
    known_rank = c.merge_dim(None if dims is None else len(dims), rows)
    if known_rank is None or (paddings is None and rows is None):
        return UNKNOWN
    if dims is None or paddings is None:
        return TensorShape._of((None,) * known_rank)
    if np.any(paddings < 0):
        c.fail("Paddings must be non-negative", received=f"paddings {paddings.tolist()}")
    left = [None if dim is None else dim - int(pair.sum()) for dim, pair in zip(dims, paddings)]
    if any(dim is not None and dim < 0 for dim in left):
        c.fail(
            "Paddings must leave something of the input",
            received=f"input {c.shapes[0]}, paddings {paddings.tolist()}",
        )
    return TensorShape._of(tuple(left))


@MirrorPadGrad.kernel("CPU")
def _mirror_pad_grad_cpu(input: np.ndarray, paddings: np.ndarray, *, mode: str) -> np.ndarray:
    check_paddings(input, paddings)
    return kernels.mirror_pad_grad(input, paddings.tolist(), mode)


@MirrorPadGrad.gradient
def _mirror_pad_grad_grad(op: Any, grad: Tensor) -> tuple[Tensor, None]:
    return MirrorPad(grad, op.inputs[1], mode=op.attrs["mode"]), None


# --- tf.pad ---------------------------------------------------------------------------------------


@export_v1("pad")
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """`tensor` with elements added at its edges.

    Args:
      tensor: a tensor of rank R.
      paddings: [R, 2], how many elements come before and after along each dimension.
      mode: "CONSTANT" adds `constant_values`, "REFLECT" mirror images without the edge,
        "SYMMETRIC" mirror images with it. Lower case will do.
      name: of the node.
      constant_values: a scalar.
    Returns:
      A tensor.
    Raises:
      ValueError: there is no such mode.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.pad([1, 2, 3], [[2, 1]], "REFLECT")).tolist()
    [3, 2, 1, 2, 3, 2]
    """
    upper = mode.upper()
    if upper == "CONSTANT":
        # A zero that is given as a number needs no input of its own.
        if not isinstance(constant_values, Tensor) and np.all(constant_values == 0):
            result = Pad(tensor, paddings, name=name)
        else:
            result = PadV2(tensor, paddings, constant_values, name=name)
    elif upper in ("REFLECT", "SYMMETRIC"):
        result = MirrorPad(tensor, paddings, mode=upper, name=name)
    else:
        raise ValueError(
            'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {mode}'
        )
    _refine_shape(result)
    return result


def _refine_shape(padded: Tensor) -> None:
    """Tells the sizes of which the paddings are known, where others are not."""
    if padded.__class__ is not Tensor:
        return
    dims = padded.op.inputs[0].shape._dims
    if dims is None or padded.shape.is_fully_defined():
        return
    paddings = partial_value(padded.op.inputs[1])
    if paddings is None:
        return
    padded.set_shape([_padded_size(dim, pair) for dim, pair in zip(dims, paddings)])


def _padded_size(dim: int | None, pair: Any) -> int | None:
    if dim is None or pair is None or any(item is None for item in pair):
        return None
    return dim + int(sum(pair))


@export("pad")
def pad_v2(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    constant_values: Any = 0,
    name: str | None = None,
) -> Tensor:
    """`pad` with TF2's order of arguments."""
    return pad(tensor, paddings, mode, name, constant_values)
