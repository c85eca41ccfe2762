"""``tf.Session``: what may be fetched and fed, what comes back, and what is refused."""

from __future__ import annotations

import collections

import numpy as np

from ..case import Script, case, error_case, error_cases
from ..inputs import normal

Pair = collections.namedtuple("Pair", ["first", "second"])


def _kind(value):
    """A value's type, down the structure: what ``session.run`` returned, in words."""
    if isinstance(value, dict):
        return [type(value).__name__, *(f"{key}: {_kind(item)}" for key, item in value.items())]
    if isinstance(value, list | tuple):
        return [type(value).__name__, *(_kind(item) for item in value)]
    return type(value).__name__


@case
def structures_of_fetches(tf):
    x, y = tf.constant(1), tf.constant([2.0, 3.0])

    def body(session):
        fetched = {
            "scalar": session.run(x),
            "vector": session.run(y),
            "list": session.run([x, y]),
            "tuple": session.run((x, y)),
            "dict": session.run({"a": x, "b": [y, {"c": x}]}),
            "ordered": session.run(collections.OrderedDict([("b", x), ("a", y)])),
            "namedtuple": session.run(Pair(x, y)),
            "operation": session.run(x.op),
            "operations": session.run([x.op, x, tf.no_op()]),
            "empty": session.run([]),
            "empty_dict": session.run({}),
            "duplicates": session.run([x, x, [x]]),
        }
        return {name: str(_kind(value)) for name, value in fetched.items()}

    return Script(body)


@case
def kinds_of_scalars(tf):
    values = {
        "int32": tf.constant(1),
        "int64": tf.constant(1, tf.int64),
        "float32": tf.constant(1.0),
        "float16": tf.constant(1.0, tf.float16),
        "bfloat16": tf.constant(1.0, tf.bfloat16),
        "bool": tf.constant(True),
        "string": tf.constant("a"),
        "strings": tf.constant(["a", "bb"]),
        "complex": tf.constant(1j),
    }

    def body(session):
        return {name: _kind(value) for name, value in session.run(values).items()}

    return Script(body)


@case
def fetch_by_name(tf):
    tf.constant(5, name="five")
    tf.Variable([1.0], name="v")

    def body(session):
        session.run("v/Assign")
        return [session.run("five:0"), session.run(["five:0", "v:0"])]

    return Script(body)


@case
def fetch_sparse_values(tf):
    sparse = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([3]), tf.constant([5, 1]))
    bare = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([3]))

    def body(session):
        fetched = session.run([sparse, slices, bare])
        return {"values": fetched[:2], "types": [type(item).__name__ for item in fetched]}

    return Script(body)


@case
def feed_sparse_values(tf):
    sparse = tf.sparse_placeholder(tf.float32, [2, 3])
    shapeless = tf.sparse_placeholder(tf.int32)
    dense, total = tf.sparse_tensor_to_dense(sparse), tf.reduce_sum(shapeless.values)
    value = tf.SparseTensorValue([[0, 1], [1, 2]], [5.0, 6.0], [2, 3])

    def body(session):
        triple = (np.array([[0]]), np.array([7]), np.array([3]))
        return [session.run(dense, {sparse: value}), session.run(total, {shapeless: triple})]

    return Script(body)


@case
def kinds_of_feeds(tf):
    x = tf.placeholder(tf.float32)
    doubled = x * 2.0
    word = tf.placeholder(tf.string)
    same = tf.identity(word)
    flag = tf.placeholder(tf.bool)
    feeds = [1, 1.5, [1, 2], [[1.0], [2.0]], (3, 4), np.float64(2.5), np.arange(3), True]
    feeds += [np.zeros([0, 2]), np.ones([2, 2], np.int8)[:, ::-1], normal(4)[::2], normal(2, 3).T]

    def body(session):
        results = [session.run(doubled, {x: feed}) for feed in feeds]
        words = [
            session.run(same, {word: text}) for text in ("a", b"b", ["c", "dd"], np.array(["e"]))
        ]
        flags = [session.run(flag, {flag: value}) for value in (True, [False, True])]
        return [results, words, flags]

    return Script(body)


@case
def feed_any_tensor(tf):
    x = tf.constant(2.0)
    y = x * 3.0
    z = y + 1.0
    partial = tf.placeholder_with_default(tf.constant([1.0]), [None])

    def body(session):
        return [
            session.run(z),
            session.run(z, {y: 10.0}),
            session.run(z, {x: 1.0}),
            session.run([y, z], {y: 5.0}),
            session.run(y, {y: 7.0}),
            session.run(partial),
            session.run(partial, {partial: [4.0, 5.0]}),
            session.run(z, {"mul:0": 20.0}) if y.name == "mul:0" else y.name,
        ]

    return Script(body)


@case
def feeds_are_converted(tf):
    x, y = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
    tripled = x * 3

    def body(session):
        fractions = [session.run(tripled, {x: value}) for value in (1.5, [2.7, -2.7], True)]
        return [fractions, session.run(y + 1.0, {y: None}), session.run(y * 1.0, {y: 2**60})]

    return Script(body)


@case
def feeds_do_not_stick(tf):
    x = tf.placeholder_with_default(1, [])

    def body(session):
        array = np.array(5)
        first = session.run(x, {x: array})
        array[...] = 9
        return [first, session.run(x), session.run(x, {x: array})]

    return Script(body)


@case
def results_are_independent_copies(tf):
    constant, variable = tf.constant([1, 2]), tf.Variable([3, 4], use_resource=True)

    def body(session):
        session.run(variable.initializer)
        first = session.run([constant, variable])
        for array in first:
            array[...] = 0
        return session.run([constant, variable])

    return Script(body)


@case
def partial_static_shape_feeds(tf):
    x = tf.placeholder(tf.float32, [None, 2])
    return Script(lambda session: [session.run(x, {x: normal(rows, 2)}) for rows in (0, 1, 3)])


@case
def session_facts(tf):
    graph = tf.get_default_graph()

    def body(session):
        other = tf.Graph()
        with other.as_default():
            inside = tf.get_default_graph() is other
        return [
            session.graph is graph,
            tf.get_default_session() is session,
            inside,
            tf.constant([1, 2]).eval(),
            (tf.constant(2) + 3).eval(feed_dict={}),
            tf.constant(4).eval(session=session),
        ]

    return Script(body)


@case
def graph_grows_between_runs(tf):
    x = tf.constant(1)

    def body(session):
        results = [session.run(x)]
        for _ in range(3):
            results.append(session.run(x + len(results)))
        return results

    return Script(body)


@case
def make_callable(tf):
    x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    total, product = x + y, x * y

    def body(session):
        add = session.make_callable(total, feed_list=[x, y])
        both = session.make_callable([total, product], [x, y])
        none = session.make_callable(tf.constant(7))
        return [add(1.0, 2.0), both(3.0, 4.0), none()]

    return Script(body)


@case
def partial_run(tf):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first = a * 2.0
    second = first + b

    def body(session):
        handle = session.partial_run_setup([first, second], [a, b])
        middle = session.partial_run(handle, first, {a: 3.0})
        return [middle, session.partial_run(handle, second, {b: middle * 10.0})]

    return Script(body)


@case
def other_sessions_have_their_own_variables(tf):
    variable = tf.Variable(1)
    increment = tf.assign_add(variable, 1)

    def body(session):
        session.run(variable.initializer)
        session.run(increment)
        with tf.Session() as other:
            other.run(variable.initializer)
            return [session.run(variable), other.run(variable), session.run(increment)]

    return Script(body)


@case
def containers_and_resets(tf):
    first = tf.Variable([1.0], use_resource=True)
    config = tf.ConfigProto(allow_soft_placement=True, log_device_placement=False)
    config.intra_op_parallelism_threads = 1
    options = tf.RunOptions(timeout_in_ms=10000)

    def body(session):
        with tf.Session(config=config) as other:
            other.run(first.initializer, options=options)
            return other.run(first)

    return Script(body)


@case
def interactive_session(tf):
    x = tf.constant([1.0, 2.0])

    def body(session):
        with tf.Graph().as_default():
            interactive = tf.InteractiveSession()
            value = (tf.constant(3.0) * 2.0).eval()
            interactive.close()
        return [value, x.eval()]

    return Script(body)


@error_case
def placeholder_not_fed(tf):
    return tf.placeholder(tf.float32, [2]) + 1.0


@error_case
def placeholder_not_fed_by_name(tf):
    tf.placeholder(tf.float32, name="x")
    return Script(lambda session: session.run("x:0"))


def _runs(build):
    """An error program: ``build(tf)`` gives what a session's run is called with."""

    def program(tf):
        arguments = build(tf)
        tf.constant(0)  # an empty graph is refused before its fetches are looked at
        return Script(lambda session: session.run(*arguments))

    return program


def _other_graph(tf):
    with tf.Graph().as_default():
        return tf.constant(1)


def _unfeedable(tf):
    tensor = tf.constant(1)
    tf.get_default_graph().prevent_feeding(tensor)
    return tensor


def _unfetchable(tf):
    operation = tf.constant(1)
    tf.get_default_graph().prevent_fetching(operation.op)
    return operation


ERRORS = {
    "feed_other_shape": lambda tf: (tf.placeholder(tf.float32, [2]), {"Placeholder:0": [1.0]}),
    "feed_other_rank": lambda tf: (tf.placeholder(tf.float32, [None]), {"Placeholder:0": [[1.0]]}),
    "feed_text_for_floats": lambda tf: (tf.placeholder(tf.float32), {"Placeholder:0": "a"}),
    "feed_ragged_list": lambda tf: (
        tf.placeholder(tf.float32),
        {"Placeholder:0": [[1.0], [1.0, 2.0]]},
    ),
    "feed_a_tensor": lambda tf: (x := tf.placeholder(tf.float32), {x: tf.constant(1.0)}),
    "feed_too_large_int": lambda tf: (x := tf.placeholder(tf.int32), {x: 2**40}),
    "feed_unknown_name": lambda tf: (tf.constant(1), {"nothing:0": 1}),
    "feed_a_number": lambda tf: (tf.constant(1), {5: 1}),
    "feed_of_other_graph": lambda tf: (tf.constant(1), {_other_graph(tf): 1}),
    "feed_prevented": lambda tf: ((x := _unfeedable(tf)) + 1, {x: 2}),
    "feed_is_not_a_dict": lambda tf: (tf.constant(1), [1]),
    "feed_an_operation": lambda tf: (x := tf.constant(1), {x.op: 1}),
    "fetch_none": lambda tf: (None,),
    "fetch_a_list_with_none": lambda tf: ([tf.constant(1), None],),
    "fetch_a_number": lambda tf: (1,),
    "fetch_unknown_name": lambda tf: ("nothing:0",),
    "fetch_bad_name": lambda tf: ("a:b:c",),
    "fetch_unknown_output": lambda tf: (tf.constant(1, name="one").op.name + ":1",),
    "fetch_of_other_graph": lambda tf: (_other_graph(tf),),
    "fetch_prevented": lambda tf: (_unfetchable(tf),),
    "fetch_an_object": lambda tf: ([[object()]],),
}
for _name, _build in ERRORS.items():
    error_case(_name)(_runs(_build))


@error_case
def empty_graph(tf):
    return Script(lambda session: session.run([]))


@error_case
def closed_session(tf):
    x = tf.constant(1)

    def body(session):
        session.close()
        session.run(x)

    return Script(body)


@error_case
def finalized_graph(tf):
    tf.get_default_graph().finalize()
    return tf.constant(1)


@error_case
def callable_with_too_few_feeds(tf):
    x = tf.placeholder(tf.float32, [])
    return Script(lambda session: session.make_callable(x + 1.0, [x])())


@error_case
def graph_of_another_type(tf):
    return Script(lambda session: tf.Session(graph=5))


@error_case
def config_of_another_type(tf):
    return Script(lambda session: tf.Session(config=5))


@error_case
def unknown_target(tf):
    return Script(lambda session: tf.Session("nonsense://target").run(tf.constant(1)))


error_cases(
    eval_without_session=lambda tf: tf.constant(1).eval(),
    placeholder_as_condition=lambda tf: bool(tf.placeholder(tf.bool)),
    placeholder_shape_conflict=lambda tf: tf.placeholder(tf.float32, [2]) + tf.zeros([3]),
    mixing_graphs=lambda tf: tf.constant(1) + _other_graph(tf),
)
