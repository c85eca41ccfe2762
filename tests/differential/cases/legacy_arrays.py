"""TensorArrays and stacks of old programs: GraphDefs that today's functions no longer write."""

from __future__ import annotations

import numpy as np

from ..case import Case, case
from ..inputs import normal

FLOAT, INT32, INT64 = 1, 3, 9
OLD_PRODUCER = 8


class OldGraph:
    """A GraphDef under construction, as a program of early 2016 wrote them."""

    def __init__(self, tf):
        self.tf = tf
        self.graph_def = tf.GraphDef()
        self.graph_def.versions.producer = OLD_PRODUCER

    def constant(self, name, value):
        node = self.node(name, "Const")
        array = np.asarray(value)
        node.attr["dtype"].type = {"f": FLOAT, "i": INT32}[array.dtype.kind]
        if array.dtype == np.int64:
            node.attr["dtype"].type = INT64
        node.attr["value"].tensor.CopyFrom(self.tf.make_tensor_proto(array))
        return name

    def node(self, name, op, *inputs, **types):
        node = self.graph_def.node.add(name=name, op=op)
        node.input.extend(inputs)
        for attr, value in types.items():
            if isinstance(value, bool):
                node.attr[attr].b = value
            else:
                node.attr[attr].type = value
        return node

    def load(self, *names):
        return self.tf.import_graph_def(self.graph_def, return_elements=list(names), name="")


def _array_program(suffix):
    def program(tf):
        old = OldGraph(tf)
        old.constant("size", np.int32(3))
        old.constant("flow", np.float32(0))
        old.constant("rows", normal(3, 2))
        old.constant("places", np.int32([2, 0, 1]))
        old.constant("one", np.int32(1))
        old.constant("other", normal(2, seed=5))
        array = old.node("array", f"TensorArray{suffix}", "size", dtype=FLOAT)
        array.attr["clear_after_read"].b = False
        scatter = f"TensorArrayScatter{suffix}"
        old.node("scattered", scatter, "array", "places", "rows", "flow", T=FLOAT)
        read = f"TensorArrayRead{suffix}"
        old.node("read", read, "array", "one", "scattered", dtype=FLOAT)
        gather = f"TensorArrayGather{suffix}"
        old.node("gathered", gather, "array", "places", "scattered", dtype=FLOAT)
        concat = f"TensorArrayConcat{suffix}"
        old.node("joined", concat, "array", "scattered", dtype=FLOAT)
        old.node("length", f"TensorArraySize{suffix}", "array", "scattered")
        names = ("read:0", "gathered:0", "joined:0", "joined:1", "length:0")
        return list(old.load(*names))

    return program


def _split_program(suffix):
    def program(tf):
        old = OldGraph(tf)
        old.constant("size", np.int32(2))
        old.constant("flow", np.float32(0))
        old.constant("rows", normal(5, 2))
        old.constant("lengths", np.int64([2, 3]))
        old.constant("zero", np.int32(0))
        old.constant("one", np.int32(1))
        old.node("array", f"TensorArray{suffix}", "size", dtype=FLOAT)
        split = f"TensorArraySplit{suffix}"
        old.node("split", split, "array", "rows", "lengths", "flow", T=FLOAT)
        read = f"TensorArrayRead{suffix}"
        old.node("first", read, "array", "zero", "split", dtype=FLOAT)
        old.node("second", read, "array", "one", "split", dtype=FLOAT)
        return list(old.load("first:0", "second:0"))

    return program


def _gradient_program(suffix):
    def program(tf):
        old = OldGraph(tf)
        old.constant("size", np.int32(1))
        old.constant("flow", np.float32(0))
        old.constant("value", normal(3))
        old.constant("zero", np.int32(0))
        array = old.node("array", f"TensorArray{suffix}", "size", dtype=FLOAT)
        array.attr["clear_after_read"].b = False
        write = f"TensorArrayWrite{suffix}"
        old.node("written", write, "array", "zero", "value", "flow", T=FLOAT)
        gradient = old.node("gradient", f"TensorArrayGrad{suffix}", "array", "written")
        gradient.attr["source"].s = b"gradients"
        old.node("first", write, "gradient", "zero", "value", "written", T=FLOAT)
        old.node("second", write, "gradient", "zero", "value", "first", T=FLOAT)
        read = f"TensorArrayRead{suffix}"
        old.node("sum", read, "gradient", "zero", "second", dtype=FLOAT)
        return list(old.load("sum:0"))

    return program


for _suffix in ("", "V2"):
    _label = _suffix.lower() or "v1"
    case(f"array_{_label}")(_array_program(_suffix))
    case(f"split_{_label}")(_split_program(_suffix))
    if _suffix:  # the first version's gradient op takes no ref, as its array is
        case(f"gradient_{_label}")(_gradient_program(_suffix))


@case
def packed_and_unpacked(tf):
    old = OldGraph(tf)
    old.constant("size", np.int32(3))
    old.constant("flow", np.float32(0))
    old.constant("rows", normal(3, 2))
    old.node("array", "TensorArray", "size", dtype=FLOAT)
    old.node("unpacked", "TensorArrayUnpack", "array", "rows", "flow", T=FLOAT)
    old.node("packed", "TensorArrayPack", "array", "unpacked", dtype=FLOAT)
    return list(old.load("packed:0"))


@case
def stacks(tf):
    old = OldGraph(tf)
    old.constant("first", normal(2))
    old.constant("second", normal(2, seed=1))
    stack = old.node("stack", "Stack", elem_type=FLOAT)
    stack.attr["stack_name"].s = b"mine"
    old.node("push_first", "StackPush", "stack", "first", T=FLOAT)
    old.node("push_second", "StackPush", "stack", "second", "^push_first", T=FLOAT)
    old.node("pop_second", "StackPop", "stack", "^push_second", elem_type=FLOAT)
    old.node("pop_first", "StackPop", "stack", "^pop_second", elem_type=FLOAT)
    return Case(list(old.load("pop_second:0", "pop_first:0", "push_second:0")), runs=2)
