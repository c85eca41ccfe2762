"""Matrix products, decompositions, solves, diagonals."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value


def _matmul(op, left, right, names=("a", "b"), **attrs):
    return Row(op, {names[0]: Given(left), names[1]: Given(right)}, attrs)


_BATCHES = (
    ((2, 3), (3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3, 4)),
    ((5, 1, 2, 3), (6, 3, 4)),
    ((5, 2, 3), (6, 3, 4)),
    ((2, 3), (4, 3)),
    ((3,), (3, 4)),
)

ROWS = [
    _matmul("MatMul", (2, 3), (3, 4)),
    _matmul("MatMul", (3, 2), (3, 4), transpose_a=True),
    _matmul("MatMul", (2, 3), (4, 3), transpose_b=True),
    _matmul("MatMul", (3, 2), (4, 3), transpose_a=True, transpose_b=True),
    _matmul("MatMul", (2, 3), (4, 3)),
    _matmul("MatMul", (2, 0), (0, 4)),
    _matmul("MatMul", (5, 2, 3), (3, 4)),
    _matmul("SparseMatMul", (2, 3), (3, 4)),
    _matmul("SparseMatMul", (3, 2), (3, 4), transpose_a=True),
    *(_matmul("BatchMatMulV2", left, right, ("x", "y")) for left, right in _BATCHES),
    _matmul("BatchMatMulV2", (5, 3, 2), (5, 3, 4), ("x", "y"), adj_x=True),
    _matmul("BatchMatMulV2", (5, 2, 3), (5, 4, 3), ("x", "y"), adj_y=True),
    *(_matmul("BatchMatMul", left, right, ("x", "y")) for left, right in _BATCHES[:3]),
    _matmul("BatchMatMulV3", (5, 2, 3), (3, 4), ("x", "y"), Tout="float32"),
    *(
        Row("Einsum", {"inputs": [Given(dims) for dims in shapes]}, {"equation": equation})
        for equation, shapes in (
            ("ij,jk->ik", ((2, 3), (3, 4))),
            ("bij,bjk->bik", ((5, 2, 3), (5, 3, 4))),
            ("...ij,jk->...ik", ((5, 6, 2, 3), (3, 4))),
            ("ij->ji", ((2, 3),)),
            ("ij->", ((2, 3),)),
            ("ii->i", ((3, 3),)),
            ("i,j->ij", ((2,), (3,))),
            ("ij,jk->ik", ((2, 3), (4, 5))),
            ("ij,jk->ik", ((2,), (3, 4))),
            ("...,...->...", ((2, 1), (3,))),
        )
    ),
    *(
        Row(op, {"input": Given(dims)})
        for op in ("MatrixInverse", "MatrixDeterminant", "Cholesky", "LogMatrixDeterminant")
        for dims in ((3, 3), (5, 3, 3), (2, 3), (3,))
    ),
    *(
        Row(op, {"matrix": Given((5, 3, 3)), "rhs": Given(rhs)})
        for op in ("MatrixSolve", "MatrixTriangularSolve")
        for rhs in ((5, 3, 2), (5, 4, 2), (3, 2))
    ),
    Row(
        "MatrixSolveLs",
        {"matrix": Given((4, 3)), "rhs": Given((4, 2)), "l2_regularizer": Value(0.0, "float64")},
    ),
    *(
        Row("Qr", {"input": Given(dims)}, {"full_matrices": full})
        for dims in ((4, 3), (5, 2, 3))
        for full in (False, True)
    ),
    *(
        Row("Svd", {"input": Given((5, 4, 3))}, {"compute_uv": uv, "full_matrices": full})
        for uv in (False, True)
        for full in (False, True)
    ),
    Row("SelfAdjointEigV2", {"input": Given((5, 3, 3))}, {"compute_v": True}),
    Row("SelfAdjointEigV2", {"input": Given((3, 3))}, {"compute_v": False}),
    Row(
        "MatrixBandPart", {"input": Given((5, 3, 4)), "num_lower": Value(1), "num_upper": Value(0)}
    ),
    Row("MatrixBandPart", {"input": Given((5,)), "num_lower": Value(1), "num_upper": Value(0)}),
    *(Row("Diag", {"diagonal": Given(dims)}) for dims in ((3,), (2, 3), ())),
    *(Row("DiagPart", {"input": Given(dims)}) for dims in ((3, 3), (2, 3, 2, 3), (2, 3), (3,))),
    *(Row("MatrixDiag", {"diagonal": Given(dims)}) for dims in ((3,), (2, 3), ())),
    *(Row("MatrixDiagPart", {"input": Given(dims)}) for dims in ((3, 4), (2, 4, 3), (3,))),
    *(
        Row("MatrixSetDiag", {"input": Given((2, 3, 4)), "diagonal": Given(dims)})
        for dims in ((2, 3), (2, 4), (3,))
    ),
    *(
        Row(
            "MatrixDiagV3",
            {
                "diagonal": Given(dims),
                "k": Value(k),
                "num_rows": Value(rows),
                "num_cols": Value(-1),
                "padding_value": Given(()),
            },
        )
        for dims, k, rows in (
            ((2, 3), 0, -1),
            ((2, 3), 1, -1),
            ((2, 2, 3), [0, 1], -1),
            ((3,), 0, 5),
        )
    ),
    *(
        Row(
            "MatrixDiagPartV3",
            {"input": Given(dims), "k": Value(k), "padding_value": Given(())},
        )
        for dims, k in (((3, 4), 0), ((2, 3, 4), 1), ((2, 3, 4), [-1, 1]), ((3, 4), 9))
    ),
    *(
        Row(
            "MatrixSetDiagV3",
            {"input": Given((2, 3, 4)), "diagonal": Given(diagonal), "k": Value(k)},
        )
        for diagonal, k in (((2, 3), 0), ((2, 2, 3), [0, 1]), ((2, 4), 0))
    ),
]
