"""Fourier transforms: values, static shapes, gradients, lengths and errors."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal, sample

ROUNDING = {"tolerance": 3e-6, "reason": "another factorisation of the transform rounds otherwise"}
DOUBLE = {"tolerance": 1e-13, "reason": "another factorisation of the transform rounds otherwise"}
SHAPES = {
    1: ((1,), (2,), (7,), (8,), (3, 5), (2, 2, 6), (0,), (2, 0), (0, 3)),
    2: ((1, 1), (3, 4), (4, 5), (2, 3, 2), (0, 2), (0, 2, 3)),
    3: ((1, 2, 3), (2, 2, 2), (2, 3, 2, 5), (0, 1, 1)),
}
NAMES = {1: "", 2: "2d", 3: "3d"}


def _accuracy(dtype):
    return ROUNDING if dtype in ("float32", "complex64") else DOUBLE


def _register_complex(rank, shape, dtype):
    label = "x".join(map(str, shape))

    @case(f"fft{NAMES[rank]}_{label}_{dtype}")
    def transforms(tf):
        x = tf.constant(sample(dtype, *shape))
        forward = getattr(tf.signal, "fft" + NAMES[rank])(x)
        back = getattr(tf.signal, "ifft" + NAMES[rank])(x)
        weights = tf.constant(sample(dtype, *shape, seed=1))
        gradients = [
            tf.gradients(tf.abs(y * weights), x)[0] for y in (forward, back) if 0 not in shape
        ]
        return Case([forward, back, gradients], **_accuracy(dtype))


def _register_real(rank, shape, dtype):
    label = "x".join(map(str, shape))

    @case(f"rfft{NAMES[rank]}_{label}_{dtype}")
    def transform(tf):
        x = tf.constant(normal(*shape, dtype=dtype))
        y = getattr(tf.signal, "rfft" + NAMES[rank])(x)
        fetches = [y]
        if rank < 3 and 0 not in shape:
            complex_type = "complex64" if dtype == "float32" else "complex128"
            weights = tf.constant(sample(complex_type, *y.shape.as_list(), seed=1))
            fetches.append(tf.gradients(tf.abs(y * weights), x)[0])
        return Case(fetches, **_accuracy(dtype))


def _register_inverse(rank, shape, dtype):
    label = "x".join(map(str, shape))

    @case(f"irfft{NAMES[rank]}_{label}_{dtype}")
    def transform(tf):
        x = tf.constant(sample(dtype, *shape))
        function = getattr(tf.signal, "irfft" + NAMES[rank])
        even, odd = function(x), function(x, [*shape[-rank:-1], 2 * shape[-1] - 1])
        fetches = [even, odd]
        if rank < 3:
            fetches += [tf.gradients(y * y, x)[0] for y in (even, odd)]
        return Case(fetches, **_accuracy(dtype))


def _register_all():
    for rank, shapes in SHAPES.items():
        for shape in shapes:
            _register_complex(rank, shape, "complex64")
            _register_real(rank, shape, "float32")
            # TensorFlow aborts on transforms of length 0.
            if 0 not in shape and shape[-1] > 1:
                _register_inverse(rank, shape, "complex64")
        _register_complex(rank, (3, 2, 5), "complex128")
        _register_real(rank, (2, 3, 4), "float64")
        _register_inverse(rank, (2, 2, 3), "complex128")


_register_all()


def _register_lengths():
    for length in (1, 2, 5, 6, 7, 12):

        @case(f"rfft_of_length_{length}")
        def real(tf, length=length):
            x, fed = tf.constant(normal(2, 6)), tf.placeholder(tf.float32, [None, None])
            lengths = tf.placeholder(tf.int32, [1])
            fetches = [
                tf.signal.rfft(x, [length]),
                tf.signal.rfft(fed, [length]),
                tf.signal.rfft(fed, lengths),
            ]
            if length >= 6:
                fetches.append(tf.gradients(tf.abs(fetches[0]), x)[0])
            return Case(fetches, {fed: normal(2, 6), lengths: [length]}, **ROUNDING)

        @case(f"irfft_of_length_{length}")
        def inverse(tf, length=length):
            x, fed = tf.constant(sample("complex64", 2, 4)), tf.placeholder(tf.complex64)
            lengths = tf.placeholder(tf.int32, [1])
            fetches = [
                tf.signal.irfft(x, [length]),
                tf.signal.irfft(fed, [length]),
                tf.signal.irfft(fed, lengths),
            ]
            if length >= 6:
                fetches.append(tf.gradients(tf.square(fetches[0]), x)[0])
            return Case(fetches, {fed: sample("complex64", 2, 4), lengths: [length]}, **ROUNDING)

    for lengths in ([2, 3], [4, 6], [1, 8], [5, 4]):

        @case(f"rfft2d_of_lengths_{'_'.join(map(str, lengths))}")
        def real2d(tf, lengths=lengths):
            x, fed = tf.constant(normal(4, 6)), tf.placeholder(tf.float32, [4, None])
            spectrum = tf.constant(sample("complex64", 3, 4))
            fetches = [
                tf.signal.rfft2d(x, lengths),
                tf.signal.rfft2d(fed, lengths),
                tf.signal.irfft2d(spectrum, lengths),
            ]
            return Case(fetches, {fed: normal(4, 6)}, **ROUNDING)


_register_lengths()


@case
def fed_transforms(tf):
    x, spectrum = tf.placeholder(tf.float32), tf.placeholder(tf.complex64, [None, None])
    fetches = [
        tf.signal.rfft(x),
        tf.signal.rfft2d(x),
        tf.signal.irfft(spectrum),
        tf.signal.irfft2d(spectrum),
        tf.signal.fft(spectrum),
    ]
    fetches += [
        tf.gradients(tf.abs(fetches[0]), x)[0],
        tf.gradients(tf.abs(fetches[1]), x)[0],
        tf.gradients(tf.square(fetches[2]), spectrum)[0],
        tf.gradients(tf.square(fetches[3]), spectrum)[0],
        tf.gradients(tf.abs(fetches[4]), spectrum)[0],
    ]
    feeds = {x: normal(3, 4), spectrum: sample("complex64", 4, 3)}
    return Case(fetches, feeds, **ROUNDING)


@case
def second_derivatives(tf):
    x, spectrum = tf.constant(normal(2, 4)), tf.constant(sample("complex64", 2, 3))
    twice = []
    for y in (tf.real(tf.signal.rfft(x)), tf.real(tf.signal.rfft2d(x))):
        first = tf.gradients(y * y * y, x)[0]
        twice.append(tf.gradients(first * first, x)[0])
    for y in (tf.signal.irfft(spectrum), tf.signal.irfft2d(spectrum)):
        first = tf.gradients(y * y * y, spectrum)[0]
        twice.append(tf.gradients(tf.real(first) ** 2, spectrum)[0])
    return Case(twice, tolerance=2e-5, reason="sums of products of transforms")


@case
def names(tf):
    x = tf.constant(sample("complex64", 2, 2, 3))
    made = [
        tf.fft(x),
        tf.ifft(x, name="back"),
        tf.fft2d(x),
        tf.spectral.ifft2d(x),
        tf.fft3d(x),
        tf.ifft3d(x),
        tf.spectral.rfft(tf.real(x)),
        tf.spectral.rfft(tf.real(x), [8], name="real"),
        tf.spectral.irfft(x),
        tf.spectral.rfft2d(tf.real(x)),
        tf.spectral.irfft3d(x, name="volume"),
    ]
    graph = tf.get_default_graph()
    return [[y.name for y in made], sorted(op.name for op in graph.get_operations())]


@case
def names_of_unknown_sizes(tf):
    tf.signal.rfft(tf.placeholder(tf.float32, [None, None]), name="real")
    tf.signal.irfft2d(tf.placeholder(tf.complex64, [None, None]), name="back")
    return [[op.name, op.type] for op in tf.get_default_graph().get_operations()]


@case
def static_shapes(tf):
    real, spectrum = tf.placeholder(tf.float32, [3, 8]), tf.placeholder(tf.complex64, [3, 8])
    lengths, scalar = tf.placeholder(tf.int32, [1]), tf.placeholder(tf.int32, [])
    unknown = tf.placeholder(tf.float32)
    raw = tf.raw_ops
    made = [
        raw.RFFT(input=real, fft_length=[0]),
        raw.RFFT(input=real, fft_length=[5]),
        raw.RFFT(input=real, fft_length=lengths),
        raw.RFFT(input=real, fft_length=tf.placeholder(tf.int32)),
        raw.RFFT(input=unknown, fft_length=[5]),
        raw.RFFT2D(input=real, fft_length=[3, 5]),
        raw.RFFT2D(input=real, fft_length=tf.stack([scalar, 5])),
        raw.IRFFT(input=spectrum, fft_length=[0]),
        raw.IRFFT(input=spectrum, fft_length=[7]),
        raw.IRFFT(input=spectrum, fft_length=[-1]),
        raw.IRFFT2D(input=spectrum, fft_length=[2, 7]),
        raw.FFT2D(input=tf.placeholder(tf.complex64, [None, 3, None])),
        raw.FFT(input=tf.placeholder(tf.complex64)),
        tf.signal.irfft(tf.placeholder(tf.complex64, [None, 5])),
        tf.signal.rfft3d(tf.placeholder(tf.float32, [None, 2, 3, 4])),
    ]
    return [str(y.shape) for y in made]


def _fed(tf, value, dtype=None):
    return tf.placeholder_with_default(tf.constant(value, dtype), None)


error_cases(
    complex_of_reals=lambda tf: tf.fft(tf.zeros([4])),
    complex_of_a_scalar=lambda tf: tf.fft(tf.constant(1j)),
    complex2d_of_a_vector=lambda tf: tf.fft2d(tf.constant([1j])),
    complex_of_a_fed_scalar=lambda tf: tf.fft(_fed(tf, 1j)),
    complex3d_of_a_fed_matrix=lambda tf: tf.fft3d(_fed(tf, [[1j]])),
    real_of_a_scalar=lambda tf: tf.signal.rfft(1.0),
    real2d_of_a_vector=lambda tf: tf.signal.rfft2d([1.0]),
    real_of_integers=lambda tf: tf.signal.rfft(tf.constant([1, 2])),
    real_of_a_fed_scalar=lambda tf: tf.raw_ops.RFFT(input=_fed(tf, 1.0), fft_length=[1]),
    inverse_of_reals=lambda tf: tf.signal.irfft(tf.zeros([3])),
    scalar_length=lambda tf: tf.signal.rfft(tf.zeros([3]), 2),
    raw_scalar_length=lambda tf: tf.raw_ops.RFFT(input=tf.zeros([3]), fft_length=2),
    two_lengths=lambda tf: tf.raw_ops.RFFT(input=tf.zeros([3]), fft_length=[2, 3]),
    two_fed_lengths=lambda tf: tf.raw_ops.RFFT(input=tf.zeros([3]), fft_length=_fed(tf, [2, 3])),
    negative_length=lambda tf: tf.raw_ops.RFFT(input=tf.zeros([3]), fft_length=[-1]),
    negative_fed_length=lambda tf: tf.raw_ops.IRFFT(
        input=tf.constant([1j]), fft_length=_fed(tf, [-1])
    ),
    input_too_short=lambda tf: tf.raw_ops.RFFT(input=tf.zeros([3]), fft_length=[8]),
    rows_too_few=lambda tf: tf.raw_ops.RFFT2D(input=tf.zeros([3, 4]), fft_length=[5, 4]),
    spectrum_too_short=lambda tf: tf.raw_ops.IRFFT(input=tf.constant([1j, 2j]), fft_length=[8]),
    mixed_precision=lambda tf: tf.raw_ops.RFFT(
        input=tf.zeros([3]), fft_length=[3], Tcomplex=tf.complex128
    ),
    mixed_inverse_precision=lambda tf: tf.raw_ops.IRFFT(
        input=tf.zeros([3], tf.complex64), fft_length=[3], Treal=tf.float64
    ),
)
