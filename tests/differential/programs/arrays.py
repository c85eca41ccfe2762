"""Programs of array manipulation: constants, joining, splitting, shapes, gathering."""

from __future__ import annotations

import numpy as np

from . import runs


def constant_forms(tf):
    """Constants from numbers, lists, arrays, strings, filled shapes and each dtype."""
    return {
        "scalars": [tf.constant(1), tf.constant(1.5), tf.constant(True), tf.constant("text")],
        "lists": [tf.constant([1, 2, 3]), tf.constant([[1.0], [2.0]]), tf.constant([], tf.float32)],
        "typed": [
            tf.constant(7, dtype)
            for dtype in (tf.float16, tf.float64, tf.int8, tf.uint8, tf.int16, tf.int64)
        ],
        "complex": tf.constant(1 + 2j),
        "strings": tf.constant([["a", "bc"], ["", "d\0e"]]),
        "bytes": tf.constant(b"\xff\x00"),
        "filled": [tf.constant(0.5, shape=[2, 3]), tf.constant([1, 2, 3], shape=[5])],
        "arrays": [tf.constant(np.eye(3)), tf.constant(np.arange(4, dtype=np.uint16))],
        "big": tf.constant(np.arange(600, dtype=np.float32).reshape(20, 30)),
        "bfloat": tf.constant([1.0, 2.5], tf.bfloat16),
        "special": tf.constant([np.inf, -np.inf, np.nan, -0.0], tf.float32),
    }


def filled_tensors(tf):
    """Zeros, ones, fills, ranges, likes and identities, small and large, known and computed."""
    size = tf.placeholder(tf.int32, [], name="size")
    template = tf.placeholder(tf.float32, [None, 3], name="template")
    points = {
        "zeros": tf.zeros([2, 3]),
        "int_zeros": tf.zeros([2], dtype=tf.int32),
        "text_zeros": tf.zeros([2], tf.string),
        "large_zeros": tf.zeros([64, 64]),
        "large_ones": tf.ones([1001]),
        "computed": tf.zeros(tf.stack([size, 4])),
        "ones_of_list": tf.ones([size, 2]),
        "scalar": tf.ones([]),
        "filled": tf.fill([2, 2], 9),
        "filled_computed": tf.fill(tf.expand_dims(size, 0), 1.5),
        "like": tf.zeros_like(template),
        "like_known": tf.ones_like(tf.constant([[1, 2]])),
        "like_typed": tf.zeros_like(template, dtype=tf.int64),
        "range": [tf.range(5), tf.range(1, 9, 2), tf.range(size), tf.range(0.0, 1.0, 0.25)],
        "line": tf.linspace(0.0, 1.0, 5),
        "identity": [tf.eye(3), tf.eye(2, 3, batch_shape=[2], dtype=tf.float64), tf.eye(size)],
    }
    return points


def joining_and_splitting(tf):
    """concat, stack, split by number and sizes, unstack, and their inverses."""
    left = tf.placeholder(tf.float32, [None, 4], name="left")
    right = tf.placeholder(tf.float32, [None, 2], name="right")
    joined = tf.concat([left, right], 1)
    halves = tf.split(left, 2, axis=1)
    pieces = tf.split(joined, [1, 2, 3], axis=-1, name="pieces")
    rest = tf.split(joined, [2, -1], 1)
    rows = tf.unstack(tf.ones([3, 2]))
    columns = tf.unstack(left, axis=1, name="columns")
    stacked = tf.stack(columns, axis=1)
    return {
        "joined": joined,
        "single": tf.concat([left], 0),
        "pieces": [*halves, *pieces, *rest],
        "rows": rows,
        "stacked": [stacked, tf.stack([1, 2, 3]), tf.stack(rows, axis=-1), tf.parallel_stack(rows)],
        "shapes": [joined.shape, pieces[2].shape, rest[1].shape, stacked.shape],
    }


def reshaping(tf):
    """Reshape by static and dynamic shapes, expand, squeeze, flatten, transpose, tile, pad."""
    images = tf.placeholder(tf.float32, [None, 4, 4, 1], name="images")
    shape = tf.shape(images)
    flat = tf.reshape(images, [shape[0], -1])
    points = {
        "flat": flat,
        "back": tf.reshape(flat, tf.shape(images)),
        "known": tf.reshape(tf.range(12), (3, -1)),
        "scalar": tf.reshape([3.0], tf.constant([], tf.int32)),
        "expanded": [tf.expand_dims(images, 0), tf.expand_dims(images, axis=-1)],
        "squeezed": [tf.squeeze(images, [3]), tf.squeeze(tf.ones([1, 2, 1]))],
        "squeezed_last": tf.squeeze(images, axis=-1),
        "transposed": [tf.transpose(images, [0, 3, 1, 2]), tf.transpose(tf.ones([2, 3]))],
        "tiled": [tf.tile(images, [1, 2, 1, 3]), tf.tile([1, 2], [2])],
        "padded": [
            tf.pad(images, [[0, 0], [1, 1], [2, 2], [0, 0]]),
            tf.pad(tf.ones([2, 2]), [[1, 0], [0, 1]], mode="REFLECT"),
            tf.pad(tf.ones([2]), [[1, 1]], constant_values=7.0),
        ],
        "reversed": [tf.reverse(images, [1]), tf.reverse_v2(tf.range(3), [0])],
        "rolled": tf.roll(tf.range(5), shift=2, axis=0),
    }
    lists = [value if isinstance(value, list) else [value] for value in points.values()]
    return {**points, "shapes": [point.shape for points in lists for point in points]}


def shapes_as_tensors(tf):
    """shape, size and rank of known and unknown tensors, and set_shape."""
    known = tf.ones([2, 3])
    partial = tf.placeholder(tf.float32, [None, 3], name="partial")
    unknown = tf.placeholder(tf.float32, name="unknown")
    points = {
        "known": [tf.shape(known), tf.size(known), tf.rank(known)],
        "partial": [tf.shape(partial), tf.size(partial), tf.rank(partial)],
        "unknown": [tf.shape(unknown), tf.size(unknown), tf.rank(unknown)],
        "wide": [tf.shape(partial, out_type=tf.int64), tf.size(known, out_type=tf.int64)],
        "several": tf.shape_n([known, partial]),
    }
    ensured = tf.ensure_shape(unknown, [None, 5])
    identity = tf.identity(unknown)
    identity.set_shape([None, None, 2])
    static = [known.shape, partial.get_shape(), unknown.shape, ensured.shape, identity.shape]
    sizes = [partial.shape[1].value, partial.shape.as_list(), known.shape.num_elements()]
    return {**points, "static": static, "sizes": sizes}


@runs
def gathering_and_scattering(tf):
    """gather along axes, gather_nd, scatter_nd, dynamic partition and stitch, where indices."""
    table = tf.constant(np.arange(12, dtype=np.float32).reshape(4, 3))
    rows = tf.constant([2, 0, 2])
    parts = tf.dynamic_partition(table, [0, 1, 0, 1], num_partitions=2)
    points = {
        "rows": tf.gather(table, rows),
        "columns": tf.gather(table, [0, 2], axis=1),
        "batched": tf.gather(table, [[0], [1], [2], [0]], axis=1, batch_dims=1),
        "items": tf.gather_nd(table, [[0, 1], [3, 2]]),
        "scattered": tf.scatter_nd([[1], [3]], [9.0, 10.0], shape=[5]),
        "parts": parts,
        "stitched": tf.dynamic_stitch([[0, 2], [1, 3]], parts),
        "indices": tf.where(table > 5.0),
        "unique": list(tf.unique([1, 1, 2, 4, 4])),
        "segments": tf.segment_sum(table, [0, 0, 1, 1]),
        "unsorted": tf.unsorted_segment_sum(table, [1, 0, 1, 0], 2),
        "inverse": tf.invert_permutation([2, 0, 1]),
        "sorted": tf.nn.top_k(table, 2, sorted=True)[0],
    }

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}


def encoding_and_casting(tf):
    """one_hot with its options, casts between kinds, bit casts and strings of numbers."""
    classes = tf.placeholder(tf.int32, [None], name="classes")
    values = tf.constant([1.7, -1.2])
    return {
        "hot": [
            tf.one_hot(classes, 5),
            tf.one_hot(classes, depth=3, on_value=0.9, off_value=0.1),
            tf.one_hot(classes, 3, axis=0, dtype=tf.int64),
            tf.one_hot([0, 2, -1], 3, True, False),
        ],
        "casts": [
            tf.cast(values, tf.int32),
            tf.cast(values, tf.float32),
            tf.cast(classes, tf.bool),
            tf.cast([True, False], tf.float32),
            tf.to_float(classes),
            tf.to_int64(values),
            tf.to_double(values),
            tf.bitcast(values, tf.int32),
            tf.as_string(classes),
            tf.string_to_number(["1.5", "2"]),
        ],
        "extremes": [
            tf.argmax(values),
            tf.argmin([[1, 2], [3, 0]], axis=1),
            tf.argmax(values, 0, output_type=tf.int32),
        ],
    }


def selecting(tf):
    """where with three arguments, of a vector condition over rows, and the broadcasting form."""
    condition = tf.placeholder(tf.bool, [3], name="condition")
    matrix = tf.ones([3, 2])
    points = {
        "rows": tf.where(condition, matrix, matrix * 2.0),
        "same": tf.where([True, False], [1, 2], [3, 4]),
        "indices": tf.where(condition),
        "broadcast": tf.where_v2(tf.expand_dims(condition, 1), matrix, 0.0),
        "masked": tf.boolean_mask(matrix, condition),
        "difference": tf.setdiff1d([1, 2, 3, 4], [2, 4])[0],
    }
    return {**points, "shapes": [point.shape for point in points.values()]}


@runs
def text_tensors(tf):
    """String ops: join, split by regex replace, hashing to buckets, substrings."""
    words = tf.constant(["tensor", "flow", ""])
    points = {
        "joined": tf.string_join([words, "!"], separator="-"),
        "reduced": tf.reduce_join(words, 0, separator=" "),
        "length": tf.strings.length(words),
        "part": tf.substr(words[:2], 1, 2),
        "bucket": tf.string_to_hash_bucket_fast(words, 10),
        "replaced": tf.regex_replace(words, "[eo]", "_"),
        "lower": tf.strings.lower("ABC"),
        "formatted": tf.strings.format("value {}", tf.constant([1, 2])),
    }

    def steps(session):
        return session.run(points)

    return {**points, "steps": steps}
