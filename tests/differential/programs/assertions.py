"""Programs that check their tensors: comparisons, signs, ranks, shapes, types."""

from __future__ import annotations


def comparisons(tf):
    """Each comparison of a placeholder, with data, messages, names and lengths of its own."""
    x = tf.placeholder(tf.float32, [2], name="x")
    whole = tf.placeholder(tf.int32, [], name="whole")
    checks = [
        tf.assert_equal(x, 1.0),
        tf.assert_none_equal(x, 1.0, message="told"),
        tf.assert_less(x, [1.0, 2.0], summarize=7),
        tf.assert_less_equal(x, 1.0, name="bound"),
        tf.assert_greater(x, 1.0, data=["is", x]),
        tf.assert_greater_equal(x, 1.0),
        tf.assert_equal(whole, 3, message="whole"),
        tf.assert_equal(x, x),
        tf.assert_near(x, 1.0),
        tf.assert_near(x, 1.0, rtol=0.1, message="near"),
        tf.debugging.assert_less(x, 5.0),
    ]
    with tf.control_dependencies(checks):
        return {"checked": tf.identity(x, name="checked")}


def signs(tf):
    """The signs of floats and integers, some of them known while the graph is built."""
    x = tf.placeholder(tf.float32, [2])
    return {
        "positive": tf.assert_positive(x),
        "negative": tf.assert_negative(x, message="told"),
        "non_negative": tf.assert_non_negative(tf.placeholder(tf.int32, [2])),
        "non_positive": tf.assert_non_positive(x, data=[x], name="other"),
        "known": tf.assert_positive([1.0, 2.0]),
    }


def ranks(tf):
    """Ranks that are known, that are not, and that a tensor gives."""
    known, unknown = tf.placeholder(tf.float32, [1, 2]), tf.placeholder(tf.float32)
    rank = tf.placeholder(tf.int32, [])
    return {
        "known": tf.assert_rank(known, 2),
        "unknown": tf.assert_rank(unknown, 2, message="told"),
        "given": tf.assert_rank(known, rank),
        "given_anyhow": tf.assert_rank(known, tf.placeholder(tf.int32)),
        "at_least": tf.assert_rank_at_least(unknown, 1),
        "at_least_known": tf.assert_rank_at_least(known, 1),
        "among": tf.assert_rank_in(unknown, [1, 2]),
        "among_given": tf.assert_rank_in(unknown, [1, rank]),
        "scalar": tf.assert_scalar(1.0),
        "type": tf.assert_type(known, tf.float32),
        "integer": tf.assert_integer(rank),
    }


def shapes(tf):
    """Sizes that several tensors share."""
    x, y = tf.placeholder(tf.float32, [None, 4]), tf.placeholder(tf.float32, [4, None])
    unknown = tf.placeholder(tf.float32)
    return {
        "sizes": tf.debugging.assert_shapes([(x, ("N", "M")), (y, ("M", "N"))], message="told"),
        "unknown": tf.debugging.assert_shapes(
            [(unknown, ("N", "M")), (y, ("M", "N"))], data=["d"], summarize=2, name="mine"
        ),
        "last": tf.debugging.assert_shapes([(unknown, (..., "M", 2))]),
        "scalars": tf.debugging.assert_shapes(
            [(tf.placeholder(tf.float32, []), ()), (unknown, ())]
        ),
        "any": tf.debugging.assert_shapes([(unknown, (None, 3, "."))]),
    }


def order_and_confusion(tf):
    """Whether elements rise, and the confusion matrix, which checks what it is given."""
    x = tf.placeholder(tf.int32, [None])
    return {
        "rises": tf.is_strictly_increasing(tf.placeholder(tf.float32), name="rises"),
        "does_not_fall": tf.is_non_decreasing(x),
        "matrix": tf.confusion_matrix(x, x),
        "weighted": tf.confusion_matrix([1, 2], [1, 0], 3, tf.float32, weights=[1.0, 2.0]),
        "column": tf.confusion_matrix([[1], [2]], [1, 0], num_classes=3, name="column"),
    }
