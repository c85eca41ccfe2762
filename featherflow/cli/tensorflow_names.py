"""Which module stands for each of TensorFlow's: the one table of the import shim.

"alias"     a module of featherflow, under another name
"package"   a folder: only its modules can be had from it
"names"     public names, wherever they live: `array_ops.reshape`, `nn_ops.conv2d`; the namespaces
            given are looked in first, for names that several have
"ops"       the ops themselves, in snake case: `gen_nn_ops.relu_grad`
"messages"  protocol buffers
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple


class Stand(NamedTuple):
    """What stands for a module: a kind of those above, and its targets."""

    kind: str
    targets: tuple[str, ...] = ()


#: Folders, the namespaces that their modules are about ("" is the root), and these modules.
_NAMES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("client", (), "session client_lib"),
    ("data.ops", ("data",), "dataset_ops iterator_ops readers"),
    ("eager", ("autodiff", ""), "backprop context def_function function"),
    (
        "framework",
        ("", "graph_util"),
        "constant_op convert_to_constants framework_lib func_graph function graph_io "
        "importer indexed_slices load_library meta_graph ops random_seed "
        "sparse_tensor tensor tensor_conversion tensor_conversion_registry tensor_spec "
        "tensor_util test_util versions",
    ),
    ("framework", ("graph_util",), "graph_util graph_util_impl"),
    ("layers", ("layers",), "base convolutional core layers normalization pooling"),
    (
        "ops",
        ("", "math"),
        "array_ops array_ops_stack bitwise_ops check_ops clip_ops cond "
        "confusion_matrix control_flow_assert control_flow_case control_flow_ops control_flow_util "
        "control_flow_v2_toggles custom_gradient data_flow_ops functional_ops gradient_checker "
        "gradients gradients_impl gradients_util histogram_ops init_ops init_ops_v2 "
        "inplace_ops io_ops logging_ops lookup_ops manip_ops map_fn math_ops "
        "numerics parsing_ops partitioned_variables random_crop_ops ref_variable "
        "resource_variable_ops resource_variables_toggle "
        "resources script_ops seq2seq session_ops shape_util sort_ops special_math_ops "
        "standard_ops state_ops tensor_array_ops tensor_getitem_override template variable_scope "
        "variable_v1 variables weights_broadcast_ops while_loop",
    ),
    (
        "ops",
        ("nn", ""),
        "candidate_sampling_ops ctc_ops embedding_ops nn nn_grad nn_impl nn_ops",
    ),
    ("ops", ("nn.rnn_cell", "nn"), "rnn rnn_cell rnn_cell_impl"),
    ("ops", ("random", ""), "random_ops stateful_random_ops stateless_random_ops"),
    ("ops", ("image",), "image_ops image_ops_impl"),
    ("ops", ("linalg", ""), "linalg_ops"),
    ("ops.linalg", ("linalg", ""), "linalg linalg_impl"),
    ("ops", ("signal",), "spectral_ops"),
    ("ops.signal", ("signal",), "dct_ops fft_ops mel_ops mfcc_ops spectral_ops window_ops"),
    ("ops", ("sparse", ""), "sparse_ops"),
    ("ops.ragged", ("ragged", ""), "ragged_factory_ops ragged_tensor"),
    ("ops", ("strings", ""), "string_ops"),
    ("ops", ("metrics",), "metrics metrics_impl"),
    ("ops.losses", ("losses",), "losses losses_impl util"),
    ("ops", ("summary",), "summary_ops summary_ops_v2"),
    ("lib.io", ("python_io", "io"), "python_io tf_record"),
    ("platform", ("app",), "app"),
    ("platform", ("flags",), "flags"),
    ("platform", ("gfile",), "gfile"),
    ("platform", ("logging",), "logging tf_logging"),
    ("platform", ("resource_loader",), "resource_loader"),
    ("platform", ("sysconfig",), "sysconfig"),
    ("platform", ("test",), "googletest test"),
    (
        "saved_model",
        ("saved_model",),
        "builder builder_impl constants load loader loader_impl main_op main_op_impl save "
        "saved_model simple_save",
    ),
    ("saved_model", ("saved_model.signature_constants", "saved_model"), "signature_constants"),
    (
        "saved_model",
        ("saved_model.signature_def_utils", "saved_model"),
        "signature_def_utils signature_def_utils_impl",
    ),
    ("saved_model", ("saved_model.tag_constants", "saved_model"), "tag_constants"),
    ("saved_model", ("saved_model.utils", "saved_model"), "utils utils_impl"),
    ("summary", ("summary",), "summary"),
    ("summary.writer", ("summary",), "writer writer_cache"),
    (
        "training",
        ("train", ""),
        "adadelta adagrad adagrad_da adam basic_loops basic_session_run_hooks "
        "checkpoint_management checkpoint_ops checkpoint_utils coordinator device_setter "
        "evaluation ftrl gradient_descent input learning_rate_decay momentum monitored_session "
        "moving_averages optimizer proximal_adagrad proximal_gradient_descent queue_runner "
        "queue_runner_impl rmsprop saver server_lib session_manager session_run_hook slot_creator "
        "summary_io supervisor sync_replicas_optimizer training training_util warm_starting_util",
    ),
    ("util", ("compat",), "compat"),
    ("util", ("nest",), "nest"),
)

_ALIASES: dict[str, str] = {
    "tensorflow": "featherflow",
    "tensorflow.python.client.device_lib": "featherflow.platform.device_lib",
    "tensorflow.python.client.timeline": "featherflow.runtime.timeline",
    "tensorflow.python.framework.device": "featherflow.framework.device",
    "tensorflow.python.framework.dtypes": "featherflow.framework.dtypes",
    "tensorflow.python.framework.errors": "featherflow.framework.errors",
    "tensorflow.python.framework.errors_impl": "featherflow.framework.errors",
    "tensorflow.python.framework.tensor_shape": "featherflow.framework.tensor_shape",
    "tensorflow.python.lib.io.file_io": "featherflow.platform.file_io",
}

#: Names that TensorFlow's modules have for themselves → the public name of the same thing.
INNER_NAMES: dict[str, str] = {
    "tensorflow.python.framework.ops.internal_convert_to_tensor": "convert_to_tensor",
    "tensorflow.python.framework.ops.convert_to_tensor_v2": "convert_to_tensor",
    "tensorflow.python.ops.variables.VariableV1": "Variable",
}

#: Modules of messages of which featherflow keeps several together.
MESSAGE_MODULES: dict[str, str] = {
    "tensor_shape_pb2": "tensor_pb2",
    "types_pb2": "tensor_pb2",
    "resource_handle_pb2": "tensor_pb2",
    "feature_pb2": "example_pb2",
}

_MESSAGE_FOLDERS = ("framework", "protobuf", "util", "example")
#: Modules of ops in snake case whose name does not start with "gen_".
_OP_MODULES = ("tensorflow.python.training.training_ops",)


def _rows() -> Iterator[tuple[str, Stand]]:
    for name, target in _ALIASES.items():
        yield name, Stand("alias", (target,))
    for folder, spaces, modules in _NAMES:
        for module in modules.split():
            yield f"tensorflow.python.{folder}.{module}", Stand("names", spaces)
    for name in _OP_MODULES:
        yield name, Stand("ops")
    for folder in _MESSAGE_FOLDERS:
        yield f"tensorflow.core.{folder}", Stand("package")


#: TensorFlow's module → what stands for it; folders follow from their modules.
STANDS: dict[str, Stand] = dict(_rows())
for _name in list(STANDS):
    while "." in _name:
        _name = _name.rpartition(".")[0]
        STANDS.setdefault(_name, Stand("package"))


def stand_for(module: str) -> Stand | None:
    """What stands for a module of TensorFlow's; None if nothing does."""
    stand = STANDS.get(module)
    if stand is not None:
        return stand
    folder, _, name = module.rpartition(".")
    if folder.startswith("tensorflow.core"):
        return Stand("messages") if name.endswith("_pb2") and folder in STANDS else None
    if folder.startswith("tensorflow.python"):
        return Stand("ops") if name.startswith("gen_") and folder in STANDS else None
    return Stand("alias", (f"featherflow.{module.removeprefix('tensorflow.')}",))
