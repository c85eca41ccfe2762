"""What pooling ops share: the static shape of their output, and where their windows lie in a run.

Windows and strides have one entry for every dimension, so both layouts are the same code.
"""

from __future__ import annotations

from collections.abc import Sequence

from featherflow.framework.errors import InvalidArgumentError, UnimplementedError
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.windows import Pads, is_channels_first, paired, resolve_pads
from featherflow.ops.window_shapes import explicit_pads, window_dim


def pooled_shape(c: InferenceContext) -> TensorShape:
    """The static shape of a pool of input 0 with windows and strides from the attributes."""
    return windowed_shape(c, c.attrs["ksize"], c.attrs["strides"])


def windowed_shape(
    c: InferenceContext, ksize: Sequence[int], strides: Sequence[int], *, over_channels: bool = True
) -> TensorShape:
    """The static shape of a pool of input 0.

    Args:
      ksize, strides: one entry per dimension.
      over_channels: whether windows may reach over channels, as those of a maximum may.
    """
    # In "NCHW_VECT_C" a last dimension holds vectors of channels.
    layout, _, packed = c.attrs.get("data_format", "NHWC").partition("_")
    rank = len(layout)
    dims = c.dims(0, rank + bool(packed))
    for name, values in (("ksize", ksize), ("strides", strides)):
        if len(values) != rank:
            c.fail(f"{c.op.name} requires {rank} values in {name}", received=f"{name} {values}")
    channel_axis = 1 if is_channels_first(layout) else rank - 1
    is_volume = rank == 5 and ksize[channel_axis] == 1
    fixed = {0} if over_channels and not is_volume else {0, channel_axis}
    outputs = (
        size
        if axis in fixed
        else window_dim(c, size, ksize[axis], strides[axis], 1, c.attrs["padding"], pads)
        for axis, (size, pads) in enumerate(zip(dims, explicit_pads(c, rank)))
    )
    return TensorShape._of((*outputs, *dims[rank:]))


def pool_pads(
    shape: Sequence[int],
    ksize: Sequence[int],
    strides: Sequence[int],
    padding: str,
    explicit_paddings: Sequence[int] = (),
) -> Pads:
    """The pads of every dimension of an array of `shape`.

    Raises:
      InvalidArgumentError: the array has another rank, or a window is not positive.
      UnimplementedError: a window reaches over the batch.
    """
    if len(shape) != len(ksize):
        raise InvalidArgumentError(
            None,
            None,
            f"Input must be {len(ksize)}-dimensional",
            received=f"shape {list(shape)}",
        )
    for name, values in (("ksize", ksize), ("strides", strides)):
        if min(values) <= 0:
            raise InvalidArgumentError(
                None,
                None,
                f"Sliding window {name} must be positive",
                received=f"{name} {list(values)}",
            )
    if ksize[0] != 1 or strides[0] != 1:
        raise UnimplementedError(
            None,
            None,
            "Pooling is not yet supported on the batch dimension",
            received=f"ksize {list(ksize)}, strides {list(strides)}",
            expected="1 as the first of each",
        )
    return resolve_pads(padding, shape, ksize, strides, explicit=paired(explicit_paddings))


def refuse_channel_windows(ksize: Sequence[int], strides: Sequence[int], data_format: str) -> None:
    """Raises UnimplementedError if windows reach over channels: means do not."""
    axis = 1 if is_channels_first(data_format) else -1
    if ksize[axis] != 1 or strides[axis] != 1:
        raise UnimplementedError(
            None,
            None,
            "Average pooling is not supported on the channel dimension",
            received=f"ksize {list(ksize)}, strides {list(strides)}, {data_format}",
            expected="1 for channels",
        )
