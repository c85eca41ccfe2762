"""Files in the graph: ReadFile, WriteFile and MatchingFiles."""

from __future__ import annotations

import glob
import os
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.file_errors import as_op_errors, local_path
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_shape import SCALAR, TensorShape
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.kernels.string_arrays import flat, from_list, scalar

_NO_GRADIENT = "files are not numbers"


def _only_item(name: str, value: np.ndarray) -> bytes:
    if value.ndim:
        raise InvalidArgumentError(
            None,
            None,
            f"Input {name} tensor must be scalar",
            received=f"shape {list(value.shape)}",
        )
    return value.item()


# --- ReadFile -------------------------------------------------------------------------------------

ReadFile = define_op(
    "ReadFile",
    inputs=("filename: string",),
    outputs=("contents: string",),
    touches_world=True,
    foldable=False,
)


@ReadFile.shape_fn
def _read_file_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(0, 0)
    return SCALAR


@ReadFile.kernel("CPU")
def _read_file_cpu(filename: np.ndarray) -> np.ndarray:
    path = local_path(_only_item("filename", filename))
    with as_op_errors(path), open(path, "rb") as file:
        return scalar(file.read())


ReadFile.without_gradient(_NO_GRADIENT)


@export("io.read_file")
@export_v1("read_file")
def read_file(filename: Any, name: str | None = None) -> Tensor:
    """All of a file.

    Args:
      filename: a string.
      name: of the node.
    Returns:
      A string.
    Raises:
      NotFoundError: there is no such file.
    """
    return ReadFile(filename, name=name)


# --- WriteFile ------------------------------------------------------------------------------------

WriteFile = define_op(
    "WriteFile",
    inputs=("filename: string", "contents: string"),
    is_stateful=True,
    touches_world=True,
)


@WriteFile.shape_fn
def _write_file_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank(0, 0)
    c.with_rank(1, 0)
    return []


@WriteFile.kernel("CPU")
def _write_file_cpu(filename: np.ndarray, contents: np.ndarray) -> None:
    path = local_path(_only_item("filename", filename))
    content = _only_item("contents", contents)
    with as_op_errors(path):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)


WriteFile.without_gradient(_NO_GRADIENT)


@export("io.write_file")
@export_v1("write_file")
def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """Makes or replaces a file, and the folders that it is in.

    Args:
      filename: a string.
      contents: a string.
      name: of the node.
    Returns:
      The Operation that writes.
    Raises:
      FailedPreconditionError: `filename` is a folder.
    """
    return WriteFile(filename, contents, name=name)


# --- MatchingFiles --------------------------------------------------------------------------------

MatchingFiles = define_op(
    "MatchingFiles",
    inputs=("pattern: string",),
    outputs=("filenames: string",),
    touches_world=True,
    foldable=False,
)


@MatchingFiles.shape_fn
def _matching_files_shape(c: InferenceContext) -> TensorShape:
    c.with_rank_at_most(0, 1)
    return TensorShape((None,))


@MatchingFiles.kernel("CPU")
def _matching_files_cpu(pattern: np.ndarray) -> np.ndarray:
    if pattern.ndim > 1:
        raise InvalidArgumentError(
            None,
            None,
            "Input pattern tensor must be scalar or vector",
            received=f"shape {list(pattern.shape)}",
        )
    names = [
        os.fsencode(path)
        for item in flat(pattern)
        for path in glob.glob(local_path(item), include_hidden=True)
    ]
    return from_list(sorted(names), (len(names),))


MatchingFiles.without_gradient(_NO_GRADIENT)


@export("io.matching_files")
@export_v1("matching_files")
def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The files and folders whose paths fit a pattern, or one of several, in order.

    Args:
      pattern: a string or a vector: `*`, `?` and `[ab]` stand for parts of one name of a path.
      name: of the node.
    Returns:
      A vector of strings.
    """
    return MatchingFiles(pattern, name=name)
