"""Rows of summaries: messages of tags and numbers."""

from __future__ import annotations

import struct

import numpy as np

from featherflow.ops.summary_ops import ScalarSummary

from ..op_case import REAL, Input, OpCase


def tags(*names):
    array = np.empty(len(names), object)
    array[:] = [name.encode() for name in names]
    return array


def summary(names, values):
    """Field 1 for each value, of a tag (field 1) and a float (field 2)."""
    parts = b""
    for name, value in zip(names, values):
        part = b"\n" + bytes([len(name)]) + name + b"\x15" + struct.pack("<f", value)
        parts += b"\n" + bytes([len(part)]) + part
    result = np.empty((), object)
    result[()] = parts
    return result


CASES = [
    OpCase(
        ScalarSummary,
        (tags("loss", "rate"), Input(2)),
        summary,
        REAL,
        differentiable=False,
        empty_shapes=(),
    )
]
