"""Where featherflow's public API differs from TensorFlow's on purpose, and why."""

from __future__ import annotations

#: Names (or, ending in ".", namespaces) that TensorFlow's APIs do not have.
OWN_NAMES = {
    "register_op": "users add ops in Python",
    "register_kernel": "users add kernels in Python",
    "explain_placement": "says where nodes are placed and why",
    "__version__": "a module attribute that starts with underscores",
    "TensorProto": "TensorFlow has the message, under a private name",
    "SignatureDef": "TensorFlow has the message, under a private name",
    "VariableDef": "TensorFlow has the message, under a private name",
    "IndexedSlicesValue": "what Session.run gives; TensorFlow's has a private name",
    "errors.InaccessibleTensorError": "of tf.function; TensorFlow's has a private name",
    "test.mock": "a module, which the recorded table does not list",
    "timeline.": "tensorflow.python.client.timeline, which programs import",
    "flags.": "absl's, which TensorFlow passes on without listing it",
    "app.flags.": "absl's, which TensorFlow passes on without listing it",
    "contrib.": "TF1's contributed namespaces, which TensorFlow 2.21 has no more",
    "layers.": "TF1's layers, which TensorFlow 2.21 needs another package for",
    "nn.rnn_cell.": "TF1's cells, which TensorFlow 2.21 needs another package for",
    "listdiff": "TF1's old name of setdiff1d, which TensorFlow 2.21 has no more",
}
#: Suffixes of such names.
OWN_SUFFIXES = {
    "_ref": "the dtypes of refs, which TensorFlow keeps private",
    "float4_e2m1fn": "TensorFlow has it as tf.dtypes.experimental.float4_e2m1fn alone",
    "float8_e4m3b11fnuz": "as float4_e2m1fn",
    "float8_e4m3fn": "as float4_e2m1fn",
    "float8_e4m3fnuz": "as float4_e2m1fn",
    "float8_e5m2": "as float4_e2m1fn",
    "float8_e5m2fnuz": "as float4_e2m1fn",
    "int2": "as float4_e2m1fn",
    "int4": "as float4_e2m1fn",
    "uint2": "as float4_e2m1fn",
    "uint4": "as float4_e2m1fn",
}

_ERROR_FIELDS = "errors take data besides the message: received, expected, remedy"
_MADE_BY_THE_LIBRARY = "users do not make them; TensorFlow's are made in C++"
_NO_LAYOUT = "`layout` belongs to DTensor"
_ANY_ARGUMENTS = "TensorFlow hides the arguments behind *args"

#: Name → why it is called otherwise than TensorFlow's.
CALLED_OTHERWISE = {
    "OpError": _ERROR_FIELDS,
    "errors.": _ERROR_FIELDS,
    "Operation": _MADE_BY_THE_LIBRARY,
    "Tensor": _MADE_BY_THE_LIBRARY,
    "DType": _MADE_BY_THE_LIBRARY,
    "dtypes.DType": _MADE_BY_THE_LIBRARY,
    "RaggedTensor": "users call its from_… methods; the constructor is private in both",
    "fill": _NO_LAYOUT,
    "ones": _NO_LAYOUT,
    "zeros": _NO_LAYOUT,
    "import_graph_def": "also takes validate_colocation_constraints, which TensorFlow's C API does",
    "graph_util.import_graph_def": "as import_graph_def",
    "lookup.": _ANY_ARGUMENTS,
    "sparse.split": "the default of keyword_required is TensorFlow's own sentinel",
    "sparse_split": "as sparse.split",
    "train.Optimizer": "use_own_namescope_for_non_slot_vars serves Keras",
    "Graph.as_graph_def": "use_pybind11_proto chooses between two C++ bindings of messages",
}

_INSTANCE = "an attribute of instances, set by the constructor"
_TYPE_SPECS = "the protocol of type specifications, which tf.function traces by: later"

#: Class.method (or Class.) → why it is not there.
MISSING_METHODS = {
    "train.ClusterSpec.as_cluster_def": "a message for servers, which come later",
    **{
        f"OpError.{field}": _INSTANCE
        for field in ("error_code", "experimental_payloads", "message", "op")
    },
    "errors.": _INSTANCE,
    "Variable.": "methods of RefVariable and ResourceVariable, which tf.Variable() returns",
    "DType.": _TYPE_SPECS,
    "TensorSpec.": _TYPE_SPECS,
    "TypeSpec.": _TYPE_SPECS,
    "dtypes.DType.": _TYPE_SPECS,
    "TensorShape.": _TYPE_SPECS,
    "Graph.create_op": "deprecated in TensorFlow; ops are called",
    "Graph.get": "TensorFlow's caches of C++ objects",
    "Graph.op_def_for_type": "TensorFlow's registry of C++ op definitions",
    "Graph.operations": "get_operations() is the documented way",
    "Operation.experimental_set_type": "full types belong to tf.function",
    "Operation.from_node_def": "import_graph_def makes operations of NodeDefs",
    "Tensor.experimental_ref": "removed from TensorFlow's documentation; ref() is there",
}
