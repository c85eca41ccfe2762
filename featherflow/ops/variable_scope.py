"""tf.variable_scope and tf.get_variable: variables by name, made once and shared after."""

from __future__ import annotations

import copy
import enum
import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export_v1, export_value
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.default_graph import get_default_graph, graph_of
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.ops.variable_base import VariableAggregation, VariableSynchronization
from featherflow.ops.variable_store import VariableRequest, VariableStore


class _ReuseMode(enum.Enum):
    """Values of `reuse` besides True and False."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
export_value(__name__, "AUTO_REUSE", v1_only=True)

#: What a scope hands down to the scopes and variables inside it.
_INHERITED = (
    "initializer",
    "regularizer",
    "caching_device",
    "partitioner",
    "custom_getter",
    "dtype",
    "use_resource",
    "constraint",
)


@export_v1("VariableScope")
class VariableScope:
    """A prefix of names, and defaults for the variables made under it."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name = name
        self._reuse = reuse
        self._name_scope = name_scope
        self._initializer = initializer
        self._regularizer = regularizer
        self._caching_device = caching_device
        self._partitioner = partitioner
        self._custom_getter = custom_getter
        self._dtype = dtypes.as_dtype(dtype)
        self._use_resource = use_resource
        self._constraint = constraint

    @property
    def name(self) -> str:
        """The prefix, without a closing "/"."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The name scope that the scope opened first, with its "/"."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """True, False or None, or AUTO_REUSE."""
        return self._reuse

    def reuse_variables(self) -> None:
        """From now on variables are shared, not made."""
        self._reuse = True

    def _inherit(self, field: str) -> Any:
        return getattr(self, f"_{field}")

    def get_variable(
        self,
        var_store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = VariableSynchronization.AUTO,
        aggregation: Any = VariableAggregation.NONE,
    ) -> Any:
        """The variable `name` under this scope, of a store; see `tf.get_variable`."""
        asked = dict(locals())
        for argument in ("self", "var_store", "name", "custom_getter"):
            del asked[argument]
        return self._get(var_store, name, custom_getter, **asked)

    def _get(self, store: VariableStore, name: str | None, custom_getter: Any, **asked: Any) -> Any:
        """`get_variable`; None as a name calls the variable like the scope."""
        own_name = self._name if name is None else name
        full_name = f"{self._name}/{name}" if self._name and name is not None else own_name
        for field in ("regularizer", "caching_device", "partitioner", "constraint"):
            if asked.get(field) is None:
                asked[field] = self._inherit(field)
        if custom_getter is None:
            custom_getter = self._custom_getter
        if asked.get("use_resource") is None:
            asked["use_resource"] = self._use_resource
        if asked.get("reuse") is None:
            asked["reuse"] = self._reuse
        with name_scope(None):
            asked["dtype"] = self._agreed_dtype(asked.get("dtype"), asked["initializer"])
            if asked["initializer"] is None:
                asked["initializer"] = self._initializer
            return store.get(VariableRequest(full_name, **asked), custom_getter)

    def set_initializer(self, initializer: Any) -> None:
        """Sets the default `initializer` of variables made under the scope."""
        self._initializer = initializer

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the default `regularizer` of variables made under the scope."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the default `caching_device` of variables made under the scope."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the default `partitioner` of variables made under the scope."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the default `custom_getter` of variables made under the scope."""
        self._custom_getter = custom_getter

    def set_dtype(self, dtype: Any) -> None:
        """Sets the default `dtype` of variables made under the scope."""
        self._dtype = dtype

    def set_use_resource(self, use_resource: Any) -> None:
        """Sets the default `use_resource` of variables made under the scope."""
        self._use_resource = use_resource

    def _agreed_dtype(self, dtype: Any, initializer: Any) -> dtypes.DType:
        """The dtype asked for, else the scope's; a value given as initialiser keeps its own."""
        if dtype is None:
            return self._dtype
        wanted = dtypes.as_dtype(dtype).base_dtype
        if initializer is not None and not callable(initializer):
            found = convert_to_tensor(initializer).dtype.base_dtype
            if found is not wanted:
                raise ValueError(
                    f"Initializer type '{found.name}' and explicit dtype '{wanted.name}' don't "
                    "match."
                )
        return wanted

    # --- collections ------------------------------------------------------------------

    def get_collection(self, name: str) -> list[Any]:
        """The items of a collection under this scope."""
        scope = f"{self._name}/" if self._name else self._name
        return get_default_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        """The trainable variables under this scope."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The global variables under this scope."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The local variables under this scope."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)


def _add_field(field: str) -> None:
    """Gives VariableScope the property `field`."""

    def read(self: VariableScope) -> Any:
        return getattr(self, f"_{field}")

    read.__doc__ = f"The default `{field}` of variables made under the scope."
    setattr(VariableScope, field, property(read))


for _field in _INHERITED:
    _add_field(_field)


class _GraphScopes:
    """The variable scopes of one graph: the current one, the variables, and the counts of names."""

    def __init__(self) -> None:
        self.current = VariableScope(False)
        self.store = VariableStore()
        self.times_opened: dict[str, int] = {}

    def open(self, name: str) -> None:
        """Counts a scope, so that default names after it differ."""
        self.times_opened[name] = self.times_opened.get(name, 0) + 1

    def close_subscopes(self, name: str) -> None:
        """Forgets the counts below a scope: re-entered, it gives the same names again."""
        for key in [key for key in self.times_opened if not name or key.startswith(f"{name}/")]:
            self.times_opened[key] = 0

    def unique(self, prefix: str) -> str:
        """`prefix`, numbered if a scope of that name was opened here."""
        outer = f"{self.current.name}/" if self.current.name else ""
        if not self.times_opened.get(outer + prefix):
            return prefix
        index = 1
        while self.times_opened.get(f"{outer}{prefix}_{index}"):
            index += 1
        return f"{prefix}_{index}"


def _scopes() -> _GraphScopes:
    graph = get_default_graph()
    if graph._variable_store is None:
        graph._variable_store = _GraphScopes()
    return graph._variable_store


@export_v1("get_variable_scope")
def get_variable_scope() -> VariableScope:
    """The current variable scope."""
    return _scopes().current


# --- entering -------------------------------------------------------------------------


@export_v1("variable_scope")
class variable_scope:
    """Opens a variable scope, and a name scope of the same name.

    Args:
      name_or_scope: a name, or a VariableScope to re-enter.
      default_name: used, made unique, where `name_or_scope` is None.
      values: tensors that the block works on; their graph becomes the default one.
      initializer, regularizer, caching_device, partitioner, custom_getter, dtype, use_resource,
        constraint: defaults for variables made inside; None inherits.
      reuse: True shares existing variables, AUTO_REUSE makes those that do not exist; None
        inherits.
      auxiliary_name_scope: whether to open the name scope.
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("If default_name is None then name_or_scope is required.")
        if not (name_or_scope is None or isinstance(name_or_scope, (str, VariableScope))):
            raise TypeError(
                "VariableScope: name_or_scope must be a string or VariableScope, received "
                f"{name_or_scope!r}."
            )
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True cannot be used without a name_or_scope")
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._values = values
        self._auxiliary_name_scope = auxiliary_name_scope
        self._reuse = reuse or None  # False means "inherit": there are no non-inheriting scopes
        self._defaults = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._entered: list[Any] = []

    def __enter__(self) -> VariableScope:
        context = self._open()
        scope = context.__enter__()
        self._entered.append(context)
        return scope

    def __exit__(self, *exception: Any) -> Any:
        return self._entered.pop().__exit__(*exception)

    @contextmanager
    def _open(self) -> Iterator[VariableScope]:
        graph = graph_of(self._values or ())
        with graph.as_default() if self._values else nullcontext():
            target = self._name_or_scope
            unique = _scopes().unique(self._default_name or "") if target is None else None
            with self._name_scope(unique) as opened:
                if isinstance(target, VariableScope):
                    original = target.original_name_scope
                else:
                    original = opened
                with _pure_variable_scope(
                    target if unique is None else unique, self._reuse, original, self._defaults
                ) as scope:
                    yield scope

    def _name_scope(self, unique: str | None) -> Any:
        if not self._auxiliary_name_scope:
            return _current_name_scope()
        target = self._name_or_scope
        if isinstance(target, VariableScope):
            target = target.name.split("/")[-1]
        name = self._default_name if unique is not None else target
        return name_scope(name) if name else _current_name_scope()


@contextmanager
def _current_name_scope() -> Iterator[str]:
    current = get_default_graph().get_name_scope()
    yield f"{current}/" if current else ""


@contextmanager
def _pure_variable_scope(
    name_or_scope: Any, reuse: Any, original_name_scope: str, defaults: dict[str, Any]
) -> Iterator[VariableScope]:
    """Opens a variable scope without a name scope."""
    scopes = _scopes()
    outer = scopes.current
    if isinstance(name_or_scope, VariableScope):
        scope = copy.copy(name_or_scope)
        scope._reuse = name_or_scope.reuse if reuse is None else reuse
        counts: dict[str, int] | None = dict(scopes.times_opened)
    else:
        scope = copy.copy(outer)
        scope._name = f"{outer.name}/{name_or_scope}" if outer.name else name_or_scope
        scope._reuse = reuse or outer.reuse
        scopes.open(scope.name)
        counts = None
    scope._name_scope = original_name_scope
    _apply(scope, defaults)
    if counts is not None:
        scopes.close_subscopes(scope.name)
    scopes.current = scope
    try:
        yield scope
    finally:
        scopes.current = outer
        scopes.close_subscopes(scope.name)
        if counts is not None:
            scopes.times_opened = counts


def _apply(scope: VariableScope, defaults: dict[str, Any]) -> None:
    for field, value in defaults.items():
        if value is None:
            continue
        if field == "custom_getter" and scope._custom_getter is not None:
            value = _compose_getters(scope._custom_getter, value)
        if field == "dtype":
            value = dtypes.as_dtype(value)
        setattr(scope, f"_{field}", value)


def _compose_getters(outer: Callable[..., Any], inner: Callable[..., Any]) -> Callable[..., Any]:
    """The inner scope's getter calls the outer's as its `getter`."""

    def composed(getter: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return composed


@export_v1("variable_op_scope")
@contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: Any = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Any:
    """An old spelling of `variable_scope`."""
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer=initializer,
        regularizer=regularizer,
        caching_device=caching_device,
        partitioner=partitioner,
        custom_getter=custom_getter,
        reuse=reuse,
        dtype=dtype,
        use_resource=use_resource,
        constraint=constraint,
    ) as scope:
        yield scope


@export_v1("no_regularizer")
def no_regularizer(_: Any) -> None:
    """A regularizer that adds nothing, for scopes whose outer scope has one."""


# --- variables ------------------------------------------------------------------------


@export_v1("get_variable")
def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """The variable `name` in the current variable scope: an existing one, or a new one.

    Args:
      name: of the variable; the scope's name is put before it.
      shape: of a new variable; the shape that an existing one must have.
      dtype: of its elements; None takes the scope's.
      initializer: an initializer, or the initial value; None takes the scope's, else Glorot's.
      regularizer: makes a loss of the variable, added to REGULARIZATION_LOSSES.
      trainable: whether optimisers change it.
      collections: names of collections to add it to; None means GLOBAL_VARIABLES.
      caching_device: where reads are cached.
      partitioner: how many parts each axis is split into.
      validate_shape: False lets the shape vary.
      use_resource: True for a resource variable, False for a ref variable.
      custom_getter: `(getter, name, …)`, called instead of making the variable.
      constraint: function applied to the value after an optimiser changed it.
      synchronization, aggregation: for copies on several devices.
    Returns:
      A Variable, or a PartitionedVariable.
    Raises:
      ValueError: it exists and `reuse` is off, does not exist and `reuse` is True, or differs.
    """
    scopes = _scopes()
    return scopes.current._get(
        scopes.store,
        name,
        custom_getter,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=collections,
        caching_device=caching_device,
        partitioner=partitioner,
        validate_shape=validate_shape,
        use_resource=use_resource,
        constraint=constraint,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@export_v1("get_local_variable")
def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = VariableSynchronization.AUTO,
    aggregation: Any = VariableAggregation.NONE,
) -> Any:
    """`get_variable` for a variable of this process alone: not trained, not in checkpoints."""
    return get_variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        trainable,
        [*(collections or ()), GraphKeys.LOCAL_VARIABLES],
        caching_device,
        partitioner,
        validate_shape,
        use_resource,
        custom_getter,
        constraint,
        synchronization,
        aggregation,
    )
