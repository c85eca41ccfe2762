"""EagerVariable: a variable that has its value now, and is shared by functions and graphs.

Its storage is held by its handle alone, and freed with the last reference to that. A function or a
graph that uses it holds the handle as a captured value.
"""

from __future__ import annotations

import copy
import weakref
from typing import Any

import numpy as np

from featherflow.framework import dispatch, dtypes, mode
from featherflow.framework.resource import VariableCell
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.graph_api import init_scope, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops import variable_creation
from featherflow.ops.captured_handle_ops import CapturedHandle
from featherflow.ops.identity_ops import identity
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.variable_base import shape_text

#: Variables of a program that may turn out to be one for graphs.
_made_undecided: list[weakref.ref[EagerVariable]] = []


def _follow_mode() -> None:
    """In a program for graphs, variables that were made at once become variables of its graph."""
    made = [reference() for reference in _made_undecided]
    _made_undecided.clear()
    if not mode.is_graph():
        return
    for variable in made:
        if variable is not None:
            value, trainable = variable._cell.value, variable._trainable
            variable.__class__ = ResourceVariable  # type: ignore[assignment]
            variable._build(value, variable._name, variable._dtype, None, None)
            variable_creation.collect(variable, None, trainable)


mode.on_change(_follow_mode)


class EagerVariable(ResourceVariable):
    """A ResourceVariable of a program whose ops run at once; the arguments are the same."""

    def _build(
        self, initial_value: Any, name: str | None, dtype: Any, shape: Any, caching_device: Any
    ) -> None:
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        with init_scope(), name_scope(name, "Variable") as scope:
            made = initial_value() if callable(initial_value) else initial_value
            value = convert_to_tensor(made, dtype=dtype, name="initial_value")
            self._dtype = value.dtype.base_dtype
            if shape is None:
                shape = value.shape if self._validate_shape else UNKNOWN
            self._shape = TensorShape(shape)
            if not self._shape.is_compatible_with(value.shape):
                raise ValueError(
                    f"In this `tf.Variable` creation, the initial value's shape ({value.shape}) is "
                    f"not compatible with the explicitly supplied `shape` argument ({shape})."
                )
            self._name = scope.rstrip("/") or "Variable"
            cell = VariableCell(self._name, self._dtype, self._shape)
            self._handle: Tensor = CapturedHandle(dtype=dtypes.resource, _value=cell)
            cell.value = value._static_value()
        self._initial_value = None
        if mode.is_undecided():
            _made_undecided.append(weakref.ref(self))

    @property
    def _cell(self) -> VariableCell:
        return self._handle._handle  # type: ignore[attr-defined]

    # --- what it is -------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return f"{self._name}:0"

    @property
    def op(self) -> Any:
        raise AttributeError("Variable.op is not meaningful when eager execution is enabled.")

    @property
    def graph(self) -> Any:
        raise AttributeError("Variable.graph is not meaningful when eager execution is enabled.")

    @property
    def device(self) -> str:
        return self._handle.device

    @property
    def initializer(self) -> Any:
        """None: it is initialised."""
        return None

    @property
    def initial_value(self) -> Any:
        raise RuntimeError("This property is not supported when eager execution is enabled.")

    @property
    def create(self) -> Any:
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def initialized_value(self) -> Tensor:
        return self.read_value()

    # --- values -----------------------------------------------------------------------------------

    def value(self) -> Tensor:
        return self._read()

    def read_value(self) -> Tensor:
        return identity(self._read())

    def numpy(self) -> Any:
        """Its value as an array, or as a NumPy scalar.

        Raises:
          NotImplementedError: it is asked for while a graph is built.
        """
        if not dispatch.executing_eagerly():
            raise NotImplementedError("numpy() is only available when eager execution is enabled.")
        return self._read().numpy()  # type: ignore[attr-defined]

    def eval(self, session: Any = None) -> Any:
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def load(self, value: Any, session: Any = None) -> None:
        self.assign(value)

    def after(self, operation: Any) -> Any:
        """The variable after an assignment: in a function its reads wait for that."""
        if dispatch.executing_eagerly():
            return _AssignedVariable(self)
        return super().after(operation)

    # --- as a Python value ------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array(self.numpy(), dtype)

    def __int__(self) -> int:
        return int(self.value())  # type: ignore[call-overload]

    def __float__(self) -> float:
        return float(self.value())  # type: ignore[arg-type]

    def __complex__(self) -> complex:
        return complex(self.value())  # type: ignore[arg-type]

    def __bool__(self) -> bool:
        return bool(self.value())

    def __index__(self) -> int:
        return self.value().__index__()

    def __hash__(self) -> int:
        raise TypeError("Variable is unhashable. Instead, use variable.ref() as the key.")

    def __eq__(self, other: object) -> Any:
        return self.value() == other

    def __ne__(self, other: object) -> Any:
        return self.value() != other

    def __copy__(self) -> EagerVariable:
        return self.__deepcopy__({})

    def __deepcopy__(self, memo: dict[int, Any]) -> EagerVariable:
        if not dispatch.executing_eagerly():
            raise NotImplementedError(
                "__deepcopy__() is only available when eager execution is enabled."
            )
        twin = EagerVariable(
            copy.deepcopy(self.value()),
            trainable=self._trainable,
            name=self._name,
            dtype=self._dtype,
            constraint=self._constraint,
            synchronization=self._synchronization,
            aggregation=self._aggregation,
            shape=self._shape,
        )
        memo[id(self)] = twin
        return twin

    def __reduce__(self) -> Any:
        arguments = (self.numpy(), self._trainable, self._name, self._dtype.name)
        return _restore, arguments

    def to_proto(self, export_scope: str | None = None) -> Any:
        raise RuntimeError("This operation is not supported when eager execution is enabled.")

    def __repr__(self) -> str:
        text = f"<tf.Variable '{self.name}' shape={shape_text(self.shape)} dtype={self.dtype.name}"
        if not dispatch.executing_eagerly():
            return f"{text}>"
        return f"{text}, {self._text_of_value()}>"

    def _text_of_value(self) -> str:
        return self._read()._value_text(True)  # type: ignore[attr-defined]


class _AssignedVariable(EagerVariable):
    """What an assignment returns: the variable, under the name that such a value has."""

    def __init__(self, variable: EagerVariable) -> None:
        vars(self).update(vars(variable))

    @property
    def name(self) -> str:
        return "UnreadVariable"


def _restore(value: Any, trainable: bool, name: str, dtype: str) -> EagerVariable:
    return EagerVariable(value, trainable=trainable, name=name, dtype=dtype)
