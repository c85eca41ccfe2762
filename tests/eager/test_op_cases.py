"""Every op that has a row in `tests/ops/cases`: eager = graph = function, tape = tf.gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from ops.op_case import Input, OpCase
from ops.test_op_properties import (
    Built,
    assert_close,
    dense,
    differentiable_feeds,
    expected_outputs,
    is_differentiated,
    is_differentiated_twice,
    per_case,
    per_dtype,
    weighed,
)

import featherflow as tf
from featherflow.framework.dtypes import as_dtype
from featherflow.graph.graph import Graph
from featherflow.ops.gradients import gradients

pytestmark = pytest.mark.usefixtures("eagerly")


def eager_arguments(case: OpCase, dtype: str) -> list[Any]:
    return [as_tensors(value) for value in case.sample(dtype)]


def as_tensors(value: Any) -> Any:
    if isinstance(value, list):
        return [as_tensors(item) for item in value]
    return tf.constant(value, as_dtype(value.dtype))


def flat(result: Any) -> list[Any]:
    if result is None:
        return []
    if isinstance(result, tf.Tensor):
        return [result]
    return [tensor for item in result for tensor in flat(item)]


@pytest.mark.parametrize(("case", "dtype"), per_dtype())
def test_eager(case: OpCase, dtype: str) -> None:
    """What runs at once gives what the row's reference says, in the dtypes of the graph."""
    result = flat(case.op(*eager_arguments(case, dtype), **case.all_attrs(dtype)))
    expected = expected_outputs(case, dtype)
    assert len(result) == len(expected)
    for tensor, wanted in zip(result, expected):
        assert isinstance(tensor._value, np.ndarray)
        assert tensor.shape.is_fully_defined()
        assert as_dtype(tensor._value.dtype) is tensor.dtype
        assert_close(tensor.numpy(), wanted, case.tolerance(tensor.dtype.name))


@pytest.mark.parametrize("case", per_case())
def test_function(case: OpCase) -> None:
    """A traced call gives what the same call gives at once, bit for bit."""
    dtype = case.dtypes[0]
    arguments = eager_arguments(case, dtype)
    attrs = case.all_attrs(dtype)
    constants = {
        index: value
        for index, (argument, value) in enumerate(zip(case.arguments, arguments))
        if not isinstance(argument, Input)  # axes and shapes stay known
    }
    varying = [value for index, value in enumerate(arguments) if index not in constants]

    @tf.function(autograph=False)
    def call(*values: Any) -> Any:
        rest = iter(values)
        given = [constants[i] if i in constants else next(rest) for i in range(len(arguments))]
        return flat(case.op(*given, **attrs))

    found = call(*varying)
    expected = flat(case.op(*arguments, **attrs))
    assert len(found) == len(expected)
    if case.op.stateful:
        return  # the same stream goes on
    for tensor, wanted in zip(found, expected):
        assert tensor.dtype is wanted.dtype
        np.testing.assert_array_equal(tensor.numpy(), wanted.numpy())


@pytest.mark.parametrize("case", per_case(is_differentiated))
def test_tape(case: OpCase) -> None:
    """A tape's gradients are those of `tf.gradients`."""
    for dtype in {"float64", "complex128"} & set(case.dtypes):
        with Graph().as_default():
            built = Built(case, dtype)
        xs = differentiable_feeds(built)
        weights = weighed(built.outputs, np.random.default_rng(7), built.run())
        with built.graph.as_default():
            seeds = [tf.constant(value) for value in weights.values()]
            grads = dense(gradients(list(weights), xs, seeds))
        expected = iter(built.run([item for item in grads if item is not None]))
        arguments = eager_arguments(case, dtype)
        leaves = [
            tensor
            for argument, value in zip(case.arguments, arguments)
            for kind, tensor in pairs(argument, value)
            if isinstance(kind, Input) or kind.dtype.kind not in "iu"
        ]
        sources = [x for x in leaves if x.dtype.is_floating or x.dtype.is_complex]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            outputs = flat(case.op(*arguments, **case.all_attrs(dtype)))
        targets = [y for y in outputs if y.dtype.is_floating or y.dtype.is_complex]
        found = tape.gradient(targets, sources, [tf.constant(w) for w in weights.values()])
        assert len(found) == len(grads)
        for gradient, in_graph in zip(found, grads):
            assert (gradient is None) == (in_graph is None)
            if gradient is not None:
                actual = tf.convert_to_tensor(gradient).numpy()
                np.testing.assert_allclose(actual, next(expected), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", per_case(is_differentiated_twice))
def test_forward_mode(case: OpCase) -> None:
    """⟨w, J t⟩ = ⟨Jᵀ w, t⟩: forward-mode derivatives are those of the tape."""
    if "float64" not in case.dtypes:
        return
    random = np.random.default_rng(5)
    arguments = eager_arguments(case, "float64")
    leaves = [pair for both in zip(case.arguments, arguments) for pair in pairs(*both)]
    sources = [
        tensor
        for kind, tensor in leaves
        if tensor.dtype is tf.float64 and (isinstance(kind, Input) or kind.dtype.kind not in "iu")
    ]
    directions = [tf.constant(random.normal(size=x.shape)) for x in sources]
    with (
        tf.GradientTape() as tape,
        tf.autodiff.ForwardAccumulator(sources, directions) as accumulator,
    ):
        tape.watch(sources)
        outputs = flat(case.op(*arguments, **case.all_attrs("float64")))
    targets = [y for y in outputs if y.dtype is tf.float64]
    weights = [tf.constant(random.normal(size=y.shape)) for y in targets]
    backward = tape.gradient(targets, sources, weights, unconnected_gradients="zero")
    forward = accumulator.jvp(targets, unconnected_gradients="zero")
    left = [np.sum(w.numpy() * np.asarray(t)) for w, t in zip(weights, forward)]
    right = [
        np.sum(tf.convert_to_tensor(g).numpy() * d.numpy()) for g, d in zip(backward, directions)
    ]
    np.testing.assert_allclose(sum(left), sum(right), rtol=1e-9, atol=1e-9)


def pairs(argument: Any, value: Any) -> list[tuple[Any, Any]]:
    if isinstance(value, list):
        return [pair for both in zip(argument, value) for pair in pairs(*both)]
    return [(argument, value)]
