# ruff: noqa
"""tf.debugging: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.assert_ops import assert_ as Assert
    from featherflow.ops.check_numerics_ops import check_numerics as check_numerics
    from featherflow.ops.check_numerics_ops import verify_tensor_all_finite as assert_all_finite
    from featherflow.ops.comparison_ops import is_finite as is_finite
    from featherflow.ops.comparison_ops import is_inf as is_inf
    from featherflow.ops.comparison_ops import is_nan as is_nan

__getattr__, __dir__ = lazy_namespace("debugging", globals())
