"""Old frozen graphs that still update their variables, which are constants now."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.dtypes import bool as bool_type
from featherflow.framework.dtypes import float32
from featherflow.framework.tensor_shape import TensorShape

from .graph_defs import const, graph_def, identity, node, placeholder


def moving_average() -> list[Any]:
    """`average -= (average - x) * 0.1`, and reads of the average before and after."""
    return [
        placeholder("x", shape=[]),
        const("average", np.float32(5)),
        identity("average/read", "average"),
        node("difference", "Sub", "average/read x", T=float32),
        const("rate", np.float32(0.1)),
        node("step", "Mul", "difference rate", T=float32),
        node("update", "AssignSub", "average step", T=float32, use_locking=False),
        identity("after", "average"),
    ]


def imported(*nodes: Any) -> tuple[Any, list[str]]:
    with tf.Graph().as_default() as graph, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        tf.import_graph_def(graph_def(*nodes), name="")
    return graph, [str(item.message) for item in caught]


def test_updates_become_arithmetic() -> None:
    nodes = moving_average()
    nodes[-1].input.append("^update")
    graph, said = imported(*nodes)
    assert graph.get_operation_by_name("update").type == "Sub"
    with tf.Session(graph=graph) as session:
        values = session.run(["update:0", "after:0"], {"x:0": 7.0})
    assert values == pytest.approx([5.2, 5.0])  # the constant keeps its frozen value
    assert len(said) == 1
    assert "1 AssignSub → Sub: update" in said[0]


def test_all_twins() -> None:
    graph, said = imported(
        placeholder("x", shape=[]),
        placeholder("p", bool_type, []),
        const("c", np.float32(2)),
        node("switch", "RefSwitch", "c p", T=float32),
        node("add", "AssignAdd", "switch:1 x", T=float32, use_locking=True),
        node("merge", "RefMerge", "switch add", T=float32, N=2),
        node("set", "Assign", "merge x", T=float32, validate_shape=True, _class=("loc:@c",)),
        node("same", "RefIdentity", "set", T=float32),
    )
    types = {operation.name: operation.type for operation in graph.get_operations()}
    assert types["switch"] == "Switch"
    assert types["add"] == "AddV2"
    assert types["merge"] == "Merge"
    assert types["set"] == "Identity"
    assert types["same"] == "Identity"
    set_node = graph.get_operation_by_name("set")
    assert [tensor.name for tensor in set_node.inputs] == ["x:0"]
    assert set(set_node.node_def.attr) == {"T", "_class"}
    assert len(said) == 1
    assert "1 Assign → Identity, 1 AssignAdd → AddV2, 1 RefIdentity → Identity" in said[0]
    with tf.Session(graph=graph) as session:
        values = [session.run("merge:0", {"x:0": 7.0, "p:0": branch}) for branch in (False, True)]
    assert values == [2.0, 9.0]


def test_variables_that_are_there_are_left_alone() -> None:
    graph, said = imported(
        node("v", "VariableV2", dtype=float32, shape=TensorShape([])),
        placeholder("x", shape=[]),
        node("update", "AssignSub", "v x", T=float32),
    )
    assert graph.get_operation_by_name("update").type == "AssignSub"
    assert not said


@pytest.mark.parametrize("op", ["Assign", "AssignSub"])
def test_only_constants_count_as_frozen(op: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="expected float32_ref"):
        tf.import_graph_def(
            graph_def(placeholder("x"), node("update", op, "x x", T=float32)), name=""
        )


def test_other_updates_are_refused() -> None:
    nodes = [const("c", np.float32([2, 3])), const("i", np.int32(0)), const("u", np.float32(1))]
    update = node("update", "ScatterUpdate", "c i u", T=float32)
    update.attr["Tindices"].type = 3
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"extract_sub_graph"):
        tf.import_graph_def(graph_def(*nodes, update))
