"""Gradients by backpropagation beside those by differences: tf.test.compute_gradient."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.exports import export, export_v1
from featherflow.graph.graph import Graph
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.gradients import gradients
from featherflow.ops.placeholder_ops import placeholder
from featherflow.runtime.session import BaseSession, Session, get_default_session

_DIFFERENTIABLE = (
    dtypes.float16,
    dtypes.bfloat16,
    dtypes.float32,
    dtypes.float64,
    dtypes.complex64,
    dtypes.complex128,
)


def _parts(array: np.ndarray) -> np.ndarray:
    """The elements as reals: those of complex numbers count twice."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(f"f{flat.itemsize // 2}") if flat.dtype.kind == "c" else flat


def _check_dtype(tensor: Tensor, what: str) -> None:
    if tensor.dtype.base_dtype not in _DIFFERENTIABLE:
        raise TypeError(
            f"Gradients are those of floating tensors; {what} is of {tensor.dtype.name}."
        )


def _theoretical(
    session: BaseSession, x: Tensor, y: Tensor, x_value: np.ndarray, y_shape: Any, feeds: Any
) -> np.ndarray:
    """[size of x, size of y], by one backpropagation for each element of y."""
    upstream = constant(np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype))
    (gradient,) = gradients(y, x, upstream)
    one_hot = np.zeros(y_shape, y.dtype.base_dtype.as_numpy_dtype)
    rows = _parts(one_hot)
    jacobian = np.zeros([_parts(x_value).size, rows.size], _parts(x_value).dtype)
    for column in range(rows.size):
        hot = one_hot.copy()
        _parts(hot)[column] = 1
        feed_dict = {**feeds, x: x_value, upstream: hot}
        if gradient is not None:
            jacobian[:, column] = _parts(_dense(session.run(gradient, feed_dict), x_value.shape))
    return jacobian


def _dense(value: Any, shape: Any) -> np.ndarray:
    """An array, or the sum that IndexedSlices stand for."""
    if isinstance(value, (np.ndarray, np.generic)):
        return np.asarray(value)
    result = np.zeros(shape, value.values.dtype)
    np.add.at(result, value.indices, value.values)
    return result


def _numeric(
    session: BaseSession, x: Tensor, y: Tensor, x_value: np.ndarray, delta: float, feeds: Any
) -> np.ndarray:
    """[size of x, size of y], by central differences."""
    rows = []
    for index in range(_parts(x_value).size):
        values = []
        for step in (delta, -delta):
            moved = x_value.copy()
            _parts(moved)[index] += np.asarray(step, _parts(moved).dtype)
            values.append(_parts(np.asarray(session.run(y, {**feeds, x: moved}))))
        rows.append((values[0] - values[1]) / np.asarray(2 * delta, values[0].dtype))
    width = rows[0].size if rows else 0
    return np.array(rows).reshape(len(rows), width)


def _compute_one(
    x: Tensor,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_value: Any,
    delta: float,
    feeds: dict[Any, Any],
) -> tuple[np.ndarray, np.ndarray]:
    _check_dtype(x, "x")
    _check_dtype(y, "y")
    session = get_default_session()
    if session is None:
        raise ValueError("Gradients are computed in the default session, and there is none.")
    x_type = x.dtype.base_dtype.as_numpy_dtype
    if x_value is None:
        x_value = np.random.random_sample(x_shape)
        if x.dtype.is_complex:
            x_value = x_value + 1j * np.random.random_sample(x_shape)
    start = np.array(x_value, x_type)
    theoretical = _theoretical(session, x, y, start, y_shape, feeds)
    numeric = _numeric(session, x, y, start, delta, feeds)
    return theoretical, numeric.reshape(theoretical.shape)


@export_v1("test.compute_gradient")
def compute_gradient_v1(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """∂y/∂x twice: by backpropagation, and by (y(x + δ) − y(x − δ)) / 2δ.

    Args:
      x: a tensor that can be fed, or a list of those.
      x_shape: its shape; a list of shapes for a list.
      y: a tensor computed from x.
      y_shape: its shape.
      x_init_value: where to compute them; None takes random values.
      delta: δ.
      init_targets: operations to run before.
      extra_feed_dict: what else is fed.
    Returns:
      Two arrays, [size of x, size of y], where complex elements count twice; for a list, a list of
      such pairs.
    Raises:
      ValueError: there is no default session.
      TypeError: x or y is not floating.
    """
    if init_targets is not None:
        targets = init_targets if isinstance(init_targets, (list, tuple)) else [init_targets]
        for target in targets:
            target.run()
    feeds = dict(extra_feed_dict or {})
    if not isinstance(x, list):
        return _compute_one(x, x_shape, y, y_shape, x_init_value, delta, feeds)
    values = x_init_value if x_init_value is not None else [None] * len(x)
    return [
        _compute_one(one, shape, y, y_shape, value, delta, feeds)
        for one, shape, value in zip(x, x_shape, values, strict=True)
    ]


@export_v1("test.compute_gradient_error")
def compute_gradient_error(
    x: Any,
    x_shape: Any,
    y: Tensor,
    y_shape: Any,
    x_init_value: Any = None,
    delta: float = 1e-3,
    init_targets: Any = None,
    extra_feed_dict: dict[Any, Any] | None = None,
) -> Any:
    """The greatest difference between the two results of `tf.test.compute_gradient`."""
    found = compute_gradient_v1(
        x, x_shape, y, y_shape, x_init_value, delta, init_targets, extra_feed_dict
    )
    pairs = [found] if isinstance(found, tuple) else found
    return max((np.abs(a - b).max(initial=0.0) for a, b in pairs), default=np.float32(0.0))


@export("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Tensor], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[np.ndarray, ...], tuple[np.ndarray, ...]]:
    """∂f/∂x twice: by backpropagation, and by (f(x + δ) − f(x − δ)) / 2δ.

    Args:
      f: a function of tensors that returns a tensor.
      x: a list or tuple of its arguments.
      delta: δ; None takes 1/1024.
    Returns:
      Two tuples, by argument: [size of f, size of the argument], where complex elements count
      twice.
    Raises:
      ValueError: `x` is no list or tuple.
      TypeError: an argument or the result is not floating.

    >>> import featherflow as tf
    >>> (theory,), (number,) = tf.compat.v2.test.compute_gradient(tf.square, [[1.0, 3.0]])
    >>> theory.tolist()
    [[2.0, 0.0], [0.0, 6.0]]
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of Tensors (arguments to `f`), not a " + str(type(x))
        )
    step = 1.0 / 1024 if delta is None else delta
    values = [_value_of(item) for item in x]
    with Graph().as_default(), Session() as session:
        arguments = [placeholder(value.dtype, value.shape) for value in values]
        y = f(*arguments)
        feeds = dict(zip(arguments, values))
        y_shape = np.shape(session.run(y, feeds))
        pairs = [
            _compute_one(argument, value.shape, y, y_shape, value, step, feeds)
            for argument, value in zip(arguments, values)
        ]
    theoretical, numeric = zip(*pairs) if pairs else ((), ())
    return tuple(one.T for one in theoretical), tuple(one.T for one in numeric)


def _value_of(item: Any) -> np.ndarray:
    if isinstance(item, Tensor):
        return np.asarray(item.eval())
    array = np.asarray(item)
    # Python's floats are float32, as they are wherever a tensor is made of them.
    python_floats = not isinstance(item, (np.ndarray, np.generic)) and array.dtype == np.float64
    return array.astype(np.float32) if python_floats else array
