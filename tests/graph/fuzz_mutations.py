"""Ways to damage a GraphDef, each a function of the message and a random generator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from google.protobuf.message import DecodeError

from featherflow.protos.graph_pb2 import GraphDef
from featherflow.protos.node_def_pb2 import NodeDef

Mutation = Callable[[GraphDef, Random], None]

HOSTILE_SIZES = (-(2**63), -2, -1, 0, 1, 3, 2**16, 2**31 - 1, 2**31, 2**40, 2**62, 2**63 - 1)
HOSTILE_NAMES = ("", "^", ":", "x:1", "a/../b", "\x00", "é", "loc:@", "n" * 5000, "import/x", "^^x")
HOSTILE_FLOATS = (float("nan"), float("inf"), -float("inf"), 1e38, -0.0, 1e-45)
_LARGEST_DTYPE = 131


def mutated(seed: GraphDef, random: Random) -> GraphDef | bytes:
    """A copy of `seed` with some damage; bytes where the damage is done to these."""
    message = GraphDef()
    message.CopyFrom(seed)
    if random.random() < 0.1:
        return flipped_bytes(message.SerializeToString(), random)
    for _ in range(random.choice((1, 1, 1, 2, 3, 6))):
        random.choice(random.choice((_OF_VALUES, _OF_STRUCTURE)))(message, random)
    return message


def flipped_bytes(data: bytes, random: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(random.choice((1, 2, 8))):
        if damaged:
            damaged[random.randrange(len(damaged))] = random.randrange(256)
    return bytes(damaged[: random.choice((len(damaged), random.randrange(len(damaged) + 1)))])


def _nodes(message: GraphDef) -> list[NodeDef]:
    inside = [node for item in message.library.function for node in item.node_def]
    return [*message.node, *inside]


def _node(message: GraphDef, random: Random) -> NodeDef:
    return random.choice(_nodes(message) or [message.node.add()])


def drop_node(message: GraphDef, random: Random) -> None:
    if message.node:
        del message.node[random.randrange(len(message.node))]


def double_node(message: GraphDef, random: Random) -> None:
    message.node.add().CopyFrom(_node(message, random))


def shuffle_nodes(message: GraphDef, random: Random) -> None:
    nodes = list(message.node)
    random.shuffle(nodes)
    copies = [NodeDef.FromString(node.SerializeToString()) for node in nodes]
    del message.node[:]
    message.node.extend(copies)


def change_op(message: GraphDef, random: Random) -> None:
    _node(message, random).op = random.choice([node.op for node in _nodes(message)] or ["NoOp"])


def change_name(message: GraphDef, random: Random) -> None:
    names = [node.name for node in _nodes(message)]
    _node(message, random).name = random.choice([*names, *HOSTILE_NAMES])


def change_device(message: GraphDef, random: Random) -> None:
    _node(message, random).device = random.choice((*HOSTILE_NAMES, "/gpu:99", "/job:a/cpu:*"))


def change_input(message: GraphDef, random: Random) -> None:
    """Often a cycle: any node, or an output that it does not have."""
    node = _node(message, random)
    sources = [item.name for item in _nodes(message)]
    source = random.choice([*sources, *HOSTILE_NAMES])
    text = random.choice(("{}", "{}:0", "{}:1", "^{}", "{}:999999999999")).format(source)
    if node.input and random.random() < 0.8:
        node.input[random.randrange(len(node.input))] = text
    else:
        node.input.append(text)


def drop_input(message: GraphDef, random: Random) -> None:
    node = _node(message, random)
    if node.input:
        del node.input[random.randrange(len(node.input))]


def drop_attr(message: GraphDef, random: Random) -> None:
    node = _node(message, random)
    if node.attr:
        del node.attr[random.choice(sorted(node.attr))]


def swap_attrs(message: GraphDef, random: Random) -> None:
    first, second = _node(message, random), _node(message, random)
    if first.attr and second.attr:
        source = second.attr[random.choice(sorted(second.attr))]
        first.attr[random.choice(sorted(first.attr))].CopyFrom(source)


def change_attr(message: GraphDef, random: Random) -> None:
    node = _node(message, random)
    if node.attr:
        _change_value(node.attr[random.choice(sorted(node.attr))], random)


def _change_value(value: Any, random: Random) -> None:
    """A value of the same kind where that is a number, a size or a dtype; else another kind."""
    kind = value.WhichOneof("value")
    if kind == "type":
        value.type = random.randrange(_LARGEST_DTYPE)
    elif kind == "i":
        value.i = random.choice(HOSTILE_SIZES)
    elif kind == "f":
        value.f = random.choice(HOSTILE_FLOATS)
    elif kind == "s":
        value.s = random.choice((b"", b"\xff", b"SAME", value.s * 2))
    elif kind == "shape":
        _change_shape(value.shape, random)
    elif kind == "tensor":
        _change_tensor(value.tensor, random)
    elif kind == "func":
        value.func.name = random.choice((value.func.name * 2, "Inner", "Outer", "IsSmall", "Neg"))
    elif kind == "list" and value.list.i:
        value.list.i[random.randrange(len(value.list.i))] = random.choice(HOSTILE_SIZES)
    else:
        value.i = random.choice(HOSTILE_SIZES)


def _change_shape(shape: Any, random: Random) -> None:
    if shape.dim and random.random() < 0.7:
        random.choice(list(shape.dim)).size = random.choice(HOSTILE_SIZES)
    elif random.random() < 0.5:
        shape.dim.add().size = random.choice(HOSTILE_SIZES)
    else:
        shape.unknown_rank = not shape.unknown_rank


def _change_tensor(tensor: Any, random: Random) -> None:
    match random.randrange(4):
        case 0:
            tensor.dtype = random.randrange(_LARGEST_DTYPE)
        case 1:
            _change_shape(tensor.tensor_shape, random)
        case 2:
            tensor.tensor_content = random.randbytes(random.choice((0, 1, 4, 8, 64)))
        case 3:
            for values in (tensor.int_val, tensor.int64_val):
                if values:
                    large = 2**31 - 1 if values is tensor.int_val else 2**63 - 1
                    values[random.randrange(len(values))] = random.choice((-1, 0, 7, large))


def huge_integers(message: GraphDef, random: Random) -> None:
    """Makes an integer constant huge, from which an op takes the size of its output."""
    constants = [
        node
        for node in _nodes(message)
        if "value" in node.attr and node.attr["value"].tensor.dtype in (3, 9)
    ]
    if constants:
        tensor = random.choice(constants).attr["value"].tensor
        size = random.choice((1000, 10**6, 2**31 - 1))
        tensor.tensor_content = b""
        del tensor.int_val[:], tensor.int64_val[:]
        (tensor.int_val if tensor.dtype == 3 else tensor.int64_val).append(size)


def change_versions(message: GraphDef, random: Random) -> None:
    versions = message.versions
    versions.producer = random.choice((-1, 0, 21, 2474, 2**31 - 1))
    versions.min_consumer = random.choice((0, 0, 12, 2**31 - 1))


def change_function(message: GraphDef, random: Random) -> None:
    if not message.library.function:
        return
    item = random.choice(list(message.library.function))
    match random.randrange(4):
        case 0:
            item.signature.name = random.choice([*HOSTILE_NAMES, "Inner", "Outer", "Identity"])
        case 1:
            for key in sorted(item.ret):
                item.ret[key] = random.choice([*HOSTILE_NAMES, "a", "i:o:5", "same:output:0"])
        case 2:
            item.signature.input_arg.add(name=random.choice(("a", "q")), type=random.randrange(30))
        case 3:
            del item.signature.output_arg[:]


#: Values of attributes are damaged most: such graphs often import, and then have to run.
_OF_VALUES: tuple[Mutation, ...] = (change_attr, huge_integers)
_OF_STRUCTURE: tuple[Mutation, ...] = (
    *(drop_node, double_node, shuffle_nodes, change_op, change_name, change_device),
    *(change_input, change_input, drop_input, drop_attr, swap_attrs),
    *(change_versions, change_function),
)


def messages(seed: GraphDef, random: Random) -> Iterator[GraphDef]:
    """The damaged message, unless its bytes are no message any more."""
    damaged = mutated(seed, random)
    if isinstance(damaged, bytes):
        try:
            damaged = GraphDef.FromString(damaged)
        except DecodeError:
            return
    yield damaged
