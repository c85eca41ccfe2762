"""Session: fetches, feeds, callables and defaults, with outcomes recorded from TensorFlow 2.21."""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict, namedtuple
from typing import Any

import attr
import numpy as np
import pytest

import featherflow.compat.v1 as tf
from featherflow.framework.errors import InaccessibleTensorError, InvalidArgumentError
from featherflow.runtime.fetches import register_session_run_conversion_functions

Pair = namedtuple("Pair", ["left", "right"])


@attr.s
class Record:
    left = attr.ib()
    right = attr.ib()


class Model:
    """A graph with an element of each kind, and a session."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = tf.placeholder(tf.float32, [None], name="x")
            self.y = tf.add(self.x, 1.0, name="y")
            self.z = tf.multiply(self.y, 2.0, name="z")
            self.c = tf.constant([1, 2], name="c")
            self.nothing = tf.no_op(name="nothing")
            self.ref = tf.Variable(3.0, name="ref", use_resource=False)
            self.resource = tf.Variable([4.0], name="resource", use_resource=True)
            self.hidden = tf.constant(5.0, name="hidden")
            self.fixed = tf.constant(6.0, name="fixed")
            self.scalars = {
                dtype: tf.identity(tf.placeholder(dtype, [], name=dtype.name))
                for dtype in (tf.int32, tf.int64, tf.uint8, tf.bool, tf.string, tf.float16)
            }
            initializer = tf.global_variables_initializer()
        self.graph.prevent_fetching(self.hidden.op)
        self.graph.prevent_feeding(self.fixed)
        self.session = tf.Session(graph=self.graph)
        self.session.run(initializer)

    def feed(self, dtype: Any, value: Any) -> Any:
        """What a scalar placeholder makes of a value."""
        tensor = self.scalars[dtype]
        return self.session.run(tensor, {tensor.op.inputs[0]: value})


@pytest.fixture(scope="module")
def model() -> Model:
    return Model()


def plain(value: Any) -> Any:
    """Arrays as lists, inside structures that stay as they are."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, defaultdict):
        return defaultdict(value.default_factory, {k: plain(v) for k, v in value.items()})
    if isinstance(value, dict):
        return type(value)((key, plain(item)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*map(plain, value))
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    if isinstance(value, Record):
        return Record(plain(value.left), plain(value.right))
    return value


# --- fetches --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fetch", "expected"),
    [
        (lambda m: m.c, [1, 2]),
        (lambda m: m.nothing, None),
        (lambda m: [m.nothing, m.c, m.c], [None, [1, 2], [1, 2]]),
        (lambda m: (m.c, [m.c]), ([1, 2], [[1, 2]])),
        (lambda m: {"a": m.c, "b": {"c": m.nothing}}, {"a": [1, 2], "b": {"c": None}}),
        (lambda m: OrderedDict(b=m.c, a=m.nothing), OrderedDict(b=[1, 2], a=None)),
        (lambda m: defaultdict(list, a=m.c), defaultdict(list, a=[1, 2])),
        (lambda m: Pair(m.c, [m.nothing]), Pair([1, 2], [None])),
        (lambda m: Record(m.c, {"k": m.c}), Record([1, 2], {"k": [1, 2]})),
        (lambda m: "c:0", [1, 2]),
        (lambda m: b"c:0", [1, 2]),
        (lambda m: "c", None),
        (lambda m: ["c:0", "nothing"], [[1, 2], None]),
        (lambda m: [], []),
        (lambda m: {}, {}),
        (lambda m: (), ()),
        (lambda m: m.ref, 3.0),
        (lambda m: m.resource, [4.0]),
        (lambda m: "ref:0", 3.0),
        (lambda m: m.resource.op, None),
    ],
)
def test_fetch_forms(model: Model, fetch: Any, expected: Any) -> None:
    value = plain(model.session.run(fetch(model)))
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("fetch", "error", "message"),
    [
        (lambda m: None, TypeError, 'Argument `fetch` = None has invalid type "NoneType"'),
        (lambda m: [m.c, None], TypeError, 'Argument `fetch` = None has invalid type "NoneType"'),
        (lambda m: 1, TypeError, 'Argument `fetch` = 1 has invalid type "int" must be a string or'),
        (lambda m: {m.c}, TypeError, 'has invalid type "set" must be a string or Tensor'),
        (lambda m: np.ones(1), TypeError, 'has invalid type "ndarray"'),
        (lambda m: "lost:0", ValueError, "Argument `fetch` = lost:0 cannot be interpreted as a Te"),
        (lambda m: "c:1", ValueError, "Argument `fetch` = c:1 cannot be interpreted as a Tensor."),
        (lambda m: "lost", ValueError, "Argument `fetch` = lost cannot be interpreted as a Tensor"),
        (lambda m: m.hidden, InaccessibleTensorError, "Operation hidden has been marked as not"),
        (lambda m: [m.hidden.op], InaccessibleTensorError, "Operation hidden has been marked as"),
    ],
)
def test_fetches_that_are_refused(model: Model, fetch: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        model.session.run(fetch(model))
    assert message in str(caught.value)


def test_elements_of_other_graphs(model: Model) -> None:
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="is not an element of this graph"):
        model.session.run(other)
    with pytest.raises(TypeError, match="is not an element of this graph"):
        model.session.run(model.z, {other: 1.0, model.x: [1.0]})


def test_indexed_slices() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        values, indices = tf.placeholder(tf.float32, [2, 1]), tf.constant([3, 1])
        slices = tf.IndexedSlices(values, indices, tf.constant([5, 1]))
        short = tf.IndexedSlices(values, indices)
        fed = {values: [[1.0], [2.0]]}
        full = sess.run(slices, fed)
        assert type(full) is tf.IndexedSlicesValue
        assert plain(full) == tf.IndexedSlicesValue([[1.0], [2.0]], [3, 1], [5, 1])
        assert sess.run(short, fed).dense_shape is None
        assert plain(sess.run(values * 2.0, {short: ([[3.0], [4.0]], [0, 1])})) == [[6.0], [8.0]]


def test_sparse_tensors() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.sparse_placeholder(tf.float32, [2, 2])
        made = tf.SparseTensor([[0, 1]], sparse.values * 2.0, [2, 2])
        for value in (
            tf.SparseTensorValue([[0, 1]], [3.0], [2, 2]),
            (np.array([[0, 1]]), np.array([3.0]), [2, 2]),
        ):
            found = sess.run({"made": made, "fed": sparse}, {sparse: value})
            assert type(found["made"]) is tf.SparseTensorValue
            assert plain(found["made"]) == tf.SparseTensorValue([[0, 1]], [6.0], [2, 2])
            assert plain(found["fed"]) == tf.SparseTensorValue([[0, 1]], [3.0], [2, 2])
        handle = sess.partial_run_setup(made, [sparse])
        assert sess.partial_run(handle, made, {sparse: value}).values.tolist() == [6.0]


def test_types_of_the_user() -> None:
    class Both:
        def __init__(self, first: Any, second: Any) -> None:
            self.parts = [first, second]

    with tf.Graph().as_default(), tf.Session() as sess:
        both = Both(tf.placeholder_with_default(1, []), tf.placeholder_with_default(2, []))
        with pytest.raises(TypeError, match='has invalid type "Both"'):
            sess.run(both)
        register_session_run_conversion_functions(
            Both,
            lambda item: (item.parts, lambda values: tuple(values)),
            lambda item, value: list(zip(item.parts, value)),
        )
        assert sess.run([both], {both: (5, 6)}) == [(5, 6)]
        with pytest.raises(ValueError, match="is registered already"):
            register_session_run_conversion_functions(Both, lambda item: (item.parts, tuple))


def test_rank_0_leaves_as_numpy_scalars(model: Model) -> None:
    assert type(model.session.run(model.ref)) is np.float32
    assert type(model.feed(tf.string, "a")) is bytes
    assert type(model.feed(tf.bool, True)) is np.bool_


# --- feeds ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("feed", "expected"),
    [
        (lambda m: {m.x: [1.0, 2.0]}, [4.0, 6.0]),
        (lambda m: {"x:0": [1.0]}, [4.0]),
        (lambda m: {m.x: [1.0], "x:0": [2.0]}, [6.0]),
        (lambda m: {m.y: [1.0]}, [2.0]),
        (lambda m: {m.x: np.array([1, 2])}, [4.0, 6.0]),
        (lambda m: {m.x: np.array([1.5])}, [5.0]),
        (lambda m: {m.x: np.arange(4, dtype=np.float32)[::2]}, [2.0, 6.0]),
        (lambda m: {m.x: np.array([1.0], ">f4")}, [4.0]),
        (lambda m: {m.x: np.float32(range(2))}, [2.0, 4.0]),
        (lambda m: {m.x: [True]}, [4.0]),
        (lambda m: {m.x: ()}, []),
        (lambda m: {m.z: [9.0]}, [9.0]),
        (lambda m: {(m.x, m.fixed.op.name and m.c): ([1.0], [3, 4])}, [4.0]),
    ],
)
def test_feed_forms(model: Model, feed: Any, expected: Any) -> None:
    assert plain(model.session.run(model.z, feed(model))) == expected


@pytest.mark.parametrize(
    ("feed", "error", "message"),
    [
        (lambda m: {m.x: 1.0}, ValueError, "Cannot feed value of shape () for Tensor x:0, which"),
        (lambda m: {m.x: [[1.0]]}, ValueError, "Cannot feed value of shape (1, 1) for Tensor x:0"),
        (lambda m: {m.x: "a"}, ValueError, "could not convert string to float"),
        (lambda m: {m.x: [1.0, [2.0]]}, ValueError, "inhomogeneous shape"),
        (lambda m: {m.x: {}}, TypeError, "must be a string or a real number"),
        (lambda m: {m.x: m.c}, TypeError, "The value of a feed cannot be a tf.Tensor object"),
        (lambda m: [(m.x, 1)], TypeError, "feed_dict must be a dictionary"),
        (lambda m: {"y": 1}, TypeError, "Cannot interpret feed_dict key as Tensor"),
        (lambda m: {m.y.op: 1}, TypeError, "Can not convert a Operation into a Tensor"),
        (lambda m: {1: 2}, TypeError, "Can not convert a int into a Tensor"),
        (lambda m: {None: 2}, TypeError, "Can not convert a NoneType into a Tensor"),
        (lambda m: {"lost:0": 1}, TypeError, "Cannot interpret feed_dict key as Tensor"),
        (lambda m: {m.fixed: 1.0}, ValueError, "Tensor fixed:0 may not be fed."),
        (lambda m: {(m.x, m.c): [1]}, ValueError, "has 2 parts, its value 1"),
    ],
)
def test_feeds_that_are_refused(model: Model, feed: Any, error: Any, message: str) -> None:
    with pytest.raises(error) as caught:
        model.session.run(model.z, feed(model))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "value", "expected"),
    [
        (tf.int32, 1.5, 1),
        (tf.int32, np.int64(3), 3),
        (tf.int32, True, 1),
        (tf.int64, 2**40, 2**40),
        (tf.uint8, 200, 200),
        (tf.bool, 2.5, True),
        (tf.bool, "x", True),
        (tf.string, "é", "é".encode()),
        (tf.string, b"a\0", b"a\0"),
        (tf.string, np.array("a"), b"a"),
        (tf.string, np.array("a", object), b"a"),
        (tf.float16, 1e6, np.inf),
    ],
)
def test_scalars_are_converted(model: Model, dtype: Any, value: Any, expected: Any) -> None:
    assert model.feed(dtype, value) == expected


@pytest.mark.parametrize(
    ("dtype", "value", "error"),
    [
        (tf.int32, 2**40, TypeError),
        (tf.uint8, 256, TypeError),
        (tf.uint8, -1, TypeError),
        (tf.int32, [2**40], ValueError),
        (tf.string, 1, TypeError),
        (tf.string, None, TypeError),
    ],
)
def test_scalars_that_do_not_fit(model: Model, dtype: Any, value: Any, error: Any) -> None:
    with pytest.raises(error):
        model.feed(dtype, value)


def test_what_is_not_fed_is_named(model: Model) -> None:
    with pytest.raises(InvalidArgumentError, match="must feed a value for placeholder tensor 'x'"):
        model.session.run(model.z)


def test_fed_tensors_can_be_fetched(model: Model) -> None:
    assert plain(model.session.run([model.x, model.y], {model.x: [1.0]})) == [[1.0], [2.0]]


def test_variables_can_be_fed(model: Model) -> None:
    with model.graph.as_default():
        doubled = model.ref * 2.0, model.resource * 2.0
    fetches = [*doubled, model.resource]
    values = model.session.run(fetches, {model.ref: 10.0, model.resource: [20.0]})
    # A resource variable's own read is fed; other reads are other tensors.
    assert plain(values) == [20.0, [8.0], [20.0]]
    assert model.session.run(model.ref) == 3.0


# --- callables ------------------------------------------------------------------------------------


def test_callables(model: Model) -> None:
    make = model.session.make_callable
    assert plain(make(model.z, [model.x])([1.0])) == [4.0]
    assert plain(make({"a": "z:0", "b": model.nothing}, ["x:0"])([1.0])) == {"a": [4.0], "b": None}
    assert make(model.nothing)() is None
    metadata = tf.RunMetadata()
    with_options = make(model.z, (model.x,), accept_options=True)
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    assert plain(with_options([2.0], options=options, run_metadata=metadata)) == [6.0]
    assert metadata.step_stats.dev_stats
    with pytest.raises(TypeError, match="must be a list or tuple"):
        make(model.z, model.x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected 1 values"):
        make(model.z, [model.x])()


def test_callables_of_messages(model: Model) -> None:
    from featherflow.protos import config_pb2

    options = config_pb2.CallableOptions(feed=["x:0"], fetch=["z:0", "y:0"], target=["nothing"])
    run = model.session._make_callable_from_options(options)
    assert plain(run([1.0])) == [[4.0], [2.0]]


def test_callables_end_with_the_session() -> None:
    with tf.Graph().as_default():
        sess = tf.Session()
        run = sess.make_callable(tf.constant(1))
        sess.close()
        with pytest.raises(RuntimeError, match="closed Session"):
            run()
        with pytest.raises(RuntimeError, match="closed Session"):
            sess.make_callable(tf.constant(1))


# --- the session itself ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": 5}, "`target` must be a string"),
        ({"graph": 5}, "`graph` must be a tf.Graph"),
        ({"config": 5}, "`config` must be a tf.ConfigProto"),
    ],
)
def test_arguments_of_other_types(arguments: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        tf.Session(**arguments)


def test_a_target_that_nobody_serves() -> None:
    with pytest.raises(tf.errors.NotFoundError, match=r'\{target: "nowhere://"\}.*direct refused'):
        tf.Session("nowhere://")


def test_small_facts(model: Model) -> None:
    assert model.session.sess_str == b""
    assert model.session.graph is model.graph
    assert {node.name for node in model.session.graph_def.node} >= {"x", "y", "z"}
    assert tf.Session.reset("") is None


def test_an_empty_graph_cannot_be_run() -> None:
    with tf.Session(graph=tf.Graph()) as sess, pytest.raises(RuntimeError, match="graph is empty"):
        sess.run([])


def test_closing() -> None:
    with tf.Graph().as_default():
        one = tf.constant(1)
        with tf.Session() as sess:
            assert sess.run(one) == 1
        sess.close()
        with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
            sess.run(one)


def test_defaults() -> None:
    assert tf.get_default_session() is None
    graph = tf.Graph()
    with tf.Session(graph=graph) as outer:
        assert tf.get_default_session() is outer
        assert tf.get_default_graph() is graph
        one = tf.constant(1)
        assert one.eval() == 1
        inner = tf.Session()
        with inner.as_default():
            assert tf.get_default_session() is inner
        inner.close()
        assert tf.get_default_session() is outer
    with pytest.raises(ValueError, match="no default session"):
        one.eval()


def test_interactive_sessions() -> None:
    with tf.Graph().as_default():
        sess = tf.InteractiveSession()
        one = tf.constant(1)
        assert one.eval() == 1
        sess.close()
        assert tf.get_default_session() is None


def test_the_default_session_is_of_the_thread() -> None:
    seen: list[Any] = []
    with tf.Graph().as_default(), tf.Session():
        thread = threading.Thread(target=lambda: seen.append(tf.get_default_session()))
        thread.start()
        thread.join()
    assert seen == [None]
