"""tf.gradients: the walk, its options, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf
from featherflow.ops.gradient_registry import unregister_gradient


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def nodes_of_type(graph, op_type):
    return [op for op in graph.get_operations() if op.type == op_type]


# --- derivatives ----------------------------------------------------------------------------------


def test_uses_of_a_tensor_add_up():
    x = tf.constant([3.0, 2.0])
    assert run(tf.gradients(x * x * x + x, x))[0].tolist() == [28.0, 13.0]


def test_derivatives_are_total():
    x = tf.constant(3.0)
    y = x * x
    z = y * x
    assert run(tf.gradients(z, [x, y])) == [27.0, 3.0]


def test_stop_gradients_makes_them_partial():
    x = tf.constant(3.0)
    y = x * x
    z = y * x
    assert run(tf.gradients(z, [x, y], stop_gradients=[y])) == [9.0, 3.0]
    assert run(tf.gradients(z, x, stop_gradients=x)) == [27.0]


def test_several_ys_are_summed_with_their_weights():
    x = tf.constant(3.0)
    y = x * x
    assert run(tf.gradients([y, y + x], x)) == [13.0]
    assert run(tf.gradients([y, y + x], x, grad_ys=[None, 2.0])) == [20.0]


def test_second_and_third_derivatives():
    x = tf.constant(2.0)
    (first,) = tf.gradients(x * x * x, x)
    (second,) = tf.gradients(first, x)
    (third,) = tf.gradients(second, x)
    assert run([first, second, third]) == [12.0, 12.0, 6.0]


def test_y_is_x():
    x = tf.constant([1.0, 2.0])
    assert run(tf.gradients(x, x))[0].tolist() == [1.0, 1.0]
    assert run(tf.gradients([x, x], [x]))[0].tolist() == [2.0, 2.0]


def test_variables_of_both_kinds():
    ref = tf.Variable(3.0, use_resource=False)
    resource = tf.Variable(4.0, use_resource=True)
    assert run(tf.gradients(ref * resource * ref, [ref, resource])) == [24.0, 9.0]


def test_outputs_that_nothing_uses_count_as_zeros():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    first, _ = tf.split(x, 2)
    assert run(tf.gradients(first * 5.0, x))[0].tolist() == [5.0, 5.0, 0.0, 0.0]


@pytest.mark.parametrize("method", [0, 1, 2])
def test_ways_to_aggregate_agree(graph, method):
    x = tf.constant([3.0])
    y = x * x
    gradients = tf.gradients(y * x + x, x, aggregation_method=method)
    assert run(gradients)[0].tolist() == [28.0]
    assert len(nodes_of_type(graph, "AddN")) == (1 if method == 0 else 3)


def test_rows_stay_rows_while_all_are():
    table = tf.constant([[1.0], [2.0], [3.0]])
    y = tf.gather(table, [0, 2, 0])
    z = tf.gather(table, [1])
    (gradient,) = tf.gradients(tf.reduce_sum(y) + 5.0 * tf.reduce_sum(z), table)
    assert isinstance(gradient, tf.IndexedSlices)
    rows = run(gradient)
    assert rows.values.tolist() == [[1.0], [1.0], [1.0], [5.0]]
    assert rows.indices.tolist() == [0, 2, 0, 1]
    assert run(tf.convert_to_tensor(gradient)).tolist() == [[2.0], [5.0], [1.0]]


def test_rows_and_tensors_add_up_to_a_tensor():
    table = tf.constant([[1.0], [2.0], [3.0]])
    y = tf.reduce_sum(tf.gather(table, [0, 0])) + tf.reduce_sum(table * table)
    (gradient,) = tf.gradients(y, table)
    assert run(gradient).tolist() == [[4.0], [4.0], [6.0]]


def test_indices_of_different_types_are_widened():
    table = tf.constant([[1.0], [2.0], [3.0]])
    y = tf.gather(table, tf.constant([0], tf.int32))
    z = tf.gather(table, tf.constant([1], tf.int64))
    (gradient,) = tf.gradients([y, z], table)
    assert gradient.indices.dtype == tf.int64
    assert run(tf.convert_to_tensor(gradient)).tolist() == [[1.0], [1.0], [0.0]]


# --- what no y depends on -------------------------------------------------------------------------


def test_unconnected_xs_have_none_or_zeros():
    x = tf.constant([3.0, 1.0])
    other = tf.constant([1, 2])
    assert tf.gradients(x * x, [other, tf.constant(1.0)]) == [None, None]
    zeros = tf.gradients(x * x, [other], unconnected_gradients="zero")
    assert run(zeros)[0].tolist() == [0, 0]
    assert zeros[0].dtype == tf.int32
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'some'"):
        tf.gradients(x, x, unconnected_gradients="some")


def test_no_gradient_passes_integers_and_booleans():
    x = tf.constant(3.0)
    assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
    assert tf.gradients(x > 2.0, x) == [None]
    n = tf.constant(3)
    assert tf.gradients(n * n, n) == [None]


def test_empty_lists():
    x = tf.constant(3.0)
    assert tf.gradients([], x) == [None]
    assert tf.gradients(x, []) == []


# --- nodes ----------------------------------------------------------------------------------------


def test_nodes_are_made_in_one_scope(graph):
    x = tf.constant(3.0, name="x")
    with tf.name_scope("model"):
        y = tf.multiply(x, x, name="square")
    before = graph.version
    tf.gradients(y, x)
    tf.gradients(y, x, name="slopes")
    names = [op.name for op in graph.get_operations()[before:]]
    assert all(name.startswith(("gradients/", "slopes/")) for name in names)
    assert "gradients/model/square_grad/Mul" in names
    assert "slopes/grad_ys_0" in names


def test_colocation_and_gates(graph):
    x = tf.constant([3.0], name="x")
    y = tf.add(tf.multiply(x, x, name="square"), x, name="sum")
    gradients = tf.gradients(y, x, colocate_gradients_with_ops=True, gate_gradients=True)
    assert run(gradients)[0].tolist() == [7.0]
    product = graph.get_operation_by_name("gradients/square_grad/Mul")
    assert product.colocation_groups() == [b"loc:@square"]
    gate = graph.get_operation_by_name("gradients/square_grad/tuple/group_deps")
    assert {op.name for op in gate.control_inputs} == {
        "gradients/square_grad/Mul",
        "gradients/square_grad/Mul_1",
    }


# --- registered gradients -------------------------------------------------------------------------


@pytest.fixture
def named():
    names = []

    def register(name, function):
        names.append(name)
        return tf.RegisterGradient(name)(function)

    yield register
    for name in names:
        unregister_gradient(name)


def test_overrides_of_gradients(graph, named):
    named("TestTwice", lambda op, grad: 2.0 * grad)
    x = tf.constant(5.0)
    with graph.gradient_override_map({"Identity": "TestTwice"}):
        y = tf.identity(x)
    assert run(tf.gradients(y, x)) == [2.0]
    assert run(tf.gradients(tf.identity(x), x)) == [1.0]


def test_overrides_must_be_registered(graph):
    x = tf.constant(5.0)
    with graph.gradient_override_map({"Identity": "TestMissing"}):
        y = tf.identity(x)
    with pytest.raises(LookupError, match=r"'TestMissing'.*RegisterGradient"):
        tf.gradients(y, x)


def test_gradients_are_registered_once(named):
    named("TestOnce", lambda op, grad: grad)
    with pytest.raises(KeyError, match=r"'TestOnce'.*test_gradients\.py"):
        tf.RegisterGradient("TestOnce")(lambda op, grad: grad)
    with pytest.raises(KeyError, match="'Mul'"):
        tf.RegisterGradient("Mul")(lambda op, grad: grad)
    with pytest.raises(KeyError, match="'Shape'"):
        tf.NotDifferentiable("Shape")
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(3)


def test_wrong_gradients_are_refused(graph, named):
    named("TestOne", lambda op, grad: grad)
    named("TestShape", lambda op, grad: (tf.constant([1.0, 2.0, 3.0]), grad))
    x = tf.constant(2.0)
    with graph.gradient_override_map({"Mul": "TestOne"}):
        y = x * x
    with pytest.raises(ValueError, match=r"Num gradients 1 .* num inputs 2"):
        tf.gradients(y, x)
    with graph.gradient_override_map({"Mul": "TestShape"}):
        y = x * x
    with pytest.raises(ValueError, match=r"Incompatible shapes .* Input index: 0.*\(3,\)"):
        tf.gradients(y, x)


# --- refusals -------------------------------------------------------------------------------------


def test_arguments_must_fit():
    x = tf.constant(3.0)
    with pytest.raises(ValueError, match="Length mismatch"):
        tf.gradients([x], x, grad_ys=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"aggregation_method.*7"):
        tf.gradients(x, x, aggregation_method=7)
    with pytest.raises(TypeError, match="type int32"):
        tf.gradients(x * x, x, grad_ys=[tf.constant(1)])
    with pytest.raises(TypeError, match="must be real or integer"):
        tf.gradients(x * x, x, grad_ys=[tf.constant(1j)])


def test_complex_ys_need_weights():
    z = tf.constant(1.0 + 2.0j)
    with pytest.raises(TypeError, match="must set grad_ys"):
        tf.gradients(z * z, z)
    gradients = tf.gradients(z * z, z, grad_ys=[tf.ones_like(z)])
    assert np.allclose(run(gradients)[0], 2.0 - 4.0j)


def test_weights_must_have_the_shape_of_their_y():
    x = tf.constant([3.0, 1.0])
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.gradients(x * x, x, grad_ys=[tf.constant([1.0, 2.0, 3.0])])


def test_long_chains_do_not_recurse():
    x = y = tf.constant(1.0)
    for _ in range(3000):
        y = y * 1.0
    assert run(tf.gradients(y, x)) == [1.0]


# --- hessians -------------------------------------------------------------------------------------


def test_hessians_of_shapes_known_and_fed():
    x = tf.constant([[2.0, 3.0]])
    (matrix,) = tf.hessians(tf.reduce_sum(x * x * x), x)
    assert matrix.shape == [1, 2, 1, 2]
    assert run(matrix).tolist() == [[[[12.0, 0.0]], [[0.0, 18.0]]]]
    fed = tf.placeholder(tf.float32)
    (matrix,) = tf.hessians(tf.reduce_prod(fed), fed)
    assert run(matrix, {fed: [2.0, 3.0]}).tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_hessians_of_what_is_not_connected():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="None values not supported"):
        tf.hessians(tf.constant(2.0) * 3.0, x)
