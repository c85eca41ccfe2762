"""What every layer function does: its variables by collection, its activation, its outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from featherflow.contrib.framework.framework_variables import model_variable
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.tensor import Tensor

Activation = Callable[[Tensor], Any]
#: Names of collections for all variables of a layer, or for each by its name.
Collections = Sequence[str] | Mapping[str, Sequence[str]] | None


def layer_variable(
    name: str,
    shape: Any,
    inputs: Tensor,
    collections: Collections,
    initializer: Any,
    regularizer: Any = None,
    trainable: bool = True,
    kind: str | None = None,
) -> Any:
    """The model variable `name` of a layer, of the dtype of its inputs.

    Args:
      kind: the key of its collections; None takes its name.
    """
    if isinstance(collections, Mapping):
        collections = collections.get(kind or name)
    return model_variable(
        name,
        shape=shape,
        dtype=inputs.dtype.base_dtype,
        initializer=initializer,
        regularizer=regularizer,
        collections=None if collections is None else list(collections),
        trainable=trainable,
    )


def collected(outputs: Any, collections: Any) -> Any:
    """The outputs, after they were added to the collections named."""
    names = [collections] if isinstance(collections, str) else collections or ()
    for name in names:
        get_default_graph().add_to_collection(name, outputs)
    return outputs


def normalized(
    outputs: Any, normalizer: Callable[..., Any], parameters: Mapping[str, Any] | None
) -> Any:
    """What a function such as `batch_norm` makes of outputs."""
    return normalizer(outputs, **(parameters or {}))


def activated(outputs: Any, activation: Activation | None) -> Any:
    """The activation of outputs."""
    return outputs if activation is None else activation(outputs)


def is_channels_first(data_format: str | None) -> bool:
    """Whether a layout such as "NCHW" has the channels before the spatial dimensions.

    Raises:
      ValueError: there is no such layout.
    """
    known = (None, "NHWC", "NCHW", "NWC", "NCW", "NDHWC", "NCDHW")
    if data_format not in known:
        raise ValueError(f"Invalid data_format: {data_format!r}. Known are {known[1:]}.")
    return data_format is not None and data_format.startswith("NC")
