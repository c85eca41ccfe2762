# ruff: noqa
"""tf.image: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.image_resize_ops import resize_area as resize_area
    from featherflow.ops.image_resize_ops import resize_bicubic as resize_bicubic
    from featherflow.ops.image_resize_ops import resize_bilinear as resize_bilinear
    from featherflow.ops.image_resize_ops import resize_nearest_neighbor as resize_nearest_neighbor
    from featherflow.ops.image_size_ops import ResizeMethod as ResizeMethod
    from featherflow.ops.image_size_ops import resize_images as resize
    from featherflow.ops.image_size_ops import resize_images as resize_images
    from featherflow.ops.random_crop_ops import random_crop as random_crop

__getattr__, __dir__ = lazy_namespace("image", globals())
