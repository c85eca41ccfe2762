# ruff: noqa
"""tf.io: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.graph.graph_files import write_graph as write_graph
    from featherflow.ops.byte_ops import decode_base64 as decode_base64
    from featherflow.ops.byte_ops import decode_compressed as decode_compressed
    from featherflow.ops.byte_ops import decode_raw as decode_raw
    from featherflow.ops.byte_ops import encode_base64 as encode_base64
    from featherflow.ops.file_ops import matching_files as matching_files
    from featherflow.ops.file_ops import read_file as read_file
    from featherflow.ops.file_ops import write_file as write_file
    from featherflow.ops.queues import PaddingFIFOQueue as PaddingFIFOQueue
    from featherflow.ops.queues import PriorityQueue as PriorityQueue
    from featherflow.ops.queues import QueueBase as QueueBase
    from featherflow.ops.queues import RandomShuffleQueue as RandomShuffleQueue
    from featherflow.ops.sparse_serialization_ops import (
        deserialize_many_sparse as deserialize_many_sparse,
    )
    from featherflow.ops.sparse_serialization_ops import (
        serialize_many_sparse as serialize_many_sparse,
    )
    from featherflow.ops.sparse_serialization_ops import serialize_sparse as serialize_sparse
    from featherflow.ops.tensor_message_ops import parse_tensor as parse_tensor
    from featherflow.ops.tensor_message_ops import serialize_tensor as serialize_tensor

__getattr__, __dir__ = lazy_namespace("io", globals())
