"""Sessions obey `intra_op_parallelism_threads`."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import featherflow as tf


def blas_threads() -> list[int]:
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


@pytest.fixture(autouse=True)
def limits_restored() -> Iterator[None]:
    with threadpool_limits(2, user_api="blas"):
        yield


@pytest.mark.parametrize("threads", [1, 2])
def test_a_session_limits_blas(threads: int) -> None:
    config = tf.ConfigProto(intra_op_parallelism_threads=threads)
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        assert blas_threads() == [threads]
        assert sess.run(tf.reduce_sum(tf.matmul(tf.ones([64, 64]), tf.ones([64, 64])))) == 64**3


def test_no_limit_leaves_blas_alone() -> None:
    with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto()):
        assert blas_threads() == [2]
