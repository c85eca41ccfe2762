"""The mel scale: weights from spectrograms' bins to it, and cepstral coefficients.

mel(f) = 1127 log(1 + f / 700)
"""

from __future__ import annotations

from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import as_dtype
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.constant_value import constant_value
from featherflow.graph.default_graph import op_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.constant_ops import constant
from featherflow.ops.dct_ops import dct
from featherflow.ops.exponential_ops import log, rsqrt
from featherflow.ops.extremum_ops import maximum, minimum
from featherflow.ops.framing_ops import frame, size_of
from featherflow.ops.padding_ops import pad
from featherflow.ops.reshape_ops import expand_dims
from featherflow.ops.splitting_ops import split
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.vector_ops import linspace


@export("signal.linear_to_mel_weight_matrix")
def linear_to_mel_weight_matrix(
    num_mel_bins: int = 20,
    num_spectrogram_bins: Any = 129,
    sample_rate: Any = 8000,
    lower_edge_hertz: float = 125.0,
    upper_edge_hertz: float = 3800.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """A matrix that takes a spectrogram's bins to overlapping triangles on the mel scale.

    Args:
      num_mel_bins: triangles.
      num_spectrogram_bins: bins, from 0 to half the sample rate.
      sample_rate: samples a second.
      lower_edge_hertz, upper_edge_hertz: where the first triangle begins and the last one ends.
      dtype: a floating one.
      name: of the scope.
    Returns:
      `[num_spectrogram_bins, num_mel_bins]`.
    Raises:
      ValueError: a number is out of range.
    """
    dtype = as_dtype(dtype)
    rate = sample_rate
    if isinstance(rate, Tensor):
        known = constant_value(rate)
        rate = None if known is None else float(known)
    _check(num_mel_bins, rate, lower_edge_hertz, upper_edge_hertz, dtype)
    with op_scope(name, "linear_to_mel_weight_matrix", [sample_rate]):
        nyquist: Any = cast(convert_to_tensor(sample_rate), dtype) / 2
        bins = linspace(constant(0, dtype), nyquist, num_spectrogram_bins)
        # The lowest bin holds what is constant, and has no place on the scale.
        mels = expand_dims(_mel(get_item(bins, slice(1, None))), 1)
        edges = [_mel(constant(edge, dtype)) for edge in (lower_edge_hertz, upper_edge_hertz)]
        triples = frame(linspace(edges[0], edges[1], num_mel_bins + 2), 3, 1)
        lower, center, upper = (_row(edge) for edge in split(triples, 3, axis=1))
        rising, falling = (mels - lower) / (center - lower), (upper - mels) / (upper - center)
        return pad(maximum(constant(0, dtype), minimum(rising, falling)), [[1, 0], [0, 0]])


def _check(num_mel_bins: int, sample_rate: Any, lower: float, upper: float, dtype: Any) -> None:
    if num_mel_bins <= 0:
        raise ValueError(f"num_mel_bins must be positive. Got: {num_mel_bins}")
    if lower < 0.0:
        raise ValueError(f"lower_edge_hertz must be non-negative. Got: {lower}")
    if lower >= upper:
        raise ValueError(f"lower_edge_hertz {lower} >= upper_edge_hertz {upper}")
    if sample_rate is not None:
        if sample_rate <= 0:
            raise ValueError(f"sample_rate must be positive. Got: {sample_rate}")
        if upper > sample_rate / 2:
            raise ValueError(
                "upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). "
                f"Got {upper} for sample_rate: {sample_rate}"
            )
    if not dtype.is_floating:
        raise ValueError(f"dtype must be a floating point type. Got: {dtype!r}")


def _mel(hertz: Any) -> Any:
    logs: Any = log(1.0 + hertz / 700.0)
    return 1127.0 * logs


def _row(column: Any) -> Any:
    return get_item(column, (None, slice(None), 0))


@export("signal.mfccs_from_log_mel_spectrograms")
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms: Any, name: str | None = None) -> Tensor:
    """Mel-frequency cepstral coefficients: `dct` II of log-mel spectrograms, over √(2N).

    Args:
      log_mel_spectrograms: float32 or float64, `[…, num_mel_bins]`.
      name: of the scope.
    Returns:
      A tensor like the spectrograms.
    Raises:
      ValueError: there are no bins.

    See: Davis & Mermelstein 1980.
    """
    with op_scope(name, "mfccs_from_log_mel_spectrograms", [log_mel_spectrograms]):
        values = convert_to_tensor(log_mel_spectrograms)
        values.shape.with_rank_at_least(1)
        bins = size_of(values, -1)
        if isinstance(bins, int) and bins == 0:
            raise ValueError(f"num_mel_bins must be positive. Got: {log_mel_spectrograms}")
        count: Any = cast(convert_to_tensor(bins), values.dtype)
        scale: Any = rsqrt(2.0 * count)
        return dct(values, 2) * scale
