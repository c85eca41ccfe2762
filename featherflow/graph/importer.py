"""import_graph_def: the nodes and functions of a GraphDef become part of a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from featherflow._version import (
    GRAPH_DEF_VERSION,
    GRAPH_DEF_VERSION_MIN_PRODUCER,
    TENSORFLOW_VERSION,
)
from featherflow.framework import dispatch, mode
from featherflow.framework.detached_contents import detach_contents
from featherflow.framework.exports import export
from featherflow.framework.op import Op, find_op
from featherflow.framework.tensor_conversion import convert
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.function_def import GraphFunction, functions_of_library
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.graph.graph_def_nodes import (
    ImportedNode,
    TensorKey,
    creation_order,
    key_text,
    read_nodes,
    tensor_key,
)
from featherflow.graph.needed_ops import needed_ops
from featherflow.graph.node_def_attrs import AttrReader, unknown_defaults
from featherflow.graph.node_importer import NodeImporter
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor


@export("import_graph_def", "graph_util.import_graph_def")
def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Iterable[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
    *,
    validate_colocation_constraints: bool = True,
) -> list[Any] | None:
    """Adds the nodes and functions of a GraphDef to the default graph; all of them or none.

    Args:
      graph_def: a GraphDef message; or its serialised bytes, such as a mapped file, whose large
        constants are then used where they are, without a copy.
      input_map: tensors that take the place of inputs: "node", "node:1", or "^node" for a control
        input, to a tensor or what becomes one.
      return_elements: names of nodes ("node") and tensors ("node:0") of the GraphDef to return.
      name: prefix of the names of all nodes; None means "import", "" no prefix. Names that are
        taken get a number.
      op_dict: no longer used.
      producer_op_list: the OpList of the program that wrote the GraphDef. Attributes that are not
        known here are dropped where they have that program's defaults.
      validate_colocation_constraints: refuse nodes that are to be placed with unknown nodes; else
        these constraints are dropped.
    Returns:
      The Operations and Tensors for `return_elements`, or None if that is None.
    Raises:
      TypeError: an argument has the wrong type.
      NotFoundError: ops are not registered; all of them are named.
      ValueError: (`GraphDefError`, or a shape function's refusal) the GraphDef is damaged, or a
        name in `input_map` or `return_elements` is not in it.
    """
    if dispatch.executing_eagerly():
        mode.tf1_name_used("import_graph_def")
    message, contents = _message(graph_def)
    graph = get_default_graph()
    graph._check_not_finalized()
    named_inputs = _checked_input_map(input_map)
    wanted = _checked_return_elements(return_elements)
    with name_scope(name, "import", list(named_inputs.values())) as scope:
        tensors, controls = _input_tensors(graph, named_inputs, scope)
        importer = GraphDefImport(
            graph,
            message,
            prefix=scope,
            tensors=tensors,
            controls=controls,
            contents=contents,
            producer_op_list=producer_op_list,
        )
        importer.run(validate_colocation_constraints, wanted or ())
    return None if wanted is None else [importer.element(text) for text in wanted]


def _message(graph_def: Any) -> tuple[Any, Sequence[memoryview]]:
    """The GraphDef message, and the contents left out of it."""
    from featherflow.protos import graph_pb2

    if isinstance(graph_def, graph_pb2.GraphDef):
        return graph_def, ()
    if isinstance(graph_def, (bytes, bytearray, memoryview)):
        from google.protobuf.message import DecodeError

        small, contents = detach_contents(memoryview(graph_def).toreadonly(), "GraphDef")
        try:
            return graph_pb2.GraphDef.FromString(bytes(small)), contents
        except DecodeError as error:
            raise GraphDefError(f"The bytes are no GraphDef: {error}") from None
    if type(graph_def).__name__ == "GraphDef" and hasattr(graph_def, "SerializeToString"):
        # Another library's, such as TensorFlow's own.
        return graph_pb2.GraphDef.FromString(graph_def.SerializeToString()), ()
    raise TypeError(
        f"Argument `graph_def` must be a GraphDef proto, received {type(graph_def).__name__}."
    )


def _checked_input_map(input_map: Mapping[str, Any] | None) -> dict[str, Any]:
    if input_map is None:
        return {}
    if not isinstance(input_map, Mapping):
        raise TypeError(
            "Argument `input_map` must be a dictionary, received "
            f"{type(input_map).__name__}: {input_map!r}."
        )
    if not all(isinstance(key, (str, bytes)) for key in input_map):
        raise TypeError(
            f"All keys for argument `input_map` must be strings, received {list(input_map)!r}."
        )
    return {_as_text(key): value for key, value in input_map.items()}


def _checked_return_elements(return_elements: Iterable[str] | None) -> list[str] | None:
    if return_elements is None:
        return None
    elements = list(return_elements)
    if not all(isinstance(item, (str, bytes)) for item in elements):
        raise TypeError(
            f"Argument `return_elements` must be a list of strings, received {elements!r}."
        )
    return [_as_text(item) for item in elements]


def _as_text(name: str | bytes) -> str:
    return name.decode() if isinstance(name, bytes) else name


def _input_tensors(
    graph: Graph, input_map: Mapping[str, Any], scope: str
) -> tuple[dict[TensorKey, Tensor], dict[str, Operation]]:
    """The tensors and control inputs of an input map; other values become constants."""
    if not scope and any(
        not isinstance(value, (Tensor, Operation)) for value in input_map.values()
    ):
        raise ValueError(
            "tf.import_graph_def() requires a non-empty `name` if `input_map` contains non-Tensor "
            "values. Try calling tf.convert_to_tensor() on `input_map` values before calling "
            "tf.import_graph_def()."
        )
    tensors: dict[TensorKey, Tensor] = {}
    controls: dict[str, Operation] = {}
    for name, value in input_map.items():
        if name.startswith("^") and isinstance(value, Operation):
            controls[name[1:]] = value
            continue
        if not isinstance(value, Tensor):
            with graph.name_scope("_inputs"):
                value = convert(value)
        if value.graph is not graph:
            raise ValueError(
                f"node '{value.op.name}' in input_map does not exist in graph (input_map entry: "
                f"{name}->{value.name})"
            )
        if name.startswith("^"):
            controls[name[1:]] = value.op
        else:
            tensors[tensor_key(name)] = value
    return tensors, controls


class GraphDefImport:
    """One import of a GraphDef into a graph.

    Args:
      graph: where the nodes go.
      message: the GraphDef; it is only read.
      prefix: of the names of the nodes, with its "/".
      tensors, controls: inputs that come from elsewhere, by their names in the message.
      contents: what `detach_contents` took out of the message.
      producer_op_list: the ops of the program that wrote it.
    """

    def __init__(
        self,
        graph: Graph,
        message: Any,
        *,
        prefix: str = "",
        tensors: Mapping[TensorKey, Tensor] | None = None,
        controls: Mapping[str, Operation] | None = None,
        contents: Sequence[memoryview] = (),
        producer_op_list: Any = None,
    ) -> None:
        self._graph = graph
        self._message = message
        self._prefix = prefix
        self._tensors = tensors or {}
        self._controls = controls or {}
        self._contents = contents
        self._producer_op_list = producer_op_list
        self._functions: dict[str, GraphFunction] = {}
        self._nodes: dict[str, ImportedNode] = {}
        self._made: dict[str, Operation] = {}

    def run(self, check_colocation: bool = True, return_elements: Iterable[str] = ()) -> None:
        """Makes all nodes and adds them and the functions to the graph.

        Args:
          check_colocation: refuse nodes that are to be placed with unknown nodes.
          return_elements: what `element` will be asked for; checked before anything is added.
        Raises:
          GraphDefError, NotFoundError, ShapeInferenceError: see `import_graph_def`.
        """
        graph, message = self._graph, self._message
        check_versions(message.versions)
        self._functions = functions_of_library(message.library, graph._functions, self._contents)
        functions = {item.signature.name: item for item in message.library.function}
        definitions = needed_ops(message.node, self._find_definition, functions)
        self._nodes = nodes = read_nodes(message.node, definitions)
        for node in nodes.values():
            node.read_inputs(tensor_key)
        ordered = creation_order(nodes, self._tensors, self._controls)
        ignored: frozenset[tuple[str, str]] = frozenset()
        if self._producer_op_list is not None:
            ignored = unknown_defaults(message.node, self._producer_op_list, self._find_definition)
        importer = NodeImporter(
            graph,
            nodes,
            final_names(graph, self._prefix, nodes),
            self._tensors,
            self._controls,
            AttrReader(self._contents, ignored=ignored),
        )
        # Shape functions look for the version and for functions in the graph.
        producer, min_consumer = graph._producer, graph._min_consumer
        graph._producer = min(producer, message.versions.producer)
        for function in self._functions.values():
            graph._add_function(function)
        try:
            for node in ordered:
                importer.make(node)
            importer.close_loops()
            self._made = importer.made
            self._check_input_map_used()
            for text in return_elements:
                self.element(text)
            importer.add_to_graph(check_colocation)
        except BaseException:
            graph._producer, graph._min_consumer = producer, min_consumer
            for name in self._functions:
                del graph._functions[name]
            raise
        _merge_consumers(graph, message.versions)

    def _find_definition(self, name: str) -> Op | None:
        """The op of a node: a registered one, or a function that is called by its name."""
        definition = find_op(name)
        if definition is not None:
            return definition
        function = self._functions.get(name) or self._graph._functions.get(name)
        return None if function is None else function.definition

    def element(self, text: str) -> Operation | Tensor:
        """The Operation "node" or Tensor "node:0" of the GraphDef; mapped tensors are followed.

        Raises:
          ValueError: the GraphDef has no such node or output.
        """
        name, colon, index = text.rpartition(":")
        if not colon:
            if text not in self._made:
                raise ValueError(f"Requested return node '{text}' not found in graph def")
            return self._made[text]
        if not index.isascii() or not index.isdigit():
            raise ValueError(
                f"Cannot convert '{text}' to a tensor name: after the ':' stands an index, "
                f"received '{index}'."
            )
        key = name, int(index)
        if key in self._tensors:
            return self._tensors[key]
        if name not in self._made:
            raise ValueError(f"Requested return tensor '{text}' not found in graph def")
        outputs = self._made[name].outputs
        if key[1] >= len(outputs):
            raise ValueError(
                f"Invalid return output {index} of node '{name}', which has {len(outputs)} "
                "output(s)"
            )
        return outputs[key[1]]

    def _check_input_map_used(self) -> None:
        used = {key for node in self._nodes.values() for key in node.inputs}
        used_controls = {name for node in self._nodes.values() for name in node.control_inputs}
        unused = [
            key_text(key) for key in self._tensors if key not in used and not self._has_output(key)
        ]
        unused += [
            f"^{name}"
            for name in self._controls
            if name not in used_controls and name not in self._nodes
        ]
        if unused:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: [{', '.join(unused)}]"
            )

    def _has_output(self, key: TensorKey) -> bool:
        return key[0] in self._made and key[1] < len(self._made[key[0]].outputs)


# --- versions and names -----------------------------------------------------------------


def check_versions(versions: Any) -> None:
    """Raises GraphDefError if this program must not read a graph of these versions."""
    if versions.producer < GRAPH_DEF_VERSION_MIN_PRODUCER:
        raise GraphDefError(
            f"GraphDef producer version {versions.producer} below min producer "
            f"{GRAPH_DEF_VERSION_MIN_PRODUCER} supported by TensorFlow {TENSORFLOW_VERSION}. "
            "Please regenerate your graph."
        )
    if versions.min_consumer > GRAPH_DEF_VERSION:
        raise GraphDefError(
            f"GraphDef min consumer version {versions.min_consumer} above current version "
            f"{GRAPH_DEF_VERSION} for TensorFlow {TENSORFLOW_VERSION}. Please upgrade."
        )
    if GRAPH_DEF_VERSION in versions.bad_consumers:
        raise GraphDefError(
            f"GraphDef disallows consumer version {GRAPH_DEF_VERSION}. Please upgrade: this "
            "version is likely buggy."
        )


def _merge_consumers(graph: Graph, versions: Any) -> None:
    """A graph is for the consumers that all its parts are for."""
    graph._min_consumer = max(graph._min_consumer, versions.min_consumer)
    graph._bad_consumers = sorted({*graph._bad_consumers, *versions.bad_consumers})


def final_names(graph: Graph, prefix: str, nodes: Iterable[str]) -> dict[str, str]:
    """The name in `graph` of each node; numbered where a node, or a scope, has it already."""
    raw_names = list(nodes)
    names = {raw: prefix + raw for raw in raw_names}
    taken = graph._operation_by_name
    if not taken:
        return names
    scopes = _scopes_of(name for name in taken if name.startswith(prefix))
    in_message = set(names.values())
    for raw in raw_names:
        name = names[raw]
        if name in taken or name in scopes:
            number = 1
            while (numbered := f"{name}_{number}") in taken or numbered in in_message:
                number += 1
            names[raw] = numbered
            in_message.add(numbered)
    return names


def _scopes_of(names: Iterable[str]) -> set[str]:
    scopes: set[str] = set()
    for name in names:
        end = name.rfind("/")
        while end > 0 and name[:end] not in scopes:
            scopes.add(name[:end])
            end = name.rfind("/", 0, end)
    return scopes
