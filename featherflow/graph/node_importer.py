"""Makes the nodes of a GraphDef one after another, and adds them to the graph when all are made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from featherflow.framework import device as device_module
from featherflow.framework.dtypes import DType
from featherflow.framework.op import Op, flat_arg_dtypes
from featherflow.framework.tensor_proto import shape_from_proto
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.frozen_variables import FrozenVariables
from featherflow.graph.graph import Graph
from featherflow.graph.graph_builder import infer_shapes, propagate_handle_data
from featherflow.graph.graph_def_error import GraphDefError
from featherflow.graph.graph_def_nodes import ImportedNode, TensorKey, key_text
from featherflow.graph.node_def_attrs import OUTPUT_SHAPES, AttrReader, tensor_count
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor

_COLOCATION = "loc:@"


class NodeImporter:
    """Operations for the nodes of a GraphDef.

    They are made beside the graph: a GraphDef that turns out to be damaged leaves no trace in it.

    Args:
      graph: the graph they will be part of.
      nodes: the nodes by name.
      names: the name in `graph` of each.
      tensors: inputs that come from elsewhere, by their names in the GraphDef.
      controls: control inputs that come from elsewhere.
      attr_reader: reads their attributes.
    """

    def __init__(
        self,
        graph: Graph,
        nodes: Mapping[str, ImportedNode],
        names: Mapping[str, str],
        tensors: Mapping[TensorKey, Tensor],
        controls: Mapping[str, Operation],
        attr_reader: AttrReader,
    ) -> None:
        self._graph = graph
        self._nodes = nodes
        self._names = names
        self._tensors = tensors
        self._controls = controls
        self._attr_reader = attr_reader
        self._frozen = FrozenVariables()
        self._back_edges: list[tuple[ImportedNode, int, TensorKey]] = []
        self._canonical_devices: dict[str, str] = {"": ""}
        #: What was made, by the name in the GraphDef, in order of making.
        self.made: dict[str, Operation] = {}

    # --- making -----------------------------------------------------------------------

    def make(self, node: ImportedNode) -> None:
        """Makes the Operation of a node whose inputs are made.

        Raises:
          GraphDefError: attributes, inputs or `_output_shapes` do not fit the op.
          ShapeInferenceError: (a ValueError) the op cannot take the shapes of its inputs.
        """
        definition = node.definition
        attrs = self._attr_reader.read(definition, node.proto.attr, node.name)
        inputs = [self._input(node, position, attrs) for position in range(len(node.inputs))]
        definition, attrs, inputs = self._checked(node, attrs, inputs)
        operation = Operation(
            self._graph,
            self._names[node.name],
            definition,
            inputs,
            self._control_inputs(node),
            attrs,
            self._device(node),
        )
        dtypes = flat_arg_dtypes(definition.op_def.outputs, attrs)
        shapes = self._shapes(node, operation)
        operation.outputs = [
            Tensor(operation, index, dtype, shape)
            for index, (dtype, shape) in enumerate(zip(dtypes, shapes))
        ]
        propagate_handle_data(operation)
        self.made[node.name] = operation

    def _input(self, node: ImportedNode, position: int, attrs: dict[str, Any]) -> Tensor:
        key = node.inputs[position]
        mapped = self._tensors.get(key)
        if mapped is not None:
            return mapped
        if key[0] in self.made:
            return self._output(node, key)
        # The value of the previous iteration: its node is made later, its shape not known.
        self._back_edges.append((node, position, key))
        source = self._nodes[key[0]].definition
        stand_in = Operation(self._graph, f"{node.name}/back_edge", source, [], [], {}, "")
        dtype = attrs["T"]._as_ref if node.definition.op_def.inputs[0].is_ref else attrs["T"]
        return Tensor(stand_in, 0, dtype, UNKNOWN)

    def _output(self, node: ImportedNode, key: TensorKey) -> Tensor:
        outputs = self.made[key[0]].outputs
        if key[1] >= len(outputs):
            raise node.error(
                f"Connecting to invalid output {key[1]} of source node {key[0]} which has "
                f"{len(outputs)} outputs"
            )
        return outputs[key[1]]

    def _checked(
        self, node: ImportedNode, attrs: dict[str, Any], inputs: list[Tensor]
    ) -> tuple[Op, dict[str, Any], list[Tensor]]:
        """Op, attributes and inputs of a node, after repair if its variable was frozen."""
        definition = node.definition
        wanted = self._wanted_dtypes(node, attrs)
        if len(wanted) != len(inputs):
            raise node.error(
                f"NodeDef expected inputs '{', '.join(dtype.name for dtype in wanted)}' do not "
                f"match {len(inputs)} inputs specified"
            )
        for position, (tensor, dtype) in enumerate(zip(inputs, wanted)):
            found = tensor._dtype
            if found is dtype or (found._is_ref_dtype and found.base_dtype is dtype):
                continue
            repaired = None
            if dtype._is_ref_dtype and dtype.base_dtype is found:
                repaired = self._frozen.twin(definition, attrs, inputs, self._names[node.name])
            if repaired is None:
                raise self._wrong_dtype(node, position, tensor, dtype)
            return repaired
        return definition, attrs, inputs

    def _wanted_dtypes(self, node: ImportedNode, attrs: dict[str, Any]) -> list[DType]:
        op_def = node.definition.op_def
        try:
            tensor_count(op_def.outputs, attrs)
            count = tensor_count(op_def.inputs, attrs)
        except ValueError as error:
            raise node.error(str(error)) from None
        if count != len(node.inputs):
            raise node.error(
                f"NodeDef expected inputs do not match {len(node.inputs)} inputs specified",
                received=", ".join(key_text(key) for key in node.inputs[:8]) or "no inputs",
                expected=f"{count}: {', '.join(map(str, op_def.inputs)) or 'none'}",
            )
        return flat_arg_dtypes(op_def.inputs, attrs)

    def _wrong_dtype(
        self, node: ImportedNode, position: int, tensor: Tensor, wanted: DType
    ) -> GraphDefError:
        remedy = ""
        if wanted._is_ref_dtype:
            remedy = (
                "The variable that the node changes is not part of the graph; to import the rest, "
                "cut its training nodes off with tf.graph_util.extract_sub_graph."
            )
        return node.error(
            f"Input {position} of node {self._names[node.name]} was passed {tensor.dtype.name} "
            f"from {tensor.name} incompatible with expected {wanted.name}",
            remedy=remedy,
        )

    def _control_inputs(self, node: ImportedNode) -> list[Operation]:
        return list(
            dict.fromkeys(
                self._controls[name] if name in self._controls else self.made[name]
                for name in node.control_inputs
            )
        )

    def _device(self, node: ImportedNode) -> str:
        device = node.proto.device
        canonical = self._canonical_devices.get(device)
        if canonical is None:
            try:
                canonical = device_module.canonical_name(device)
            except ValueError as error:
                raise node.error(f"Its device is not valid: {error}") from None
            self._canonical_devices[device] = canonical
        return canonical

    def _shapes(self, node: ImportedNode, operation: Operation) -> list[TensorShape]:
        """The static shapes of the outputs.

        Shape functions expect constants of the ranks and dtypes that their op takes; in a damaged
        graph they can be any, and how such a function fails is then not its business.
        """
        try:
            shapes = infer_shapes(operation)
        except (TypeError, LookupError, ArithmeticError) as error:
            raise node.error(f"Its static shapes cannot be inferred: {error}") from error
        return self._with_recorded_shapes(node, shapes)

    def _with_recorded_shapes(
        self, node: ImportedNode, shapes: list[TensorShape]
    ) -> list[TensorShape]:
        """The inferred shapes, made more specific by those recorded in the GraphDef."""
        if OUTPUT_SHAPES not in node.proto.attr:
            return shapes
        message = node.proto.attr[OUTPUT_SHAPES]
        if message.WhichOneof("value") != "list":
            return shapes
        recorded = message.list.shape
        if len(recorded) < len(shapes):
            raise node.error(
                f"It has {len(shapes)} outputs but the _output_shapes attribute specifies shapes "
                f"for {len(recorded)} outputs"
            )
        merged = []
        for index, shape in enumerate(shapes):
            try:
                merged.append(shape.merge_with(shape_from_proto(recorded[index])))
            except ValueError as error:
                raise node.error(
                    "It has an _output_shapes attribute inconsistent with the GraphDef for output "
                    f"#{index}: {error}"
                ) from None
        return merged

    # --- finishing --------------------------------------------------------------------

    def close_loops(self) -> None:
        """Gives each Merge of a loop the value that comes back, once all nodes are made."""
        for node, position, key in self._back_edges:
            tensor = self._output(node, key)
            merge = self.made[node.name]
            stand_in = merge._inputs[position]
            if tensor._dtype.base_dtype is not stand_in._dtype.base_dtype:
                raise self._wrong_dtype(node, position, tensor, stand_in._dtype)
            merge._inputs[position] = tensor

    def add_to_graph(self, check_colocation: bool = True) -> None:
        """Adds what was made to the graph, under the scopes that are open in it."""
        colocated = self._rename_colocation(check_colocation)
        self._enter_scopes(colocated)
        for operation in self.made.values():
            self._graph._register(operation, operation._inputs)
            self._graph._scopes.names.reserve(operation.name)
        self._frozen.warn()

    def _rename_colocation(self, check: bool) -> dict[Operation, list[Operation]]:
        """Rewrites `loc:@name` to the nodes' new names; returns whom each is placed with."""
        colocated: dict[Operation, list[Operation]] = {}
        for name, operation in self.made.items():
            groups = operation.attrs.get("_class")
            if not isinstance(groups, tuple):
                continue
            renamed: list[Any] = []
            for group in groups:
                if not isinstance(group, str) or not group.startswith(_COLOCATION):
                    renamed.append(group)
                    continue
                other = self.made.get(group[len(_COLOCATION) :])
                if other is not None:
                    renamed.append(_COLOCATION + other.name)
                    colocated.setdefault(operation, []).append(other)
                elif check:
                    raise self._nodes[name].error(
                        "It expects to be colocated with unknown node "
                        f"'{group[len(_COLOCATION) :]}'"
                    )
            operation.attrs["_class"] = tuple(renamed)
        return colocated

    def _enter_scopes(self, colocated: dict[Operation, list[Operation]]) -> None:
        """Applies the scopes around the import; a colocated node goes where the others are."""
        scopes = self._graph._scopes
        for operation in self.made.values():
            if scopes.colocation:
                scopes.place(operation)
                colocated.setdefault(operation, []).extend(scopes.colocation)
            elif scopes.device_functions and operation not in colocated:
                scopes.place(operation)
            if scopes.attrs or scopes.gradient_overrides or scopes.kernel_labels:
                scopes.add_attrs(operation)
            if scopes.control_dependencies:
                more = scopes.control_inputs_for(tensor._op for tensor in operation._inputs)
                operation.control_inputs = list(dict.fromkeys([*operation.control_inputs, *more]))
        for operation, others in colocated.items():
            operation.device = next((other.device for other in others if other.device), "")
