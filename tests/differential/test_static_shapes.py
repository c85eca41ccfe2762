"""Static shapes that featherflow infers for ops, against those recorded from TensorFlow.

Where TensorFlow knows a dimension we must know it too, and where it refuses to build an op so must
we. The comparison is exact in the other direction as well: a shape that TensorFlow leaves open but
that we state is told, since programs may rely on `None`. `right_answer` names the exceptions.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import featherflow as tf
from featherflow.framework.op import get_op

from .static_shapes import FAMILIES, Row, infer_row, rows_of
from .waiting import WAITING

ROWS = {f"{family}: {row}": row for family in FAMILIES for row in rows_of(family)}
RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("static_shapes.json").read_text())
del RECORDED["tensorflow"]


def apply(op: str, **arguments: Any) -> Any:
    return get_op(op)(**arguments)


# TensorFlow takes what it does not know of a band for −1: sizes that are fed for sizes to work out,
# unknown lengths for lengths of −1, unknown numbers of diagonals for wrong ones.
MATRIX_BANDS = {
    "MatrixDiagV3 diagonal=(2,?) k=1 num_rows=-1 num_cols=-1 padding_value=()": "(2,?,?)",
    "MatrixDiagV3 diagonal=(?,?) k=1 num_rows=-1 num_cols=-1 padding_value=()": "(?,?,?)",
    "MatrixDiagV3 diagonal=(?,?,?) k=[0,1] num_rows=-1 num_cols=-1 padding_value=()": "(?,?,?)",
    "MatrixSetDiagV3 input=(?,3,4) diagonal=(2,2,3) k=[0,1]": "(2,3,4)",
    "MatrixSetDiagV3 input=(2,3,?) diagonal=(2,2,3) k=[0,1]": "(2,3,?)",
    "MatrixSetDiagV3 input=(?,?,?) diagonal=(2,2,3) k=[0,1]": "(2,?,?)",
    "MatrixSetDiagV3 input=(?,?,?) diagonal=(?,?,?) k=[0,1]": "(?,?,?)",
}
for _diagonal in ("(2,3) k=0", "(2,3) k=1", "(2,2,3) k=[0,1]"):
    for _sizes in ("() -1", "? -1", "-1 ()", "-1 ?"):
        _rows, _columns = _sizes.split()
        _size = f"num_rows={_rows} num_cols={_columns}"
        MATRIX_BANDS[f"MatrixDiagV3 diagonal={_diagonal} {_size} padding_value=()"] = "(2,?,?)"
for _rows, _columns, _shape in (
    ("()", "-1", "(?,?)"),
    ("?", "-1", "(?,?)"),
    ("5", "()", "(5,?)"),
    ("5", "?", "(5,?)"),
):
    MATRIX_BANDS[
        f"MatrixDiagV3 diagonal=(3) k=0 num_rows={_rows} num_cols={_columns} padding_value=()"
    ] = _shape


# TensorFlow takes unknown features for ones of the shape of the labels; they may broadcast.
CROSS_ENTROPY = {
    "features=(?,3) labels=(1,3)": "(?) (?,3)",
    "features=(?,?) labels=(1,3)": "(?) (?,3)",
    "features=? labels=(1,3)": "(?) (?,3)",
    "features=? labels=(3)": "(?) (?,3)",
}


def right_answer(row: Row, inputs: str, recorded: str) -> str:
    """What we should infer: TensorFlow's answer, except where it is wrong."""
    if row.op in ("MatrixDiagV3", "MatrixSetDiagV3"):
        return MATRIX_BANDS.get(f"{row.op} {inputs}", recorded)
    if row.op == "SplitV" and inputs.endswith(("split_dim=()", "split_dim=?")):
        # TensorFlow takes an axis that it does not know for the last one.
        return " ".join(["(?,?)"] * row.attrs["num_split"])
    if row.op == "Conv3D" and "dilations" in row.attrs:
        # TensorFlow takes the dilation of the height for that of the width, and the reverse.
        return recorded.replace("4,5,", "2,6,")
    if row.op == "SoftmaxCrossEntropyWithLogits" and inputs in CROSS_ENTROPY:
        return CROSS_ENTROPY[inputs]
    if row.op in ("Equal", "NotEqual") and inputs == "x=(?,?) y=(?)":
        # Shapes that turn out not to broadcast give a scalar where that is no error.
        return recorded if row.attrs.get("incompatible_shape_error", True) else "?"
    return recorded


def test_every_row_is_recorded() -> None:
    assert list(ROWS) == list(RECORDED)


@pytest.mark.parametrize("key", list(RECORDED), ids=list(RECORDED))
def test_static_shapes(key: str) -> None:
    if ROWS[key].op in WAITING:
        pytest.xfail(f"needs {ROWS[key].op}: {WAITING[ROWS[key].op]}")
    ours = infer_row(tf, apply, ROWS[key])
    answers = {
        inputs: right_answer(ROWS[key], inputs, shapes) for inputs, shapes in RECORDED[key].items()
    }
    found = [
        f"{inputs} gives {ours[inputs]}, not {shapes}"
        for inputs, shapes in answers.items()
        if ours[inputs] != shapes
    ]
    assert not found, "\n".join([key, *found])
