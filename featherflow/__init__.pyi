# ruff: noqa
"""The names of the root. Written by tools/generate_index.py."""

from featherflow._version import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from featherflow._version import VERSION as VERSION
from featherflow._version import VERSION as __version__
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
from featherflow.graph.graph_api import get_seed as get_seed
from featherflow.graph.graph_api import name_scope as name_scope
from featherflow.graph.graph_api import op_scope as op_scope
from featherflow.graph.graph_api import set_random_seed as set_random_seed
from featherflow.graph.importer import import_graph_def as import_graph_def
from featherflow.graph.operation import Operation as Operation
from featherflow.graph.tensor import Tensor as Tensor
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
from featherflow.ops.fill_ops import fill as fill
from featherflow.ops.fill_ops import ones as ones
from featherflow.ops.fill_ops import ones_like as ones_like
from featherflow.ops.fill_ops import zeros as zeros
from featherflow.ops.fill_ops import zeros_like as zeros_like
from featherflow.ops.gather_ops import batch_gather as batch_gather
from featherflow.ops.gather_ops import gather as gather
from featherflow.ops.gather_ops import unsorted_segment_sum as unsorted_segment_sum
from featherflow.ops.gradient_aggregation import AggregationMethod as AggregationMethod
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
from featherflow.ops.norm_ops import norm as norm
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
from featherflow.ops.placeholder_ops import placeholder as placeholder
from featherflow.ops.placeholder_ops import placeholder_with_default as placeholder_with_default
from featherflow.ops.print_ops import print_ as print
from featherflow.ops.print_ops import print_v1 as Print
from featherflow.ops.py_func_ops import numpy_function as numpy_function
from featherflow.ops.py_func_ops import py_func as py_func
from featherflow.ops.py_func_ops import py_function as py_function
from featherflow.ops.qr_ops import qr as qr
from featherflow.ops.queues import FIFOQueue as FIFOQueue
from featherflow.ops.queues import PaddingFIFOQueue as PaddingFIFOQueue
from featherflow.ops.queues import PriorityQueue as PriorityQueue
from featherflow.ops.queues import QueueBase as QueueBase
from featherflow.ops.queues import RandomShuffleQueue as RandomShuffleQueue
from featherflow.ops.random_crop_ops import random_crop as random_crop
from featherflow.ops.random_ops import multinomial as multinomial
from featherflow.ops.random_ops import random_normal as random_normal
from featherflow.ops.random_ops import random_shuffle as random_shuffle
from featherflow.ops.random_ops import random_uniform as random_uniform
from featherflow.ops.random_ops import truncated_normal as truncated_normal
from featherflow.ops.random_rejection_ops import random_gamma as random_gamma
from featherflow.ops.random_rejection_ops import random_poisson as random_poisson
from featherflow.ops.range_ops import range_ as range
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
from featherflow.ops.shape_ops import rank as rank
from featherflow.ops.shape_ops import shape as shape
from featherflow.ops.shape_ops import shape_n as shape_n
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
from featherflow.ops.sparse_segment_ops import sparse_segment_mean as sparse_segment_mean
from featherflow.ops.sparse_segment_ops import sparse_segment_sqrt_n as sparse_segment_sqrt_n
from featherflow.ops.sparse_segment_ops import sparse_segment_sum as sparse_segment_sum
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
from featherflow.ops.statistics_ops import count_nonzero as count_nonzero
from featherflow.ops.statistics_ops import reduce_logsumexp as reduce_logsumexp
from featherflow.ops.strided_slice_ops import newaxis as newaxis
from featherflow.ops.strided_slice_ops import strided_slice as strided_slice
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
from featherflow.ops.tensordot_ops import tensordot as tensordot
from featherflow.ops.tile_ops import tile as tile
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
from featherflow import bitwise as bitwise
from featherflow import compat as compat
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
from featherflow import linalg as linalg
from featherflow import logging as logging
from featherflow import manip as manip
from featherflow import math as math
from featherflow import nest as nest
from featherflow import nn as nn
from featherflow import queue as queue
from featherflow import random as random
from featherflow import raw_ops as raw_ops
from featherflow import sparse as sparse
from featherflow import strings as strings
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
    "ConfigProto",
    "DType",
    "DeviceSpec",
    "Dimension",
    "Event",
    "FIFOQueue",
    "GPUOptions",
    "GRAPH_DEF_VERSION",
    "Graph",
    "GraphDef",
    "GraphKeys",
    "GraphOptions",
    "HistogramProto",
    "IndexedSlices",
    "IndexedSlicesValue",
    "InteractiveSession",
    "LogMessage",
    "MetaGraphDef",
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
    "argmax",
    "argmin",
    "argsort",
    "as_dtype",
    "asin",
    "asinh",
    "assert_variables_initialized",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
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
    "conj",
    "constant",
    "constant_initializer",
    "container",
    "contrib",
    "control_dependencies",
    "control_flow_v2_enabled",
    "convert_to_tensor",
    "convert_to_tensor_or_sparse_tensor",
    "cos",
    "cosh",
    "count_nonzero",
    "count_up_to",
    "cross",
    "cumprod",
    "cumsum",
    "custom_gradient",
    "debugging",
    "depth_to_space",
    "device",
    "diag",
    "diag_part",
    "digamma",
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
    "eig",
    "eigvals",
    "einsum",
    "enable_control_flow_v2",
    "enable_eager_execution",
    "enable_resource_variables",
    "enable_v2_behavior",
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
    "eye",
    "fill",
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
    "floordiv",
    "floormod",
    "foldl",
    "foldr",
    "gather",
    "gather_nd",
    "get_collection",
    "get_collection_ref",
    "get_default_graph",
    "get_default_session",
    "get_local_variable",
    "get_seed",
    "get_static_value",
    "get_variable",
    "get_variable_scope",
    "gfile",
    "global_norm",
    "global_variables",
    "global_variables_initializer",
    "glorot_normal_initializer",
    "glorot_uniform_initializer",
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
    "igamma",
    "igammac",
    "imag",
    "image",
    "import_graph_def",
    "initialize_all_variables",
    "initialize_local_variables",
    "initialize_variables",
    "initializers",
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
    "is_finite",
    "is_inf",
    "is_nan",
    "is_tensor",
    "is_variable_initialized",
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
    "make_ndarray",
    "make_template",
    "make_tensor_proto",
    "manip",
    "map_fn",
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
    "queue",
    "quint16",
    "quint16_ref",
    "quint8",
    "quint8_ref",
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
    "real",
    "realdiv",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "register_kernel",
    "register_op",
    "register_tensor_conversion_function",
    "repeat",
    "report_uninitialized_variables",
    "required_space_to_batch_paddings",
    "reset_default_graph",
    "reshape",
    "resource",
    "resource_ref",
    "resource_variables_enabled",
    "reverse",
    "reverse_sequence",
    "reverse_v2",
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
    "set_random_seed",
    "setdiff1d",
    "shape",
    "shape_n",
    "sigmoid",
    "sign",
    "sin",
    "sinh",
    "size",
    "slice",
    "sort",
    "space_to_batch",
    "space_to_batch_nd",
    "space_to_depth",
    "sparse",
    "sparse_placeholder",
    "sparse_segment_mean",
    "sparse_segment_sqrt_n",
    "sparse_segment_sum",
    "sparse_tensor_to_dense",
    "sparse_to_dense",
    "split",
    "sqrt",
    "square",
    "squared_difference",
    "squeeze",
    "stack",
    "stop_gradient",
    "strided_slice",
    "string",
    "string_ref",
    "strings",
    "subtract",
    "svd",
    "switch_case",
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
    "zeros",
    "zeros_initializer",
    "zeros_like",
    "zeta",
]
