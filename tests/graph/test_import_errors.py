"""What import_graph_def refuses, and how; the classes of errors are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.dtypes import float32, int32, string
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.protos.graph_pb2 import GraphDef

from .graph_defs import const, graph_def, identity, node, placeholder

#: What is wrong → nodes, part of the message.
DAMAGED: dict[str, tuple[list[Any], str]] = {
    "duplicate": ([placeholder("x"), placeholder("x")], "Node 'x' .*not unique"),
    "input missing": ([identity("y", "x")], "Node 'y' .*Unknown input node 'x'"),
    "input empty": ([node("y", "Identity", T=float32)], "do not match 0 inputs"),
    "input negative": (
        [placeholder("x"), identity("y", "x:-1")],
        "Unknown input node 'x:-1'",
    ),
    "input not a number": ([placeholder("x"), identity("y", "x:a")], "Unknown input node 'x:a'"),
    "output missing": (
        [placeholder("x"), identity("y", "x:1")],
        "invalid output 1 of source node x which has 1 outputs",
    ),
    "control input missing": ([node("y", "NoOp", "^x")], r"Unknown input node '\^x'"),
    "control input with index": (
        [placeholder("x"), node("y", "NoOp", "^x:0")],
        r"Unknown input node '\^x:0'",
    ),
    "control input first": (
        [placeholder("x"), node("n", "NoOp"), identity("y", "^n x")],
        "Control dependencies must come after regular dependencies",
    ),
    "too few inputs": ([placeholder("x"), node("y", "AddV2", "x", T=float32)], "match 1 inputs"),
    "too many inputs": ([placeholder("x"), identity("y", "x x")], "match 2 inputs"),
    "wrong dtype": (
        [placeholder("x", int32), identity("y", "x")],
        "passed int32 from import/x:0 incompatible with expected float32",
    ),
    "cycle": ([identity("a", "b"), identity("b", "a")], "2 nodes in a cycle.*b → a → b"),
    "cycle of one": ([identity("a", "a")], "1 nodes in a cycle"),
    "cycle of control inputs": (
        [node("a", "NoOp", "^b"), node("b", "NoOp", "^a")],
        "2 nodes in a cycle",
    ),
    "cycle through a Merge": (
        [
            placeholder("x"),
            node("m", "Merge", "x b", T=float32, N=2),
            identity("b", "m"),
        ],
        "2 nodes in a cycle",
    ),
    "attr missing": ([placeholder("x"), node("y", "Identity", "x")], "missing attr 'T'"),
    "attr of another type": (
        [placeholder("x"), node("y", "Identity", "x", T=1)],
        "'T'.*Received int; expected type",
    ),
    "attr list": ([node("x", "Placeholder", dtype=(float32,))], "'dtype'.*expected type"),
    "attr not allowed": (
        [placeholder("x", string), node("y", "Neg", "x", T=string)],
        "'T'.*not in the list of allowed values",
    ),
    "attr too small": ([node("y", "Pack", N=0, T=float32)], "'N'.*at least 1"),
    "attr list too short": ([node("y", "IdentityN", T=())], "'T'.*at least 1"),
    "many outputs": (
        [placeholder("x"), node("y", "Unpack", "x", num=10**12, axis=0, T=float32)],
        "more than any node has",
    ),
    "many inputs": (
        [placeholder("x"), node("y", "Pack", "x", N=10**12, T=float32)],
        "more than any node has",
    ),
    "negative number": (
        [placeholder("x"), node("y", "Unpack", "x", num=-1, axis=0, T=float32)],
        "'num'",
    ),
    "ref": (
        [placeholder("x"), node("y", "Assign", "x x", T=float32)],
        "passed float32 from import/x:0 incompatible with expected float32_ref",
    ),
    "shapes": (
        [
            placeholder("x", shape=[2]),
            placeholder("w", shape=[3]),
            node("y", "AddV2", "x w", T=float32),
        ],
        "Dimensions must be equal, but are 2 and 3",
    ),
    "recorded shapes differ": (
        [placeholder("x", shape=[3]), identity("y", "x", _output_shapes=(TensorShape([2]),))],
        "_output_shapes attribute inconsistent",
    ),
    "recorded shapes too few": (
        [placeholder("x"), identity("y", "x", _output_shapes=())],
        "1 outputs but the _output_shapes attribute specifies shapes for 0",
    ),
    "device": ([node("y", "NoOp", device="bad device")], "device"),
    "colocation": (
        [placeholder("x"), identity("y", "x", _class=("loc:@zz",))],
        "expects to be colocated with unknown node 'zz'",
    ),
    **{
        f"name {name!r}": ([placeholder(name)], "Node name contains invalid characters")
        for name in ("", "_x", "/x", "-x", "x!", "x:0", "x y", "a\\b", "é", "x\n")
    },
}


@pytest.mark.parametrize("what", DAMAGED)
def test_damaged_graphs(what: str) -> None:
    nodes, message = DAMAGED[what]
    with tf.Graph().as_default() as graph:
        with pytest.raises(ValueError, match=message):
            tf.import_graph_def(graph_def(*nodes))
        assert not graph.get_operations()


@pytest.mark.parametrize("name", ["a>b", "a-b", "a.b", "A_", "0a", ".a", "a//b", "x/"])
def test_unusual_names_are_fine(name: str) -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def(placeholder(name)), name="")
        assert graph.get_operations()[0].name == name


def test_errors_carry_data() -> None:
    with tf.Graph().as_default(), pytest.raises(GraphDefError) as caught:
        tf.import_graph_def(graph_def(placeholder("x"), node("y", "Identity", "x", T=1)))
    error = caught.value
    assert (error.node, error.op, error.received, error.expected) == (
        "y",
        "Identity",
        "int",
        "type",
    )


@pytest.mark.parametrize("field", ["dtype", "other"])
def test_attributes_without_value(field: str) -> None:
    message = graph_def(placeholder("x"))
    message.node[0].attr[field].Clear()
    with tf.Graph().as_default(), pytest.raises(ValueError, match=f"'{field}'.*no value"):
        tf.import_graph_def(message)


@pytest.mark.parametrize("number", [0, 999, -1])
def test_unknown_dtypes(number: int) -> None:
    message = graph_def(placeholder("x"))
    message.node[0].attr["dtype"].type = number
    with tf.Graph().as_default(), pytest.raises(ValueError, match="'dtype'"):
        tf.import_graph_def(message)


def test_placeholders_have_no_value_outside_functions() -> None:
    message = graph_def(placeholder("x"))
    message.node[0].attr["dtype"].placeholder = "T"
    with tf.Graph().as_default(), pytest.raises(ValueError, match="placeholder 'T'"):
        tf.import_graph_def(message)


def test_all_unknown_ops_are_listed_with_their_likes() -> None:
    message = graph_def(
        placeholder("x"),
        node("a", "Zzqqxx"),
        node("b", "Identitty", "x"),
        node("c", "Zzqqxx"),
    )
    with tf.Graph().as_default(), pytest.raises(tf.errors.NotFoundError) as caught:
        tf.import_graph_def(message)
    text = str(caught.value)
    assert "Op type not registered 'Identitty' (node 'b'; near: Identity" in text
    assert "'Zzqqxx' (node 'a' and 1 more)" in text


@pytest.mark.parametrize(
    ("versions", "message"),
    [
        ({"producer": -1}, "producer version -1 below min producer 0"),
        ({"min_consumer": 5000}, "min consumer version 5000 above current version"),
        ({"bad_consumers": [7, tf.version.GRAPH_DEF_VERSION]}, "disallows consumer version"),
    ],
)
def test_versions(versions: dict[str, Any], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        tf.import_graph_def(graph_def(placeholder("x"), **versions))


# --- arguments --------------------------------------------------------------------------

BASE = graph_def(placeholder("x"), identity("y", "x"))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"graph_def": None}, TypeError, "must be a GraphDef proto"),
        ({"graph_def": 5}, TypeError, "must be a GraphDef proto"),
        ({"graph_def": b"abc"}, ValueError, "no GraphDef"),
        ({"input_map": [1]}, TypeError, "must be a dictionary"),
        ({"input_map": {5: 1.0}}, TypeError, "must be strings"),
        ({"input_map": {"x": 1.0}, "name": ""}, ValueError, "requires a non-empty `name`"),
        ({"return_elements": [5]}, TypeError, "must be a list of strings"),
        ({"return_elements": ["q"]}, ValueError, "return node 'q' not found"),
        ({"return_elements": ["^x"]}, ValueError, r"return node '\^x' not found"),
        ({"return_elements": ["q:0"]}, ValueError, "return tensor 'q:0' not found"),
        ({"return_elements": ["x:1"]}, ValueError, "Invalid return output 1 of node 'x'"),
        ({"return_elements": ["x:a"]}, ValueError, "Cannot convert 'x:a'"),
        ({"name": 5}, TypeError, "5"),
        ({"name": "a b"}, ValueError, "not a valid"),
        ({"name": "_a"}, ValueError, "not a valid"),
    ],
)
def test_arguments(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with tf.Graph().as_default() as graph:
        with pytest.raises(error, match=message):
            tf.import_graph_def(**{"graph_def": BASE, **arguments})
        assert not [item for item in graph.get_operations() if "_inputs" not in item.name]


def test_tensors_of_other_graphs() -> None:
    with tf.Graph().as_default():
        elsewhere = tf.placeholder(tf.float32)
    with tf.Graph().as_default(), pytest.raises(ValueError, match="does not exist in graph"):
        tf.import_graph_def(BASE, {"x": elsewhere})


def test_mapped_tensors_of_another_dtype() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="was passed int32"):
        tf.import_graph_def(BASE, {"x": tf.placeholder(tf.int32)})


def test_colocation_can_be_left_unchecked() -> None:
    message = graph_def(placeholder("x"), identity("y", "x", _class=("loc:@zz", "other")))
    with tf.Graph().as_default():
        (y,) = tf.import_graph_def(
            message, return_elements=["y"], validate_colocation_constraints=False
        )
        assert y.get_attr("_class") == [b"other"]


# --- sizes ------------------------------------------------------------------------------


def tensor_claiming(shape: list[int], **fields: Any) -> GraphDef:
    message = graph_def(const("c", np.float32(1)))
    tensor = message.node[0].attr["value"].tensor
    for size in shape:
        tensor.tensor_shape.dim.add().size = size
    for name, value in fields.items():
        setattr(tensor, name, value)
    return message


@pytest.mark.parametrize("shape", [[10**11], [2**62, 2**62], [-1], [-2], [1] * 100])
def test_constants_cannot_claim_any_size(shape: list[int]) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="Attr 'value'"):
        tf.import_graph_def(tensor_claiming(shape))


def test_constants_of_one_value_take_the_memory_of_one() -> None:
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(tensor_claiming([20_000, 20_000]), name="")
        value = graph.get_operation_by_name("c").attrs["value"]
        assert value.strides == (0, 0)
        assert graph.as_graph_def().ByteSize() < 100


def test_contents_must_fit_their_shape() -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match="has 3 bytes, expected 40"):
        tf.import_graph_def(tensor_claiming([10], tensor_content=b"abc"))
