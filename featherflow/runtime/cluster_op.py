"""_Cluster: the op that stands for the nodes of a compiled cluster in a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from featherflow.compiler.program import Program
from featherflow.framework.dtypes import DType
from featherflow.framework.op import Op, op_from_op_def
from featherflow.framework.op_def import ArgDef, AttrDef, OpDef
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.subgraph import Node
from featherflow.runtime.executor import located_error
from featherflow.runtime.executor_plan import KernelCache, output_place
from featherflow.runtime.specialization import Cluster

Edge = tuple[Node, int]

#: Operations of a program that takes long enough for somebody to cancel it.
LONG_FLOPS = 1e8

CLUSTER: Op = op_from_op_def(
    OpDef(
        "_Cluster",
        (ArgDef("inputs", type_list_attr="Tin"),),
        (ArgDef("outputs", type_list_attr="Tout"),),
        (AttrDef("Tin", "list(type)"), AttrDef("Tout", "list(type)")),
    )
)


@CLUSTER.kernel("CPU")
def _cluster_cpu(
    ctx: Any, *inputs: Any, program: Program, originals: Originals | None
) -> Sequence[np.ndarray]:
    """Machine code checks nothing: it must get what it was made for, in C order."""
    cancellation = ctx.cancellation if program.flops > LONG_FLOPS else None
    if originals is None:
        return program.run(inputs, cancellation)
    given = []
    for item, (shape, dtype) in zip(inputs, originals.expected):
        if (
            item.__class__ is not np.ndarray
            or item.shape != shape
            or (item.dtype is not dtype and item.dtype != dtype)
        ):
            return originals.run(ctx, inputs)
        given.append(item if item.flags.c_contiguous else np.ascontiguousarray(item))
    return program.run(given, cancellation)


@dataclass(frozen=True, eq=False)
class Originals:
    """The nodes of a cluster with their NumPy kernels, for values that are not as the graph says.

    `set_shape` may have promised what is not so, a variable may have been assigned a value of
    another shape, and a user's kernel may give another dtype than its op declares.

    Attributes:
      nodes: in order.
      inputs, outputs: as the program has them.
      known: values that were computed in advance.
      expected: shape and dtype of each input.
    """

    nodes: Sequence[Node]
    inputs: Sequence[Edge]
    outputs: Sequence[Edge]
    known: Mapping[Edge, np.ndarray]
    expected: Sequence[tuple[tuple[int, ...], np.dtype]]

    @classmethod
    def of(
        cls, cluster: Cluster, outputs: Sequence[Edge], known: Mapping[Edge, np.ndarray]
    ) -> Originals:
        """Those of a cluster whose program gives `outputs`."""
        expected = [
            (value.shape, source.output_dtypes[place].numpy_dtype)
            for (source, place), value in cluster.inputs.items()
        ]
        return cls(cluster.nodes, list(cluster.inputs), outputs, known, expected)

    def run(self, ctx: Any, inputs: Sequence[Any]) -> list[np.ndarray]:
        """What the program would give."""
        values: dict[Edge, Any] = dict(zip(self.inputs, inputs))
        kernels = KernelCache()
        for node in self.nodes:
            kernel = kernels.bind(node, "CPU")
            given = [values[edge] if edge in values else self.known[edge] for edge in node.inputs]
            try:
                result = kernel.call(*([ctx] if kernel.wants_context else []), *given)
            except Exception as error:
                raise located_error(error, node) from error.__cause__
            if isinstance(output_place(node, 0), int):
                result = [result]
            values.update(((node, place), value) for place, value in enumerate(result))
        return [np.asarray(values[edge]) for edge in self.outputs]


def cluster_node(
    name: str,
    program: Program,
    originals: Originals | None,
    inputs: list[tuple[Node, int]],
    dtypes: list[DType],
    shapes: list[TensorShape],
    device: str,
) -> Node:
    """A node that runs a program.

    Args:
      originals: None if all inputs are feeds: the session has seen to these.
    """
    attrs: dict[str, Any] = {
        "Tin": tuple(source.output_dtypes[index].base_dtype for source, index in inputs),
        "Tout": tuple(dtypes),
        "program": program,
        "originals": originals,
    }
    node = Node(name, CLUSTER, attrs, dtypes, shapes, device)
    node.inputs = list(inputs)
    return node


def shortcut(node: Node, feeds: Sequence[Node], fetches: Sequence[tuple[Node, int]]) -> Any:
    """`program.run`, if a step is one short program from its feeds to its fetches; else None.

    Feeds are C-ordered, so nothing is left for an executor to do.
    """
    is_whole = [source for source, _ in node.inputs] == list(feeds)
    program = node.attrs["program"]
    in_order = [(node, place) for place in range(len(node.output_dtypes))] == list(fetches)
    return program.run if is_whole and in_order and program.flops <= LONG_FLOPS else None
