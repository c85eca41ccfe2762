"""Running sums, products and log-sum-exps along an axis."""

from __future__ import annotations

import numpy as np

from featherflow.kernels.precision import compute_dtype


def cumulative(
    ufunc: np.ufunc, x: np.ndarray, axis: int, exclusive: bool, reverse: bool
) -> np.ndarray:
    """`ufunc` over the elements up to each one along `axis`.

    Args:
      exclusive: each result leaves its own element out; the first is the ufunc's identity.
      reverse: from the end instead of the start.
    """
    identity = -np.inf if ufunc is np.logaddexp else ufunc.identity
    wide = compute_dtype(x.dtype)
    source = np.flip(x, axis) if reverse else x
    result = np.empty(x.shape, wide)
    target = np.flip(result, axis) if reverse else result
    if not exclusive:
        ufunc.accumulate(source, axis=axis, dtype=wide, out=target)
    elif x.shape[axis]:
        rows, sums = np.moveaxis(source, axis, 0), np.moveaxis(target, axis, 0)
        sums[0] = identity
        ufunc.accumulate(rows[:-1], axis=0, dtype=wide, out=sums[1:])
    return result if wide is x.dtype else result.astype(x.dtype)
