"""TensorArrays: elements, rules for their use, and gradients."""

from __future__ import annotations

import pytest

import featherflow as tf

InvalidArgumentError = tf.errors.InvalidArgumentError


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


def array(*args, **kwargs):
    return tf.TensorArray(tf.float32, *args, **kwargs)


def kept(*args, **kwargs):
    return array(*args, clear_after_read=False, **kwargs)


def written(*values, **kwargs):
    result = kept(len(values), infer_shape=False, **kwargs)
    for index, value in enumerate(values):
        result = result.write(index, value)
    return result


# --- elements -------------------------------------------------------------------------------------


def test_elements_by_index():
    a = kept(3).write(2, [5.0, 6.0]).write(0, [1.0, 2.0]).write(1, [3.0, 4.0])
    assert run(a.read(1)).tolist() == [3.0, 4.0]
    assert run(a.stack()).tolist() == [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
    assert run(a.gather([2, 0])).tolist() == [[5.0, 6.0], [1.0, 2.0]]
    assert run(a.concat()).tolist() == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    assert run(a.size()) == 3


def test_elements_from_tensors():
    assert run(kept(3).unstack([1.0, 2.0, 3.0]).read(1)) == 2.0
    assert run(kept(3).scatter([2, 0], [[5.0], [6.0]]).read(0)).tolist() == [6.0]
    pieces = array(2, infer_shape=False).split([1.0, 2.0, 3.0], [1, 2])
    assert run(pieces.read(1)).tolist() == [2.0, 3.0]
    assert run(written([1.0], [2.0, 3.0]).concat()).tolist() == [1.0, 2.0, 3.0]


def test_arrays_that_grow():
    a = array(0, dynamic_size=True).write(4, 1.0).write(1, 2.0)
    assert run(a.size()) == 5
    assert run(a.stack()).tolist() == [0.0, 2.0, 0.0, 0.0, 1.0]
    assert run(array(1, dynamic_size=True).scatter([2, 3], [1.0, 2.0]).size()) == 4


@pytest.mark.parametrize(
    ("dtype", "values"),
    [("int64", [1, 2]), ("bool", [True, False]), ("complex64", [1j, 2]), ("string", [b"a", b"b"])],
)
def test_dtypes(dtype, values):
    a = tf.TensorArray(dtype, 2).unstack(tf.constant(values, dtype))
    assert run(a.stack()).tolist() == values


def test_what_was_never_written_is_zeros_of_the_known_shape():
    assert run(kept(2).write(1, [1.0, 2.0]).read(0)).tolist() == [0.0, 0.0]
    assert run(array(2, element_shape=[3]).stack()).tolist() == [[0.0] * 3] * 2
    with pytest.raises(InvalidArgumentError, match="never written"):
        run(array(2).read(0))
    with pytest.raises(InvalidArgumentError, match="never written"):
        run(array(2, element_shape=[None]).read(0))
    with pytest.raises(InvalidArgumentError, match="never written"):
        run(tf.TensorArray(tf.string, 2, element_shape=[]).read(0))


def test_empty_arrays():
    assert run(array(0, element_shape=[2]).stack()).shape == (0, 2)
    assert run(array(0, element_shape=[None, 3]).concat()).shape == (0, 3)
    with pytest.raises(tf.errors.UnimplementedError, match="size zero"):
        run(array(0).stack())
    with pytest.raises(tf.errors.UnimplementedError, match="size zero"):
        run(array(0).concat())


# --- static facts ---------------------------------------------------------------------------------


def test_static_shapes():
    fed = tf.placeholder(tf.float32, [None, 3])
    a = kept(tf.shape(fed)[0]).unstack(fed)
    assert a.element_shape.as_list() == [3]
    assert a.read(0).shape.as_list() == [3]
    assert a.stack().shape.as_list() == [None, 3]
    assert a.gather([0, 1]).shape.as_list() == [None, 3]
    assert kept(2).unstack([[1.0], [2.0]]).stack().shape.as_list() == [2, 1]
    assert kept(2).unstack([[1.0], [2.0]]).concat().shape.as_list() == [2]
    assert written([1.0], [2.0, 3.0]).read(0).shape.rank is None
    assert array(2, element_shape=[None, 2]).element_shape.as_list() == [None, 2]


def test_facts(graph):
    a = array(2, tensor_array_name="mine", name="tensors")
    assert a.dtype == tf.float32 and not a.dynamic_size
    assert a.handle.op.name == "tensors"
    assert a.handle.dtype == tf.resource and a.handle.shape.as_list() == [2]
    assert a.flow.shape.as_list() == []
    same = tf.TensorArray(tf.float32, handle=a.handle, flow=a.flow)
    assert run(same.write(1, 2.0).read(1)) == 2.0
    assert a.identity().flow.op.type == "Identity"
    run(a.close())


def test_writes_are_placed_with_the_first_value(graph):
    x, y = tf.constant(1.0, name="x"), tf.constant(2.0, name="y")
    a = array(2).write(0, x).write(1, y)
    assert a.flow.op.colocation_groups() == [b"loc:@x"]
    b = array(2, colocate_with_first_write_call=False).write(0, x)
    assert b.flow.op.colocation_groups() == [f"loc:@{b.flow.op.name}".encode()]


@pytest.mark.parametrize(
    ("error", "words", "arguments"),
    [
        (ValueError, "`size` must be provided", {}),
        (TypeError, "to be a Tensor", {"handle": 3}),
        (ValueError, "`handle` and `size`", {"size": 2}),
        (ValueError, "`handle` and `tensor_array_name`", {"tensor_array_name": "x"}),
        (ValueError, "`handle` and `dynamic_size`", {"dynamic_size": True}),
        (ValueError, "`handle` and `clear_after_read`", {"clear_after_read": True}),
    ],
)
def test_arguments_that_contradict(error, words, arguments):
    if arguments and "handle" not in arguments:
        arguments = {**arguments, "handle": array(2).handle}
    with pytest.raises(error, match=words):
        array(**arguments)


# --- rules ----------------------------------------------------------------------------------------


def test_elements_are_written_once():
    with pytest.raises(InvalidArgumentError, match="already been written to"):
        run(array(2).write(0, 1.0).write(0, 2.0).flow)
    with pytest.raises(InvalidArgumentError, match="already been written to"):
        run(array(3).scatter([2, 2], [1.0, 2.0]).flow)


def test_elements_are_read_once_unless_they_are_kept():
    a = array(2).write(0, 1.0)
    with tf.control_dependencies([a.read(0)]):
        again = a.read(0)
    with pytest.raises(InvalidArgumentError, match=r"twice.*clear_after_read=False"):
        run(again)
    a = kept(2).write(0, 1.0)
    with tf.control_dependencies([a.read(0)]):
        assert run(a.read(0)) == 1.0
        with pytest.raises(InvalidArgumentError, match="already been read"):
            run(a.write(0, 2.0).flow)


@pytest.mark.parametrize(
    ("words", "build"),
    [
        ("index 2", lambda: array(2).write(2, 1.0).flow),
        ("index -1", lambda: array(2, dynamic_size=True).write(-1, 1.0).flow),
        ("index 5 but array size is: 3", lambda: array(3).read(5)),
        ("index 1", lambda: array(1).unstack([1.0, 2.0, 3.0]).flow),
        ("dtype is int32", lambda: array(2).write(0, tf.constant(1)).flow),
        ("sum of lengths", lambda: array(2).split([1.0, 2.0, 3.0], [1, 1]).flow),
        ("size of lengths", lambda: array(3).split([1.0, 2.0], [1, 1]).flow),
        ("inconsistent shapes", lambda: written(1.0, [2.0]).stack()),
        ("cannot be concatenated", lambda: written([[1.0]], [[2.0, 3.0]]).concat()),
        ("cannot be concatenated", lambda: written(1.0, 2.0).concat()),
        ("Size should be >= 0", lambda: array(-1).handle),
    ],
)
def test_run_time_refusals(words, build):
    fetched = build()
    fetched = fetched.op if fetched.dtype == tf.resource else fetched
    with pytest.raises(InvalidArgumentError, match=words):
        run(fetched)


def test_shapes_are_checked_in_the_run():
    fed = tf.placeholder(tf.float32)
    with pytest.raises(InvalidArgumentError, match="a shape that fits"):
        run(array(2, element_shape=[2]).write(0, fed).flow, {fed: [1.0]})
    with pytest.raises(InvalidArgumentError, match="a shape that fits"):
        run(array(2).write(0, [1.0, 2.0]).write(1, fed).flow, {fed: [1.0]})
    with pytest.raises(ValueError, match="Inconsistent shapes"):
        array(2).write(0, [1.0]).write(1, [1.0, 2.0])
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        array(2).scatter([0], [[1.0], [2.0]])


def test_closed_arrays():
    a = array(2).write(0, 1.0)
    with tf.control_dependencies([a.flow]):
        closed = a.close()
    with tf.control_dependencies([closed]), pytest.raises(InvalidArgumentError, match="closed"):
        run(a.read(0))


def test_each_step_has_its_own_array():
    index = tf.placeholder(tf.int32, [])
    a = array(2).write(index, 3.0)
    with tf.Session() as session:
        for place in (0, 1, 0):
            assert session.run(a.stack(), {index: place}).sum() == 3.0


# --- gradients ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: kept(3).unstack(x).stack(), [1.0, 10.0, 100.0]),
        (lambda x: kept(3).unstack(x).gather([2, 0, 1]), [10.0, 100.0, 1.0]),
        (lambda x: kept(3).scatter([1, 2, 0], x).stack(), [10.0, 100.0, 1.0]),
        (lambda x: kept(2, infer_shape=False).split(x, [1, 2]).concat(), [1.0, 10.0, 100.0]),
        (lambda x: kept(2).write(0, x[1]).write(1, x[0] * 2.0).stack(), [20.0, 1.0, 0.0]),
    ],
    ids=["unstack", "gather", "scatter", "split", "write"],
)
def test_gradients_find_their_elements(build, expected):
    x = tf.constant([1.0, 2.0, 3.0])
    y = build(x)
    weights = tf.constant([1.0, 10.0, 100.0])[: y.shape.as_list()[0]] if y.shape.rank else None
    weights = tf.constant([1.0, 10.0, 100.0]) if weights is None else weights
    assert run(tf.gradients(y * weights, x))[0].tolist() == expected


def test_gradients_of_several_reads_add_up():
    x = tf.constant([1.0, 2.0, 3.0])
    a = kept(3).unstack(x)
    y = a.read(0) * a.read(0) + a.read(2)
    assert run(tf.gradients(y, x))[0].tolist() == [2.0, 0.0, 1.0]


def test_gradients_under_any_name():
    x = tf.constant([1.0, 2.0])
    a = kept(2).unstack(x)
    first = tf.gradients(a.read(0) * 3.0, x, name="slopes")
    second = tf.gradients(a.read(1) * 5.0, x, name="slopes")
    assert [row[0].tolist() for row in run([first, second])] == [[3.0, 0.0], [0.0, 5.0]]


def test_arrays_of_gradients():
    a = array(3).write(0, [1.0, 2.0])
    g = a.grad("mine")
    assert run(g.size()) == 3
    assert run(g.write(0, [1.0, 2.0]).write(0, [3.0, 4.0]).read(0)).tolist() == [4.0, 6.0]
    assert run(a.grad("other").read(0)).tolist() == [0.0, 0.0]
    with pytest.raises(InvalidArgumentError, match="that it is the gradient of"):
        run(written([1.0]).grad("mine").write(0, 1.0).flow)
