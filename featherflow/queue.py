# ruff: noqa
"""tf.queue: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.ops.queues import FIFOQueue as FIFOQueue
    from featherflow.ops.queues import PaddingFIFOQueue as PaddingFIFOQueue
    from featherflow.ops.queues import PriorityQueue as PriorityQueue
    from featherflow.ops.queues import QueueBase as QueueBase
    from featherflow.ops.queues import RandomShuffleQueue as RandomShuffleQueue

__getattr__, __dir__ = lazy_namespace("queue", globals())
