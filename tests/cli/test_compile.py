"""`featherflow compile`: a folder of images, and programs that run compiled without a compiler."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import featherflow as tf
from featherflow.compiler import executable_memory, image_cache
from featherflow.compiler.compile_service import default_service
from featherflow.compiler.image import MappedImage
from featherflow.compiler.image_cache import ImageCache, digest
from featherflow.compiler.program import RUNNER
from featherflow.compiler.target import host_target, target_named

pytest.importorskip("llvmlite")
pytestmark = pytest.mark.skipif(
    executable_memory.refusal() is not None, reason="this system runs no generated code"
)

#: Runs a model in a process that has no llvmlite, and says whether its first run was compiled.
PROGRAM = """\
import sys
sys.modules["llvmlite"] = None
import importlib.util
found = importlib.util.find_spec
importlib.util.find_spec = lambda name, *rest: None if name == "llvmlite" else found(name, *rest)
import numpy as np
import featherflow as tf

message = tf.GraphDef.FromString(open(sys.argv[1], "rb").read())
tf.import_graph_def(message, name="")
with tf.Session() as session:
    x = np.arange(int(sys.argv[2]) * 192, dtype=np.float32).reshape(-1, 8, 8, 3) / 192
    value = session.run("y:0", {"x:0": x})
    (prepared,) = session._session._plans.values()
    print("compiled" if prepared.compiled.ready else "numpy", value.shape, float(value.sum()))
"""


def network() -> None:
    """Convolution, bias, relu, pool."""
    generator = np.random.default_rng(0)
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    weights = tf.constant(generator.standard_normal((3, 3, 3, 8), np.float32))
    bias = tf.constant(generator.standard_normal(8, np.float32))
    y = tf.nn.bias_add(tf.nn.conv2d(x, weights, [1, 1, 1, 1], "SAME"), bias)
    tf.nn.max_pool(tf.nn.relu(y), [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="y")


def large_network() -> None:
    """A product with 300 KB of weights: its images are looked for before its first run."""
    x = tf.placeholder(tf.float32, [None, 8, 8, 3], name="x")
    weights = tf.constant(np.random.default_rng(0).standard_normal((192, 400), np.float32))
    tf.nn.relu(tf.matmul(tf.reshape(x, [-1, 192]), weights), name="y")


def run_program(
    model: Path, batch: int, folder: Path | None, cache: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """The program above with an empty cache of its own."""
    variables = {
        **{key: value for key, value in os.environ.items() if not key.startswith("FEATHERFLOW")},
        **{"FEATHERFLOW_CACHE_DIR": str(cache), "FEATHERFLOW_COMPILE": "2"},
        **({} if folder is None else {"FEATHERFLOW_IMAGES": f"{os.pathsep}{folder}"}),
        **environment,
    }
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(model), str(batch)],
        capture_output=True,
        text=True,
        check=True,
        env=variables,
        timeout=120,
    )


@pytest.fixture
def images(featherflow, model, tmp_path: Path) -> tuple[Path, Path]:
    """A model, and the folder of its images for this machine."""
    path, folder = model(network), tmp_path / "images"
    result = featherflow("compile", path, "--batch", "1,8", "-o", folder)
    assert (result.status, result.err) == (0, "")
    header, row, *_ = result.lines
    assert header.split() == ["target", "kernels", "seconds", "bytes"]
    target, kernels, _, size = row.split()
    files = list(folder.iterdir())
    assert (target, int(kernels)) == (host_target().name, len(files))
    assert int(size) == sum(file.stat().st_size for file in files)
    assert f"FEATHERFLOW_IMAGES={folder}" in result.out
    return path, folder


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_program_without_llvmlite_runs_compiled_at_once(images, tmp_path, threads: str) -> None:
    path, folder = images
    cache = tmp_path / "cache"
    environment = {"FEATHERFLOW_LOG": "4", "FEATHERFLOW_NUM_THREADS": threads}
    done = run_program(path, 8, folder, cache, **environment)
    assert done.stdout.startswith("compiled (8, 4, 4, 8) ")
    assert "featherflow: took over for [8, 8, 8, 3]: all kernels are ready" in done.stderr
    assert not cache.exists() or not list(cache.iterdir())

    # The same without the folder: right values, by NumPy.
    plain = run_program(path, 8, None, cache, **environment)
    assert plain.stdout.startswith("numpy (8, 4, 4, 8) ")
    assert "stays on NumPy for [8, 8, 8, 3]: the package llvmlite is not" in plain.stderr
    values = [float(output.split()[-1]) for output in (done.stdout, plain.stdout)]
    np.testing.assert_allclose(*values, rtol=1e-5)


@pytest.mark.slow
def test_images_of_other_batches_are_the_same_kernels(images, tmp_path) -> None:
    path, folder = images
    done = run_program(path, 5, folder, tmp_path / "cache")
    assert done.stdout.startswith("compiled (5, 4, 4, 8) ")


@pytest.mark.slow
def test_a_model_needs_no_variable_but_the_folder(featherflow, model, tmp_path) -> None:
    path, folder = model(large_network), tmp_path / "images"
    assert featherflow("compile", path, "-o", folder).status == 0
    done = run_program(path, 2, folder, tmp_path / "cache", FEATHERFLOW_COMPILE="1")
    assert done.stdout.startswith("compiled (2, 400) ")
    plain = run_program(path, 2, None, tmp_path / "cache", FEATHERFLOW_COMPILE="1")
    assert plain.stdout.startswith("numpy (2, 400) ")


def test_other_sources_do_not_find_the_images(images, tmp_path, monkeypatch) -> None:
    _, folder = images
    cache = ImageCache(tmp_path / "cache")
    cache.add_folder(folder)
    assert isinstance(cache.find(digest(RUNNER.text(), host_target())), MappedImage)
    monkeypatch.setattr(image_cache, "compiler_digest", lambda: "of other sources")
    assert cache.find(digest(RUNNER.text(), host_target())) is None


def test_targets_that_this_machine_need_not_have(featherflow, model, tmp_path) -> None:
    folder = tmp_path / "images"
    result = featherflow("compile", model(network), "--cpu", "x86-64-v3,aarch64", "-o", folder)
    assert result.status == 0, result.err
    rows = [line.split() for line in result.lines[1:3]]
    assert [row[0] for row in rows] == ["x86-64-v3", "aarch64"]
    names = {file.stem for file in folder.iterdir()}
    assert len(names) == sum(int(row[1]) for row in rows)
    for name in ("x86-64-v3", "aarch64"):
        assert digest(RUNNER.text(), target_named(name)) in names


def test_nothing_to_compile(featherflow, model, tmp_path) -> None:
    def strings() -> None:
        tf.strings.join([tf.placeholder(tf.string, name="x"), tf.constant("!")], name="y")

    result = featherflow("compile", model(strings), "-o", tmp_path / "images")
    assert result.status == 2
    assert "nothing of this step is compiled" in result.err
    assert not (tmp_path / "images").exists()


def test_a_folder_that_others_may_write_is_refused(featherflow, model, tmp_path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    folder.chmod(0o777)
    result = featherflow("compile", model(network), "-o", folder)
    assert result.status == 2
    assert f"cannot write {folder}" in result.err
    assert not list(folder.iterdir())


@pytest.mark.parametrize("arguments", [("--cpu", "z80"), ("--batch", "0"), ("--batch", "x")])
def test_wrong_arguments(featherflow, model, tmp_path, arguments: tuple[str, str]) -> None:
    result = featherflow("compile", model(network), *arguments, "-o", tmp_path / "images")
    assert result.status == 2
    assert "usage: featherflow compile" in result.err


def test_the_variable_names_folders(tmp_path, monkeypatch) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    monkeypatch.setenv("FEATHERFLOW_IMAGES", os.pathsep.join([str(first), "", str(second)]))
    service = default_service.__wrapped__()
    try:
        assert service.cache._extra == [first, second]
    finally:
        service.close()
