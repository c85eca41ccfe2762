"""Layer: an object that makes its variables when it is first called, and shares them after."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework import nest
from featherflow.framework.dtypes import DType, as_dtype, float32
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.layers.input_spec import InputSpec, check_inputs
from featherflow.layers.layer_names import snake_case, unique_layer_name
from featherflow.ops.cast_ops import cast
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.variable_base import Variable, VariableAggregation, VariableSynchronization
from featherflow.ops.variable_scope import VariableScope, get_variable, variable_scope
from featherflow.ops.variable_slices import PartitionedVariable

#: Arguments that some layers take and that change nothing here.
_IGNORED = frozenset(
    {"autocast", "batch_input_shape", "batch_size", "implementation", "input_dim", "input_shape"}
)


@export_v1("layers.Layer")
class Layer:
    """What turns tensors into tensors, with variables of its own.

    A subclass makes its variables in `build`, which is called once, with the shape of the first
    input, and computes in `call`. The variables live in a variable scope named after the layer.

    Args:
      trainable: whether optimisers change the variables.
      name: of the layer and its scope; None takes the class's, made unique.
      dtype: of the variables; None takes that of the first input.

    >>> import featherflow as tf
    >>> class Scale(tf.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", [], initializer=tf.ones_initializer())
    ...         super().build(input_shape)
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> layer = Scale()
    >>> output = layer(tf.constant([1.0, 2.0]))
    >>> layer.variables[0].name
    'scale/factor:0'
    """

    #: Attributes that stay the same object in a deep copy.
    _shared_in_copies = frozenset({"_graph", "_scope", "_reusing_scope", "_current_scope"})

    def __init__(
        self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any
    ) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self.activity_regularizer = kwargs.pop("activity_regularizer", None)
        for key in kwargs.keys() - _IGNORED:
            raise TypeError(f"Keyword argument not understood: {key!r}")
        self.trainable = trainable
        self.built = False
        self.input_spec: InputSpec | list[InputSpec] | None = None
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or unique_layer_name(self._base_name)
        self._dtype: DType | None = None if dtype is None else as_dtype(dtype)
        self._graph: Graph | None = None
        self._scope: VariableScope | None = None
        self._reusing_scope: variable_scope | None = None
        self._current_scope: VariableScope | None = None
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._losses: list[Any] = []
        self._updates: list[Operation] = []
        self._calls: list[tuple[Any, Any]] = []
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # --- what it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name, unique among the layers of its graph unless it was given."""
        return self._name

    @property
    def dtype(self) -> str | None:
        """The name of the type of the variables, known after the first call at the latest."""
        return None if self._dtype is None else self._dtype.name

    @property
    def graph(self) -> Graph | None:
        """The graph that the layer was first used in."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of the layer's variable scope.

        Raises:
          ValueError: the layer has not been used yet.
        """
        if self._scope is None:
            raise ValueError(
                f'No name available for layer scope because the layer "{self._name}" has not been '
                "used yet. The scope name is determined the first time the layer instance is "
                "called. You must therefore call the layer before querying `scope_name`."
            )
        return self._scope.name

    def _cast_dtype(self) -> DType:
        return self._dtype or float32

    # --- what subclasses define -------------------------------------------------------------------

    def build(self, input_shape: Any) -> None:
        """Makes the variables, with `add_weight`; called once, before the first `call`."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The outputs for the inputs."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The static shape of the output for that of an input."""
        raise NotImplementedError(f"{type(self).__name__} does not say the shape of its output.")

    # --- calling ----------------------------------------------------------------------------------

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer if it has not been built, and applies it.

        Raises:
          ValueError: the inputs do not meet the layer's conditions, or are of another graph than
            its variables.
        """
        inputs = nest.map_structure(_as_tensor, inputs)
        self._set_scope(kwargs.pop("scope", None))
        self._claim_graph(inputs)
        with self._entered_scope() as scope:
            self._current_scope = scope
            with name_scope(scope.original_name_scope):
                check_inputs(self.input_spec, nest.flatten(inputs), self._name)
                self._build_once(inputs)
                outputs = self.call(inputs, *args, **kwargs)
                self._regularize_activity(outputs)
        self._calls.append((inputs, outputs))
        return outputs

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def _set_scope(self, scope: Any = None) -> None:
        """Opens the layer's variable scope for the first time, so that it has its name."""
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(self._base_name if scope is None else scope)
        else:
            opened = variable_scope(scope, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _entered_scope(self) -> variable_scope:
        """The layer's variable scope; once it is built, one that only shares variables."""
        if not self.built:
            return variable_scope(self._scope, reuse=self._reuse, auxiliary_name_scope=False)
        if self._reusing_scope is None:
            self._reusing_scope = variable_scope(
                self._scope, reuse=True, auxiliary_name_scope=False
            )
        return self._reusing_scope

    def _claim_graph(self, inputs: Any) -> None:
        graph = get_default_graph()
        if not self.built or self._graph is None:
            self._graph = graph
        elif self._graph is not graph and not graph.building_function:
            raise ValueError(
                f"Input graph and Layer graph are not the same: the layer {self._name} was built "
                "in another graph than the current one."
            )

    def _build_once(self, inputs: Any) -> None:
        if self.built:
            return
        leaves = nest.flatten(inputs)
        if self._dtype is None and leaves:
            self._dtype = leaves[0].dtype.base_dtype
        self.build(nest.map_structure(lambda tensor: tensor.shape, inputs))
        self.built = True

    # --- variables --------------------------------------------------------------------------------

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        trainable: bool | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """The variable `name` in the layer's scope, made or, where the scope says so, shared.

        The arguments are those of `tf.get_variable`; None takes the scope's default.
        """
        self._set_scope()
        wanted = self._cast_dtype() if dtype is None else as_dtype(dtype)
        if trainable is None:
            trainable = synchronization is not VariableSynchronization.ON_READ
        known: set[int] = set()
        if regularizer is not None:
            graph = get_default_graph()
            known.update(map(id, graph.get_collection(GraphKeys.GLOBAL_VARIABLES)))
        reuse = self.built or self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with name_scope(scope.original_name_scope):
                variable = get_variable(
                    name,
                    shape=shape,
                    dtype=wanted,
                    initializer=scope._initializer if initializer is None else initializer,
                    trainable=trainable and self.trainable,
                    constraint=constraint,
                    partitioner=partitioner,
                    use_resource=use_resource,
                    synchronization=synchronization,
                    aggregation=aggregation,
                )
                parts = list(variable) if isinstance(variable, PartitionedVariable) else [variable]
                if regularizer is not None and id(parts[0]) not in known:
                    self._regularize(name, parts, regularizer)
        self._keep(variable, trainable)
        return variable

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The same as `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def _regularize(self, name: str, parts: list[Any], regularizer: Callable[[Any], Any]) -> None:
        for part in parts:
            with name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def _keep(self, variable: Any, trainable: bool) -> None:
        weights = self._trainable_weights if trainable else self._non_trainable_weights
        if not any(variable is other for other in weights):
            weights.append(variable)

    @property
    def trainable_weights(self) -> list[Any]:
        """The variables that optimisers change."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The others."""
        if self.trainable:
            return list(self._non_trainable_weights)
        return [*self._trainable_weights, *self._non_trainable_weights]

    @property
    def weights(self) -> list[Any]:
        """All variables, the trainable ones first."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All variables, the trainable ones first."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The variables that optimisers change."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The others."""
        return self.non_trainable_weights

    def count_params(self) -> int:
        """The number of elements of all variables.

        Raises:
          ValueError: the layer has not been built.
        """
        if not self.built:
            raise ValueError(f"Layer {self._name} has no variables yet: call it first.")
        return sum(int(np.prod(variable.shape.as_list())) for variable in self.weights)

    # --- losses and updates -----------------------------------------------------------------------

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses to the layer's and to REGULARIZATION_LOSSES.

        Args:
          losses: a scalar tensor, or a list of these.
          inputs: what they depend on; kept for compatibility.
        """
        new = list(losses) if isinstance(losses, (list, tuple)) else [losses]
        self._losses.extend(new)
        for loss in new:
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations that belong to each training step, to the layer's and to UPDATE_OPS.

        To the latter only if the layer is trainable.

        Args:
          updates: an operation or tensor, or a list of these.
          inputs: what they depend on; kept for compatibility.
        """
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            operation = update if isinstance(update, Operation) else update.op
            self._updates.append(operation)
            if not self.trainable:
                continue
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, operation)

    @property
    def losses(self) -> list[Any]:
        """The losses of variables and outputs."""
        return list(self._losses)

    @property
    def updates(self) -> list[Operation]:
        """Operations that belong to each training step."""
        return list(self._updates) if self.trainable else []

    def _regularize_activity(self, outputs: Any) -> None:
        """Adds the loss of the outputs, per example."""
        if self.activity_regularizer is None:
            return
        with name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self.activity_regularizer(output)
                count: Any = shape_of(output)
                self.add_loss(loss / cast(count[0], loss.dtype))

    # --- inputs and outputs -----------------------------------------------------------------------

    @property
    def input(self) -> Any:
        """What the layer was called with, if that was once."""
        return self._only_call()[0]

    @property
    def output(self) -> Any:
        """What it returned, if it was called once."""
        return self._only_call()[1]

    @property
    def input_shape(self) -> Any:
        """The static shape of `input`."""
        return nest.map_structure(lambda tensor: tensor.shape, self.input)

    @property
    def output_shape(self) -> Any:
        """The static shape of `output`."""
        return nest.map_structure(lambda tensor: tensor.shape, self.output)

    def _only_call(self) -> tuple[Any, Any]:
        if len(self._calls) != 1:
            raise AttributeError(
                f"The layer {self._name} was called {len(self._calls)} times; it has one input "
                "and output if it was called once."
            )
        return self._calls[0]

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        """A layer like this, which shares the variables that are made, and makes further ones."""
        result = object.__new__(type(self))
        memo[id(self)] = result
        for key, value in self.__dict__.items():
            for leaf in nest.flatten(value):
                if isinstance(leaf, (Tensor, Variable, Operation)):
                    memo[id(leaf)] = leaf
            shared = key in self._shared_in_copies
            result.__dict__[key] = value if shared else copy.deepcopy(value, memo)
        return result

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r}>"


def _as_tensor(value: Any) -> Any:
    return convert_to_tensor(value) if isinstance(value, (np.ndarray, float, int)) else value


def last_size(shape: Any, owner: str) -> int:
    """The last dimension of the shape of an input.

    Raises:
      ValueError: it is not known.
    """
    shape = TensorShape(shape)
    size = shape.as_list()[-1] if shape.rank else None
    if size is None:
        raise ValueError(
            f"The last dimension of the inputs to {owner} should be defined. Found None. Full "
            f"input shape received: {shape}"
        )
    return size
