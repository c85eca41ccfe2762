"""How many threads BLAS may use: what a ConfigProto says of `intra_op_parallelism_threads`."""

from __future__ import annotations

from typing import Any


def limit_blas_threads(config: Any) -> None:
    """Lets BLAS use as many threads as a ConfigProto says; 0, or None, leaves it as it is.

    The limit is the process's, as it is in TensorFlow: BLAS has one pool. On a machine whose cores
    are busy one thread is far quicker than two, since BLAS waits for threads that do not run.
    """
    threads = config.intra_op_parallelism_threads if config is not None else 0
    if threads > 0:
        from threadpoolctl import threadpool_limits

        threadpool_limits(threads, user_api="blas")
