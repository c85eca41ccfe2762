"""_Cluster: the op that stands for the nodes of a compiled cluster in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from featherflow.compiler.program import Program
from featherflow.framework.dtypes import DType
from featherflow.framework.op import Op, op_from_op_def
from featherflow.framework.op_def import ArgDef, AttrDef, OpDef
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node

CLUSTER: Op = op_from_op_def(
    OpDef(
        "_Cluster",
        (ArgDef("inputs", type_list_attr="Tin"),),
        (ArgDef("outputs", type_list_attr="Tout"),),
        (AttrDef("Tin", "list(type)"), AttrDef("Tout", "list(type)")),
    )
)


@CLUSTER.kernel("CPU")
def _cluster_cpu(*inputs: np.ndarray, program: Program) -> Sequence[np.ndarray]:
    """Kernels of the compiler read C-ordered arrays; a value of the graph may be a view."""
    return program.run(
        [item if item.flags.c_contiguous else np.ascontiguousarray(item) for item in inputs]
    )


def cluster_node(
    name: str,
    program: Program,
    inputs: list[tuple[Node, int]],
    dtypes: list[DType],
    shapes: list[TensorShape],
    device: str,
) -> Node:
    """A node that runs a program."""
    attrs: dict[str, Any] = {
        "Tin": tuple(source.output_dtypes[index].base_dtype for source, index in inputs),
        "Tout": tuple(dtypes),
        "program": program,
    }
    node = Node(name, CLUSTER, attrs, dtypes, shapes, device)
    node.inputs = list(inputs)
    return node
