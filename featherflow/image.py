# ruff: noqa
"""tf.image: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.box_drawing_ops import draw_bounding_boxes as draw_bounding_boxes
    from featherflow.ops.box_proposal_ops import (
        generate_bounding_box_proposals as generate_bounding_box_proposals,
    )
    from featherflow.ops.box_sampling_ops import (
        sample_distorted_bounding_box as sample_distorted_bounding_box,
    )
    from featherflow.ops.box_sampling_ops import (
        stateless_sample_distorted_bounding_box as stateless_sample_distorted_bounding_box,
    )
    from featherflow.ops.box_selection_ops import (
        combined_non_max_suppression as combined_non_max_suppression,
    )
    from featherflow.ops.box_selection_ops import non_max_suppression as non_max_suppression
    from featherflow.ops.box_selection_ops import (
        non_max_suppression_overlaps as non_max_suppression_overlaps,
    )
    from featherflow.ops.box_selection_ops import (
        non_max_suppression_padded as non_max_suppression_padded,
    )
    from featherflow.ops.box_selection_ops import (
        non_max_suppression_with_scores as non_max_suppression_with_scores,
    )
    from featherflow.ops.color_space_ops import grayscale_to_rgb as grayscale_to_rgb
    from featherflow.ops.color_space_ops import rgb_to_grayscale as rgb_to_grayscale
    from featherflow.ops.color_space_ops import rgb_to_yiq as rgb_to_yiq
    from featherflow.ops.color_space_ops import rgb_to_yuv as rgb_to_yuv
    from featherflow.ops.color_space_ops import yiq_to_rgb as yiq_to_rgb
    from featherflow.ops.color_space_ops import yuv_to_rgb as yuv_to_rgb
    from featherflow.ops.crop_resize_ops import crop_and_resize as crop_and_resize
    from featherflow.ops.glimpse_ops import extract_glimpse as extract_glimpse
    from featherflow.ops.hsv_color_ops import hsv_to_rgb as hsv_to_rgb
    from featherflow.ops.hsv_color_ops import rgb_to_hsv as rgb_to_hsv
    from featherflow.ops.image_adjustments import adjust_brightness as adjust_brightness
    from featherflow.ops.image_adjustments import adjust_contrast as adjust_contrast
    from featherflow.ops.image_adjustments import adjust_gamma as adjust_gamma
    from featherflow.ops.image_adjustments import adjust_hue as adjust_hue
    from featherflow.ops.image_adjustments import adjust_saturation as adjust_saturation
    from featherflow.ops.image_adjustments import (
        per_image_standardization as per_image_standardization,
    )
    from featherflow.ops.image_adjustments import random_brightness as random_brightness
    from featherflow.ops.image_adjustments import random_contrast as random_contrast
    from featherflow.ops.image_adjustments import random_hue as random_hue
    from featherflow.ops.image_adjustments import random_saturation as random_saturation
    from featherflow.ops.image_adjustments import (
        stateless_random_brightness as stateless_random_brightness,
    )
    from featherflow.ops.image_adjustments import (
        stateless_random_contrast as stateless_random_contrast,
    )
    from featherflow.ops.image_adjustments import stateless_random_hue as stateless_random_hue
    from featherflow.ops.image_adjustments import (
        stateless_random_saturation as stateless_random_saturation,
    )
    from featherflow.ops.image_crop_ops import central_crop as central_crop
    from featherflow.ops.image_crop_ops import crop_to_bounding_box as crop_to_bounding_box
    from featherflow.ops.image_crop_ops import pad_to_bounding_box as pad_to_bounding_box
    from featherflow.ops.image_crop_ops import (
        resize_image_with_crop_or_pad as resize_image_with_crop_or_pad,
    )
    from featherflow.ops.image_crop_ops import (
        resize_image_with_crop_or_pad as resize_with_crop_or_pad,
    )
    from featherflow.ops.image_dtype_ops import convert_image_dtype as convert_image_dtype
    from featherflow.ops.image_edge_ops import image_gradients as image_gradients
    from featherflow.ops.image_edge_ops import sobel_edges as sobel_edges
    from featherflow.ops.image_edge_ops import total_variation as total_variation
    from featherflow.ops.image_flip_ops import flip_left_right as flip_left_right
    from featherflow.ops.image_flip_ops import flip_up_down as flip_up_down
    from featherflow.ops.image_flip_ops import random_flip_left_right as random_flip_left_right
    from featherflow.ops.image_flip_ops import random_flip_up_down as random_flip_up_down
    from featherflow.ops.image_flip_ops import rot90 as rot90
    from featherflow.ops.image_flip_ops import (
        stateless_random_flip_left_right as stateless_random_flip_left_right,
    )
    from featherflow.ops.image_flip_ops import (
        stateless_random_flip_up_down as stateless_random_flip_up_down,
    )
    from featherflow.ops.image_flip_ops import transpose_image as transpose
    from featherflow.ops.image_flip_ops import transpose_image as transpose_image
    from featherflow.ops.image_quality_ops import psnr as psnr
    from featherflow.ops.image_quality_ops import ssim as ssim
    from featherflow.ops.image_quality_ops import ssim_multiscale as ssim_multiscale
    from featherflow.ops.image_resize_ops import resize_area as resize_area
    from featherflow.ops.image_resize_ops import resize_bicubic as resize_bicubic
    from featherflow.ops.image_resize_ops import resize_bilinear as resize_bilinear
    from featherflow.ops.image_resize_ops import resize_nearest_neighbor as resize_nearest_neighbor
    from featherflow.ops.image_size_ops import ResizeMethod as ResizeMethod
    from featherflow.ops.image_size_ops import resize_image_with_pad as resize_image_with_pad
    from featherflow.ops.image_size_ops import resize_image_with_pad_v2 as resize_with_pad
    from featherflow.ops.image_size_ops import resize_images as resize
    from featherflow.ops.image_size_ops import resize_images as resize_images
    from featherflow.ops.patch_ops import extract_image_patches as extract_image_patches
    from featherflow.ops.patch_ops import extract_patches as extract_patches
    from featherflow.ops.random_crop_ops import random_crop as random_crop
    from featherflow.ops.random_crop_ops import stateless_random_crop as stateless_random_crop

__getattr__, __dir__ = lazy_namespace("image", globals())
