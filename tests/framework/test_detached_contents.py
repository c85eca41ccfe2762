"""Large tensors read without copies: the same graph, out of the file; damage is harmless."""

from __future__ import annotations

import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from featherflow.framework.attr_value import attr_value_from_proto, attr_value_to_proto
from featherflow.framework.detached_contents import content_of, detach_contents
from featherflow.framework.tensor_proto import ndarray_from_proto, ndarray_to_proto
from featherflow.framework.varint import encode_varint, read_varint
from featherflow.protos.graph_pb2 import GraphDef
from featherflow.protos.node_def_pb2 import NodeDef
from featherflow.protos.saved_model_pb2 import SavedModel
from featherflow.protos.tensor_pb2 import TensorProto

LARGE = np.arange(3000, dtype=np.float32)
LARGE_STRINGS = np.array([b"x" * 5000, b"", b"yz"], object)


def add_const(node: NodeDef, name: str, value: np.ndarray) -> None:
    node.name, node.op = name, "Const"
    attr_value_to_proto(value, "tensor", node.attr["value"])


def sample_graph() -> GraphDef:
    graph = GraphDef()
    add_const(graph.node.add(), "large", LARGE)
    add_const(graph.node.add(), "small", np.arange(4))
    graph.node.add(name="long", op="NoOp", device="d" * 9000)
    function = graph.library.function.add()
    function.signature.name = "f"
    add_const(function.node_def.add(), "inner", LARGE * 2)
    listed = graph.node.add(name="listed", op="Lists")
    attr_value_to_proto((LARGE + 1, np.arange(2), LARGE + 2), "list(tensor)", listed.attr["t"])
    graph.versions.producer = 7
    return graph


def values_of(graph: GraphDef, contents: list[memoryview]) -> list[np.ndarray]:
    nodes = [*graph.node, *graph.library.function[0].node_def]
    values = [
        attr_value_from_proto(node.attr["value"], None, contents)
        for node in nodes
        if node.op == "Const"
    ]
    return [*values, *attr_value_from_proto(graph.node[3].attr["t"], "list(tensor)", contents)]


def test_a_graph_is_the_same_without_copies():
    data = sample_graph().SerializeToString()
    small, contents = detach_contents(data, "GraphDef")
    assert len(contents) == 4
    assert len(small) < len(data) - 4 * LARGE.nbytes + 200
    graph = GraphDef.FromString(small)
    assert [node.name for node in graph.node] == ["large", "small", "long", "listed"]
    assert graph.versions.producer == 7
    file_bytes = np.frombuffer(data, np.uint8)
    shared = 0
    for value, expected in zip(
        values_of(graph, contents), values_of(sample_graph(), []), strict=True
    ):
        assert value.dtype == expected.dtype
        np.testing.assert_array_equal(value, expected)
        shared += np.shares_memory(value, file_bytes)
    assert shared == 4


def test_contents_are_found_in_a_saved_model():
    model = SavedModel()
    model.meta_graphs.add().graph_def.CopyFrom(sample_graph())
    model.meta_graphs.add().meta_info_def.tags.append("serve")
    small, contents = detach_contents(memoryview(model.SerializeToString()), "SavedModel")
    back = SavedModel.FromString(bytes(small))
    assert len(contents) == 4 and len(small) < 12000
    assert back.meta_graphs[1].meta_info_def.tags == ["serve"]
    value = attr_value_from_proto(
        back.meta_graphs[0].graph_def.node[0].attr["value"], None, contents
    )
    np.testing.assert_array_equal(value, LARGE)


def test_strings_stay_where_their_field_is():
    proto = NodeDef()
    add_const(proto, "strings", LARGE_STRINGS)
    data = GraphDef(node=[proto]).SerializeToString()
    assert detach_contents(data, "GraphDef") == (data, [])


def test_a_graph_without_large_tensors_comes_back_itself():
    data = GraphDef(node=[NodeDef(name="a", op="NoOp")]).SerializeToString()
    small, contents = detach_contents(data, "GraphDef")
    assert small is data and contents == []


def test_a_number_of_the_file_itself_is_harmless():
    tensor = TensorProto(dtype=1, float_val=[2.5], version_number=-5)
    assert ndarray_from_proto(tensor) == 2.5
    with pytest.raises(ValueError, match="version number -5"):
        ndarray_from_proto(tensor, [memoryview(b"abcd")])
    tensor.version_number = -1
    with pytest.raises(ValueError, match="expected 4"):
        ndarray_from_proto(tensor, [memoryview(b"abc")])


def test_content_of():
    contents = [memoryview(b"a"), memoryview(b"b")]
    assert [content_of(number, contents) for number in (0, 3, -1, -2)] == [None, None, *contents]


def tensors_of(graph: GraphDef) -> list[TensorProto]:
    nodes = [*graph.node, *(node for each in graph.library.function for node in each.node_def)]
    values = [value for node in nodes for value in node.attr.values()]
    return [tensor for value in values for tensor in (value.tensor, *value.list.tensor)]


@given(st.data())
def test_a_damaged_graph_is_the_same_damaged_graph_afterwards(data):
    damaged = bytearray(GRAPH_BYTES)
    for _ in range(data.draw(st.integers(0, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    small, contents = detach_contents(bytes(damaged), "GraphDef", minimum=8)
    try:
        expected = GraphDef.FromString(bytes(damaged))
    except DecodeError:
        return
    if any(tensor.version_number for tensor in tensors_of(expected)):
        return
    graph = GraphDef.FromString(bytes(small))
    for tensor in tensors_of(graph):
        content = content_of(tensor.version_number, contents)
        if content is not None:
            tensor.tensor_content = bytes(content)
            tensor.version_number = 0
    assert graph == expected


def small_graph() -> GraphDef:
    graph = GraphDef()
    add_const(graph.node.add(), "a", np.arange(4))
    add_const(graph.node.add(), "b", np.arange(3, dtype=np.float32))
    return graph


GRAPH_BYTES = small_graph().SerializeToString()


def test_a_cut_off_graph_comes_back_whole():
    for length in range(len(GRAPH_BYTES)):
        cut = GRAPH_BYTES[:length]
        small, contents = detach_contents(cut, "GraphDef", minimum=8)
        assert contents or small is cut


@given(st.integers(0, 2**64 - 1))
def test_varints_come_back(value):
    assert read_varint(b"\xff" + encode_varint(value), 1) == (value, 1 + len(encode_varint(value)))


@pytest.mark.parametrize("data", [b"", b"\x80", b"\xff" * 11])
def test_a_damaged_varint_is_refused(data):
    with pytest.raises(ValueError, match="varint"):
        read_varint(data, 0)


def test_an_array_survives_its_own_detaching():
    tensor = TensorProto()
    ndarray_to_proto(LARGE, tensor)
    small, contents = detach_contents(tensor.SerializeToString(), "TensorProto")
    back = ndarray_from_proto(TensorProto.FromString(bytes(small)), contents)
    np.testing.assert_array_equal(back, LARGE)
