"""CompositeTensor: what `Session.run` asks of values that are made of several tensors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from featherflow.graph.tensor import Tensor


class CompositeTensor(ABC):
    """A value made of several tensors, which can be fetched and fed as one."""

    __slots__ = ()

    @abstractmethod
    def parts(self) -> list[Tensor]:
        """The tensors."""

    @abstractmethod
    def value_of(self, parts: list[Any]) -> Any:
        """What `Session.run` gives, from the values of the parts."""

    @abstractmethod
    def feeds(self, value: Any) -> list[tuple[Tensor, Any]]:
        """Each part with its share of a fed value.

        Raises:
          ValueError: the value has another structure.
        """
