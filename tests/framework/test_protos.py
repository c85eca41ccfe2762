"""The protocol buffers: schemas equal TensorFlow's, and every message goes through all formats."""

from __future__ import annotations

import importlib
import json
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from differential.proto_facts import Facts, describe_files
from google.protobuf import json_format, message_factory, text_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from featherflow import protos

FOLDER = Path(protos.__file__).parent
RECORD = Path(__file__).parent.parent / "differential" / "protos.json"


@cache
def recorded() -> Facts:
    facts = json.loads(RECORD.read_text(encoding="ascii"))
    assert facts.pop("tensorflow") == "2.21.0"
    return facts


@cache
def modules() -> list[ModuleType]:
    names = sorted(path.stem for path in FOLDER.glob("*_pb2.py"))
    return [importlib.import_module(f"featherflow.protos.{name}") for name in names]


@cache
def ours() -> Facts:
    return describe_files([module.DESCRIPTOR for module in modules()], "featherflow")


def test_the_messages_and_enums_are_those_of_tensorflow():
    assert sorted(ours()) == sorted(recorded())


@pytest.mark.parametrize("name", recorded())
def test_fields_and_values_are_those_of_tensorflow(name):
    assert ours()[name] == recorded()[name]


def test_files_and_packages_cannot_clash_with_those_of_tensorflow():
    for module in modules():
        assert module.DESCRIPTOR.name.startswith("featherflow/protos/")
        assert module.DESCRIPTOR.package.split(".")[0] == "featherflow"


def test_every_proto_file_has_its_module_and_stub():
    sources = {path.stem for path in FOLDER.glob("*.proto")}
    assert sources == {path.stem.removesuffix("_pb2") for path in FOLDER.glob("*_pb2.py")}
    assert sources == {path.stem.removesuffix("_pb2") for path in FOLDER.glob("*_pb2.pyi")}


def test_graph_module_offers_the_version():
    graph_pb2 = importlib.import_module("featherflow.protos.graph_pb2")
    versions_pb2 = importlib.import_module("featherflow.protos.versions_pb2")
    assert graph_pb2.VersionDef is versions_pb2.VersionDef


def all_messages(descriptors: list[Descriptor] | None = None) -> list[Descriptor]:
    if descriptors is None:
        tops = [module.DESCRIPTOR.message_types_by_name.values() for module in modules()]
        descriptors = [descriptor for top in tops for descriptor in top]
    found = []
    for descriptor in descriptors:
        if not descriptor.GetOptions().map_entry:
            found += [descriptor, *all_messages(list(descriptor.nested_types))]
    return found


def scalar(field: FieldDescriptor) -> Any:
    """A value that is not the default and is the same after any format."""
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    return {
        FieldDescriptor.CPPTYPE_BOOL: True,
        FieldDescriptor.CPPTYPE_FLOAT: -0.375,
        FieldDescriptor.CPPTYPE_DOUBLE: 1e-300,
        FieldDescriptor.CPPTYPE_INT32: -(2**31),
        FieldDescriptor.CPPTYPE_INT64: -(2**63),
        FieldDescriptor.CPPTYPE_UINT32: 2**32 - 1,
        FieldDescriptor.CPPTYPE_UINT64: 2**64 - 1,
        FieldDescriptor.CPPTYPE_STRING: (
            b"\x00\xff\n" if field.type == FieldDescriptor.TYPE_BYTES else "naïve\n"
        ),
    }[field.cpp_type]


def fill(message: Message, depth: int) -> None:
    """Sets every field (of a oneof the last), and messages inside down to a depth."""
    for field in message.DESCRIPTOR.fields:
        target = getattr(message, field.name)
        entry = field.message_type
        if entry is not None and entry.GetOptions().map_entry:
            key = scalar(entry.fields_by_name["key"])
            if entry.fields_by_name["value"].message_type is None:
                target[key] = scalar(entry.fields_by_name["value"])
            elif depth > 0:
                fill(target[key], depth - 1)
        elif entry is not None:
            is_repeated = hasattr(target, "add")
            inside = target.add() if is_repeated else target
            if not is_repeated:
                inside.SetInParent()
            if depth > 0 and not entry.full_name.startswith("google."):
                fill(inside, depth - 1)
        elif hasattr(target, "append"):
            target.extend([scalar(field)] * 2)
        else:
            setattr(message, field.name, scalar(field))


@pytest.mark.parametrize("descriptor", all_messages(), ids=lambda each: each.full_name)
def test_every_message_goes_through_bytes_text_and_json(descriptor):
    message_class = message_factory.GetMessageClass(descriptor)
    message = message_class()
    fill(message, depth=2)
    if descriptor.fields:
        assert message.ListFields()
    assert message_class.FromString(message.SerializeToString()) == message
    assert text_format.Parse(text_format.MessageToString(message), message_class()) == message
    assert json_format.Parse(json_format.MessageToJson(message), message_class()) == message
