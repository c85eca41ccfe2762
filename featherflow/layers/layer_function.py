"""as_function: the function that makes a layer of a class and applies it once."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from featherflow.layers.layer import Layer


def as_function(layer_class: type[Layer], module: str, name: str) -> Callable[..., Any]:
    """`name(inputs, …)` with the arguments of the class's constructor.

    If the constructor takes `trainable`, and so has variables, the function also takes `reuse`:
    whether to share those of an earlier layer of the same name.
    """
    own = list(inspect.signature(layer_class).parameters.values())
    own = [parameter for parameter in own if parameter.kind is not parameter.VAR_KEYWORD]
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("inputs", kind), *own]
    has_variables = any(parameter.name == "trainable" for parameter in own)
    if has_variables:
        parameters.append(inspect.Parameter("reuse", kind, default=None))
    signature = inspect.Signature(parameters)

    def function(*args: Any, **kwargs: Any) -> Any:
        given = dict(signature.bind(*args, **kwargs).arguments)
        inputs = given.pop("inputs")
        if has_variables:
            given["_reuse"] = given.pop("reuse", None)
            given["_scope"] = given.get("name")
        return layer_class(**given)(inputs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__doc__ = (
        f"What a new `tf.layers.{layer_class.__name__}` makes of the inputs.\n\n"
        "Args:\n"
        "  inputs: a tensor.\n"
        "  name: of the layer and its variable scope.\n"
        + "  reuse: whether to share the variables of an earlier layer of that name.\n"
        * has_variables
        + "  The other arguments are the layer's.\n"
    )
    return function
