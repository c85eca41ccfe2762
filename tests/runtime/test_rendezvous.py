"""The rendezvous, and the keys under which values meet."""

from __future__ import annotations

from typing import Any

import pytest

from featherflow.framework.errors import AbortedError, InvalidArgumentError
from featherflow.framework.rendezvous import RendezvousKey, make_key, parse_key
from featherflow.runtime.rendezvous import LocalRendezvous

CPU = "/job:localhost/replica:0/task:0/device:CPU:"


def test_send_before_receive_and_after() -> None:
    rendezvous = LocalRendezvous()
    got: list[Any] = []
    rendezvous.send("a", 1)
    rendezvous.recv_async("a", got.append)
    rendezvous.recv_async("b", got.append)
    assert got == [1]
    rendezvous.send("b", 2)
    assert got == [1, 2]
    assert rendezvous.unclaimed_keys() == rendezvous.waiting_keys() == []


def test_values_of_a_key_come_in_order() -> None:
    rendezvous = LocalRendezvous()
    got: list[Any] = []
    rendezvous.send("a", 1)
    rendezvous.send("a", 2)
    for _ in range(3):
        rendezvous.recv_async("a", got.append)
    rendezvous.send("a", 3)
    assert got == [1, 2, 3]


def test_abort_ends_all_waiting_now_and_later() -> None:
    rendezvous = LocalRendezvous()
    reason = AbortedError(None, None, "over")
    got: list[Any] = []
    rendezvous.recv_async("a", got.append)
    rendezvous.abort(reason)
    rendezvous.abort(AbortedError(None, None, "again"))
    rendezvous.recv_async("b", got.append)
    assert got == [reason, reason]
    with pytest.raises(AbortedError, match="over"):
        rendezvous.send("c", 1)


def test_a_receiver_may_use_the_rendezvous() -> None:
    rendezvous = LocalRendezvous()
    got: list[Any] = []
    rendezvous.recv_async("a", lambda value: rendezvous.send("b", value + 1))
    rendezvous.recv_async("b", got.append)
    rendezvous.send("a", 1)
    assert got == [2]


def test_keys_are_tensorflows() -> None:
    key = make_key(f"{CPU}0", 42, f"{CPU}1", "edge_5_x", 3, 7)
    assert key == f"{CPU}0;000000000000002a;{CPU}1;edge_5_x;3:7"
    assert parse_key(key) == RendezvousKey(f"{CPU}0", 42, f"{CPU}1", "edge_5_x", 3, 7)
    assert str(parse_key(key)) == key


@pytest.mark.parametrize("key", ["", "a;b;c", "a;zz;b;e;0:0", "a;1;b;e;0", "a;1;b;e;0:x"])
def test_what_is_no_key(key: str) -> None:
    with pytest.raises(InvalidArgumentError, match="Invalid rendezvous key"):
        parse_key(key)
