"""Fourier transforms, quantisation, sets, ragged tensors, sampling losses and CTC."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal, sample, uniform

FOURIER = {"tolerance": 1e-4, "reason": "another factorisation of the transform rounds otherwise"}


@case
def fourier_transforms(tf):
    x, rows = tf.constant(sample("complex64", 8)), tf.constant(sample("complex64", 3, 5))
    real = tf.constant(normal(2, 6))
    volume = tf.constant(sample("complex64", 2, 3, 2))
    fetches = {
        "fft": [tf.fft(x), tf.fft(rows), tf.ifft(x)],
        "fft2d": [tf.fft2d(rows), tf.ifft2d(rows)],
        "fft3d": [tf.fft3d(volume), tf.ifft3d(volume)],
        "rfft": [tf.spectral.rfft(real), tf.signal.rfft(real, [4]), tf.signal.rfft(real, [9])],
        "irfft": tf.signal.irfft(tf.signal.rfft(real)),
        "rfft2d": tf.signal.rfft2d(real),
        "double": tf.signal.fft(tf.constant(sample("complex128", 4))),
        "gradient": tf.gradients(tf.abs(tf.fft(x)), x),
        "gradient_rfft": tf.gradients(tf.abs(tf.signal.rfft(real)), real),
    }
    return Case(fetches, **FOURIER)


@case
def windows_and_frames(tf):
    signal = tf.constant(normal(16))
    fetches = [
        tf.signal.hann_window(6),
        tf.signal.hamming_window(5, periodic=False),
        tf.signal.frame(signal, 6, 4),
        tf.signal.frame(signal, 6, 4, pad_end=True, pad_value=9.0),
        tf.signal.stft(signal, 8, 4),
        tf.signal.dct(signal),
        tf.signal.fftshift(tf.range(5)),
        tf.signal.overlap_and_add(tf.constant(normal(3, 4)), 2),
    ]
    return Case(fetches, **FOURIER)


@case
def fake_quantization(tf):
    x = tf.constant(uniform(-8, 8, (10,)))
    low, high = tf.constant(-3.0), tf.constant(5.0)
    quantized = tf.fake_quant_with_min_max_args(x, -3.0, 5.0)
    by_vars = tf.fake_quant_with_min_max_vars(x, low, high, num_bits=4)
    return {
        "args": quantized,
        "narrow": tf.fake_quant_with_min_max_args(x, num_bits=4, narrow_range=True),
        "vars": by_vars,
        "channels": tf.fake_quant_with_min_max_vars_per_channel(
            tf.reshape(x, [5, 2]), [-1.0, -2.0], [1.0, 3.0]
        ),
        "gradients": [tf.gradients(quantized, x), tf.gradients(by_vars, [x, low, high])],
    }


@case
def quantize_and_dequantize(tf):
    x = tf.constant([-1.0, -0.3, 0.0, 0.4, 2.0])
    quantized = tf.quantize(x, -1.0, 2.0, tf.quint8)
    scaled = tf.quantize(x, -2.0, 2.0, tf.qint8, mode="SCALED")
    return {
        "values": tf.cast(quantized.output, tf.int32),
        "range": [quantized.output_min, quantized.output_max],
        "back": tf.dequantize(*quantized),
        "scaled": tf.cast(scaled.output, tf.int32),
        "scaled_back": tf.dequantize(*scaled, mode="SCALED"),
        "together": tf.quantization.quantize_and_dequantize_v2(x, -1.0, 2.0, range_given=True),
        "dtype": quantized.output.dtype.name,
    }


@case
def buckets(tf):
    return [
        tf.raw_ops.Bucketize(input=[-5.0, 0.0, 3.5, 10.0, 100.0], boundaries=[0.0, 10.0, 50.0]),
        tf.raw_ops.Bucketize(input=[1, 5], boundaries=[2.0]),
    ]


@case
def sets(tf):
    first, second = tf.constant([[1, 2, 3], [4, 5, 6]]), tf.constant([[2, 3, 9], [7, 5, 5]])
    return {
        "intersection": tf.sets.intersection(first, second),
        "union": tf.sets.union(first, second),
        "difference": tf.sets.difference(first, second),
        "size": tf.sets.size(tf.sets.union(first, second)),
    }


@case
def ragged_tensors(tf):
    ragged = tf.ragged.constant([[1, 2], [], [3, 4, 5]])
    return {
        "values": ragged.values,
        "splits": ragged.row_splits,
        "lengths": ragged.row_lengths(),
        "dense": ragged.to_tensor(-1),
        "sum": tf.reduce_sum(ragged, axis=1),
        "gathered": tf.gather(ragged, [2, 0]).values,
        "row": ragged[2],
        "from_lengths": tf.RaggedTensor.from_row_lengths([1, 2, 3], [2, 1]).row_splits,
        "doubled": (ragged * 2).values,
    }


@case
def candidate_samplers(tf):
    classes = tf.constant([[0], [3]], tf.int64)
    sampled, true_count, sampled_count = tf.nn.log_uniform_candidate_sampler(
        classes, 1, 4, True, 10, seed=3
    )
    uniform_ids, _, _ = tf.nn.uniform_candidate_sampler(classes, 1, 4, False, 10, seed=3)
    fixed, _, _ = tf.nn.fixed_unigram_candidate_sampler(
        classes, 1, 3, True, 4, unigrams=[1.0, 2.0, 3.0, 4.0], seed=5
    )
    return Case([sampled, true_count, sampled_count, uniform_ids, fixed], runs=2)


@case
def sampled_losses(tf):
    weights, biases = tf.constant(normal(10, 3)), tf.constant(normal(10, seed=1))
    inputs, labels = tf.constant(normal(2, 3, seed=2)), tf.constant([[4], [7]], tf.int64)
    samples = (
        tf.constant([1, 5, 8], tf.int64),
        tf.constant([[0.3], [0.2]]),
        tf.constant([0.5, 0.3, 0.2]),
    )
    return [
        tf.nn.sampled_softmax_loss(weights, biases, labels, inputs, 3, 10, sampled_values=samples),
        tf.nn.nce_loss(weights, biases, labels, inputs, 3, 10, sampled_values=samples),
    ]


@case
def ctc(tf):
    logits = tf.constant(normal(5, 2, 4))
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2])
    loss = tf.nn.ctc_loss(labels, logits, [5, 4])
    greedy, score = tf.nn.ctc_greedy_decoder(logits, [5, 4])
    beams, scores = tf.nn.ctc_beam_search_decoder(logits, [5, 4], beam_width=4, top_paths=2)
    return {
        "loss": loss,
        "gradient": tf.gradients(loss, logits),
        "greedy": [greedy[0], score],
        "beams": [beams, scores],
    }


@case
def keep_top_and_collapse(tf):
    return [
        tf.nn.collapse_repeated([[1, 1, 2], [3, 3, 3]], [3, 2]),
        tf.math.polyval([tf.constant(2.0), tf.constant(1.0)], 3.0),
        tf.math.cumulative_logsumexp([0.0, 1.0, 2.0]),
        tf.math.approx_max_k([1.0, 5.0, 3.0], 2)[1].dtype.name,
        tf.linalg.tensor_diag([1, 2]),
        tf.math.top_k([3, 1, 2], 2).indices,
    ]


error_cases(
    transform_of_reals=lambda tf: tf.fft(tf.zeros([4])),
    transform_of_a_scalar=lambda tf: tf.fft(tf.constant(1j)),
    quantization_range=lambda tf: tf.fake_quant_with_min_max_args([1.0], 3.0, -3.0),
    quantization_bits=lambda tf: tf.fake_quant_with_min_max_args([1.0], num_bits=1),
    unsorted_boundaries=lambda tf: tf.raw_ops.Bucketize(input=[1.0], boundaries=[2.0, 1.0]),
    more_samples_than_classes=lambda tf: tf.nn.uniform_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 20, True, 10
    ),
)
