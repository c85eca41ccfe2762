# ruff: noqa
"""tf.ragged: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.ragged_functions import boolean_mask as boolean_mask
    from featherflow.ops.ragged_functions import map_flat_values as map_flat_values
    from featherflow.ops.ragged_functions import ragged_constant as constant
    from featherflow.ops.ragged_functions import ragged_cross as cross
    from featherflow.ops.ragged_functions import ragged_cross_hashed as cross_hashed
    from featherflow.ops.ragged_functions import ragged_placeholder as placeholder
    from featherflow.ops.ragged_functions import ragged_range as range
    from featherflow.ops.ragged_functions import ragged_stack as stack
    from featherflow.ops.ragged_functions import (
        row_splits_to_segment_ids as row_splits_to_segment_ids,
    )
    from featherflow.ops.ragged_functions import (
        segment_ids_to_row_splits as segment_ids_to_row_splits,
    )
    from featherflow.ops.ragged_functions import (
        stack_dynamic_partitions as stack_dynamic_partitions,
    )
    from featherflow.ops.ragged_value import RaggedTensorValue as RaggedTensorValue
    from featherflow.ops.ragged_value import constant_value as constant_value

__getattr__, __dir__ = lazy_namespace("ragged", globals())
