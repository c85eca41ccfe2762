"""tf.test.TestCase: which assertions hold, and what those that do not raise."""

from __future__ import annotations

import collections
import os

import numpy as np

from ..case import Script, case

Point = collections.namedtuple("Point", ["x", "y"])
NAN = float("nan")

# Each is a function of a TestCase and tf; what comes of it is "holds", or the class it raises.
ASSERTIONS = {
    "close": {
        "equal": lambda t, tf: t.assertAllClose([1.0, 2.0], np.array([1.0, 2.0])),
        "near": lambda t, tf: t.assertAllClose(1.0, 1.0 + 1e-7),
        "far": lambda t, tf: t.assertAllClose(1.0, 1.0 + 1e-5),
        "within": lambda t, tf: t.assertAllClose(1.0, 1.1, rtol=0.2),
        "within_absolute": lambda t, tf: t.assertAllClose(0.0, 0.1, atol=0.2, msg="told"),
        "shape": lambda t, tf: t.assertAllClose([1.0], [[1.0]]),
        "broadcast": lambda t, tf: t.assertAllClose(1.0, [1.0, 1.0]),
        "nan": lambda t, tf: t.assertAllClose([NAN], [NAN]),
        "nan_and_number": lambda t, tf: t.assertAllClose([NAN], [1.0]),
        "infinities": lambda t, tf: t.assertAllClose([np.inf], [np.inf]),
        "dicts": lambda t, tf: t.assertAllClose({"a": 1.0, "b": [2.0]}, {"b": [2.0], "a": 1.0}),
        "dict_values": lambda t, tf: t.assertAllClose({"a": 1.0}, {"a": 2.0}),
        "dict_keys": lambda t, tf: t.assertAllClose({"a": 1.0}, {"b": 1.0}),
        "dict_and_list": lambda t, tf: t.assertAllClose({"a": 1.0}, [1.0]),
        "ragged_lists": lambda t, tf: t.assertAllClose([[1.0], [2.0, 3.0]], [[1.0], [2.0, 3.0]]),
        "ragged_differ": lambda t, tf: t.assertAllClose([[1.0], [2.0, 3.0]], [[1.0], [2.0, 4.0]]),
        "lengths": lambda t, tf: t.assertAllClose([1.0, 2.0], [1.0]),
        "namedtuples": lambda t, tf: t.assertAllClose(Point(1.0, [2.0]), Point(1.0, [2.0])),
        "namedtuples_differ": lambda t, tf: t.assertAllClose(Point(1.0, 2.0), Point(1.0, 3.0)),
        "nested": lambda t, tf: t.assertAllClose(
            [{"a": (1.0, [2.0, 3.0])}], [{"a": (1.0, [2.0, 3.0])}]
        ),
        "tensors": lambda t, tf: t.assertAllClose(tf.constant([1.0]), [1.0]),
        "integers": lambda t, tf: t.assertAllClose([1, 2], [1, 2]),
        "by_type": lambda t, tf: t.assertAllCloseAccordingToType(
            np.float32([1.0]), np.float32([1.0 + 5e-7])
        ),
        "by_type_half": lambda t, tf: t.assertAllCloseAccordingToType(
            np.float16([1.0]), np.float16([1.001])
        ),
        "by_type_half_far": lambda t, tf: t.assertAllCloseAccordingToType(
            np.float16([1.0]), np.float16([1.01])
        ),
        "by_type_double": lambda t, tf: t.assertAllCloseAccordingToType([1.0], [1.0 + 5e-6]),
        "not_close": lambda t, tf: t.assertNotAllClose([1.0], [2.0]),
        "not_close_but_is": lambda t, tf: t.assertNotAllClose([1.0], [1.0], msg="told"),
        "not_close_wide": lambda t, tf: t.assertNotAllClose([1.0], [1.1], rtol=1.0),
    },
    "equal": {
        "lists": lambda t, tf: t.assertAllEqual([1, 2], np.array([1, 2])),
        "values": lambda t, tf: t.assertAllEqual([1, 2], [1, 3]),
        "shapes": lambda t, tf: t.assertAllEqual([1, 1], [[1, 1]]),
        "broadcast": lambda t, tf: t.assertAllEqual([1, 1], 1),
        "nan": lambda t, tf: t.assertAllEqual([NAN, 1.0], [NAN, 1.0]),
        "nan_of_halves": lambda t, tf: t.assertAllEqual(np.float16([NAN]), np.float16([NAN])),
        "types": lambda t, tf: t.assertAllEqual(np.int32([1]), np.float64([1])),
        "bytes": lambda t, tf: t.assertAllEqual([b"a", b"bc"], [b"a", b"bc"]),
        "bytes_differ": lambda t, tf: t.assertAllEqual([b"a"], [b"b"]),
        "bytes_and_text": lambda t, tf: t.assertAllEqual([b"a"], ["a"]),
        "text": lambda t, tf: t.assertAllEqual("a", "a"),
        "text_tensor": lambda t, tf: t.assertAllEqual([b"a"], tf.constant(["a"])),
        "tensor": lambda t, tf: t.assertAllEqual(tf.constant([1, 2]), [1, 2]),
        "empty": lambda t, tf: t.assertAllEqual([], np.zeros([0])),
        "bools": lambda t, tf: t.assertAllEqual([True], np.array([True])),
        "not": lambda t, tf: t.assertNotAllEqual([1], [2]),
        "not_but_is": lambda t, tf: t.assertNotAllEqual([1], [1]),
        "not_partly": lambda t, tf: t.assertNotAllEqual([1, 2], [1, 3]),
    },
    "bounds": {
        "greater": lambda t, tf: t.assertAllGreater([1, 2], 0),
        "greater_not": lambda t, tf: t.assertAllGreater([1, 2], 1),
        "greater_equal": lambda t, tf: t.assertAllGreaterEqual([1, 2], 1),
        "greater_equal_not": lambda t, tf: t.assertAllGreaterEqual([1, 2], 1.5),
        "less": lambda t, tf: t.assertAllLess([[1], [2]], 3),
        "less_not": lambda t, tf: t.assertAllLess([1, 2], 2),
        "less_equal": lambda t, tf: t.assertAllLessEqual([1, 2], 2),
        "less_equal_not": lambda t, tf: t.assertAllLessEqual([1, 2], 1),
        "range": lambda t, tf: t.assertAllInRange([1.0, 2.0], 1.0, 2.0),
        "range_open_low": lambda t, tf: t.assertAllInRange([1.0], 1.0, 2.0, open_lower_bound=True),
        "range_open_high": lambda t, tf: t.assertAllInRange([2.0], 1.0, 2.0, open_upper_bound=True),
        "range_below": lambda t, tf: t.assertAllInRange([0.0], 1.0, 2.0),
        "range_above": lambda t, tf: t.assertAllInRange([3.0], 1.0, 2.0),
        "range_nan": lambda t, tf: t.assertAllInRange([NAN], 1.0, 2.0),
        "range_text": lambda t, tf: t.assertAllInRange(["a"], 1.0, 2.0),
        "range_integers": lambda t, tf: t.assertAllInRange([1, 2], 1, 2),
        "range_tensor": lambda t, tf: t.assertAllInRange(tf.constant([1, 2]), 1, 2),
        "set": lambda t, tf: t.assertAllInSet([1, 2, 1], {1, 2, 3}),
        "set_not": lambda t, tf: t.assertAllInSet([1, 4], {1, 2, 3}),
        "set_text": lambda t, tf: t.assertAllInSet([b"a"], {b"a"}),
        "set_nan": lambda t, tf: t.assertAllInSet([NAN], [1.0]),
        "between": lambda t, tf: t.assertBetween(2, 1, 3),
        "between_not": lambda t, tf: t.assertBetween(4, 1, 3),
    },
    "arrays": {
        "near": lambda t, tf: t.assertNear(1.0, 1.05, 0.1),
        "near_not": lambda t, tf: t.assertNear(1.0, 1.5, 0.1, msg="told"),
        "near_infinite": lambda t, tf: t.assertNear(np.inf, np.inf, 0.1),
        "array": lambda t, tf: t.assertArrayNear([1.0, 2.0], [1.05, 2.0], 0.1),
        "array_not": lambda t, tf: t.assertArrayNear([1.0, 2.0], [1.0, 2.5], 0.1),
        "array_lengths": lambda t, tf: t.assertArrayNear([1.0], [1.0, 2.0], 0.1),
        "ndarray": lambda t, tf: t.assertNDArrayNear(np.ones(2), np.ones(2) * 1.01, 0.1),
        "ndarray_not": lambda t, tf: t.assertNDArrayNear(np.ones(2), np.ones(2) * 1.1, 0.1),
        "dtype": lambda t, tf: t.assertDTypeEqual(np.float32([1.0]), np.float32),
        "dtype_not": lambda t, tf: t.assertDTypeEqual(np.float32([1.0]), np.float64),
        "dtype_of_tensor": lambda t, tf: t.assertDTypeEqual(tf.constant(1), np.int32),
        "dtype_list": lambda t, tf: t.assertDTypeEqual([np.int32(1), np.int32(2)], np.int32),
        "shape": lambda t, tf: t.assertShapeEqual(np.zeros([2, 3]), tf.zeros([2, 3])),
        "shape_not": lambda t, tf: t.assertShapeEqual(np.zeros([2, 3]), tf.zeros([3, 2])),
        "shape_of_list": lambda t, tf: t.assertShapeEqual([1, 2], tf.zeros([2])),
        "device": lambda t, tf: t.assertDeviceEqual("/job:ps/cpu:0", "/job:ps/device:CPU:0"),
        "device_not": lambda t, tf: t.assertDeviceEqual("/cpu:0", "/cpu:1"),
        "device_none": lambda t, tf: t.assertDeviceEqual(None, ""),
    },
    "containers": {
        "empty": lambda t, tf: t.assertEmpty([]),
        "empty_not": lambda t, tf: t.assertEmpty([1]),
        "empty_number": lambda t, tf: t.assertEmpty(1),
        "not_empty": lambda t, tf: t.assertNotEmpty("a"),
        "not_empty_but_is": lambda t, tf: t.assertNotEmpty(()),
        "len": lambda t, tf: t.assertLen([1, 2], 2),
        "len_not": lambda t, tf: t.assertLen([1, 2], 3),
        "len_number": lambda t, tf: t.assertLen(1, 3),
        "items": lambda t, tf: t.assertItemsEqual([1, 2, 2], [2, 1, 2]),
        "items_not": lambda t, tf: t.assertItemsEqual([1, 2, 2], [2, 1, 1]),
        "count": lambda t, tf: t.assertCountEqual([1, 2], [2, 1]),
        "same": lambda t, tf: t.assertSameElements([1, 2, 2], [2, 1]),
        "same_not": lambda t, tf: t.assertSameElements([1], [2, 1]),
        "subset": lambda t, tf: t.assertContainsSubset([1], [2, 1]),
        "subset_not": lambda t, tf: t.assertContainsSubset([3], [2, 1]),
        "none_shared": lambda t, tf: t.assertNoCommonElements([3], [2, 1]),
        "some_shared": lambda t, tf: t.assertNoCommonElements([1], [2, 1]),
        "almost": lambda t, tf: t.assertSequenceAlmostEqual([1.0], [1.0 + 1e-9]),
        "almost_not": lambda t, tf: t.assertSequenceAlmostEqual([1.0], [1.1], places=3),
        "almost_delta": lambda t, tf: t.assertSequenceAlmostEqual([1.0], [1.1], delta=0.2),
        "almost_lengths": lambda t, tf: t.assertSequenceAlmostEqual([1.0], [1.0, 1.0]),
        "dicts_almost": lambda t, tf: t.assertDictAlmostEqual({"a": 1.0}, {"a": 1.0 + 1e-9}),
        "dicts_almost_not": lambda t, tf: t.assertDictAlmostEqual({"a": 1.0}, {"a": 1.1}),
        "dicts_almost_keys": lambda t, tf: t.assertDictAlmostEqual({"a": 1.0}, {"b": 1.0}),
        "dicts": lambda t, tf: t.assertDictEqual({"a": 1}, {"a": 1}),
        "dicts_not": lambda t, tf: t.assertDictEqual({"a": 1}, {"a": 2}),
        "structure": lambda t, tf: t.assertSameStructure({"a": [1, 2]}, {"a": [1, 2]}),
        "structure_not": lambda t, tf: t.assertSameStructure({"a": [1, 2]}, {"a": [1, 3]}),
        "ordered": lambda t, tf: t.assertTotallyOrdered([1], [2, 2], [3]),
        "ordered_not": lambda t, tf: t.assertTotallyOrdered([2], [1]),
        "prefix": lambda t, tf: t.assertSequenceStartsWith([1, 2], [1, 2, 3]),
        "prefix_not": lambda t, tf: t.assertSequenceStartsWith([2], [1, 2, 3]),
    },
    "texts": {
        "starts": lambda t, tf: t.assertStartsWith("abc", "ab"),
        "starts_not": lambda t, tf: t.assertStartsWith("abc", "b"),
        "not_starts": lambda t, tf: t.assertNotStartsWith("abc", "b"),
        "not_starts_but_does": lambda t, tf: t.assertNotStartsWith("abc", "a"),
        "ends": lambda t, tf: t.assertEndsWith("abc", "bc"),
        "ends_not": lambda t, tf: t.assertEndsWith("abc", "b"),
        "not_ends": lambda t, tf: t.assertNotEndsWith("abc", "b"),
        "regex": lambda t, tf: t.assertRegex("abc", "b."),
        "regex_not": lambda t, tf: t.assertRegex("abc", "^b"),
        "regexes": lambda t, tf: t.assertRegexMatch("abc", ["x", "b"]),
        "regexes_not": lambda t, tf: t.assertRegexMatch("abc", ["x", "y"]),
        "in_order": lambda t, tf: t.assertContainsInOrder(["a", "c"], "abc"),
        "in_order_not": lambda t, tf: t.assertContainsInOrder(["c", "a"], "abc"),
        "subsequence": lambda t, tf: t.assertContainsSubsequence([1, 2, 3], [1, 3]),
        "subsequence_not": lambda t, tf: t.assertContainsSubsequence([1, 2, 3], [3, 1]),
        "exact_subsequence": lambda t, tf: t.assertContainsExactSubsequence([1, 2, 3], [2, 3]),
        "exact_subsequence_not": lambda t, tf: t.assertContainsExactSubsequence([1, 2, 3], [1, 3]),
        "lines": lambda t, tf: t.assertMultiLineEqual("a\nb", "a\nb"),
        "lines_not": lambda t, tf: t.assertMultiLineEqual("a\nb", "a\nc"),
        "urls": lambda t, tf: t.assertUrlEqual("http://a/?b=1&c=2", "http://a/?c=2&b=1"),
        "urls_not": lambda t, tf: t.assertUrlEqual("http://a/?b=1", "http://a/?b=2"),
        "json": lambda t, tf: t.assertJsonEqual('{"a": 1, "b": 2}', '{"b": 2, "a": 1}'),
        "json_not": lambda t, tf: t.assertJsonEqual('{"a": 1}', '{"a": 2}'),
        "command": lambda t, tf: t.assertCommandSucceeds(["true"]),
        "command_fails": lambda t, tf: t.assertCommandSucceeds(["false"]),
        "failing_command": lambda t, tf: t.assertCommandFails(["false"], [b""]),
        "failing_command_succeeds": lambda t, tf: t.assertCommandFails(["true"], [b""]),
    },
}


def _outcome(assertion, test, tf):
    try:
        assertion(test, tf)
    except Exception as error:
        return type(error).__name__
    return "holds"


def _assertions_of(group):
    def program(tf):
        test = tf.test.TestCase()

        def body(session):
            return {name: _outcome(one, test, tf) for name, one in ASSERTIONS[group].items()}

        return Script(body)

    return program


for _group in ASSERTIONS:
    case(f"assertions_{_group}")(_assertions_of(_group))


def _raise(error):
    raise error


def _within(manager, body):
    with manager:
        body()


ERRORS = {
    "op_error": lambda t, tf: _within(
        t.assertRaisesOpError("bad"),
        lambda: _raise(tf.errors.InvalidArgumentError(None, None, "bad")),
    ),
    "op_error_of_other_text": lambda t, tf: _within(
        t.assertRaisesOpError("good"),
        lambda: _raise(tf.errors.InvalidArgumentError(None, None, "bad")),
    ),
    "op_error_missing": lambda t, tf: _within(t.assertRaisesOpError("bad"), lambda: None),
    "op_error_of_other_class": lambda t, tf: _within(
        t.assertRaisesOpError("bad"), lambda: _raise(KeyError("bad"))
    ),
    "op_error_names_op": lambda t, tf: _within(
        t.assertRaisesOpError("named"),
        lambda: _raise(
            tf.errors.InvalidArgumentError(None, tf.constant(1, name="named").op, "bad")
        ),
    ),
    "predicate": lambda t, tf: _within(
        t.assertRaisesWithPredicateMatch(ValueError, lambda e: e.args == (1,)),
        lambda: _raise(ValueError(1)),
    ),
    "predicate_not": lambda t, tf: _within(
        t.assertRaisesWithPredicateMatch(ValueError, lambda e: e.args == (2,)),
        lambda: _raise(ValueError(1)),
    ),
    "predicate_text": lambda t, tf: _within(
        t.assertRaisesWithPredicateMatch(ValueError, "b.d"), lambda: _raise(ValueError("a bad"))
    ),
    "literal": lambda t, tf: _within(
        t.assertRaisesWithLiteralMatch(ValueError, "bad"), lambda: _raise(ValueError("bad"))
    ),
    "literal_not": lambda t, tf: _within(
        t.assertRaisesWithLiteralMatch(ValueError, "ba"), lambda: _raise(ValueError("bad"))
    ),
    "shapes": lambda t, tf: _within(
        t.assertRaisesIncompatibleShapesError(),
        lambda: _raise(tf.errors.InvalidArgumentError(None, None, "Incompatible shapes: [1]")),
    ),
    "shapes_not": lambda t, tf: _within(
        t.assertRaisesIncompatibleShapesError(),
        lambda: _raise(tf.errors.InvalidArgumentError(None, None, "else")),
    ),
    "regex": lambda t, tf: _within(
        t.assertRaisesRegex(ValueError, "b.d"), lambda: _raise(ValueError("bad"))
    ),
    "proto": lambda t, tf: t.assertProtoEquals("node { name: 'a' op: 'B' }", _graph_def(tf)),
    "proto_message": lambda t, tf: t.assertProtoEquals(_graph_def(tf), _graph_def(tf)),
    "proto_text": lambda t, tf: t.assertProtoEquals("node {", _graph_def(tf)),
    "proto_other_class": lambda t, tf: t.assertProtoEquals(_graph_def(tf), tf.NodeDef()),
    "graph_defs": lambda t, tf: tf.test.assert_equal_graph_def(_graph_def(tf), _graph_def(tf)),
    "graph_defs_not": lambda t, tf: tf.test.assert_equal_graph_def(
        _graph_def(tf), _graph_def(tf, "c")
    ),
    "graph_defs_order": lambda t, tf: tf.test.assert_equal_graph_def(
        _graph_def(tf, "a", "b"), _graph_def(tf, "b", "a")
    ),
    "graph_defs_of_other_class": lambda t, tf: tf.test.assert_equal_graph_def(
        _graph_def(tf), tf.NodeDef()
    ),
    "graph_defs_more": lambda t, tf: tf.test.assert_equal_graph_def(
        _graph_def(tf, "a", "b"), _graph_def(tf, "a")
    ),
}


def _graph_def(tf, *names):
    message = tf.GraphDef()
    for name in names or ("a",):
        message.node.add(name=name, op="B")
    return message


@case
def assertions_of_errors_and_messages(tf):
    test = tf.test.TestCase()
    return Script(lambda session: {name: _outcome(one, test, tf) for name, one in ERRORS.items()})


def _run_tests(tf, body):
    """Runs `body` as the one test of a class; returns how many errors and failures there were."""

    class OneTest(tf.test.TestCase):
        def test_it(self):
            body(self)

    result = OneTest("test_it").run()
    return [len(result.errors), len(result.failures), len(result.skipped)]


@case
def sessions(tf):
    seen = {}

    def body(test):
        with test.session() as first:
            seen["default"] = tf.get_default_session() is first
            seen["graph"] = first.graph is tf.get_default_graph()
            seen["value"] = first.run(tf.constant(3))
            seen["eval"] = tf.constant(4).eval()
        with test.session(graph=tf.Graph()) as second:
            seen["other_graph"] = second.graph is tf.get_default_graph()
            seen["device"] = tf.constant(1).device
        with test.session(use_gpu=False):
            seen["cpu_device"] = tf.constant(1).device
        with test.cached_session() as one:
            seen["cached_value"] = test.evaluate(tf.constant(5))
        with test.cached_session() as other:
            seen["cached"] = one is other
        with test.test_session() as again:
            seen["test_session"] = again is one
        with test.cached_session():
            seen["evaluated"] = test.evaluate({"a": tf.constant(6), "b": [tf.constant(b"x")]})
            seen["array"] = test.evaluate(tf.constant([7]))
        seen["seed"] = tf.get_default_graph().seed

    def script(session):
        counts = _run_tests(tf, body)
        return {"counts": counts, **seen}

    return Script(script)


@case
def seeds_are_set_for_each_test(tf):
    drawn = []

    def body(test):
        with test.session():
            drawn.append(tf.random_uniform([2]).eval())
            drawn.append(np.random.rand(2))

    def script(session):
        counts = [_run_tests(tf, body), _run_tests(tf, body)]
        return {"counts": counts, "drawn": drawn}

    return Script(script)


@case
def graphs_are_reset_for_each_test(tf):
    sizes = []

    def body(test):
        tf.constant(1)
        sizes.append(len(tf.get_default_graph().get_operations()))

    return Script(lambda session: {"counts": [_run_tests(tf, body) for _ in "ab"], "sizes": sizes})


@case
def inconsistent_cached_sessions(tf):
    def body(test):
        with test.cached_session():
            pass
        with test.cached_session(graph=tf.Graph()):
            pass

    return Script(lambda session: _run_tests(tf, body))


@case
def threads(tf):
    def fail(test):
        test.assertEqual(1, 2)

    def failing(test):
        thread = test.checkedThread(target=fail, args=(test,))
        thread.start()
        thread.join()

    def passing(test):
        thread = test.checkedThread(target=lambda: None)
        thread.start()
        thread.join()

    def forgotten(test):
        thread = test.checkedThread(target=lambda: None)
        thread.start()

    bodies = (failing, passing, forgotten)
    return Script(lambda session: [_run_tests(tf, body) for body in bodies])


@case
def failing_and_skipped_tests(tf):
    def skipping(test):
        test.skipTest("no reason")

    def failing(test):
        test.assertAllClose([1.0], [2.0])

    def erring(test):
        raise ValueError("bad")

    def disabled(test):
        tf.test.disable_with_predicate(lambda: True, "never")(lambda self: self.fail())(test)

    bodies = (skipping, failing, erring, disabled)
    return Script(lambda session: [_run_tests(tf, body) for body in bodies])


@case
def temporary_folders(tf):
    seen = {}

    def body(test):
        folder = test.get_temp_dir()
        seen["is_folder"] = os.path.isdir(folder)
        seen["same"] = folder == test.get_temp_dir()
        seen["inside"] = os.path.dirname(folder) == tf.test.get_temp_dir()

    return Script(lambda session: {"counts": _run_tests(tf, body), **seen})


@case
def numeric_gradients(tf):
    x = tf.placeholder_with_default([[1.0, 2.0]], [1, 2])
    weights = tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    y = tf.matmul(x, weights) ** 2.0
    values = tf.constant([1.0 + 2.0j, 3.0 - 1.0j], tf.complex64)
    spun = values * (2.0 + 1.0j)

    def body(session):
        compute, error = tf.test.compute_gradient, tf.test.compute_gradient_error
        start = np.float32([[0.5, -1.0]])
        theory, number = compute(x, [1, 2], y, [1, 3], x_init_value=start, delta=0.25)
        both = compute([x, weights], [[1, 2], [2, 3]], y, [1, 3], [start, np.ones([2, 3], "f4")])
        return {
            "theory": theory,
            "number": number,
            "both": [pair[0] for pair in both],
            "small": error(x, [1, 2], y, [1, 3], x_init_value=start, delta=0.25) < 1e-3,
            "of_several": error([x], [[1, 2]], y, [1, 3], [start], delta=0.25) < 1e-3,
            "complex": compute(values, [2], spun, [2], np.complex64([1.0, 2.0j]))[0],
        }

    return Script(body)


@case
def facts_of_the_build(tf):
    return [
        tf.test.is_built_with_cuda(),
        tf.test.is_gpu_available(),
        tf.test.gpu_device_name(),
        tf.test.benchmark_config().DESCRIPTOR.name,
        hasattr(tf.test.mock, "patch"),
        tf.test.is_built_with_rocm(),
    ]


@case
def stubs(tf):
    class Holder:
        value = 1

    def body(session):
        stubs = tf.test.StubOutForTesting()
        stubs.Set(Holder, "value", 2)
        changed = Holder.value
        stubs.UnsetAll()
        restored = Holder.value
        stubs.SmartSet(Holder, "value", 3)
        stubs.CleanUp()
        return [changed, restored, Holder.value]

    return Script(body)
