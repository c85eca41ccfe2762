"""GraphDefs for tests, written down node by node.

graph_def(node("x", "Placeholder", dtype=float32), node("y", "Identity", "x ^init", T=float32))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.attr_value import NameAttrList, attr_type_of, attr_value_to_proto
from featherflow.framework.dtypes import DType, float32, from_numpy
from featherflow.framework.tensor_shape import TensorShape
from featherflow.protos.function_pb2 import FunctionDef
from featherflow.protos.graph_pb2 import GraphDef
from featherflow.protos.node_def_pb2 import NodeDef


def node(name: str, op: str, inputs: str = "", device: str = "", **attrs: Any) -> NodeDef:
    """A NodeDef; inputs are separated by spaces, attributes are in internal form."""
    message = NodeDef(name=name, op=op, input=inputs.split(), device=device)
    for key, value in attrs.items():
        attr_value_to_proto(value, attr_type_of(value), message.attr[key])
    return message


def graph_def(*nodes: NodeDef, producer: int = 2474, functions: Any = (), **versions: Any) -> Any:
    """A GraphDef of some nodes and FunctionDefs."""
    message = GraphDef(node=nodes)
    message.versions.producer = producer
    message.versions.min_consumer = versions.get("min_consumer", 0)
    message.versions.bad_consumers.extend(versions.get("bad_consumers", ()))
    if functions:
        message.library.function.extend(functions)
    return message


def placeholder(name: str, dtype: DType = float32, shape: Any = None) -> NodeDef:
    return node(name, "Placeholder", dtype=dtype, shape=TensorShape(shape))


def identity(name: str, source: str, **attrs: Any) -> NodeDef:
    return node(name, "Identity", source, T=float32, **attrs)


def const(name: str, value: Any) -> NodeDef:
    array = np.asarray(value)
    return node(name, "Const", dtype=from_numpy(array.dtype), value=array)


def function(
    name: str, inputs: dict[str, Any], outputs: dict[str, Any], nodes: Any, ret: dict[str, str]
) -> FunctionDef:
    """A FunctionDef; types are dtypes, or names of type attributes."""
    message = FunctionDef(node_def=nodes, ret=ret)
    message.signature.name = name
    attrs = set()
    for field, args in (("input_arg", inputs), ("output_arg", outputs)):
        for arg, kind in args.items():
            added = getattr(message.signature, field).add(name=arg)
            if isinstance(kind, DType):
                added.type = kind.as_datatype_enum
            else:
                added.type_attr = kind
                attrs.add(kind)
    for attr in sorted(attrs):
        message.signature.attr.add(name=attr, type="type")
    return message


def calling(name: str) -> NameAttrList:
    """The value of an attribute that names a function."""
    return NameAttrList(name)
