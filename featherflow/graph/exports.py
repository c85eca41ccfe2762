"""Public names of what lower layers define without naming it: dtypes, shapes, errors, messages."""

from __future__ import annotations

from featherflow.framework import dtypes, errors
from featherflow.framework.exports import export_value

_FRAMEWORK = "featherflow.framework"
_DTYPES = f"{_FRAMEWORK}.dtypes"
_ERRORS = f"{_FRAMEWORK}.errors"
_SHAPES = f"{_FRAMEWORK}.tensor_shape"
_GRAPH = "featherflow.graph"

for _name in [dtype.name for dtype in dtypes.BASE_TYPES] + ["half", "double"]:
    export_value(_DTYPES, _name, _name, f"dtypes.{_name}")
    export_value(_DTYPES, f"{_name}_ref", v1_only=True)
export_value(_DTYPES, "DType", "DType", "dtypes.DType")
export_value(_DTYPES, "as_dtype", "as_dtype", "dtypes.as_dtype")
export_value(
    _DTYPES, "QUANTIZED_DTYPES", "QUANTIZED_DTYPES", "dtypes.QUANTIZED_DTYPES", v1_only=True
)

export_value(_SHAPES, "TensorShape")
export_value(f"{_FRAMEWORK}.dimension", "Dimension", v1_only=True)
for _name, _module in (
    ("dimension_value", f"{_FRAMEWORK}.dimension"),
    ("dimension_at_index", _SHAPES),
):
    export_value(_module, _name, f"compat.{_name}")
    export_value(_module, _name, v1_only=True)

export_value(f"{_FRAMEWORK}.device", "DeviceSpec")
export_value(f"{_FRAMEWORK}.device", "DeviceSpecV1", "DeviceSpec", v1_only=True)

for _name, _value in vars(errors).items():
    if (
        isinstance(_value, type)
        and issubclass(_value, Exception)
        and _value is not errors.StatusError
    ) or (_name.isupper() and isinstance(_value, int)):
        export_value(_ERRORS, _name, f"errors.{_name}")
export_value(_ERRORS, "OpError", v1_only=True)

export_value(f"{_GRAPH}.graph", "Graph")
export_value(f"{_GRAPH}.operation", "Operation")
export_value(f"{_GRAPH}.tensor", "Tensor")
export_value(f"{_GRAPH}.default_graph", "get_default_graph", v1_only=True)
export_value(f"{_GRAPH}.default_graph", "reset_default_graph", v1_only=True)

#: Messages of each protocol-buffer module that have public names.
_MESSAGES = {
    "graph_pb2": ("GraphDef",),
    "node_def_pb2": ("NodeDef",),
    "attr_value_pb2": ("AttrValue", "NameAttrList"),
    "tensor_pb2": ("TensorProto",),
    "config_pb2": (
        "ConfigProto",
        "GPUOptions",
        "GraphOptions",
        "OptimizerOptions",
        "RunOptions",
        "RunMetadata",
    ),
    "meta_graph_pb2": ("MetaGraphDef", "SignatureDef", "TensorInfo"),
    "summary_pb2": ("Summary", "SummaryMetadata", "HistogramProto"),
    "event_pb2": ("Event", "SessionLog", "LogMessage"),
    "variable_pb2": ("VariableDef",),
}
for _module, _messages in _MESSAGES.items():
    for _name in _messages:
        export_value(f"featherflow.protos.{_module}", _name, v1_only=True)
for _name in (
    "Example",
    "Features",
    "Feature",
    "FeatureList",
    "FeatureLists",
    "SequenceExample",
    "BytesList",
    "FloatList",
    "Int64List",
):
    export_value("featherflow.protos.example_pb2", _name, f"train.{_name}")
export_value("featherflow.protos.saver_pb2", "SaverDef", "train.SaverDef", v1_only=True)
export_value("featherflow.protos.cluster_pb2", "ClusterDef", "train.ClusterDef")
export_value("featherflow.protos.cluster_pb2", "JobDef", "train.JobDef")

_VERSION = "featherflow._version"
export_value(_VERSION, "VERSION", "version.VERSION", "__version__")
for _name in (
    "GRAPH_DEF_VERSION",
    "GRAPH_DEF_VERSION_MIN_CONSUMER",
    "GRAPH_DEF_VERSION_MIN_PRODUCER",
    "VERSION",
):
    export_value(_VERSION, _name, f"version.{_name}")
    export_value(_VERSION, _name, v1_only=True)
