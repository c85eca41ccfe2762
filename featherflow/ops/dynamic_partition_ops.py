"""DynamicPartition and DynamicStitch: slices of a tensor dealt out, and put together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels.gathering import check_indices
from featherflow.ops.gather_ops import GatherV2
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import Reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of

# --- DynamicPartition -----------------------------------------------------------------------------

DynamicPartition = define_op(
    "DynamicPartition",
    inputs=("data: T", "partitions: int32"),
    outputs=("outputs: num_partitions * T",),
    attrs=("num_partitions: int >= 1", "T: type"),
)


@DynamicPartition.shape_fn
def _dynamic_partition_shape(c: InferenceContext) -> list[TensorShape]:
    count = c.attrs["num_partitions"]
    data, partitions = c.shapes[0]._dims, c.shapes[1]._dims
    if data is None or partitions is None:
        return [UNKNOWN] * count
    if len(data) < len(partitions):
        c.fail("data.shape must start with partitions.shape", received=c.received())
    for left, right in zip(data, partitions):
        c.merge_dim(left, right)
    return [TensorShape._of((None, *data[len(partitions) :]))] * count


@DynamicPartition.kernel("CPU")
def _dynamic_partition_cpu(
    data: np.ndarray, partitions: np.ndarray, *, num_partitions: int
) -> list[np.ndarray]:
    if data.shape[: partitions.ndim] != partitions.shape:
        raise InvalidArgumentError(
            None,
            None,
            "data.shape must start with partitions.shape",
            received=f"data.shape {list(data.shape)}, partitions.shape {list(partitions.shape)}",
        )
    check_indices(partitions, num_partitions, "partitions")
    return [data[partitions == part] for part in range(num_partitions)]


@DynamicPartition.gradient
def _dynamic_partition_grad(op: Any, *grads: Tensor) -> tuple[Tensor, None]:
    data, partitions = op.inputs
    places = Reshape(range_(size_of(partitions)), shape_of(partitions))
    dealt = DynamicPartition(places, partitions, num_partitions=op.attrs["num_partitions"])
    together = DynamicStitch(dealt, list(grads))
    return Reshape(together, shape_of(data)), None


@export("dynamic_partition")
def dynamic_partition(
    data: Any, partitions: Any, num_partitions: int, name: str | None = None
) -> list[Tensor]:
    """Slices of `data` dealt out: outputs[p] has data[i…, …] for all i… with partitions[i…] = p.

    Args:
      data: [I…, N…].
      partitions: [I…], int32 in [0, num_partitions).
      num_partitions: the number of outputs.
      name: of the node.
    Returns:
      A list of tensors [number of slices, N…].
    Raises:
      InvalidArgumentError: a partition is out of range.
    """
    return DynamicPartition(data, partitions, num_partitions=num_partitions, name=name)


# --- DynamicStitch --------------------------------------------------------------------------------

DynamicStitch = define_op(
    "DynamicStitch",
    inputs=("indices: N * int32", "data: N * T"),
    outputs=("merged: T",),
    attrs=("N: int >= 1", "T: type"),
)
ParallelDynamicStitch = define_op(
    "ParallelDynamicStitch",
    inputs=("indices: N * int32", "data: N * T"),
    outputs=("merged: T",),
    attrs=("N: int >= 1", "T: type"),
)


@DynamicStitch.shape_fn
@ParallelDynamicStitch.shape_fn
def _dynamic_stitch_shape(c: InferenceContext) -> TensorShape:
    count = c.attrs["N"]
    inner = UNKNOWN
    total: int | None = 0
    for index in range(count):
        places, data = c.shapes[index]._dims, c.shapes[count + index]._dims
        value = c.constant(index)
        if value is None or total is None:
            total = None
        else:
            total = max(total, int(value.max(initial=-1)) + 1)
        if places is None or data is None:
            continue
        if len(data) < len(places):
            c.fail("data.shape must start with indices.shape", received=c.received())
        for left, right in zip(data, places):
            c.merge_dim(left, right)
        inner = c.merge(inner, TensorShape._of(data[len(places) :]))
    return UNKNOWN if inner._dims is None else TensorShape._of((total, *inner._dims))


@DynamicStitch.kernel("CPU")
@ParallelDynamicStitch.kernel("CPU")
def _dynamic_stitch_cpu(*indices_and_data: np.ndarray) -> np.ndarray:
    count = len(indices_and_data) // 2
    indices, data = indices_and_data[:count], indices_and_data[count:]
    inner = data[0].shape[indices[0].ndim :]
    total = max(int(places.max(initial=-1)) for places in indices) + 1
    result = np.full((total, *inner), b"" if data[0].dtype == object else 0, dtype=data[0].dtype)
    for position, (places, values) in enumerate(zip(indices, data)):
        if values.shape != places.shape + inner:
            raise InvalidArgumentError(
                None,
                None,
                f"data[{position}].shape must be indices[{position}].shape and the dimensions that "
                "all data share",
                received=f"data {list(values.shape)}, indices {list(places.shape)}",
                expected=f"data {list(places.shape + inner)}",
            )
        check_indices(places, total, f"indices[{position}]")
        result[places] = values
    return result


@DynamicStitch.gradient
@ParallelDynamicStitch.gradient
def _dynamic_stitch_grad(op: Any, grad: Tensor) -> list[Tensor | None]:
    indices = op.inputs[: op.attrs["N"]]
    return [*[None] * len(indices), *(GatherV2(grad, places, 0) for places in indices)]


@export("dynamic_stitch")
def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """Slices put together: merged[indices[m][i…], …] = data[m][i…, …]; the last one stays.

    Args:
      indices: a list of int32 tensors.
      data: a list of tensors, `indices[m].shape + N…`.
      name: of the node.
    Returns:
      A tensor [largest index + 1, N…]; its slices that no index names are zeros.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]])).tolist()
    [10, 20, 30]
    """
    return DynamicStitch(indices, data, name=name)
