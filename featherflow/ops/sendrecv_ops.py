"""Send and Recv: how a value gets from one device of a step to another.

Programs do not call them; `graph/graph_partition.py` puts a pair on each edge between devices. A
dead value is sent too, so that its branch is dead on both sides.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework.op import define_op
from featherflow.framework.rendezvous import make_key
from featherflow.framework.shape_inference import InferenceContext, no_outputs
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape

_PLACE_ATTRS = (
    "tensor_name: string",
    "send_device: string",
    "send_device_incarnation: int",
    "recv_device: string",
    "client_terminated: bool = false",
)
_NO_GRADIENT = "it is made when a graph is partitioned, after gradients"


def _key(
    ctx: Any, send_device: str, send_device_incarnation: int, recv_device: str, tensor_name: str
) -> str:
    frame, iteration = ctx.frame_iteration
    return make_key(
        send_device, send_device_incarnation, recv_device, tensor_name, frame, iteration
    )


# --- Send -----------------------------------------------------------------------------------------


def _send_cpu(
    ctx: Any,
    tensor: Any,
    *,
    tensor_name: str,
    send_device: str,
    send_device_incarnation: int,
    recv_device: str,
) -> None:
    key = _key(ctx, send_device, send_device_incarnation, recv_device, tensor_name)
    ctx.rendezvous.send(key, tensor)


_Send = define_op(
    "_Send",
    inputs=("tensor: T",),
    attrs=("T: type", *_PLACE_ATTRS),
    is_stateful=True,
    control_flow="send",
)
_Send.shape_fn(no_outputs)
_Send.kernel("CPU")(_send_cpu)
_Send.without_gradient(_NO_GRADIENT)

_HostSend = define_op(
    "_HostSend",
    inputs=("tensor: T",),
    attrs=("T: type", *_PLACE_ATTRS),
    is_stateful=True,
    control_flow="send",
)
_HostSend.shape_fn(no_outputs)
_HostSend.kernel("CPU")(_send_cpu)
_HostSend.without_gradient(_NO_GRADIENT)


# --- Recv -----------------------------------------------------------------------------------------


def _recv_shape(c: InferenceContext) -> TensorShape:
    return UNKNOWN


def _recv_cpu(
    ctx: Any,
    done: Callable[[Any], None],
    *,
    tensor_name: str,
    send_device: str,
    send_device_incarnation: int,
    recv_device: str,
) -> None:
    key = _key(ctx, send_device, send_device_incarnation, recv_device, tensor_name)
    ctx.rendezvous.recv_async(key, done)


_Recv = define_op(
    "_Recv",
    outputs=("tensor: tensor_type",),
    attrs=("tensor_type: type", *_PLACE_ATTRS),
    is_stateful=True,
    control_flow="recv",
)
_Recv.shape_fn(_recv_shape)
_Recv.kernel("CPU", asynchronous=True)(_recv_cpu)
_Recv.without_gradient(_NO_GRADIENT)

_HostRecv = define_op(
    "_HostRecv",
    outputs=("tensor: tensor_type",),
    attrs=("tensor_type: type", *_PLACE_ATTRS),
    is_stateful=True,
    control_flow="recv",
)
_HostRecv.shape_fn(_recv_shape)
_HostRecv.kernel("CPU", asynchronous=True)(_recv_cpu)
_HostRecv.without_gradient(_NO_GRADIENT)
