"""Spectra rolled so that frequency 0 is in the middle, and back."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.gather_ops import gather
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.reverse_ops import roll
from featherflow.ops.shape_ops import rank as rank_of
from featherflow.ops.shape_ops import shape as shape_of


@export("signal.fftshift")
def fftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """Rolls each of `axes` by half its size, rounded down: frequency 0 comes to the middle.

    Args:
      x: a tensor.
      axes: a dimension or several; all by default.
      name: of the node.
    Returns:
      A tensor like `x`.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.signal.fftshift([0, 1, 2, -2, -1])).tolist()
    [-2, -1, 0, 1, 2]
    """
    return _shifted(x, axes, name, "fftshift", 1)


@export("signal.ifftshift")
def ifftshift(x: Any, axes: Any = None, name: str | None = None) -> Tensor:
    """The inverse of `fftshift`."""
    return _shifted(x, axes, name, "ifftshift", -1)


def _shifted(x: Any, axes: Any, name: str | None, default_name: str, sign: int) -> Tensor:
    with op_scope(name, default_name, [x]) as scope:
        x = convert_to_tensor(x)
        rank: Any = rank_of(x)
        if axes is None:
            places: Any = range_(rank)
        else:
            places = reshape(convert_to_tensor(axes, dtypes.int32), [-1])
        sizes: Any = gather(shape_of(x), (places + rank) % rank)
        return roll(x, sizes // 2 * sign, places, name=scope)
