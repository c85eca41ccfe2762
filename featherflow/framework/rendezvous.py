"""Rendezvous: where the Send of one device and the Recv of another meet, under a key.

A key names the edge, the two devices, and the iteration that the value belongs to:

    /job:localhost/replica:0/task:0/device:CPU:0;000000000000002a;/job:…/device:CPU:1;edge_5_x;0:0
    the sending device                           its incarnation  the receiving one   name     frame

so that a value can never be taken for that of another iteration, or of a device that was restarted.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from featherflow.framework.errors import InvalidArgumentError


@dataclass(frozen=True, slots=True)
class RendezvousKey:
    """The parts of a key.

    Attributes:
      send_device: full name of the device that sends.
      incarnation: its incarnation.
      recv_device: full name of the device that receives.
      edge: the name of the edge.
      frame, iteration: which run of which loop; 0, 0 outside loops.
    """

    send_device: str
    incarnation: int
    recv_device: str
    edge: str
    frame: int = 0
    iteration: int = 0

    def __str__(self) -> str:
        return make_key(
            self.send_device,
            self.incarnation,
            self.recv_device,
            self.edge,
            self.frame,
            self.iteration,
        )


def make_key(
    send_device: str, incarnation: int, recv_device: str, edge: str, frame: int, iteration: int
) -> str:
    """The key as text, as it goes over the wire."""
    return (
        f"{send_device};{incarnation & (1 << 64) - 1:016x};{recv_device};{edge};{frame}:{iteration}"
    )


def parse_key(key: str) -> RendezvousKey:
    """The parts of a key.

    Raises:
      InvalidArgumentError: it is not one.
    """
    try:
        send_device, incarnation, recv_device, edge, where = key.split(";")
        frame, iteration = where.split(":")
        return RendezvousKey(
            send_device, int(incarnation, 16), recv_device, edge, int(frame), int(iteration)
        )
    except ValueError:
        raise InvalidArgumentError(
            None,
            None,
            f"Invalid rendezvous key: {key}",
            expected="send_device;incarnation;recv_device;edge;frame:iteration",
        ) from None


class Rendezvous(ABC):
    """A table of values on their way between devices. Values may be DEAD.

    A value is given to one receiver. Either side may come first.
    """

    @abstractmethod
    def send(self, key: str, value: Any) -> None:
        """Leaves a value for who asks for `key`; never waits.

        Raises:
          OpError: the rendezvous was aborted.
        """

    @abstractmethod
    def recv_async(self, key: str, done: Callable[[Any], None]) -> None:
        """Calls `done(value)` once the value is there, or `done(exception)`; from any thread."""

    @abstractmethod
    def abort(self, reason: Exception) -> None:
        """Ends all waiting, now and later, with `reason`."""
