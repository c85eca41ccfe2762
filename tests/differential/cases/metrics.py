"""tf.metrics: values and updates over several steps, weights, thresholds, collections, errors."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_case
from ..inputs import uniform

BATCHES = 3
SCORES = uniform(0.0, 1.0, (BATCHES, 4, 2), seed=1)
TRUTH = uniform(0.0, 1.0, (BATCHES, 4, 2), seed=2).round()
GUESSES = uniform(0.0, 1.0, (BATCHES, 4, 2), seed=3).round()
CLASSES = (uniform(0.0, 1.0, (BATCHES, 6), seed=4) * 4).astype(np.int64)
OTHERS = (uniform(0.0, 1.0, (BATCHES, 6), seed=5) * 4).astype(np.int64)
WEIGHTS = {
    "none": None,
    "number": 0.5,
    "column": uniform(0.0, 2.0, (BATCHES, 4, 1), seed=6),
    "all": uniform(0.0, 2.0, (BATCHES, 4, 2), seed=7),
    "zeros": np.zeros((BATCHES, 4, 1), np.float32),
}
THRESHOLDS = [0.2, 0.5, 0.8]


def _followed(tf, value, update_op, feeds):
    """The metric after each update, and what each update gives, over all batches."""

    def body(session):
        session.run(tf.local_variables_initializer())
        results = {"before": session.run(value)}
        for batch in range(BATCHES):
            given = {key: batches[batch] for key, batches in feeds.items()}
            results[f"update_{batch}"] = session.run(update_op, given)
            results[f"value_{batch}"] = session.run(value, given)
        return results

    return Script(body)


def _program(name, inputs, kind="none", static=True, **arguments):
    """A metric of placeholders: `inputs` are the batches of labels and predictions (or values)."""

    def program(tf):
        feeds, operands = {}, []
        for array in inputs:
            shape = array.shape[1:] if static else None
            operands.append(tf.placeholder(array.dtype, shape))
            feeds[operands[-1]] = array
        weights = WEIGHTS[kind]
        if isinstance(weights, np.ndarray):
            fed = tf.placeholder(tf.float32, weights.shape[1:] if static else None)
            feeds[fed] = weights
            weights = fed
        value, update_op = getattr(tf.metrics, name)(*operands, weights=weights, **arguments)
        return _followed(tf, value, update_op, feeds)

    return program


#: Name → (inputs, arguments).
METRICS = {
    "mean": ([SCORES], {}),
    "mean_tensor": ([SCORES], {}),
    "accuracy": ([TRUTH, GUESSES], {}),
    "percentage_below": ([SCORES], {"threshold": 0.5}),
    "mean_absolute_error": ([TRUTH, SCORES], {}),
    "mean_squared_error": ([TRUTH, SCORES], {}),
    "root_mean_squared_error": ([TRUTH, SCORES], {}),
    "mean_relative_error": (
        [TRUTH, SCORES],
        {"normalizer": np.float32([[1, 0], [2, 1], [0, 1], [1, 4]])},
    ),
    "mean_cosine_distance": ([TRUTH, SCORES], {"dim": 1}),
    "true_positives": ([TRUTH, GUESSES], {}),
    "true_negatives": ([TRUTH, GUESSES], {}),
    "false_positives": ([TRUTH, GUESSES], {}),
    "false_negatives": ([TRUTH, GUESSES], {}),
    "precision": ([TRUTH, GUESSES], {}),
    "recall": ([TRUTH, GUESSES], {}),
    "true_positives_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "true_negatives_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "false_positives_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "false_negatives_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "precision_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "recall_at_thresholds": ([TRUTH, SCORES], {"thresholds": THRESHOLDS}),
    "auc": ([TRUTH, SCORES], {"num_thresholds": 11}),
    "sensitivity_at_specificity": ([TRUTH, SCORES], {"specificity": 0.6, "num_thresholds": 11}),
    "specificity_at_sensitivity": ([TRUTH, SCORES], {"sensitivity": 0.6, "num_thresholds": 11}),
}
for _name, (_inputs, _arguments) in METRICS.items():
    for _kind in WEIGHTS:
        if _name == "mean_cosine_distance" and _kind == "all":
            continue  # one weight for each vector
        case(f"{_name}_{_kind}")(_program(_name, _inputs, _kind, **_arguments))
    if _name not in ("mean_tensor", "mean_relative_error"):
        case(f"{_name}_of_unknown_shapes")(_program(_name, _inputs, static=False, **_arguments))

for _curve in ("ROC", "PR"):
    for _method in ("trapezoidal", "careful_interpolation", "minoring", "majoring"):
        for _kind in ("none", "column"):
            case(f"auc_{_curve}_{_method}_{_kind}")(
                _program(
                    "auc",
                    [TRUTH, SCORES],
                    _kind,
                    num_thresholds=7,
                    curve=_curve,
                    summation_method=_method,
                )
            )
case("auc_of_thresholds")(_program("auc", [TRUTH, SCORES], thresholds=[0.7, 0.1, 0.4]))
case("auc_of_integers")(_program("auc", [TRUTH.astype(np.int32), SCORES], num_thresholds=7))
case("auc_of_bools")(_program("auc", [TRUTH.astype(bool), SCORES], num_thresholds=7))
case("accuracy_of_other_dtypes")(
    _program("accuracy", [TRUTH.astype(np.int64), GUESSES.astype(np.int32)])
)
case("accuracy_of_columns")(_program("accuracy", [TRUTH[..., :1], GUESSES[..., 0]]))
case("mean_of_integers")(_program("mean", [CLASSES]))
case("mean_squared_error_of_columns")(
    _program("mean_squared_error", [TRUTH[..., 0], SCORES[..., :1]])
)
for _name in ("mean_iou", "mean_per_class_accuracy"):
    case(_name)(_program(_name, [CLASSES, OTHERS], num_classes=5))
    case(f"{_name}_of_matrices")(
        _program(_name, [CLASSES.reshape(3, 2, 3), OTHERS.reshape(3, 2, 3)], num_classes=4)
    )
    case(f"{_name}_of_other_dtypes")(
        _program(_name, [CLASSES.astype(np.int32), OTHERS], num_classes=4)
    )


# --- ranked classes -------------------------------------------------------------------------------

RANKED = uniform(0.0, 1.0, (BATCHES, 3, 5), seed=8)
TOP = np.argsort(-RANKED, axis=-1)[..., :2].astype(np.int64)
SETS = np.int64([[[0, 1], [2, 2], [4, -1]], [[1, 3], [0, 4], [2, 1]], [[3, 3], [1, 0], [2, 4]]])
ROWS = {"none": None, "number": 2.0, "rows": uniform(0.0, 2.0, (BATCHES, 3), seed=9)}
WEIGHTS |= {f"ranked_{key}": value for key, value in ROWS.items()}


def _sparse(labels):
    """The labels of one example a row, as indices, values and shape."""
    indices = np.argwhere(labels >= 0)
    return indices, labels[tuple(indices.T)], np.int64(labels.shape)


def _of_sparse_labels(name, **arguments):
    def program(tf):
        labels = tf.sparse_placeholder(tf.int64, [3, 2])
        scores = tf.placeholder(tf.float32, [3, 5])
        value, update_op = getattr(tf.metrics, name)(labels, scores, **arguments)
        feeds = {labels: [_sparse(batch) for batch in SETS], scores: RANKED}
        return _followed(tf, value, update_op, feeds)

    return program


for _name in ("precision_at_k", "recall_at_k", "average_precision_at_k"):
    for _k in (1, 2, 3):
        case(f"{_name}_{_k}")(_program(_name, [SETS, RANKED], k=_k))
    for _kind in ("number", "rows"):
        case(f"{_name}_{_kind}")(_program(_name, [SETS, RANKED], f"ranked_{_kind}", k=2))
    case(f"{_name}_one_label")(_program(_name, [SETS[..., 0], RANKED], k=2))
    case(f"{_name}_sparse")(_of_sparse_labels(_name, k=2))
    if _name != "average_precision_at_k":
        for _class in (1, 4):
            case(f"{_name}_class_{_class}")(
                _program(_name, [SETS, RANKED], "ranked_rows", k=3, class_id=_class)
            )
        case(f"{_name}_sparse_class")(_of_sparse_labels(_name, k=3, class_id=2))
        case(f"{_name}_of_unknown_shapes")(_program(_name, [SETS, RANKED], static=False, k=2))
case("average_precision_out_of_range")(_program("average_precision_at_k", [SETS * 2, RANKED], k=2))
for _name in ("precision_at_top_k", "recall_at_top_k"):
    case(_name)(_program(_name, [SETS, TOP]))
    case(f"{_name}_of_integers")(_program(_name, [SETS, TOP.astype(np.int32)], k=2, class_id=1))
case("sparse_precision_at_k")(_program("sparse_precision_at_k", [SETS, RANKED], k=2))
case("sparse_average_precision_at_k")(
    _program("sparse_average_precision_at_k", [SETS, RANKED], k=2)
)


# --- variables, collections, empty batches --------------------------------------------------------


@case
def names_and_collections(tf):
    x = tf.placeholder_with_default([1.0, 2.0], [None])
    results = []
    for name in (None, "mine", None):
        value, update_op = tf.metrics.mean(
            x, metrics_collections=["values"], updates_collections=["updates", "more"], name=name
        )
        results += [value.name, update_op.name]
    with tf.variable_scope("outer"):
        value, update_op = tf.metrics.recall([1, 0], [1, 1], metrics_collections="values")
        results += [value.name, update_op.name]
    for key in ("values", "updates", "more", tf.GraphKeys.LOCAL_VARIABLES, "metric_variables"):
        results.append([item.name for item in tf.get_collection(key)])
    results.append([variable.name for variable in tf.trainable_variables()])
    results.append([variable.name for variable in tf.global_variables()])
    return results


@case
def resource_variables(tf):
    with tf.variable_scope("scope", use_resource=True):
        value, update_op = tf.metrics.mean(tf.constant([1.0, 3.0]))
        other, other_update = tf.metrics.precision([1, 1], [1, 0])
    variables = tf.local_variables()

    def body(session):
        session.run(tf.local_variables_initializer())
        return [session.run([update_op, other_update]), session.run([value, other])]

    names = [type(variable).__name__ for variable in variables]
    return Script(lambda session: [names, *body(session)])


@case
def empty_batches(tf):
    empty, none = tf.zeros([0, 2]), tf.zeros([0], tf.int64)
    pairs = [
        tf.metrics.mean(empty),
        tf.metrics.accuracy(none, none),
        tf.metrics.precision(empty, empty),
        tf.metrics.recall(empty, empty),
        tf.metrics.auc(empty, empty, num_thresholds=3),
        tf.metrics.mean_iou(none, none, 3),
        tf.metrics.mean_squared_error(empty, empty),
        tf.metrics.true_positives(empty, empty),
    ]
    return Case(pairs, setup=[tf.local_variables_initializer()])


@case
def fresh_values(tf):
    x = tf.placeholder(tf.float32, [2])
    values = [
        tf.metrics.mean(x)[0],
        tf.metrics.accuracy(x, x)[0],
        tf.metrics.auc(x, x, num_thresholds=3)[0],
        tf.metrics.mean_tensor(x)[0],
        tf.metrics.root_mean_squared_error(x, x)[0],
        tf.metrics.mean_cosine_distance(x, x, 0)[0],
        tf.metrics.sensitivity_at_specificity(x, x, 0.5, num_thresholds=3)[0],
        tf.metrics.mean_iou(tf.constant([1]), tf.constant([1]), 2)[0],
        tf.metrics.mean_per_class_accuracy(tf.constant([1]), tf.constant([1]), 2)[0],
    ]
    return Case(values, setup=[tf.local_variables_initializer()])


def _updated(tf, pair):
    return Case(pair[1], setup=[tf.local_variables_initializer()])


ERRORS = {
    "shapes": lambda tf: tf.metrics.accuracy(tf.zeros([2]), tf.zeros([3])),
    "ranks": lambda tf: tf.metrics.mean_squared_error(tf.zeros([2, 2]), tf.zeros([2])),
    "weights": lambda tf: tf.metrics.mean(tf.zeros([2, 3]), weights=tf.zeros([3])),
    "weights_size": lambda tf: tf.metrics.mean(tf.zeros([2, 3]), weights=tf.zeros([2, 2])),
    "weights_rank": lambda tf: tf.metrics.mean(tf.zeros([2]), weights=tf.zeros([2, 1, 1])),
    "count_weights_rank": lambda tf: tf.metrics.true_positives(
        tf.zeros([2, 2, 2]), tf.zeros([2, 2, 2]), weights=tf.zeros([2])
    ),
    "curve": lambda tf: tf.metrics.auc(tf.zeros([2]), tf.zeros([2]), curve="roc"),
    "method": lambda tf: tf.metrics.auc(tf.zeros([2]), tf.zeros([2]), summation_method="other"),
    "specificity": lambda tf: tf.metrics.sensitivity_at_specificity(
        tf.zeros([2]), tf.zeros([2]), 1.5
    ),
    "sensitivity": lambda tf: tf.metrics.specificity_at_sensitivity(
        tf.zeros([2]), tf.zeros([2]), -0.5
    ),
    "predictions_above_one": lambda tf: _updated(
        tf, tf.metrics.auc(tf.zeros([2]), tf.placeholder_with_default([0.5, 1.5], [2]))
    ),
    "predictions_above_one_at_once": lambda tf: tf.metrics.auc(
        tf.zeros([2]), tf.constant([0.5, 1.5])
    ),
    "predictions_below_zero": lambda tf: _updated(
        tf,
        tf.metrics.recall_at_thresholds(
            tf.zeros([2]), tf.placeholder_with_default([0.5, -1.5], [2]), [0.5]
        ),
    ),
    "classes": lambda tf: _updated(tf, tf.metrics.mean_iou(tf.constant([3]), tf.constant([0]), 2)),
    "classes_per_class": lambda tf: _updated(
        tf, tf.metrics.mean_per_class_accuracy(tf.constant([3]), tf.constant([0]), 2)
    ),
    "k": lambda tf: tf.metrics.average_precision_at_k(
        tf.zeros([1, 2], tf.int64), tf.zeros([1, 3]), 0
    ),
    "k_above_classes": lambda tf: tf.metrics.precision_at_k(
        tf.zeros([1, 2], tf.int64), tf.zeros([1, 3]), 4
    ),
    "labels_of_other_dtype": lambda tf: tf.metrics.precision_at_k(
        tf.zeros([1, 2], tf.int32), tf.zeros([1, 3]), 2
    ),
    "labels_of_other_rank": lambda tf: tf.metrics.recall_at_k(
        tf.zeros([1, 2, 1], tf.int64), tf.zeros([1, 3]), 2
    ),
    "none": lambda tf: tf.metrics.mean(None),
    "uninitialized": lambda tf: tf.metrics.mean(tf.zeros([2]))[0],
}
for _name, _one in ERRORS.items():
    error_case(f"error_{_name}")(_one)
