"""The functions of `tf.image` that are made of other ops: geometry, colours, quality, sizes."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal, uniform

ONE, BATCH = uniform(0, 1, (5, 6, 3)), uniform(0, 1, (2, 4, 6, 3), seed=1)
BYTES = integers(0, 256, (4, 5, 3), "uint8")


def _each(prefix, programs):
    """Registers each program of a dict under its own name."""
    for name, program in programs.items():
        case(f"{prefix}_{name}")(program)


def _fed(build, value, shape=None):
    """A program that feeds `value` to a placeholder of a static shape."""

    def program(tf):
        fed = tf.placeholder(tf.as_dtype(value.dtype), shape)
        return Case(build(tf, fed), {fed: value})

    return program


# --- geometry -------------------------------------------------------------------------------------

_GEOMETRY = {
    "flip_left_right": lambda tf, x: tf.image.flip_left_right(x),
    "flip_up_down": lambda tf, x: tf.image.flip_up_down(x),
    "rot90": lambda tf, x: tf.image.rot90(x),
    "rot90_twice": lambda tf, x: tf.image.rot90(x, k=2, name="turn"),
    "rot90_seven_times": lambda tf, x: tf.image.rot90(x, k=7),
    "rot90_tensor": lambda tf, x: tf.image.rot90(x, k=tf.constant(3)),
    "transpose": lambda tf, x: tf.image.transpose(x),
    "central_crop": lambda tf, x: tf.image.central_crop(x, 0.5),
    "central_crop_third": lambda tf, x: tf.image.central_crop(x, 0.34),
    "central_crop_tensor": lambda tf, x: tf.image.central_crop(x, tf.constant(0.6)),
    "crop": lambda tf, x: tf.image.crop_to_bounding_box(x, 1, 2, 3, 3),
    "crop_tensors": lambda tf, x: tf.image.crop_to_bounding_box(x, tf.constant(1), 2, 3, 3),
    "pad": lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 8, 9),
    "pad_tensors": lambda tf, x: tf.image.pad_to_bounding_box(x, 1, tf.constant(2), 8, 9),
    "crop_or_pad": lambda tf, x: tf.image.resize_with_crop_or_pad(x, 7, 4),
    "crop_and_pad": lambda tf, x: tf.image.resize_with_crop_or_pad(x, 3, 9),
    "with_pad": lambda tf, x: tf.image.resize_image_with_pad(x, 8, 8),
    "with_pad_nearest": lambda tf, x: tf.image.resize_image_with_pad(x, 3, 8, method=1),
    "with_pad_v2": lambda tf, x: tf.compat.v2.image.resize_with_pad(
        x, 8, 8, "lanczos3", antialias=True
    ),
}
for _name, _build in _GEOMETRY.items():
    case(f"one_{_name}")(lambda tf, build=_build: build(tf, tf.constant(ONE)))
    case(f"batch_{_name}")(lambda tf, build=_build: build(tf, tf.constant(BATCH)))
for _name in ("flip_left_right", "rot90", "transpose", "crop", "pad", "crop_or_pad"):
    case(f"fed_{_name}")(_fed(_GEOMETRY[_name], BATCH, [None] * 4))
for _name in ("flip_up_down", "transpose"):
    case(f"unknown_rank_{_name}")(_fed(_GEOMETRY[_name], ONE))
case("fed_central_crop")(_fed(_GEOMETRY["central_crop"], ONE, [None, None, 3]))


@case
def gradients_of_geometry(tf):
    x = tf.constant(ONE)
    images = [
        tf.image.flip_left_right(x),
        tf.image.rot90(x),
        tf.image.central_crop(x, 0.5),
        tf.image.pad_to_bounding_box(x, 1, 2, 8, 9),
    ]
    return [tf.gradients(image * image, x)[0] for image in images]


# --- random flips and adjustments -----------------------------------------------------------------

_RANDOM = {
    "brightness": (0.3,),
    "contrast": (0.2, 1.8),
    "hue": (0.3,),
    "saturation": (0.2, 1.8),
    "flip_left_right": (),
    "flip_up_down": (),
    "crop": ([2, 3, 3],),
}


def _random_program(name, arguments):
    def program(tf):
        x = tf.constant(ONE)
        draw = getattr(tf.image, f"random_{name}")
        stateless = getattr(tf.compat.v2.image, f"stateless_random_{name}")
        draws = [draw(x, *arguments, seed=seed) for seed in (1, 2, 3)]
        tf.set_random_seed(7)
        draws.append(draw(x, *arguments))
        return Case([*draws, stateless(x, *arguments, seed=[3, 5])], runs=3)

    return program


for _name, _arguments in _RANDOM.items():
    case(f"random_{_name}")(_random_program(_name, _arguments))


@case
def random_flips_of_a_batch(tf):
    x = tf.constant(uniform(0, 1, (8, 2, 3, 1)))
    stateless = tf.compat.v2.image.stateless_random_flip_up_down
    return Case([tf.image.random_flip_left_right(x, seed=4), stateless(x, (1, 2))], runs=2)


# --- dtypes ---------------------------------------------------------------------------------------

_FLOATS = ("float16", "float32", "float64")
_INTEGERS = ("uint8", "int8", "uint16", "int16", "int32", "int64")


def _conversions(source):
    def program(tf):
        values = (
            np.array([-2, -0.1, 0, 0.25, 0.5, 0.999, 1.2, 300], source)
            if source in _FLOATS
            else np.array([np.iinfo(source).min, 0, 1, 100, np.iinfo(source).max], source)
        )
        within = values[2:6] if source in _FLOATS else values
        wide = ("int64",) if source == "float16" else ()  # beyond its largest number
        results = {}
        for target in (*_FLOATS, *(each for each in _INTEGERS if each not in wide)):
            if source == "float16" and target == "int32":
                continue
            dtype = tf.as_dtype(target)
            results[target] = tf.image.convert_image_dtype(within, dtype)
            results[f"{target}_saturated"] = tf.image.convert_image_dtype(
                within if target in ("int32", "int64") else values, dtype, saturate=True
            )
        return results

    return program


for _source in (*_FLOATS, *_INTEGERS):
    case(f"convert_{_source}")(_conversions(_source))

# --- colours --------------------------------------------------------------------------------------

_COLORS = {
    "grey": lambda tf, x: tf.image.rgb_to_grayscale(x),
    "brightness": lambda tf, x: tf.image.adjust_brightness(x, 0.2),
    "contrast": lambda tf, x: tf.image.adjust_contrast(x, 1.7),
    "gamma": lambda tf, x: tf.image.adjust_gamma(x, 0.5, 2.0),
    "gamma_tensor": lambda tf, x: tf.image.adjust_gamma(x, tf.constant(1.5)),
    "hue": lambda tf, x: tf.image.adjust_hue(x, 0.13),
    "hue_back": lambda tf, x: tf.image.adjust_hue(x, -0.6, name="turned"),
    "saturation": lambda tf, x: tf.image.adjust_saturation(x, 0.5),
    "more_saturation": lambda tf, x: tf.image.adjust_saturation(x, 3.0),
    "standardization": lambda tf, x: tf.image.per_image_standardization(x),
}


def _of_doubles(build):
    def program(tf):
        reason = "colours are adjusted in float32"
        return Case(build(tf, tf.cast(ONE, tf.float64)), tolerance=2e-6, reason=reason)

    return program


for _name, _build in _COLORS.items():
    case(f"floats_{_name}")(lambda tf, build=_build: build(tf, tf.constant(BATCH)))
    case(f"bytes_{_name}")(lambda tf, build=_build: build(tf, tf.constant(BYTES)))
    case(f"doubles_{_name}")(_of_doubles(_build))

_each(
    "colors",
    {
        "to_rgb": lambda tf: tf.image.grayscale_to_rgb(tf.constant(ONE[..., :1])),
        "yiq": lambda tf: tf.image.rgb_to_yiq(tf.constant(ONE)),
        "from_yiq": lambda tf: tf.image.yiq_to_rgb(tf.constant(BATCH)),
        "yuv": lambda tf: tf.image.rgb_to_yuv(tf.cast(ONE, tf.float64)),
        "from_yuv": lambda tf: tf.image.yuv_to_rgb(tf.constant(ONE)),
        "flat_standardization": lambda tf: tf.image.per_image_standardization(tf.ones([3, 4, 2])),
    },
)


@case
def hsv_of_all_dtypes(tf):
    results = {}
    for dtype in ("float16", "bfloat16", "float32", "float64"):
        x = tf.cast(ONE, dtype)
        results[dtype] = [tf.image.rgb_to_hsv(x), tf.image.hsv_to_rgb(x)]
    tolerance = "the last bit of half precision, in the order of roundings"
    return Case(results, tolerance=2e-2, reason=tolerance)


@case
def hsv_of_special_colors(tf):
    colors = tf.constant(
        [
            [[0.5, 0.5, 0.5], [0, 0, 0], [1, 1, 0.2], [0.3, 0.8, 0.8], [0.9, 0.1, 0.9]],
            [[-0.3, 0.2, 0.9], [2, 1.5, -1], [-1, -2, -3], [0.2, 0.2, 0.9], [0.9, 0.2, 0.2]],
        ]
    )
    hsv = tf.image.rgb_to_hsv(colors)
    weights = tf.constant(normal(2, 5, 3))
    return [
        hsv,
        tf.image.hsv_to_rgb(colors),
        tf.gradients(hsv, colors, [weights])[0],
        tf.image.adjust_hue(colors, 0.2),
        tf.image.adjust_saturation(colors, 1.5),
    ]


# --- quality and edges ----------------------------------------------------------------------------

FIRST = uniform(0, 1, (2, 24, 25, 2))
SECOND = np.clip(FIRST + uniform(-0.2, 0.2, FIRST.shape, seed=3), 0, 1).astype(np.float32)
_each(
    "quality",
    {
        "psnr": lambda tf: tf.image.psnr(FIRST, SECOND, 1.0),
        "psnr_of_bytes": lambda tf: tf.image.psnr(BYTES, BYTES // 2, 255, name="ratio"),
        "ssim": lambda tf: tf.image.ssim(tf.constant(FIRST), tf.constant(SECOND), 1.0),
        "ssim_window": lambda tf: tf.image.ssim(
            tf.constant(FIRST), SECOND, 1.0, filter_size=5, filter_sigma=0.8, k1=0.02, k2=0.04
        ),
        "ssim_map": lambda tf: tf.image.ssim(FIRST, SECOND, 1.0, return_index_map=True),
        "ssim_scales": lambda tf: tf.image.ssim_multiscale(
            tf.constant(FIRST), tf.constant(SECOND), 1.0, power_factors=(0.3, 0.7), filter_size=5
        ),
        "variation": lambda tf: tf.image.total_variation(tf.constant(ONE)),
        "variation_of_batch": lambda tf: tf.image.total_variation(tf.constant(BATCH)),
        "gradients": lambda tf: tf.image.image_gradients(tf.constant(BATCH)),
    },
)


@case
def sobel_edges(tf):
    tolerance = "sums that cancel"
    return Case(tf.image.sobel_edges(tf.constant(BATCH)), tolerance=1e-5, reason=tolerance)


@case
def ssim_of_bytes(tf):
    first, second = (FIRST * 255).astype(np.uint8), (SECOND * 255).astype(np.uint8)
    return tf.image.ssim(tf.constant(first), tf.constant(second), 255)


@case
def gradients_of_quality(tf):
    x, y = tf.constant(FIRST), tf.constant(SECOND)
    losses = [tf.image.psnr(x, y, 1.0), tf.image.ssim(x, y, 1.0), tf.image.total_variation(x)]
    gradients = [tf.gradients(loss, x)[0] for loss in losses]
    return Case(gradients, tolerance=1e-4, reason="differences of sums over windows")


# --- sizes ----------------------------------------------------------------------------------------


def _resize_v2(method):
    def program(tf):
        resize = tf.compat.v2.image.resize
        sizes = ([7, 3], [2, 9], [4, 6])
        return {
            antialias: [
                *(resize(tf.constant(BATCH), size, method, antialias=antialias) for size in sizes),
                resize(tf.constant(BYTES), [2, 6], method, antialias=antialias, name="small"),
            ]
            for antialias in (False, True)
        }

    return program


for _method in (
    "bilinear",
    "nearest",
    "bicubic",
    "area",
    "lanczos3",
    "lanczos5",
    "gaussian",
    "mitchellcubic",
):
    case(f"resize_{_method}")(_resize_v2(_method))


@case
def resize_keeps_the_ratio(tf):
    resize, x = tf.compat.v2.image.resize, tf.placeholder(tf.float32, [None, None, 3])
    return Case(
        [
            resize(x, [10, 4], preserve_aspect_ratio=True),
            resize(tf.constant(ONE), [10, 4], preserve_aspect_ratio=True),
            resize(x, tf.constant([3, 4]), "lanczos5"),
        ],
        {x: ONE},
    )


@case
def gradients_of_resizing(tf):
    x, resize = tf.constant(BATCH), tf.compat.v2.image.resize
    results = [
        resize(x, [7, 3], method, antialias=antialias)
        for method in ("bilinear", "lanczos3", "gaussian", "mitchellcubic")
        for antialias in (False, True)
    ]
    return [tf.gradients(result * result, x)[0] for result in results]


@case
def resize_methods(tf):
    methods = tf.compat.v2.image.ResizeMethod
    names = ("BILINEAR", "NEAREST_NEIGHBOR", "BICUBIC", "AREA", "LANCZOS3", "LANCZOS5")
    return [getattr(methods, name) for name in (*names, "GAUSSIAN", "MITCHELLCUBIC")]


error_cases(
    flip_rank=lambda tf: tf.image.flip_up_down(tf.zeros([2, 2])),
    flip_rank_five=lambda tf: tf.image.flip_up_down(tf.zeros([1, 1, 2, 2, 1])),
    flip_empty=lambda tf: tf.image.flip_up_down(tf.zeros([0, 2, 1])),
    central_crop_zero=lambda tf: tf.image.central_crop(tf.constant(ONE), 0.0),
    central_crop_more=lambda tf: tf.image.central_crop(tf.constant(ONE), 1.5),
    crop_outside=lambda tf: tf.image.crop_to_bounding_box(tf.constant(ONE), 3, 2, 3, 3),
    crop_negative=lambda tf: tf.image.crop_to_bounding_box(tf.constant(ONE), -1, 2, 3, 3),
    crop_nothing=lambda tf: tf.image.crop_to_bounding_box(tf.constant(ONE), 1, 2, 0, 3),
    crop_outside_in_run=_fed(
        lambda tf, x: tf.image.crop_to_bounding_box(x, 3, 2, 3, 3), ONE, [None, None, 3]
    ),
    pad_too_small=lambda tf: tf.image.pad_to_bounding_box(tf.constant(ONE), 1, 2, 5, 9),
    pad_too_small_in_run=_fed(
        lambda tf, x: tf.image.pad_to_bounding_box(x, 1, 2, 5, 9), ONE, [None, None, 3]
    ),
    crop_or_pad_to_nothing=lambda tf: tf.image.resize_with_crop_or_pad(tf.constant(ONE), 0, 4),
    with_pad_to_nothing=lambda tf: tf.image.resize_image_with_pad(tf.constant(ONE), 0, 8),
    grey_channels=lambda tf: tf.image.grayscale_to_rgb(tf.constant(ONE)),
    color_channels=lambda tf: tf.image.rgb_to_grayscale(tf.constant(ONE[..., :2])),
    yuv_channels=lambda tf: tf.image.rgb_to_yuv(tf.constant(ONE[..., :2])),
    hue_channels=lambda tf: tf.image.adjust_hue(tf.constant(ONE[..., :2]), 0.1),
    saturation_channels=lambda tf: tf.image.adjust_saturation(tf.constant(ONE[..., :2]), 2.0),
    contrast_rank=lambda tf: tf.image.adjust_contrast(tf.constant(ONE[0]), 2.0),
    gamma_negative=lambda tf: tf.image.adjust_gamma(tf.constant(ONE), -1.0),
    gamma_negative_in_run=lambda tf: tf.image.adjust_gamma(tf.constant(ONE), tf.constant(-1.0)),
    brightness_negative=lambda tf: tf.image.random_brightness(tf.constant(ONE), -1.0),
    contrast_order=lambda tf: tf.image.random_contrast(tf.constant(ONE), 2.0, 1.0),
    contrast_negative=lambda tf: tf.image.random_contrast(tf.constant(ONE), -2.0, 1.0),
    hue_too_far=lambda tf: tf.image.random_hue(tf.constant(ONE), 0.6),
    saturation_order=lambda tf: tf.image.random_saturation(tf.constant(ONE), 2.0, 1.0),
    convert_bools=lambda tf: tf.image.convert_image_dtype([True], tf.float32),
    convert_to_bools=lambda tf: tf.image.convert_image_dtype(tf.constant(ONE), tf.bool),
    psnr_shapes=lambda tf: tf.image.psnr(tf.constant(BATCH), tf.constant(BATCH[:, :3]), 1.0),
    psnr_rank=lambda tf: tf.image.psnr(tf.constant(ONE[0]), tf.constant(ONE[0]), 1.0),
    ssim_too_small=lambda tf: tf.image.ssim(tf.constant(BATCH), tf.constant(BATCH), 1.0),
    ssim_scale_too_small=lambda tf: tf.image.ssim_multiscale(FIRST, SECOND, 1.0),
    variation_rank=lambda tf: tf.image.total_variation(tf.constant(ONE[0])),
    gradients_rank=lambda tf: tf.image.image_gradients(tf.constant(ONE)),
    resize_method=lambda tf: tf.compat.v2.image.resize(tf.constant(ONE), [3, 4], "nope"),
    resize_rank=lambda tf: tf.compat.v2.image.resize(tf.constant(ONE[0]), [3, 4]),
    resize_size=lambda tf: tf.compat.v2.image.resize(tf.constant(ONE), [3, 4, 5]),
)
