"""NearestNeighbors: the closest centers of points."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unknown_shapes

#: Points whose distances are worked out at the same time.
_BLOCK = 1024

NearestNeighbors = define_op(
    "NearestNeighbors",
    inputs=("points: float", "centers: float", "k: int64"),
    outputs=("nearest_center_indices: int64", "nearest_center_distances: float"),
)
NearestNeighbors.shape_fn(unknown_shapes)
NearestNeighbors.without_gradient("TensorFlow gives it no gradient")


@NearestNeighbors.kernel("CPU")
def _nearest_neighbors_cpu(
    points: np.ndarray, centers: np.ndarray, k: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The k closest centers of each point in ascending order of the squared distance."""
    fits = points.ndim == centers.ndim == 2 and points.shape[1] == centers.shape[1]
    if not fits or not len(points) or k.ndim or k < 0:
        raise InvalidArgumentError(
            None,
            None,
            "points and centers must be matrices of as many columns, k a scalar of 0 or more",
            received=f"{list(points.shape)}, {list(centers.shape)}, k {k.tolist()}",
        )
    count = min(int(k), len(centers))
    places = np.empty((len(points), count), np.int64)
    distances = np.empty((len(points), count), np.float32)
    squares = np.square(centers).sum(axis=1)
    for start in range(0, len(points), _BLOCK):
        block = slice(start, start + _BLOCK)
        # |p − c|² = |p|² − 2 p·c + |c|²
        own = np.square(points[block]).sum(axis=1, keepdims=True)
        table = np.maximum(own - 2 * (points[block] @ centers.T) + squares, 0)
        places[block] = np.argsort(table, axis=1, kind="stable")[:, :count]
        distances[block] = np.take_along_axis(table, places[block], axis=1)
    return places, distances
