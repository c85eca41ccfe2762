"""Connectionist temporal classification: losses, gradients, decoders and label sequences."""

from __future__ import annotations

import numpy as np

from ..case import Case, case, error_cases
from ..inputs import normal

TIME, BATCH, CLASSES = 6, 3, 5
INDICES = [[0, 0], [0, 1], [0, 2], [1, 0], [2, 0], [2, 1]]
VALUES = [1, 1, 3, 2, 0, 2]
LENGTHS = [6, 4, 5]
LOGARITHMS = {"tolerance": 1e-5, "reason": "sums of exponentials in another order"}
SINGLE = {"tolerance": 2e-6, "reason": "TensorFlow keeps a beam's probabilities in float32"}


def logits(dtype="float32", time=TIME, batch=BATCH, classes=CLASSES, scale=1.0, seed=0):
    return (normal(time, batch, classes, dtype=dtype, seed=seed) * scale).astype(dtype)


def sparse_labels(tf, indices=INDICES, values=VALUES, batch=BATCH):
    return tf.SparseTensor(
        tf.constant(np.reshape(indices, (-1, 2)), tf.int64),
        tf.constant(values, tf.int32),
        tf.constant([batch, 4], tf.int64),
    )


def loss_and_gradient(tf, loss, inputs):
    weights = tf.constant([1.0, -2.0, 0.5], loss.dtype)
    return [loss, tf.gradients(loss * weights, inputs)[0]]


def _register_losses():
    flags = ("preprocess_collapse_repeated", "ctc_merge_repeated")
    for collapse in (False, True):
        for merge in (False, True):
            for dtype in ("float32", "float64"):

                @case(f"loss_{dtype}_{collapse}_{merge}")
                def loss(tf, dtype=dtype, values=(collapse, merge)):
                    inputs = tf.constant(logits(dtype))
                    attrs = dict(zip(flags, values))
                    losses = tf.nn.ctc_loss(sparse_labels(tf), inputs, LENGTHS, **attrs)
                    return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)

    for scale in (0.0, 10.0, 300.0):

        @case(f"loss_of_scale_{scale}")
        def scaled(tf, scale=scale):
            inputs = tf.constant(logits(scale=scale))
            losses = tf.nn.ctc_loss(sparse_labels(tf), inputs, LENGTHS)
            return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


_register_losses()


@case
def loss_of_batch_major(tf):
    inputs = tf.constant(logits().transpose(1, 0, 2))
    losses = tf.nn.ctc_loss(sparse_labels(tf), inputs, LENGTHS, time_major=False)
    return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


@case
def loss_by_keyword(tf):
    inputs = tf.constant(logits())
    losses = tf.nn.ctc_loss(labels=sparse_labels(tf), logits=inputs, sequence_length=LENGTHS)
    return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


@case
def loss_of_more_labels_than_time(tf):
    inputs = tf.constant(logits())
    losses = tf.nn.ctc_loss(
        sparse_labels(tf), inputs, [2, 1, 0], ignore_longer_outputs_than_inputs=True
    )
    return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


@case
def loss_of_repeats_without_time_for_a_blank(tf):
    inputs = tf.constant(logits())
    labels = sparse_labels(tf, values=[1, 1, 1, 2, 0, 2])
    losses = tf.nn.ctc_loss(labels, inputs, [4, 1, 2])
    return Case([losses, tf.gradients(losses, inputs)[0]], **LOGARITHMS)


@case
def loss_of_null_labels(tf):
    inputs = tf.constant(logits())
    labels = sparse_labels(tf, values=[1, 2, 4, 2, 0, 7])
    return Case(
        loss_and_gradient(tf, tf.nn.ctc_loss(labels, inputs, LENGTHS), inputs), **LOGARITHMS
    )


@case
def loss_of_gaps_between_labels(tf):
    inputs = tf.constant(logits())
    indices = [[0, 1], [0, 3], [1, 0], [2, 2]]
    labels = sparse_labels(tf, indices, [1, 2, 3, 0])
    return Case(
        loss_and_gradient(tf, tf.nn.ctc_loss(labels, inputs, LENGTHS), inputs), **LOGARITHMS
    )


@case
def loss_of_minus_infinity(tf):
    values = logits()
    values[:, :, 0] = -np.inf
    losses = tf.nn.ctc_loss(sparse_labels(tf, values=[1, 1, 3, 2, 3, 2]), values, LENGTHS)
    return Case(losses, **LOGARITHMS)


@case
def trained_logits(tf):
    inputs = tf.Variable(logits())
    loss = tf.reduce_mean(tf.nn.ctc_loss(sparse_labels(tf), inputs, LENGTHS))
    train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    with tf.control_dependencies([train]):
        after = tf.identity(loss)
    return Case(after, setup=[tf.global_variables_initializer()], runs=3, **LOGARITHMS)


DENSE = [[1, 1, 3, 0], [2, 0, 0, 0], [4, 2, 2, 1]]


def _register_dense():
    variants = {
        "default": {},
        "last_blank": {"blank_index": -1},
        "middle_blank": {"blank_index": 3, "labels": [[1, 1, 4, 3], [2] * 4, [4, 2, 2, 1]]},
        "negative_blank": {"blank_index": -2, "labels": [[1, 1, 4, 0], [2] * 4, [4, 2, 2, 1]]},
        "named": {"name": "mine"},
    }
    for label, attrs in variants.items():

        @case(f"dense_loss_{label}")
        def loss(tf, attrs=attrs):
            inputs = tf.constant(logits())
            others = {"labels": DENSE, **attrs}
            losses = tf.nn.ctc_loss_v2(
                tf.constant(others.pop("labels")), inputs, [3, 1, 4], LENGTHS, **others
            )
            return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)

    lengths = {
        "no_labels": ([0, 1, 4], LENGTHS),
        "no_time": ([3, 1, 4], [3, 0, 4]),
        "too_little_time": ([3, 1, 4], [2, 1, 3]),
        "more_time_than_there_is": ([3, 1, 4], [6, 9, 7]),
    }
    for label, (label_length, logit_length) in lengths.items():

        @case(f"dense_loss_{label}")
        def loss_of_lengths(tf, label=label, label_length=label_length, logit_length=logit_length):
            inputs = tf.constant(logits())
            losses = tf.nn.ctc_loss_v2(tf.constant(DENSE), inputs, label_length, logit_length)
            if label in ("no_time", "too_little_time"):
                return Case(losses, **LOGARITHMS)  # no path fits: gradients mean little
            return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


_register_dense()


@case
def dense_loss_of_batch_major(tf):
    inputs = tf.constant(logits().transpose(1, 0, 2))
    losses = tf.nn.ctc_loss_v2(
        tf.constant(DENSE, tf.int64), inputs, [3, 1, 4], LENGTHS, logits_time_major=False
    )
    return Case(loss_and_gradient(tf, losses, inputs), **LOGARITHMS)


@case
def dense_loss_with_unique_labels(tf):
    labels, inputs = tf.constant(DENSE), tf.constant(logits())
    losses = tf.nn.ctc_loss_v2(
        labels, inputs, [3, 1, 4], LENGTHS, unique=tf.nn.ctc_unique_labels(labels)
    )
    return Case(losses, **LOGARITHMS)


@case
def dense_loss_of_half_precision(tf):
    losses = tf.nn.ctc_loss_v2(
        tf.constant(DENSE), tf.constant(logits("float16")), [3, 1, 4], LENGTHS
    )
    return Case(losses, tolerance=1e-2, reason="TensorFlow sums in half precision")


@case
def dense_loss_fed(tf):
    labels, inputs = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.float32)
    inputs.set_shape([None, None, CLASSES])
    lengths = tf.placeholder(tf.int32, [2, None])
    losses = tf.nn.ctc_loss_v2(labels, inputs, lengths[0], lengths[1])
    feeds = {labels: DENSE, inputs: logits(), lengths: [[3, 1, 4], LENGTHS]}
    fetches = [*loss_and_gradient(tf, losses, inputs), str(losses.shape)]
    return Case(fetches, feeds, **LOGARITHMS)


@case
def loss_of_tf2_with_sparse_labels(tf):
    inputs = tf.constant(logits())
    losses = {}
    for blank in (0, 3, -1, 4):
        values = [1, 1, 2, 2, 4 if blank in (0, 3) else 0, 2]
        labels = sparse_labels(tf, values=values)
        loss = tf.nn.ctc_loss_v2(labels, inputs, None, LENGTHS, blank_index=blank)
        losses[str(blank)] = loss_and_gradient(tf, loss, inputs)
    batch_major = tf.transpose(inputs, [1, 0, 2])
    losses["batch_major"] = tf.nn.ctc_loss_v2(
        sparse_labels(tf), batch_major, None, LENGTHS, logits_time_major=False, blank_index=-1
    )
    return Case(losses, **LOGARITHMS)


def decoded(results):
    sequences, scores = results
    return [[[s.indices, s.values, s.dense_shape] for s in sequences], scores]


def _register_decoders():
    for dtype in ("float32", "float64"):
        for seed in range(2):

            @case(f"greedy_{dtype}_{seed}")
            def greedy(tf, dtype=dtype, seed=seed):
                inputs = tf.constant(logits(dtype, time=9, classes=3, seed=seed))
                return [
                    decoded(tf.nn.ctc_greedy_decoder(inputs, [9, 0, 5])),
                    decoded(tf.nn.ctc_greedy_decoder(inputs, [9, 8, 5], merge_repeated=False)),
                    decoded(tf.nn.ctc_greedy_decoder(inputs, [9, 8, 5], blank_index=0)),
                    decoded(tf.nn.ctc_greedy_decoder(inputs, [9, 8, 5], True, -2)),
                ]

    for width, paths in ((1, 1), (2, 2), (3, 1), (8, 4), (100, 3)):
        for dtype in ("float32", "float64"):
            _register_beams(width, paths, dtype)


def _register_beams(width, paths, dtype):
    @case(f"beams_{width}_{paths}_{dtype}")
    def beams(tf):
        fetches = []
        for seed, scale in ((0, 1.0), (1, 3.0), (2, 0.3)):
            inputs = tf.constant(logits(dtype, time=8, classes=4, seed=seed, scale=scale))
            arguments = (inputs, [8, 5, 6], width, paths)
            fetches.append(decoded(tf.nn.ctc_beam_search_decoder(*arguments)))
            fetches.append(decoded(tf.nn.ctc_beam_search_decoder_v2(*arguments)))
        return Case(fetches, **SINGLE)


_register_decoders()


@case
def beams_of_repeated_labels(tf):
    path = np.array([[1, 1, 3, 1, 1, 2], [0, 0, 0, 3, 0, 0]]).T
    inputs = tf.constant((np.eye(4)[path] * 4).astype(np.float32) + normal(6, 2, 4) * 0.1)
    fetches = [
        decoded(tf.nn.ctc_beam_search_decoder(inputs, [6, 6], 5, 2, merge_repeated=merge))
        for merge in (False, True)
    ]
    return Case(fetches, **SINGLE)


@case
def beams_without_time(tf):
    return decoded(tf.nn.ctc_beam_search_decoder(tf.constant(logits()), [0, 0, 0]))


@case
def beams_of_minus_infinity(tf):
    inputs = logits()
    inputs[:, :, 2] = -np.inf
    return Case(decoded(tf.nn.ctc_beam_search_decoder(inputs, LENGTHS, 6, 3)), **SINGLE)


def _register_labels():
    rows = {
        "plain": ([[1, 1, 2, 2, 1], [3, 3, 3, 3, 3], [0, 1, 0, 0, 2]], [5, 3, 4]),
        "empty_rows": ([[1, 1], [2, 3]], [0, 0]),
        "one_column": ([[1], [2]], [1, 0]),
    }
    for label, (labels, lengths) in rows.items():

        @case(f"collapse_{label}")
        def collapse(tf, labels=labels, lengths=lengths):
            collapsed, counts = tf.nn.collapse_repeated(labels, lengths)
            wide = tf.nn.collapse_repeated(tf.constant(labels, tf.int64), tf.constant(lengths))
            fed = tf.placeholder(tf.int32, [None, None])
            again = tf.nn.collapse_repeated(fed, lengths)
            shapes = [str(t.shape) for t in (collapsed, counts, *again)]
            return Case([collapsed, counts, list(wide), list(again), shapes], {fed: labels})

        @case(f"unique_{label}")
        def unique(tf, labels=labels):
            found = tf.nn.ctc_unique_labels(tf.constant(labels))
            return [found, [str(t.dtype.name) for t in found]]


_register_labels()


@case
def static_shapes(tf):
    unknown, lengths = tf.placeholder(tf.float32), tf.placeholder(tf.int32, [2])
    known = tf.placeholder(tf.float32, [5, None, 4])
    indices, values = tf.placeholder(tf.int64), tf.placeholder(tf.int32)

    def of_loss(inputs, op="CTCLoss"):
        return getattr(tf.raw_ops, op)(
            inputs=inputs, labels_indices=indices, labels_values=values, sequence_length=lengths
        )

    made = [
        *of_loss(known),
        *of_loss(unknown),
        *of_loss(known, "CTCLossV2"),
        *tf.raw_ops.CTCGreedyDecoder(inputs=known, sequence_length=lengths),
        *tf.raw_ops.CTCGreedyDecoder(inputs=unknown, sequence_length=values),
    ]
    for inputs in (known, unknown):
        sequences, scores = tf.nn.ctc_beam_search_decoder(inputs, lengths, top_paths=2)
        made += [scores, sequences[1].indices, sequences[0].values, sequences[1].dense_shape]
    return [str(tensor.shape) for tensor in made]


@case
def names(tf):
    inputs = tf.constant(logits())
    tf.nn.ctc_loss(sparse_labels(tf), inputs, LENGTHS)
    tf.nn.ctc_greedy_decoder(inputs, LENGTHS)
    tf.nn.ctc_beam_search_decoder(inputs, LENGTHS)
    tf.nn.ctc_loss(sparse_labels(tf), tf.transpose(inputs, [1, 0, 2]), LENGTHS, time_major=False)
    return [[op.name, op.type] for op in tf.get_default_graph().get_operations()]


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


def _loss_of(indices=INDICES, values=VALUES, lengths=LENGTHS, inputs=None, **attrs):
    def program(tf):
        return list(
            tf.raw_ops.CTCLoss(
                inputs=_fed(tf, logits() if inputs is None else inputs),
                labels_indices=_fed(tf, indices, tf.int64),
                labels_values=_fed(tf, values, tf.int32),
                sequence_length=_fed(tf, lengths, tf.int32),
                **attrs,
            )
        )

    return program


def _greedy(lengths=LENGTHS, inputs=None, **attrs):
    def program(tf):
        values = _fed(tf, logits() if inputs is None else inputs)
        return list(
            tf.raw_ops.CTCGreedyDecoder(
                inputs=values, sequence_length=_fed(tf, lengths, tf.int32), **attrs
            )
        )

    return program


def _beams(lengths=LENGTHS, inputs=None, beam_width=3, top_paths=1):
    def program(tf):
        values = _fed(tf, logits() if inputs is None else inputs)
        return tf.raw_ops.CTCBeamSearchDecoder(
            inputs=values,
            sequence_length=_fed(tf, lengths, tf.int32),
            beam_width=beam_width,
            top_paths=top_paths,
        ).log_probability

    return program


error_cases(
    not_enough_time=_loss_of(lengths=[2, 1, 2]),
    not_enough_time_after_collapse=_loss_of(lengths=[2, 4, 5], preprocess_collapse_repeated=True),
    length_beyond_time=_loss_of(lengths=[7, 4, 5]),
    negative_length=_loss_of(lengths=[-1, 4, 5]),
    negative_label=_loss_of(values=[1, -1, 3, 2, 0, 2]),
    label_after_null_label=_loss_of(values=[1, 4, 3, 2, 0, 2]),
    row_without_labels=_loss_of(indices=[[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]),
    row_out_of_bounds=_loss_of(indices=[[0, 0], [0, 1], [0, 2], [1, 0], [2, 1], [3, 2]]),
    labels_out_of_order=_loss_of(indices=[[0, 0], [0, 2], [0, 1], [1, 0], [2, 1], [2, 2]]),
    negative_index=_loss_of(indices=[[0, -1], [0, 1], [0, 2], [1, 0], [2, 1], [2, 2]]),
    indices_not_a_matrix=_loss_of(indices=[0, 1, 2]),
    values_not_a_vector=_loss_of(values=[VALUES]),
    values_of_another_count=_loss_of(values=[1, 2]),
    lengths_not_a_vector=_loss_of(lengths=[LENGTHS]),
    lengths_of_another_count=_loss_of(lengths=[6, 4]),
    logits_not_of_rank_3=_loss_of(inputs=logits()[0]),
    logits_without_time=_loss_of(inputs=logits(time=0), lengths=[0, 0, 0]),
    logits_without_batch=_loss_of(
        inputs=logits(batch=0), lengths=np.zeros(0), indices=np.zeros((0, 2)), values=[]
    ),
    known_batch_differs=lambda tf: tf.nn.ctc_loss(sparse_labels(tf), logits(), [1, 2]),
    known_logits_of_rank_2=lambda tf: tf.nn.ctc_loss(sparse_labels(tf), logits()[0], LENGTHS),
    labels_not_sparse=lambda tf: tf.nn.ctc_loss(tf.constant(DENSE), logits(), LENGTHS),
    no_blank_for_sparse_labels=lambda tf: tf.nn.ctc_loss_v2(
        sparse_labels(tf), logits(), None, LENGTHS
    ),
    no_label_length=lambda tf: tf.nn.ctc_loss_v2(tf.constant(DENSE), logits(), None, LENGTHS),
    no_logit_length=lambda tf: tf.nn.ctc_loss_v2(tf.constant(DENSE), logits(), [1, 1, 1], None),
    second_derivative=lambda tf: (
        lambda x: tf.gradients(tf.gradients(tf.nn.ctc_loss(sparse_labels(tf), x, LENGTHS), x)[0], x)
    )(tf.constant(logits())),
    greedy_length_beyond_time=_greedy([7, 4, 5]),
    greedy_lengths_of_another_count=_greedy([6, 4]),
    greedy_lengths_not_a_vector=_greedy([LENGTHS]),
    greedy_logits_of_rank_2=_greedy(inputs=logits()[0]),
    greedy_without_time=_greedy([0, 0, 0], logits(time=0)),
    greedy_without_batch=_greedy(np.zeros(0), logits(batch=0)),
    greedy_without_classes=_greedy(inputs=logits(classes=0)),
    greedy_blank_beyond_classes=_greedy(blank_index=5),
    greedy_blank_before_classes=_greedy(blank_index=-6),
    greedy_known_batch_differs=lambda tf: tf.nn.ctc_greedy_decoder(logits(), [1])[1],
    beams_length_beyond_time=_beams([7, 4, 5]),
    beams_lengths_not_a_vector=_beams([LENGTHS]),
    beams_without_time_for_all=_beams([0, 0, 0], top_paths=2),
    beams_narrower_than_paths=_beams(top_paths=4),
    beams_without_width=_beams(beam_width=0),
    beams_without_classes=_beams(inputs=logits(classes=0)),
)
