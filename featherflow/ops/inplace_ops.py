"""InplaceAdd, InplaceSub, InplaceUpdate: a tensor with some of its rows changed.

The names are TensorFlow's, which reuses memory where it can; the value is that of a new tensor.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import unchanged_shape

#: Changes rows of the first array, in place.
Change = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


def _define(name: str, change: Change, *, numbers: bool) -> Op:
    op = define_op(name, inputs=("x: T", "i: int32", "v: T"), outputs=("y: T",), attrs=("T: type",))
    op.shape_fn(unchanged_shape)
    op.without_gradient("TensorFlow gives it no gradient")

    @op.kernel("CPU")
    def cpu(x: np.ndarray, i: np.ndarray, v: np.ndarray) -> np.ndarray:
        if x.ndim < 1 or i.ndim != 1 or v.shape != (len(i), *x.shape[1:]):
            raise InvalidArgumentError(
                None,
                None,
                "i must be a vector of row numbers, and v hold a row for each",
                received=f"x {list(x.shape)}, i {list(i.shape)}, v {list(v.shape)}",
            )
        if numbers and x.dtype.kind in "bO":
            raise InvalidArgumentError(None, None, "x must hold numbers", received=str(x.dtype))
        y = x.copy()
        if len(i):
            if not len(y):
                raise InvalidArgumentError(None, None, "x has no rows")
            change(y, i % len(y), v)  # row numbers start again past the end, as in TensorFlow
        return y

    return op


def _add(y: np.ndarray, rows: np.ndarray, v: np.ndarray) -> None:
    np.add.at(y, rows, v)


def _subtract(y: np.ndarray, rows: np.ndarray, v: np.ndarray) -> None:
    np.subtract.at(y, rows, v)


def _update(y: np.ndarray, rows: np.ndarray, v: np.ndarray) -> None:
    y[rows] = v


InplaceAdd = _define("InplaceAdd", _add, numbers=True)
InplaceSub = _define("InplaceSub", _subtract, numbers=True)
InplaceUpdate = _define("InplaceUpdate", _update, numbers=False)
