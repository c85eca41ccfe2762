"""`featherflow predict`: a model on files."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf

from .conftest import affine


@pytest.fixture
def points(tmp_path: Path) -> Path:
    path = tmp_path / "points.npy"
    np.save(path, np.array([[1.0, 0.0], [0.0, 1.0]]))
    return path


AFFINE_OUTPUT = ["y:0  float32  (2, 2)", "  [[11. 12.]", "   [13. 14.]]"]


def test_the_only_input_and_output_need_no_name(featherflow, model, points) -> None:
    result = featherflow("predict", model(affine), "--input", points)
    assert (result.status, result.err) == (0, "")
    assert result.lines == AFFINE_OUTPUT


@pytest.mark.parametrize("name", ["x", "x:0"])
def test_named_input_and_outputs(featherflow, model, points, name: str) -> None:
    path = model(affine)
    result = featherflow("predict", path, "--input", f"{name}={points}", "--output", "y:0")
    assert result.lines == AFFINE_OUTPUT
    both = featherflow("predict", path, "--input", points, "--output", "MatMul", "--output", "y")
    assert both.lines == ["MatMul:0  float32  (2, 2)", "  [[1. 2.]", "   [3. 4.]]", *AFFINE_OUTPUT]


def test_any_tensor_may_be_fed(featherflow, model) -> None:
    result = featherflow("predict", model(affine), "--input", "MatMul=[[1, 2]]")
    assert result.lines[1:] == ["  [[11. 12.]]"]


def test_save(featherflow, model, points, tmp_path) -> None:
    saved = tmp_path / "out.npz"
    featherflow("predict", model(affine), "--input", points, "--save", saved)
    with np.load(saved) as archive:
        assert archive.files == ["y:0"]
        np.testing.assert_array_equal(archive["y:0"], [[11.0, 12.0], [13.0, 14.0]])


def test_top_and_labels(featherflow, model, tmp_path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("cat\ndog\n")
    path = model(affine)
    one = featherflow("predict", path, "--input", "[[1, 0]]", "--labels", labels)
    assert [line.split() for line in one.lines[1:]] == [["12", "dog"], ["11", "cat"]]
    top = featherflow("predict", path, "--input", "[[1, 0], [-10, 0]]", "--top", "1")
    assert [line.split() for line in top.lines[1:]] == [
        ["[0]"],
        ["12", "class", "1"],
        ["[1]"],
        ["0", "class", "0"],
    ]
    labels.write_text("cat\n")
    few = featherflow("predict", path, "--input", "[[1, 0]]", "--labels", labels)
    assert few.status == 2
    assert "the labels name 1 classes, y:0 has 2" in few.err


def test_inputs_with_defaults_need_no_value(featherflow, model) -> None:
    def build() -> None:
        x = tf.placeholder(tf.int32, [2], name="x")
        factor = tf.placeholder_with_default(3, [], name="factor")
        tf.multiply(x, factor, name="y")

    path = model(build)
    assert featherflow("predict", path, "--input", "[1, 2]").lines[1] == "  [3 6]"
    result = featherflow("predict", path, "--input", "x=[1, 2]", "--input", "factor=10")
    assert result.lines[1] == "  [10 20]"


# --- errors ---------------------------------------------------------------------------------------


def two_inputs() -> None:
    a = tf.placeholder(tf.float32, [None, 2], name="a")
    b = tf.placeholder(tf.int64, [3], name="b")
    tf.reduce_sum(a, name="sum_a")
    tf.reduce_sum(b, name="sum_b")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "no value for a (float32 (?, 2)), b (int64 (3,))"),
        (["--input", "[[1, 2]]"], "which input is it for?"),
        (["--input", "c=1"], "has no node 'c'. Its inputs are a (float32 (?, 2)), b (int64 (3,))"),
        (["--output", "nothing"], "its outputs sum_a, sum_b"),
        (["--output", "sum_a:3"], "node 'sum_a' has 1 outputs"),
        (["--input", "a=none.npy"], "no such file: none.npy"),
        (["--input", "a=[[1, 2, 3]]"], "a:0 takes shape (?, 2), [[1, 2, 3]] holds (1, 3)"),
        (["--input", "b=[0.5, 1, 2]"], "b:0 takes int64, [0.5, 1, 2] holds float64"),
        (["--input", "b=['x']"], "b:0 takes int64, ['x'] holds <U1"),
    ],
)
def test_errors_name_what_exists(featherflow, model, arguments, message) -> None:
    result = featherflow("predict", model(two_inputs), *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_unneeded_inputs_need_no_value(featherflow, model) -> None:
    result = featherflow("predict", model(two_inputs), "--output", "sum_b", "--input", "[1, 2, 4]")
    assert result.lines == ["sum_b:0  int64  ()", "  7"]


def test_failing_nodes_are_one_line(featherflow, model) -> None:
    def build() -> None:
        x = tf.placeholder(tf.int32, [None], name="x")
        tf.gather([1, 2], x, name="picked")

    result = featherflow("predict", model(build), "--input", "[5]")
    assert result.status == 2
    assert "'picked'" in result.err
    assert len(result.err.splitlines()) == 1
    assert "Created at" not in result.err


def test_variables_must_be_frozen(featherflow, model) -> None:
    path = model(lambda: tf.Variable([1.0], name="v") * 2.0)
    result = featherflow("predict", path)
    assert result.status == 2
    assert "does not hold the values of its 1 variables, such as v" in result.err


def test_unsupported_models_are_refused(featherflow, tmp_path) -> None:
    (tmp_path / "a.pbtxt").write_text('node { name: "a" op: "NoSuchOp" }')
    result = featherflow("predict", tmp_path / "a.pbtxt")
    assert result.status == 2
    assert "NoSuchOp" in result.err


# --- kinds of files -------------------------------------------------------------------------------


def echo(dtype, shape):
    return lambda: tf.identity(tf.placeholder(dtype, shape, name="x"), name="y")


def test_archives(featherflow, model, tmp_path) -> None:
    archive = tmp_path / "values.npz"
    np.savez(archive, a=np.ones((1, 2)), b=np.arange(3))
    result = featherflow("predict", model(two_inputs), "--input", archive)
    assert [line.strip() for line in result.lines[1::2]] == ["2.", "3"]
    picked = featherflow(
        "predict", model(two_inputs), "--input", f"b={archive}", "--output", "sum_b"
    )
    assert picked.lines[1] == "  3"
    wrong = featherflow("predict", model(affine), "--input", archive)
    assert "has no array 'x'; it has: a, b" in wrong.err


def test_pickles_are_refused(featherflow, model, tmp_path) -> None:
    path = tmp_path / "evil.npy"
    np.save(path, np.array([{"a": 1}], dtype=object), allow_pickle=True)
    result = featherflow("predict", model(affine), "--input", path)
    assert result.status == 2
    assert "allow_pickle=False" in result.err


@pytest.mark.parametrize(
    ("dtype", "shape", "text", "expected"),
    [
        (tf.float32, [None, 2], "1 2\n3,4\n", "[[1. 2.]\n [3. 4.]]"),
        (tf.float32, [None], "1\n2 3\n".replace(" ", "\n"), "[1. 2. 3.]"),
        (tf.int32, [], "7\n", "7"),
        (tf.int32, [None, 2, 2], "1 2 3 4\n5 6 7 8\n", "[[[1 2]\n  [3 4]]\n\n [[5 6]\n  [7 8]]]"),
        (tf.float32, None, "1 2", "[[1. 2.]]"),
        (tf.string, [None], "one\ntwo\n", "[b'one' b'two']"),
        (tf.string, [], "one\ntwo\n", "b'one\\ntwo'"),
    ],
)
def test_text_files(featherflow, model, tmp_path, dtype, shape, text, expected) -> None:
    path = tmp_path / "values.txt"
    path.write_text(text)
    result = featherflow("predict", model(echo(dtype, shape)), "--input", path)
    assert result.err == ""
    assert "\n".join(line[2:] for line in result.lines[1:]) == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [("1 two", "holds more than numbers"), ("1 2\n3\n", "do not hold equally many numbers")],
)
def test_text_that_is_no_table(featherflow, model, tmp_path, text, message) -> None:
    (tmp_path / "values.txt").write_text(text)
    result = featherflow("predict", model(affine), "--input", tmp_path / "values.txt")
    assert message in result.err


def test_one_example_gets_the_batch(featherflow, model, tmp_path) -> None:
    np.save(tmp_path / "one.npy", np.float32([1, 0]))
    path = model(affine)
    one = featherflow("predict", path, "--input", tmp_path / "one.npy")
    assert one.lines == ["y:0  float32  (1, 2)", "  [[11. 12.]]"]
    files = ["--input", f"x={tmp_path / 'one.npy'}"] * 2
    assert featherflow("predict", path, *files).lines[0] == "y:0  float32  (2, 2)"


def test_paths_may_hold_an_equals_sign(featherflow, model, tmp_path) -> None:
    folder = tmp_path / "a=b"
    folder.mkdir()
    np.save(folder / "x.npy", np.float32([[1, 0]]))
    path = model(affine)
    for text in (str(folder / "x.npy"), f"x={folder / 'x.npy'}"):
        assert featherflow("predict", path, "--input", text).lines[1] == "  [[11. 12.]]"


# --- images ---------------------------------------------------------------------------------------


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """2 × 2: red, green; blue, white."""
    pillow = pytest.importorskip("PIL.Image", reason="pillow is an extra")
    pixels = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]], dtype=np.uint8)
    path = tmp_path / "image.png"
    pillow.fromarray(pixels).save(path)
    return path


RGB = np.array([[[255, 0, 0], [0, 255, 0]], [[0, 0, 255], [255, 255, 255]]])


def predicted(featherflow, tmp_path: Path, model_path: Path, *arguments) -> np.ndarray:
    saved = tmp_path / "saved.npz"
    result = featherflow("predict", model_path, *arguments, "--save", saved)
    assert result.err == ""
    with np.load(saved) as archive:
        return archive["y:0"]


@pytest.mark.parametrize(
    ("shape", "arguments", "expected"),
    [
        ([None, 2, 2, 3], [], RGB),
        ([None, None, None, 3], ["--channels", "BGR"], RGB[..., ::-1]),
        ([None, 3, 2, 2], [], RGB.transpose(2, 0, 1)),
        ([None, None, None, None], ["--layout", "NCHW"], RGB.transpose(2, 0, 1)),
        ([None, 2, 2, 3], ["--scale", "1/255"], RGB / 255),
        (
            [None, 2, 2, 3],
            ["--scale", "1/255", "--mean", "0.5,0.25,0", "--std", "0.5"],
            (RGB / 255 - [0.5, 0.25, 0.0]) / 0.5,
        ),
        ([None, 2, 2, 3], ["--mean=-1"], RGB + 1),
    ],
)
def test_images(featherflow, model, image, tmp_path, shape, arguments, expected) -> None:
    path = model(echo(tf.float32, shape))
    value = predicted(featherflow, tmp_path, path, "--input", image, *arguments)
    np.testing.assert_allclose(value, expected[np.newaxis], rtol=1e-6)


def test_grey_images_and_integers(featherflow, model, image, tmp_path) -> None:
    path = model(echo(tf.uint8, [None, None, None, 1]))
    value = predicted(featherflow, tmp_path, path, "--input", image)
    assert value.dtype == np.uint8
    # ITU-R 601: 0.299 R + 0.587 G + 0.114 B
    np.testing.assert_array_equal(value[0, :, :, 0], [[76, 150], [29, 255]])


def test_images_are_resized_bilinearly(featherflow, model, image, tmp_path) -> None:
    path = model(echo(tf.float32, [None, None, None, 3]))
    value = predicted(featherflow, tmp_path, path, "--input", image, "--size", "2x4")
    assert value.shape == (1, 2, 4, 3)
    # Halves of pixels: each is a quarter of its neighbour, three quarters of its own.
    np.testing.assert_allclose(value[0, 0, :, 0], [255, 191, 64, 0], atol=1)
    fixed = model(echo(tf.float32, [None, 4, 6, 3]))
    assert predicted(featherflow, tmp_path, fixed, "--input", image).shape == (1, 4, 6, 3)


def test_several_images_are_a_batch(featherflow, model, image, tmp_path) -> None:
    path = model(echo(tf.float32, [None, None, None, 3]))
    files = ["--input", f"x={image}", "--input", f"x={image}"]
    assert predicted(featherflow, tmp_path, path, *files).shape == (2, 2, 2, 3)
    other = tmp_path / "other.npy"
    np.save(other, np.zeros((1, 5, 5, 3)))
    result = featherflow("predict", path, "--input", f"x={image}", "--input", f"x={other}")
    assert "differ in shape" in result.err


def test_images_that_the_model_decodes(featherflow, model, image) -> None:
    result = featherflow("predict", model(echo(tf.string, [])), "--input", image)
    assert result.lines[0] == "y:0  string  ()"
    assert "PNG" in result.lines[1]


@pytest.mark.parametrize(
    ("shape", "arguments", "message"),
    [
        ([None, 2, 2, 3], ["--mean", "1,2"], "--mean has 2 numbers, the image 3 channels"),
        ([None, 2, 2, 5], [], "which no image has"),
        ([None, 4, 4, 3], ["--size", "2x2"], "takes shape (?, 4, 4, 3)"),
    ],
)
def test_images_that_do_not_fit(featherflow, model, image, shape, arguments, message) -> None:
    result = featherflow("predict", model(echo(tf.float32, shape)), "--input", image, *arguments)
    assert (result.status, result.out) == (2, "")
    assert message in result.err


def test_broken_images(featherflow, model, tmp_path) -> None:
    pytest.importorskip("PIL", reason="pillow is an extra")
    (tmp_path / "broken.png").write_bytes(b"no image")
    path = model(echo(tf.float32, [None, None, None, 3]))
    result = featherflow("predict", path, "--input", tmp_path / "broken.png")
    assert "is no image that pillow can read" in result.err


def test_without_pillow_the_remedy_is_named(featherflow, model, tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    (tmp_path / "a.png").write_bytes(b"")
    path = model(echo(tf.float32, [None, None, None, 3]))
    result = featherflow("predict", path, "--input", tmp_path / "a.png")
    assert result.status == 2
    assert "pip install 'featherflow[images]'" in result.err
