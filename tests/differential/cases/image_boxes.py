"""Ops of boxes, patches, glimpses and transforms of images."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import integers, normal, uniform

BOXES = np.float32([[0, 0, 1, 1], [0, 0, 0.9, 1], [0, 2, 1, 3], [0, 0.1, 1, 1]])
SCORES = np.float32([0.5, 0.9, 0.3, 0.6])
MANY = uniform(0, 1, (40, 4))
MANY_SCORES = (integers(0, 20, (40,)) / 20).astype(np.float32)
IMAGES = uniform(0, 1, (2, 5, 6, 2))
NO_BOXES = np.zeros([1, 0, 4], np.float32)

# --- non-maximum suppression ----------------------------------------------------------------------


@case
def suppression(tf):
    suppress = tf.image.non_max_suppression
    return [
        suppress(BOXES, SCORES, 3),
        suppress(tf.constant(BOXES), SCORES, 3, 0.9, 0.4),
        suppress(BOXES[:, [2, 3, 0, 1]], SCORES, 3),
        suppress(BOXES, np.float32([0.5] * 4), 4, 0.05),
        suppress(BOXES, np.float32([0.5] * 4), 4, 1.0),
        suppress(BOXES[:0], SCORES[:0], 3),
        suppress(BOXES, SCORES, 0),
        suppress(MANY, MANY_SCORES, 30, 0.3, 0.1, name="many"),
        suppress(MANY.astype(np.float16), MANY_SCORES.astype(np.float16), 30, 0.3, 0.1),
        suppress(BOXES * np.float32("nan"), SCORES, 3),
        suppress(BOXES, np.float32([np.nan, 0.9, 0.3, 0.6]), 3),
        suppress(np.zeros([4, 4], np.float32), SCORES, 4, 0.0),
    ]


@case
def suppression_by_threshold(tf):
    return [
        tf.image.non_max_suppression(MANY, MANY_SCORES, 40, threshold, 0.2)
        for threshold in (0.0, 0.1, 0.5, 0.9, 1.0)
    ]


@case
def soft_suppression(tf):
    suppress = tf.image.non_max_suppression_with_scores
    return [
        suppress(BOXES, SCORES, 3, soft_nms_sigma=0.5),
        suppress(BOXES, SCORES, 10, 1.0, soft_nms_sigma=0.1),
        *(
            suppress(MANY, MANY_SCORES, 40, 0.3, 0.05, soft_nms_sigma=sigma)
            for sigma in (0.0, 0.3, 0.6)
        ),
    ]


@case
def suppression_of_overlaps(tf):
    overlaps = np.float32([[1, 0.6, 0.1], [0.6, 1, 0.5], [0.1, 0.5, 1]])
    scores = np.float32([0.5, 0.9, 0.8])
    return [
        tf.image.non_max_suppression_overlaps(overlaps, scores, 3, threshold, least)
        for threshold, least in ((0.5, -1.0), (0.4, -1.0), (2.0, -1.0), (0.5, 0.6), (-1.0, 0.0))
    ]


@case
def padded_suppression(tf):
    suppress = tf.image.non_max_suppression_padded
    batch = tf.constant(np.stack([BOXES, BOXES])), tf.constant(np.stack([SCORES, -SCORES]))
    results = [
        suppress(*batch, 5, pad_to_max_output_size=True),
        suppress(*batch, 2, score_threshold=0.4, pad_to_max_output_size=True),
        suppress(BOXES, SCORES, 5, pad_to_max_output_size=True),
        suppress(BOXES, SCORES, 2, sorted_input=True, pad_to_max_output_size=True),
    ]
    fed = tf.placeholder(tf.float32, [None, 4])
    return Case([*results, suppress(fed, SCORES, 5)], {fed: BOXES})


@case
def combined_suppression(tf):
    suppress = tf.image.combined_non_max_suppression
    shared, own = uniform(-0.1, 1.2, (2, 6, 1, 4)), uniform(0, 1, (2, 6, 3, 4), seed=2)
    scores = (integers(0, 20, (2, 6, 3)) / 20).astype(np.float32)
    return [
        suppress(shared, scores, 2, 5, 0.3, 0.1),
        suppress(own, scores, 2, 5, 0.3, 0.1),
        suppress(shared, scores, 2, 100, 0.3, 0.1, pad_per_class=True),
        suppress(shared, scores, 2, 12, 0.3, 0.1, clip_boxes=False, name="raw"),
        suppress(shared, scores, 1, 2, 0.3, 2.0),
        suppress(shared[:0], scores[:0], 2, 5),
        suppress(shared, np.ones_like(scores), 6, 12, 0.99),
    ]


# --- crops ----------------------------------------------------------------------------------------

CROPS = np.float32(
    [
        [0, 0, 1, 1],
        [0.2, 0.3, 0.7, 0.9],
        [0.9, 0.1, 0.1, 0.5],
        [-0.5, 0, 1.5, 1],
        [1, 0, 0, 0.33],
        [0.5, 0.5, 0.5, 0.5],
    ]
)
OWNERS = np.int32([0, 1, 0, 1, 1, 0])


def _crops(method, dtype):
    def program(tf):
        images = tf.constant((IMAGES * 100).astype(dtype))
        crop = tf.image.crop_and_resize
        return [
            crop(images, CROPS, OWNERS, [3, 4], method),
            crop(images, CROPS, OWNERS, [1, 1], method, 9.0),
            crop(images, CROPS, OWNERS, [1, 2], method, name="crops"),
            crop(images, CROPS[:0], OWNERS[:0], [3, 4], method),
        ]

    return program


for _method in ("bilinear", "nearest"):
    for _dtype in ("uint8", "int32", "int64", "float16", "float32", "float64"):
        case(f"crops_{_method}_{_dtype}")(_crops(_method, _dtype))


def _crop_gradients(method, dtype):
    def program(tf):
        images, boxes = tf.constant((IMAGES * 10).astype(dtype)), tf.constant(CROPS)
        crops = tf.image.crop_and_resize(images, boxes, OWNERS, [3, 4], method)
        single = tf.image.crop_and_resize(images, boxes, OWNERS, [1, 1], method)
        weights = tf.constant(normal(6, 3, 4, 2))
        tolerance = 5e-3 if dtype == "float16" else 1e-5
        gradients = [tf.gradients(crops, [images, boxes], [weights]), tf.gradients(single, boxes)]
        return Case(gradients, tolerance=tolerance, reason="sums in another order")

    return program


for _method in ("bilinear", "nearest"):
    for _dtype in ("float16", "float32", "float64"):
        case(f"crop_gradients_{_method}_{_dtype}")(_crop_gradients(_method, _dtype))


@case
def crop_gradient_of_bytes(tf):
    images, boxes = tf.constant((IMAGES * 100).astype(np.uint8)), tf.constant(CROPS)
    crops = tf.image.crop_and_resize(images, boxes, OWNERS, [3, 4])
    reason = "sums in another order"
    return Case(tf.gradients(crops, [images, boxes]), tolerance=1e-5, reason=reason)


# --- patches --------------------------------------------------------------------------------------


@case
def patches(tf):
    extract, images = tf.image.extract_image_patches, tf.constant(IMAGES)
    return {
        padding: [
            extract(images, [1, 2, 3, 1], [1, 2, 1, 1], [1, 1, 1, 1], padding),
            extract(images, [1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1], padding),
            extract(images, [1, 1, 1, 1], [1, 3, 2, 1], [1, 1, 1, 1], padding, name="points"),
        ]
        for padding in ("VALID", "SAME")
    }


@case
def patches_of_dtypes(tf):
    numbers = integers(0, 100, (1, 4, 4, 2))
    return {
        dtype: tf.image.extract_patches(
            tf.cast(numbers, dtype), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"
        )
        for dtype in ("int8", "uint8", "int16", "int32", "int64", "float16", "float64")
    }


@case
def patch_gradients(tf):
    images, results = tf.constant(IMAGES), []
    for padding in ("VALID", "SAME"):
        for rates in ([1, 1, 1, 1], [1, 2, 1, 1]):
            found = tf.image.extract_image_patches(
                images, [1, 2, 3, 1], [1, 2, 1, 1], rates, padding
            )
            results.append(tf.gradients(found * found, images)[0])
    return results


@case
def volume_patches(tf):
    volumes = tf.constant(normal(1, 4, 5, 5, 2))
    results = []
    for padding in ("VALID", "SAME"):
        found = tf.extract_volume_patches(volumes, [1, 2, 3, 2, 1], [1, 2, 1, 1, 1], padding)
        results += [found, tf.gradients(found * found, volumes)[0]]
    return results


# --- drawing, glimpses, transforms ----------------------------------------------------------------


@case
def drawn_boxes(tf):
    boxes = [
        [0.1, 0.1, 0.5, 0.5],
        [0.2, 0.3, 0.9, 0.95],
        [-0.2, 0.2, 0.5, 1.4],
        [0.5, 0.5, 0.2, 0.2],
        [1.2, 1.2, 1.5, 1.5],
        [0, 0, 1, 1],
    ]
    draw, colors = tf.image.draw_bounding_boxes, [[1, 0.5, 0, 0.3], [0.2, 0.3, 0.4, 0.5]]
    return [
        draw(tf.zeros([1, 12, 11, channels]), [boxes[:count]])
        for channels, count in ((4, 6), (3, 3), (1, 2))
    ] + [
        draw(tf.zeros([1, 12, 11, 4]), [boxes], colors=colors),
        draw(tf.zeros([1, 12, 11, 3], tf.float16), [boxes], "drawn", colors),
        tf.compat.v2.image.draw_bounding_boxes(tf.zeros([1, 7, 7, 3]), [boxes[:2]], colors),
        draw(tf.zeros([1, 7, 7, 3]), tf.zeros([1, 0, 4])),
    ]


@case
def glimpses(tf):
    results = []
    for offsets in ([[0, 0], [0.5, -0.5]], [[0.3, 0.7], [-0.9, 0.2]], [[1, 2], [3, -1]]):
        for centered in (True, False):
            for normalized in (True, False):
                results.append(
                    tf.compat.v2.image.extract_glimpse(
                        IMAGES, [3, 2], offsets, centered, normalized, noise="zero"
                    )
                )
    return results


@case
def glimpses_within(tf):
    return tf.image.extract_glimpse(IMAGES, [3, 2], [[0.0, 0.0], [0.2, -0.2]], name="seen")


TRANSFORMS = np.float32([[1, 0, 1.3, 0, 1, -0.7, 0, 0], [0.8, 0.2, -2, -0.3, 1.1, 3, 0.05, -0.02]])


def _transformed(interpolation, fill_mode):
    def program(tf):
        images, raw = tf.constant(IMAGES), tf.raw_ops
        modes = {"interpolation": interpolation, "fill_mode": fill_mode}
        results = [
            raw.ImageProjectiveTransformV2(
                images=images, transforms=TRANSFORMS, output_shape=[4, 7], **modes
            ),
            raw.ImageProjectiveTransformV3(
                images=images,
                transforms=TRANSFORMS[1:],
                output_shape=[5, 6],
                fill_value=2.5,
                **modes,
            ),
        ]
        if interpolation == "NEAREST":  # which pixel is nearest hangs on the last bit of inverses
            return results
        gradients = [tf.gradients(result * result, images)[0] for result in results]
        reason = "positions in float32, of inverse matrices"
        return Case([results, gradients], tolerance=5e-5, reason=reason)

    return program


for _interpolation in ("BILINEAR", "NEAREST"):
    for _mode in ("CONSTANT", "REFLECT", "WRAP", "NEAREST"):
        case(f"transform_{_interpolation}_{_mode}".lower())(_transformed(_interpolation, _mode))


@case
def transforms_of_dtypes(tf):
    return {
        dtype: tf.raw_ops.ImageProjectiveTransformV3(
            images=tf.cast(tf.constant(IMAGES * 100), dtype),
            transforms=TRANSFORMS,
            output_shape=[4, 7],
            fill_value=2.5,
            interpolation="NEAREST",
        )
        for dtype in ("uint8", "int32", "int64", "float16", "float64")
    }


# --- sampled boxes --------------------------------------------------------------------------------

OBJECTS = np.float32([[[0.1, 0.2, 0.6, 0.7], [0.5, 0.5, 0.9, 0.95]]])
_SAMPLES = {
    "image": {"bounding_boxes": NO_BOXES, "use_image_if_no_bounding_boxes": True},
    "objects": {"bounding_boxes": OBJECTS},
    "most": {"bounding_boxes": OBJECTS, "min_object_covered": 0.7},
    "few_attempts": {"bounding_boxes": OBJECTS, "min_object_covered": 0.9, "max_attempts": 3},
    "large": {"bounding_boxes": OBJECTS, "area_range": [0.5, 0.9]},
    "square": {"bounding_boxes": OBJECTS, "aspect_ratio_range": [1.0, 1.0]},
    "wide": {"bounding_boxes": OBJECTS, "aspect_ratio_range": [5.0, 6.0]},
}


def _sampled(arguments):
    def program(tf):
        sample = tf.image.sample_distorted_bounding_box
        stateless = tf.compat.v2.image.stateless_sample_distorted_bounding_box
        return Case(
            [
                sample([40, 60, 3], seed=3, seed2=5, **arguments),
                sample(np.int16([300, 7, 3]), seed=1, **arguments),
                tf.compat.v2.image.sample_distorted_bounding_box([50, 30, 1], seed=9, **arguments),
                stateless([40, 60, 3], seed=[3, 5], **arguments),
            ],
            runs=6,
        )

    return program


for _name, _arguments in _SAMPLES.items():
    case(f"sampled_{_name}")(_sampled(_arguments))


@case
def proposal_shapes(tf):
    scores, deltas = tf.zeros([1, 2, 3, 4]), tf.zeros([1, 2, 3, 16])
    info, anchors = tf.zeros([1, 5]), tf.zeros([2, 3, 4])
    propose, unknown = tf.image.generate_bounding_box_proposals, tf.placeholder(tf.float32)
    proposals = [
        *propose(scores, deltas, info, anchors, min_size=16.0),
        *propose(scores, deltas, info, anchors, 0.5, 100, 2.0, post_nms_topn=7, name="few"),
        *propose(unknown, unknown, unknown, unknown, min_size=16.0),
    ]
    return [[str(tensor.shape), tensor.name] for tensor in proposals]


def _suppress(**changed):
    arguments = {"boxes": BOXES, "scores": SCORES, "max_output_size": 3, **changed}
    return lambda tf: tf.image.non_max_suppression(**arguments)


error_cases(
    suppression_count=_suppress(max_output_size=-1),
    suppression_threshold=_suppress(iou_threshold=1.5),
    suppression_nan=_suppress(iou_threshold=float("nan")),
    suppression_boxes=_suppress(boxes=BOXES[:, :3]),
    suppression_scores=_suppress(scores=SCORES[:3]),
    suppression_sigma=lambda tf: tf.image.non_max_suppression_with_scores(
        BOXES, SCORES, 3, soft_nms_sigma=-0.1
    ),
    padded_batch=lambda tf: tf.image.non_max_suppression_padded(
        tf.constant(BOXES[None]), tf.constant(SCORES[None]), 3
    ),
    combined_sets=lambda tf: tf.image.combined_non_max_suppression(
        np.zeros([1, 4, 2, 4], np.float32), np.zeros([1, 4, 3], np.float32), 2, 5
    ),
    combined_total=lambda tf: tf.image.combined_non_max_suppression(
        BOXES[None, :, None], SCORES[None, :, None], 2, 0
    ),
    crop_owner=lambda tf: tf.image.crop_and_resize(IMAGES, CROPS, OWNERS + 1, [3, 3]),
    crop_size=lambda tf: tf.image.crop_and_resize(IMAGES, CROPS, OWNERS, [0, 3]),
    crop_nan=lambda tf: tf.image.crop_and_resize(IMAGES, CROPS * np.float32("nan"), OWNERS, [3, 3]),
    crop_rank=lambda tf: tf.image.crop_and_resize(IMAGES[0], CROPS, OWNERS, [3, 3]),
    patch_batch=lambda tf: tf.image.extract_patches(
        IMAGES, [2, 1, 1, 1], [1, 1, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    patch_stride=lambda tf: tf.image.extract_patches(
        IMAGES, [1, 1, 1, 1], [1, 0, 1, 1], [1, 1, 1, 1], "VALID"
    ),
    draw_channels=lambda tf: tf.image.draw_bounding_boxes(IMAGES, OBJECTS),
    draw_batch=lambda tf: tf.image.draw_bounding_boxes(tf.zeros([2, 3, 3, 3]), OBJECTS),
    draw_colors=lambda tf: tf.image.draw_bounding_boxes(
        tf.zeros([1, 3, 3, 3]), OBJECTS, colors=[[1.0]]
    ),
    glimpse_offsets=lambda tf: tf.image.extract_glimpse(IMAGES, [3, 2], [[0.0, 0.0]]),
    sample_nothing=lambda tf: tf.image.sample_distorted_bounding_box([4, 4, 3], NO_BOXES),
    sample_outside=lambda tf: tf.image.sample_distorted_bounding_box([4, 4, 3], OBJECTS * 2),
    sample_size=lambda tf: tf.image.sample_distorted_bounding_box([4, 4], OBJECTS),
    sample_areas=lambda tf: tf.image.sample_distorted_bounding_box(
        [4, 4, 3], OBJECTS, area_range=[0.5, 1.2]
    ),
    proposal_rank=lambda tf: tf.image.generate_bounding_box_proposals(
        tf.zeros([2, 3, 4]), tf.zeros([1, 2, 3, 16]), tf.zeros([1, 5]), tf.zeros([2, 3, 4])
    ),
    transform_values=lambda tf: tf.raw_ops.ImageProjectiveTransformV2(
        images=IMAGES, transforms=TRANSFORMS[:, :7], output_shape=[3, 3], interpolation="NEAREST"
    ),
)
