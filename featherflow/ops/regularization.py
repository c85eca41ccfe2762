"""Losses of single variables, which regularisers add to a graph's collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import register_tensor_conversion_function
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import GraphKeys, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops import operators


class RegularizationLoss:
    """The loss of one variable: as a tensor it is made anew wherever it is used.

    So it belongs to the control flow of its use, and not to where the variable was made. Fetched,
    and asked for its name, it is the one that was made first.
    """

    def __init__(self, make: Callable[[], Tensor]) -> None:
        self._make = make
        self._first = make()

    def value(self) -> Tensor:
        """A tensor of the loss, of nodes of its own."""
        return self._make()

    def _as_graph_element(self) -> Tensor:
        return self._first

    @property
    def name(self) -> str:
        """The name of the tensor that was made first."""
        return self._first.name

    @property
    def op(self) -> Operation:
        """The node that was made first."""
        return self._first.op

    @property
    def graph(self) -> Graph:
        """The graph of the variable."""
        return self._first.graph

    @property
    def device(self) -> str:
        """The device asked for the node that was made first."""
        return self._first.device

    @property
    def dtype(self) -> DType:
        """The type of the loss."""
        return self._first.dtype

    @property
    def shape(self) -> TensorShape:
        """The static shape of the loss."""
        return self._first.shape

    def get_shape(self) -> TensorShape:
        """The static shape of the loss."""
        return self._first.shape

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in `session`, else in the default session."""
        return self._first.eval(feed_dict, session)

    def __repr__(self) -> str:
        return repr(self._first)


operators.share_operators(RegularizationLoss)


def _convert(
    value: RegularizationLoss,
    dtype: DType | None = None,
    name: str | None = None,
    as_ref: bool = False,
) -> Tensor:
    if dtype is not None and not dtype.is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible type conversion requested to {dtype.name} for the loss {value.name} of "
            f"type {value.dtype.name}."
        )
    return value.value()


register_tensor_conversion_function(RegularizationLoss, _convert)


def add_regularizer(variable: Any, regularizer: Callable[[Any], Any]) -> None:
    """Adds the loss that `regularizer` makes of a variable to REGULARIZATION_LOSSES.

    As in TensorFlow it is called once before, outside the variable's scope, to see whether there is
    a loss at all.
    """
    if regularizer(variable) is None:
        return
    scope = f"{variable.name.rpartition(':')[0]}/Regularizer/"

    def make() -> Tensor:
        with get_default_graph().colocate_with(variable), name_scope(scope):
            return regularizer(variable)

    get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, RegularizationLoss(make))
