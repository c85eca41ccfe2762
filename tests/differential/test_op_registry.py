"""Every op that featherflow registers has the contract of TensorFlow's op of the same name.

Also checks that the ops with a gradient are those that have one in TensorFlow. What may differ is
listed below by op, each with its reason; a listed exception that is no longer one fails too.
"""

from __future__ import annotations

import gzip
import importlib
import json
import pkgutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import featherflow
from featherflow import _index
from featherflow import ops as ops_package
from featherflow.framework import dtypes
from featherflow.framework.op import Op, get_op, known_op_names
from featherflow.framework.op_def import ArgDef, AttrDef
from featherflow.framework.tensor_shape import TensorShape

TABLE = json.loads(gzip.decompress(Path(__file__).with_name("op_registry.json.gz").read_bytes()))
RECORDED: dict[str, dict[str, Any]] = TABLE["ops"]
FLAGS = ("is_commutative", "is_aggregate", "is_stateful", "allows_uninitialized_input")

# Ops that TensorFlow does not have, and why featherflow does.
OWN_OPS: dict[str, str] = {
    "_CapturedHandle": "the handle of an eager variable in a graph: TensorFlow captures it as an "
    "argument, which a session would have to be fed",
}
# Ops whose contract differs on purpose, and how.
OWN_CONTRACTS: dict[str, str] = {}
# Ops that have a gradient here and none in TensorFlow, or the reverse, and why.
_TRANSPOSED = "linear in the gradient that it passes on, and its transpose is an op"
_CALL = "TensorFlow's tf.gradients knows it by name; here its rule hangs on it as all others do"
_CONTRIB = "TensorFlow 1's tf.contrib.rnn registered it, and went with TensorFlow 2"
OWN_GRADIENTS: dict[str, str] = {
    "GRUBlockCell": _CONTRIB,
    "LSTMBlockCell": _CONTRIB,
    "LoopCond": "its output is a bool: there is nothing to differentiate",
    "MaxPoolGradGradV2": _TRANSPOSED,
    "MaxPoolGradGradWithArgmax": _TRANSPOSED,
    "MaxPoolGradWithArgmax": _TRANSPOSED,
    "PartitionedCall": _CALL,
    "ResizeBicubicGrad": _TRANSPOSED,
    "ResizeBilinearGrad": _TRANSPOSED,
    "ResizeNearestNeighborGrad": _TRANSPOSED,
    "StatefulPartitionedCall": _CALL,
    "SoftsignGrad": "TensorFlow cannot differentiate softsign twice; there is no reason not to",
}

# Families whose ops are all constants to `tf.gradients`, and why. TensorFlow refuses some of them.
_HANDLES = "a handle goes in and no number that could be differentiated comes out"
FAMILIES_OF_CONSTANTS: dict[str, str] = {
    "hash_table_ops": _HANDLES,
    "lookup_table_ops": _HANDLES,
    "queue_ops": _HANDLES,
    "variable_scatter_ops": _HANDLES,
}
# Ops that are constants to `tf.gradients` and refused by TensorFlow's, and why.
CONSTANTS: dict[str, str] = {
    "NonMaxSuppressionV3": "its output is integer, like those of the other versions",
}

# Gradients of some families are hung on their ops by modules above them.
for _module in pkgutil.iter_modules(ops_package.__path__, "featherflow.ops."):
    importlib.import_module(_module.name)
_PACKAGE = str(Path(featherflow.__file__).parent)
OPS = {
    name: op
    for name in sorted(known_op_names())
    if (op := get_op(name)).location.file.startswith(_PACKAGE)  # tests register ops of their own
}
_CONTRACT_NAMES = {"float16": "half", "float32": "float", "float64": "double"}


def test_table_covers_the_registry() -> None:
    assert len(RECORDED) > 1800
    kinds = {facts["gradient"] for facts in RECORDED.values()}
    assert kinds == {"registered", "not differentiable", "none"}


def test_there_are_ops() -> None:
    assert {"Const", "Placeholder", "MatMul", "Conv2D"} <= OPS.keys()


def test_ops_are_tensorflows() -> None:
    assert OPS.keys() - RECORDED.keys() == OWN_OPS.keys()


@pytest.mark.parametrize("name", sorted(OPS.keys() & RECORDED.keys()))
def test_contract(name: str) -> None:
    found = differences(contract_facts(OPS[name]), contract_of(RECORDED[name]))
    if name in OWN_CONTRACTS:
        assert found, f"{name} is TensorFlow's again: take it off OWN_CONTRACTS"
    else:
        assert not found, "\n".join([f"the contract of {name} is not TensorFlow's:", *found])


@pytest.mark.parametrize("name", sorted(OPS.keys() & RECORDED.keys()))
def test_gradient(name: str) -> None:
    ours = OPS[name].gradient_fn is not None
    theirs = RECORDED[name]["gradient"] == "registered"
    if name in OWN_GRADIENTS:
        assert ours != theirs, f"{name} is as in TensorFlow: take it off OWN_GRADIENTS"
    else:
        assert ours == theirs, f"TensorFlow's gradient of {name} is {RECORDED[name]['gradient']}"


@pytest.mark.parametrize("name", sorted(OPS.keys() & RECORDED.keys()))
def test_missing_gradient(name: str) -> None:
    """`tf.gradients` refuses the ops that TensorFlow's refuses, and takes others for constants."""
    op, theirs = OPS[name], RECORDED[name]["gradient"]
    if op.gradient_fn is not None or theirs == "registered":
        return
    family = _index.OP_FAMILIES[name].rsplit(".", 1)[-1]
    if family not in FAMILIES_OF_CONSTANTS and name not in CONSTANTS:
        assert op.refuses_gradients == (theirs == "none")


# --- facts of an op, as the table has them ------------------------------------------------------


def contract_of(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """The recorded contract; allowed values are a set (Mod lists one of them twice)."""
    attrs = [dict(attr) for attr in recorded.get("attrs", ())]
    for attr in attrs:
        if "allowed" in attr:
            attr["allowed"] = sorted(set(attr["allowed"]))
    return {
        "inputs": recorded.get("inputs", []),
        "outputs": recorded.get("outputs", []),
        "attrs": attrs,
        "flags": [flag for flag in FLAGS if flag in recorded.get("flags", ())],
    }


def contract_facts(op: Op) -> dict[str, Any]:
    """The contract of one of our ops."""
    return {
        "inputs": [arg_facts(arg) for arg in op.op_def.inputs],
        "outputs": [arg_facts(arg) for arg in op.op_def.outputs],
        "attrs": [attr_facts(attr) for attr in op.op_def.attrs],
        "flags": [flag for flag in FLAGS if getattr(op.op_def, flag)],
    }


def arg_facts(arg: ArgDef) -> dict[str, Any]:
    facts = {
        "name": arg.name,
        "type": None if arg.type is None else plain(arg.type),
        "type_attr": arg.type_attr,
        "number_attr": arg.number_attr,
        "type_list_attr": arg.type_list_attr,
        "is_ref": arg.is_ref,
    }
    return {name: value for name, value in facts.items() if value}


def attr_facts(attr: AttrDef) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": attr.name, "type": attr.type}
    if attr.has_default:
        facts["default"] = plain(attr.default)
    if attr.allowed_values is not None:
        facts["allowed"] = sorted(set(map(plain, attr.allowed_values)))
    if attr.minimum is not None:
        facts["minimum"] = attr.minimum
    return facts


def plain(value: Any) -> Any:
    """An attr's value as the table writes it."""
    if isinstance(value, dtypes.DType):
        return _CONTRACT_NAMES.get(value.name, value.name)
    if isinstance(value, TensorShape):
        return (
            "unknown" if value.rank is None else [-1 if d is None else d for d in value.as_list()]
        )
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, float):
        return float(str(np.float32(value)))
    return value


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """One line per fact that differs; arguments and attrs are compared by their place."""
    found = []
    for fact, expected in theirs.items():
        for place in range(max(len(expected), len(ours[fact]))):
            got, wanted = ours[fact][place : place + 1], expected[place : place + 1]
            if got != wanted:
                found.append(f"{fact}[{place}]: {got}, not {wanted}")
    return found


def test_differences_are_told() -> None:
    theirs = contract_of(RECORDED["Conv2D"])
    assert differences(theirs, theirs) == []
    changed = contract_of(RECORDED["Conv2D"])
    changed["attrs"][-1] = {**changed["attrs"][-1], "default": [1, 1]}
    changed["flags"] = ["is_stateful"]
    first, second = differences(changed, theirs)
    assert first.startswith("attrs[6]: ") and "[1, 1]" in first
    assert second == "flags[0]: ['is_stateful'], not []"
