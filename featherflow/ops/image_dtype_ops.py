"""Images in another dtype, with the range of their values."""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import multiply
from featherflow.ops.cast_ops import cast
from featherflow.ops.clip_ops import saturate_cast
from featherflow.ops.identity_ops import identity


@export("image.convert_image_dtype")
def convert_image_dtype(
    image: Any, dtype: Any, saturate: bool = False, name: str | None = None
) -> Tensor:
    """Images in another dtype: 1 as a float stands for the largest integer of a dtype.

    Args:
      image: of any shape, floats or integers.
      dtype: of the result, a float or integer type.
      saturate: values that the dtype cannot hold become the nearest that it can; else they wrap.
      name: of the result.
    Returns:
      The same shape.
    Raises:
      AttributeError: a dtype is neither a float nor an integer type.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.image.convert_image_dtype([0.0, 0.5, 1.0], tf.uint8)).tolist()
    [0, 127, 255]
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError("dtype must be either floating point or integer")
    if not image.dtype.is_floating and not image.dtype.is_integer:
        raise AttributeError("image dtype must be either floating point or integer")
    if dtype == image.dtype:
        return identity(image, name=name)
    with op_scope(name, "convert_image", [image]) as scope:
        if image.dtype.is_integer and dtype.is_integer:
            return _between_integers(image, dtype, saturate, scope)
        if image.dtype.is_floating and dtype.is_floating:
            return cast(image, dtype, name=scope)
        if image.dtype.is_integer:
            return multiply(cast(image, dtype), 1.0 / image.dtype.max, name=scope)
        # Half more than the largest, so that each integer stands for an equal share of [0, 1].
        scaled: Any = multiply(image, dtype.max + 0.5)
        return _cast(scaled, dtype, saturate, scope)


def _between_integers(image: Any, dtype: DType, saturate: bool, scope: str) -> Tensor:
    """Multiplies or divides by a power of two, the quotient of the ranges."""
    before, after = image.dtype.max + 1, dtype.max + 1
    if before > after:
        return _cast(image // (before // after), dtype, saturate, scope)
    converted = _cast(image, dtype, saturate, None)
    return multiply(converted, after // before, name=scope)


def _cast(image: Tensor, dtype: DType, saturate: bool, name: str | None) -> Tensor:
    return saturate_cast(image, dtype, name=name) if saturate else cast(image, dtype, name=name)


def as_working_float(image: Any) -> tuple[Tensor, DType]:
    """Images as float32 or float16, in which colours are adjusted, and the dtype that they had."""
    image = convert_to_tensor(image, name="image")
    if image.dtype in (dtypes.float16, dtypes.float32):
        return image, image.dtype
    return convert_image_dtype(image, dtypes.float32), image.dtype
