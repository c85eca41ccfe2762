"""The ops of lookup tables: those that make them, and those that find, insert, export, import.

Most exist twice, as in TensorFlow: the V2 ops take a resource, the older ones a ref of strings.
Either way the value of a handle is the LookupTable itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework.dtypes import DType
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.lookup_table import LookupTable
from featherflow.framework.op import Op, define_op
from featherflow.framework.shape_inference import InferenceContext
from featherflow.framework.source_location import caller_location
from featherflow.framework.tensor_shape import SCALAR, UNKNOWN, TensorShape
from featherflow.graph.tensor import Tensor

_NO_GRADIENT = "tables are no functions of numbers"
#: What looks into a table and leaves it as it is.
_READS = ("LookupTableFind", "LookupTableSize", "LookupTableExport")
_VECTOR = TensorShape((None,))


def shared_table(
    ctx: Any, name: str, attrs: dict[str, Any], create: Callable[[str], LookupTable]
) -> LookupTable:
    """The session's table of a name; made if need be.

    Raises:
      InvalidArgumentError: the table has other types than the node asks for.
    """
    table = ctx.resources.lookup_or_create(
        attrs["container"], name, LookupTable, lambda: create(name)
    )
    wanted = attrs["key_dtype"], attrs["value_dtype"]
    if (table.key_dtype, table.value_dtype) != wanted:
        raise InvalidArgumentError(
            None,
            None,
            f"Conflicting key/value dtypes for table {name}",
            received=" → ".join(dtype.name for dtype in wanted),
            expected=f"{table.key_dtype.name} → {table.value_dtype.name}",
        )
    return table


def define_twins(
    name: str,
    *,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    attrs: Sequence[str] = (),
    ref_shape_fn: Callable[[InferenceContext], Any],
    shape_fn: Callable[[InferenceContext], Any],
    kernel: Callable[..., Any],
    **facts: Any,
) -> Op:
    """Defines an op on tables, with and without V2, and returns the V2 op."""
    location = caller_location()
    twin = define_op(
        name,
        inputs=("table_handle: Ref(string)", *inputs),
        outputs=outputs,
        attrs=attrs,
        location=location,
        **facts,
    )
    op = define_op(
        f"{name}V2",
        inputs=("table_handle: resource", *inputs),
        outputs=outputs,
        attrs=attrs,
        is_stateful=True,
        reads_only=name in _READS,
        location=location,
        **facts,
    )
    twin.shape_fn(ref_shape_fn)
    op.shape_fn(shape_fn)
    for definition in (twin, op):
        definition.kernel("CPU")(kernel)
        definition.not_differentiable(_NO_GRADIENT)
    return op


def _check_handle(c: InferenceContext) -> None:
    """Refuses a resource that is no scalar, and a ref that is no pair."""
    if c.inputs[0].dtype.name == "resource":
        c.with_rank(0, 0)
    else:
        c.merge_dim(c.dims(0, 1)[0], 2)


def handle_only(c: InferenceContext) -> list[TensorShape]:
    _check_handle(c)
    return []


# --- what is known of a table while the graph is built --------------------------------------------

#: The op that made a handle → what its values' shape is; static tables tell nothing.
_TYPED = {
    f"{prefix}Mutable{kind}{version}"
    for prefix, version in (("", "V2"), ("Anonymous", ""))
    for kind in ("HashTable", "HashTableOfTensors", "DenseHashTable")
}


def _maker(handle: Tensor) -> Any:
    """The operation that made a table, through Identity; None if it is not known, or static."""
    operation = handle.op
    while operation.type == "Identity":
        operation = operation.inputs[0].op
    return operation if operation.type in _TYPED else None


def _check_type(c: InferenceContext, maker: Any, kind: str, received: DType) -> None:
    expected = maker.attrs[kind]
    if received is not expected:
        c.fail(
            f"Trying to read value with wrong dtype. Expected {expected.name} got {received.name}",
        )


# --- LookupTableFind ------------------------------------------------------------------------------


def _find_ref_shape(c: InferenceContext) -> TensorShape:
    _check_handle(c)
    c.with_rank_at_most(2, 1)
    return UNKNOWN


def _find_shape(c: InferenceContext) -> TensorShape:
    _check_handle(c)
    maker = _maker(c.inputs[0])
    if maker is None:
        return UNKNOWN
    _check_type(c, maker, "key_dtype", c.attrs["Tin"])
    _check_type(c, maker, "value_dtype", c.attrs["Tout"])
    key_rank = maker.inputs[0].shape.rank if maker.inputs else 0
    value_shape = maker.attrs.get("value_shape", SCALAR)
    keys = c.shapes[1]._dims
    if keys is None or key_rank is None or value_shape._dims is None:
        return UNKNOWN
    if len(keys) < key_rank:
        c.fail(f"Shape must be at least rank {key_rank} but is rank {len(keys)}")
    return TensorShape._of((*keys[: len(keys) - key_rank], *value_shape._dims))


def _find_cpu(
    table_handle: LookupTable,
    keys: np.ndarray,
    default_value: np.ndarray,
    *,
    Tin: DType,
    Tout: DType,
) -> np.ndarray:
    table_handle.check_dtypes(Tin, Tout)
    return table_handle.find(keys, default_value)


_KEY_AND_VALUE = ("Tin: type", "Tout: type")

LookupTableFindV2 = define_twins(
    "LookupTableFind",
    inputs=("keys: Tin", "default_value: Tout"),
    outputs=("values: Tout",),
    attrs=_KEY_AND_VALUE,
    ref_shape_fn=_find_ref_shape,
    shape_fn=_find_shape,
    kernel=_find_cpu,
)

# --- LookupTableInsert, LookupTableRemove ---------------------------------------------------------


def _insert_cpu(
    table_handle: LookupTable, keys: np.ndarray, values: np.ndarray, *, Tin: DType, Tout: DType
) -> None:
    table_handle.check_dtypes(Tin, Tout)
    table_handle.insert(keys, values)


LookupTableInsertV2 = define_twins(
    "LookupTableInsert",
    inputs=("keys: Tin", "values: Tout"),
    attrs=_KEY_AND_VALUE,
    ref_shape_fn=handle_only,
    shape_fn=handle_only,
    kernel=_insert_cpu,
)

LookupTableRemoveV2 = define_op(
    "LookupTableRemoveV2",
    inputs=("table_handle: resource", "keys: Tin"),
    attrs=("Tin: type",),
    is_stateful=True,
)


@LookupTableRemoveV2.shape_fn
def _remove_shape(c: InferenceContext) -> list[TensorShape]:
    c.with_rank_at_least(1, 1)
    return handle_only(c)


@LookupTableRemoveV2.kernel("CPU")
def _remove_cpu(table_handle: LookupTable, keys: np.ndarray, *, Tin: DType) -> None:
    table_handle.check_dtypes(Tin, table_handle.value_dtype)
    table_handle.remove(keys)


LookupTableRemoveV2.without_gradient(_NO_GRADIENT)

# --- LookupTableImport, InitializeTable -----------------------------------------------------------


def _import_shape(c: InferenceContext) -> list[TensorShape]:
    _check_handle(c)
    (count,) = c.dims(1, 1)
    values = c.with_rank_at_least(2, 1)._dims
    if values is not None:
        c.merge_dim(count, values[0])
    return []


def _import_cpu(
    table_handle: LookupTable, keys: np.ndarray, values: np.ndarray, *, Tin: DType, Tout: DType
) -> None:
    table_handle.check_dtypes(Tin, Tout)
    table_handle.replace_all(keys, values)


LookupTableImportV2 = define_twins(
    "LookupTableImport",
    inputs=("keys: Tin", "values: Tout"),
    attrs=_KEY_AND_VALUE,
    ref_shape_fn=handle_only,
    shape_fn=_import_shape,
    kernel=_import_cpu,
)


def _initialize_shape(c: InferenceContext) -> list[TensorShape]:
    _check_handle(c)
    c.merge(c.with_rank(1, 1), c.shapes[2])
    return []


def _initialize_cpu(
    table_handle: LookupTable, keys: np.ndarray, values: np.ndarray, *, Tkey: DType, Tval: DType
) -> None:
    table_handle.check_dtypes(Tkey, Tval)
    table_handle.initialize(keys, values)


InitializeTableV2 = define_twins(
    "InitializeTable",
    inputs=("keys: Tkey", "values: Tval"),
    attrs=("Tkey: type", "Tval: type"),
    ref_shape_fn=_initialize_shape,
    shape_fn=_initialize_shape,
    kernel=_initialize_cpu,
)

# --- LookupTableExport, LookupTableSize -----------------------------------------------------------


def _export_ref_shape(c: InferenceContext) -> list[TensorShape]:
    _check_handle(c)
    return [_VECTOR, UNKNOWN]


def _export_shape(c: InferenceContext) -> list[TensorShape]:
    _check_handle(c)
    maker = _maker(c.inputs[0])
    if maker is not None:
        _check_type(c, maker, "key_dtype", c.attrs["Tkeys"])
        _check_type(c, maker, "value_dtype", c.attrs["Tvalues"])
    return [UNKNOWN, UNKNOWN]


def _export_cpu(
    table_handle: LookupTable, *, Tkeys: DType, Tvalues: DType
) -> tuple[np.ndarray, np.ndarray]:
    table_handle.check_dtypes(Tkeys, Tvalues)
    return table_handle.export()


LookupTableExportV2 = define_twins(
    "LookupTableExport",
    outputs=("keys: Tkeys", "values: Tvalues"),
    attrs=("Tkeys: type", "Tvalues: type"),
    ref_shape_fn=_export_ref_shape,
    shape_fn=_export_shape,
    kernel=_export_cpu,
)


def _size_shape(c: InferenceContext) -> TensorShape:
    _check_handle(c)
    return SCALAR


def _size_cpu(table_handle: LookupTable) -> np.ndarray:
    return np.array(table_handle.size(), np.int64)


LookupTableSizeV2 = define_twins(
    "LookupTableSize",
    outputs=("size: int64",),
    ref_shape_fn=_size_shape,
    shape_fn=_size_shape,
    kernel=_size_cpu,
)
