"""Transposed convolution: the gradient of a convolution's input, used as a layer of its own.

output = the image whose convolution with the filters has `input` as the gradient of its output
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.framework.exports import export, export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.kernels.windows import is_channels_first
from featherflow.ops.conv3d_ops import conv3d_transpose
from featherflow.ops.conv_ops import Conv2DBackpropInput
from featherflow.ops.core_array_ops import concat
from featherflow.ops.reshape_ops import expand_dims, renamed_argument, squeeze
from featherflow.ops.shape_ops import shape
from featherflow.ops.space_ops import batch_to_space, space_to_batch
from featherflow.ops.window_shapes import per_dimension, split_padding

# --- images ---------------------------------------------------------------------------------------


@export_v1("nn.conv2d_transpose")
def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """The transpose of `conv2d`: every input element adds its multiple of the filters.

        output[n, s·i + d·p, s·j + d·q, k] += value[n, i, j, c] · filter[p, q, k, c]

    Args:
      value: `[N, H, W, C]`, or `[N, C, H, W]` with `data_format="NCHW"`.
      filter: `[KH, KW, K, C]`, dtype of `value`.
      output_shape: of the result, int32 `[4]`; a convolution of it must have the shape of `value`.
      strides: s; one int, one per spatial dimension, or one per dimension.
      padding: of that convolution: "SAME", "VALID", or a list of (before, after) for each
        dimension.
      data_format: "NHWC" or "NCHW".
      name: of the node.
      input, filters: other names of `value` and `filter`.
      dilations: d; forms as for `strides`.
    Returns:
      A tensor of shape `output_shape`, dtype of `value`.
    Raises:
      ValueError: channels do not fit.
      InvalidArgumentError: no convolution of `output_shape` has the shape of `value`.

    See: Dumoulin & Visin 2016, section 4.

    >>> import featherflow as tf
    >>> one = tf.ones([1, 1, 1, 1])
    >>> with tf.Session() as sess:
    ...     y = tf.nn.conv2d_transpose(one, tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 2, "VALID")
    ...     sess.run(y)[0, :, :, 0].tolist()
    [[1.0, 1.0], [1.0, 1.0]]
    """
    value = renamed_argument("input", input, "value", value)
    filter = renamed_argument("filters", filters, "filter", filter)
    with op_scope(name, "conv2d_transpose", [value, filter, output_shape]) as scope:
        data_format = data_format or "NHWC"
        padding, explicit_paddings = split_padding(padding)
        return Conv2DBackpropInput(
            output_shape,
            filter,
            value,
            strides=per_dimension(strides, "strides", data_format),
            padding=padding,
            explicit_paddings=explicit_paddings,
            data_format=data_format,
            dilations=per_dimension(dilations, "dilations", data_format),
            name=scope,
        )


@export("nn.conv2d_transpose")
def conv2d_transpose_v2(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv2d_transpose` with TF2's arguments."""
    return conv2d_transpose(
        input, filters, output_shape, strides, padding, data_format, name, dilations=dilations
    )


@export("nn.atrous_conv2d_transpose")
def atrous_conv2d_transpose(
    value: Any,
    filters: Any,
    output_shape: Any,
    rate: int,
    padding: str,
    name: str | None = None,
) -> Tensor:
    """The transpose of `atrous_conv2d`, made of space_to_batch and an ordinary transpose.

    Args:
      value: `[N, H, W, C]`.
      filters: `[KH, KW, K, C]`.
      output_shape: of the result, four ints or int32 `[4]`.
      rate: the dilation, an int.
      padding: "SAME" or "VALID".
      name: of the scope of the nodes.
    Returns:
      A tensor of shape `output_shape`, dtype of `value`.
    Raises:
      ValueError: channels do not fit, or `rate` is not positive.
    """
    with op_scope(name, "atrous_conv2d_transpose", [value, filters, output_shape]):
        value = convert_to_tensor(value, name="value")
        filters = convert_to_tensor(filters, name="filters")
        if not value.shape.with_rank(4)[3].is_compatible_with(filters.shape.with_rank(4)[3]):
            raise ValueError(
                "`value` must have as many channels as `filters` have in their last dimension. "
                f"Received: value of shape {value.shape}, filters of shape {filters.shape}"
            )
        if rate < 1:
            raise ValueError(f"`rate` cannot be less than one. Received: rate={rate}")
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, [1, 1, 1, 1], padding)
        sizes: Any = convert_to_tensor(output_shape, name="output_shape")
        if isinstance(output_shape, Sequence):
            sizes = output_shape
        pads = _dilated_pads(filters, rate, padding)
        padded = [sizes[axis + 1] + before + after for axis, (before, after) in enumerate(pads)]
        extra = [(rate - size % rate) % rate for size in padded]
        batched = space_to_batch(
            input=value, paddings=[[0, missing] for missing in extra], block_size=rate
        )
        batch = rate * rate * sizes[0]
        inner = [(size + missing) // rate for size, missing in zip(padded, extra)]
        transposed = Conv2DBackpropInput(
            [batch, *inner, sizes[3]],
            filters,
            batched,
            strides=[1, 1, 1, 1],
            padding="VALID",
        )
        crops = [[before, after + missing] for (before, after), missing in zip(pads, extra)]
        return batch_to_space(input=transposed, crops=crops, block_size=rate)


def _dilated_pads(filters: Tensor, rate: int, padding: str) -> list[tuple[Any, Any]]:
    """(before, after) of height and width that a dilated convolution pads its input by."""
    if padding == "VALID":
        return [(0, 0), (0, 0)]
    if padding != "SAME":
        raise ValueError(f"`padding` must be either VALID or SAME. Received: padding={padding}")
    window: Any = filters.shape.as_list()[:2]
    if None in window:
        window = shape(filters)
    totals = [window[axis] - 1 + (window[axis] - 1) * (rate - 1) for axis in range(2)]
    return [(total // 2, total - total // 2) for total in totals]


# --- sequences, and any number of dimensions ------------------------------------------------------


@export("nn.conv1d_transpose")
def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: str = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """The transpose of `conv1d`.

    Args:
      input: `[N, W, C]`, or `[N, C, W]` with `data_format="NCW"`.
      filters: `[W, K, C]`, dtype of `input`.
      output_shape: of the result, int32 `[3]`.
      strides, dilations: an int, `[s]`, or one per dimension.
      padding: "SAME" or "VALID".
      data_format: "NWC" or "NCW".
      name: of the node.
    Returns:
      A tensor of shape `output_shape`, dtype of `input`.
    """
    with op_scope(name, "conv1d_transpose", [input, filters, output_shape]) as scope:
        layout = data_format or "NWC"
        height = 2 if is_channels_first(layout) else 1
        images = expand_dims(input, height)
        rows = expand_dims(filters, 0)
        sizes = list(output_shape) if isinstance(output_shape, tuple) else output_shape
        transposed = Conv2DBackpropInput(
            concat([sizes[:height], [1], sizes[height:]], 0),
            rows,
            images,
            strides=[1, *per_dimension(strides, "strides", layout, spatial=1)],
            padding=padding,
            data_format="NCHW" if height == 2 else "NHWC",
            dilations=[1, *per_dimension(dilations, "dilations", layout, spatial=1)],
            name=scope,
        )
        return squeeze(transposed, [height])


@export("nn.conv_transpose")
def conv_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = None,
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """`conv1d_transpose`, `conv2d_transpose` or `conv3d_transpose`: as `output_shape` is long.

    Args:
      input, filters, strides, padding, data_format, dilations, name: as for these.
      output_shape: of the result; its length must be known.
    Raises:
      ValueError: there are not 1, 2 or 3 spatial dimensions.
    """
    with op_scope(name, "conv_transpose", [input, filters, output_shape]) as scope:
        if isinstance(output_shape, Tensor):
            length = output_shape.shape.num_elements()
        else:
            length = np.size(output_shape)
        transposes = {3: conv1d_transpose, 4: conv2d_transpose_v2, 5: conv3d_transpose}
        if length not in transposes:
            raise ValueError(
                f"output_shape must hold 3, 4 or 5 sizes. Received: output_shape={output_shape}"
            )
        return transposes[length](
            input, filters, output_shape, strides, padding, data_format, dilations, scope
        )
