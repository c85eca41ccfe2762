# ruff: noqa
"""tf.bitwise: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.bitwise_ops import bitwise_and as bitwise_and
    from featherflow.ops.bitwise_ops import bitwise_or as bitwise_or
    from featherflow.ops.bitwise_ops import bitwise_xor as bitwise_xor
    from featherflow.ops.bitwise_ops import invert as invert
    from featherflow.ops.bitwise_ops import left_shift as left_shift
    from featherflow.ops.bitwise_ops import right_shift as right_shift

__getattr__, __dir__ = lazy_namespace("bitwise", globals())
