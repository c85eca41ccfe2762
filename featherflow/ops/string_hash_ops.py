"""Hashes of strings: buckets by FarmHash, SipHash or MurmurHash, and fingerprints."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.farm_hash import fingerprint64
from featherflow.kernels.keyed_hash import murmur_hash, sip_hash
from featherflow.kernels.string_arrays import flat, mapped_to

_NO_GRADIENT = "hashes are not continuous"


def _buckets(hash_of: Callable[[bytes], int], strings: np.ndarray, count: int) -> np.ndarray:
    return mapped_to(np.int64, lambda text: hash_of(text) % count, strings)


# --- StringToHashBucketFast -----------------------------------------------------------------------

StringToHashBucketFast = define_op(
    "StringToHashBucketFast",
    inputs=("input: string",),
    outputs=("output: int64",),
    attrs=("num_buckets: int >= 1",),
)
StringToHashBucketFast.shape_fn(unchanged_shape)


@StringToHashBucketFast.kernel("CPU")
def _string_to_hash_bucket_fast_cpu(input: np.ndarray, *, num_buckets: int) -> np.ndarray:
    return _buckets(fingerprint64, input, num_buckets)


StringToHashBucketFast.not_differentiable(_NO_GRADIENT)


@export("strings.to_hash_bucket_fast")
@export_v1("string_to_hash_bucket_fast")
def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """FarmHash fingerprint of each string mod `num_buckets`; the same everywhere and for ever.

    Whoever chooses the strings can make them fall into one bucket; see
    `tf.strings.to_hash_bucket_strong`.

    Args:
      input: strings.
      num_buckets: how many buckets there are.
      name: of the node.
    Returns:
      int64, of the shape of `input`.
    Raises:
      ValueError: `num_buckets` is below 1.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.to_hash_bucket_fast(["Hello", "TensorFlow", "2.x"], 3)).tolist()
    [0, 2, 2]
    """
    return StringToHashBucketFast(input, num_buckets=num_buckets, name=name)


# --- StringToHashBucketStrong ---------------------------------------------------------------------

StringToHashBucketStrong = define_op(
    "StringToHashBucketStrong",
    inputs=("input: string",),
    outputs=("output: int64",),
    attrs=("num_buckets: int >= 1", "key: list(int)"),
)
StringToHashBucketStrong.shape_fn(unchanged_shape)


@StringToHashBucketStrong.kernel("CPU")
def _string_to_hash_bucket_strong_cpu(
    input: np.ndarray, *, num_buckets: int, key: tuple[int, ...]
) -> np.ndarray:
    if len(key) != 2:
        raise InvalidArgumentError(None, None, "Key must have 2 elements", received=list(key))
    words = (key[0], key[1])
    return _buckets(lambda text: sip_hash(text, words), input, num_buckets)


StringToHashBucketStrong.not_differentiable(_NO_GRADIENT)


@export("strings.to_hash_bucket_strong")
@export_v1("string_to_hash_bucket_strong")
def string_to_hash_bucket_strong(
    input: Any, num_buckets: int, key: Any, name: str | None = None
) -> Tensor:
    """SipHash of each string under a secret key, mod `num_buckets`.

    Args:
      input: strings.
      num_buckets: how many buckets there are.
      key: two integers that whoever chooses the strings does not know.
      name: of the node.
    Returns:
      int64, of the shape of `input`.
    Raises:
      InvalidArgumentError: `key` has not two elements.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.to_hash_bucket_strong(["Hello", "TF"], 3, [1, 2])).tolist()
    [2, 0]
    """
    return StringToHashBucketStrong(input, num_buckets=num_buckets, key=key, name=name)


# --- StringToHashBucket ---------------------------------------------------------------------------

StringToHashBucket = define_op(
    "StringToHashBucket",
    inputs=("string_tensor: string",),
    outputs=("output: int64",),
    attrs=("num_buckets: int >= 1",),
)
StringToHashBucket.shape_fn(unchanged_shape)


@StringToHashBucket.kernel("CPU")
def _string_to_hash_bucket_cpu(string_tensor: np.ndarray, *, num_buckets: int) -> np.ndarray:
    return _buckets(murmur_hash, string_tensor, num_buckets)


StringToHashBucket.not_differentiable(_NO_GRADIENT)


@export("strings.to_hash_bucket")
def to_hash_bucket(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """MurmurHash of each string mod `num_buckets`; `to_hash_bucket_fast` is the better choice."""
    return StringToHashBucket(input, num_buckets=num_buckets, name=name)


@export_v1("strings.to_hash_bucket", "string_to_hash_bucket")
def string_to_hash_bucket(
    string_tensor: Any = None,
    num_buckets: Any = None,
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """`tf.strings.to_hash_bucket`; `string_tensor` is the older name of `input`."""
    if string_tensor is not None and input is not None:
        raise ValueError("An argument is given under its old and its new name.")
    return to_hash_bucket(input if string_tensor is None else string_tensor, num_buckets, name)


# --- _TensorToHashBucketFast ----------------------------------------------------------------------

_TensorToHashBucketFast = define_op(
    "_TensorToHashBucketFast",
    inputs=("input: T",),
    outputs=("output: int64",),
    attrs=(
        "T: {int8, uint8, int16, uint16, int32, uint32, int64, uint64}",
        "num_buckets: int >= 1",
    ),
)
_TensorToHashBucketFast.shape_fn(unchanged_shape)


@_TensorToHashBucketFast.kernel("CPU")
def _tensor_to_hash_bucket_fast_cpu(input: np.ndarray, *, num_buckets: int) -> np.ndarray:
    values = [fingerprint64(b"%d" % item) % num_buckets for item in flat(input)]
    return np.array(values, np.int64).reshape(input.shape)


_TensorToHashBucketFast.without_gradient(_NO_GRADIENT)

# --- Fingerprint ----------------------------------------------------------------------------------

_FARM_HASH = b"farmhash64"

Fingerprint = define_op(
    "Fingerprint",
    inputs=("data: T", "method: string"),
    outputs=("fingerprint: uint8",),
    attrs=("T: type",),
)


@Fingerprint.shape_fn
def _fingerprint_shape(c: InferenceContext) -> TensorShape:
    data = c.with_rank_at_least(0, 1)
    c.with_rank(1, 0)
    method = c.constant(1)
    if method is not None and method.item() != _FARM_HASH:
        c.fail(f"Unsupported method: {method.item()!r}", expected=_FARM_HASH)
    rows = None if data._dims is None else data._dims[0]
    return TensorShape._of((rows, None if method is None else 8))


@Fingerprint.kernel("CPU")
def _fingerprint_cpu(data: np.ndarray, method: np.ndarray) -> np.ndarray:
    if method.ndim or method.item() != _FARM_HASH:
        raise InvalidArgumentError(
            None, None, "Unsupported method", received=method.tolist(), expected=_FARM_HASH
        )
    if not data.ndim:
        raise InvalidArgumentError(None, None, "data must not be a scalar")
    if data.dtype.kind == "O":
        rows = [_row_of_strings(row) for row in data]
    else:
        rows = [row.tobytes() for row in data]
    fingerprints = [fingerprint64(row) for row in rows]
    return np.array(fingerprints, "<u8").view(np.uint8).reshape(len(rows), 8)


def _row_of_strings(row: Any) -> bytes:
    """What stands for a row: its only string, or the fingerprints of all."""
    strings = [row] if isinstance(row, bytes) else flat(row)
    if len(strings) == 1:
        return strings[0]
    return b"".join(fingerprint64(text).to_bytes(8, "little") for text in strings)


Fingerprint.without_gradient(_NO_GRADIENT)


@export("fingerprint")
def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """Eight bytes for each row of `data`: equal for equal rows, hardly ever for others.

    Args:
      data: at least one dimension; the first one counts the rows.
      method: "farmhash64".
      name: of the node.
    Returns:
      uint8, [rows, 8].
    Raises:
      ValueError: `data` is a scalar, or the method is another.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.fingerprint(["a", "b"])).shape
    (2, 8)
    """
    return Fingerprint(data, method, name=name)
