# ruff: noqa
"""tf.math: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.activation_ops import log_sigmoid as log_sigmoid
    from featherflow.ops.activation_ops import softplus as softplus
    from featherflow.ops.activation_ops import softsign as softsign
    from featherflow.ops.add_n_ops import accumulate_n as accumulate_n
    from featherflow.ops.add_n_ops import add_n as add_n
    from featherflow.ops.arg_extremum_ops import argmax as argmax
    from featherflow.ops.arg_extremum_ops import argmin as argmin
    from featherflow.ops.arithmetic_ops import add as add
    from featherflow.ops.arithmetic_ops import multiply as multiply
    from featherflow.ops.arithmetic_ops import multiply_no_nan as multiply_no_nan
    from featherflow.ops.arithmetic_ops import negative as negative
    from featherflow.ops.arithmetic_ops import scalar_mul as scalar_mul
    from featherflow.ops.arithmetic_ops import square as square
    from featherflow.ops.arithmetic_ops import squared_difference as squared_difference
    from featherflow.ops.arithmetic_ops import subtract as subtract
    from featherflow.ops.bessel_ops import bessel_i0 as bessel_i0
    from featherflow.ops.bessel_ops import bessel_i0e as bessel_i0e
    from featherflow.ops.bessel_ops import bessel_i1 as bessel_i1
    from featherflow.ops.bessel_ops import bessel_i1e as bessel_i1e
    from featherflow.ops.comparison_ops import equal as equal
    from featherflow.ops.comparison_ops import greater as greater
    from featherflow.ops.comparison_ops import greater_equal as greater_equal
    from featherflow.ops.comparison_ops import is_finite as is_finite
    from featherflow.ops.comparison_ops import is_inf as is_inf
    from featherflow.ops.comparison_ops import is_nan as is_nan
    from featherflow.ops.comparison_ops import less as less
    from featherflow.ops.comparison_ops import less_equal as less_equal
    from featherflow.ops.comparison_ops import logical_and as logical_and
    from featherflow.ops.comparison_ops import logical_not as logical_not
    from featherflow.ops.comparison_ops import logical_or as logical_or
    from featherflow.ops.comparison_ops import logical_xor as logical_xor
    from featherflow.ops.comparison_ops import not_equal as not_equal
    from featherflow.ops.complex_ops import conj as conj
    from featherflow.ops.complex_ops import imag as imag
    from featherflow.ops.complex_ops import real as real
    from featherflow.ops.counting_ops import bincount_v1 as bincount
    from featherflow.ops.cumulative_ops import cumprod as cumprod
    from featherflow.ops.cumulative_ops import cumsum as cumsum
    from featherflow.ops.cumulative_ops import cumulative_logsumexp as cumulative_logsumexp
    from featherflow.ops.division_ops import divide as divide
    from featherflow.ops.division_ops import divide_no_nan as divide_no_nan
    from featherflow.ops.division_ops import floordiv as floordiv
    from featherflow.ops.division_ops import floormod as floormod
    from featherflow.ops.division_ops import floormod as mod
    from featherflow.ops.division_ops import reciprocal as reciprocal
    from featherflow.ops.division_ops import reciprocal_no_nan as reciprocal_no_nan
    from featherflow.ops.division_ops import truediv as truediv
    from featherflow.ops.exponential_ops import exp as exp
    from featherflow.ops.exponential_ops import expm1 as expm1
    from featherflow.ops.exponential_ops import log as log
    from featherflow.ops.exponential_ops import log1p as log1p
    from featherflow.ops.exponential_ops import pow as pow
    from featherflow.ops.exponential_ops import rsqrt as rsqrt
    from featherflow.ops.exponential_ops import sigmoid as sigmoid
    from featherflow.ops.exponential_ops import sqrt as sqrt
    from featherflow.ops.exponential_ops import tanh as tanh
    from featherflow.ops.exponential_ops import xdivy as xdivy
    from featherflow.ops.exponential_ops import xlog1py as xlog1py
    from featherflow.ops.exponential_ops import xlogy as xlogy
    from featherflow.ops.extremum_ops import maximum as maximum
    from featherflow.ops.extremum_ops import minimum as minimum
    from featherflow.ops.gather_ops import unsorted_segment_sum as unsorted_segment_sum
    from featherflow.ops.in_top_k_ops import in_top_k as in_top_k
    from featherflow.ops.magnitude_ops import abs as abs
    from featherflow.ops.magnitude_ops import angle as angle
    from featherflow.ops.magnitude_ops import sign as sign
    from featherflow.ops.normalization_ops import l2_normalize as l2_normalize
    from featherflow.ops.reduction_ops import reduce_all as reduce_all
    from featherflow.ops.reduction_ops import reduce_any as reduce_any
    from featherflow.ops.reduction_ops import reduce_euclidean_norm as reduce_euclidean_norm
    from featherflow.ops.reduction_ops import reduce_max as reduce_max
    from featherflow.ops.reduction_ops import reduce_mean as reduce_mean
    from featherflow.ops.reduction_ops import reduce_min as reduce_min
    from featherflow.ops.reduction_ops import reduce_prod as reduce_prod
    from featherflow.ops.rounding_ops import ceil as ceil
    from featherflow.ops.rounding_ops import floor as floor
    from featherflow.ops.rounding_ops import nextafter as nextafter
    from featherflow.ops.rounding_ops import rint as rint
    from featherflow.ops.rounding_ops import round as round
    from featherflow.ops.segment_ops import segment_max as segment_max
    from featherflow.ops.segment_ops import segment_mean as segment_mean
    from featherflow.ops.segment_ops import segment_min as segment_min
    from featherflow.ops.segment_ops import segment_prod as segment_prod
    from featherflow.ops.segment_ops import segment_sum as segment_sum
    from featherflow.ops.segment_ops import unsorted_segment_max as unsorted_segment_max
    from featherflow.ops.segment_ops import unsorted_segment_mean as unsorted_segment_mean
    from featherflow.ops.segment_ops import unsorted_segment_min as unsorted_segment_min
    from featherflow.ops.segment_ops import unsorted_segment_prod as unsorted_segment_prod
    from featherflow.ops.segment_ops import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
    from featherflow.ops.softmax_ops import log_softmax as log_softmax
    from featherflow.ops.softmax_ops import softmax as softmax
    from featherflow.ops.special_function_ops import betainc as betainc
    from featherflow.ops.special_function_ops import digamma as digamma
    from featherflow.ops.special_function_ops import erf as erf
    from featherflow.ops.special_function_ops import erfc as erfc
    from featherflow.ops.special_function_ops import erfcinv as erfcinv
    from featherflow.ops.special_function_ops import erfinv as erfinv
    from featherflow.ops.special_function_ops import igamma as igamma
    from featherflow.ops.special_function_ops import igammac as igammac
    from featherflow.ops.special_function_ops import lbeta as lbeta
    from featherflow.ops.special_function_ops import lgamma as lgamma
    from featherflow.ops.special_function_ops import ndtri as ndtri
    from featherflow.ops.special_function_ops import polygamma as polygamma
    from featherflow.ops.special_function_ops import zeta as zeta
    from featherflow.ops.statistics_ops import count_nonzero as count_nonzero
    from featherflow.ops.statistics_ops import reduce_logsumexp as reduce_logsumexp
    from featherflow.ops.statistics_ops import reduce_std as reduce_std
    from featherflow.ops.statistics_ops import reduce_variance as reduce_variance
    from featherflow.ops.sum_ops import reduce_sum as reduce_sum
    from featherflow.ops.top_k_ops import top_k as top_k
    from featherflow.ops.transpose_ops import invert_permutation as invert_permutation
    from featherflow.ops.trigonometric_ops import acos as acos
    from featherflow.ops.trigonometric_ops import acosh as acosh
    from featherflow.ops.trigonometric_ops import asin as asin
    from featherflow.ops.trigonometric_ops import asinh as asinh
    from featherflow.ops.trigonometric_ops import atan as atan
    from featherflow.ops.trigonometric_ops import atan2 as atan2
    from featherflow.ops.trigonometric_ops import atanh as atanh
    from featherflow.ops.trigonometric_ops import cos as cos
    from featherflow.ops.trigonometric_ops import cosh as cosh
    from featherflow.ops.trigonometric_ops import sin as sin
    from featherflow.ops.trigonometric_ops import sinh as sinh
    from featherflow.ops.trigonometric_ops import tan as tan
    from featherflow.ops.zero_fraction_ops import zero_fraction as zero_fraction

__getattr__, __dir__ = lazy_namespace("math", globals())
