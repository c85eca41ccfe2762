"""Variables of tf.contrib.framework: made in collections, found by scope, name or suffix."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from featherflow.contrib.framework.argument_scopes import add_arg_scope
from featherflow.framework.dtypes import float32
from featherflow.framework.exports import export_v1
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph_api import GraphKeys
from featherflow.graph.graph_api import device as device_scope
from featherflow.ops.variable_base import Variable
from featherflow.ops.variable_scope import VariableScope, get_variable

GLOBAL, LOCAL, MODEL = GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, "model_variables"


@export_v1("contrib.framework.variable", "contrib.slim.variable")
@add_arg_scope
def variable(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
) -> Any:
    """`tf.get_variable`, with a device, and in GLOBAL_VARIABLES whatever other collections are
    named.

    Args:
      device: a device, or a function of a node.
      collections: names of collections besides GLOBAL_VARIABLES.
      name, shape, dtype, initializer, regularizer, trainable, caching_device, partitioner,
        custom_getter, use_resource: see `tf.get_variable`.
    """
    names = list(dict.fromkeys([*(collections or ()), GLOBAL]))
    with device_scope(device):
        return get_variable(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            regularizer=regularizer,
            trainable=trainable,
            collections=names,
            caching_device=caching_device,
            partitioner=partitioner,
            custom_getter=custom_getter,
            use_resource=use_resource,
        )


@export_v1("contrib.framework.model_variable", "contrib.slim.model_variable")
@add_arg_scope
def model_variable(
    name: str,
    shape: Any = None,
    dtype: Any = float32,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = True,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    use_resource: bool | None = None,
) -> Any:
    """`variable`, which is also in MODEL_VARIABLES: one that a trained model consists of."""
    return variable(
        name,
        shape,
        dtype,
        initializer,
        regularizer,
        trainable,
        [*(collections or ()), MODEL],
        caching_device,
        device,
        partitioner,
        custom_getter,
        use_resource,
    )


@export_v1("contrib.framework.local_variable", "contrib.slim.local_variable")
def local_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None
) -> Variable:
    """A variable of this process alone, which checkpoints leave out."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[LOCAL],
        validate_shape=validate_shape,
        name=name,
    )


@export_v1("contrib.framework.global_variable", "contrib.slim.global_variable")
def global_variable(
    initial_value: Any, validate_shape: bool = True, name: str | None = None
) -> Variable:
    """A variable that is not trained, and that checkpoints hold."""
    return Variable(
        initial_value,
        trainable=False,
        collections=[GLOBAL],
        validate_shape=validate_shape,
        name=name,
    )


# --- finding --------------------------------------------------------------------------------------


@export_v1("contrib.framework.get_variables", "contrib.slim.get_variables")
def get_variables(
    scope: Any = None, suffix: str | None = None, collection: str = GLOBAL
) -> list[Any]:
    """The variables of a collection whose names begin with a scope, and end with a suffix.

    Args:
      scope: a VariableScope, or a regular expression for the beginning; None takes all.
      suffix: the last part of the name, or the end of it.
      collection: the name of the collection.
    """
    if isinstance(scope, VariableScope):
        scope = scope.name
    if suffix is not None:
        suffix = suffix if ":" in suffix else f"{suffix}:"
        scope = (scope or "") + ".*" + suffix
    return get_default_graph().get_collection(collection, scope)


@export_v1("contrib.framework.get_model_variables", "contrib.slim.get_model_variables")
def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables of models; see `get_variables`."""
    return get_variables(scope, suffix, MODEL)


@export_v1("contrib.framework.get_local_variables", "contrib.slim.get_local_variables")
def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables of this process alone; see `get_variables`."""
    return get_variables(scope, suffix, LOCAL)


@export_v1("contrib.framework.get_trainable_variables", "contrib.slim.get_trainable_variables")
def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables that optimisers change; see `get_variables`."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


@export_v1("contrib.framework.get_variables_to_restore", "contrib.slim.get_variables_to_restore")
def get_variables_to_restore(
    include: Sequence[str] | None = None, exclude: Sequence[str] | None = None
) -> list[Any]:
    """The global variables of some scopes but not of others, for a checkpoint to restore.

    Args:
      include: scopes; None includes all.
      exclude: scopes.
    Raises:
      TypeError: one of both is no list.
    """
    for argument, given in (("include", include), ("exclude", exclude)):
        if given is not None and not isinstance(given, (list, tuple)):
            raise TypeError(f"{argument} is provided but is not a list or a tuple.")
    chosen: list[Any] = []
    for scope in (None,) if include is None else include:
        chosen.extend(get_variables(scope))
    left_out = {id(found) for scope in exclude or () for found in get_variables(scope)}
    return [found for found in chosen if id(found) not in left_out]


@export_v1("contrib.framework.get_variables_by_suffix", "contrib.slim.get_variables_by_suffix")
def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The global variables whose names end so."""
    return get_variables(scope=scope, suffix=suffix)


@export_v1("contrib.framework.get_variables_by_name", "contrib.slim.get_variables_by_name")
def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The global variables whose names are this, or end with a slash and this."""
    suffix = f"/{given_name}:|^{given_name}:"
    return get_variables(scope=scope, suffix=suffix)


@export_v1("contrib.framework.get_unique_variable", "contrib.slim.get_unique_variable")
def get_unique_variable(var_op_name: str) -> Any:
    """The global variable of this name.

    Raises:
      ValueError: there is none.
    """
    for candidate in get_variables(scope=f"{var_op_name}$|{var_op_name}:"):
        if candidate.op.name == var_op_name:
            return candidate
    raise ValueError(f"Variable {var_op_name} does not uniquely identify a variable")


@export_v1("contrib.framework.filter_variables", "contrib.slim.filter_variables")
def filter_variables(
    var_list: Sequence[Any],
    include_patterns: Sequence[str] | None = None,
    exclude_patterns: Sequence[str] | None = None,
    reg_search: bool = True,
) -> list[Any]:
    """The variables whose names match a pattern to include, and none to exclude.

    Args:
      var_list: the variables.
      include_patterns, exclude_patterns: regular expressions; None includes all, excludes none.
      reg_search: whether a pattern may match anywhere, or at the beginning only.
    """
    matches = re.search if reg_search else re.match

    def among(patterns: Sequence[str], name: str) -> bool:
        return any(matches(pattern, name) for pattern in patterns)

    return [
        item
        for item in var_list
        if (include_patterns is None or among(include_patterns, item.name))
        and not among(exclude_patterns or (), item.name)
    ]
