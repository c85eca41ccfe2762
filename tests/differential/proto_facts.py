"""States the facts of protocol buffer descriptors as plain text, comparable across libraries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from google.protobuf import descriptor_pb2

Facts = dict[str, dict[str, str]]
_Field = descriptor_pb2.FieldDescriptorProto
_NOT_PACKABLE = (_Field.TYPE_STRING, _Field.TYPE_BYTES, _Field.TYPE_MESSAGE, _Field.TYPE_GROUP)


def describe_files(files: Iterable[Any], package: str) -> Facts:
    """Returns the facts of all messages and enums of files and of the files they import.

    Args:
        files: File descriptors.
        package: Root package; only its files count, and its name is left out of all names.

    Returns:
        From the name of each message or enum to its members. A message has a text for each field:
        number, label, type, and what else matters to bytes and to the API. An enum has numbers.
    """
    facts: Facts = {}
    pending, seen = list(files), set()
    while pending:
        file = pending.pop()
        if file.name in seen:
            continue
        seen.add(file.name)
        pending.extend(file.dependencies)
        if file.package.split(".")[0] == package:
            proto = descriptor_pb2.FileDescriptorProto()
            file.CopyToProto(proto)
            _Describer(facts, proto.syntax == "proto3", package).describe(proto)
    return dict(sorted(facts.items()))


class _Describer:
    """Adds the facts of one file."""

    def __init__(self, facts: Facts, is_proto3: bool, package: str) -> None:
        self.facts = facts
        self.is_proto3 = is_proto3
        self.root = f".{package}."

    def describe(self, file: descriptor_pb2.FileDescriptorProto) -> None:
        scope = f".{file.package}."
        for message in file.message_type:
            self._message(message, scope)
        for enum in file.enum_type:
            self._enum(enum, scope)

    def _short(self, name: str) -> str:
        return name.removeprefix(self.root)

    def _enum(self, enum: descriptor_pb2.EnumDescriptorProto, scope: str) -> None:
        members = {value.name: str(value.number) for value in enum.value}
        self.facts["enum " + self._short(scope + enum.name)] = members

    def _message(self, message: descriptor_pb2.DescriptorProto, scope: str) -> None:
        name = scope + message.name
        oneofs = [oneof.name for oneof in message.oneof_decl]
        fields = sorted(message.field, key=lambda field: field.number)
        rows = {field.name: self._field(field, oneofs) for field in fields}
        if message.options.map_entry:  # keys and values are always written, in proto2 too
            rows = {key: row.removesuffix(" presence") for key, row in rows.items()}
            rows["is"] = "map entry"
        self.facts[self._short(name)] = rows
        for nested in message.nested_type:
            self._message(nested, name + ".")
        for enum in message.enum_type:
            self._enum(enum, name + ".")

    def _field(self, field: descriptor_pb2.FieldDescriptorProto, oneofs: list[str]) -> str:
        type_name = self._short(field.type_name) or _Field.Type.Name(field.type)[5:].lower()
        words = [str(field.number), type_name]
        if field.label == _Field.LABEL_REPEATED:
            words.append("repeated")
            packable = field.type not in _NOT_PACKABLE
            default = self.is_proto3 and packable
            if field.options.packed if field.options.HasField("packed") else default:
                words.append("packed")
        elif field.HasField("oneof_index") and not field.proto3_optional:
            words.append("oneof " + oneofs[field.oneof_index])
        elif field.type != _Field.TYPE_MESSAGE and (field.proto3_optional or not self.is_proto3):
            words.append("presence")
        if field.options.deprecated:
            words.append("deprecated")
        return " ".join(words)
