"""Ops that few programs use: banded systems, data formats, rows changed, maps, neighbours."""

from __future__ import annotations

import numpy as np

from ..case import Case, Script, case, error_cases
from ..inputs import integers, normal, sample, uniform

# --- BandedTriangularSolve ------------------------------------------------------------------------


def _bands(*batch, count=2, size=4, dtype="float32"):
    bands = sample(dtype, *batch, count, size, seed=1)
    bands[..., 0, :] += np.sign(bands[..., 0, :].real) * 2
    bands[..., -1, :] += np.sign(bands[..., -1, :].real) * 2
    return bands


@case
def banded_solve(tf):
    op = tf.raw_ops.BandedTriangularSolve
    results = {}
    for lower in (True, False):
        for adjoint in (True, False):
            for count in (1, 2, 3):
                for dtype in ("float32", "float64", "complex64"):
                    results[f"{lower} {adjoint} {count} {dtype}"] = op(
                        matrix=_bands(count=count, dtype=dtype),
                        rhs=sample(dtype, 4, 2),
                        lower=lower,
                        adjoint=adjoint,
                    )
    results["batch"] = op(matrix=_bands(3), rhs=normal(4, 2))
    results["broadcast"] = op(matrix=_bands(3, 1), rhs=normal(2, 4, 1))
    return results


@case
def banded_solve_gradients(tf):
    results = []
    for adjoint in (True, False):
        bands, rhs = tf.constant(_bands(count=3)), tf.constant(normal(4, 2))
        y = tf.raw_ops.BandedTriangularSolve(matrix=bands, rhs=rhs, adjoint=adjoint)
        results.append(tf.gradients(y * y, [bands, rhs]))
    return results


# --- data formats ---------------------------------------------------------------------------------


@case
def data_format_axes(tf):
    op = tf.raw_ops.DataFormatDimMap
    return [
        op(x=[0, 1, 2, 3, -1, -4]),
        op(x=np.int64([[1]]), src_format="NCHW", dst_format="NHWC"),
        op(x=[1, 4], src_format="NDHWC", dst_format="NCDHW"),
        op(x=1),
    ]


@case
def data_format_sizes(tf):
    op = tf.raw_ops.DataFormatVecPermute
    return [
        op(x=[1, 2, 3, 4]),
        op(x=np.int64([[1, 1], [2, 2], [3, 3], [4, 4]]), src_format="NCHW", dst_format="NHWC"),
        op(x=[1, 2]),
        op(x=[1, 2], dst_format="WHCN"),
        op(x=[[1, 5], [2, 6]], dst_format="WHCN"),
        op(x=[1, 2, 3, 4, 5], src_format="NDHWC", dst_format="NCDHW"),
        op(x=[1, 2, 3], src_format="NDHWC", dst_format="NCDHW"),
    ]


# --- rows changed ---------------------------------------------------------------------------------


@case
def rows_changed(tf):
    results = {}
    for name in ("InplaceAdd", "InplaceSub", "InplaceUpdate"):
        op = getattr(tf.raw_ops, name)
        for dtype in ("float16", "float32", "int8", "int64", "complex64"):
            results[f"{name} {dtype}"] = op(
                x=tf.constant(sample(dtype, 3, 2), dtype),
                i=[2, 0],
                v=tf.constant(sample(dtype, 2, 2, seed=5), dtype),
            )
        results[f"{name} vector"] = op(x=[1.0, 2.0], i=[0, 0], v=[5.0, 7.0])
        results[f"{name} past_the_end"] = op(x=[1.0, 2.0], i=[5, -1], v=[5.0, 7.0])
    results["words"] = tf.raw_ops.InplaceUpdate(x=["a", "b"], i=[1], v=["c"])
    return results


# --- isotonic regression --------------------------------------------------------------------------


@case
def isotonic(tf):
    op = tf.raw_ops.IsotonicRegression
    outputs = {
        "float16": "float16",
        "float32": "float32",
        "float64": "float64",
        "int8": "float32",
        "int16": "float32",
        "int32": "float64",
        "int64": "float64",
    }
    return {
        dtype: list(op(input=tf.constant(integers(-5, 6, (3, 7)), dtype), output_dtype=output))
        for dtype, output in outputs.items()
    } | {
        "vector": list(op(input=[3.0, 1.0, 2.0, 5.0, 4.0])),
        "scalar": list(op(input=1.0)),
        "empty": list(op(input=tf.zeros([2, 0]))),
        "normal": list(op(input=normal(4, 9))),
    }


@case
def isotonic_gradient(tf):
    x = tf.constant(normal(3, 5))
    y = tf.raw_ops.IsotonicRegression(input=x).output
    return tf.gradients(y, x, grad_ys=tf.constant(normal(3, 5, seed=4)))


# --- the greatest elements, neighbours ------------------------------------------------------------


@case
def approx_max_k(tf):
    x = tf.constant(normal(3, 6))
    return {
        "rows": list(tf.nn.approx_max_k(x, 2)),
        "all": list(tf.math.approx_max_k(x, 6)),
        "none": list(tf.nn.approx_max_k(x, 0)),
        "ties": list(tf.nn.approx_max_k([1.0, 1.0, 2.0, 2.0], 3)),
        "half": list(tf.nn.approx_max_k(tf.constant(normal(5), tf.float16), 2)),
    }


@case
def approx_max_k_gradient(tf):
    x = tf.constant(normal(3, 6))
    values, _ = tf.nn.approx_max_k(x, 2)
    return tf.gradients(values, x, grad_ys=tf.constant(normal(3, 2, seed=3)))


@case
def nearest_neighbors(tf):
    op = tf.raw_ops.NearestNeighbors
    points, centers = uniform(-1, 1, (7, 3)), uniform(-1, 1, (5, 3), seed=2)
    results = [list(op(points=points, centers=centers, k=np.int64(k))) for k in (0, 1, 3, 9)]
    ties = op(points=[[0.0, 0.0]], centers=[[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]], k=np.int64(2))
    none = op(points=[[0.0]], centers=tf.zeros([0, 1]), k=np.int64(1))
    return Case(
        [*results, list(ties), list(none)],
        tolerance=1e-5,
        reason="distances are differences of squares",
    )


# --- truth, maps, lists ---------------------------------------------------------------------------


@case
def to_bool(tf):
    values = (0.0, 2.0, np.nan, 0, -1, True, False, "", "a", [], [0.0], [[1, 2]], [""])
    return [tf.raw_ops.ToBool(input=tf.constant(value)) for value in values]


def _map(tf):
    raw = tf.raw_ops
    first = raw.TensorMapInsert(
        input_handle=raw.EmptyTensorMap(), key=tf.constant(2.0), value=tf.constant([1.0, 2.0])
    )
    return raw.TensorMapInsert(
        input_handle=first, key=tf.constant(1.0), value=tf.constant([3.0, 4.0])
    )


@case
def tensor_maps(tf):
    raw, given = tf.raw_ops, _map(tf)
    replaced = raw.TensorMapInsert(input_handle=given, key=2.0, value=[9.0])
    erased = raw.TensorMapErase(input_handle=given, key=2.0, value_dtype=tf.float32)
    vectors = raw.TensorMapInsert(input_handle=raw.EmptyTensorMap(), key=[1, 2], value="x")
    return {
        "size": raw.TensorMapSize(input_handle=given),
        "lookup": raw.TensorMapLookup(input_handle=given, key=1.0, value_dtype=tf.float32),
        "has": [raw.TensorMapHasKey(input_handle=given, key=key) for key in (2.0, 5.0, 2)],
        "erased": raw.TensorMapSize(input_handle=erased),
        "replaced": raw.TensorMapLookup(input_handle=replaced, key=2.0, value_dtype=tf.float32),
        "vector": raw.TensorMapLookup(input_handle=vectors, key=[1, 2], value_dtype=tf.string),
        "keys": raw.TensorMapStackKeys(input_handle=vectors, key_dtype=tf.int32),
    }


@case
def lists_pushed_to_together(tf):
    raw = tf.raw_ops

    def empty():
        return raw.EmptyTensorList(
            element_shape=tf.constant(-1), max_num_elements=-1, element_dtype=tf.float32
        )

    lists = raw.TensorListPushBackBatch(
        input_handles=tf.stack([empty(), empty()]), tensor=normal(2, 3)
    )
    return [
        raw.TensorListStack(input_handle=handle, element_shape=[3], element_dtype=tf.float32)
        for handle in tf.unstack(lists)
    ]


@case
def ref_select(tf):
    first = tf.Variable([1.0], use_resource=False)
    second = tf.Variable([2.0], use_resource=False)
    index = tf.placeholder(tf.int32, [])
    selected = tf.raw_ops.RefSelect(index=index, inputs=[first, second])
    add = tf.assign_add(selected, [10.0])

    def body(session):
        session.run(add.op, {index: 1})
        session.run(add.op, {index: 0})
        session.run(add.op, {index: 1})
        return session.run([first, second])

    return Script(body, setup=[tf.global_variables_initializer()])


# --- errors ---------------------------------------------------------------------------------------


def _fed(tf, value):
    return tf.placeholder_with_default(value, None)


error_cases(
    banded_zero=lambda tf: tf.raw_ops.BandedTriangularSolve(
        matrix=[[0.0, 1.0]], rhs=[[1.0], [2.0]]
    ),
    banded_sizes=lambda tf: tf.raw_ops.BandedTriangularSolve(
        matrix=[[1.0, 1.0]], rhs=[[1.0], [2.0], [3.0]]
    ),
    banded_fed_sizes=lambda tf: tf.raw_ops.BandedTriangularSolve(
        matrix=_fed(tf, [[1.0, 1.0]]), rhs=[[1.0], [2.0], [3.0]]
    ),
    banded_too_many=lambda tf: tf.raw_ops.BandedTriangularSolve(matrix=[[1.0], [1.0]], rhs=[[1.0]]),
    banded_vector=lambda tf: tf.raw_ops.BandedTriangularSolve(matrix=[1.0], rhs=[[1.0]]),
    axes_of_short_format=lambda tf: tf.raw_ops.DataFormatDimMap(
        x=[0], src_format="HWC", dst_format="CHW"
    ),
    axes_of_other_letters=lambda tf: tf.raw_ops.DataFormatDimMap(
        x=[0], src_format="NHWC", dst_format="NCDW"
    ),
    sizes_of_other_length=lambda tf: tf.raw_ops.DataFormatVecPermute(x=[1, 2, 3]),
    sizes_of_triples=lambda tf: tf.raw_ops.DataFormatVecPermute(x=[[1, 1, 1]] * 4),
    rows_of_other_width=lambda tf: tf.raw_ops.InplaceAdd(x=[[1.0, 2.0]], i=[0], v=[[1.0]]),
    rows_without_number=lambda tf: tf.raw_ops.InplaceUpdate(x=[[1.0]], i=[0, 0], v=[[1.0]]),
    rows_of_words_added=lambda tf: tf.raw_ops.InplaceAdd(x=["a"], i=[0], v=["b"]),
    approx_too_many=lambda tf: tf.nn.approx_max_k([1.0, 2.0], 3),
    approx_scalar=lambda tf: tf.nn.approx_max_k(1.0, 1),
    approx_axis=lambda tf: tf.nn.approx_max_k([1.0], 1, reduction_dimension=2),
    neighbors_of_other_width=lambda tf: (
        tf.raw_ops.NearestNeighbors(
            points=[[0.0, 0.0]], centers=[[1.0]], k=np.int64(1)
        ).nearest_center_indices
    ),
    neighbors_of_vector=lambda tf: (
        tf.raw_ops.NearestNeighbors(
            points=[0.0], centers=[[1.0]], k=np.int64(1)
        ).nearest_center_indices
    ),
    map_without_key=lambda tf: tf.raw_ops.TensorMapLookup(
        input_handle=_map(tf), key=7.0, value_dtype=tf.float32
    ),
    map_erase_without_key=lambda tf: tf.raw_ops.TensorMapSize(
        input_handle=tf.raw_ops.TensorMapErase(
            input_handle=_map(tf), key=7.0, value_dtype=tf.float32
        )
    ),
    map_of_other_dtype=lambda tf: tf.raw_ops.TensorMapLookup(
        input_handle=_map(tf), key=1.0, value_dtype=tf.int32
    ),
    map_keys_of_none=lambda tf: tf.raw_ops.TensorMapStackKeys(
        input_handle=tf.raw_ops.EmptyTensorMap(), key_dtype=tf.float32
    ),
)
