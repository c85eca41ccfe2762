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
    from featherflow.ops.comparison_assertions import assert_equal as assert_equal
    from featherflow.ops.comparison_assertions import assert_greater as assert_greater
    from featherflow.ops.comparison_assertions import assert_greater_equal as assert_greater_equal
    from featherflow.ops.comparison_assertions import assert_less as assert_less
    from featherflow.ops.comparison_assertions import assert_less_equal as assert_less_equal
    from featherflow.ops.comparison_assertions import assert_near as assert_near
    from featherflow.ops.comparison_assertions import assert_none_equal as assert_none_equal
    from featherflow.ops.comparison_ops import is_finite as is_finite
    from featherflow.ops.comparison_ops import is_inf as is_inf
    from featherflow.ops.comparison_ops import is_nan as is_nan
    from featherflow.ops.monotonic_ops import is_non_decreasing as is_non_decreasing
    from featherflow.ops.monotonic_ops import is_strictly_increasing as is_strictly_increasing
    from featherflow.ops.rank_assertions import assert_rank as assert_rank
    from featherflow.ops.rank_assertions import assert_rank_at_least as assert_rank_at_least
    from featherflow.ops.rank_assertions import assert_rank_in as assert_rank_in
    from featherflow.ops.rank_assertions import assert_scalar as assert_scalar
    from featherflow.ops.shape_assertions import assert_shapes as assert_shapes
    from featherflow.ops.sign_assertions import assert_negative as assert_negative
    from featherflow.ops.sign_assertions import assert_non_negative as assert_non_negative
    from featherflow.ops.sign_assertions import assert_non_positive as assert_non_positive
    from featherflow.ops.sign_assertions import assert_positive as assert_positive
    from featherflow.ops.type_assertions import assert_integer as assert_integer
    from featherflow.ops.type_assertions import assert_proper_iterable as assert_proper_iterable
    from featherflow.ops.type_assertions import assert_same_float_dtype as assert_same_float_dtype
    from featherflow.ops.type_assertions import assert_type as assert_type
    from featherflow.ops.type_assertions import is_numeric_tensor as is_numeric_tensor

__getattr__, __dir__ = lazy_namespace("debugging", globals())
