# ruff: noqa
"""tf.nn: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.losses.average_loss import compute_average_loss as compute_average_loss
    from featherflow.losses.average_loss import (
        scale_regularization_loss as scale_regularization_loss,
    )
    from featherflow.ops.activation_ops import crelu as crelu
    from featherflow.ops.activation_ops import elu as elu
    from featherflow.ops.activation_ops import gelu as gelu
    from featherflow.ops.activation_ops import leaky_relu as leaky_relu
    from featherflow.ops.activation_ops import relu as relu
    from featherflow.ops.activation_ops import relu6 as relu6
    from featherflow.ops.activation_ops import selu as selu
    from featherflow.ops.activation_ops import softplus as softplus
    from featherflow.ops.activation_ops import softsign as softsign
    from featherflow.ops.activation_ops import swish as silu
    from featherflow.ops.activation_ops import swish as swish
    from featherflow.ops.affine_ops import relu_layer as relu_layer
    from featherflow.ops.affine_ops import xw_plus_b as xw_plus_b
    from featherflow.ops.approximate_top_k_ops import approx_max_k as approx_max_k
    from featherflow.ops.approximate_top_k_ops import approx_min_k as approx_min_k
    from featherflow.ops.avg_pool_ops import avg_pool as avg_pool
    from featherflow.ops.avg_pool_ops import avg_pool as avg_pool2d
    from featherflow.ops.batch_norm_ops import fused_batch_norm as fused_batch_norm
    from featherflow.ops.bias_ops import bias_add as bias_add
    from featherflow.ops.candidate_sampling_ops import (
        all_candidate_sampler as all_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        compute_accidental_hits as compute_accidental_hits,
    )
    from featherflow.ops.candidate_sampling_ops import (
        fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        learned_unigram_candidate_sampler as learned_unigram_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        log_uniform_candidate_sampler as log_uniform_candidate_sampler,
    )
    from featherflow.ops.candidate_sampling_ops import (
        uniform_candidate_sampler as uniform_candidate_sampler,
    )
    from featherflow.ops.conv3d_ops import conv3d as conv3d
    from featherflow.ops.conv3d_ops import conv3d_backprop_filter as conv3d_backprop_filter
    from featherflow.ops.conv3d_ops import conv3d_backprop_filter as conv3d_backprop_filter_v2
    from featherflow.ops.conv3d_ops import conv3d_transpose_v1 as conv3d_transpose
    from featherflow.ops.conv_ops import conv2d as conv2d
    from featherflow.ops.conv_ops import conv2d_backprop_filter as conv2d_backprop_filter
    from featherflow.ops.conv_ops import conv2d_backprop_input as conv2d_backprop_input
    from featherflow.ops.conv_transpose_ops import (
        atrous_conv2d_transpose as atrous_conv2d_transpose,
    )
    from featherflow.ops.conv_transpose_ops import conv1d_transpose as conv1d_transpose
    from featherflow.ops.conv_transpose_ops import conv2d_transpose as conv2d_transpose
    from featherflow.ops.conv_transpose_ops import conv_transpose as conv_transpose
    from featherflow.ops.convolution_ops import atrous_conv2d as atrous_conv2d
    from featherflow.ops.convolution_ops import conv1d as conv1d
    from featherflow.ops.convolution_ops import convolution as convolution
    from featherflow.ops.cross_entropy_ops import (
        softmax_cross_entropy_with_logits_v1 as softmax_cross_entropy_with_logits,
    )
    from featherflow.ops.cross_entropy_ops import (
        softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2,
    )
    from featherflow.ops.cross_entropy_ops import (
        sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
    )
    from featherflow.ops.ctc_decoder_ops import ctc_beam_search_decoder as ctc_beam_search_decoder
    from featherflow.ops.ctc_decoder_ops import (
        ctc_beam_search_decoder_v2 as ctc_beam_search_decoder_v2,
    )
    from featherflow.ops.ctc_decoder_ops import ctc_greedy_decoder as ctc_greedy_decoder
    from featherflow.ops.ctc_dense_loss import ctc_loss_v2 as ctc_loss_v2
    from featherflow.ops.ctc_label_ops import collapse_repeated as collapse_repeated
    from featherflow.ops.ctc_label_ops import ctc_unique_labels as ctc_unique_labels
    from featherflow.ops.ctc_loss_ops import ctc_loss_v1 as ctc_loss
    from featherflow.ops.depthwise_conv_ops import depthwise_conv2d as depthwise_conv2d
    from featherflow.ops.depthwise_conv_ops import (
        depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter,
    )
    from featherflow.ops.depthwise_conv_ops import (
        depthwise_conv2d_backprop_filter as depthwise_conv2d_native_backprop_filter,
    )
    from featherflow.ops.depthwise_conv_ops import (
        depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input,
    )
    from featherflow.ops.depthwise_conv_ops import (
        depthwise_conv2d_backprop_input as depthwise_conv2d_native_backprop_input,
    )
    from featherflow.ops.depthwise_conv_ops import (
        depthwise_conv2d_native as depthwise_conv2d_native,
    )
    from featherflow.ops.depthwise_conv_ops import separable_conv2d as separable_conv2d
    from featherflow.ops.dilation_ops import dilation2d as dilation2d
    from featherflow.ops.dilation_ops import erosion2d as erosion2d
    from featherflow.ops.dropout_ops import dropout as dropout
    from featherflow.ops.embedding_ops import embedding_lookup as embedding_lookup
    from featherflow.ops.embedding_ops import embedding_lookup_sparse as embedding_lookup_sparse
    from featherflow.ops.exponential_ops import sigmoid as sigmoid
    from featherflow.ops.exponential_ops import tanh as tanh
    from featherflow.ops.fractional_pool_ops import fractional_avg_pool as fractional_avg_pool
    from featherflow.ops.fractional_pool_ops import fractional_max_pool as fractional_max_pool
    from featherflow.ops.in_top_k_ops import in_top_k as in_top_k
    from featherflow.ops.isotonic_ops import isotonic_regression as isotonic_regression
    from featherflow.ops.l2_loss_ops import l2_loss as l2_loss
    from featherflow.ops.lrn_ops import local_response_normalization as local_response_normalization
    from featherflow.ops.lrn_ops import local_response_normalization as lrn
    from featherflow.ops.max_pool_argmax_ops import max_pool_with_argmax as max_pool_with_argmax
    from featherflow.ops.max_pool_ops import max_pool as max_pool
    from featherflow.ops.max_pool_ops import max_pool2d as max_pool2d
    from featherflow.ops.moments_ops import moments as moments
    from featherflow.ops.moments_ops import normalize_moments as normalize_moments
    from featherflow.ops.moments_ops import sufficient_statistics as sufficient_statistics
    from featherflow.ops.moments_ops import weighted_moments as weighted_moments
    from featherflow.ops.normalization_ops import (
        batch_norm_with_global_normalization as batch_norm_with_global_normalization,
    )
    from featherflow.ops.normalization_ops import batch_normalization as batch_normalization
    from featherflow.ops.normalization_ops import l2_normalize as l2_normalize
    from featherflow.ops.pointwise_loss_ops import log_poisson_loss as log_poisson_loss
    from featherflow.ops.pointwise_loss_ops import (
        sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits,
    )
    from featherflow.ops.pointwise_loss_ops import (
        weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits,
    )
    from featherflow.ops.pool3d_ops import avg_pool3d as avg_pool3d
    from featherflow.ops.pool3d_ops import max_pool3d as max_pool3d
    from featherflow.ops.pool_ops import avg_pool1d as avg_pool1d
    from featherflow.ops.pool_ops import avg_pool_v2 as avg_pool_v2
    from featherflow.ops.pool_ops import max_pool1d as max_pool1d
    from featherflow.ops.pool_ops import max_pool_v2 as max_pool_v2
    from featherflow.ops.pool_ops import pool as pool
    from featherflow.ops.quantized_math_ops import quantized_relu_x as quantized_relu_x
    from featherflow.ops.quantized_nn_ops import quantized_avg_pool as quantized_avg_pool
    from featherflow.ops.quantized_nn_ops import quantized_conv2d as quantized_conv2d
    from featherflow.ops.quantized_nn_ops import quantized_max_pool as quantized_max_pool
    from featherflow.ops.sampled_losses import nce_loss as nce_loss
    from featherflow.ops.sampled_losses import sampled_softmax_loss as sampled_softmax_loss
    from featherflow.ops.softmax_ops import log_softmax as log_softmax
    from featherflow.ops.softmax_ops import softmax as softmax
    from featherflow.ops.space_ops import depth_to_space as depth_to_space
    from featherflow.ops.space_ops import space_to_batch as space_to_batch
    from featherflow.ops.space_ops import space_to_depth as space_to_depth
    from featherflow.ops.top_k_ops import top_k as top_k
    from featherflow.ops.zero_fraction_ops import zero_fraction as zero_fraction
    from featherflow.rnn.bidirectional import bidirectional_dynamic_rnn as bidirectional_dynamic_rnn
    from featherflow.rnn.bidirectional import static_bidirectional_rnn as static_bidirectional_rnn
    from featherflow.rnn.dynamic_rnn import dynamic_rnn as dynamic_rnn
    from featherflow.rnn.raw_rnn import raw_rnn as raw_rnn
    from featherflow.rnn.static_rnn import static_rnn as static_rnn
    from featherflow.rnn.static_rnn import static_state_saving_rnn as static_state_saving_rnn

__getattr__, __dir__ = lazy_namespace("nn", globals())
