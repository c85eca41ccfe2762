"""Optimisers: the updates they make against their formulas, and what they add to a graph.

Rates are float32 until they are cast to the variable's type, as in TensorFlow: hence the tolerance.
"""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

START = np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 0.25]])
KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variable(value=START, use_resource=False, dtype=np.float64, **kwargs):
    return tf.Variable(np.asarray(value, dtype), use_resource=use_resource, **kwargs)


def run(fetches, feeds=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feeds)


def train(steps, operation, fetches):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for _ in range(steps):
            session.run(operation)
        return session.run(fetches)


# --- formulas -------------------------------------------------------------------------------------


def descend(w, gradient, state, step):
    w -= 0.1 * gradient


def roll(w, gradient, state, step):
    state["a"] = 0.9 * state.get("a", 0) + gradient
    w -= 0.1 * state["a"]


def look_ahead(w, gradient, state, step):
    state["a"] = 0.9 * state.get("a", 0) + gradient
    w -= 0.1 * (gradient + 0.9 * state["a"])


def adapt(w, gradient, state, step):
    state["m"] = 0.8 * state.get("m", 0) + 0.2 * gradient
    state["v"] = 0.9 * state.get("v", 0) + 0.1 * gradient**2
    rate = 0.1 * np.sqrt(1 - 0.9**step) / (1 - 0.8**step)
    w -= rate * state["m"] / (np.sqrt(state["v"]) + 1e-3)


OPTIMIZERS = {
    "descent": (lambda: tf.train.GradientDescentOptimizer(0.1), descend),
    "momentum": (lambda: tf.train.MomentumOptimizer(0.1, 0.9), roll),
    "nesterov": (lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), look_ahead),
    "adam": (lambda: tf.train.AdamOptimizer(0.1, 0.8, 0.9, 1e-3), adapt),
}
EACH = pytest.mark.parametrize("name", OPTIMIZERS)


def stepped(update, gradient_at, steps, start=START):
    """The variable after `steps` of `update`, by NumPy."""
    w, state = start.copy(), {}
    for step in range(1, steps + 1):
        update(w, gradient_at(w), state, step)
    return w


@EACH
@KINDS
def test_dense_updates(name, use_resource):
    make, update = OPTIMIZERS[name]
    w = variable(use_resource=use_resource)
    operation = make().minimize(tf.reduce_sum(w**2))
    expected = stepped(update, lambda w: 2 * w, 5)
    np.testing.assert_allclose(train(5, operation, w), expected, rtol=1e-6)


def only_rows(update):
    """An update of the rows that have gradients; what it keeps of the others stays."""

    def change(w, gradient, state, step):
        rows = np.flatnonzero(gradient.any(axis=1))
        own = {key: value[rows] for key, value in state.items()}
        part = w[rows]
        update(part, gradient[rows], own, step)
        w[rows] = part
        for key, value in own.items():
            state.setdefault(key, np.zeros_like(w))[rows] = value

    return change


@EACH
@KINDS
def test_sparse_updates(name, use_resource):
    """Momentum leaves rows without a gradient alone; Adam's moments decay in all rows."""
    make, update = OPTIMIZERS[name]
    w = variable(use_resource=use_resource)
    operation = make().minimize(tf.reduce_sum(tf.gather(w, [2, 0, 2]) ** 2))
    counts = np.array([[1.0], [0.0], [2.0]])
    by_numpy = update if name in ("descent", "adam") else only_rows(update)
    expected = stepped(by_numpy, lambda w: 2 * w * counts, 4)
    np.testing.assert_allclose(train(4, operation, w), expected, rtol=1e-6)


@EACH
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_narrow_types(name, dtype):
    make, update = OPTIMIZERS[name]
    w = variable(dtype=dtype)
    operation = make().minimize(tf.reduce_sum(w**2))
    value = train(3, operation, w)
    assert value.dtype == dtype
    expected = stepped(update, lambda w: 2 * w, 3)
    np.testing.assert_allclose(
        value, expected, rtol=2e-2 if dtype == "float16" else 1e-5, atol=2e-3
    )


@KINDS
def test_repeated_rows_by_raw_operations(use_resource):
    """Rows named twice are updated twice, in order."""
    w, accum = variable(use_resource=use_resource), variable(START * 0, use_resource)
    grads = np.array([[1.0, 1.0], [2.0, 2.0]])
    op = tf.raw_ops.ResourceSparseApplyMomentum if use_resource else tf.raw_ops.SparseApplyMomentum
    cells = [w.handle, accum.handle] if use_resource else [w, accum]
    update = op(var=cells[0], accum=cells[1], lr=1.0, grad=grads, indices=[1, 1], momentum=0.5)
    value = train(1, update, w)
    np.testing.assert_allclose(value[1], START[1] - 1 - 2.5)
    np.testing.assert_allclose(value[[0, 2]], START[[0, 2]])


# --- gradients ------------------------------------------------------------------------------------


def test_gradients_can_be_changed_before_they_are_applied():
    w = variable()
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    pairs = optimizer.compute_gradients(tf.reduce_sum(100 * w))
    clipped = [(tf.clip_by_value(grad, -1.0, 1.0), var) for grad, var in pairs]
    np.testing.assert_allclose(train(1, optimizer.apply_gradients(clipped), w), START - 1)


def test_arrays_are_gradients_too():
    w = variable()
    step = tf.train.GradientDescentOptimizer(1.0).apply_gradients([(START, w)])
    np.testing.assert_allclose(train(1, step, w), START * 0)


def test_variables_without_a_gradient_stay():
    w, unused, frozen = variable(), variable(), variable(trainable=False)
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    pairs = optimizer.compute_gradients(tf.reduce_sum(w * frozen))
    assert [(grad is None, var) for grad, var in pairs] == [(False, w), (True, unused)]
    values = train(1, optimizer.apply_gradients(pairs), [unused, frozen])
    np.testing.assert_array_equal(values, [START, START])


def test_only_the_variables_asked_for_are_trained():
    w, other = variable(), variable()
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w * other), var_list=[w])
    np.testing.assert_array_equal(train(1, step, other), START)


def test_the_gradient_of_the_loss_can_be_given():
    w = variable([1.0, 2.0])
    optimizer = tf.train.GradientDescentOptimizer(1.0)
    step = optimizer.minimize(w * 2.0, grad_loss=tf.constant([1.0, 0.5], tf.float64))
    np.testing.assert_allclose(train(1, step, w), [-1.0, 1.0])


@pytest.mark.parametrize("gate", ["GATE_NONE", "GATE_OP", "GATE_GRAPH"])
def test_gates_change_no_values(gate):
    w, b = variable(), variable([2.0])
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    step = optimizer.minimize(tf.reduce_sum(w * b), gate_gradients=getattr(optimizer, gate))
    values = train(1, step, [w, b])
    np.testing.assert_allclose(values[0], START - 0.2)
    np.testing.assert_allclose(values[1], 2 - 0.1 * START.sum())


# --- steps ----------------------------------------------------------------------------------------


@KINDS
def test_steps_are_counted(use_resource):
    w, count = variable(), tf.Variable(0, trainable=False, use_resource=use_resource)
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w), global_step=count)
    assert train(3, step, count) == 3


def test_the_global_step_of_a_graph():
    assert tf.train.get_global_step() is None
    step = tf.train.get_or_create_global_step()
    assert tf.train.get_global_step() is step is tf.train.get_or_create_global_step()
    assert step.dtype.base_dtype is tf.int64
    with pytest.raises(ValueError, match="already exists"):
        tf.train.create_global_step()
    with tf.Session() as session:
        session.run(step.initializer)
        session.run(tf.assign_add(step, 5))
        assert tf.train.global_step(session, step) == 5


def test_rates_may_be_fed_or_functions():
    rate = tf.placeholder(tf.float64, [])
    w = variable([1.0])
    step = tf.train.GradientDescentOptimizer(lambda: rate * 2).minimize(3 * w)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step, {rate: 0.5})
        assert session.run(w) == [-2.0]


@KINDS
def test_constraints_hold_after_each_step(use_resource):
    w = variable(use_resource=use_resource, constraint=lambda value: tf.maximum(value, 0.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w))
    np.testing.assert_allclose(train(1, step, w), np.maximum(START - 0.1, 0))


def test_values_that_were_read_stay_as_they_were():
    w = variable(use_resource=True)
    before = w.read_value()
    with tf.control_dependencies([before]):
        step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(w))
    np.testing.assert_array_equal(run([before, step])[0], START)


def test_parts_of_a_variable_are_trained():
    table = tf.get_variable("table", initializer=START, partitioner=tf.fixed_size_partitioner(2))
    step = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(tf.convert_to_tensor(table) ** 2))
    names = [slot.name for slot in tf.global_variables() if slot.name.startswith("table/")]
    assert "table/part_1/Adam:0" in names
    np.testing.assert_allclose(
        train(1, step, tf.convert_to_tensor(table)), START - 0.1 * np.sign(START), rtol=1e-6
    )


# --- slots ----------------------------------------------------------------------------------------


@KINDS
def test_slots(use_resource):
    w = variable(use_resource=use_resource, name="w")
    optimizer = tf.train.AdamOptimizer(0.1, name="Mine")
    assert optimizer.get_slot(w, "m") is None
    optimizer.minimize(tf.reduce_sum(w**2))
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(w, "m").name == "w/Mine:0"
    assert optimizer.get_slot(w, "v").name == "w/Mine_1:0"
    assert optimizer.get_slot(w, "other") is None
    names = [own.name for own in optimizer.variables()]
    assert names == ["beta1_power:0", "beta2_power:0", "w/Mine:0", "w/Mine_1:0"]
    assert not set(optimizer.variables()) & set(tf.trainable_variables())
    assert optimizer.get_name() == "Mine"


def test_losses_share_slots_of_one_optimizer():
    w = variable()
    optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
    for _ in range(2):
        optimizer.minimize(tf.reduce_sum(w))
    assert len(optimizer.variables()) == 1


def test_train_operations_are_collected():
    step = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(variable()), name="go")
    assert step.name == "go"
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [step]


# --- what is refused ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda o: o.minimize(tf.constant(1.0)), ValueError, "No variables to optimize"),
        (lambda o: o.minimize(tf.constant(1.0), var_list=[variable()]), ValueError, "No gradients"),
        (lambda o: o.apply_gradients([]), ValueError, "No variables provided"),
        (lambda o: o.apply_gradients([(None, variable())]), ValueError, "No gradients provided"),
        (lambda o: o.apply_gradients([(1.0, tf.zeros([]))]), NotImplementedError, "unsupported"),
        (lambda o: o.apply_gradients([(object(), variable())]), TypeError, "convertible"),
        (lambda o: o.minimize(tf.cast(variable([1.0]), tf.int32)), ValueError, "int32"),
        (lambda o: o.compute_gradients(lambda: 1.0), RuntimeError, "should be a tensor"),
        (lambda o: o.compute_gradients(variable(), gate_gradients=7), ValueError, "not 7"),
    ],
)
def test_what_cannot_be_trained(make, error, words):
    with pytest.raises(error, match=words):
        make(tf.train.GradientDescentOptimizer(0.1))


def test_optimizers_have_names():
    with pytest.raises(ValueError, match="name"):
        tf.train.GradientDescentOptimizer(0.1, name="")


@KINDS
def test_wrong_shapes_are_refused(use_resource):
    w, slot = variable(use_resource=use_resource), variable([1.0], use_resource)
    cells = [w.handle, slot.handle] if use_resource else [w, slot]
    op = tf.raw_ops.ResourceApplyMomentum if use_resource else tf.raw_ops.ApplyMomentum
    with pytest.raises(ValueError, match="Momentum"):
        op(var=cells[0], accum=cells[1], lr=0.1, grad=START, momentum=0.9)


@KINDS
def test_wrong_shapes_of_the_run_are_refused(use_resource):
    w, grad = variable(use_resource=use_resource), tf.placeholder(tf.float64)
    step = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(grad, w)])
    with pytest.raises(tf.errors.InvalidArgumentError, match="the same shape"):
        run(step, {grad: np.zeros(2)})


@KINDS
def test_variables_must_be_initialised(use_resource):
    step = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(variable()))
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError):
        session.run(step)


class Halving(tf.train.Optimizer):
    """Records which hooks are called."""

    def __init__(self):
        super().__init__(False, "Halving")
        self.calls = []

    def _apply_dense(self, grad, var):
        self.calls.append("dense")
        return var.assign_sub(0.5 * grad, read_value=False)

    def _resource_apply_dense(self, grad, handle):
        self.calls.append("resource dense")
        return super()._resource_apply_dense(grad, handle)

    def _apply_sparse(self, grad, var):
        self.calls.append("sparse")
        return var.scatter_sub(tf.IndexedSlices(0.5 * grad.values, grad.indices))

    def _resource_apply_sparse(self, grad, handle, indices):
        self.calls.append("resource sparse")
        return super()._resource_apply_sparse(grad, handle, indices)


@KINDS
def test_subclasses_say_how_variables_are_updated(use_resource):
    w, table = variable(use_resource=use_resource), variable(use_resource=use_resource)
    optimizer = Halving()
    loss = tf.reduce_sum(w) + tf.reduce_sum(tf.gather(table, [1, 1]))
    step = optimizer.minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(step)
        np.testing.assert_array_equal(session.run(w), START - 0.5)
        np.testing.assert_array_equal(session.run(table), START - [[0.0], [1.0], [0.0]])
    hooks = ["resource dense", "dense", "resource sparse", "sparse"]
    assert optimizer.calls == [hook for hook in hooks if use_resource or "resource" not in hook]
