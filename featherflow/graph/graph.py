"""Graph: Operations by name, and what they are made with.

A graph grows while a program builds it, and never shrinks. Sessions run parts of it. How a call of
an op becomes a node is in `graph_builder.py`; scopes are in `scopes.py`; GraphDefs in `exporter.py`
and `importer.py`.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from featherflow._version import GRAPH_DEF_VERSION
from featherflow.framework import device as device_module
from featherflow.framework import dispatch
from featherflow.framework.op import Op, flat_arg_dtypes, get_op
from featherflow.framework.recording import captured, record, recorders
from featherflow.graph import constant_value, exporter, graph_builder
from featherflow.graph.operation import Operation, _add_consumer
from featherflow.graph.scopes import Scopes, is_valid_node_name, is_valid_scope_name
from featherflow.graph.tensor import Tensor


class Graph:
    """A dataflow graph: nodes are Operations, edges are Tensors and control dependencies."""

    is_eager = False
    #: Whether `==` of tensors compares their values.
    uses_tensor_equality = False

    def __init__(self) -> None:
        self._operations: list[Operation] = []
        self._operation_by_name: dict[str, Operation] = {}
        self._scopes = Scopes()
        self._collections: dict[Any, list[Any]] = {}
        self._seed: int | None = None
        self._op_seeds_given = 0
        #: Functions that `tf.Variable` goes through, outermost last; see `ops/variables.py`.
        self._variable_creators: list[Any] = []
        #: What `variable_scope(use_resource=…)` says for variables made inside; None says nothing.
        self._use_resource_variables: bool | None = None
        #: The variable scopes and their variables; see `ops/variable_scope.py`.
        self._variable_store: Any = None
        self._finalized = False
        self._lock = threading.RLock()
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Operation] = set()
        self._control_flow_context: Any = None
        self._producer = GRAPH_DEF_VERSION
        self._min_consumer = 0
        self._bad_consumers: list[int] = []
        #: Functions of the library, by name; see `function_def.py`.
        self._functions: dict[str, Any] = {}
        #: Gradients that only nodes of this graph use, by the name in their `_gradient_op_type`.
        self._gradient_functions: dict[str, Any] = {}
        #: Under which conditions nodes run; see `ops/branch_conditions.py`.
        self._branch_conditions: dict[Operation, Any] = {}
        #: Values found by `constant_value`, by tensor.
        self._constant_values: dict[Tensor, Any] = {}
        #: Eager tensors that nodes use, by identity, and the constants that stand for them.
        self._values_taken_in: dict[int, tuple[Tensor, Tensor]] = {}
        #: Rises with each node and each change of a static shape: plans are checked against it.
        self._version = 0

    # --- making nodes -----------------------------------------------------------------------------

    def apply_op(self, op: Op, args: tuple, kwargs: dict[str, Any], name: str | None) -> Any:
        """Records a call of `op` as a node; returns its outputs (`dispatch.OpContext`)."""
        return graph_builder.build_node(self, op, args, kwargs, name)

    def add_node(
        self,
        definition: Op,
        inputs: list[Tensor],
        attrs: dict[str, Any],
        name: str,
        *,
        control_inputs: list[Operation] | None = None,
        device: str | None = None,
        shapes: list[Any] | None = None,
    ) -> Operation:
        """Adds a node whose inputs are tensors of this graph and whose attributes are complete.

        Args:
          name: final, as `unique_name` gave it.
          control_inputs: None takes those of the scopes; a list is used as it is.
          device: None takes the scopes'; a string is used as it is.
          shapes: the outputs' static shapes if known; None infers them.
        """
        self._check_not_finalized()
        scopes = self._scopes
        if control_inputs is None:
            control_inputs = (
                scopes.control_inputs_for(tensor._op for tensor in inputs)
                if scopes.control_dependencies
                else []
            )
        operation = Operation(self, name, definition, inputs, control_inputs, attrs, device or "")
        if scopes.attrs or scopes.gradient_overrides or scopes.kernel_labels or scopes.container:
            scopes.add_attrs(operation)
        if device is None and (scopes.device_functions or scopes.colocation):
            scopes.place(operation)
        if shapes is None:
            shapes = graph_builder.infer_shapes(operation)
        dtypes = flat_arg_dtypes(definition.op_def.outputs, attrs)
        operation.outputs = [
            Tensor(operation, index, dtype, shape)
            for index, (dtype, shape) in enumerate(zip(dtypes, shapes))
        ]
        self._register(operation, inputs)
        if recorders.active:
            record(operation, inputs, operation.outputs)
        return operation

    def _register(self, operation: Operation, inputs: list[Tensor]) -> None:
        with self._lock:
            if operation.name in self._operation_by_name:
                raise ValueError(f"Duplicate node name in graph: '{operation.name}'")
            operation.id = len(self._operations)
            self._operations.append(operation)
            self._operation_by_name[operation.name] = operation
            self._version += 1
        context = operation._control_flow_context = self._control_flow_context
        for tensor in inputs:
            _add_consumer(tensor, operation)
            source_context = tensor._op._control_flow_context
            if source_context is not None and source_context is not context:
                source_context.check_use(operation, tensor._op)
        graph_builder.propagate_handle_data(operation)
        if self._scopes.control_dependencies:
            self._scopes.note_made(operation)
        if context is not None:
            context.add_op(operation)

    def check_name(self, name: str) -> None:
        """Raises ValueError unless a node may be called `name` in this scope."""
        valid = is_valid_scope_name if self._scopes.names.current else is_valid_node_name
        if not valid(name):
            raise ValueError(
                f"'{name}' is not a valid node name: it must start with a letter, digit or '.', "
                "and go on with letters, digits and any of _ . \\ / > -"
            )

    @property
    def graph(self) -> Graph:
        """Itself, as the place that ops go to."""
        return self

    def _take_in(self, tensor: Tensor, user: str) -> Tensor:
        """What stands here for a tensor of another graph that a node called `user` takes.

        A value (an eager tensor) becomes a constant.

        Raises:
          ValueError: nothing does; only the bodies of functions can use what is outside.
        """
        if tensor.__class__ is not Tensor:
            return self._as_constant(tensor)
        raise ValueError(
            f"{user}: input {tensor!r} is of another graph. Build both in one graph, or move the "
            "value with sess.run and tf.constant."
        )

    def _as_constant(self, tensor: Tensor) -> Tensor:
        """A node that has the value of an eager tensor; one for each, however often it is used."""
        known = self._values_taken_in.get(id(tensor))
        if known is None:
            known = self._values_taken_in[id(tensor)] = tensor, self._add_constant(tensor)
        if recorders.active:
            captured(tensor, known[1])
        return known[1]

    def _add_constant(self, tensor: Tensor) -> Tensor:
        value = tensor._static_value()
        if value is None:  # a handle: the object itself
            handle: Any = getattr(tensor, "_handle")  # noqa: B009 (eager tensors alone have one)
            op, attrs = get_op("_CapturedHandle"), {"dtype": tensor.dtype, "_value": handle}
        else:
            op, attrs = get_op("Const"), {"value": value, "dtype": tensor.dtype}
        with self.control_dependencies(None):
            node = self.add_node(op, [], attrs, self.unique_name("Const"))
        node.outputs[0]._handle_data = tensor._handle_data
        return node.outputs[0]

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name for a node that is not taken: `name` in the current scope, numbered if need be."""
        return self._scopes.names.unique_name(name, mark_as_used)

    # --- branches and loops, for graphs in which effects have an order ----------------------------

    def gated(self, context: Any, results: Sequence[Tensor]) -> list[Tensor]:
        """The results of a branch or loop body, once its effects have happened."""
        return list(results)

    def leave_control_flow(self, contexts: Sequence[Any], results: Sequence[Tensor]) -> None:
        """Branches, or a loop, are complete; their results are there when they are done."""

    # --- looking up -------------------------------------------------------------------------------

    def get_operations(self) -> list[Operation]:
        """All nodes in the order of their making."""
        return list(self._operations)

    def get_operation_by_name(self, name: str) -> Operation:
        """The node called `name`.

        Raises:
          KeyError: there is none.
          TypeError: `name` is not a string.
        """
        if not isinstance(name, str):
            raise TypeError(f"Operation names are strings, received {name!r}.")
        return self.as_graph_element(name, allow_tensor=False, allow_operation=True)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor called `name`, "node:index"."""
        if not isinstance(name, str):
            raise TypeError(f"Tensor names are strings, received {name!r}.")
        return self.as_graph_element(name, allow_tensor=True, allow_operation=False)

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The Tensor or Operation of this graph that `obj` is, stands for, or names."""
        if hasattr(obj, "_as_graph_element"):
            element = obj._as_graph_element()
            obj = obj if element is None else element
        if isinstance(obj, Tensor) and allow_tensor:
            return self._own(obj)
        if isinstance(obj, Operation) and allow_operation:
            return self._own(obj)
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        kinds = " or ".join(["Tensor"] * allow_tensor + ["Operation"] * allow_operation)
        raise TypeError(f"Can not convert a {type(obj).__name__} into a {kinds}.")

    def _own(self, element: Any) -> Any:
        if element.graph is not self:
            kind = type(element).__name__
            raise ValueError(f"{kind} {element!r} is not an element of this graph.")
        return element

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        node_name, colon, index = name.rpartition(":")
        if not colon:
            if not allow_operation:
                raise ValueError(
                    f"The name '{name}' refers to an Operation, not a Tensor; tensor names have "
                    "the "
                    f"form 'node:index', such as '{name}:0'."
                )
            if name not in self._operation_by_name:
                raise KeyError(self._missing(name, name))
            return self._operation_by_name[name]
        if not allow_tensor:
            raise ValueError(
                f"The name '{name}' looks like a Tensor's, but an Operation is wanted."
            )
        operation = self._operation_by_name.get(node_name)
        if operation is None:
            raise KeyError(self._missing(name, node_name))
        if not index.isdigit():
            raise ValueError(f"The name '{name}' is not of the form 'node:index'.")
        if int(index) >= len(operation.outputs):
            raise KeyError(
                f"The name '{name}' refers to a Tensor which does not exist: the operation "
                f"'{node_name}' has {len(operation.outputs)} outputs."
            )
        return operation.outputs[int(index)]

    def _missing(self, name: str, node_name: str) -> str:
        last = node_name.rsplit("/", 1)[-1]
        near = [other for other in self._operation_by_name if other.rsplit("/", 1)[-1] == last][:3]
        hint = f" Names that end alike: {', '.join(near)}." if near else ""
        return f"The name '{name}' refers to an operation '{node_name}' not in the graph.{hint}"

    def is_feedable(self, tensor: Any) -> bool:
        """Whether `tensor` may be fed."""
        return tensor not in self._unfeedable

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a Tensor or Operation may be fetched."""
        operation = tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op
        return operation not in self._unfetchable

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Refuses feeds of `tensor` from now on."""
        self._unfeedable.add(tensor)

    def prevent_fetching(self, op: Operation) -> None:
        """Refuses fetches of `op` and its outputs from now on."""
        self._unfetchable.add(op)

    # --- scopes -----------------------------------------------------------------------------------

    @contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Ops called inside the block become nodes of this graph."""
        entered = dispatch.entered_contexts()
        entered.append(self)
        depth = len(entered)
        try:
            yield self
        finally:
            if len(entered) != depth or entered[-1] is not self:
                raise AssertionError("Nesting of as_default() blocks is violated.")
            entered.pop()

    def name_scope(self, name: str | None) -> AbstractContextManager[str]:
        """Prefixes names; yields the scope with its "/". A `name` that ends in "/" re-enters it."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"A name scope is a string or None, received {name!r}.")
        return self._scopes.names.enter(name)

    def get_name_scope(self) -> str:
        """The current name scope, without "/"."""
        return self._scopes.names.current

    def device(self, device_name_or_function: Any) -> AbstractContextManager[None]:
        """Asks for a device for the nodes made inside; inner scopes complete or override outer."""
        return self._scopes.enter_device(device_name_or_function)

    @contextmanager
    def control_dependencies(self, control_inputs: Any) -> Iterator[None]:
        """Nodes made inside run after `control_inputs`; None leaves blocks and control flow."""
        if control_inputs is None:
            context, self._control_flow_context = self._control_flow_context, None
            try:
                with self._scopes.enter_control_dependencies(None):
                    yield
            finally:
                self._control_flow_context = context
            return
        operations: dict[Operation, None] = {}
        for element in control_inputs:
            # IndexedSlices and variables stand for the op that makes them.
            element = (
                getattr(element, "op", element) if not isinstance(element, Operation) else element
            )
            operations[self.as_graph_element(element, allow_tensor=False)] = None
        for operation in operations:  # TensorFlow marks what its users order by hand
            operation.attrs["_has_manual_control_dependencies"] = True
        with self._scopes.enter_control_dependencies(list(operations)):
            yield

    def colocate_with(self, op: Any, ignore_existing: bool = False) -> AbstractContextManager[None]:
        """Nodes made inside are placed with `op`; None leaves colocation."""
        if op is None and not ignore_existing:
            raise ValueError("colocate_with(None) needs ignore_existing=True.")
        operation = op if op is None or isinstance(op, Operation) else getattr(op, "op", None)
        if operation is None and op is not None:  # a value is nowhere in the graph
            return nullcontext()
        return self._scopes.enter_colocation(operation, ignore_existing)

    def gradient_override_map(self, op_type_map: dict[str, str]) -> AbstractContextManager[None]:
        """Nodes of type T made inside use the gradient registered as `op_type_map[T]`."""
        _check_string_map("op_type_map", op_type_map)
        return self._scopes.enter_mapping("gradient_overrides", op_type_map)

    def _kernel_label_map(self, labels: dict[str, str]) -> AbstractContextManager[None]:
        _check_string_map("op_to_kernel_label_map", labels)
        return self._scopes.enter_mapping("kernel_labels", labels)

    def _attr_scope(self, attrs: dict[str, Any]) -> AbstractContextManager[None]:
        internal = {name: exporter.internal_attr(value) for name, value in attrs.items()}
        return self._scopes.enter_mapping("attrs", internal)

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Resources made inside live in the container `container_name`."""
        previous, self._scopes.container = self._scopes.container, container_name
        try:
            yield container_name
        finally:
            self._scopes.container = previous

    # --- collections ------------------------------------------------------------------------------

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Appends `value` to the collection `name`."""
        self._check_not_finalized()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Appends `value` to each collection named once."""
        names = (names,) if isinstance(names, str) else dict.fromkeys(names)
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list itself: changes of it change the collection."""
        return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """A copy of the collection; with `scope`, the items whose name matches it as a regex."""
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        return [item for item in items if hasattr(item, "name") and _matches(scope, item.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections that are strings."""
        return [name for name in self._collections if isinstance(name, str)]

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        self._collections.pop(name, None)

    # --- seed, version, finalisation --------------------------------------------------------------

    @property
    def seed(self) -> int | None:
        """The graph-level random seed."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    def _next_op_seed(self) -> int:
        """How many random ops took their seed from the graph's before: 0, 1, 2, …"""
        self._op_seeds_given += 1
        return self._op_seeds_given - 1

    @property
    def version(self) -> int:
        """The number of nodes made so far."""
        return len(self._operations)

    @property
    def graph_def_versions(self) -> Any:
        """The VersionDef message of this graph."""
        return exporter.versions_message(self)

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a GraphDef message.

        Args:
          from_version: leaves out the nodes made before the graph had this `version`.
          add_shapes: records static shapes as `_output_shapes`.
        """
        return exporter.graph_def_message(self, from_version or 0, add_shapes)

    @property
    def finalized(self) -> bool:
        """Whether the graph takes no more nodes."""
        return self._finalized

    def finalize(self) -> None:
        """Makes the graph read-only."""
        self._finalized = True

    @property
    def building_function(self) -> bool:
        """Whether this is the body of a function."""
        return False

    def switch_to_thread_local(self) -> None:
        """Accepted for compatibility: scopes belong to the graph, which one thread builds."""

    def _check_not_finalized(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def _check_not_run(self, operation: Operation, action: str) -> None:
        """Plans are built once: a node that has run stays as it is."""
        if operation._has_run:
            raise RuntimeError(
                f"Cannot {action} operation '{operation.name}' after a session has run it. "
                "Change the graph before the first run, or add new nodes."
            )
        self._check_not_finalized()

    def _static_shape_changed(self, tensor: Tensor) -> None:
        self._constant_values.pop(tensor, None)
        self._version += 1

    def _canonical_device(self, device: Any) -> str:
        return device_module.canonical_name(device)

    # --- functions --------------------------------------------------------------------------------

    def _add_function(self, function: Any) -> None:
        self._functions[function.name] = function
        # Consumers before this version cannot read functions.
        self._min_consumer = max(self._min_consumer, 12)
        self._version += 1

    def _is_function(self, name: str) -> bool:
        return name in self._functions

    def _get_function(self, name: str) -> Any:
        return self._functions.get(name)

    def _constant_value(self, tensor: Tensor) -> Any:
        return constant_value.constant_value(tensor)


def _check_string_map(what: str, mapping: Any) -> None:
    if not isinstance(mapping, dict):
        raise TypeError(f"{what} must be a dict, received {mapping!r}.")
    for key, value in mapping.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(f"{what} maps strings to strings, received {key!r}: {value!r}.")


def _matches(scope: str, name: str) -> bool:
    return re.match(scope, name) is not None
