"""OpKernelContext: what a kernel may reach besides its inputs, for one step on one device."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from featherflow.framework.errors import CancelledError, UnimplementedError
from featherflow.framework.resource import ResourceManager

if TYPE_CHECKING:
    from featherflow.framework.attr_value import NameAttrList
    from featherflow.framework.rendezvous import Rendezvous


class Cancellation:
    """A flag that ends a step, and the callbacks of those who wait in it.

    Each callback is called at most once, from the thread that cancels, or from `register` itself
    if the step is cancelled already.
    """

    __slots__ = ("_callbacks", "cancelled", "reason")

    def __init__(self) -> None:
        self.cancelled = False
        self.reason: Exception | None = None
        self._callbacks: dict[object, Callable[[], None]] = {}

    def cancel(self, reason: Exception | None = None) -> None:
        """Sets the flag once and calls those who registered."""
        if self.cancelled:
            return
        self.reason = reason or CancelledError(None, None, "The step was cancelled.")
        self.cancelled = True
        while self._callbacks:
            self._call_one()

    def register(self, callback: Callable[[], None]) -> object:
        """Asks to be called on cancellation; returns a token for `deregister`."""
        token = object()
        self._callbacks[token] = callback
        if self.cancelled and self.deregister(token):
            callback()
        return token

    def deregister(self, token: object) -> bool:
        """Asks no more; False if the callback has been called, or is being called."""
        return self._callbacks.pop(token, None) is not None

    def _call_one(self) -> None:
        try:
            _, callback = self._callbacks.popitem()
        except KeyError:
            return  # another thread took the last
        callback()


class OpKernelContext:
    """The step that a kernel runs in. It stands in slot 0 of the step's values.

    Attributes:
      step_id: a number for the step, unique in the process.
      resources: the session's resources.
      device: the name of the device that the kernel runs on.
      cancellation: tells kernels that wait or loop when to stop.
      rendezvous: where Send and Recv meet; None while the step is on one device.
      functions: runs functions of the graph's library.
      stats: collects what the kernels of a traced step do.
      frame_iteration: in which run of which loop the kernel is, as the keys of transfers say it.
    """

    __slots__ = (
        "cancellation",
        "device",
        "frame_iteration",
        "functions",
        "rendezvous",
        "resources",
        "stats",
        "step_id",
    )

    def __init__(
        self,
        step_id: int,
        resources: ResourceManager,
        device: str,
        cancellation: Cancellation,
        rendezvous: Rendezvous | None = None,
        functions: FunctionRunner | None = None,
        stats: Any = None,
    ) -> None:
        self.step_id = step_id
        self.resources = resources
        self.device = device
        self.cancellation = cancellation
        self.rendezvous = rendezvous
        self.functions = functions
        self.stats = stats
        self.frame_iteration = (0, 0)

    def run_function(self, function: NameAttrList, inputs: Sequence[Any]) -> list[Any]:
        """Runs a function of the graph's library in this step; returns its results.

        Raises:
          UnimplementedError: whoever runs the kernel has no library.
          OpError: a kernel in it failed.
        """
        if self.functions is None:
            raise UnimplementedError(None, None, f"Function {function.name} cannot be called here")
        return self.functions.run(self, function, inputs)

    def on_device(self, device: str) -> OpKernelContext:
        """The context of another device, or of another function, in the same step."""
        return OpKernelContext(
            self.step_id,
            self.resources,
            device,
            self.cancellation,
            self.rendezvous,
            self.functions,
            self.stats,
        )

    def inside(self, frame: int, iteration: int) -> OpKernelContext:
        """The context of one iteration of a loop whose kernels send or receive."""
        context = self.on_device(self.device)
        context.frame_iteration = (frame, iteration)
        return context


class FunctionRunner(Protocol):
    """What kernels run functions with; see `function_runtime.py`."""

    def run(
        self, context: OpKernelContext, function: NameAttrList, inputs: Sequence[Any]
    ) -> list[Any]:
        """Runs a function in the step of `context`."""
        ...
