"""Every op is whole: static shapes, a CPU kernel, a gradient or a reason, and a test."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from pathlib import Path

import pytest
from ops.op_case import load_cases

from featherflow import _index, _namespaces
from featherflow import ops as ops_package
from featherflow.framework.op import Op, get_op

ROOT = Path(__file__).resolve().parents[2]
# Gradients of some families are hung on their ops by modules above them.
for _module in pkgutil.iter_modules(ops_package.__path__, "featherflow.ops."):
    importlib.import_module(_module.name)
OPS = sorted(_index.OP_FAMILIES)

_STATE = "tests/differential/cases/variables.py: they take variables"
#: Families that rows of `tests/ops/cases` cannot call, and the tests that call them instead.
FAMILIES_TESTED_ELSEWHERE: dict[str, str] = {
    "accumulator_ops": "tests/differential/cases/accumulators.py: they wait",
    "box_sampling_ops": "tests/differential/cases/image_boxes.py: every run differs",
    "control_flow_primitives": "tests/runtime/test_propagator.py: frames and dead values",
    "file_ops": "tests/differential/cases/byte_strings.py: they take files",
    "functional_ops": "tests/ops/test_functional_ops.py: they call functions",
    "hash_table_ops": "tests/differential/cases/lookup_tables.py: they make tables",
    "lookup_table_ops": "tests/differential/cases/lookup_tables.py: they take tables",
    "print_ops": "tests/differential/cases/checks.py: they print",
    "timestamp_ops": "tests/differential/cases/small_helpers.py: every run differs",
    "py_func_ops": "tests/differential/cases/checks.py: they call Python",
    "assert_ops": "tests/differential/cases/checks.py: they fail",
    "queue_ops": "tests/ops/test_queues.py: they wait",
    "random_ops": "tests/differential/cases/random_streams.py: every run differs",
    "random_rejection_ops": "tests/ops/test_random_ops.py: every run differs",
    "ref_variable_ops": _STATE,
    "resource_variable_ops": _STATE,
    "sparse_tensor_map_ops": "tests/differential/programs/input_pipelines.py: they keep tensors",
    "stateless_random_ops": "tests/ops/test_random_ops.py: values have no formula",
    "sendrecv_ops": "tests/runtime/test_rendezvous.py: they meet",
    "table_file_ops": "tests/differential/cases/lookup_tables.py: they take tables",
    "tensor_array_ops": "tests/differential/cases/tensor_arrays.py: they take handles",
    "ref_select_ops": "tests/differential/cases/array_oddities.py: it takes variables",
    "tensor_list_batch_ops": "tests/differential/cases/array_oddities.py: it takes lists",
    "tensor_map_ops": "tests/differential/cases/array_oddities.py: they take maps",
    "ragged_variant_ops": "tests/differential/cases/ragged_ops.py: they take variants",
    "sparse_serialization_ops": "tests/differential/cases/sparse_counts.py: they make messages",
    "stack_ops": "tests/ops/test_tensor_lists.py: they take handles",
    "tensor_list_items": "tests/ops/test_tensor_lists.py: they take lists",
    "tensor_list_ops": "tests/ops/test_tensor_lists.py: they take lists",
    "tensor_list_stacks": "tests/ops/test_tensor_lists.py: they take lists",
    "adaptive_training_ops": "tests/differential/cases/training_updates.py: they take variables",
    "training_ops": "tests/differential/cases/training_updates.py: they take variables",
    "variable_gather_ops": "tests/ops/test_variable_gather.py: they take variables",
    "variable_scatter_ops": _STATE,
    "candidate_sampling_ops": "tests/differential/cases/candidate_sampling.py: every run differs",
    "fractional_pool_ops": "tests/differential/cases/fractional_pooling.py: every run differs",
    "legacy_tensor_array_ops": "tests/differential/cases/legacy_arrays.py: they take handles",
    "staging_ops": "tests/ops/test_staging.py: they wait",
    "barrier_ops": "tests/ops/test_staging.py: they wait",
    "session_handle_ops": "tests/differential/cases/session_handles.py: they keep tensors",
    "stateful_random_ops": "tests/differential/cases/generators.py: they take variables",
    "stateless_rejection_ops": "tests/differential/cases/generators.py: values have no formula",
}

#: Ops that no row of `tests/ops/cases` can call, and the tests that call them instead.
TESTED_ELSEWHERE: dict[str, str] = {
    "GenerateBoundingBoxProposals": "tests/differential/cases/image_boxes.py: no kernel runs it",
    "NoOp": "tests/ops/test_array_api.py: it has no outputs",
    "Placeholder": "tests/ops/test_array_api.py: it is only fed",
    "_CapturedHandle": "tests/eager/test_variables.py: it stands for an eager variable in a graph",
    "PlaceholderV2": "tests/ops/test_array_api.py: it is only fed",
    "RefIdentity": "tests/ops/test_array_api.py: it takes variables",
    "ResourceStridedSliceAssign": "tests/ops/test_slicing.py: it takes variables",
    "StridedSliceAssign": "tests/ops/test_slicing.py: it takes variables",
}
#: Ops that run on no device by themselves, with the reason.
WITHOUT_KERNEL: dict[str, str] = {
    "GenerateBoundingBoxProposals": "TensorFlow has it on GPUs only",
}


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
    family = _index.OP_FAMILIES[op.name].rsplit(".", 1)[-1]
    assert op.name in cases | TESTED_ELSEWHERE.keys() or family in FAMILIES_TESTED_ELSEWHERE


def test_the_tests_elsewhere_exist() -> None:
    places = [*TESTED_ELSEWHERE.values(), *FAMILIES_TESTED_ELSEWHERE.values()]
    missing = [place for place in places if not (ROOT / place.split(":")[0]).exists()]
    assert not missing


def test_exceptions_are_needed() -> None:
    families = {family.rsplit(".", 1)[-1] for family in _index.OP_FAMILIES.values()}
    assert set(FAMILIES_TESTED_ELSEWHERE) <= families
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
