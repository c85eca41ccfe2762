"""tf.losses: reductions, weights of all shapes that broadcast, dtypes, gradients, collections."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_case
from ..inputs import normal, uniform

LOSSES = {
    "absolute_difference": {},
    "mean_squared_error": {},
    "huber_loss": {},
    "log_loss": {},
    "hinge_loss": {},
    "cosine_distance": {"axis": 1},
    "sigmoid_cross_entropy": {},
    "softmax_cross_entropy": {},
}
PAIRWISE = "mean_pairwise_squared_error"
REDUCTIONS = (
    "none",
    "weighted_sum",
    "weighted_mean",
    "weighted_sum_over_batch_size",
    "weighted_sum_by_nonzero_weights",
)
WEIGHTS = {
    "number": 0.5,
    "zero": 0.0,
    "column": [[1.0], [0.0], [2.0]],
    "row": [[1.0, 0.5]],
    "one": [[2.0]],
    "all": [[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]],
    "integers": [[1], [0], [2]],
}


def _operands(tf, dtype="float32"):
    labels = tf.constant(uniform(0, 1, (3, 2), seed=1).round(), dtype)
    return labels, tf.constant(uniform(0.1, 0.9, (3, 2)))


def _weights_of(name, weights):
    """Weights that fit the losses: cross entropies and distances lose or keep a dimension."""
    array = np.asarray(weights)
    if array.ndim < 2:
        return array
    if name == "softmax_cross_entropy":
        return array[:, 0]
    return array[:, :1] if name == "cosine_distance" else array


def _reductions(name):
    def program(tf):
        labels, predictions = _operands(tf)
        loss, results = getattr(tf.losses, name), {}
        for reduction in REDUCTIONS:
            for kind, weights in WEIGHTS.items():
                value = loss(
                    labels,
                    predictions,
                    weights=_weights_of(name, weights),
                    reduction=reduction,
                    **LOSSES[name],
                )
                results[f"{reduction}_{kind}"] = value
        results["count"] = len(tf.losses.get_losses())
        return results

    return program


def _weights_known_in_the_run(name):
    def program(tf):
        labels, predictions = _operands(tf)
        loss, results = getattr(tf.losses, name), {}
        for kind, weights in WEIGHTS.items():
            array = np.asarray(_weights_of(name, weights), np.float32)
            for shape in (None, [None] * array.ndim):
                fed = tf.placeholder_with_default(array, shape)
                key = f"{kind}_{'rank' if shape is None else 'sizes'}"
                results[key] = loss(labels, predictions, weights=fed, **LOSSES[name])
        return results

    return program


def _gradients(name):
    def program(tf):
        labels, predictions = _operands(tf)
        weights = tf.constant(_weights_of(name, WEIGHTS["column"]), tf.float32)
        value = getattr(tf.losses, name)(labels, predictions, weights=weights, **LOSSES[name])
        return tf.gradients(value, [labels, predictions, weights])

    return program


def _fed_operands(name):
    def program(tf):
        labels = tf.placeholder(tf.float32)
        predictions = tf.placeholder(tf.float32, [None, None])
        value = getattr(tf.losses, name)(labels, predictions, **LOSSES[name])
        feeds = {labels: uniform(0, 1, (3, 2), seed=1).round(), predictions: normal(3, 2)}
        feeds[predictions] = abs(feeds[predictions])
        return Case(value, feeds)

    return program


for _name in LOSSES:
    case(f"reductions_{_name}")(_reductions(_name))
    case(f"fed_weights_{_name}")(_weights_known_in_the_run(_name))
    case(f"gradients_{_name}")(_gradients(_name))
    case(f"fed_{_name}")(_fed_operands(_name))


@case
def integer_labels(tf):
    labels, predictions = _operands(tf, "int32")
    return [
        getattr(tf.losses, name)(labels, predictions, **arguments)
        for name, arguments in LOSSES.items()
    ]


@case
def integer_predictions(tf):
    labels, predictions = tf.constant([1, 2, 4]), tf.constant([1, 3, 9])
    return [
        tf.losses.mean_squared_error(labels, predictions),
        tf.losses.absolute_difference(labels, predictions),
        tf.losses.huber_loss(labels, predictions, delta=2.0),
    ]


@case
def dtypes_of_weighted_losses(tf):
    return [
        tf.losses.compute_weighted_loss(tf.constant([1, 3, 4], dtype), weights=[1, 0, 1])
        for dtype in ("float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8")
    ]


@case
def pairwise(tf):
    labels, predictions = _operands(tf)
    volumes = tf.constant(normal(2, 3, 4)), tf.constant(normal(2, 3, 4, seed=3))
    loss = tf.losses.mean_pairwise_squared_error
    return {
        "plain": loss(labels, predictions),
        "number": loss(labels, predictions, weights=2.0),
        "column": loss(labels, predictions, weights=[[1.0], [0.0], [2.0]]),
        "zero": loss(labels, predictions, weights=0.0),
        "volumes": loss(*volumes),
        "volume_weights": loss(*volumes, weights=[[[1.0]], [[0.5]]]),
        "vector": loss(labels[:, 0], predictions[:, 0]),
        "one_element": loss(labels[:, :1], predictions[:, :1]),
        "gradients": tf.gradients(loss(labels, predictions), predictions),
    }


@case
def label_smoothing(tf):
    logits = tf.constant(normal(3, 4))
    labels = tf.constant(np.eye(4, dtype=np.int32)[[1, 0, 3]])
    return [
        tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=s) for s in (0, 0.1, 1.0)
    ] + [tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=s) for s in (0, 0.1, 1.0)]


@case
def halves(tf):
    logits = tf.constant(normal(3, 4), tf.float16)
    labels = np.eye(4)[[1, 0, 3]]
    return [
        tf.losses.softmax_cross_entropy(labels, logits),
        tf.losses.sigmoid_cross_entropy(labels, logits),
        tf.losses.sparse_softmax_cross_entropy([1, 0, 3], logits),
    ]


@case
def sparse_labels(tf):
    logits = tf.constant(normal(3, 4))
    loss = tf.losses.sparse_softmax_cross_entropy
    unknown = tf.placeholder_with_default(np.int64([[1], [0], [3]]), None)
    weights = tf.placeholder_with_default(np.float32([[1.0], [0.0], [2.0]]), None)
    return {
        "vector": loss([1, 0, 3], logits),
        "column": loss([[1], [0], [3]], logits),
        "weights": loss([1, 0, 3], logits, weights=[1.0, 0.0, 2.0]),
        "weight_column": loss([1, 0, 3], logits, weights=[[1.0], [0.0], [2.0]]),
        "unknown": loss(unknown, logits),
        "unknown_weights": loss([1, 0, 3], logits, weights=weights),
        "all_unknown": loss(unknown, logits, weights=weights),
        "none": loss([1, 0, 3], logits, reduction="none"),
    }


@case
def empty_losses(tf):
    empty = tf.zeros([0, 2])
    return [
        tf.losses.mean_squared_error(empty, empty),
        tf.losses.mean_squared_error(empty, empty, reduction="weighted_mean"),
        tf.losses.absolute_difference(empty, empty, reduction="weighted_sum"),
        tf.losses.compute_weighted_loss(tf.zeros([0])),
        tf.losses.mean_pairwise_squared_error(empty, empty),
        tf.losses.softmax_cross_entropy(empty, empty),
    ]


@case
def collections_of_losses(tf):
    with tf.name_scope("first"):
        one = tf.losses.mean_squared_error([1.0], [3.0])
    two = tf.losses.absolute_difference([1.0], [3.0], scope="second", loss_collection="mine")
    tf.losses.hinge_loss([1.0], [3.0], loss_collection=None)
    tf.losses.add_loss(tf.constant(10.0))
    tf.losses.add_loss(tf.constant(20.0), loss_collection=None)
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(100.0, name="first/r"))
    return [
        one.name,
        two.name,
        [loss.name for loss in tf.losses.get_losses()],
        [loss.name for loss in tf.losses.get_losses(loss_collection="mine")],
        [loss.name for loss in tf.losses.get_losses(scope="first")],
        [loss.name for loss in tf.losses.get_regularization_losses()],
        tf.losses.get_total_loss(),
        tf.losses.get_total_loss(add_regularization_losses=False),
        tf.losses.get_total_loss(scope="first"),
        tf.losses.get_regularization_loss(),
        tf.losses.get_regularization_loss(scope="nowhere"),
        list(tf.losses.Reduction.all()),
    ]


def _of(tf, name, *shapes, **arguments):
    return getattr(tf.losses, name)(*(tf.zeros(shape) for shape in shapes), **arguments)


def _fed_weights(tf, weights):
    fed = tf.placeholder_with_default(np.zeros(weights, np.float32), None)
    return _of(tf, "mean_squared_error", [2, 3], [2, 3], weights=fed)


ERRORS = {
    **{f"shapes_{name}": (name, [2, 3], [2, 4], arguments) for name, arguments in LOSSES.items()},
    "shapes_pairwise": (PAIRWISE, [2, 3], [2, 4], {}),
    "ranks": ("mean_squared_error", [2, 1], [2], {}),
}
for _key, (_name, _first, _second, _arguments) in ERRORS.items():
    error_case(f"error_{_key}")(
        lambda tf, n=_name, a=_first, b=_second, k=_arguments: _of(tf, n, a, b, **k)
    )
for _shape in ([3], [2], [3, 2], [3, 3], [2, 2], [2, 3, 1], [1, 1, 1]):
    _text = "_".join(map(str, _shape))
    error_case(f"error_weights_{_text}")(
        lambda tf, s=_shape: _of(tf, "mean_squared_error", [2, 3], [2, 3], weights=tf.zeros(s))
    )
    error_case(f"error_fed_weights_{_text}")(lambda tf, s=_shape: _fed_weights(tf, s))
for _name in (*LOSSES, PAIRWISE):
    error_case(f"error_no_labels_{_name}")(
        lambda tf, n=_name: getattr(tf.losses, n)(None, tf.zeros([2, 2]), **LOSSES.get(n, {}))
    )
    error_case(f"error_no_predictions_{_name}")(
        lambda tf, n=_name: getattr(tf.losses, n)(tf.zeros([2, 2]), None, **LOSSES.get(n, {}))
    )


@error_case
def error_reduction(tf):
    return tf.losses.compute_weighted_loss([1.0], reduction="median")


@error_case
def error_axis(tf):
    return tf.losses.cosine_distance(tf.zeros([2, 2]), tf.zeros([2, 2]))


@error_case
def error_axis_and_dim(tf):
    return tf.losses.cosine_distance(tf.zeros([2, 2]), tf.zeros([2, 2]), axis=1, dim=1)


@error_case
def error_total_of_nothing(tf):
    return tf.losses.get_total_loss()


@error_case
def error_sparse_label(tf):
    return tf.losses.sparse_softmax_cross_entropy([0, 5], tf.zeros([2, 3]))


@error_case
def error_sparse_shapes(tf):
    return tf.losses.sparse_softmax_cross_entropy([0, 1, 2], tf.zeros([2, 3]))
