"""OpKernelContext: what a kernel may reach besides its inputs, for one step on one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from featherflow.framework.errors import CancelledError
from featherflow.framework.resource import ResourceManager

if TYPE_CHECKING:
    from featherflow.framework.attr_value import NameAttrList
    from featherflow.framework.rendezvous import Rendezvous


class Cancellation:
    """A flag that ends a step, and the callbacks of those who wait in it."""

    __slots__ = ("_callbacks", "cancelled", "reason")

    def __init__(self) -> None:
        self.cancelled = False
        self.reason: Exception | None = None
        self._callbacks: dict[int, Callable[[], None]] = {}

    def cancel(self, reason: Exception | None = None) -> None:
        """Sets the flag once and calls those who registered."""
        if self.cancelled:
            return
        self.reason = reason or CancelledError(None, None, "The step was cancelled.")
        self.cancelled = True
        for callback in list(self._callbacks.values()):
            callback()

    def register(self, callback: Callable[[], None]) -> int:
        """Asks to be called on cancellation; returns a token for `deregister`."""
        token = id(callback)
        self._callbacks[token] = callback
        if self.cancelled:
            callback()
        return token

    def deregister(self, token: int) -> None:
        """Asks no more."""
        self._callbacks.pop(token, None)


class OpKernelContext:
    """The step that a kernel runs in. It stands in slot 0 of the step's values.

    Attributes:
      step_id: a number for the step, unique in the process.
      resources: the session's resources.
      device: the name of the device that the kernel runs on.
      cancellation: tells kernels that wait or loop when to stop.
      rendezvous: where Send and Recv meet.
      run_function: `(function, inputs) -> outputs`, runs a function of the graph's library.
    """

    __slots__ = ("cancellation", "device", "rendezvous", "resources", "run_function", "step_id")

    def __init__(
        self,
        step_id: int,
        resources: ResourceManager,
        device: str,
        cancellation: Cancellation,
        rendezvous: Rendezvous | None = None,
        run_function: Callable[[NameAttrList, Sequence[Any]], list[Any]] | None = None,
    ) -> None:
        self.step_id = step_id
        self.resources = resources
        self.device = device
        self.cancellation = cancellation
        self.rendezvous = rendezvous
        self.run_function = run_function
