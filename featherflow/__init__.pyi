# ruff: noqa
"""The names of the root. Written by tools/generate_index.py."""

from featherflow._version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from featherflow._version import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from featherflow._version import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from featherflow._version import VERSION as VERSION
from featherflow._version import VERSION as __version__
from featherflow.eager.gradient_tape import GradientTape as GradientTape
from featherflow.framework.device import DeviceSpecV1 as DeviceSpec
from featherflow.framework.dimension import Dimension as Dimension
from featherflow.framework.dimension import dimension_value as dimension_value
from featherflow.framework.dtypes import DType as DType
from featherflow.framework.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from featherflow.framework.dtypes import as_dtype as as_dtype
from featherflow.framework.dtypes import bfloat16 as bfloat16
from featherflow.framework.dtypes import bfloat16_ref as bfloat16_ref
from featherflow.framework.dtypes import bool as bool
from featherflow.framework.dtypes import bool_ref as bool_ref
from featherflow.framework.dtypes import complex128 as complex128
from featherflow.framework.dtypes import complex128_ref as complex128_ref
from featherflow.framework.dtypes import complex64 as complex64
from featherflow.framework.dtypes import complex64_ref as complex64_ref
from featherflow.framework.dtypes import double as double
from featherflow.framework.dtypes import double_ref as double_ref
from featherflow.framework.dtypes import float16 as float16
from featherflow.framework.dtypes import float16_ref as float16_ref
from featherflow.framework.dtypes import float32 as float32
from featherflow.framework.dtypes import float32_ref as float32_ref
from featherflow.framework.dtypes import float4_e2m1fn as float4_e2m1fn
from featherflow.framework.dtypes import float4_e2m1fn_ref as float4_e2m1fn_ref
from featherflow.framework.dtypes import float64 as float64
from featherflow.framework.dtypes import float64_ref as float64_ref
from featherflow.framework.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
from featherflow.framework.dtypes import float8_e4m3b11fnuz_ref as float8_e4m3b11fnuz_ref
from featherflow.framework.dtypes import float8_e4m3fn as float8_e4m3fn
from featherflow.framework.dtypes import float8_e4m3fn_ref as float8_e4m3fn_ref
from featherflow.framework.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
from featherflow.framework.dtypes import float8_e4m3fnuz_ref as float8_e4m3fnuz_ref
from featherflow.framework.dtypes import float8_e5m2 as float8_e5m2
from featherflow.framework.dtypes import float8_e5m2_ref as float8_e5m2_ref
from featherflow.framework.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
from featherflow.framework.dtypes import float8_e5m2fnuz_ref as float8_e5m2fnuz_ref
from featherflow.framework.dtypes import half as half
from featherflow.framework.dtypes import half_ref as half_ref
from featherflow.framework.dtypes import int16 as int16
from featherflow.framework.dtypes import int16_ref as int16_ref
from featherflow.framework.dtypes import int2 as int2
from featherflow.framework.dtypes import int2_ref as int2_ref
from featherflow.framework.dtypes import int32 as int32
from featherflow.framework.dtypes import int32_ref as int32_ref
from featherflow.framework.dtypes import int4 as int4
from featherflow.framework.dtypes import int4_ref as int4_ref
from featherflow.framework.dtypes import int64 as int64
from featherflow.framework.dtypes import int64_ref as int64_ref
from featherflow.framework.dtypes import int8 as int8
from featherflow.framework.dtypes import int8_ref as int8_ref
from featherflow.framework.dtypes import qint16 as qint16
from featherflow.framework.dtypes import qint16_ref as qint16_ref
from featherflow.framework.dtypes import qint32 as qint32
from featherflow.framework.dtypes import qint32_ref as qint32_ref
from featherflow.framework.dtypes import qint8 as qint8
from featherflow.framework.dtypes import qint8_ref as qint8_ref
from featherflow.framework.dtypes import quint16 as quint16
from featherflow.framework.dtypes import quint16_ref as quint16_ref
from featherflow.framework.dtypes import quint8 as quint8
from featherflow.framework.dtypes import quint8_ref as quint8_ref
from featherflow.framework.dtypes import resource as resource
from featherflow.framework.dtypes import resource_ref as resource_ref
from featherflow.framework.dtypes import string as string
from featherflow.framework.dtypes import string_ref as string_ref
from featherflow.framework.dtypes import uint16 as uint16
from featherflow.framework.dtypes import uint16_ref as uint16_ref
from featherflow.framework.dtypes import uint2 as uint2
from featherflow.framework.dtypes import uint2_ref as uint2_ref
from featherflow.framework.dtypes import uint32 as uint32
from featherflow.framework.dtypes import uint32_ref as uint32_ref
from featherflow.framework.dtypes import uint4 as uint4
from featherflow.framework.dtypes import uint4_ref as uint4_ref
from featherflow.framework.dtypes import uint64 as uint64
from featherflow.framework.dtypes import uint64_ref as uint64_ref
from featherflow.framework.dtypes import uint8 as uint8
from featherflow.framework.dtypes import uint8_ref as uint8_ref
from featherflow.framework.dtypes import variant as variant
from featherflow.framework.dtypes import variant_ref as variant_ref
from featherflow.framework.errors import OpError as OpError
from featherflow.framework.tensor_proto import make_ndarray as make_ndarray
from featherflow.framework.tensor_proto import make_tensor_proto as make_tensor_proto
from featherflow.framework.tensor_shape import TensorShape as TensorShape
from featherflow.framework.tensor_shape import dimension_at_index as dimension_at_index
from featherflow.functions.polymorphic_function import function as function
from featherflow.graph.default_graph import get_default_graph as get_default_graph
from featherflow.graph.default_graph import reset_default_graph as reset_default_graph
from featherflow.graph.graph import Graph as Graph
from featherflow.graph.graph_api import GraphKeys as GraphKeys
from featherflow.graph.graph_api import add_to_collection as add_to_collection
from featherflow.graph.graph_api import add_to_collections as add_to_collections
from featherflow.graph.graph_api import colocate_with as colocate_with
from featherflow.graph.graph_api import container as container
from featherflow.graph.graph_api import control_dependencies as control_dependencies
from featherflow.graph.graph_api import device as device
from featherflow.graph.graph_api import get_collection as get_collection
from featherflow.graph.graph_api import get_collection_ref as get_collection_ref
from featherflow.graph.graph_api import get_current_name_scope as get_current_name_scope
from featherflow.graph.graph_api import get_seed as get_seed
from featherflow.graph.graph_api import init_scope as init_scope
from featherflow.graph.graph_api import inside_function as inside_function
from featherflow.graph.graph_api import name_scope as name_scope
from featherflow.graph.graph_api import op_scope as op_scope
from featherflow.graph.graph_api import set_random_seed as set_random_seed
from featherflow.graph.importer import import_graph_def as import_graph_def
from featherflow.graph.operation import Operation as Operation
from featherflow.graph.tensor import Tensor as Tensor
from featherflow.graph.tensor_spec import TensorSpec as TensorSpec
from featherflow.graph.tensor_spec import TypeSpec as TypeSpec
from featherflow.ops.accumulators import ConditionalAccumulator as ConditionalAccumulator
from featherflow.ops.accumulators import ConditionalAccumulatorBase as ConditionalAccumulatorBase
from featherflow.ops.activation_ops import log_sigmoid as log_sigmoid
from featherflow.ops.add_n_ops import accumulate_n as accumulate_n
from featherflow.ops.add_n_ops import add_n as add_n
from featherflow.ops.arg_extremum_ops import argmax as argmax
from featherflow.ops.arg_extremum_ops import argmin as argmin
from featherflow.ops.arithmetic_ops import add as add
from featherflow.ops.arithmetic_ops import multiply as multiply
from featherflow.ops.arithmetic_ops import negative as negative
from featherflow.ops.arithmetic_ops import scalar_mul as scalar_mul
from featherflow.ops.arithmetic_ops import square as square
from featherflow.ops.arithmetic_ops import squared_difference as squared_difference
from featherflow.ops.arithmetic_ops import subtract as subtract
from featherflow.ops.assert_ops import assert_ as Assert
from featherflow.ops.batch_scatter_ops import batch_scatter_update as batch_scatter_update
from featherflow.ops.broadcast_shape_ops import broadcast_dynamic_shape as broadcast_dynamic_shape
from featherflow.ops.broadcast_shape_ops import broadcast_static_shape as broadcast_static_shape
from featherflow.ops.byte_ops import decode_base64 as decode_base64
from featherflow.ops.byte_ops import decode_compressed as decode_compressed
from featherflow.ops.byte_ops import decode_raw as decode_raw
from featherflow.ops.byte_ops import encode_base64 as encode_base64
from featherflow.ops.case import case as case
from featherflow.ops.cast_ops import bitcast as bitcast
from featherflow.ops.cast_ops import cast as cast
from featherflow.ops.cast_ops import to_bfloat16 as to_bfloat16
from featherflow.ops.cast_ops import to_complex128 as to_complex128
from featherflow.ops.cast_ops import to_complex64 as to_complex64
from featherflow.ops.cast_ops import to_double as to_double
from featherflow.ops.cast_ops import to_float as to_float
from featherflow.ops.cast_ops import to_int32 as to_int32
from featherflow.ops.cast_ops import to_int64 as to_int64
from featherflow.ops.check_numerics_ops import add_check_numerics_ops as add_check_numerics_ops
from featherflow.ops.check_numerics_ops import check_numerics as check_numerics
from featherflow.ops.check_numerics_ops import verify_tensor_all_finite as verify_tensor_all_finite
from featherflow.ops.cholesky_ops import cholesky as cholesky
from featherflow.ops.cholesky_ops import cholesky_solve as cholesky_solve
from featherflow.ops.clip_norm_ops import clip_by_average_norm as clip_by_average_norm
from featherflow.ops.clip_norm_ops import clip_by_global_norm as clip_by_global_norm
from featherflow.ops.clip_norm_ops import clip_by_norm as clip_by_norm
from featherflow.ops.clip_norm_ops import global_norm as global_norm
from featherflow.ops.clip_ops import clip_by_value as clip_by_value
from featherflow.ops.clip_ops import saturate_cast as saturate_cast
from featherflow.ops.comparison_assertions import assert_equal as assert_equal
from featherflow.ops.comparison_assertions import assert_greater as assert_greater
from featherflow.ops.comparison_assertions import assert_greater_equal as assert_greater_equal
from featherflow.ops.comparison_assertions import assert_less as assert_less
from featherflow.ops.comparison_assertions import assert_less_equal as assert_less_equal
from featherflow.ops.comparison_assertions import assert_near as assert_near
from featherflow.ops.comparison_assertions import assert_none_equal as assert_none_equal
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
from featherflow.ops.complex_ops import complex as complex
from featherflow.ops.complex_ops import conj as conj
from featherflow.ops.complex_ops import imag as imag
from featherflow.ops.complex_ops import real as real
from featherflow.ops.concat_ops import parallel_stack as parallel_stack
from featherflow.ops.cond import cond as cond
from featherflow.ops.confusion_matrix_ops import confusion_matrix_v1 as confusion_matrix
from featherflow.ops.constant_ops import constant_v1 as constant
from featherflow.ops.conversion_ops import convert_to_tensor_v1 as convert_to_tensor
from featherflow.ops.conversion_ops import get_static_value as get_static_value
from featherflow.ops.conversion_ops import is_tensor as is_tensor
from featherflow.ops.conversion_ops import (
    register_tensor_conversion_function as register_tensor_conversion_function,
)
from featherflow.ops.core_array_ops import concat as concat
from featherflow.ops.core_array_ops import slice_ as slice
from featherflow.ops.counting_ops import bincount_v1 as bincount
from featherflow.ops.counting_ops import histogram_fixed_width as histogram_fixed_width
from featherflow.ops.counting_ops import histogram_fixed_width_bins as histogram_fixed_width_bins
from featherflow.ops.cumulative_ops import cumprod as cumprod
from featherflow.ops.cumulative_ops import cumsum as cumsum
from featherflow.ops.custom_gradient import custom_gradient as custom_gradient
from featherflow.ops.determinant_ops import matrix_determinant as matrix_determinant
from featherflow.ops.division_ops import div as div
from featherflow.ops.division_ops import divide as divide
from featherflow.ops.division_ops import divide_no_nan as div_no_nan
from featherflow.ops.division_ops import floordiv as floordiv
from featherflow.ops.division_ops import floormod as floormod
from featherflow.ops.division_ops import floormod as mod
from featherflow.ops.division_ops import realdiv as realdiv
from featherflow.ops.division_ops import reciprocal as reciprocal
from featherflow.ops.division_ops import truediv as truediv
from featherflow.ops.division_ops import truncatediv as truncatediv
from featherflow.ops.division_ops import truncatemod as truncatemod
from featherflow.ops.dynamic_partition_ops import dynamic_partition as dynamic_partition
from featherflow.ops.dynamic_partition_ops import dynamic_stitch as dynamic_stitch
from featherflow.ops.edit_distance_ops import edit_distance as edit_distance
from featherflow.ops.eigen_ops import eig as eig
from featherflow.ops.eigen_ops import eigvals as eigvals
from featherflow.ops.eigen_ops import self_adjoint_eig as self_adjoint_eig
from featherflow.ops.eigen_ops import self_adjoint_eigvals as self_adjoint_eigvals
from featherflow.ops.einsum_ops import einsum as einsum
from featherflow.ops.element_loops import foldl as foldl
from featherflow.ops.element_loops import foldr as foldr
from featherflow.ops.element_loops import map_fn as map_fn
from featherflow.ops.element_loops import scan as scan
from featherflow.ops.exponential_ops import exp as exp
from featherflow.ops.exponential_ops import expm1 as expm1
from featherflow.ops.exponential_ops import log as log
from featherflow.ops.exponential_ops import log1p as log1p
from featherflow.ops.exponential_ops import pow as pow
from featherflow.ops.exponential_ops import rsqrt as rsqrt
from featherflow.ops.exponential_ops import sigmoid as sigmoid
from featherflow.ops.exponential_ops import sqrt as sqrt
from featherflow.ops.exponential_ops import tanh as tanh
from featherflow.ops.extremum_ops import maximum as maximum
from featherflow.ops.extremum_ops import minimum as minimum
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_args as fake_quant_with_min_max_args,
)
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_args_gradient as fake_quant_with_min_max_args_gradient,
)
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_vars as fake_quant_with_min_max_vars,
)
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_vars_gradient as fake_quant_with_min_max_vars_gradient,
)
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_vars_per_channel as fake_quant_with_min_max_vars_per_channel,
)
from featherflow.ops.fake_quant_ops import (
    fake_quant_with_min_max_vars_per_channel_gradient as fake_quant_with_min_max_vars_per_channel_gradient,
)
from featherflow.ops.fft_ops import fft as fft
from featherflow.ops.fft_ops import fft2d as fft2d
from featherflow.ops.fft_ops import fft3d as fft3d
from featherflow.ops.fft_ops import ifft as ifft
from featherflow.ops.fft_ops import ifft2d as ifft2d
from featherflow.ops.fft_ops import ifft3d as ifft3d
from featherflow.ops.fftnd_ops import plain_fftnd as fftnd
from featherflow.ops.fftnd_ops import plain_ifftnd as ifftnd
from featherflow.ops.fftnd_ops import plain_irfftnd as irfftnd
from featherflow.ops.fftnd_ops import plain_rfftnd as rfftnd
from featherflow.ops.file_ops import matching_files as matching_files
from featherflow.ops.file_ops import read_file as read_file
from featherflow.ops.file_ops import write_file as write_file
from featherflow.ops.fill_ops import fill as fill
from featherflow.ops.fill_ops import ones as ones
from featherflow.ops.fill_ops import ones_like as ones_like
from featherflow.ops.fill_ops import zeros as zeros
from featherflow.ops.fill_ops import zeros_like as zeros_like
from featherflow.ops.gather_ops import batch_gather as batch_gather
from featherflow.ops.gather_ops import gather as gather
from featherflow.ops.gather_ops import unsorted_segment_sum as unsorted_segment_sum
from featherflow.ops.gradient_aggregation import AggregationMethod as AggregationMethod
from featherflow.ops.gradient_overrides import grad_pass_through as grad_pass_through
from featherflow.ops.gradient_overrides import recompute_grad as recompute_grad
from featherflow.ops.gradient_registry import RegisterGradient as RegisterGradient
from featherflow.ops.gradient_registry import not_differentiable as NoGradient
from featherflow.ops.gradient_registry import not_differentiable as NotDifferentiable
from featherflow.ops.gradient_registry import not_differentiable as no_gradient
from featherflow.ops.gradients import UnconnectedGradients as UnconnectedGradients
from featherflow.ops.gradients import gradients as gradients
from featherflow.ops.grid_ops import meshgrid as meshgrid
from featherflow.ops.grid_ops import repeat as repeat
from featherflow.ops.grid_ops import unravel_index as unravel_index
from featherflow.ops.grouping_ops import group as group
from featherflow.ops.grouping_ops import no_op as no_op
from featherflow.ops.grouping_ops import tuple_v1 as tuple
from featherflow.ops.hessians import hessians as hessians
from featherflow.ops.identity_ops import ensure_shape as ensure_shape
from featherflow.ops.identity_ops import guarantee_const as guarantee_const
from featherflow.ops.identity_ops import identity as identity
from featherflow.ops.identity_ops import identity_n as identity_n
from featherflow.ops.identity_ops import stop_gradient as stop_gradient
from featherflow.ops.indexed_slices_ops import IndexedSlices as IndexedSlices
from featherflow.ops.indexed_slices_ops import IndexedSlicesValue as IndexedSlicesValue
from featherflow.ops.indexed_slices_ops import (
    convert_to_tensor_or_indexed_slices as convert_to_tensor_or_indexed_slices,
)
from featherflow.ops.indexed_slices_ops import is_symbolic_tensor as is_symbolic_tensor
from featherflow.ops.init_ops import Constant as constant_initializer
from featherflow.ops.init_ops import GlorotNormal as glorot_normal_initializer
from featherflow.ops.init_ops import GlorotUniform as glorot_uniform_initializer
from featherflow.ops.init_ops import Ones as ones_initializer
from featherflow.ops.init_ops import Orthogonal as orthogonal_initializer
from featherflow.ops.init_ops import RandomNormal as random_normal_initializer
from featherflow.ops.init_ops import RandomUniform as random_uniform_initializer
from featherflow.ops.init_ops import TruncatedNormal as truncated_normal_initializer
from featherflow.ops.init_ops import UniformUnitScaling as uniform_unit_scaling_initializer
from featherflow.ops.init_ops import VarianceScaling as variance_scaling_initializer
from featherflow.ops.init_ops import Zeros as zeros_initializer
from featherflow.ops.least_squares_ops import matrix_solve_ls as matrix_solve_ls
from featherflow.ops.magnitude_ops import abs as abs
from featherflow.ops.magnitude_ops import angle as angle
from featherflow.ops.magnitude_ops import sign as sign
from featherflow.ops.masking_ops import boolean_mask as boolean_mask
from featherflow.ops.masking_ops import sequence_mask as sequence_mask
from featherflow.ops.matmul_ops import matmul as matmul
from featherflow.ops.matrix_diag_ops import band_part as matrix_band_part
from featherflow.ops.matrix_diag_ops import diag as matrix_diag
from featherflow.ops.matrix_diag_ops import diag_part as matrix_diag_part
from featherflow.ops.matrix_diag_ops import set_diag as matrix_set_diag
from featherflow.ops.matrix_function_ops import matrix_square_root as matrix_square_root
from featherflow.ops.module import Module as Module
from featherflow.ops.monotonic_ops import is_non_decreasing as is_non_decreasing
from featherflow.ops.monotonic_ops import is_strictly_increasing as is_strictly_increasing
from featherflow.ops.norm_ops import norm as norm
from featherflow.ops.older_names import arg_max as arg_max
from featherflow.ops.older_names import arg_min as arg_min
from featherflow.ops.older_names import create_partitioned_variables as create_partitioned_variables
from featherflow.ops.older_names import floor_div as floor_div
from featherflow.ops.one_hot_ops import one_hot as one_hot
from featherflow.ops.pack_ops import stack as stack
from featherflow.ops.pack_ops import unstack as unstack
from featherflow.ops.padding_ops import pad as pad
from featherflow.ops.partitioners import fixed_size_partitioner as fixed_size_partitioner
from featherflow.ops.partitioners import (
    min_max_variable_partitioner as min_max_variable_partitioner,
)
from featherflow.ops.partitioners import (
    variable_axis_size_partitioner as variable_axis_size_partitioner,
)
from featherflow.ops.patch_ops import extract_image_patches as extract_image_patches
from featherflow.ops.patch_ops import extract_volume_patches as extract_volume_patches
from featherflow.ops.placeholder_ops import placeholder as placeholder
from featherflow.ops.placeholder_ops import placeholder_with_default as placeholder_with_default
from featherflow.ops.print_ops import print_ as print
from featherflow.ops.print_ops import print_v1 as Print
from featherflow.ops.py_func_ops import numpy_function as numpy_function
from featherflow.ops.py_func_ops import py_func as py_func
from featherflow.ops.py_func_ops import py_function as py_function
from featherflow.ops.qr_ops import qr as qr
from featherflow.ops.quantize_ops import dequantize as dequantize
from featherflow.ops.quantize_ops import quantize as quantize
from featherflow.ops.quantize_ops import quantize_v2 as quantize_v2
from featherflow.ops.quantized_array_ops import quantized_concat as quantized_concat
from featherflow.ops.queues import FIFOQueue as FIFOQueue
from featherflow.ops.queues import PaddingFIFOQueue as PaddingFIFOQueue
from featherflow.ops.queues import PriorityQueue as PriorityQueue
from featherflow.ops.queues import QueueBase as QueueBase
from featherflow.ops.queues import RandomShuffleQueue as RandomShuffleQueue
from featherflow.ops.ragged_operators import RaggedTensor as RaggedTensor
from featherflow.ops.random_crop_ops import random_crop as random_crop
from featherflow.ops.random_ops import multinomial as multinomial
from featherflow.ops.random_ops import random_normal as random_normal
from featherflow.ops.random_ops import random_shuffle as random_shuffle
from featherflow.ops.random_ops import random_uniform as random_uniform
from featherflow.ops.random_ops import truncated_normal as truncated_normal
from featherflow.ops.random_rejection_ops import random_gamma as random_gamma
from featherflow.ops.random_rejection_ops import random_poisson as random_poisson
from featherflow.ops.range_ops import range_ as range
from featherflow.ops.rank_assertions import assert_rank as assert_rank
from featherflow.ops.rank_assertions import assert_rank_at_least as assert_rank_at_least
from featherflow.ops.rank_assertions import assert_rank_in as assert_rank_in
from featherflow.ops.rank_assertions import assert_scalar as assert_scalar
from featherflow.ops.reduction_ops import reduce_all as reduce_all
from featherflow.ops.reduction_ops import reduce_any as reduce_any
from featherflow.ops.reduction_ops import reduce_max as reduce_max
from featherflow.ops.reduction_ops import reduce_mean as reduce_mean
from featherflow.ops.reduction_ops import reduce_min as reduce_min
from featherflow.ops.reduction_ops import reduce_prod as reduce_prod
from featherflow.ops.ref_variable_ops import assign as assign
from featherflow.ops.ref_variable_ops import assign_add as assign_add
from featherflow.ops.ref_variable_ops import assign_sub as assign_sub
from featherflow.ops.ref_variable_ops import count_up_to as count_up_to
from featherflow.ops.ref_variable_ops import is_variable_initialized as is_variable_initialized
from featherflow.ops.regex_ops import regex_replace as regex_replace
from featherflow.ops.reshape_ops import expand_dims as expand_dims
from featherflow.ops.reshape_ops import reshape as reshape
from featherflow.ops.reshape_ops import squeeze as squeeze
from featherflow.ops.reverse_ops import reverse as reverse
from featherflow.ops.reverse_ops import reverse as reverse_v2
from featherflow.ops.reverse_ops import reverse_sequence as reverse_sequence
from featherflow.ops.reverse_ops import roll as roll
from featherflow.ops.rounding_ops import ceil as ceil
from featherflow.ops.rounding_ops import floor as floor
from featherflow.ops.rounding_ops import rint as rint
from featherflow.ops.rounding_ops import round as round
from featherflow.ops.scatter_nd_ops import gather_nd as gather_nd
from featherflow.ops.scatter_nd_ops import scatter_nd as scatter_nd
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_add as tensor_scatter_add
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_add as tensor_scatter_nd_add
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_max as tensor_scatter_nd_max
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_min as tensor_scatter_nd_min
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_sub as tensor_scatter_nd_sub
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_sub as tensor_scatter_sub
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_update as tensor_scatter_nd_update
from featherflow.ops.scatter_nd_ops import tensor_scatter_nd_update as tensor_scatter_update
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
from featherflow.ops.session_handle_ops import delete_session_tensor as delete_session_tensor
from featherflow.ops.session_handle_ops import get_session_handle as get_session_handle
from featherflow.ops.session_handle_ops import get_session_tensor as get_session_tensor
from featherflow.ops.shape_ops import rank as rank
from featherflow.ops.shape_ops import shape as shape
from featherflow.ops.shape_ops import shape_n as shape_n
from featherflow.ops.sign_assertions import assert_negative as assert_negative
from featherflow.ops.sign_assertions import assert_non_negative as assert_non_negative
from featherflow.ops.sign_assertions import assert_non_positive as assert_non_positive
from featherflow.ops.sign_assertions import assert_positive as assert_positive
from featherflow.ops.solve_ops import matrix_inverse as matrix_inverse
from featherflow.ops.solve_ops import matrix_solve as matrix_solve
from featherflow.ops.solve_ops import matrix_triangular_solve as matrix_triangular_solve
from featherflow.ops.sort_ops import argsort as argsort
from featherflow.ops.sort_ops import searchsorted as searchsorted
from featherflow.ops.sort_ops import sort as sort
from featherflow.ops.space_ops import batch_to_space as batch_to_space
from featherflow.ops.space_ops import batch_to_space_nd as batch_to_space_nd
from featherflow.ops.space_ops import depth_to_space as depth_to_space
from featherflow.ops.space_ops import space_to_batch as space_to_batch
from featherflow.ops.space_ops import space_to_batch_nd as space_to_batch_nd
from featherflow.ops.space_ops import space_to_depth as space_to_depth
from featherflow.ops.space_paddings import (
    required_space_to_batch_paddings as required_space_to_batch_paddings,
)
from featherflow.ops.sparse_add_ops import sparse_add as sparse_add
from featherflow.ops.sparse_concat import sparse_concat as sparse_concat
from featherflow.ops.sparse_elementwise_ops import sparse_maximum as sparse_maximum
from featherflow.ops.sparse_elementwise_ops import sparse_minimum as sparse_minimum
from featherflow.ops.sparse_forms import mask as sparse_mask
from featherflow.ops.sparse_forms import merge as sparse_merge
from featherflow.ops.sparse_forms import reset_shape as sparse_reset_shape
from featherflow.ops.sparse_forms import retain as sparse_retain
from featherflow.ops.sparse_forms import to_indicator as sparse_to_indicator
from featherflow.ops.sparse_matmul_ops import (
    sparse_tensor_dense_matmul as sparse_tensor_dense_matmul,
)
from featherflow.ops.sparse_order_ops import reorder as sparse_reorder
from featherflow.ops.sparse_order_ops import sparse_reshape as sparse_reshape
from featherflow.ops.sparse_order_ops import sparse_transpose as sparse_transpose
from featherflow.ops.sparse_reduction_ops import sparse_reduce_max as sparse_reduce_max
from featherflow.ops.sparse_reduction_ops import (
    sparse_reduce_max_sparse as sparse_reduce_max_sparse,
)
from featherflow.ops.sparse_reduction_ops import sparse_reduce_sum as sparse_reduce_sum
from featherflow.ops.sparse_reduction_ops import (
    sparse_reduce_sum_sparse as sparse_reduce_sum_sparse,
)
from featherflow.ops.sparse_reduction_ops import sparse_softmax as sparse_softmax
from featherflow.ops.sparse_row_ops import fill_empty_rows as sparse_fill_empty_rows
from featherflow.ops.sparse_row_ops import ragged_fill_empty_rows as ragged_fill_empty_rows
from featherflow.ops.sparse_row_ops import (
    ragged_fill_empty_rows_grad as ragged_fill_empty_rows_grad,
)
from featherflow.ops.sparse_segment_ops import sparse_segment_mean as sparse_segment_mean
from featherflow.ops.sparse_segment_ops import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from featherflow.ops.sparse_segment_ops import sparse_segment_sum as sparse_segment_sum
from featherflow.ops.sparse_serialization_ops import (
    deserialize_many_sparse as deserialize_many_sparse,
)
from featherflow.ops.sparse_serialization_ops import serialize_many_sparse as serialize_many_sparse
from featherflow.ops.sparse_serialization_ops import serialize_sparse as serialize_sparse
from featherflow.ops.sparse_slice_ops import sparse_slice as sparse_slice
from featherflow.ops.sparse_slice_ops import sparse_split as sparse_split
from featherflow.ops.sparse_tensor_ops import SparseTensor as SparseTensor
from featherflow.ops.sparse_tensor_ops import SparseTensorValue as SparseTensorValue
from featherflow.ops.sparse_tensor_ops import (
    convert_to_tensor_or_sparse_tensor as convert_to_tensor_or_sparse_tensor,
)
from featherflow.ops.sparse_tensor_ops import size as size
from featherflow.ops.sparse_tensor_ops import sparse_placeholder as sparse_placeholder
from featherflow.ops.sparse_tensor_ops import sparse_to_dense as sparse_to_dense
from featherflow.ops.sparse_tensor_ops import to_dense as sparse_tensor_to_dense
from featherflow.ops.special_function_ops import betainc as betainc
from featherflow.ops.special_function_ops import digamma as digamma
from featherflow.ops.special_function_ops import erf as erf
from featherflow.ops.special_function_ops import erfc as erfc
from featherflow.ops.special_function_ops import igamma as igamma
from featherflow.ops.special_function_ops import igammac as igammac
from featherflow.ops.special_function_ops import lbeta as lbeta
from featherflow.ops.special_function_ops import lgamma as lgamma
from featherflow.ops.special_function_ops import polygamma as polygamma
from featherflow.ops.special_function_ops import zeta as zeta
from featherflow.ops.splitting_ops import split as split
from featherflow.ops.static_tables import initialize_all_tables as initialize_all_tables
from featherflow.ops.static_tables import tables_initializer as tables_initializer
from featherflow.ops.statistics_ops import count_nonzero as count_nonzero
from featherflow.ops.statistics_ops import reduce_logsumexp as reduce_logsumexp
from featherflow.ops.strided_slice_ops import newaxis as newaxis
from featherflow.ops.strided_slice_ops import strided_slice as strided_slice
from featherflow.ops.string_hash_ops import fingerprint as fingerprint
from featherflow.ops.string_hash_ops import string_to_hash_bucket as string_to_hash_bucket
from featherflow.ops.string_hash_ops import string_to_hash_bucket_fast as string_to_hash_bucket_fast
from featherflow.ops.string_hash_ops import (
    string_to_hash_bucket_strong as string_to_hash_bucket_strong,
)
from featherflow.ops.string_join_ops import reduce_join as reduce_join
from featherflow.ops.string_join_ops import string_join as string_join
from featherflow.ops.string_number_ops import as_string as as_string
from featherflow.ops.string_number_ops import string_to_number as string_to_number
from featherflow.ops.string_ops import string_strip as string_strip
from featherflow.ops.string_ops import substr as substr
from featherflow.ops.string_splits import string_split as string_split
from featherflow.ops.sum_ops import broadcast_to as broadcast_to
from featherflow.ops.sum_ops import reduce_sum as reduce_sum
from featherflow.ops.svd_ops import svd as svd
from featherflow.ops.switch_case import switch_case as switch_case
from featherflow.ops.template import make_template as make_template
from featherflow.ops.tensor_array import TensorArray as TensorArray
from featherflow.ops.tensor_diag_ops import eye as eye
from featherflow.ops.tensor_diag_ops import tensor_diag as diag
from featherflow.ops.tensor_diag_ops import tensor_diag_part as diag_part
from featherflow.ops.tensor_diag_ops import trace as trace
from featherflow.ops.tensor_message_ops import parse_tensor as parse_tensor
from featherflow.ops.tensor_message_ops import serialize_tensor as serialize_tensor
from featherflow.ops.tensordot_ops import tensordot as tensordot
from featherflow.ops.tile_ops import tile as tile
from featherflow.ops.timestamp_ops import timestamp as timestamp
from featherflow.ops.transpose_ops import invert_permutation as invert_permutation
from featherflow.ops.transpose_ops import matrix_transpose as matrix_transpose
from featherflow.ops.transpose_ops import transpose as transpose
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
from featherflow.ops.type_assertions import assert_integer as assert_integer
from featherflow.ops.type_assertions import assert_proper_iterable as assert_proper_iterable
from featherflow.ops.type_assertions import assert_same_float_dtype as assert_same_float_dtype
from featherflow.ops.type_assertions import assert_type as assert_type
from featherflow.ops.type_assertions import is_numeric_tensor as is_numeric_tensor
from featherflow.ops.uninitialized_ops import (
    assert_variables_initialized as assert_variables_initialized,
)
from featherflow.ops.uninitialized_ops import (
    report_uninitialized_variables as report_uninitialized_variables,
)
from featherflow.ops.unique_ops import setdiff1d as listdiff
from featherflow.ops.unique_ops import setdiff1d as setdiff1d
from featherflow.ops.unique_ops import unique as unique
from featherflow.ops.unique_ops import unique_with_counts as unique_with_counts
from featherflow.ops.user_ops import load_op_library as load_op_library
from featherflow.ops.user_ops import register_kernel as register_kernel
from featherflow.ops.user_ops import register_op as register_op
from featherflow.ops.variable_base import VariableAggregation as VariableAggregation
from featherflow.ops.variable_base import VariableSynchronization as VariableSynchronization
from featherflow.ops.variable_scatter_ops import scatter_add as scatter_add
from featherflow.ops.variable_scatter_ops import scatter_div as scatter_div
from featherflow.ops.variable_scatter_ops import scatter_max as scatter_max
from featherflow.ops.variable_scatter_ops import scatter_min as scatter_min
from featherflow.ops.variable_scatter_ops import scatter_mul as scatter_mul
from featherflow.ops.variable_scatter_ops import scatter_nd_add as scatter_nd_add
from featherflow.ops.variable_scatter_ops import scatter_nd_sub as scatter_nd_sub
from featherflow.ops.variable_scatter_ops import scatter_nd_update as scatter_nd_update
from featherflow.ops.variable_scatter_ops import scatter_sub as scatter_sub
from featherflow.ops.variable_scatter_ops import scatter_update as scatter_update
from featherflow.ops.variable_scope import AUTO_REUSE as AUTO_REUSE
from featherflow.ops.variable_scope import VariableScope as VariableScope
from featherflow.ops.variable_scope import get_local_variable as get_local_variable
from featherflow.ops.variable_scope import get_variable as get_variable
from featherflow.ops.variable_scope import get_variable_scope as get_variable_scope
from featherflow.ops.variable_scope import no_regularizer as no_regularizer
from featherflow.ops.variable_scope import variable_op_scope as variable_op_scope
from featherflow.ops.variable_scope import variable_scope as variable_scope
from featherflow.ops.variables import Variable as Variable
from featherflow.ops.variables import all_variables as all_variables
from featherflow.ops.variables import disable_resource_variables as disable_resource_variables
from featherflow.ops.variables import enable_resource_variables as enable_resource_variables
from featherflow.ops.variables import global_variables as global_variables
from featherflow.ops.variables import global_variables_initializer as global_variables_initializer
from featherflow.ops.variables import initialize_all_variables as initialize_all_variables
from featherflow.ops.variables import initialize_local_variables as initialize_local_variables
from featherflow.ops.variables import initialize_variables as initialize_variables
from featherflow.ops.variables import local_variables as local_variables
from featherflow.ops.variables import local_variables_initializer as local_variables_initializer
from featherflow.ops.variables import model_variables as model_variables
from featherflow.ops.variables import moving_average_variables as moving_average_variables
from featherflow.ops.variables import resource_variables_enabled as resource_variables_enabled
from featherflow.ops.variables import trainable_variables as trainable_variables
from featherflow.ops.variables import variable_creator_scope as variable_creator_scope
from featherflow.ops.variables import variables_initializer as variables_initializer
from featherflow.ops.vector_ops import cross as cross
from featherflow.ops.vector_ops import linspace as lin_space
from featherflow.ops.vector_ops import linspace as linspace
from featherflow.ops.where_ops import where as where
from featherflow.ops.where_ops import where_v2 as where_v2
from featherflow.ops.while_loop import while_loop as while_loop
from featherflow.platform.behavior import control_flow_v2_enabled as control_flow_v2_enabled
from featherflow.platform.behavior import disable_control_flow_v2 as disable_control_flow_v2
from featherflow.platform.behavior import disable_eager_execution as disable_eager_execution
from featherflow.platform.behavior import disable_v2_behavior as disable_v2_behavior
from featherflow.platform.behavior import enable_control_flow_v2 as enable_control_flow_v2
from featherflow.platform.behavior import enable_eager_execution as enable_eager_execution
from featherflow.platform.behavior import enable_v2_behavior as enable_v2_behavior
from featherflow.platform.behavior import executing_eagerly as executing_eagerly
from featherflow.platform.behavior import (
    executing_eagerly_outside_functions as executing_eagerly_outside_functions,
)
from featherflow.platform.build_info import COMPILER_VERSION as COMPILER_VERSION
from featherflow.platform.build_info import CXX11_ABI_FLAG as CXX11_ABI_FLAG
from featherflow.platform.build_info import CXX_VERSION as CXX_VERSION
from featherflow.platform.build_info import GIT_VERSION as GIT_VERSION
from featherflow.platform.build_info import MONOLITHIC_BUILD as MONOLITHIC_BUILD
from featherflow.platform.logging import get_logger as get_logger
from featherflow.protos.attr_value_pb2 import AttrValue as AttrValue
from featherflow.protos.attr_value_pb2 import NameAttrList as NameAttrList
from featherflow.protos.config_pb2 import ConfigProto as ConfigProto
from featherflow.protos.config_pb2 import GPUOptions as GPUOptions
from featherflow.protos.config_pb2 import GraphOptions as GraphOptions
from featherflow.protos.config_pb2 import OptimizerOptions as OptimizerOptions
from featherflow.protos.config_pb2 import RunMetadata as RunMetadata
from featherflow.protos.config_pb2 import RunOptions as RunOptions
from featherflow.protos.event_pb2 import Event as Event
from featherflow.protos.event_pb2 import LogMessage as LogMessage
from featherflow.protos.event_pb2 import SessionLog as SessionLog
from featherflow.protos.graph_pb2 import GraphDef as GraphDef
from featherflow.protos.meta_graph_pb2 import MetaGraphDef as MetaGraphDef
from featherflow.protos.meta_graph_pb2 import SignatureDef as SignatureDef
from featherflow.protos.meta_graph_pb2 import TensorInfo as TensorInfo
from featherflow.protos.node_def_pb2 import NodeDef as NodeDef
from featherflow.protos.summary_pb2 import HistogramProto as HistogramProto
from featherflow.protos.summary_pb2 import Summary as Summary
from featherflow.protos.summary_pb2 import SummaryMetadata as SummaryMetadata
from featherflow.protos.tensor_pb2 import TensorProto as TensorProto
from featherflow.protos.variable_pb2 import VariableDef as VariableDef
from featherflow.runtime.explain import explain_placement as explain_placement
from featherflow.runtime.session import InteractiveSession as InteractiveSession
from featherflow.runtime.session import Session as Session
from featherflow.runtime.session import get_default_session as get_default_session
from featherflow import app as app
from featherflow import audio as audio
from featherflow import autodiff as autodiff
from featherflow import autograph as autograph
from featherflow import bitwise as bitwise
from featherflow import compat as compat
from featherflow import config as config
from featherflow import contrib as contrib
from featherflow import debugging as debugging
from featherflow import dtypes as dtypes
from featherflow import errors as errors
from featherflow import flags as flags
from featherflow import gfile as gfile
from featherflow import graph_util as graph_util
from featherflow import image as image
from featherflow import initializers as initializers
from featherflow import io as io
from featherflow import layers as layers
from featherflow import linalg as linalg
from featherflow import logging as logging
from featherflow import lookup as lookup
from featherflow import losses as losses
from featherflow import manip as manip
from featherflow import math as math
from featherflow import metrics as metrics
from featherflow import nest as nest
from featherflow import nn as nn
from featherflow import quantization as quantization
from featherflow import queue as queue
from featherflow import ragged as ragged
from featherflow import random as random
from featherflow import raw_ops as raw_ops
from featherflow import resource_loader as resource_loader
from featherflow import sets as sets
from featherflow import signal as signal
from featherflow import sparse as sparse
from featherflow import spectral as spectral
from featherflow import strings as strings
from featherflow import summary as summary
from featherflow import sysconfig as sysconfig
from featherflow import test as test
from featherflow import timeline as timeline
from featherflow import train as train
from featherflow import version as version

__version__: str
newaxis: None

__all__ = [
    "AUTO_REUSE",
    "AggregationMethod",
    "Assert",
    "AttrValue",
    "COMPILER_VERSION",
    "CXX11_ABI_FLAG",
    "CXX_VERSION",
    "ConditionalAccumulator",
    "ConditionalAccumulatorBase",
    "ConfigProto",
    "DType",
    "DeviceSpec",
    "Dimension",
    "Event",
    "FIFOQueue",
    "GIT_VERSION",
    "GPUOptions",
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "GradientTape",
    "Graph",
    "GraphDef",
    "GraphKeys",
    "GraphOptions",
    "HistogramProto",
    "IndexedSlices",
    "IndexedSlicesValue",
    "InteractiveSession",
    "LogMessage",
    "MONOLITHIC_BUILD",
    "MetaGraphDef",
    "Module",
    "NameAttrList",
    "NoGradient",
    "NodeDef",
    "NotDifferentiable",
    "OpError",
    "Operation",
    "OptimizerOptions",
    "PaddingFIFOQueue",
    "Print",
    "PriorityQueue",
    "QUANTIZED_DTYPES",
    "QueueBase",
    "RaggedTensor",
    "RandomShuffleQueue",
    "RegisterGradient",
    "RunMetadata",
    "RunOptions",
    "Session",
    "SessionLog",
    "SignatureDef",
    "SparseTensor",
    "SparseTensorValue",
    "Summary",
    "SummaryMetadata",
    "Tensor",
    "TensorArray",
    "TensorInfo",
    "TensorProto",
    "TensorShape",
    "TensorSpec",
    "TypeSpec",
    "UnconnectedGradients",
    "VERSION",
    "Variable",
    "VariableAggregation",
    "VariableDef",
    "VariableScope",
    "VariableSynchronization",
    "__version__",
    "abs",
    "accumulate_n",
    "acos",
    "acosh",
    "add",
    "add_check_numerics_ops",
    "add_n",
    "add_to_collection",
    "add_to_collections",
    "all_variables",
    "angle",
    "app",
    "arg_max",
    "arg_min",
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "as_string",
    "asin",
    "asinh",
    "assert_equal",
    "assert_greater",
    "assert_greater_equal",
    "assert_integer",
    "assert_less",
    "assert_less_equal",
    "assert_near",
    "assert_negative",
    "assert_non_negative",
    "assert_non_positive",
    "assert_none_equal",
    "assert_positive",
    "assert_proper_iterable",
    "assert_rank",
    "assert_rank_at_least",
    "assert_rank_in",
    "assert_same_float_dtype",
    "assert_scalar",
    "assert_type",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "audio",
    "autodiff",
    "autograph",
    "batch_gather",
    "batch_scatter_update",
    "batch_to_space",
    "batch_to_space_nd",
    "betainc",
    "bfloat16",
    "bfloat16_ref",
    "bincount",
    "bitcast",
    "bitwise",
    "bool",
    "bool_ref",
    "boolean_mask",
    "broadcast_dynamic_shape",
    "broadcast_static_shape",
    "broadcast_to",
    "case",
    "cast",
    "ceil",
    "check_numerics",
    "cholesky",
    "cholesky_solve",
    "clip_by_average_norm",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "colocate_with",
    "compat",
    "complex",
    "complex128",
    "complex128_ref",
    "complex64",
    "complex64_ref",
    "concat",
    "cond",
    "config",
    "confusion_matrix",
    "conj",
    "constant",
    "constant_initializer",
    "container",
    "contrib",
    "control_dependencies",
    "control_flow_v2_enabled",
    "convert_to_tensor",
    "convert_to_tensor_or_indexed_slices",
    "convert_to_tensor_or_sparse_tensor",
    "cos",
    "cosh",
    "count_nonzero",
    "count_up_to",
    "create_partitioned_variables",
    "cross",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "debugging",
    "decode_base64",
    "decode_compressed",
    "decode_raw",
    "delete_session_tensor",
    "depth_to_space",
    "dequantize",
    "deserialize_many_sparse",
    "device",
    "diag",
    "diag_part",
    "digamma",
    "dimension_at_index",
    "dimension_value",
    "disable_control_flow_v2",
    "disable_eager_execution",
    "disable_resource_variables",
    "disable_v2_behavior",
    "div",
    "div_no_nan",
    "divide",
    "double",
    "double_ref",
    "dtypes",
    "dynamic_partition",
    "dynamic_stitch",
    "edit_distance",
    "eig",
    "eigvals",
    "einsum",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_v2_behavior",
    "encode_base64",
    "ensure_shape",
    "equal",
    "erf",
    "erfc",
    "errors",
    "executing_eagerly",
    "executing_eagerly_outside_functions",
    "exp",
    "expand_dims",
    "explain_placement",
    "expm1",
    "extract_image_patches",
    "extract_volume_patches",
    "eye",
    "fake_quant_with_min_max_args",
    "fake_quant_with_min_max_args_gradient",
    "fake_quant_with_min_max_vars",
    "fake_quant_with_min_max_vars_gradient",
    "fake_quant_with_min_max_vars_per_channel",
    "fake_quant_with_min_max_vars_per_channel_gradient",
    "fft",
    "fft2d",
    "fft3d",
    "fftnd",
    "fill",
    "fingerprint",
    "fixed_size_partitioner",
    "flags",
    "float16",
    "float16_ref",
    "float32",
    "float32_ref",
    "float4_e2m1fn",
    "float4_e2m1fn_ref",
    "float64",
    "float64_ref",
    "float8_e4m3b11fnuz",
    "float8_e4m3b11fnuz_ref",
    "float8_e4m3fn",
    "float8_e4m3fn_ref",
    "float8_e4m3fnuz",
    "float8_e4m3fnuz_ref",
    "float8_e5m2",
    "float8_e5m2_ref",
    "float8_e5m2fnuz",
    "float8_e5m2fnuz_ref",
    "floor",
    "floor_div",
    "floordiv",
    "floormod",
    "foldl",
    "foldr",
    "function",
    "gather",
    "gather_nd",
    "get_collection",
    "get_collection_ref",
    "get_current_name_scope",
    "get_default_graph",
    "get_default_session",
    "get_local_variable",
    "get_logger",
    "get_seed",
    "get_session_handle",
    "get_session_tensor",
    "get_static_value",
    "get_variable",
    "get_variable_scope",
    "gfile",
    "global_norm",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
    "grad_pass_through",
    "gradients",
    "graph_util",
    "greater",
    "greater_equal",
    "group",
    "guarantee_const",
    "half",
    "half_ref",
    "hessians",
    "histogram_fixed_width",
    "histogram_fixed_width_bins",
    "identity",
    "identity_n",
    "ifft",
    "ifft2d",
    "ifft3d",
    "ifftnd",
    "igamma",
    "igammac",
    "imag",
    "image",
    "import_graph_def",
    "init_scope",
    "initialize_all_tables",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "initializers",
    "inside_function",
    "int16",
    "int16_ref",
    "int2",
    "int2_ref",
    "int32",
    "int32_ref",
    "int4",
    "int4_ref",
    "int64",
    "int64_ref",
    "int8",
    "int8_ref",
    "invert_permutation",
    "io",
    "irfftnd",
    "is_finite",
    "is_inf",
    "is_nan",
    "is_non_decreasing",
    "is_numeric_tensor",
    "is_strictly_increasing",
    "is_symbolic_tensor",
    "is_tensor",
    "is_variable_initialized",
    "layers",
    "lbeta",
    "less",
    "less_equal",
    "lgamma",
    "lin_space",
    "linalg",
    "linspace",
    "listdiff",
    "load_op_library",
    "local_variables",
    "local_variables_initializer",
    "log",
    "log1p",
    "log_sigmoid",
    "logging",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "lookup",
    "losses",
    "make_ndarray",
    "make_template",
    "make_tensor_proto",
    "manip",
    "map_fn",
    "matching_files",
    "math",
    "matmul",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_inverse",
    "matrix_set_diag",
    "matrix_solve",
    "matrix_solve_ls",
    "matrix_square_root",
    "matrix_transpose",
    "matrix_triangular_solve",
    "maximum",
    "meshgrid",
    "metrics",
    "min_max_variable_partitioner",
    "minimum",
    "mod",
    "model_variables",
    "moving_average_variables",
    "multinomial",
    "multiply",
    "name_scope",
    "negative",
    "nest",
    "newaxis",
    "nn",
    "no_gradient",
    "no_op",
    "no_regularizer",
    "norm",
    "not_equal",
    "numpy_function",
    "one_hot",
    "ones",
    "ones_initializer",
    "ones_like",
    "op_scope",
    "orthogonal_initializer",
    "pad",
    "parallel_stack",
    "parse_tensor",
    "placeholder",
    "placeholder_with_default",
    "polygamma",
    "pow",
    "print",
    "py_func",
    "py_function",
    "qint16",
    "qint16_ref",
    "qint32",
    "qint32_ref",
    "qint8",
    "qint8_ref",
    "qr",
    "quantization",
    "quantize",
    "quantize_v2",
    "quantized_concat",
    "queue",
    "quint16",
    "quint16_ref",
    "quint8",
    "quint8_ref",
    "ragged",
    "ragged_fill_empty_rows",
    "ragged_fill_empty_rows_grad",
    "random",
    "random_crop",
    "random_gamma",
    "random_normal",
    "random_normal_initializer",
    "random_poisson",
    "random_shuffle",
    "random_uniform",
    "random_uniform_initializer",
    "range",
    "rank",
    "raw_ops",
    "read_file",
    "real",
    "realdiv",
    "reciprocal",
    "recompute_grad",
    "reduce_all",
    "reduce_any",
    "reduce_join",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "regex_replace",
    "register_kernel",
    "register_op",
    "register_tensor_conversion_function",
    "repeat",
    "report_uninitialized_variables",
    "required_space_to_batch_paddings",
    "reset_default_graph",
    "reshape",
    "resource",
    "resource_loader",
    "resource_ref",
    "resource_variables_enabled",
    "reverse",
    "reverse_sequence",
    "reverse_v2",
    "rfftnd",
    "rint",
    "roll",
    "round",
    "rsqrt",
    "saturate_cast",
    "scalar_mul",
    "scan",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd",
    "scatter_nd_add",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_sub",
    "scatter_update",
    "searchsorted",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_prod",
    "segment_sum",
    "self_adjoint_eig",
    "self_adjoint_eigvals",
    "sequence_mask",
    "serialize_many_sparse",
    "serialize_sparse",
    "serialize_tensor",
    "set_random_seed",
    "setdiff1d",
    "sets",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "signal",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "space_to_depth",
    "sparse",
    "sparse_add",
    "sparse_concat",
    "sparse_fill_empty_rows",
    "sparse_mask",
    "sparse_maximum",
    "sparse_merge",
    "sparse_minimum",
    "sparse_placeholder",
    "sparse_reduce_max",
    "sparse_reduce_max_sparse",
    "sparse_reduce_sum",
    "sparse_reduce_sum_sparse",
    "sparse_reorder",
    "sparse_reset_shape",
    "sparse_reshape",
    "sparse_retain",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
    "sparse_segment_sum",
    "sparse_slice",
    "sparse_softmax",
    "sparse_split",
    "sparse_tensor_dense_matmul",
    "sparse_tensor_to_dense",
    "sparse_to_dense",
    "sparse_to_indicator",
    "sparse_transpose",
    "spectral",
    "split",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "string_join",
    "string_ref",
    "string_split",
    "string_strip",
    "string_to_hash_bucket",
    "string_to_hash_bucket_fast",
    "string_to_hash_bucket_strong",
    "string_to_number",
    "strings",
    "substr",
    "subtract",
    "summary",
    "svd",
    "switch_case",
    "sysconfig",
    "tables_initializer",
    "tan",
    "tanh",
    "tensor_scatter_add",
    "tensor_scatter_nd_add",
    "tensor_scatter_nd_max",
    "tensor_scatter_nd_min",
    "tensor_scatter_nd_sub",
    "tensor_scatter_nd_update",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tensordot",
    "test",
    "tile",
    "timeline",
    "timestamp",
    "to_bfloat16",
    "to_complex128",
    "to_complex64",
    "to_double",
    "to_float",
    "to_int32",
    "to_int64",
    "trace",
    "train",
    "trainable_variables",
    "transpose",
    "truediv",
    "truncated_normal",
    "truncated_normal_initializer",
    "truncatediv",
    "truncatemod",
    "tuple",
    "uint16",
    "uint16_ref",
    "uint2",
    "uint2_ref",
    "uint32",
    "uint32_ref",
    "uint4",
    "uint4_ref",
    "uint64",
    "uint64_ref",
    "uint8",
    "uint8_ref",
    "uniform_unit_scaling_initializer",
    "unique",
    "unique_with_counts",
    "unravel_index",
    "unsorted_segment_max",
    "unsorted_segment_mean",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sqrt_n",
    "unsorted_segment_sum",
    "unstack",
    "variable_axis_size_partitioner",
    "variable_creator_scope",
    "variable_op_scope",
    "variable_scope",
    "variables_initializer",
    "variance_scaling_initializer",
    "variant",
    "variant_ref",
    "verify_tensor_all_finite",
    "version",
    "where",
    "where_v2",
    "while_loop",
    "write_file",
    "zeros",
    "zeros_initializer",
    "zeros_like",
    "zeta",
]
