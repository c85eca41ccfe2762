"""Every op is whole: static shapes, a CPU kernel, a gradient or a reason, and a test."""

from __future__ import annotations

import importlib
import inspect

import pytest
from ops.op_case import load_cases

from featherflow import _index, _namespaces
from featherflow.framework.op import Op, get_op

for _module in sorted(set(_index.OP_FAMILIES.values())):
    importlib.import_module(_module)
OPS = sorted(_index.OP_FAMILIES)

#: Ops that no row of `tests/ops/cases` can call, and the tests that call them instead.
TESTED_ELSEWHERE: dict[str, str] = {
    "NoOp": "tests/ops/test_array_api.py: it has no outputs",
    "Placeholder": "tests/ops/test_array_api.py: it is only fed",
    "PlaceholderV2": "tests/ops/test_array_api.py: it is only fed",
    "RefIdentity": "tests/ops/test_array_api.py: it takes variables",
    "ResourceStridedSliceAssign": "tests/ops/test_slicing.py: it takes variables",
    "StridedSliceAssign": "tests/ops/test_slicing.py: it takes variables",
}
#: Ops that run on no device by themselves, with the reason.
WITHOUT_KERNEL: dict[str, str] = {}


@pytest.fixture(params=OPS)
def op(request: pytest.FixtureRequest) -> Op:
    return get_op(request.param)


def test_has_a_shape_function(op: Op) -> None:
    assert op.shape_function is not None


def test_has_a_cpu_kernel(op: Op) -> None:
    assert op.name in WITHOUT_KERNEL or "CPU" in op.kernels.device_types()


def test_has_a_gradient_or_a_reason(op: Op) -> None:
    assert (op.gradient_fn is not None) != bool(op.no_gradient_reason)


def test_has_a_case(op: Op) -> None:
    cases = {case.op.name for case in load_cases()}
    assert op.name in cases or op.name in TESTED_ELSEWHERE


def test_exceptions_are_needed() -> None:
    assert set(TESTED_ELSEWHERE) <= set(OPS)
    assert set(WITHOUT_KERNEL) <= set(OPS)
    assert not set(TESTED_ELSEWHERE) & {case.op.name for case in load_cases()}


@pytest.mark.parametrize("table", ["V1", "V2"])
def test_public_functions_are_documented(table: str) -> None:
    silent = []
    for name, location in getattr(_index, table).items():
        target = _namespaces.load(location)
        if (inspect.isfunction(target) or inspect.isclass(target)) and not inspect.getdoc(target):
            silent.append(name)
    assert not silent
