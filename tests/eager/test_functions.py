"""tf.function: traces, effects, variables, gradients, freeing."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import featherflow as tf

pytestmark = pytest.mark.usefixtures("eagerly")


def test_traces() -> None:
    traces = []

    @tf.function
    def f(x, k=2.0):
        traces.append(x)
        return x * k

    assert float(f(tf.constant(3.0))) == 6.0
    f(tf.constant(4.0))
    f(tf.constant(5.0), k=2.0)
    assert f.experimental_get_tracing_count() == 1
    f(tf.constant([1.0, 2.0]))  # another shape
    f(tf.constant(1), 2)  # another dtype, another number
    f(np.float32(3.0))  # an array is a tensor
    f(3.0)  # a Python number is not
    f(4.0)
    assert f.experimental_get_tracing_count() == 5
    assert f.cache_info().size == 5 and f.cache_info().max_size == 256
    assert len(traces) == 5


def test_variables_of_a_kind_share_a_trace() -> None:
    f = tf.function(lambda v, w: v * 10.0 + w)
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    assert float(f(a, b)) == 12.0 and float(f(b, a)) == 21.0
    assert f.experimental_get_tracing_count() == 1
    assert float(f(a, a)) == 11.0
    assert f.experimental_get_tracing_count() == 2


def test_effects_in_the_order_of_the_code(capfd: pytest.CaptureFixture[str]) -> None:
    v = tf.Variable(1.0)

    @tf.function
    def f(x):
        v.assign_add(x)
        first = v * 10.0
        tf.print("then", v)
        if x > 0:
            v.assign(v * 2.0)
        for _ in tf.range(3):
            v.assign_add(1.0)
        tf.print("last", v)
        return first, v.read_value()

    first, second = f(tf.constant(1.0))
    assert (float(first), float(second), float(v)) == (20.0, 7.0, 7.0)
    assert capfd.readouterr().err.split() == ["then", "2", "last", "7"]


def test_a_variable_made_in_the_first_call() -> None:
    class Scaler:
        def __init__(self) -> None:
            self.v = None

        @tf.function
        def __call__(self, x):
            if self.v is None:
                self.v = tf.Variable(tf.ones([]) * 2.0)
            return self.v * x

    first, second = Scaler(), Scaler()
    assert float(first(tf.constant(3.0))) == 6.0
    second(tf.constant(3.0))
    second.v.assign(5.0)
    assert float(second(tf.constant(3.0))) == 15.0 and float(first(tf.constant(3.0))) == 6.0


def test_a_variable_made_in_each_call_is_refused() -> None:
    @tf.function
    def f(x):
        return tf.Variable(1.0) * x

    with pytest.raises(ValueError, match=r"singleton tf\.Variables created on the first call"):
        f(tf.constant(1.0))


def test_gradients() -> None:
    w = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    c = tf.constant([[0.5, -0.5]])

    @tf.function
    def f(x):
        return tf.reduce_sum(tf.tanh(x @ w) * c)

    def plain(x):
        return tf.reduce_sum(tf.tanh(x @ w) * c)

    x = tf.constant([[0.1, 0.2]])
    grads = []
    for function in (f, plain):
        with tf.GradientTape() as tape:
            tape.watch([x, c])
            y = function(x)
        grads.append(tape.gradient(y, [x, w, c]))
    for found, expected in zip(*grads):
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_gradients_of_loops_and_branches() -> None:
    @tf.function
    def f(x, n):
        y = x
        for i in tf.range(n):
            if i % 2 == 0:
                y = y * x
            else:
                y = y + x
        return y

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, tf.constant(3))  # ((x·x) + x)·x = x³ + x²
    assert float(y) == 12.0 and float(tape.gradient(y, x)) == 16.0


def test_a_step_of_training_in_a_function() -> None:
    w = tf.Variable(0.0)

    @tf.function
    def step(x, y):
        with tf.GradientTape() as tape:
            loss = (w * x - y) ** 2
        w.assign_sub(0.1 * tape.gradient(loss, w))
        return loss

    losses = [float(step(tf.constant(1.0), tf.constant(2.0))) for _ in range(50)]
    assert losses[-1] < 1e-6 < losses[0] and abs(float(w) - 2.0) < 1e-3


def test_functions_call_functions() -> None:
    v = tf.Variable(3.0)
    inner = tf.function(lambda x: x * v)
    outer = tf.function(lambda x: inner(x) + inner(x * 2.0))
    with tf.GradientTape() as tape:
        y = outer(tf.constant(1.0))
    assert float(y) == 9.0 and float(tape.gradient(y, v)) == 3.0
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(outer(tf.constant(2.0))) == 18.0


def test_structures() -> None:
    @tf.function
    def f(d):
        return {"sum": d["a"] + d["b"][0], "none": None, "pair": (d["a"], 7)}

    result = f({"a": tf.constant(1), "b": [tf.constant(2)]})
    assert int(result["sum"]) == 3 and result["none"] is None and int(result["pair"][1]) == 7
    ragged = tf.function(lambda r: r + 1)(tf.ragged.constant([[1], [2, 3]]))
    assert ragged.to_list() == [[2], [3, 4]]


def test_concrete_functions() -> None:
    f = tf.function(lambda x, y: x + y)
    concrete = f.get_concrete_function(tf.constant(1.0), tf.constant(2.0))
    assert float(concrete(tf.constant(3.0), y=tf.constant(4.0))) == 7.0
    with pytest.raises(ValueError, match="traced for float32"):
        concrete(tf.constant(1), tf.constant(2))
    with pytest.raises(TypeError, match="missing the argument 'y'"):
        concrete(tf.constant(1.0))


def test_reduce_retracing() -> None:
    f = tf.function(lambda x: tf.reduce_sum(x), reduce_retracing=True)
    for size in (1, 2, 3, 4, 5):
        assert float(f(tf.ones([size]))) == size
    assert f.experimental_get_tracing_count() == 2


def test_run_eagerly() -> None:
    seen = []
    f = tf.function(lambda x: seen.append(tf.executing_eagerly()) or x)
    tf.config.run_functions_eagerly(True)
    try:
        f(tf.constant(1.0))
        f(tf.constant(1.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert seen == [True, True]


def test_errors_name_the_users_line() -> None:
    @tf.function
    def f(x, i):
        y = x * 2.0
        return tf.gather(y, i)  # here

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        f(tf.constant([1.0]), tf.constant(7))
    line = f.python_function.__code__.co_firstlineno + 3
    assert f"{__file__}:{line}" in str(caught.value)


def test_what_a_function_holds_is_freed() -> None:
    f = tf.function(lambda x: x * 2.0 if x > 0 else x)
    graph = weakref.ref(f.get_concrete_function(tf.constant(1.0)).graph)
    f(tf.constant(1.0))
    del f
    gc.collect()
    assert graph() is None


def test_input_signatures() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.int32)])
    def f(x, n):
        return tf.reduce_sum(x) * tf.cast(n, tf.float32)

    assert float(f(tf.constant([1.0, 2.0]), 3)) == 9.0
    assert float(f([1.0, 2.0, 3.0], tf.constant(2))) == 12.0
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(TypeError, match=r"int32 tensor of shape \(2,\).*input_signature"):
        f(tf.constant([1, 2]), 3)
    concrete = f.get_concrete_function()
    assert concrete.inputs[0].shape.as_list() == [None]
    spec = tf.TensorSpec([None, 3], tf.float32, name="x")
    assert repr(spec) == "TensorSpec(shape=(None, 3), dtype=tf.float32, name='x')"
    assert spec.is_compatible_with(tf.ones([2, 3])) and not spec.is_compatible_with(tf.ones([2, 4]))
    assert tf.TensorSpec([2, 3], name="x").is_subtype_of(spec)
    assert float(tf.function(tf.reduce_sum).get_concrete_function(spec)(tf.ones([2, 3]))) == 6.0


@pytest.mark.parametrize("value", [3.0, -3.0])
@pytest.mark.parametrize("scale", [2.0, 0.5])
def test_gradients_of_nested_branches(value: float, scale: float) -> None:
    w = tf.Variable(scale)

    def plain(x):
        y = x * w
        if x > 0:
            z = tf.exp(y) * x
            if w > 1:
                z = z * tf.sin(z) * w
            else:
                z = tf.tanh(z * y)
        else:
            z = y * y * x
        return z * y

    x = tf.constant(value)
    grads = []
    for function in (tf.function(plain), plain):
        with tf.GradientTape() as tape:
            tape.watch(x)
            result = function(x)
        grads.append(tape.gradient(result, [x, w]))
    np.testing.assert_allclose(grads[0], grads[1], rtol=1e-5)
