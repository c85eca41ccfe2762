"""Staging areas: Stage and Unstage, and their relatives by key, ordered or not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.op import Op, define_op
from featherflow.framework.op_kernel import AsyncOpKernel, NodeInfo, OpKernel
from featherflow.framework.shape_inference import no_outputs, scalar_shape, unknown_shapes
from featherflow.framework.source_location import caller_location
from featherflow.framework.staging_resource import StagingArea, StagingMap

_NO_GRADIENT = "what leaves a staging area came from another step"
_NAMES = ("container: string = ''", "shared_name: string = ''")
_BOUNDS = ("capacity: int >= 0 = 0", "memory_limit: int >= 0 = 0")


class _AreaNode:
    """Finds the session's area: under the shared name, or that of the node."""

    node: NodeInfo
    is_ordered = False

    def area(self, ctx: Any) -> StagingArea:
        attrs = self.node.attrs
        name = str(attrs["shared_name"] or self.node.name)
        bounds = attrs["capacity"], attrs["memory_limit"]
        return ctx.resources.lookup_or_create(
            attrs["container"], name, StagingArea, lambda: StagingArea(*bounds)
        )

    def map(self, ctx: Any) -> StagingMap:
        attrs = self.node.attrs
        name = str(attrs["shared_name"] or self.node.name)
        bounds = attrs["capacity"], attrs["memory_limit"]
        return ctx.resources.lookup_or_create(
            attrs["container"],
            f"{name}{'/ordered' if self.is_ordered else ''}",
            StagingMap,
            lambda: StagingMap(attrs["dtypes"], *bounds, self.is_ordered),
        )


def _checked(done: Callable[[Any], None], dtypes: Sequence[DType]) -> Callable[[Any], None]:
    """`done`, unless what leaves the area has other dtypes than the node's outputs."""

    def check(result: Any) -> None:
        if not isinstance(result, Exception):
            found = [value.dtype for value in result]
            if found != [dtype.numpy_dtype for dtype in dtypes]:
                result = InvalidArgumentError(
                    None,
                    None,
                    "What was staged has other dtypes",
                    received=", ".join(map(str, found)),
                    expected=", ".join(dtype.name for dtype in dtypes),
                )
        done(result)

    return check


def _owned(values: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
    return tuple(value.copy() for value in values)


def _indices_of(indices: np.ndarray) -> list[int]:
    if indices.ndim != 1:
        raise InvalidArgumentError(
            None, None, "indices must be a vector", received=f"shape {list(indices.shape)}"
        )
    return indices.tolist()


def _key_of(key: np.ndarray) -> int:
    if key.size != 1:
        raise InvalidArgumentError(
            None, None, "key must be a scalar", received=f"shape {list(key.shape)}"
        )
    return int(key.reshape(()))


# --- kernels in the order of arrival --------------------------------------------------------------


class _StageCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.area(ctx)
        area.room.visit(area.put(_owned(inputs)), ctx.cancellation, done)


class _UnstageCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.area(ctx)
        area.room.visit(area.get(), ctx.cancellation, _checked(done, self.node.attrs["dtypes"]))


class _StagePeekCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.area(ctx)
        action = area.peek(_key_of(inputs[0]))
        area.room.visit(action, ctx.cancellation, _checked(done, self.node.attrs["dtypes"]))


class _StageSizeCpu(_AreaNode, OpKernel):
    def compute(self, ctx: Any, *inputs: Any) -> np.ndarray:
        return np.array(self.area(ctx).size(), np.int32)


class _StageClearCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.area(ctx)
        area.room.visit(lambda: area.clear() or (), ctx.cancellation, done)


# --- kernels by key -------------------------------------------------------------------------------


class _MapStageCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        key, indices, *values = inputs
        area = self.map(ctx)
        action = area.put(_key_of(key), _indices_of(indices), _owned(values))
        area.room.visit(action, ctx.cancellation, done)


class _MapUnstageCpu(_AreaNode, AsyncOpKernel):
    removes = True

    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        key, indices = inputs
        area = self.map(ctx)
        action = area.get(_key_of(key), _indices_of(indices), removes=self.removes)
        area.room.visit(action, ctx.cancellation, _checked(done, self.node.attrs["dtypes"]))


class _MapPeekCpu(_MapUnstageCpu):
    removes = False


class _MapUnstageNoKeyCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.map(ctx)
        area.room.visit(area.get_any(_indices_of(inputs[0])), ctx.cancellation, done)


class _MapSizeCpu(_AreaNode, OpKernel):
    def compute(self, ctx: Any, *inputs: Any) -> np.ndarray:
        return np.array(self.map(ctx).size(), np.int32)


class _MapIncompleteSizeCpu(_AreaNode, OpKernel):
    def compute(self, ctx: Any, *inputs: Any) -> np.ndarray:
        return np.array(self.map(ctx).incomplete_size(), np.int32)


class _MapClearCpu(_AreaNode, AsyncOpKernel):
    def compute_async(self, ctx: Any, done: Callable[[Any], None], *inputs: Any) -> None:
        area = self.map(ctx)
        area.room.visit(lambda: area.clear() or (), ctx.cancellation, done)


# --- the ops --------------------------------------------------------------------------------------

_TYPES, _SOME_TYPES = "dtypes: list(type)", "dtypes: list(type) >= 1"
_VALUES = ("values: dtypes",)
_SIZE = ("size: int32",)

#: Name → (kernel, inputs, outputs, dtypes).
_AREA_ROWS: dict[str, tuple[Any, Sequence[str], Sequence[str], Sequence[str]]] = {
    "Stage": (_StageCpu, _VALUES, (), (_SOME_TYPES,)),
    "Unstage": (_UnstageCpu, (), _VALUES, (_SOME_TYPES,)),
    "StagePeek": (_StagePeekCpu, ("index: int32",), _VALUES, (_SOME_TYPES,)),
    "StageSize": (_StageSizeCpu, (), _SIZE, (_TYPES,)),
    "StageClear": (_StageClearCpu, (), (), (_TYPES,)),
}
_KEYED = ("key: int64", "indices: int32")
_MAP_ROWS: dict[str, tuple[Any, Sequence[str], Sequence[str], Sequence[str]]] = {
    "MapStage": (
        _MapStageCpu,
        (*_KEYED, "values: fake_dtypes"),
        (),
        (_TYPES, "fake_dtypes: list(type) >= 1"),
    ),
    "MapUnstage": (_MapUnstageCpu, _KEYED, _VALUES, (_SOME_TYPES,)),
    "MapUnstageNoKey": (
        _MapUnstageNoKeyCpu,
        ("indices: int32",),
        ("key: int64", "values: dtypes"),
        (_SOME_TYPES,),
    ),
    "MapPeek": (_MapPeekCpu, _KEYED, _VALUES, (_SOME_TYPES,)),
    "MapSize": (_MapSizeCpu, (), _SIZE, (_TYPES,)),
    "MapIncompleteSize": (_MapIncompleteSizeCpu, (), _SIZE, (_TYPES,)),
    "MapClear": (_MapClearCpu, (), (), (_TYPES,)),
}


def _define(
    name: str,
    kernel: Any,
    inputs: Sequence[str],
    outputs: Sequence[str],
    dtypes: Sequence[str],
) -> Op:
    op = define_op(
        name,
        inputs=inputs,
        outputs=outputs,
        attrs=(*_BOUNDS, *dtypes, *_NAMES),
        is_stateful=True,
        location=caller_location(),
    )
    op.kernel("CPU", asynchronous=issubclass(kernel, AsyncOpKernel))(kernel)
    if outputs == _SIZE:
        op.shape_fn(scalar_shape)
    else:
        op.shape_fn(unknown_shapes if outputs else no_outputs)
    op.without_gradient(_NO_GRADIENT)
    return op


OPS = {name: _define(name, *row) for name, row in _AREA_ROWS.items()}
for _name, (_kernel, *_contract) in _MAP_ROWS.items():
    _ordered = type(f"_Ordered{_kernel.__name__[1:]}", (_kernel,), {"is_ordered": True})
    OPS[_name] = _define(_name, _kernel, *_contract)
    OPS[f"Ordered{_name}"] = _define(f"Ordered{_name}", _ordered, *_contract)
