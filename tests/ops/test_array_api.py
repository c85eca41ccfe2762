"""Public functions of array ops: the nodes they make, what they convert, what they refuse."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import featherflow as tf
from featherflow.framework.op import get_op


def names_made(build: Callable[[], Any]) -> list[str]:
    """`name:type` of the nodes that `build` makes, placeholders aside."""
    with tf.Graph().as_default() as graph:
        build()
        return [
            f"{operation.name}:{operation.type}"
            for operation in graph.get_operations()
            if operation.type != "Placeholder"
        ]


def run(build: Callable[[], Any]) -> Any:
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(build())


# --- constants and conversions --------------------------------------------------------------------


def test_constants_own_their_arrays() -> None:
    values = np.array([1.0, 2.0])
    with tf.Graph().as_default(), tf.Session() as sess:
        constant = tf.constant(values)
        values[:] = 0
        assert sess.run(constant).tolist() == [1.0, 2.0]


def test_constants_fill_their_shape() -> None:
    assert run(lambda: tf.constant([1, 2], shape=[2, 2])).tolist() == [[1, 2], [2, 2]]
    assert run(lambda: tf.compat.v2.constant(7, shape=[2])).tolist() == [7, 7]
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="shape"):
            tf.compat.v2.constant([1, 2], shape=[2, 2])
        with pytest.raises(TypeError, match="shape"):
            tf.constant([1, 2], shape=[2, 2], verify_shape=True)
        with pytest.raises(ValueError, match="Too many"):
            tf.constant([1, 2], shape=[1])
        with pytest.raises(TypeError, match="non-tensor"):
            tf.constant([tf.constant(1)])


def test_lists_of_tensors_become_packs() -> None:
    def build() -> None:
        x = tf.placeholder(tf.int32, [])
        assert tf.convert_to_tensor([[x, 1], [2, 3]]).shape == [2, 2]

    assert names_made(build) == [
        "packed/0/1:Const",
        "packed/0:Pack",
        "packed/1_1:Const",
        "packed:Pack",
    ]


def test_lists_of_tensors_take_the_dtype_asked_for() -> None:
    def build() -> Any:
        return tf.convert_to_tensor([tf.placeholder_with_default(3, []), 1], dtype=tf.int64)

    assert run(build).dtype == np.int64
    with tf.Graph().as_default(), pytest.raises(TypeError, match=r"float32.*int32"):
        tf.convert_to_tensor([tf.constant(1), tf.constant(1.0)])


def test_shapes_become_tensors_when_they_are_known() -> None:
    with tf.Graph().as_default():
        assert tf.convert_to_tensor(tf.TensorShape([2, 3])).dtype == tf.int32
        assert tf.convert_to_tensor(tf.TensorShape([2**40])).dtype == tf.int64
        assert tf.convert_to_tensor(tf.Dimension(3)).shape == []
        with pytest.raises(ValueError, match="partially known"):
            tf.convert_to_tensor(tf.TensorShape([2, None]))
        with pytest.raises(TypeError, match=r"tf.int32 and tf.int64"):
            tf.convert_to_tensor(tf.TensorShape([2]), tf.float32)


def test_conversion_functions_are_asked_in_order() -> None:
    class Celsius:
        degrees = 20.0

    def convert(value: Any, dtype: Any = None, name: Any = None, as_ref: bool = False) -> Any:
        return tf.constant(value.degrees, dtype or tf.float32, name=name)

    tf.register_tensor_conversion_function(Celsius, convert)
    assert run(lambda: tf.convert_to_tensor(Celsius())) == 20.0
    assert run(lambda: tf.constant(1.0) + Celsius()) == 21.0
    with pytest.raises(TypeError, match="base_type"):
        tf.register_tensor_conversion_function("Celsius", convert)


def test_static_values_are_copies_and_may_be_partial() -> None:
    with tf.Graph().as_default():
        constant = tf.constant([1, 2])
        tf.get_static_value(constant)[0] = 5
        assert tf.get_static_value(constant).tolist() == [1, 2]
        x = tf.placeholder(tf.int32, [])
        assert tf.get_static_value(tf.stack([x, 2])) is None
        assert tf.get_static_value(tf.stack([x, 2]), partial=True).tolist() == [None, 2]


# --- placeholders ---------------------------------------------------------------------------------


def test_placeholders_must_be_fed() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None], name="x")
        assert sess.run(x, {x: [1.0]}).tolist() == [1.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"must feed a value.*'x'"):
            sess.run(x + 1.0)
        old = get_op("PlaceholderV2")(dtype=tf.float32, shape=tf.TensorShape([2]))
        assert sess.run(old, {old: [1.0, 2.0]}).tolist() == [1.0, 2.0]


def test_placeholders_with_default_keep_their_own_shape() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder_with_default([1, 2], [None])
        assert x.shape.as_list() == [None]
        assert sess.run(x).tolist() == [1, 2]
        assert sess.run(x, {x: [7]}).tolist() == [7]
        with pytest.raises(ValueError, match="equal"):
            tf.placeholder_with_default([1, 2], [3])


# --- identity and grouping ------------------------------------------------------------------------


def test_groups_wait_for_all() -> None:
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        first, second = tf.constant(1, name="first"), tf.no_op(name="second")
        group = tf.group(first, [second], name="both")
        assert [operation.name for operation in group.control_inputs] == ["first", "second"]
        assert sess.run(group) is None
        assert graph.get_operation_by_name("both").type == "NoOp"
        with pytest.raises(TypeError, match="zero or more"):
            tf.group(first, None)
        with pytest.raises(TypeError, match="unexpected"):
            tf.group(first, wait=True)


def test_groups_on_several_devices_are_grouped_on_each() -> None:
    with tf.Graph().as_default():
        plain = tf.constant(1)
        with tf.device("/cpu:0"):
            placed = tf.constant(2)
        group = tf.group(placed, plain)
        parts = group.control_inputs
        assert [part.device for part in parts] == ["", "/device:CPU:0"]
        assert [part.name for part in parts] == ["group_deps/NoOp", "group_deps/NoOp_1"]


def test_tuples_wait_for_each_other() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        rows = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
        outputs = tf.tuple([tf.constant(1), None, rows])
        assert outputs[1] is None
        assert isinstance(outputs[2], tf.IndexedSlices)
        assert {operation.name for operation in outputs[0].op.control_inputs} == {
            "tuple/group_deps"
        }
        assert sess.run(outputs[0]) == 1
        with pytest.raises(ValueError, match="at least one"):
            tf.tuple([None])


def test_variables_stay_variables_in_tuples() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        variable = tf.Variable(1, use_resource=False)
        added = variable.assign_add(2)
        (waited,) = tf.tuple([added])
        assert waited.op.type == "RefIdentity"
        assigned = tf.assign(waited, 7)
        sess.run(tf.global_variables_initializer())
        assert sess.run(waited) == 3
        sess.run(assigned)
        assert sess.run(variable) == 7


def test_prevented_gradients_are_refused() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
        y = get_op("PreventGradient")(x, message="not here")
        with pytest.raises(LookupError, match="not here"):
            tf.gradients(y, x)


def test_numbers_are_checked() -> None:
    def check(values: list[float], op: str) -> Any:
        return lambda: get_op(op)(tf.constant(values), message="loss")

    assert run(check([1.0], "CheckNumerics")).tolist() == [1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="loss : Tensor had Inf and NaN"):
        run(check([np.inf, np.nan], "CheckNumerics"))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"had -Inf, \+Inf, and NaN values"):
        run(check([np.inf, -np.inf, np.nan], "CheckNumericsV2"))


def test_all_numbers_of_a_graph_are_checked() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name="x")
        y = tf.sqrt(x, name="y")
        check = tf.add_check_numerics_ops()
        sess.run([y, check], {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 : Tensor had NaN values"):
            sess.run(check, {x: -1.0})


def test_shapes_are_ensured() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None, 2])
        y = tf.ensure_shape(x, [3, None])
        assert y.shape.as_list() == [3, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="not compatible"):
            sess.run(y, {x: np.zeros((2, 2))})


# --- joining and filling --------------------------------------------------------------------------


def test_one_value_is_concatenated_by_an_identity() -> None:
    assert names_made(lambda: tf.concat([tf.placeholder(tf.int32, [2])], 0)) == [
        "concat/concat_dim:Const",
        "concat/concat:Identity",
    ]


def test_stacks_of_numbers_are_constants() -> None:
    assert names_made(lambda: tf.stack([1, 2])) == ["stack:Const"]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="axis"):
        tf.stack([tf.zeros([2])], axis=3)


def test_small_zeros_are_constants_and_large_ones_are_filled() -> None:
    assert names_made(lambda: tf.zeros([2, 3])) == ["zeros:Const"]
    assert names_made(lambda: tf.ones([40, 40])) == [
        "ones/shape_as_tensor:Const",
        "ones/Const:Const",
        "ones:Fill",
    ]
    assert run(lambda: tf.zeros([2], tf.string)).tolist() == [b"", b""]


def test_ranges_take_the_widest_dtype() -> None:
    assert run(lambda: tf.range(1.0, 4)).dtype == np.float32
    assert run(lambda: tf.range(tf.constant(3, tf.int64))).tolist() == [0, 1, 2]
    assert run(lambda: tf.range(3, dtype=tf.float64)).dtype == np.float64
    with tf.Graph().as_default(), pytest.raises(ValueError, match="delta"):
        tf.range(5, 0)


def test_segments_without_rows_have_the_limits_of_the_dtype() -> None:
    ids = [0, 0]
    for dtype in ("float32", "int16"):
        data = np.array([1, 2], dtype)
        limits = np.finfo(dtype) if dtype == "float32" else np.iinfo(dtype)
        largest = run(lambda data=data: tf.unsorted_segment_max(data, ids, 2))
        least = run(lambda data=data: tf.unsorted_segment_min(data, ids, 2))
        assert largest.tolist() == [2, limits.min]
        assert least.tolist() == [1, limits.max]


def test_conditions_choose_elements_or_rows() -> None:
    assert run(lambda: tf.where([True, False], [[1, 2], [3, 4]], [[5, 6], [7, 8]])).tolist() == [
        [1, 2],
        [7, 8],
    ]
    assert run(lambda: tf.where([[True, False], [True, True]])).tolist() == [[0, 0], [1, 0], [1, 1]]
    with tf.Graph().as_default(), pytest.raises(ValueError, match="both"):
        tf.where([True], [1])


def test_sorting_goes_both_ways() -> None:
    values = np.array([[3, -128, 7], [0, 127, -1]], np.int8)
    for axis in (0, 1, -1, -2):
        ascending = run(lambda axis=axis: tf.sort(values, axis))
        descending = run(lambda axis=axis: tf.sort(values, axis, "DESCENDING"))
        np.testing.assert_array_equal(ascending, np.sort(values, axis))
        np.testing.assert_array_equal(descending, np.flip(np.sort(values, axis), axis))
        places = run(lambda axis=axis: tf.argsort(values, axis))
        np.testing.assert_array_equal(places, np.argsort(values, axis, kind="stable"))


def test_sparse_tensors_have_shapes_and_become_dense() -> None:
    with tf.Graph().as_default(), tf.Session() as sess:
        sparse = tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])
        assert sparse.shape == [3, 2]
        dense = tf.sparse_tensor_to_dense(sparse, -1.0)
        assert sess.run(dense).tolist() == [[-1.0, 1.0], [-1.0, -1.0], [2.0, -1.0]]
        assert sess.run(tf.shape(sparse)).tolist() == [3, 2]
        with pytest.raises(ValueError, match="compatible"):
            tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 2])
        unordered = tf.SparseTensor([[2, 0], [0, 1]], [1.0, 2.0], [3, 2])
        with pytest.raises(tf.errors.InvalidArgumentError, match="out of order"):
            sess.run(tf.sparse_tensor_to_dense(unordered))


def test_squeeze_and_expand_take_old_names_too() -> None:
    with tf.Graph().as_default():
        assert tf.squeeze(tf.zeros([1, 2]), squeeze_dims=[0]).shape == [2]
        assert tf.expand_dims(tf.zeros([2]), dim=0).shape == [1, 2]
        with pytest.raises(ValueError, match="both"):
            tf.expand_dims(tf.zeros([2]), axis=0, dim=0)
        with pytest.raises(ValueError, match="axis"):
            tf.expand_dims(tf.zeros([2]))
