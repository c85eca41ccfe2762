"""tf.nn: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.conv_ops import conv2d as conv2d
    from featherflow.ops.conv_ops import conv2d_backprop_filter as conv2d_backprop_filter
    from featherflow.ops.conv_ops import conv2d_backprop_input as conv2d_backprop_input
    from featherflow.ops.exponential_ops import sigmoid as sigmoid
    from featherflow.ops.exponential_ops import tanh as tanh

__getattr__, __dir__ = lazy_namespace("nn", globals())
