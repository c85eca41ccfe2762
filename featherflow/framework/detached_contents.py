"""Reads large tensors straight out of a serialised graph, without a copy of their bytes.

A protobuf parser copies what it reads, and copies it again when it is asked for. So, before a
graph is parsed, the contents of its large tensors are taken out: the parser gets a small message,
in which a negative `version_number` (TensorFlow writes none) says which content belongs there, and
the contents stay what they are, slices of the file.

    small, contents = detach_contents(mapped_file, "GraphDef")
    graph_def = GraphDef.FromString(small)
    ... ndarray_from_proto(tensor, contents) ...
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from featherflow.framework.varint import encode_varint, read_varint

#: Smaller tensors cost less to copy than to look for.
MINIMUM_BYTES = 4096

_VERSION_NUMBER_TAG = 3 << 3
_CONTENT_FIELD = 4

# Where tensors are: for each message, the fields that lead to one, and the messages in them.
_PATHS: dict[str, dict[int, str]] = {
    "SavedModel": {2: "MetaGraphDef"},
    "MetaGraphDef": {2: "GraphDef"},
    "GraphDef": {1: "NodeDef", 2: "FunctionDefLibrary"},
    "FunctionDefLibrary": {1: "FunctionDef"},
    "FunctionDef": {3: "NodeDef"},
    "NodeDef": {5: "NodeDef.AttrEntry"},
    "NodeDef.AttrEntry": {2: "AttrValue"},
    "AttrValue": {1: "AttrValue.ListValue", 8: "TensorProto"},
    "AttrValue.ListValue": {8: "TensorProto"},
    "TensorProto": {_CONTENT_FIELD: "content"},
}


def detach_contents(
    data: bytes | memoryview, message_type: str, minimum: int = MINIMUM_BYTES
) -> tuple[bytes | memoryview, list[memoryview]]:
    """Takes the contents of large tensors out of a serialised message.

    Args:
      data: the message, such as a mapped file.
      message_type: "GraphDef", "MetaGraphDef" or "SavedModel".
      minimum: the size in bytes from which on a content is taken out.

    Returns:
      The message without them, and the contents: slices of `data`. Damaged messages come back
      whole, for the parser to complain about.
    """
    detacher = _Detacher(minimum)
    view = memoryview(data)
    try:
        chunks = detacher.message(view, message_type)
    except ValueError:
        return data, []
    if not detacher.contents:
        return data, []
    return b"".join(chunks), detacher.contents


class _Detacher:
    """Copies a message in chunks, and collects the contents that it leaves out."""

    def __init__(self, minimum: int) -> None:
        self.minimum = minimum
        self.contents: list[memoryview] = []

    def message(self, view: memoryview, message_type: str) -> list[bytes | memoryview]:
        """The chunks that make up the message without its large contents."""
        chunks: list[bytes | memoryview] = []
        paths = _PATHS[message_type]
        kept_from = 0
        for number, field_start, start, end in _large_fields(view, self.minimum):
            inside = paths.get(number)
            if inside is None:
                continue
            chunks.append(view[kept_from:field_start])
            kept_from = end
            if inside == "content":
                chunks.append(self._mark(view[start:end]))
                continue
            below = self.message(view[start:end], inside)
            size = sum(map(len, below))
            chunks += [encode_varint(number << 3 | 2), encode_varint(size), *below]
        chunks.append(view[kept_from:])
        return chunks

    def _mark(self, content: memoryview) -> bytes:
        self.contents.append(content)
        # A negative int32 is written as the 64 bits of its two's complement.
        return bytes([_VERSION_NUMBER_TAG]) + encode_varint(2**64 - len(self.contents))


def _large_fields(view: memoryview, minimum: int) -> Iterator[tuple[int, int, int, int]]:
    """Yields number, start of field, start and end of value of fields that hold many bytes.

    Raises:
      ValueError: the message is damaged, or holds groups, which no message of ours does.
    """
    position, size = 0, len(view)
    while position < size:
        field_start = position
        tag, position = read_varint(view, position)
        wire_type = tag & 7
        if wire_type == 2:
            length, position = read_varint(view, position)
            start, position = position, position + length
            if length >= minimum and position <= size:
                yield tag >> 3, field_start, start, position
        elif wire_type == 0:
            _, position = read_varint(view, position)
        elif wire_type in (1, 5):
            position += 8 if wire_type == 1 else 4
        else:
            raise ValueError(f"wire type {wire_type}")
    if position != size:
        raise ValueError("a field ends beyond the message")


def content_of(version_number: int, contents: Sequence[memoryview]) -> memoryview | None:
    """The content that a tensor's version number stands for; None if it stands for none.

    Raises:
      ValueError: there is no such content, so the file itself had the number.
    """
    if version_number >= 0 or not contents:
        return None
    index = -1 - version_number
    if index >= len(contents):
        raise ValueError(f"A TensorProto has version number {version_number}, expected 0.")
    return contents[index]
