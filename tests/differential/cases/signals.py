"""Windows, frames, short-time transforms, cosine transforms and the mel scale of `tf.signal`."""

from __future__ import annotations

from ..case import Case, case, error_cases
from ..inputs import normal, sample

ROUNDING = {"tolerance": 1e-5, "reason": "another factorisation of the transform rounds otherwise"}
WINDOWS = (
    "hann_window",
    "hamming_window",
    "kaiser_window",
    "kaiser_bessel_derived_window",
    "vorbis_window",
)


def _register_windows():
    for name in WINDOWS:
        for dtype in ("float32", "float64"):

            @case(f"{name}_{dtype}")
            def window(tf, name=name, dtype=dtype):
                function = getattr(tf.signal, name)
                lengths = (2, 4, 7, 16) if "derived" not in name else (2, 4, 6, 16)
                fed = tf.placeholder(tf.int32, [])
                floats = tf.as_dtype(dtype)
                fetches = [function(length, dtype=floats) for length in lengths]
                fetches.append(function(fed, dtype=floats))
                return Case(fetches, {fed: 6}, **ROUNDING)

    for name in ("hann_window", "hamming_window"):

        @case(f"{name}_not_periodic")
        def symmetric(tf, name=name):
            function, fed = getattr(tf.signal, name), tf.placeholder(tf.int32, [])
            made = [function(length, periodic=False) for length in (1, 2, 5, 6)]
            made += [function(fed), function(0), function(1)]
            return Case([*made, [str(w.shape) for w in made]], {fed: 1}, **ROUNDING)

    @case
    def window_parameters(tf):
        fetches = [
            tf.signal.kaiser_window(5, 3.0),
            tf.signal.kaiser_window(6, tf.constant(0.5)),
            tf.signal.kaiser_window(1),
            tf.signal.kaiser_bessel_derived_window(8, beta=4.0),
            tf.signal.vorbis_window(1),
            tf.signal.hann_window(tf.constant(4), name="mine"),
        ]
        return Case(fetches, **ROUNDING)


_register_windows()


def _register_frames():
    settings = {
        "plain": (6, 4, {}),
        "padded": (6, 4, {"pad_end": True, "pad_value": 9.0}),
        "apart": (2, 5, {"pad_end": True}),
        "one": (16, 3, {}),
        "long": (20, 3, {}),
        "long_padded": (20, 7, {"pad_end": True}),
        "dense": (5, 1, {}),
    }
    for label, (length, step, attrs) in settings.items():

        @case(f"frame_{label}")
        def frames(tf, length=length, step=step, attrs=attrs):
            signal, fed = tf.constant(normal(2, 16)), tf.placeholder(tf.float32, [None, None])
            lengths = tf.placeholder(tf.int32, [2])
            made = [
                tf.signal.frame(signal, length, step, **attrs),
                tf.signal.frame(fed, length, step, **attrs),
                tf.signal.frame(signal, lengths[0], lengths[1], **attrs),
                tf.signal.frame(tf.transpose(signal), length, step, axis=0, **attrs),
            ]
            weights = tf.reduce_sum(made[0] * made[0] * 0.5)
            fetches = [made, tf.gradients(weights, signal), [str(t.shape) for t in made[:2]]]
            return Case(fetches, {fed: normal(2, 16), lengths: [length, step]})

    for length, step in ((4, 2), (4, 4), (4, 3), (3, 5), (5, 1)):

        @case(f"overlap_and_add_{length}_{step}")
        def added(tf, length=length, step=step):
            frames = tf.constant(normal(2, 3, length))
            fed = tf.placeholder(tf.float32, [None, None, length])
            fed_step = tf.placeholder(tf.int32, [])
            made = [
                tf.signal.overlap_and_add(frames, step),
                tf.signal.overlap_and_add(fed, step),
                tf.signal.overlap_and_add(frames, fed_step),
                tf.signal.overlap_and_add(frames[0], step),
            ]
            gradient = tf.gradients(made[0] * made[0], frames)
            feeds = {fed: normal(2, 3, length), fed_step: step}
            return Case([made, gradient, str(made[0].shape)], feeds)


_register_frames()


@case
def frames_of_other_types(tf):
    return [
        tf.signal.frame(tf.range(7), 4, 2, pad_end=True, pad_value=-1),
        tf.signal.frame(tf.constant(["a", "b", "c"]), 2, 1),
        tf.signal.frame(tf.constant(sample("complex64", 2, 6)), 3, 2),
        tf.signal.frame(tf.zeros([2, 0]), 3, 2),
        tf.signal.overlap_and_add(tf.ones([3, 4], tf.int32), 3),
        tf.signal.overlap_and_add(tf.ones([2, 2, 2, 4], tf.float64), 2),
    ]


def _register_transforms():
    settings = {
        "plain": (8, 4, {}),
        "odd": (6, 3, {"fft_length": 10}),
        "next_power": (12, 5, {}),
        "padded": (8, 3, {"pad_end": True}),
        "cut_off": (8, 4, {"fft_length": 4}),
        "without_window": (8, 4, {"window_fn": None}),
    }
    for label, (length, step, attrs) in settings.items():

        @case(f"stft_{label}")
        def forward(tf, length=length, step=step, attrs=attrs):
            signals = tf.constant(normal(2, 24))
            spectra = tf.signal.stft(signals, length, step, **attrs)
            fetches = [spectra, tf.signal.stft(signals[0], length, step, **attrs)]
            if label_allows_gradient(attrs):
                fetches.append(tf.gradients(tf.abs(spectra), signals)[0])
            fetches.append(str(spectra.shape))
            return Case(fetches, **ROUNDING)

        @case(f"inverse_stft_{label}")
        def back(tf, length=length, step=step, attrs=attrs):
            others = {name: value for name, value in attrs.items() if name != "pad_end"}
            size = others.get("fft_length", 8 if length == 8 else 16)
            spectra = tf.constant(sample("complex64", 2, 3, size // 2 + 1))
            signals = tf.signal.inverse_stft(spectra, length, step, **others)
            return Case([signals, str(signals.shape)], **ROUNDING)


def label_allows_gradient(attrs):
    """TensorFlow builds no gradient where frames are longer than the transform."""
    return attrs.get("fft_length") != 4


_register_transforms()


@case
def stft_and_back(tf):
    signal = tf.constant(normal(24))
    restored = []
    for step in (2, 4, 3):
        spectra = tf.signal.stft(signal, 8, step)
        window_fn = tf.signal.inverse_stft_window_fn(step)
        restored.append(tf.signal.inverse_stft(spectra, 8, step, window_fn=window_fn))
    window_fn = tf.signal.inverse_stft_window_fn(4, tf.signal.hamming_window)
    return Case([restored, window_fn(10, tf.float32), window_fn(6, tf.float64)], **ROUNDING)


@case
def stft_with_a_window_of_ones_own(tf):
    def window(length, dtype):
        return tf.linspace(tf.cast(0.5, dtype), 1.0, length)

    signals = tf.constant(normal(20, dtype="float64"))
    fed = tf.placeholder(tf.float32, [None])
    lengths = tf.placeholder(tf.int32, [2])
    fetches = [
        tf.signal.stft(signals, 8, 4),
        tf.signal.stft(fed, 8, 4, window_fn=window),
        tf.signal.stft(fed, lengths[0], lengths[1]),
    ]
    return Case(fetches, {fed: normal(20), lengths: [9, 4]}, **ROUNDING)


def _register_cosines():
    for kind in (1, 2, 3, 4):
        for norm in (None, "ortho") if kind > 1 else (None,):
            for dtype in ("float32", "float64"):

                @case(f"dct_{kind}_{norm}_{dtype}")
                def cosines(tf, kind=kind, norm=norm, dtype=dtype):
                    x, odd = tf.constant(normal(2, 6, dtype=dtype)), tf.constant(normal(5, seed=1))
                    fed = tf.placeholder(dtype, [None, None])
                    forward = tf.signal.dct(x, kind, norm=norm)
                    fetches = [
                        forward,
                        tf.signal.idct(x, kind, norm=norm),
                        tf.signal.dct(odd, kind, norm=norm),
                        tf.signal.dct(x, kind, n=4, norm=norm),
                        tf.signal.idct(x, kind, n=9, norm=norm),
                        tf.signal.dct(fed, kind, norm=norm),
                        tf.gradients(forward * forward, x)[0],
                        str(forward.shape),
                    ]
                    return Case(fetches, {fed: normal(2, 6, dtype=dtype)}, **ROUNDING)

    for norm in (None, "ortho"):
        for window in ("vorbis", "kbd", None):

            @case(f"mdct_{norm}_{window}")
            def modified(tf, norm=norm, window=window):
                functions = {
                    "vorbis": tf.signal.vorbis_window,
                    "kbd": tf.signal.kaiser_bessel_derived_window,
                    None: None,
                }
                signals = tf.constant(normal(2, 32))
                spectra = tf.signal.mdct(signals, 8, functions[window], norm=norm)
                padded = tf.signal.mdct(signals, 12, functions[window], pad_end=True, norm=norm)
                back = tf.signal.inverse_mdct(spectra, functions[window], norm=norm)
                shapes = [str(t.shape) for t in (spectra, padded, back)]
                return Case([spectra, padded, back, shapes], **ROUNDING)


_register_cosines()


@case
def spectral_names_of_tf1(tf):
    x = tf.constant(normal(2, 4))
    return Case([tf.spectral.dct(x), tf.spectral.idct(x, type=3), tf.spectral.rfft(x)], **ROUNDING)


def _register_mel():
    settings = {
        "default": {},
        "music": {"num_mel_bins": 8, "num_spectrogram_bins": 17, "sample_rate": 44100},
        "narrow": {"num_mel_bins": 3, "lower_edge_hertz": 200.0, "upper_edge_hertz": 900.0},
        "double": {"num_mel_bins": 5, "num_spectrogram_bins": 33, "dtype": "float64"},
        "from_zero": {"num_mel_bins": 40, "num_spectrogram_bins": 65, "lower_edge_hertz": 0.0},
    }
    for label, arguments in settings.items():

        @case(f"mel_{label}")
        def weights(tf, arguments=arguments):
            dtype = tf.as_dtype(arguments.get("dtype", "float32"))
            matrix = tf.signal.linear_to_mel_weight_matrix(**{**arguments, "dtype": dtype})
            return Case([matrix, str(matrix.shape)], tolerance=1e-4, reason="differences of mels")


_register_mel()


@case
def mel_of_tensors(tf):
    bins, rate = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])
    matrix = tf.signal.linear_to_mel_weight_matrix(4, bins, rate)
    feeds = {bins: 17, rate: 8000.0}
    return Case([matrix, str(matrix.shape)], feeds, tolerance=1e-4, reason="differences of mels")


@case
def cepstral_coefficients(tf):
    signals = tf.constant(normal(2, 400))
    spectra = tf.abs(tf.signal.stft(signals, 128, 64))
    weights = tf.signal.linear_to_mel_weight_matrix(20, spectra.shape[-1], 8000, 80.0, 3600.0)
    logs = tf.math.log(tf.tensordot(spectra, weights, 1) + 1e-6)
    coefficients = tf.signal.mfccs_from_log_mel_spectrograms(logs)[..., :13]
    fetches = [coefficients, tf.gradients(coefficients, signals)[0]]
    return Case(fetches, tolerance=3e-3, reason="logarithms of small sums")


@case
def shifts(tf):
    x, fed = tf.constant(normal(3, 4)), tf.placeholder(tf.int32, [None, None])
    made = [
        tf.signal.fftshift(tf.range(5)),
        tf.signal.ifftshift(tf.range(5)),
        tf.signal.fftshift(x),
        tf.signal.ifftshift(x),
        tf.signal.fftshift(x, 1),
        tf.signal.fftshift(x, [0, -1]),
        tf.signal.ifftshift(x, (1,)),
        tf.signal.fftshift(fed),
        tf.signal.ifftshift(fed, axes=0, name="mine"),
        tf.gradients(tf.signal.fftshift(x) ** 2, x)[0],
    ]
    return Case([*made, made[8].name], {fed: [[1, 2, 3], [4, 5, 6], [7, 8, 9]]})


error_cases(
    window_of_integers=lambda tf: tf.signal.hann_window(4, dtype=tf.int32),
    window_of_negative_length=lambda tf: tf.signal.hamming_window(-3),
    window_of_a_vector=lambda tf: tf.signal.vorbis_window([3]),
    kaiser_window_of_integers=lambda tf: tf.signal.kaiser_window(4, dtype=tf.int64),
    frame_of_a_scalar=lambda tf: tf.signal.frame(1.0, 2, 1),
    frame_length_a_vector=lambda tf: tf.signal.frame(tf.zeros([8]), [3], 2),
    frame_length_negative=lambda tf: tf.signal.frame(tf.zeros([8]), -1, 2),
    frames_not_a_matrix=lambda tf: tf.signal.overlap_and_add(tf.zeros([4]), 2),
    step_not_an_integer=lambda tf: tf.signal.overlap_and_add(tf.zeros([2, 4]), 2.0),
    step_a_vector=lambda tf: tf.signal.overlap_and_add(tf.zeros([2, 4]), [2]),
    step_of_0=lambda tf: tf.signal.overlap_and_add(tf.zeros([2, 4]), 0),
    stft_of_a_scalar=lambda tf: tf.signal.stft(1.0, 2, 1),
    stft_of_integers=lambda tf: tf.signal.stft(tf.range(8), 4, 2),
    inverse_stft_of_reals=lambda tf: tf.signal.inverse_stft(tf.zeros([3, 3]), 4, 2),
    inverse_stft_of_a_vector=lambda tf: tf.signal.inverse_stft(tf.zeros([3], tf.complex64), 4, 2),
    mdct_of_a_length_of_6=lambda tf: tf.signal.mdct(tf.zeros([16]), 6),
    cosine_type=lambda tf: tf.signal.dct(tf.zeros([3]), type=5),
    cosine_norm=lambda tf: tf.signal.dct(tf.zeros([3]), norm="x"),
    cosine_axis=lambda tf: tf.signal.dct(tf.zeros([3]), axis=0),
    cosine_length=lambda tf: tf.signal.dct(tf.zeros([3]), n=0),
    cosine_i_orthonormal=lambda tf: tf.signal.dct(tf.zeros([3]), type=1, norm="ortho"),
    cosine_i_of_one=lambda tf: tf.signal.dct(tf.zeros([1]), type=1),
    cosine_of_integers=lambda tf: tf.signal.dct(tf.constant([1, 2])),
    no_mel_bins=lambda tf: tf.signal.linear_to_mel_weight_matrix(num_mel_bins=0),
    negative_edge=lambda tf: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=-1.0),
    edges_in_disorder=lambda tf: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=3800.0),
    edge_beyond_nyquist=lambda tf: tf.signal.linear_to_mel_weight_matrix(sample_rate=7000),
    no_sample_rate=lambda tf: tf.signal.linear_to_mel_weight_matrix(sample_rate=0),
    mel_of_integers=lambda tf: tf.signal.linear_to_mel_weight_matrix(dtype=tf.int32),
    no_bins=lambda tf: tf.signal.mfccs_from_log_mel_spectrograms(tf.zeros([2, 0])),
)
