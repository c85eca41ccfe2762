"""Axes and sizes in another order of dimensions: DataFormatDimMap, DataFormatVecPermute."""

from __future__ import annotations

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import unchanged_shape

_ATTRS = (
    "T: {int32, int64} = int32",
    "src_format: string = 'NHWC'",
    "dst_format: string = 'NCHW'",
)


def _check_formats(src_format: str, dst_format: str) -> None:
    fits = len(src_format) in (4, 5) and len(set(src_format)) == len(src_format)
    if not fits or sorted(src_format) != sorted(dst_format):
        raise InvalidArgumentError(
            None,
            None,
            "src_format and dst_format must be orders of the same 4 or 5 letters",
            received=f"{src_format} and {dst_format}",
        )


DataFormatDimMap = define_op("DataFormatDimMap", inputs=("x: T",), outputs=("y: T",), attrs=_ATTRS)
DataFormatDimMap.shape_fn(unchanged_shape)
DataFormatDimMap.without_gradient("axes are integers")


@DataFormatDimMap.kernel("CPU")
def _data_format_dim_map_cpu(x: np.ndarray, *, src_format: str, dst_format: str) -> np.ndarray:
    """The axis in `dst_format` of each axis in `src_format`; out of range they start again."""
    _check_formats(src_format, dst_format)
    axes = np.array([dst_format.index(letter) for letter in src_format], x.dtype)
    return np.asarray(axes[x % len(axes)])


DataFormatVecPermute = define_op(
    "DataFormatVecPermute", inputs=("x: T",), outputs=("y: T",), attrs=_ATTRS
)
DataFormatVecPermute.shape_fn(unchanged_shape)
DataFormatVecPermute.without_gradient("sizes are integers")


@DataFormatVecPermute.kernel("CPU")
def _data_format_vec_permute_cpu(x: np.ndarray, *, src_format: str, dst_format: str) -> np.ndarray:
    """One element (or pair of paddings) for each dimension, or for each one of space."""
    _check_formats(src_format, dst_format)
    rank = len(src_format)
    is_pairs = x.ndim == 2 and x.shape[1] == 2
    if x.ndim not in (1, 2) or not (x.ndim == 1 or is_pairs) or len(x) not in (rank - 2, rank):
        raise InvalidArgumentError(
            None,
            None,
            f"x must be a vector of {rank - 2} or {rank} elements, or a matrix of as many pairs",
            received=f"shape {list(x.shape)}",
        )
    if len(x) == rank - 2:
        src_format = "".join(letter for letter in src_format if letter not in "NC")
        dst_format = "".join(letter for letter in dst_format if letter not in "NC")
        if len(src_format) != len(x):
            raise InvalidArgumentError(
                None, None, "Formats must name N and C", received=f"{src_format}, {dst_format}"
            )
    return x[[src_format.index(letter) for letter in dst_format]]
