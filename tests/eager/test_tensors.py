"""EagerTensor: values, text, conversions, refusals."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import featherflow as tf
from featherflow.eager import execute

pytestmark = pytest.mark.usefixtures("eagerly")

TEXTS = [
    (3, "<tf.Tensor: shape=(), dtype=int32, numpy=3>", "tf.Tensor(3, shape=(), dtype=int32)"),
    (2.5, "<tf.Tensor: shape=(), dtype=float32, numpy=2.5>", "tf.Tensor(2.5, shape=(), dtype=float32)"),  # noqa: E501
    (True, "<tf.Tensor: shape=(), dtype=bool, numpy=True>", "tf.Tensor(True, shape=(), dtype=bool)"),  # noqa: E501
    ("a", "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>", "tf.Tensor(b'a', shape=(), dtype=string)"),  # noqa: E501
    (
        [1.0, 2.0],
        "<tf.Tensor: shape=(2,), dtype=float32, numpy=array([1., 2.], dtype=float32)>",
        "tf.Tensor([1. 2.], shape=(2,), dtype=float32)",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "as_repr", "as_str"), TEXTS)
def test_text(value: object, as_repr: str, as_str: str) -> None:
    tensor = tf.constant(value)
    assert repr(tensor) == as_repr
    assert str(tensor) == as_str


def test_numpy_both_ways() -> None:
    tensor = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    copied = tensor.numpy()
    copied[0, 0] = 9.0
    assert float(tensor[0, 0]) == 1.0
    view = np.asarray(tensor)
    assert not view.flags.writeable and np.shares_memory(view, tensor._value)
    np.testing.assert_array_equal(np.add(tensor, 1), [[2, 3], [4, 5]])
    np.testing.assert_array_equal(np.ones(2, np.float32) * tensor, tensor)
    np.testing.assert_array_equal(np.from_dlpack(tensor), tensor)
    assert isinstance(tf.constant(1.0).numpy(), np.float32)
    assert tf.constant("x").numpy() == b"x"


def test_python_protocols() -> None:
    tensor = tf.constant([3, 1, 2])
    assert len(tensor) == 3 and [int(x) for x in tensor] == [3, 1, 2]
    assert 2 in tensor and 7 not in tensor
    assert bool(tf.constant(1)) and not tf.constant(0.0)
    assert [10, 11, 12][tf.constant(1)] == 11
    assert f"{tf.constant(2.5):.2f}" == "2.50"
    with pytest.raises(ValueError, match="ambiguous"):
        bool(tensor)
    with pytest.raises(TypeError, match="scalar tensor"):
        iter(tf.constant(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(tensor)
    assert tensor.ref() in {tensor.ref()}


@pytest.mark.parametrize("name", ["op", "name", "graph"])
def test_symbolic_attributes_are_refused(name: str) -> None:
    with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined when eager"):
        getattr(tf.constant(1), name)


def test_copies() -> None:
    tensor = tf.constant([1.0, 2.0])
    for twin in (copy.copy(tensor), copy.deepcopy(tensor), pickle.loads(pickle.dumps(tensor))):
        np.testing.assert_array_equal(twin, tensor)
        assert twin.dtype is tensor.dtype


def test_slices() -> None:
    array = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    tensor = tf.constant(array)
    for entries in (
        (0,), (-1, ..., 2), (slice(None), slice(None, None, -1)), (..., tf.newaxis, 1),
        (slice(0, 2), slice(1, None), slice(None, 3, 2)),
    ):  # fmt: skip
        wanted = tuple(np.newaxis if item is tf.newaxis else item for item in entries)
        np.testing.assert_array_equal(tensor[entries], array[wanted])
    np.testing.assert_array_equal(tensor[tf.constant(1)], array[1])


def test_errors_name_op_line_and_inputs() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))
    text = str(caught.value)
    assert text.startswith("MatMul: ") and "[2, 3]" in text and f"{__file__}:" in text
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"(?i)incompatible shapes|broadcast"):
        tf.ones([2]) + tf.ones([3])
    with pytest.raises((TypeError, tf.errors.InvalidArgumentError), match="int32"):
        tf.constant(1) + tf.constant(1.0)


def test_seeds_repeat() -> None:
    """The streams of TensorFlow 2.21."""
    tf.random.set_seed(5)
    np.testing.assert_allclose(tf.random.normal([2]), [-0.18030666, -0.95028627], rtol=1e-6)
    np.testing.assert_allclose(tf.random.uniform([1]), [0.7017075], rtol=1e-6)
    tf.random.set_seed(5)
    np.testing.assert_allclose(tf.random.normal([2]), [-0.18030666, -0.95028627], rtol=1e-6)


def test_caches_are_bounded() -> None:
    for size in range(execute.MAX_CALLS // 64):
        tf.split(tf.zeros([size + 1]), size + 1)
    info = execute.cache_info()
    assert 0 < info.size <= info.max_size


def test_control_flow_is_pythons() -> None:
    assert int(tf.cond(tf.constant(True), lambda: 1, lambda: 2)) == 1
    assert int(tf.while_loop(lambda i: i < 5, lambda i: [i + 2], [tf.constant(0)])[0]) == 6
    assert int(tf.switch_case(tf.constant(1), [lambda: 3, lambda: 4])) == 4
    np.testing.assert_array_equal(tf.map_fn(lambda v: v * 2, tf.constant([1, 2])), [2, 4])
    np.testing.assert_array_equal(tf.scan(lambda a, b: a + b, tf.constant([1, 2, 3])), [1, 3, 6])


def test_python_functions() -> None:
    assert float(tf.py_function(lambda a: a * 2, [3.0], tf.float32)) == 6.0
    assert float(tf.numpy_function(np.square, [3.0], tf.float32)) == 9.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="ValueError: no"):
        tf.py_function(_raise, [1.0], tf.float32)


def _raise(value: object) -> None:
    raise ValueError("no")
