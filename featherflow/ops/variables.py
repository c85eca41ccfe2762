"""Making variables, and the collections they are found in."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from featherflow.framework import dispatch, mode
from featherflow.framework.exports import export, export_v1, export_value
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.graph.operation import Operation
from featherflow.ops import variable_base, variable_scatter_ops
from featherflow.ops.batch_scatter_ops import add_batch_scatter_method
from featherflow.ops.eager_variables import EagerVariable
from featherflow.ops.grouping_ops import group
from featherflow.ops.ref_variables import RefVariable
from featherflow.ops.resource_variables import ResourceVariable
from featherflow.ops.variable_base import Variable

export_value(__name__, "Variable")
__all__ = ["RefVariable", "ResourceVariable", "Variable"]

Creator = Callable[..., Variable]
#: What the program said; None goes with its mode.
_resource_by_default: bool | None = None


@export_v1("enable_resource_variables")
def enable_resource_variables() -> None:
    """From now on variables are resource variables where nothing else is said."""
    global _resource_by_default
    _resource_by_default = True


@export_v1("disable_resource_variables")
def disable_resource_variables() -> None:
    """From now on variables are ref variables where nothing else is said."""
    global _resource_by_default
    _resource_by_default = False


@export_v1("resource_variables_enabled")
def resource_variables_enabled() -> bool:
    """Whether variables are resource variables where nothing else is said."""
    return not mode.is_graph() if _resource_by_default is None else _resource_by_default


# --- creators -------------------------------------------------------------------------------------

_PARAMETERS = (
    "initial_value", "trainable", "collections", "validate_shape", "caching_device", "name",
    "variable_def", "dtype", "expected_shape", "import_scope", "constraint", "use_resource",
    "synchronization", "aggregation", "shape",
)  # fmt: skip


def create(*args: Any, **kwargs: Any) -> Variable:
    """What `tf.Variable(…)` does: passes the arguments through the creators in scope."""
    if len(args) > len(_PARAMETERS):
        raise TypeError(
            f"Variable takes at most {len(_PARAMETERS)} arguments, received {len(args)}."
        )
    for name, value in zip(_PARAMETERS, args):
        if name in kwargs:
            raise TypeError(f"Variable got multiple values for argument '{name}'.")
        kwargs[name] = value
    unknown = kwargs.keys() - set(_PARAMETERS)
    if unknown:
        raise TypeError(f"Variable got unexpected arguments: {', '.join(sorted(unknown))}.")
    creator: Creator = _default_creator
    for outer in get_default_graph()._variable_creators:
        creator = functools.partial(outer, creator)
    return creator(**kwargs)


def _default_creator(
    use_resource: bool | None = None, expected_shape: Any = None, **kwargs: Any
) -> Variable:
    message = kwargs.get("variable_def")
    if message is not None:
        use_resource = message.is_resource
    if use_resource is None:
        use_resource = get_default_graph()._use_resource_variables
    if use_resource is None:
        use_resource = resource_variables_enabled()
    if dispatch.executing_eagerly():
        return EagerVariable(**kwargs)
    return ResourceVariable(**kwargs) if use_resource else RefVariable(**kwargs)


variable_base.set_creator(create)
variable_scatter_ops.add_scatter_methods(RefVariable, ResourceVariable)
add_batch_scatter_method(RefVariable, ResourceVariable)


@export("variable_creator_scope")
@export_v1("variable_creator_scope")
@contextmanager
def variable_creator_scope(variable_creator: Creator) -> Iterator[None]:
    """Variables made inside the block go through `variable_creator(next_creator, **kwargs)`."""
    graph = get_default_graph()
    previous = graph._variable_creators
    graph._variable_creators = [*previous, variable_creator]
    try:
        yield
    finally:
        graph._variable_creators = previous


# --- collections ----------------------------------------------------------------------------------


@export_v1("global_variables")
def global_variables(scope: str | None = None) -> list[Variable]:
    """The variables of the default graph that checkpoints hold."""
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


@export_v1("all_variables")
def all_variables() -> list[Variable]:
    """An old name of `global_variables`."""
    return global_variables()


@export_v1("local_variables")
def local_variables(scope: str | None = None) -> list[Variable]:
    """The variables of this process alone, such as counters of input files."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


@export_v1("model_variables")
def model_variables(scope: str | None = None) -> list[Variable]:
    """The variables that inference needs."""
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


@export_v1("trainable_variables")
def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables that optimisers change."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


@export_v1("moving_average_variables")
def moving_average_variables(scope: str | None = None) -> list[Variable]:
    """The variables that moving averages are kept of."""
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# --- initialisation -------------------------------------------------------------------------------


@export_v1("variables_initializer", "initializers.variables")
def variables_initializer(var_list: Any, name: str = "init") -> Operation:
    """An Operation that initialises the variables, in no particular order."""
    if var_list:
        return group(*[variable.initializer for variable in var_list], name=name)
    return group(name=name)


@export_v1("initialize_variables")
def initialize_variables(var_list: Any, name: str = "init") -> Operation:
    """An old name of `variables_initializer`."""
    return variables_initializer(var_list, name)


@export_v1("global_variables_initializer", "initializers.global_variables")
def global_variables_initializer() -> Operation:
    """An Operation that initialises all global variables."""
    return variables_initializer(global_variables())


@export_v1("initialize_all_variables")
def initialize_all_variables() -> Operation:
    """An old name of `global_variables_initializer`."""
    return global_variables_initializer()


@export_v1("local_variables_initializer", "initializers.local_variables")
def local_variables_initializer() -> Operation:
    """An Operation that initialises all local variables."""
    return variables_initializer(local_variables())


@export_v1("initialize_local_variables")
def initialize_local_variables() -> Operation:
    """An old name of `local_variables_initializer`."""
    return local_variables_initializer()
