"""The handle of a resource that was made eagerly, in a graph that uses it."""

from __future__ import annotations

from typing import Any

from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import scalar_shape

CapturedHandle = define_op("_CapturedHandle", outputs=("handle: dtype",), attrs=("dtype: type",))
CapturedHandle.shape_fn(scalar_shape)


@CapturedHandle.static_value
def _captured_handle_value(node: Any) -> Any:
    return node.attrs["_value"]


@CapturedHandle.kernel("CPU")
def _captured_handle_cpu(*, _value: Any) -> Any:
    return _value


CapturedHandle.not_differentiable("it has no inputs")
