"""The worked example of docs/adding_an_op.md runs, and does what it says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import get_op, unregister_op

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "adding_an_op.md"


@pytest.fixture(scope="module")
def example():
    """The names that the document's example defines."""
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL).group(1)
    names: dict = {}
    exec(compile(code, str(DOCUMENT), "exec"), names)
    yield names
    unregister_op("Blend")


def test_the_example_is_as_short_as_it_says(example) -> None:
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL).group(1)
    assert len([line for line in code.splitlines() if line.strip()]) <= 30


@pytest.mark.parametrize("label", ["", "in_place"])
def test_both_kernels(example, label: str) -> None:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        with graph._kernel_label_map({"Blend": label} if label else {}):
            result = example["blended"](x, tf.ones([3, 2]), weight=0.25)
        assert result.shape.as_list() == [3, 2]
        value = sess.run(result, {x: np.full((3, 2), 5.0, np.float32)})
        np.testing.assert_allclose(value, np.full((3, 2), 2.0))


def test_gradient(example) -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
        gradients = tf.gradients(example["blended"](x, y, weight=0.25), [x, y])
        np.testing.assert_allclose(sess.run(gradients), [[0.25, 0.25], [0.75, 0.75]])


def test_a_wrong_dtype_is_refused(example) -> None:
    with tf.Graph().as_default(), pytest.raises(TypeError, match="int32 for attr 'T'"):
        example["blended"](tf.constant([1]), tf.constant([2]))


def test_shapes_are_checked(example) -> None:
    with tf.Graph().as_default(), pytest.raises(ValueError, match=r"Blend 'Blend': .* 2 and 3"):
        example["blended"](tf.ones([2]), tf.ones([3]))


def test_op_libraries_are_refused_with_a_reason() -> None:
    with pytest.raises(tf.errors.UnimplementedError, match=r"C\+\+ kernels.*tf.register_op"):
        tf.load_op_library("./custom.so")


def test_an_op_is_where_the_user_wrote_it(example) -> None:
    assert get_op("Blend").location.file == str(DOCUMENT)
    with pytest.raises(
        ValueError, match=rf"'Blend' is defined twice.*{DOCUMENT.name}:\d+"
    ) as caught:
        tf.register_op("Blend")
    assert __file__ in str(caught.value)
