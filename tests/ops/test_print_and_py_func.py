"""Printing and Python functions: what a graph does to the world outside."""

from __future__ import annotations

import gc
import sys
import weakref

import numpy as np
import pytest

import featherflow as tf
from featherflow.kernels.value_text import formatted, summary
from featherflow.ops import py_func_ops as ops


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


# --- text -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("shape", "limit", "text"),
    [
        ([], 3, "0"),
        ([4], 3, "0 1 2..."),
        ([4], -1, "0 1 2 3"),
        ([2, 2], 2, "[0 1]..."),
        ([2, 2], 3, "[0 1][2...]..."),
        ([2, 2, 2], 5, "[[0 1][2 3]][[4...]]..."),
        ([3], 0, "..."),
        ([0, 2], 3, ""),
    ],
)
def test_summaries(shape, limit, text):
    assert summary(np.arange(np.prod(shape, dtype=int)).reshape(shape), limit) == text


@pytest.mark.parametrize(
    ("shape", "edge", "text"),
    [
        ([], 3, "0"),
        ([7], 2, "[0 1 ... 5 6]"),
        ([7], -1, "[0 1 2 3 4 5 6]"),
        ([3, 2], 1, "[[0 1]\n ...\n [4 5]]"),
        ([2, 1, 2], 3, "[[[0 1]]\n\n [[2 3]]]"),
        ([0], 3, "[]"),
    ],
)
def test_formatted_values(shape, edge, text):
    assert formatted(np.arange(np.prod(shape, dtype=int)).reshape(shape), edge) == text


def test_elements_as_text():
    floats = np.float32([1.5, 1e-10, 0.1, 1 / 3, 123456789, np.nan, np.inf])
    assert summary(floats, -1) == "1.5 1e-10 0.1 0.333333343 123456792 nan inf"
    assert summary(np.float64([1 / 3]), -1) == "0.33333333333333331"
    assert summary(np.array([True, False]), -1) == "1 0"
    assert summary(np.complex64([1j]), -1) == "?"
    strings = np.array([b'a"\n\x00', "é".encode()], dtype=object)
    assert formatted(strings, 3) == '["a\\"\\n\\000" "é"]'


# --- Print ----------------------------------------------------------------------------------------


def test_print_v1(capfd):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    y = tf.Print(x * 2.0, [x, tf.constant("s")], message="x: ", first_n=2, summarize=2)
    with tf.Session() as session:
        for _ in range(3):
            assert session.run(y).tolist() == [2.0, 4.0, 6.0, 8.0]
    assert capfd.readouterr().err == "x: [1 2...][s]\n" * 2
    assert run(tf.gradients(y, x))[0].tolist() == [2.0] * 4


def test_print_v2(capfd):
    x = tf.constant([1, 2, 3])
    run(tf.print("x:", x, {"b": x, "a": 2}, [1.5], sep="|", end="!\n"))
    assert capfd.readouterr().err == "x:|[1 2 3]|{'a': 2, 'b': [1 2 3]}|[1.5]!\n"
    run(tf.print(tf.constant("alone"), output_stream=sys.stdout))
    assert capfd.readouterr().out == "alone\n"
    run(tf.print("{} braces", x))
    assert capfd.readouterr().err == "{} braces [1 2 3]\n"


def test_print_to_a_file_and_the_log(tmp_path, caplog):
    path = tmp_path / "values.txt"
    for value in (1, 2):
        run(tf.print("value", value, output_stream=f"file://{path}"))
    assert path.read_text() == "value 1\nvalue 2\n"
    run(tf.print("careful", output_stream=30))
    assert [record.getMessage() for record in caplog.records] == ["careful"]


def test_print_refuses():
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("x", output_stream="somewhere")
    with pytest.raises(ValueError, match="Unrecognized keyword arguments"):
        tf.print("x", colour="red")
    with pytest.raises(ValueError, match="expects 2 tensors, but the inputs only has 1"):
        tf.strings.format("{} {}", tf.constant(1))


# --- py_func --------------------------------------------------------------------------------------


def test_py_func():
    x = tf.placeholder(tf.float32, [None])
    y = tf.py_func(lambda v: v * 2, [x], tf.float32)
    total, count = tf.py_func(lambda v: (v.sum(), np.int64(v.size)), [x], [tf.float32, tf.int64])
    nothing = tf.py_func(lambda v: None, [x], [], name="observe")
    assert y.shape.rank is None
    assert nothing.name == "observe"
    found = run([y, total, count, nothing], {x: [1.0, 2.0]})
    assert found[0].tolist() == [2.0, 4.0]
    assert found[1:] == [3.0, 2, None]
    assert tf.gradients(y, x) == [None]


def test_arguments_of_py_func():
    kinds = []

    def note(scalar, vector, text, texts):
        kinds.extend([type(scalar), type(vector), text, texts.dtype])
        vector[0] = 9.0
        return vector

    values = tf.constant([1.0, 2.0])
    changed = tf.py_func(note, [1.5, values, "a", ["b", "c"]], tf.float32)
    assert run([changed, values])[0].tolist() == [9.0, 2.0]
    assert run(values).tolist() == [1.0, 2.0]
    assert kinds == [np.float32, np.ndarray, b"a", np.dtype(object)]


def test_strings_from_py_func():
    assert run(tf.py_func(lambda: "text", [], tf.string)) == b"text"
    assert run(tf.py_func(lambda: np.array(["a", "bc"]), [], tf.string)).tolist() == [b"a", b"bc"]


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError, tf.errors.InvalidArgumentError),
        (TypeError, tf.errors.InvalidArgumentError),
        (StopIteration, tf.errors.OutOfRangeError),
        (MemoryError, tf.errors.ResourceExhaustedError),
        (NotImplementedError, tf.errors.UnimplementedError),
        (ZeroDivisionError, tf.errors.UnknownError),
    ],
)
def test_errors_of_python_functions(raised, expected):
    def fail():
        raise raised("the reason")

    with pytest.raises(expected, match=f"{raised.__name__}: the reason") as caught:
        run(tf.py_func(fail, [], tf.float32))
    assert isinstance(caught.value.__cause__, raised)


@pytest.mark.parametrize(
    ("function", "out", "words"),
    [
        (lambda: np.float64(1), tf.float32, "is float64, but expects float32"),
        (lambda: [1.0, 2.0], tf.float32, "returns 2 values, but expects to see 1"),
        (lambda: None, tf.float32, "returns 0 values"),
        (lambda: 1.0, [], "returns 1 values, but expects to see 0"),
    ],
)
def test_wrong_results_of_python_functions(function, out, words):
    with pytest.raises(tf.errors.InvalidArgumentError, match=words):
        run(tf.py_func(function, [], out))


def test_numpy_function():
    y = tf.numpy_function(np.sort, [tf.constant([2.0, 1.0])], tf.float32)
    assert y.op.type == "PyFunc"
    assert run(y).tolist() == [1.0, 2.0]
    pure = tf.numpy_function(np.sort, [tf.constant([2.0])], tf.float32, stateful=False)
    assert pure.op.type == "PyFuncStateless"
    with pytest.raises(ValueError, match="to be callable"):
        tf.py_func(3, [], tf.float32)


def test_functions_live_as_long_as_their_graph():
    class Function:
        def __call__(self):
            return np.float32(1.0)

    function = Function()
    alive = weakref.ref(function)
    with tf.Graph().as_default():
        tf.py_func(function, [], tf.float32)
    del function
    gc.collect()
    assert alive() is None


def test_sessions_nest_in_python_functions():
    inner_graph = tf.Graph()
    with inner_graph.as_default():
        inner = tf.constant(2.0) * 3.0

    def compute():
        with tf.Session(graph=inner_graph) as session:
            return session.run(inner)

    assert run(tf.py_func(compute, [], tf.float32) + 1.0) == 7.0


def test_py_function_needs_eager_tensors():
    y = tf.py_function(lambda v: v * 2, [1.5], tf.float32)
    assert y.op.type == "EagerPyFunc"
    if ops._call_eagerly is None:
        with pytest.raises(tf.errors.UnimplementedError, match="numpy_function"):
            run(y)
    else:
        assert run(y) == 3.0
