"""Rows of Einsum: the equations that have a name, and those that have none."""

from __future__ import annotations

import numpy as np

from featherflow.ops.einsum_ops import Einsum

from ..op_case import COMPLEX, FLOATS, Input, OpCase

#: equation → shapes of the operands
EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)),
    "ij,kj->ki": ((2, 3), (4, 3)),
    "bij,bjk->bik": ((5, 2, 3), (5, 3, 4)),
    "bshd,bthd->bhst": ((2, 3, 2, 4), (2, 5, 2, 4)),
    "...ij,jk->...ik": ((2, 3, 4), (4, 2)),
    "...ij,...jk->...ik": ((2, 1, 3, 4), (5, 4, 2)),
    "i,j->ij": ((2,), (3,)),
    "i,i->": ((3,), (3,)),
    "ij->ji": ((2, 3),),
    "ij->": ((2, 3),),
    "ij->i": ((2, 3),),
    "ii->i": ((3, 3),),
    "ii->": ((3, 3),),
    "iji->ij": ((3, 2, 3),),
    "ij,jk->": ((2, 3), (3, 2)),
    "ijk,kl->il": ((2, 3, 4), (4, 2)),
    "...,...->...": ((2, 1), (3,)),
    "ij,jk,kl->il": ((2, 3), (3, 4), (4, 2)),
    "ij,ij->ij": ((2, 3), (2, 3)),
}


def label(equation):
    return equation.replace("...", "_").replace(",", "_").replace("->", "_to_")


CASES = [
    OpCase(
        Einsum,
        ([Input(*shape) for shape in shapes],),
        lambda *operands, equation=equation: np.einsum(equation, *operands),
        (*FLOATS, *COMPLEX, "int32") if equation == "bij,bjk->bik" else ("float64", "complex128"),
        attrs={"equation": equation},
        empty_shapes=((0, 2, 3), (0, 3, 4)) if equation == "bij,bjk->bik" else (),
        label=label(equation),
    )
    for equation, shapes in EQUATIONS.items()
]
