"""tf.Variable: the interface that ref and resource variables share."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph import Graph
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor, TensorReference, default_session_stack
from featherflow.ops import operators
from featherflow.ops.strided_slice_ops import get_item
from featherflow.ops.variable_messages import SaveSliceInfo, element_finder


@export("VariableSynchronization")
class VariableSynchronization(enum.Enum):
    """When copies of a variable on several devices are brought together."""

    AUTO = 0
    NONE = 1
    ON_WRITE = 2
    ON_READ = 3


@export("VariableAggregation")
class VariableAggregation(enum.Enum):
    """How copies of a variable on several devices are brought together."""

    NONE = 0
    SUM = 1
    MEAN = 2
    ONLY_FIRST_REPLICA = 3


class _VariableType(type):
    """Makes `Variable(…)` choose a kind: ref or resource, through the creators in scope."""

    #: Set by `variables.py`, which knows both kinds.
    create: Callable[..., Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if cls is Variable:
            return _VariableType.create(*args, **kwargs)
        return super().__call__(*args, **kwargs)


def set_creator(create: Callable[..., Any]) -> None:
    """Says what `Variable(…)` does."""
    _VariableType.create = staticmethod(create)


class Variable(metaclass=_VariableType):
    """State that outlives a step: a tensor that a session keeps between runs.

    Args:
      initial_value: anything that becomes a tensor, or a function that returns it.
      trainable: whether optimisers change it; None means yes.
      collections: names of the graph collections it is added to; None means GLOBAL_VARIABLES.
      validate_shape: False lets the shape vary.
      caching_device: where reads are cached.
      name: of its node.
      variable_def: a VariableDef message from which to re-create it, instead of a value.
      dtype: of the value.
      expected_shape: checked against the value.
      import_scope: prefix of the names in `variable_def`.
      constraint: function applied to the value after an optimiser changed it.
      use_resource: True for a resource variable, False for a ref variable, None for the scope's.
      synchronization, aggregation: for copies on several devices.
      shape: of the variable, where it is less specific than the value's.
    """

    #: Which slice of a whole variable a part is.
    SaveSliceInfo = SaveSliceInfo

    # What the two kinds define.
    _graph_element: Tensor
    _initial_value: Any
    _initializer_op: Operation
    _trainable: bool
    _constraint: Any
    _synchronization: VariableSynchronization
    _aggregation: VariableAggregation
    _save_slice_info: SaveSliceInfo | None

    # --- what it is -------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of its tensor, "node:0"."""
        raise NotImplementedError

    @property
    def op(self) -> Operation:
        """The Operation that holds it."""
        raise NotImplementedError

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        raise NotImplementedError

    @property
    def shape(self) -> TensorShape:
        """Its static shape."""
        raise NotImplementedError

    def get_shape(self) -> TensorShape:
        """Its static shape."""
        return self.shape

    @property
    def graph(self) -> Graph:
        """The graph that holds it."""
        return self.op.graph

    @property
    def device(self) -> str:
        """The device asked for it."""
        return self.op.device

    @property
    def initializer(self) -> Operation:
        """The Operation that initialises it."""
        return self._initializer_op

    @property
    def initial_value(self) -> Any:
        """The tensor it is initialised with."""
        return self._initial_value

    @property
    def trainable(self) -> bool:
        """Whether optimisers change it."""
        return self._trainable

    @property
    def constraint(self) -> Any:
        """The function applied to its value after an optimiser changed it, or None."""
        return self._constraint

    @property
    def synchronization(self) -> VariableSynchronization:
        """When copies are brought together."""
        return self._synchronization

    @property
    def aggregation(self) -> VariableAggregation:
        """How copies are brought together."""
        return self._aggregation

    @property
    def _shared_name(self) -> str:
        return self.name[: self.name.index(":")]

    def ref(self) -> TensorReference:
        """A hashable reference to the variable."""
        return TensorReference(self)

    def experimental_ref(self) -> TensorReference:
        """An old name of `ref`."""
        return self.ref()

    def _set_save_slice_info(self, save_slice_info: SaveSliceInfo | None) -> None:
        self._save_slice_info = save_slice_info

    def _get_save_slice_info(self) -> SaveSliceInfo | None:
        return self._save_slice_info

    # --- as a message -----------------------------------------------------------------

    @staticmethod
    def from_proto(variable_def: Any, import_scope: str | None = None) -> Variable:
        """The variable whose nodes a VariableDef message names, below `import_scope`."""
        return Variable(variable_def=variable_def, import_scope=import_scope)

    def _take_from_message(self, message: Any, import_scope: str | None) -> None:
        """Takes what both kinds keep alike from a VariableDef message."""
        element = element_finder(import_scope)
        self._initializer_op = element(message.initializer_name)
        initial_value = message.initial_value_name
        self._initial_value = element(initial_value) if initial_value else None
        self._trainable = message.trainable
        self._synchronization = VariableSynchronization(message.synchronization)
        self._aggregation = VariableAggregation(message.aggregation)
        self._save_slice_info = SaveSliceInfo.from_message(message, import_scope)

    # --- values -----------------------------------------------------------------------

    def value(self) -> Tensor:
        """A tensor of its value."""
        raise NotImplementedError

    def read_value(self) -> Tensor:
        """A tensor of its value, read where this is called: control dependencies count."""
        raise NotImplementedError

    def eval(self, session: Any = None) -> Any:
        """Its value in `session`, else in the default session."""
        return self._graph_element.eval(session=session)

    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a value in `session`, without adding to the graph."""
        if session is None:
            if not default_session_stack():
                raise ValueError(
                    "Either session argument should be provided or default session should be "
                    "established"
                )
            session = default_session_stack()[-1]
        session.run(self.initializer, {self.initializer.inputs[1]: value})

    def _as_graph_element(self) -> Tensor:
        return self._graph_element

    def __getitem__(self, entries: Any) -> Tensor:
        return get_item(self.value(), entries, self)

    def __iter__(self) -> Any:
        raise TypeError("'Variable' object is not iterable.")

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Variable '{self.name}' has no value until it is run: use sess.run(variable)."
        )

    __array_priority__ = 100


def shape_text(shape: TensorShape) -> str:
    """A static shape as the repr of variables shows it."""
    return "<unknown>" if shape.rank is None else str(tuple(shape.as_list()))


operators.share_operators(Variable)
