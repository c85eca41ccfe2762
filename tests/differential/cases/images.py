"""Image operations: resizing, flips, crops, colours."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal, uniform

SIZES = ([3, 3], [8, 7], [5, 6], [1, 1])


def _resize_program(name):
    def program(tf):
        resize = getattr(tf.image, name)
        x, small = (
            tf.constant(normal(2, 5, 6, 2)),
            tf.constant(integers(0, 255, (1, 4, 4, 1), "uint8")),
        )
        size = tf.placeholder(tf.int32, [2])
        fetches = {
            "plain": [resize(x, target) for target in SIZES],
            "corners": [resize(x, target, align_corners=True) for target in SIZES[:3]],
            "half_pixel": [resize(x, target, half_pixel_centers=True) for target in SIZES],
            "bytes": resize(small, [6, 3]),
            "fed": resize(x, size),
        }
        return Case(fetches, {size: [4, 9]})

    return program


for _name in ("resize_bilinear", "resize_nearest_neighbor", "resize_bicubic"):
    case(_name)(_resize_program(_name))


@case
def resize_area(tf):
    x = tf.constant(normal(1, 5, 6, 2))
    return [tf.image.resize_area(x, size) for size in SIZES] + [
        tf.image.resize_area(x, [3, 4], align_corners=True)
    ]


@case
def resize_images(tf):
    x = tf.constant(normal(5, 6, 2))
    methods = tf.image.ResizeMethod
    return [
        tf.image.resize_images(x, [3, 4]),
        tf.image.resize_images(x, [3, 4], methods.NEAREST_NEIGHBOR),
        tf.image.resize_images(x, [10, 4], preserve_aspect_ratio=True),
        tf.image.resize_images(x, [5, 6]),
        tf.image.resize_image_with_crop_or_pad(x, 7, 4),
        tf.image.resize_image_with_pad(x, 8, 8),
    ]


@case
def flips_and_rotations(tf):
    x, batch = tf.constant(integers(0, 99, (2, 3, 1))), tf.constant(integers(0, 99, (2, 2, 3, 1)))
    return [
        tf.image.flip_left_right(x),
        tf.image.flip_up_down(x),
        tf.image.flip_left_right(batch),
        tf.image.transpose_image(x),
        tf.image.rot90(x),
        tf.image.rot90(batch, k=3),
        tf.image.random_flip_left_right(x, seed=3),
        tf.image.random_flip_up_down(batch, seed=4),
    ]


@case
def crops_and_pads(tf):
    x = tf.constant(integers(0, 99, (4, 5, 1)))
    image = tf.constant(normal(2, 6, 6, 1))
    boxes = [
        [0.0, 0.0, 1.0, 1.0],
        [0.2, 0.3, 0.7, 0.9],
        [0.9, 0.1, 0.1, 0.5],
        [-0.5, 0.0, 1.5, 1.0],
    ]
    return [
        tf.image.crop_to_bounding_box(x, 1, 2, 2, 3),
        tf.image.pad_to_bounding_box(x, 1, 2, 6, 8),
        tf.image.central_crop(x, 0.5),
        tf.image.crop_and_resize(image, boxes, [0, 1, 0, 1], [3, 3]),
        tf.image.crop_and_resize(image, boxes, [0, 1, 0, 1], [2, 2], "nearest", 9.0),
        tf.image.extract_glimpse(image, [3, 3], [[0.0, 0.0], [0.5, -0.5]]),
    ]


@case
def colours(tf):
    x = tf.constant(uniform(0, 1, (2, 3, 3)))
    return [
        tf.image.rgb_to_grayscale(x),
        tf.image.grayscale_to_rgb(x[..., :1]),
        tf.image.rgb_to_hsv(x),
        tf.image.hsv_to_rgb(x),
        tf.image.adjust_brightness(x, 0.2),
        tf.image.adjust_contrast(x, 2.0),
        tf.image.adjust_hue(x, 0.1),
        tf.image.adjust_saturation(x, 0.5),
        tf.image.adjust_gamma(x, 0.5, 2.0),
        tf.image.per_image_standardization(x),
        tf.image.rgb_to_yiq(x),
        tf.image.rgb_to_yuv(x),
    ]


@case
def convert_dtype(tf):
    floats, bytes_ = tf.constant([0.0, 0.5, 1.0, 1.2, -0.1]), tf.constant([0, 128, 255], tf.uint8)
    return [
        tf.image.convert_image_dtype(floats, tf.uint8),
        tf.image.convert_image_dtype(floats, tf.uint8, saturate=True),
        tf.image.convert_image_dtype(bytes_, tf.float32),
        tf.image.convert_image_dtype(bytes_, tf.int16),
        tf.image.convert_image_dtype(bytes_, tf.uint16),
        tf.image.convert_image_dtype(floats, tf.float64),
    ]


@case
def quality_and_boxes(tf):
    x, y = (
        tf.constant(uniform(0, 1, (1, 12, 12, 1))),
        tf.constant(uniform(0, 1, (1, 12, 12, 1), seed=1)),
    )
    boxes = tf.constant([[0, 0, 1, 1], [0, 0, 0.9, 1], [0, 2, 1, 3], [0, 0.1, 1, 1]], tf.float32)
    return [
        tf.image.psnr(x, y, 1.0),
        tf.image.ssim(x, y, 1.0),
        tf.image.total_variation(x),
        tf.image.sobel_edges(x),
        tf.image.image_gradients(x),
        tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.3, 0.6], 3),
        tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.3, 0.6], 3, 0.9, 0.4),
        tf.image.draw_bounding_boxes(x[..., :1] * tf.ones([3]), [[[0.1, 0.1, 0.8, 0.8]]]),
    ]


@case
def encode_and_decode_png(tf):
    x = tf.constant(integers(0, 255, (3, 4, 3), "uint8"))
    encoded = tf.image.encode_png(x)
    return [
        tf.image.decode_png(encoded),
        tf.image.decode_png(encoded, channels=1),
        tf.image.decode_image(encoded),
        tf.image.is_jpeg(encoded),
    ]


error_cases(
    resize_rank=lambda tf: tf.image.resize_bilinear(tf.zeros([2, 2]), [2, 2]),
    resize_size_length=lambda tf: tf.image.resize_bilinear(tf.zeros([1, 2, 2, 1]), [2]),
    resize_to_nothing=lambda tf: tf.image.resize_bilinear(tf.zeros([1, 2, 2, 1]), [0, 2]),
    corners_and_half_pixel=lambda tf: tf.image.resize_bilinear(
        tf.zeros([1, 2, 2, 1]), [4, 4], align_corners=True, half_pixel_centers=True
    ),
    crop_outside=lambda tf: tf.image.crop_to_bounding_box(tf.zeros([2, 2, 1]), 1, 1, 2, 2),
    colour_channels=lambda tf: tf.image.rgb_to_hsv(tf.zeros([2, 2, 2])),
    crop_box_index=lambda tf: tf.image.crop_and_resize(
        tf.zeros([1, 2, 2, 1]), np.zeros([1, 4], np.float32), [1], [2, 2]
    ),
    not_an_image=lambda tf: tf.image.decode_png("nonsense"),
)
