"""tf.nn: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
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
    from featherflow.ops.bias_ops import bias_add as bias_add
    from featherflow.ops.conv_ops import conv2d as conv2d
    from featherflow.ops.conv_ops import conv2d_backprop_filter as conv2d_backprop_filter
    from featherflow.ops.conv_ops import conv2d_backprop_input as conv2d_backprop_input
    from featherflow.ops.exponential_ops import sigmoid as sigmoid
    from featherflow.ops.exponential_ops import tanh as tanh
    from featherflow.ops.l2_loss_ops import l2_loss as l2_loss
    from featherflow.ops.softmax_ops import log_softmax as log_softmax
    from featherflow.ops.softmax_ops import softmax as softmax
    from featherflow.ops.space_ops import depth_to_space as depth_to_space
    from featherflow.ops.space_ops import space_to_batch as space_to_batch
    from featherflow.ops.space_ops import space_to_depth as space_to_depth
    from featherflow.ops.top_k_ops import top_k as top_k

__getattr__, __dir__ = lazy_namespace("nn", globals())
