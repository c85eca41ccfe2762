"""cond, while_loop, case and switch_case: values, nodes, contexts, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def inputs_of(graph, name):
    return [tensor.name for tensor in graph.get_operation_by_name(name).inputs]


def controls_of(graph, name):
    return [op.name for op in graph.get_operation_by_name(name).control_inputs]


# --- cond -----------------------------------------------------------------------------------------


def test_cond_runs_one_branch():
    pred = tf.placeholder(tf.bool, [])
    counter = tf.Variable(0, use_resource=True)
    chosen = tf.cond(pred, lambda: tf.assign_add(counter, 1), lambda: tf.assign_add(counter, 100))
    with tf.Session() as session:
        session.run(counter.initializer)
        assert [session.run(chosen, {pred: flag}) for flag in (True, False, True)] == [1, 101, 102]


def test_cond_takes_outer_tensors_through_switches(graph):
    pred = tf.placeholder(tf.bool, [], name="pred")
    x = tf.constant(3.0, name="x")
    tf.cond(pred, lambda: tf.add(x, x, name="sum"), lambda: x)
    assert inputs_of(graph, "cond/sum") == ["cond/sum/Switch:1", "cond/sum/Switch:1"]
    assert inputs_of(graph, "cond/sum/Switch") == ["x:0", "cond/pred_id:0"]
    assert inputs_of(graph, "cond/Merge") == ["cond/Switch_1:0", "cond/sum:0"]
    assert graph.get_operation_by_name("cond/sum/Switch").colocation_groups() == [b"loc:@x"]


def test_nodes_without_inputs_wait_for_their_branch(graph):
    pred = tf.placeholder(tf.bool, [])
    x = tf.constant(1.0, name="x")

    def branch():
        with tf.control_dependencies([x]):
            first = tf.constant(2.0, name="first")
        with tf.control_dependencies([first]):
            return tf.constant(3.0, name="second")

    tf.cond(pred, branch, lambda: 4.0)
    assert controls_of(graph, "cond/first") == ["x", "cond/switch_t"]
    assert controls_of(graph, "cond/second") == ["cond/first"]


def test_results_of_branches():
    pred = tf.placeholder(tf.bool, [])
    x = tf.constant(5)
    nested = tf.cond(pred, lambda: {"a": x, "b": (x, 7)}, lambda: {"a": -x, "b": (x + 1, 8)})
    assert run(nested, {pred: True}) == {"a": 5, "b": (5, 7)}
    assert run(nested, {pred: False}) == {"a": -5, "b": (6, 8)}
    single = tf.cond(pred, lambda: [x], lambda: [x + 1])
    assert isinstance(single, tf.Tensor)
    assert isinstance(tf.cond(pred, lambda: [x], lambda: [x + 1], strict=True), list)
    operation = tf.cond(pred, tf.no_op, lambda: tf.group(x))
    assert operation.dtype == tf.bool
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))
    merged = tf.cond(pred, lambda: rows, lambda: rows)
    assert isinstance(merged, tf.IndexedSlices)
    assert run(merged, {pred: True}).indices.tolist() == [0]


def test_static_shapes_of_cond():
    pred = tf.placeholder(tf.bool, [])
    same = tf.cond(pred, lambda: tf.zeros([2]), lambda: tf.ones([2]))
    partly = tf.cond(pred, lambda: tf.zeros([2, 3]), lambda: tf.ones([4, 3]))
    other = tf.cond(pred, lambda: tf.zeros([2]), lambda: tf.ones([2, 1]))
    assert same.shape.as_list() == [2]
    assert partly.shape.as_list() == [None, 3]
    assert other.shape.rank is None


def test_contexts_of_cond_are_collected(graph):
    pred = tf.placeholder(tf.bool, [])
    tf.cond(pred, lambda: tf.cond(pred, lambda: 1, lambda: 2), lambda: 3)
    contexts = graph.get_collection(tf.GraphKeys.COND_CONTEXT)
    assert [context.name for context in contexts] == ["cond/cond_text", "cond/cond_text_1"]
    inner = [context.name for context in contexts[0].nested_contexts]
    assert inner == ["cond/cond/cond_text", "cond/cond/cond_text_1"]


def test_nothing_inside_is_fed_or_fetched():
    pred = tf.placeholder(tf.bool, [])
    inside = []
    tf.cond(pred, lambda: inside.append(tf.constant(1.0)) or inside[0], lambda: 2.0)
    with pytest.raises(ValueError, match="not fetchable"):
        run(inside[0], {pred: True})
    with pytest.raises(ValueError, match="may not be fed"):
        run(tf.constant(1), {inside[0]: 5.0})


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (TypeError, "'false_fn' argument required", (lambda: 1,)),
        (TypeError, "'true_fn' must be callable", (1, lambda: 1)),
        (TypeError, "'false_fn' must be callable", (lambda: 1, 1)),
        (ValueError, "'true_fn' must have a return value", (lambda: None, lambda: 1)),
        (ValueError, "same nested structure", (lambda: 1, lambda: (1, 2))),
        (ValueError, "same type.*int32.*float32", (lambda: 1, lambda: 1.0)),
        (ValueError, "at least one result", (lambda: [], lambda: [])),
    ],
)
def test_cond_refuses(error, words, arguments):
    with pytest.raises(error, match=words):
        tf.cond(tf.constant(True), *arguments)


def test_cond_refuses_other_predicates():
    with pytest.raises(TypeError, match="Python bool"):
        tf.cond(True, lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="bool"):
        tf.cond(tf.constant(1.0), lambda: 1, lambda: 2)
    with pytest.raises(ValueError, match="rank 0"):
        tf.cond(tf.constant([True]), lambda: 1, lambda: 2)
    with pytest.raises(TypeError, match="simultaneously"):
        tf.cond(tf.constant(True), lambda: 1, lambda: 2, fn1=lambda: 3)


# --- while_loop -----------------------------------------------------------------------------------


def test_loops_of_several_forms():
    count = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    i, total = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    state = tf.while_loop(
        lambda s: s["i"] < 4,
        lambda s: [{"i": s["i"] + 1, "pair": (s["pair"][1], s["pair"][0] + s["pair"][1])}],
        [{"i": 0, "pair": (1, 1)}],
    )
    same = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0], return_same_structure=True)
    never = tf.while_loop(lambda i: i < 0, lambda i: i + 1, [5])
    limited = tf.while_loop(lambda i: True, lambda i: i * 2, [1], maximum_iterations=5)
    found = run([count, i, total, state, same, never, limited])
    assert found == [12, 5, 10, [{"i": 4, "pair": (5, 8)}], [3], 5, 32]


@pytest.mark.parametrize("limit", [0, 2, 9])
def test_maximum_iterations_may_be_fed(limit):
    fed = tf.placeholder(tf.int32, [])
    loop = tf.while_loop(
        lambda i, x: i < 5, lambda i, x: [i + 1, x * 2.0], [0, 1.0], maximum_iterations=fed
    )
    steps = min(limit, 5)
    assert run(loop, {fed: limit}) == [steps, 2.0**steps]


def test_loops_take_outer_tensors_through_enters(graph):
    x = tf.constant(2, name="x")
    tf.while_loop(lambda i: i < x, lambda i: tf.add(i, x, name="sum"), [0])
    assert inputs_of(graph, "while/sum") == ["while/Identity:0", "while/Less/Enter:0"]
    enter = graph.get_operation_by_name("while/Less/Enter")
    assert enter.attrs["is_constant"]
    assert enter.attrs["frame_name"] == "while/while_context"


def test_control_inputs_from_outside_come_through_identities(graph):
    x = tf.constant(3.0, name="x")
    nothing = tf.no_op(name="nothing")

    def body(i):
        with tf.control_dependencies([x, nothing]):
            return tf.add(i, 1, name="next")

    assert run(tf.while_loop(lambda i: i < 2, body, [0])) == 2
    assert controls_of(graph, "while/next/y") == ["while/Identity", "while/next/Identity"]
    assert controls_of(graph, "while/next") == []


def test_loops_in_loops_and_branches():
    n = tf.placeholder(tf.int32, [])

    def outer(i, total):
        def add(j, s):
            return j + 1, s + tf.cond(tf.equal((i + j) % 2, 0), lambda: i * j, lambda: j)

        return i + 1, tf.while_loop(lambda j, s: j < i, add, [0, total])[1]

    total = tf.while_loop(lambda i, t: i < n, outer, [0, 0])[1]

    def expected(count):
        return sum((i * j if (i + j) % 2 == 0 else j) for i in range(count) for j in range(i))

    assert [run(total, {n: count}) for count in (0, 1, 5)] == [expected(c) for c in (0, 1, 5)]


def test_shape_invariants():
    start = tf.ones([1, 2])
    grown = tf.while_loop(
        lambda x: tf.shape(x)[0] < 4,
        lambda x: tf.concat([x, x], 0),
        [start],
        shape_invariants=[tf.TensorShape([None, 2])],
    )
    assert grown.shape.as_list() == [None, 2]
    assert run(grown).shape == (4, 2)
    with pytest.raises(ValueError, match=r"enters the loop with shape \(1, 2\), but has shape"):
        tf.while_loop(lambda x: True, lambda x: tf.concat([x, x], 0), [start])
    with pytest.raises(ValueError, match="not compatible with the initial shape"):
        tf.while_loop(lambda x: True, lambda x: x, [start], shape_invariants=[tf.TensorShape([3])])


def test_rows_as_loop_variables():
    rows = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]), tf.constant([3, 2]))

    def body(i, rows):
        values = tf.concat([rows.values, rows.values], 0)
        indices = tf.concat([rows.indices, rows.indices + 1], 0)
        return i + 1, tf.IndexedSlices(values, indices, rows.dense_shape)

    _, result = tf.while_loop(lambda i, _: i < 2, body, [0, rows])
    assert run(result).indices.tolist() == [0, 1, 1, 2]


def test_updates_of_variables_are_ordered():
    total = tf.Variable(0.0, use_resource=True)

    def body(i):
        with tf.control_dependencies([tf.assign_add(total, tf.cast(i, tf.float32))]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    with tf.Session() as session:
        session.run(total.initializer)
        assert session.run(loop) == 5
        assert session.run(total) == 10.0


def test_contexts_of_loops(graph):
    tf.while_loop(
        lambda i: i < 2,
        lambda i: tf.while_loop(lambda j: j < i, lambda j: j + 1, [i]) + 1,
        [0],
        swap_memory=True,
    )
    (context,) = graph.get_collection(tf.GraphKeys.WHILE_CONTEXT)
    assert context.name == "while/while_context"
    assert context.swap_memory and context.back_prop
    assert [tensor.name for tensor in context.loop_exits] == ["while/Exit:0"]
    assert [inner.name for inner in context.nested_contexts] == ["while/while/while_context"]


def test_tensors_of_loops_stay_inside():
    inside = []
    tf.while_loop(lambda i: i < 3, lambda i: inside.append(i * 2) or i + 1, [0])
    with pytest.raises(ValueError, match="it is in a while loop"):
        inside[0] + 1
    with pytest.raises(ValueError, match="different while loops"):
        tf.while_loop(lambda i: i < 3, lambda i: i + inside[0], [0])


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (ValueError, "'loop_vars' must be provided", (lambda: True, lambda: (), [])),
        (TypeError, "'cond' must be callable", (1, lambda i: i, [1])),
        (TypeError, "'body' must be callable", (lambda i: True, 1, [1])),
        (TypeError, "list or tuple", (lambda i: True, lambda i: i, tf.TensorShape([1]))),
        (ValueError, "same number of elements", (lambda i: True, lambda i: (i, i), [1])),
        (ValueError, "is a sequence", (lambda i: True, lambda i: [[i]], [1])),
        (ValueError, "None values", (lambda i: True, lambda i: None, [1])),
        (TypeError, "bool", (lambda i: i, lambda i: i, [1])),
        (ValueError, "rank 0", (lambda i: tf.constant([True]), lambda i: i, [1])),
    ],
)
def test_while_loop_refuses(error, words, arguments):
    with pytest.raises(error, match=words):
        tf.while_loop(*arguments)


def test_while_loop_refuses_other_options():
    with pytest.raises(TypeError, match="positive integer"):
        tf.while_loop(lambda i: True, lambda i: i, [1], parallel_iterations=0)
    with pytest.raises(ValueError, match="must be a scalar"):
        tf.while_loop(lambda i: True, lambda i: i, [1], maximum_iterations=[1, 2])


def test_a_loop_that_changes_a_dtype_is_refused_in_the_run():
    loop = tf.while_loop(lambda i: i < 3, lambda i: tf.cast(i, tf.float32), [0])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"float32 from while/NextIter.*int32"):
        run(loop)


# --- case and switch_case -------------------------------------------------------------------------


def test_case_takes_the_first_that_holds():
    x = tf.placeholder(tf.int32, [])
    pairs = [(x < 0, lambda: -x), (x < 10, lambda: x * 10)]
    result = tf.case(pairs, default=lambda: x * 100)
    assert [run(result, {x: value}) for value in (-2, 5, 20)] == [2, 50, 2000]
    assert run(tf.case({x < 0: lambda: 1, x > 0: lambda: 2}, lambda: 3), {x: 4}) == 2


def test_case_without_default_must_hold():
    x = tf.placeholder(tf.int32, [])
    result = tf.case([(x < 0, lambda: tf.constant(-1)), (x > 0, lambda: tf.constant(1))])
    assert [run(result, {x: value}) for value in (-3, 3)] == [-1, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="None of conditions evaluated"):
        run(result, {x: 0})


def test_exclusive_case():
    x = tf.placeholder(tf.int32, [])
    result = tf.case([(x < 5, lambda: 1), (x < 9, lambda: 2)], lambda: 3, exclusive=True)
    assert [run(result, {x: value}) for value in (7, 9)] == [2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="more than 1 conditions"):
        run(result, {x: 0})


@pytest.mark.parametrize(
    ("error", "words", "pairs"),
    [
        (TypeError, "list, tuple, or dict", 3),
        (ValueError, "at least one pair", []),
        (TypeError, "2-tuple", [lambda: 1]),
        (TypeError, "pred must be a Tensor", [(True, lambda: 1)]),
    ],
)
def test_case_refuses(error, words, pairs):
    with pytest.raises(error, match=words):
        tf.case(pairs, default=lambda: 1)


def test_case_refuses_other_predicates_and_functions():
    x = tf.constant(1)
    with pytest.raises(TypeError, match="type bool"):
        tf.case([(x, lambda: 1)], default=lambda: 1)
    with pytest.raises(TypeError, match="must be callable"):
        tf.case([(x < 1, 1)], default=lambda: 1)


def test_switch_case():
    index, x = tf.placeholder(tf.int32, []), tf.constant(3.0)
    plain = tf.switch_case(index, [lambda: x, lambda: x * 10.0])
    keyed = tf.switch_case(index, {1: lambda: (x, x), 0: lambda: (-x, x)}, lambda: (x + 1.0, x))
    assert [run(plain, {index: i}) for i in (0, 1, 7, -1)] == [3.0, 30.0, 30.0, 30.0]
    assert [run(keyed[0], {index: i}) for i in (0, 1, 2)] == [-3.0, 3.0, 4.0]
    slope = tf.gradients(plain, x)
    assert [run(slope, {index: i}) for i in (0, 1)] == [[1.0], [10.0]]


def test_switch_case_refuses():
    x = tf.constant(1)
    one = lambda: 1  # noqa: E731
    for error, words, index, branches in (
        (TypeError, "must be a Tensor", 1, [one]),
        (TypeError, "integer Tensor", tf.constant(1.0), [one]),
        (ValueError, "at least one item", x, []),
        (ValueError, "contiguous range", x, {0: one, 3: one}),
        (TypeError, "Python `int`", x, {"a": one}),
        (TypeError, "must be callable", x, {0: 3}),
        (TypeError, "different dtypes", x, [one, lambda: 1.0]),
    ):
        with pytest.raises(error, match=words):
            tf.switch_case(index, branches)


# --- Assert ---------------------------------------------------------------------------------------


def test_assert():
    x = tf.placeholder(tf.float32, [None])
    check = tf.Assert(tf.reduce_all(x > 0.0), ["x is", x], summarize=2)
    with tf.control_dependencies([check]):
        y = tf.identity(x)
    assert run(y, {x: [1.0]}).tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[x is\] \[-1 2\.\.\.\]"):
        run(y, {x: np.float32([-1.0, 2.0, 3.0])})


def test_assert_is_guarded_unless_its_data_are_on_the_host(graph):
    pred = tf.placeholder(tf.bool, [])
    plain = tf.Assert(pred, ["message", tf.constant(1)])
    guarded = tf.Assert(pred, [tf.constant(1.0)])
    assert (plain.type, plain.name) == ("Assert", "Assert/Assert")
    assert (guarded.type, guarded.name) == ("Merge", "Assert_1/AssertGuard/Merge")
    with pytest.raises(TypeError, match="must be a sequence"):
        tf.Assert(pred, tf.constant(1))
