"""Summaries: values of a step, written down for those who watch a training."""

from __future__ import annotations

import re
import struct
from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import scalar_shape
from featherflow.graph.graph_api import GraphKeys, add_to_collections, name_scope
from featherflow.graph.tensor import Tensor

# --- ScalarSummary --------------------------------------------------------------------------------

ScalarSummary = define_op(
    "ScalarSummary",
    inputs=("tags: string", "values: T"),
    outputs=("summary: string",),
    attrs=(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, "
        "uint64}",
    ),
)
ScalarSummary.shape_fn(scalar_shape)


@ScalarSummary.kernel("CPU")
def _scalar_summary_cpu(tags: np.ndarray, values: np.ndarray) -> np.ndarray:
    if tags.shape != values.shape and not tags.size == values.size == 1:
        raise InvalidArgumentError(
            None,
            None,
            "tags and values are not the same shape",
            received=f"{list(tags.shape)} and {list(values.shape)}",
        )
    entries = [
        _field(1, _field(1, tag) + b"\x15" + struct.pack("<f", value))
        for tag, value in zip(tags.ravel(), values.ravel().astype(np.float32))
    ]
    return np.array(b"".join(entries), object)


ScalarSummary.not_differentiable("it is a message")


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes of a protocol buffer: its number, its length, the bytes."""
    size, length = len(content), bytearray()
    while size > 0x7F:
        length.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes((number << 3 | 2, *length, size)) + content


@export_v1("summary.scalar")
def scalar_summary(
    name: str, tensor: Any, collections: Any = None, family: str | None = None
) -> Tensor:
    """A serialised Summary with the value of a scalar.

    Args:
      name: of the node; with its scope it is the tag.
      tensor: a real number.
      collections: where the summary is listed; None for GraphKeys.SUMMARIES.
      family: put in front of the tag, by which tags are grouped.
    """
    name = _legal(name)
    scope_name = name if family is None else f"{_legal(family)}/{name}"
    with name_scope(scope_name, values=[tensor]) as scope:
        tag = scope.rstrip("/")
        tag = tag if family is None else f"{_legal(family)}/{tag}"
        summary = ScalarSummary(tag, tensor, name=scope)
    add_to_collections([GraphKeys.SUMMARIES] if collections is None else collections, summary)
    return summary


def _legal(name: str) -> str:
    """A name of which every other character is replaced by an underscore."""
    return re.sub(r"[^-/\w.]", "_", name, flags=re.ASCII).lstrip("/")
