"""Python's operators of tensors: what they make, how it is named, and what they refuse."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as graph:
        yield graph


def run(tensor: Any) -> Any:
    with tf.Session() as session:
        return session.run(tensor)


def made_by(function: Any) -> list[str]:
    """The nodes that `function` adds, as "name = Op(inputs)"."""
    graph = tf.get_default_graph()
    before = len(graph.get_operations())
    function()
    return [
        f"{op.name} = {op.type}({', '.join(tensor.op.name for tensor in op.inputs)})"
        for op in graph.get_operations()[before:]
    ]


FLOAT_OPERATORS = {
    "add = AddV2": lambda x, y: x + y,
    "sub = Sub": lambda x, y: x - y,
    "mul = Mul": lambda x, y: x * y,
    "truediv = RealDiv": lambda x, y: x / y,
    "floordiv = FloorDiv": lambda x, y: x // y,
    "mod = FloorMod": lambda x, y: x % y,
    "pow = Pow": lambda x, y: x**y,
    "Less = Less": lambda x, y: x < y,
    "LessEqual = LessEqual": lambda x, y: x <= y,
    "Greater = Greater": lambda x, y: x > y,
    "GreaterEqual = GreaterEqual": lambda x, y: x >= y,
}


@pytest.mark.parametrize("node", FLOAT_OPERATORS)
def test_operators_of_tensors(node: str) -> None:
    x, y = tf.constant([3.0, -5.0], name="x"), tf.constant([2.0, 3.0], name="y")
    operator = FLOAT_OPERATORS[node]
    assert made_by(lambda: operator(x, y)) == [f"{node}(x, y)"]
    expected = operator(np.float32([3, -5]), np.float32([2, 3]))
    np.testing.assert_array_equal(run(operator(x, y)), expected)


@pytest.mark.parametrize("node", list(FLOAT_OPERATORS)[:7])
def test_numbers_become_constants_of_the_tensors_dtype(node: str) -> None:
    x = tf.constant([3.0, -5.0], tf.float16, name="x")
    operator, (name, op) = FLOAT_OPERATORS[node], node.split(" = ")
    assert made_by(lambda: operator(x, 2)) == [f"{name}/y = Const()", f"{name} = {op}(x, {name}/y)"]
    name += "_1"
    assert made_by(lambda: operator(2, x)) == [f"{name}/x = Const()", f"{name} = {op}({name}/x, x)"]
    assert operator(2, x).dtype is tf.float16


def test_integers_divide_to_floats() -> None:
    quotient = tf.constant([7, -7]) / 2
    assert quotient.dtype is tf.float64
    assert run(quotient).tolist() == [3.5, -3.5]
    assert (tf.constant([1], tf.int16) / 2).dtype is tf.float32


def test_logical_operators_of_bools_and_bits() -> None:
    flags, bits = tf.constant([True, False], name="flags"), tf.constant([12, 10], name="bits")
    assert made_by(lambda: flags & True)[-1] == "and = LogicalAnd(flags, and/y)"
    assert (
        made_by(lambda: bits & 6)[-1] == "and_1/BitwiseAnd = BitwiseAnd(bits, and_1/BitwiseAnd/y)"
    )
    assert run([flags | flags, flags ^ True, ~flags])[1].tolist() == [False, True]
    assert run([bits | 1, bits ^ 6, ~bits])[1].tolist() == [10, 12]
    assert made_by(lambda: flags ^ flags)[-1].startswith("xor_2 = LogicalAnd")


def test_matrix_product() -> None:
    x = tf.constant([[1.0, 2.0]], name="x")
    assert made_by(lambda: x @ [[1.0], [1.0]])[-1] == "matmul = MatMul(x, matmul/b)"
    assert run([[1.0], [1.0]] @ x).tolist() == [[1, 2], [1, 2]]


def test_arrays_leave_their_operators_to_tensors() -> None:
    total = np.float64([1, 2]) + tf.constant([1.0, 2.0])
    assert isinstance(total, tf.Tensor)
    assert total.dtype is tf.float32


def test_unary_operators() -> None:
    x = tf.constant([-1.0, 2.0], name="x")
    assert made_by(lambda: -x) == ["Neg = Neg(x)"]
    assert made_by(lambda: abs(x)) == ["Abs = Abs(x)"]
    assert run(abs(tf.constant(3 + 4j))) == 5


def test_equality_is_identity() -> None:
    x, y = tf.constant(1.0), tf.constant(1.0)
    assert x == x
    assert x != y
    assert y in {x: 1, y: 2}


def test_strings_are_joined() -> None:
    joined = tf.constant(["a", "b"]) + "c"
    assert joined.op.type == "Add"
    assert run(joined).tolist() == [b"ac", b"bc"]


class Money:
    """A type of the user's that knows what to do with a tensor."""

    def __radd__(self, other: Any) -> str:
        return f"money after {type(other).__name__}"


def test_a_foreign_type_gets_its_reflected_operator() -> None:
    assert tf.constant(1.0) + Money() == "money after Tensor"
    with pytest.raises(TypeError):
        tf.constant(1.0) - Money()


@pytest.mark.parametrize(
    "operation",
    [
        lambda: tf.constant([1]) + 1.5,
        lambda: tf.constant([1]) + "a",
        lambda: tf.constant([1]) + tf.constant([1.0]),
        lambda: tf.constant([1]) / tf.constant([1.0]),
        lambda: tf.constant([True]) + True,
        lambda: tf.constant([1.0]) & tf.constant([1.0]),
        lambda: tf.constant([True]) & 1,
    ],
)
def test_operands_of_other_types_are_refused(operation: Any) -> None:
    with pytest.raises(TypeError):
        operation()


def test_shapes_that_do_not_broadcast_are_refused_with_both() -> None:
    with pytest.raises(ValueError, match=r"AddV2 'add'.*equal, but are 2 and 3.*\(2,\).*\(3,\)"):
        tf.constant([1.0, 2.0]) + tf.constant([1.0, 2.0, 3.0])


def test_division_by_zero_names_the_node_and_the_line() -> None:
    quotient = tf.constant([1, 2]) // tf.constant([1, 0])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        run(quotient)
    text = str(caught.value)
    assert text.startswith("FloorDiv 'floordiv': Integer division by zero")
    assert "test_operators.py" in text
