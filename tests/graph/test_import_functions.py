"""Functions in GraphDefs: libraries, calls by name, bodies, gradients of functions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.dtypes import float32, int32
from featherflow.graph.function_def import GraphFunction
from featherflow.protos.attr_value_pb2 import AttrValue

from .graph_defs import const, function, graph_def, identity, node, placeholder

FLOAT_TO_FLOAT: dict[str, Any] = {"inputs": {"a": float32}, "outputs": {"o": float32}}


def double(name: str = "F") -> Any:
    return function(
        name,
        **FLOAT_TO_FLOAT,
        nodes=[node("y", "AddV2", "a a", T=float32)],
        ret={"o": "y:z:0"},
    )


def body_of(message: Any, **attrs: Any) -> Any:
    return GraphFunction(message, {}).instantiate(attrs)


@pytest.fixture
def graph() -> Any:
    graph = tf.Graph()
    with graph.as_default():
        yield graph


# --- libraries --------------------------------------------------------------------------


def test_calls_by_name_run(graph: Any) -> None:
    message = graph_def(placeholder("x", shape=[3]), node("c", "F", "x"), functions=[double()])
    (c,) = tf.import_graph_def(message, return_elements=["c:0"])
    assert c.op.type == "F"
    assert c.shape.as_list() == [3]
    assert graph.graph_def_versions.min_consumer == 12
    with tf.Session() as session:
        assert session.run(c, {"import/x:0": [1, 2, 3]}).tolist() == [2, 4, 6]


def test_libraries_are_written_again(graph: Any) -> None:
    message = graph_def(placeholder("x"), node("c", "F", "x"), functions=[double(), double("G")])
    message.library.gradient.add(function_name="F", gradient_func="G")
    message.versions.min_consumer = 12
    tf.import_graph_def(message, name="")
    assert graph.as_graph_def() == message


def test_large_constants_in_functions_are_written_again(graph: Any) -> None:
    large = function(
        "F",
        **FLOAT_TO_FLOAT,
        nodes=[const("c", np.arange(4096, dtype=np.float32)), node("y", "AddV2", "a c:output:0")],
        ret={"o": "y:z:0"},
    )
    large.node_def[1].attr["T"].type = float32.as_datatype_enum
    message = graph_def(placeholder("x"), node("c", "F", "x"), functions=[large], min_consumer=12)
    tf.import_graph_def(message.SerializeToString(), name="")
    assert graph.as_graph_def() == message
    with tf.Session() as session:
        assert session.run("c:0", {"x:0": 1.0}).tolist() == list(range(1, 4097))


def test_functions_are_shared_by_imports(graph: Any) -> None:
    tf.import_graph_def(graph_def(functions=[double()]))
    tf.import_graph_def(graph_def(placeholder("x"), node("c", "F", "x"), functions=[double()]))
    tf.import_graph_def(graph_def(placeholder("x"), node("c", "F", "x")))
    assert list(graph._functions) == ["F"]


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ([double("Neg")], "'Neg' because an op with the same name already exists"),
        (
            [double(), function("F", **FLOAT_TO_FLOAT, nodes=[], ret={"o": "a"})],
            "'F' because a different function with the same name",
        ),
    ],
)
def test_names_of_functions_are_unique(graph: Any, functions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(graph_def(functions=functions))
    assert not graph._functions


def test_gradients_must_be_there(graph: Any) -> None:
    message = graph_def(functions=[double()])
    message.library.gradient.add(function_name="F", gradient_func="G")
    with pytest.raises(ValueError, match="missing 'G'"):
        tf.import_graph_def(message)


def test_unknown_ops_in_called_functions(graph: Any) -> None:
    inner = function("I", **FLOAT_TO_FLOAT, nodes=[node("y", "Nope", "a")], ret={"o": "y:o:0"})
    outer = function("O", **FLOAT_TO_FLOAT, nodes=[node("y", "I", "a")], ret={"o": "y:o:0"})
    tf.import_graph_def(graph_def(functions=[inner, outer]))  # nobody calls them
    with pytest.raises(tf.errors.NotFoundError, match="'Nope' \\(node 'y' of function 'I'"):
        fresh = tf.Graph()
        with fresh.as_default():
            tf.import_graph_def(
                graph_def(placeholder("x"), node("c", "O", "x"), functions=[inner, outer])
            )


def test_functions_that_call_themselves_import(graph: Any) -> None:
    endless = function("F", **FLOAT_TO_FLOAT, nodes=[node("y", "F", "a")], ret={"o": "y:o:0"})
    (c,) = tf.import_graph_def(
        graph_def(placeholder("x"), node("c", "F", "x"), functions=[endless]),
        return_elements=["c:0"],
    )
    assert c.shape.rank is None


def partitioned_call(name: str, source: str, called: str) -> Any:
    return node(
        name, "PartitionedCall", source, f=NameAttrList(called), Tin=(float32,), Tout=(float32,)
    )


@pytest.mark.parametrize("by_name", [False, True])
def test_functions_that_call_functions_very_deep(graph: Any, by_name: bool) -> None:
    functions = [double("F0")]
    for i in range(1, 2000):
        called = f"F{i - 1}"
        call = node("y", called, "a") if by_name else partitioned_call("y", "a", called)
        result = {"o": "y:o:0" if by_name else "y:output:0"}
        functions.append(function(f"F{i}", **FLOAT_TO_FLOAT, nodes=[call], ret=result))
    tf.import_graph_def(
        graph_def(placeholder("x"), node("c", "F1999", "x"), functions=functions), name=""
    )
    assert len(graph._functions) == 2000


def test_static_shapes_follow_calls(graph: Any) -> None:
    inner = double("I")
    outer = function(
        "O",
        **FLOAT_TO_FLOAT,
        nodes=[partitioned_call("y", "a", "I"), node("z", "Relu", "y:output:0", T=float32)],
        ret={"o": "z:activations:0"},
    )
    (c,) = tf.import_graph_def(
        graph_def(
            placeholder("x", shape=[2, 3]),
            partitioned_call("c", "x", "O"),
            functions=[inner, outer],
        ),
        return_elements=["c:0"],
    )
    assert c.shape.as_list() == [2, 3]


def test_functions_of_an_import_that_fails_are_gone(graph: Any) -> None:
    before = graph.as_graph_def()
    with pytest.raises(ValueError, match="Unknown input"):
        tf.import_graph_def(graph_def(identity("y", "x"), functions=[double()]))
    with pytest.raises(ValueError, match="was passed int32"):
        tf.import_graph_def(
            graph_def(placeholder("x", int32), node("c", "F", "x"), functions=[double()])
        )
    assert graph.as_graph_def() == before


# --- bodies -----------------------------------------------------------------------------


def test_names_inside_functions() -> None:
    message = function(
        "F",
        {"a": float32, "b": float32},
        {"first": float32, "second": float32, "third": float32},
        [
            const("axis", np.int32(0)),
            node("split", "Split", "axis:output:0 a", num_split=2, T=float32),
            node("top", "TopKV2", "split:output:1 k:output:0", T=float32),
            const("k", np.int32(1)),
        ],
        {"first": "split:output:0", "second": "top:values:0", "third": "b"},
    )
    body = body_of(message)
    assert [tensor.name for tensor in body.inputs] == ["a:0", "b:0"]
    assert [tensor.name for tensor in body.outputs] == ["split:0", "top:0", "b:0"]
    assert body.graph.get_operation_by_name("top").inputs[0].name == "split:1"


def test_attributes_of_functions() -> None:
    message = function(
        "F",
        {"a": "T"},
        {"o": "T"},
        [node("y", "Identity", "a", "")],
        {"o": "y:output:0"},
    )
    message.node_def[0].attr["T"].placeholder = "T"
    assert body_of(message, T=int32).outputs[0].dtype == int32
    assert body_of(message, T=float32, _other=3).outputs[0].dtype == float32
    with pytest.raises(ValueError, match="attr 'T' has no value"):
        body_of(message)


def test_a_body_is_made_once_for_each_attribute() -> None:
    message = function("F", {"a": "T"}, {"o": "T"}, [], {"o": "a"})
    made = GraphFunction(message, {})
    assert made.instantiate({"T": int32}) is made.instantiate({"T": int32, "_x": 1})
    assert made.instantiate({"T": int32}) is not made.instantiate({"T": float32})


def test_list_arguments() -> None:
    message = function("F", {}, {}, [node("y", "Pack", "a:0 a:1", N=2, T=float32)], {})
    arg = message.signature.input_arg.add(name="a", number_attr="N")
    arg.type = float32.as_datatype_enum
    message.signature.attr.add(name="N", type="int")
    message.signature.output_arg.add(name="o").type = float32.as_datatype_enum
    message.ret["o"] = "y:output"
    body = body_of(message, N=2)
    assert [tensor.name for tensor in body.inputs] == ["a_0:0", "a_1:0"]
    assert body.outputs[0].name == "y:0"


def test_control_outputs_and_traced_shapes() -> None:
    message = double()
    message.node_def.append(node("init", "NoOp", "^y ^a"))
    message.signature.control_output.append("done")
    message.control_ret["done"] = "init"
    shapes = message.arg_attr[0].attr["_output_shapes"]
    shapes.CopyFrom(AttrValue())
    shapes.list.shape.add().dim.add().size = 7
    body = body_of(message)
    assert [operation.name for operation in body.control_outputs] == ["init"]
    assert body.outputs[0].shape.as_list() == [7]


def test_attributes_of_the_function_itself() -> None:
    message = double()
    message.attr["_noinline"].b = True
    assert GraphFunction(message, {}).attrs == {"_noinline": True}


@pytest.mark.parametrize(
    ("nodes", "ret", "message"),
    [
        ([identity("y", "zz")], "y:output:0", "input zz is not found"),
        ([identity("y", "zz:output:0")], "y:output:0", "zz:output:0 is not found"),
        ([identity("y", "a")], "zz:output:0", "zz:output:0 is not found"),
        ([identity("y", "a")], "y:nope:0", "Identity has the outputs output"),
        ([identity("y", "a")], "y:output:1", "y:output:1 is not found"),
        ([identity("y", "a")], "y:output:x", "is no index"),
        ([identity("y", "a")], "y", "names a node"),
        ([identity("y", "a")], "a:3", "Return o -> a:3 is not found"),
        ([identity("y", "a:1")], "y:output:0", "."),
        ([identity("y", "w:output:0"), identity("w", "y:output:0")], "y:output:0", "cycle"),
        ([identity("y", "a"), identity("y", "a")], "y:output:0", "not unique"),
        ([node("y", "Shape", "a", T=float32)], "y:output:0", "has type int32, expected float32"),
    ],
)
def test_damaged_bodies(nodes: Any, ret: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        body_of(function("F", **FLOAT_TO_FLOAT, nodes=nodes, ret={"o": ret}))


def test_a_result_must_be_named() -> None:
    with pytest.raises(ValueError, match="Return o is missing"):
        body_of(function("F", **FLOAT_TO_FLOAT, nodes=[], ret={}))


def test_functions_as_attributes(graph: Any) -> None:
    value = NameAttrList("F", {"T": float32})
    message = graph_def(node("n", "NoOp", _f=value))
    tf.import_graph_def(message, name="")
    assert graph.get_operation_by_name("n").attrs["_f"] == value
    assert graph.as_graph_def() == message


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"type_attr": "Q"}, "needs an attr 'Q' of type type"),
        ({"type": 51}, "51"),
        ({"type": 1, "type_attr": "T"}, "must have one of"),
        ({}, "must have one of"),
        ({"type": 1, "number_attr": "T"}, "needs an attr 'T' of type int"),
    ],
)
def test_damaged_signatures(graph: Any, change: dict[str, Any], message: str) -> None:
    damaged = function("F", {"a": "T"}, {"o": "T"}, [], {"o": "a"})
    damaged.signature.input_arg.add(name="b", **change)
    with pytest.raises(ValueError, match=message):
        tf.import_graph_def(
            graph_def(placeholder("x"), node("c", "F", "x x", T=float32), functions=[damaged])
        )


def test_functions_that_nobody_calls_may_be_damaged(graph: Any) -> None:
    damaged = double()
    damaged.signature.input_arg.add(name="b", type=51)
    tf.import_graph_def(graph_def(functions=[damaged]))
    assert list(graph._functions) == ["F"]
