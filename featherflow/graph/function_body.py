"""Makes the graph of a FunctionDef: its arguments are placeholders, its results tensors.

Inside a FunctionDef tensors have other names than in a GraphDef: `arg`, or `node:output:index`,
where the index counts within the output argument called `output`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from featherflow.framework.attr_value import attr_value_from_proto
from featherflow.framework.errors import OpError
from featherflow.framework.op import Op, find_op, flat_arg_dtypes, get_op
from featherflow.framework.op_def import ArgDef
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph import Graph
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.graph.graph_def_nodes import ImportedNode, TensorKey, creation_order, read_nodes
from featherflow.graph.needed_ops import needed_ops
from featherflow.graph.node_def_attrs import OUTPUT_SHAPES, AttrReader, tensor_count
from featherflow.graph.node_importer import NodeImporter
from featherflow.graph.op_def_message import op_def_from_message
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

Body = tuple[Graph, list[Tensor], list[Tensor], list[Operation]]


def read_body(
    message: Any,
    library: Mapping[str, Any],
    attrs: Mapping[str, Any],
    contents: Sequence[memoryview] = (),
    input_shapes: Sequence[TensorShape] = (),
) -> Body:
    """The graph of a function, its arguments, results and control outputs.

    Args:
      message: the FunctionDef.
      library: the functions that it may call, by name.
      attrs: values of the attributes in the function's signature.
      contents: what `detach_contents` took out of the file of the message.
      input_shapes: of the arguments; without them they have the shapes that the FunctionDef says.
    Raises:
      GraphDefError: the FunctionDef is damaged, or an attribute has no value.
      NotFoundError: ops are not known.
    """
    return _BodyReader(message, library, attrs, contents).read(input_shapes)


class _BodyReader:
    def __init__(
        self,
        message: Any,
        library: Mapping[str, Any],
        attrs: Mapping[str, Any],
        contents: Sequence[memoryview],
    ) -> None:
        self._message = message
        self._op_def = op_def_from_message(message.signature)
        self._attrs = self._complete(attrs)
        self._attr_reader = AttrReader(contents, self._attrs)
        self._library = library
        self._graph = Graph()
        self._graph._functions = library  # type: ignore[assignment]
        self._args: dict[TensorKey, Tensor] = {}
        self._arg_names = {arg.name for arg in self._op_def.inputs}
        self._nodes: dict[str, ImportedNode] = {}

    def read(self, input_shapes: Sequence[TensorShape]) -> Body:
        self._make_args(input_shapes)
        inputs = list(self._args.values())
        definitions = needed_ops(self._message.node_def, self._find_definition, {})
        self._nodes = read_nodes(self._message.node_def, definitions)
        for node in self._nodes.values():
            node.read_inputs(self._tensor_key)
        controls = {name: tensor.op for (name, index), tensor in self._args.items() if not index}
        names = {name: name for name in self._nodes}
        importer = NodeImporter(
            self._graph, self._nodes, names, self._args, controls, self._attr_reader
        )
        for node in creation_order(self._nodes, self._args, controls):
            importer.make(node)
        importer.close_loops()
        importer.add_to_graph(check_colocation=False)
        outputs = self._results(importer.made)
        return self._graph, inputs, outputs, self._control_results(importer.made)

    def _find_definition(self, name: str) -> Op | None:
        definition = find_op(name)
        if definition is None and name in self._library:
            definition = self._library[name].definition
        return definition

    def _complete(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        complete = {}
        for attr in self._op_def.attrs:
            if attr.name in attrs:
                complete[attr.name] = attrs[attr.name]
            elif attr.has_default:
                complete[attr.name] = attr.default
            else:
                raise self._error(f"Its attr '{attr.name}' has no value")
        return complete

    def _error(self, message: str) -> GraphDefError:
        return GraphDefError(f"Function '{self._message.signature.name}': {message}")

    # --- arguments --------------------------------------------------------------------

    def _make_args(self, shapes: Sequence[TensorShape]) -> None:
        placeholder = get_op("Placeholder")
        position = 0
        for arg in self._op_def.inputs:
            for index, dtype in enumerate(self._dtypes(arg)):
                name = f"{arg.name}_{index}" if arg.is_list else arg.name
                shape = shapes[position] if shapes else self._recorded_shape(position)
                attrs = {"dtype": dtype, "shape": shape}
                node = self._graph.add_node(placeholder, [], attrs, self._graph.unique_name(name))
                self._args[arg.name, index] = node.outputs[0]
                position += 1

    def _dtypes(self, arg: ArgDef) -> list[Any]:
        try:
            tensor_count((arg,), self._attrs)
        except ValueError as error:
            raise self._error(f"Argument '{arg.name}': {error}") from None
        return flat_arg_dtypes((arg,), self._attrs)

    def _recorded_shape(self, position: int) -> TensorShape:
        """The shape with which the function was traced, if it is there."""
        attrs = self._message.arg_attr[position].attr if position in self._message.arg_attr else {}
        if OUTPUT_SHAPES not in attrs:
            return UNKNOWN
        try:
            shapes = attr_value_from_proto(attrs[OUTPUT_SHAPES], "list(shape)")
        except (OpError, ValueError) as error:
            raise self._error(f"The shape of argument {position} is damaged: {error}") from None
        return shapes[0] if len(shapes) == 1 else UNKNOWN

    # --- names of tensors -------------------------------------------------------------

    def _tensor_key(self, text: str) -> TensorKey:
        """`arg`, `arg:1`, `node:output` or `node:output:1` as (name, index of the output)."""
        name, *rest = text.split(":")
        if name in self._arg_names:
            return name, self._index(rest[0], text) if rest else 0
        node = self._nodes.get(name)
        if node is None:
            raise self._error(f"input {text} is not found")
        if not rest:
            raise self._error(f"input {text} names a node; a tensor is 'node:output:index'")
        first, count = self._outputs_of(node, rest[0], text)
        index = self._index(rest[1], text) if len(rest) > 1 else 0
        if index >= count:
            raise self._error(f"input {text} is not found: '{rest[0]}' is {count} tensors")
        return name, first + index

    def _index(self, text: str, whole: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 9:
            raise self._error(f"input {whole} is not found: '{text}' is no index")
        return int(text)

    def _outputs_of(self, node: ImportedNode, output: str, text: str) -> tuple[int, int]:
        """The first of the tensors that an output argument stands for, and their number."""
        args = node.definition.op_def.outputs
        attrs: Mapping[str, Any] = {}
        if any(arg.is_list for arg in args):
            attrs = self._attr_reader.read(node.definition, node.proto.attr, node.name)
        first = 0
        for arg in args:
            try:
                count = tensor_count((arg,), attrs)
            except ValueError as error:
                raise node.error(str(error)) from None
            if arg.name == output:
                return first, count
            first += count
        raise self._error(
            f"input {text} is not found: {node.definition.name} has the outputs "
            f"{', '.join(arg.name for arg in args) or 'none'}"
        )

    # --- results ----------------------------------------------------------------------

    def _results(self, made: Mapping[str, Operation]) -> list[Tensor]:
        outputs: list[Tensor] = []
        for arg in self._op_def.outputs:
            if arg.name not in self._message.ret:
                raise self._error(f"Return {arg.name} is missing")
            name, first = self._tensor_key(self._message.ret[arg.name])
            for offset, dtype in enumerate(self._dtypes(arg)):
                key = name, first + offset
                tensor = self._args.get(key)
                if tensor is None:
                    found = made[name].outputs if name in made else []
                    if key[1] >= len(found):
                        raise self._error(
                            f"Return {arg.name} -> {self._message.ret[arg.name]} is not found"
                        )
                    tensor = found[key[1]]
                if tensor.dtype.base_dtype is not dtype.base_dtype:
                    raise self._error(
                        f"Return {arg.name} has type {tensor.dtype.name}, expected {dtype.name}"
                    )
                outputs.append(tensor)
        return outputs

    def _control_results(self, made: Mapping[str, Operation]) -> list[Operation]:
        controls = []
        for name in self._message.signature.control_output:
            target = self._message.control_ret.get(name, name)
            if target not in made:
                raise self._error(f"Control return {name} -> {target} is not found")
            controls.append(made[target])
        return controls
