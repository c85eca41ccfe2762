"""The import shim: what stands for TensorFlow's modules; a real TensorFlow is left alone."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import featherflow as tf
from featherflow import _index
from featherflow.cli import import_shim
from featherflow.cli.op_functions import op_function, positional_parameters
from featherflow.cli.tensorflow_names import INNER_NAMES, STANDS, stand_for
from featherflow.framework.op import get_op
from featherflow.platform import file_io


@pytest.fixture
def shim() -> Iterator[None]:
    with import_shim.installed():
        yield


@pytest.fixture
def real_tensorflow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package `tensorflow` that notes each import of it in a file."""
    package = tmp_path / "tensorflow"
    (package / "python").mkdir(parents=True)
    note = "open(__file__ + '.imported', 'a').close()\n"
    (package / "__init__.py").write_text(note + "__version__ = 'real'\n")
    (package / "python" / "__init__.py").write_text(note)
    monkeypatch.syspath_prepend(str(tmp_path))
    return package


def touched(package: Path) -> list[str]:
    return sorted(path.name for path in package.rglob("*.imported"))


def test_real_tensorflow_is_shadowed_and_not_touched(real_tensorflow, shim) -> None:
    import tensorflow  # pyright: ignore[reportMissingImports]
    import tensorflow.python.ops.math_ops as math_ops  # pyright: ignore[reportMissingImports]

    assert tensorflow.Graph is tf.Graph
    assert math_ops.add is tf.add
    assert touched(real_tensorflow) == []


def test_uninstall_gives_the_real_one_back(real_tensorflow) -> None:
    with import_shim.installed():
        importlib.import_module("tensorflow.python.framework.ops")
    assert not [name for name in sys.modules if name.partition(".")[0] == "tensorflow"]
    try:
        real = importlib.import_module("tensorflow")
        assert real.__version__ == "real"
        assert touched(real_tensorflow) == ["__init__.py.imported"]
        with pytest.raises(RuntimeError, match="imported already"):
            import_shim.install()
    finally:
        sys.modules.pop("tensorflow", None)


@pytest.mark.slow
def test_run_shadows_a_real_tensorflow_on_the_path(real_tensorflow, tmp_path) -> None:
    """As it is in a process of its own, where the real one may come first on the path."""
    script = tmp_path / "program.py"
    script.write_text("import tensorflow as tf\nprint(tf.__version__)\n")
    command = [sys.executable, "-m", "featherflow", "run", str(script)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == tf.__version__
    assert touched(real_tensorflow) == []
    plain = subprocess.run([sys.executable, str(script)], capture_output=True, text=True)
    assert plain.stdout.strip() == "real"


def test_nothing_is_found_after_uninstall() -> None:
    with import_shim.installed():
        importlib.import_module("tensorflow")
    if importlib.util.find_spec("tensorflow") is None:
        with pytest.raises(ModuleNotFoundError):
            importlib.import_module("tensorflow")


# --- the table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(name for name, stand in STANDS.items() if stand.kind))
def test_every_module_of_the_table_can_be_imported(name: str, shim) -> None:
    module = importlib.import_module(name)
    assert module.__name__ == name
    parent, _, last = name.rpartition(".")
    if parent:
        assert getattr(sys.modules[parent], last) is module


def test_inner_names_stand_for_public_ones(shim) -> None:
    for name, public in INNER_NAMES.items():
        module, _, attribute = name.rpartition(".")
        assert public in _index.V1 or public in _index.V2
        assert getattr(importlib.import_module(module), attribute) is not None


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("python.framework.ops", "reset_default_graph", "reset_default_graph"),
        ("python.framework.ops", "RegisterGradient", "RegisterGradient"),
        ("python.framework.ops", "internal_convert_to_tensor", "convert_to_tensor"),
        ("python.framework.constant_op", "constant", "constant"),
        ("python.framework.dtypes", "float32", "float32"),
        ("python.framework.tensor_shape", "TensorShape", "TensorShape"),
        ("python.framework.errors_impl", "NotFoundError", "errors.NotFoundError"),
        ("python.framework.graph_util", "extract_sub_graph", "graph_util.extract_sub_graph"),
        ("python.ops.array_ops", "reshape", "reshape"),
        ("python.ops.math_ops", "reduce_mean", "reduce_mean"),
        ("python.ops.nn_ops", "conv2d", "nn.conv2d"),
        ("python.ops.nn", "relu", "nn.relu"),
        ("python.ops.random_ops", "random_normal", "random_normal"),
        ("python.ops.init_ops", "zeros_initializer", "zeros_initializer"),
        ("python.ops.control_flow_ops", "while_loop", "while_loop"),
        ("python.ops.variable_scope", "get_variable", "get_variable"),
        ("python.ops.variables", "Variable", "Variable"),
        ("python.ops.gradients_impl", "gradients", "gradients"),
        ("python.client.session", "Session", "Session"),
        ("python.training.adam", "AdamOptimizer", "train.AdamOptimizer"),
        ("python.platform.gfile", "GFile", "gfile.GFile"),
        ("python.platform.tf_logging", "info", "logging.info"),
        ("python.platform.flags", "DEFINE_string", "flags.DEFINE_string"),
        ("python.platform.app", "run", "app.run"),
        ("python.util.nest", "flatten", "nest.flatten"),
        ("python.util.compat", "as_bytes", "compat.as_bytes"),
    ],
)
def test_inner_module_has_the_public_object(module, name, public, shim) -> None:
    expected = tf.compat.v1
    for part in public.split("."):
        expected = getattr(expected, part)
    assert getattr(importlib.import_module(f"tensorflow.{module}"), name) is expected


def test_folders_give_modules_even_where_a_function_has_the_name(shim) -> None:
    ops = importlib.import_module("tensorflow.python.ops")
    assert not hasattr(ops, "variable_scope")
    from tensorflow.python.ops import (  # pyright: ignore[reportMissingImports]
        gradients,
        variable_scope,
    )

    assert variable_scope.variable_scope is tf.variable_scope
    assert gradients.gradients is tf.gradients


@pytest.mark.parametrize(
    "name",
    [
        "tensorflow.contrib.nothing",
        "tensorflow.python.ops.no_such_ops",
        "tensorflow.python.nothing",
        "tensorflow.core.framework.nothing_pb2",
        "tensorflow.nothing",
    ],
)
def test_unknown_modules_are_not_found(name: str, shim) -> None:
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module(name)
    assert caught.value.name is not None and caught.value.name.startswith("tensorflow.")


def test_unknown_names_are_import_errors(shim) -> None:
    with pytest.raises(ImportError, match="no_such_function"):
        exec("from tensorflow.python.ops.math_ops import no_such_function")
    with pytest.raises(AttributeError, match="no attribute"):
        _ = importlib.import_module("tensorflow").no_such_function


def test_messages(shim) -> None:
    from tensorflow.core.framework import (  # pyright: ignore[reportMissingImports]
        graph_pb2,
        node_def_pb2,
        tensor_shape_pb2,
        types_pb2,
    )

    assert graph_pb2.GraphDef is tf.GraphDef
    assert node_def_pb2.NodeDef is tf.NodeDef
    assert tensor_shape_pb2.TensorShapeProto().dim is not None
    assert types_pb2.DT_FLOAT == 1


def test_attribute_paths(shim) -> None:
    tensorflow = importlib.import_module("tensorflow")
    assert tensorflow.compat.v1.Session is tf.compat.v1.Session
    assert importlib.import_module("tensorflow.compat.v1").placeholder is tf.compat.v1.placeholder
    assert importlib.import_module("tensorflow.nn").relu is tf.nn.relu
    assert importlib.import_module("tensorflow.io.gfile").exists is tf.io.gfile.exists
    assert "conv2d" in dir(tensorflow.nn)


# --- ops in snake case ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "op"),
    [
        ("relu_grad", "ReluGrad"),
        ("_relu_grad", "ReluGrad"),
        ("conv2d_backprop_input", "Conv2DBackpropInput"),
        ("add_v2", "AddV2"),
        ("mat_mul", "MatMul"),
        ("batch_mat_mul_v2", "BatchMatMulV2"),
    ],
)
def test_op_functions(name: str, op: str) -> None:
    function = op_function(name)
    assert function is not None and function.__doc__ is not None
    assert function.__doc__.startswith(f"The op {op}(")


def test_op_functions_take_attributes_by_position() -> None:
    assert positional_parameters(get_op("MaxPool"))[:4] == ["input", "ksize", "strides", "padding"]
    max_pool, unique = op_function("max_pool"), op_function("unique")
    assert max_pool is not None and unique is not None
    with tf.Graph().as_default(), tf.Session() as sess:
        image = tf.reshape(tf.range(16.0), [1, 4, 4, 1])
        pooled = max_pool(image, [1, 2, 2, 1], [1, 2, 2, 1], "VALID", name="pooled")
        assert pooled.op.name == "pooled"
        assert sess.run(pooled).ravel().tolist() == [5.0, 7.0, 13.0, 15.0]
        found = unique(tf.constant([3, 3, 5]))
        assert sess.run(found.y).tolist() == [3, 5]
        assert sess.run(found.idx).tolist() == [0, 0, 1]
        with pytest.raises(TypeError, match="positional arguments"):
            unique(*range(9))


def test_unknown_ops_have_no_function() -> None:
    assert op_function("no_such_op") is None
    assert op_function("__wrapped__") is None


# --- file_io --------------------------------------------------------------------------------------


def test_stands_for_follows_folders() -> None:
    assert stand_for("tensorflow.python").kind == "package"  # pyright: ignore
    assert stand_for("tensorflow.python.ops.gen_math_ops").kind == "ops"  # pyright: ignore
    assert stand_for("tensorflow.python.ops.whatever") is None


def test_file_io(tmp_path: Path) -> None:
    path = str(tmp_path / "a" / "b.txt")
    file_io.recursive_create_dir(str(tmp_path / "a"))
    file_io.write_string_to_file(path, "text")
    assert file_io.file_exists(path)
    assert file_io.read_file_to_string(path) == "text"
    assert file_io.read_file_to_string(path, binary_mode=True) == b"text"
    file_io.atomic_write_string_to_file(path, "other")
    assert file_io.read_file_to_string(path) == "other"
    with pytest.raises(tf.errors.AlreadyExistsError):
        file_io.atomic_write_string_to_file(path, "third", overwrite=False)
    assert file_io.list_directory(str(tmp_path / "a")) == ["b.txt"]
