"""Sparse reads and updates of variables: rows and slices by index."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.exports import export_v1
from featherflow.framework.op import Op, define_op
from featherflow.framework.resource import VariableCell
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.kernels.variable_scatter import UPDATES, Update, scatter_rows, scatter_slices
from featherflow.ops.ref_variable_ops import is_ref
from featherflow.ops.resource_variable_ops import handle_shape

_NUMBERS = (
    "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}"
)
_ORDERED = "{half, bfloat16, float, double, int32, int64}"
_ASSIGNMENT = "assignments are not differentiable"


def _rows_fit(c: InferenceContext, variable: TensorShape) -> None:
    """updates.shape = indices.shape + variable.shape[1:], or a scalar."""
    indices, updates = c.shapes[1], c.shapes[2]
    if updates._dims != () and indices._dims is not None and variable._dims:
        c.merge(updates, TensorShape._of(indices._dims + variable._dims[1:]))


def _define_ref_scatter(word: str) -> Op:
    types = {"Update": "type", "Min": _ORDERED, "Max": _ORDERED}.get(word, _NUMBERS)
    locking = "true" if word == "Update" else "false"
    op = define_op(
        f"Scatter{word}",
        inputs=("ref: Ref(T)", "indices: Tindices", "updates: T"),
        outputs=("output_ref: Ref(T)",),
        attrs=(f"T: {types}", "Tindices: {int32, int64}", f"use_locking: bool = {locking}"),
    )

    @op.shape_fn
    def _scatter_shape(c: InferenceContext) -> TensorShape:
        _rows_fit(c, c.with_rank_at_least(0, 1))
        return c.shapes[0]

    @op.kernel("CPU")
    def _scatter_cpu(ref: VariableCell, indices: np.ndarray, updates: np.ndarray) -> VariableCell:
        with ref.lock:
            scatter_rows(ref.read(), indices, updates, UPDATES[word])
        return ref

    op.not_differentiable(_ASSIGNMENT)
    return op


def _define_resource_scatter(word: str) -> Op:
    op = define_op(
        f"ResourceScatter{word}",
        inputs=("resource: resource", "indices: Tindices", "updates: dtype"),
        attrs=(
            "dtype: type" if word == "Update" else f"dtype: {_NUMBERS}",
            "Tindices: {int32, int64}",
        ),
        is_stateful=True,
    )

    @op.shape_fn
    def _scatter_shape(c: InferenceContext) -> list[TensorShape]:
        _rows_fit(c, handle_shape(c.inputs[0]))
        return []

    @op.kernel("CPU")
    def _scatter_cpu(resource: VariableCell, indices: np.ndarray, updates: np.ndarray) -> None:
        _change(resource, scatter_rows, indices, updates, UPDATES[word])

    op.without_gradient(_ASSIGNMENT)
    return op


def _change(
    cell: VariableCell, scatter: Any, indices: np.ndarray, updates: np.ndarray, update: Update
) -> None:
    """Scatters into a resource variable; into a copy where somebody holds its array."""
    with cell.lock:
        cell.read()
        if cell.is_shared():
            cell.value = cell.read().copy()
        scatter(cell.value, indices, updates, update)


def _define_ref_scatter_nd(word: str) -> Op:
    types = {"Update": "type", "Min": _NUMBERS, "Max": _NUMBERS}.get(word, _NUMBERS)
    locking = "true" if word == "Update" else "false"
    op = define_op(
        f"ScatterNd{word}",
        inputs=("ref: Ref(T)", "indices: Tindices", "updates: T"),
        outputs=("output_ref: Ref(T)",),
        attrs=(
            f"T: {types}",
            "Tindices: {int32, int64}",
            f"use_locking: bool = {locking}",
            "bad_indices_policy: string = ''",
        ),
    )

    @op.shape_fn
    def _scatter_shape(c: InferenceContext) -> TensorShape:
        return c.shapes[0]

    @op.kernel("CPU")
    def _scatter_cpu(ref: VariableCell, indices: np.ndarray, updates: np.ndarray) -> VariableCell:
        with ref.lock:
            scatter_slices(ref.read(), indices, updates, UPDATES[word])
        return ref

    op.not_differentiable(_ASSIGNMENT)
    return op


def _define_resource_scatter_nd(word: str) -> Op:
    op = define_op(
        f"ResourceScatterNd{word}",
        inputs=("ref: resource", "indices: Tindices", "updates: T"),
        attrs=(
            "T: type",
            "Tindices: {int32, int64}",
            "use_locking: bool = true",
            "bad_indices_policy: string = ''",
        ),
        is_stateful=True,
    )

    @op.shape_fn
    def _scatter_shape(c: InferenceContext) -> list[TensorShape]:
        return []

    @op.kernel("CPU")
    def _scatter_cpu(ref: VariableCell, indices: np.ndarray, updates: np.ndarray) -> None:
        _change(ref, scatter_slices, indices, updates, UPDATES[word])

    op.without_gradient(_ASSIGNMENT)
    return op


_ROW_WORDS = ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")
_SLICE_WORDS = ("Update", "Add", "Sub", "Min", "Max")
_ref_ops = {word: _define_ref_scatter(word) for word in _ROW_WORDS}
_resource_ops = {word: _define_resource_scatter(word) for word in _ROW_WORDS}
_ref_nd_ops = {word: _define_ref_scatter_nd(word) for word in _SLICE_WORDS}
_resource_nd_ops = {word: _define_resource_scatter_nd(word) for word in _SLICE_WORDS}


# --- public functions -----------------------------------------------------------------


def _scatter(
    tables: tuple[dict[str, Op], dict[str, Op]],
    word: str,
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool | None,
    name: str | None,
) -> Any:
    if is_ref(ref):
        return tables[0][word](ref, indices, updates, use_locking=use_locking, name=name)
    operation = tables[1][word](ref.handle, indices, _as_updates(ref, updates), name=name)
    return ref.after(operation)


def _as_updates(ref: Any, updates: Any) -> Any:
    return convert_to_tensor(updates, dtype=ref.dtype)


def _row_function(word: str, formula: str) -> Any:
    """`tf.scatter_add` and its kin."""

    def scatter(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = word == "Update",
        name: str | None = None,
    ) -> Any:
        return _scatter((_ref_ops, _resource_ops), word, ref, indices, updates, use_locking, name)

    scatter.__name__ = scatter.__qualname__ = f"scatter_{word.lower()}"
    scatter.__doc__ = f"""Changes rows of a variable: {formula}.

    Args:
      ref: a variable `[N, …]`.
      indices: `[I…]` integers of [0, N); all updates of a repeated index count.
      updates: `[I…, …]`, or a scalar.
      use_locking: accepted; updates of a variable exclude one another always.
      name: of the node.
    Returns:
      The variable after the update.
    Raises:
      InvalidArgumentError: when run, an index is out of range.
    """
    return export_v1(f"scatter_{word.lower()}")(scatter)


scatter_update = _row_function("Update", "ref[indices] ← updates")
scatter_add = _row_function("Add", "ref[indices] ← ref[indices] + updates")
scatter_sub = _row_function("Sub", "ref[indices] ← ref[indices] − updates")
scatter_mul = _row_function("Mul", "ref[indices] ← ref[indices] · updates")
scatter_div = _row_function("Div", "ref[indices] ← ref[indices] / updates")
scatter_min = _row_function("Min", "ref[indices] ← min(ref[indices], updates)")
scatter_max = _row_function("Max", "ref[indices] ← max(ref[indices], updates)")


def _slice_function(word: str, formula: str) -> Any:
    """`tf.scatter_nd_add` and its kin."""

    def scatter_nd(
        ref: Any,
        indices: Any,
        updates: Any,
        use_locking: bool = word == "Update",
        name: str | None = None,
    ) -> Any:
        tables = _ref_nd_ops, _resource_nd_ops
        return _scatter(tables, word, ref, indices, updates, use_locking, name)

    scatter_nd.__name__ = scatter_nd.__qualname__ = f"scatter_nd_{word.lower()}"
    scatter_nd.__doc__ = f"""Changes slices of a variable: {formula}.

    Args:
      ref: a variable of rank R.
      indices: `[I…, K]` integers; each row indexes the first K ≤ R dimensions.
      updates: `[I…, ref.shape[K:]…]`.
      use_locking: accepted; updates of a variable exclude one another always.
      name: of the node.
    Returns:
      The variable after the update.
    """
    return scatter_nd


scatter_nd_update = export_v1("scatter_nd_update")(
    _slice_function("Update", "ref[indices[i]] ← updates[i]")
)
scatter_nd_add = export_v1("scatter_nd_add")(
    _slice_function("Add", "ref[indices[i]] ← ref[indices[i]] + updates[i]")
)
scatter_nd_sub = export_v1("scatter_nd_sub")(
    _slice_function("Sub", "ref[indices[i]] ← ref[indices[i]] − updates[i]")
)

#: `tf.raw_ops` and methods alone have these.
_scatter_nd_min = _slice_function("Min", "ref[indices[i]] ← min(ref[indices[i]], updates[i])")
_scatter_nd_max = _slice_function("Max", "ref[indices[i]] ← max(ref[indices[i]], updates[i])")


def add_scatter_methods(*kinds: type) -> None:
    """Gives the kinds of variables their methods `scatter_add(IndexedSlices)` and so on."""
    for kind in kinds:
        for function in (
            scatter_update, scatter_add, scatter_sub, scatter_mul, scatter_div, scatter_min,
            scatter_max,
        ):  # fmt: skip
            setattr(kind, function.__name__, _row_method(function))
        for function in (
            scatter_nd_update, scatter_nd_add, scatter_nd_sub, _scatter_nd_min, _scatter_nd_max,
        ):  # fmt: skip
            setattr(kind, function.__name__, _slice_method(function))


def _row_method(function: Any) -> Any:
    def method(self: Any, sparse_delta: Any, use_locking: bool = False, name: Any = None) -> Any:
        return function(self, sparse_delta.indices, sparse_delta.values, use_locking, name)

    method.__doc__ = f"`tf.{function.__name__}` with the indices and values of an IndexedSlices."
    return method


def _slice_method(function: Any) -> Any:
    def method(self: Any, indices: Any, updates: Any, name: Any = None) -> Any:
        return function(self, indices, updates, name=name)

    method.__doc__ = f"`tf.{function.__name__}` of this variable."
    return method
