"""Tensor: a symbolic handle to one output of an Operation."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import OperatorNotAllowedInGraphError
from featherflow.framework.tensor_shape import TensorShape

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph
    from featherflow.graph.operation import Operation


class Tensor:
    """Output `value_index` of `op`: it has a dtype and a static shape, a value only when run.

    Operators (`+`, `@`, `[…]`, …) are attached by `ops/operators.py`.
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_consumers",
        "_dtype",
        "_handle_data",
        "_name",
        "_op",
        "_shape",
        "_value_index",
    )

    # NumPy must leave `array * tensor` to Tensor.__rmul__.
    __array_priority__ = 100

    def __init__(self, op: Operation, value_index: int, dtype: DType, shape: TensorShape) -> None:
        self._op = op
        self._value_index = value_index
        self._dtype = dtype
        self._shape = shape
        self._consumers: list[Operation] | None = None
        #: (dtype, shape) of the value behind a resource handle; see `variable_ops`.
        self._handle_data: tuple[DType, TensorShape] | None = None
        self._name: str | None = None

    # --- what it is -------------------------------------------------------------------------------

    @property
    def op(self) -> Operation:
        """The Operation that produces this tensor."""
        return self._op

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph that holds it."""
        return self._op.graph

    @property
    def name(self) -> str:
        """`"node:index"`, by which it can be fetched and fed."""
        name = self._name
        if name is None:
            name = self._name = f"{self._op.name}:{self._value_index}"
        return name

    @property
    def device(self) -> str:
        """The device asked for its Operation."""
        return self._op.device

    @property
    def value_index(self) -> int:
        """Its place among the outputs of `op`."""
        return self._value_index

    @property
    def shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The static shape, as far as it is known."""
        return self._shape

    def set_shape(self, shape: Any) -> None:
        """Merges `shape` into the static shape.

        Raises:
          ValueError: they are not compatible.
        """
        merged = self._shape.merge_with(shape)
        if merged != self._shape or merged._dims != self._shape._dims:
            self._shape = merged
            self.graph._static_shape_changed(self)

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None."""
        return self._shape.rank

    def consumers(self) -> list[Operation]:
        """The Operations that take this tensor as an input."""
        return list(dict.fromkeys(self._consumers)) if self._consumers else []

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Runs the tensor in `session`, else in the default session."""
        return _session_for(self.graph, session, "eval").run(self, feed_dict)

    def ref(self) -> TensorReference:
        """A hashable reference to this tensor, equal where the tensors are one."""
        return TensorReference(self)

    if TYPE_CHECKING:  # attached by ops/operators.py

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __rand__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __ror__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __rxor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, entries: Any) -> Tensor: ...

    def _static_value(self) -> Any:
        """The value of a tensor that has one; see `constant_value` for symbolic tensors."""
        return None

    # --- refusals that would otherwise go silently wrong ------------------------------------------

    def __iter__(self) -> Any:
        raise OperatorNotAllowedInGraphError(
            f"Iterating over symbolic tensor '{self.name}' of shape {self._shape} is not "
            "allowed: it "
            "has no value until it is run. Use tf.unstack(…, num=…), tf.map_fn or tf.while_loop."
        )

    def __contains__(self, item: Any) -> bool:
        raise OperatorNotAllowedInGraphError(
            f"`in` on symbolic tensor '{self.name}' is not allowed: it has no value until it is "
            "run. "
            "Use tf.reduce_any(tf.equal(tensor, item))."
        )

    def __bool__(self) -> bool:
        raise OperatorNotAllowedInGraphError(
            f"Using tensor '{self.name}' as a Python bool is not allowed: it has no value until "
            "it is "
            "run. Use `if t is not None:` to test that it exists, tf.cond or tf.logical_and to "
            "branch on its value."
        )

    def __len__(self) -> int:
        raise TypeError(
            f"len is not well defined for symbolic tensor '{self.name}'. Use tf.shape(x)[0], or "
            "x.shape for the static shape."
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(
            f"Cannot convert symbolic tensor '{self.name}' to a NumPy array: it has no value "
            "until it "
            "is run. Use sess.run(tensor)."
        )

    def __index__(self) -> int:
        raise TypeError(f"Symbolic tensor '{self.name}' has no value yet: it cannot be an index.")

    def __repr__(self) -> str:
        return (
            f"<tf.Tensor '{self.name}' shape={_shape_text(self._shape)} dtype={self._dtype.name}>"
        )

    def __str__(self) -> str:
        shape = "" if self._shape._dims is None else f", shape={self._shape}"
        device = f", device={self.device}" if self.device else ""
        return f'Tensor("{self.name}"{shape}, dtype={self._dtype.name}{device})'


def name_of_handle(handle: Tensor, default: str) -> str:
    """What a table or queue is called: as its node, without scopes; a value is called `default`."""
    return handle.op.name.rpartition("/")[2] if handle.__class__ is Tensor else default


class TensorReference:
    """A hashable stand-in for a tensor or variable, for use as a key of dicts and sets."""

    __slots__ = ("_referent",)

    def __init__(self, referent: Any) -> None:
        self._referent = referent

    def deref(self) -> Any:
        """The tensor or variable itself."""
        return self._referent

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorReference) and self._referent is other._referent

    def __hash__(self) -> int:
        return id(self._referent)

    def __repr__(self) -> str:
        return f"<Reference wrapping {self._referent!r}>"


def _shape_text(shape: TensorShape) -> str:
    if shape._dims is None:
        return "<unknown>"
    return str(shape)


# --- default session, kept here since Tensor.eval and Operation.run need it -----------------------


class _DefaultSessions(threading.local):
    """The sessions entered on this thread."""

    def __init__(self) -> None:
        self.entered: list[Any] = []


_default_sessions = _DefaultSessions()


def default_session_stack() -> list[Any]:
    """The sessions entered by `with sess:` or `sess.as_default()`, innermost last."""
    return _default_sessions.entered


def _session_for(graph: Graph, session: Any, method: str) -> Any:
    if session is None:
        entered = _default_sessions.entered
        if not entered:
            raise ValueError(
                f"Cannot run {method}() without a session: no default session is registered. Use "
                f"`with sess.as_default():` or pass one, `{method}(session=sess)`."
            )
        session = entered[-1]
    if session.graph is not graph:
        raise ValueError(
            f"Cannot use the given session for {method}(): the tensor's graph is not the session's."
        )
    return session
