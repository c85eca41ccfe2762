"""Steps drawn at random: graphs of ops that have compile rules, for `step_values.Drawer`.

Every function adds one op to what there is, and says what shape its value will have and how far two
ways to compute it may be apart; None where it has nothing to add.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from math import prod, sqrt
from typing import Any

import numpy as np

import featherflow as tf
from compiler.step_values import (
    DTYPES,
    EPSILON,
    FLOATS,
    INTEGERS,
    Drawer,
    Drawn,
    Step,
    broadcasts,
)


def draw_step(seed: int, kinds: tuple[str, ...] = (), length: int = 10) -> Step:
    """The step of a number.

    Args:
      kinds: families of ops to draw from; () draws them.
      length: how many values it has.
    """
    with tf.Graph().as_default() as graph:
        drawer = Drawer(np.random.default_rng(seed), graph)
        kinds = kinds or _some_kinds(drawer)
        _draw_first(drawer, kinds)
        functions = [function for kind in kinds for function in FAMILIES[kind]]
        for _ in range(60 + length):
            made = drawer.pick(functions)(drawer, drawer.recent())
            if made is not None and prod(made.shape) <= 20_000 and made.error <= drawer.worst(made):
                drawer.values.append(made)
            if len(drawer.values) >= length:
                break
    drawer.choose_fetches()
    return drawer.step


def _some_kinds(d: Drawer) -> tuple[str, ...]:
    names = sorted(FAMILIES)
    count = int(d.rng.integers(1, len(names) + 1))
    return tuple(d.rng.choice(names, count, replace=False).tolist())


def _draw_first(d: Drawer, kinds: tuple[str, ...]) -> None:
    has_products = not {"products", "images"}.isdisjoint(kinds)
    if has_products:
        # 0 · NaN at the edges of an image: kernels leave out what NumPy multiplies by zero.
        d.has_odd_numbers = False
    shape = d.image_shape() if "images" in kinds else d.shape()
    d.values.append(d.feed(shape, "float32" if has_products else d.pick(DTYPES)))


def _bounded(drawer: Drawer, value: Drawn) -> Drawn:
    """Cut to a range, so that errors stay small beside what is compared."""
    if not value.is_float or not value.error:
        return value
    cut = tf.minimum(tf.maximum(value.tensor, tf.constant(-8, value.dtype)), 8)
    return Drawn(cut, value.shape, value.error)


# --- elementwise ----------------------------------------------------------------------------------

_EXACT_UNARY: tuple[tuple[Callable[..., Any], str], ...] = (
    (tf.negative, "float signed"),
    (tf.abs, "float signed"),
    (tf.square, "float signed"),
    (tf.nn.relu, "float signed unsigned"),
    (tf.nn.relu6, "float"),
    (tf.nn.leaky_relu, "float"),
    (lambda x: tf.sqrt(tf.abs(x)), "float"),
    (tf.identity, "float signed unsigned bool"),
    (tf.logical_not, "bool"),
)
_JUMPING_UNARY = (tf.sign, tf.floor, tf.ceil, tf.round, tf.math.rint, tf.reciprocal)
_SMOOTH_UNARY: tuple[Callable[..., Any], ...] = (
    lambda x: tf.exp(-tf.abs(x)),
    lambda x: tf.math.log1p(tf.abs(x)),
    lambda x: tf.math.rsqrt(tf.abs(x) + 1),
    lambda x: tf.math.expm1(tf.minimum(x, 1)),
    lambda x: tf.math.log(tf.abs(x) + 1),
    *(
        tf.nn.softsign,
        tf.tanh,
        tf.sigmoid,
        tf.sin,
        tf.cos,
        tf.nn.softplus,
        tf.nn.elu,
        tf.nn.selu,
        tf.math.erf,
    ),
)


def _kind(dtype: str) -> str:
    if dtype in FLOATS:
        return "float"
    return "bool" if dtype == "bool" else "unsigned" if dtype.startswith("u") else "signed"


def _exact_unary(d: Drawer, x: Drawn) -> Drawn | None:
    function, kinds = d.pick(_EXACT_UNARY)
    if _kind(x.dtype) not in kinds.split() or (x.dtype == "int8" and function is tf.square):
        return None
    if x.error and function is not tf.identity:
        return _bounded(d, Drawn(function(x.tensor), x.shape, 8 * x.error))
    return Drawn(function(x.tensor), x.shape, x.error)


def _jumping_unary(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.is_float or x.error:
        return None
    return Drawn(d.pick(_JUMPING_UNARY)(x.tensor), x.shape)


def _smooth_unary(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.is_float:
        return None
    error = 2 * x.error + 16 * EPSILON[x.dtype]
    return Drawn(d.pick(_SMOOTH_UNARY)(x.tensor), x.shape, error)


def _binary(d: Drawer, x: Drawn) -> Drawn | None:
    if x.dtype == "bool":
        function = d.pick((tf.logical_and, tf.logical_or))
    elif x.is_float:
        names = (tf.add, tf.subtract, tf.multiply, tf.maximum, tf.minimum, tf.squared_difference)
        function = d.pick((*names, *(() if x.error else (tf.divide,))))
    else:
        function = d.pick((tf.add, tf.subtract, tf.multiply, tf.bitwise.bitwise_xor))
    y = d.partner(x)
    if y.error and function is tf.divide:
        return None
    first, second = (x, y) if d.rng.random() < 0.5 else (y, x)
    if function is tf.divide:
        first, second = x, y
    shape = np.broadcast_shapes(x.shape, y.shape)
    return _bounded(
        d, Drawn(function(first.tensor, second.tensor), shape, 16 * (x.error + y.error))
    )


def _comparison(d: Drawer, x: Drawn) -> Drawn | None:
    y = d.partner(x)
    if x.error or y.error or x.dtype == "bool":
        return None
    function = d.pick((tf.less, tf.less_equal, tf.greater, tf.greater_equal, tf.equal))
    return Drawn(function(x.tensor, y.tensor), np.broadcast_shapes(x.shape, y.shape))


def _select(d: Drawer, x: Drawn) -> Drawn | None:
    y = d.partner(x)
    shape = np.broadcast_shapes(x.shape, y.shape)
    fitting = [v for v in d.values if v.dtype == "bool" and broadcasts(v.shape, shape)]
    condition = d.pick(fitting) if fitting else d.source(shape[1:], "bool")
    shape = np.broadcast_shapes(condition.shape, shape)
    chosen = tf.where_v2(condition.tensor, x.tensor, y.tensor)
    return Drawn(chosen, shape, max(x.error, y.error))


def _cast(d: Drawer, x: Drawn) -> Drawn | None:
    target = d.pick(DTYPES)
    if target not in FLOATS and (x.error or (d.has_odd_numbers and x.is_float)):
        return None
    value = x.tensor
    if x.is_float and target in INTEGERS:  # what is out of range is up to the processor
        low = 0 if target.startswith("u") else -100
        value = tf.maximum(tf.minimum(value, tf.constant(100, x.dtype)), tf.constant(low, x.dtype))
    error = x.error + EPSILON[target] if x.error and target in FLOATS else 0.0
    return Drawn(tf.cast(value, target), x.shape, error)


# --- moves ----------------------------------------------------------------------------------------


def _transpose(d: Drawer, x: Drawn) -> Drawn:
    order = d.rng.permutation(len(x.shape)).tolist()
    shape = tuple(x.shape[axis] for axis in order)
    return Drawn(tf.transpose(x.tensor, order), shape, x.error)


def _reshape(d: Drawer, x: Drawn) -> Drawn:
    count, shape = prod(x.shape), []
    while count > 1 and len(shape) < 4:
        factor = d.pick([n for n in range(1, count + 1) if count % n == 0])
        shape.append(factor)
        count //= factor
    shape = [*shape, count]
    given = [-1, *shape[1:]] if d.rng.random() < 0.3 and prod(x.shape) else shape
    return Drawn(tf.reshape(x.tensor, given), tuple(shape), x.error)


def _strided_slice(d: Drawer, x: Drawn) -> Drawn:
    parts: list[Any] = []
    for size in x.shape:
        form = int(d.rng.integers(6))
        low, high = sorted(d.rng.integers(-1, size + 2, 2).tolist())
        step = int(d.rng.integers(1, 5))
        forms = [slice(None), slice(max(low, 0), high, step), slice(None, None, -step)]
        parts.append([*forms, slice(-2, None), slice(size, None, -step), slice(low, None)][form])
    if x.shape and x.shape[-1] and d.rng.random() < 0.3:
        parts[-1] = int(d.rng.integers(-x.shape[-1], x.shape[-1]))
    if d.rng.random() < 0.3:
        parts.insert(int(d.rng.integers(len(parts) + 1)), None)
    shape = np.empty(x.shape, np.int8)[tuple(parts)].shape
    return Drawn(x.tensor[tuple(parts)], shape, x.error)


def _concat(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.shape:
        return None
    axis = d.axis(x.shape)
    others = [x]
    for _ in range(int(d.rng.integers(1, 4))):
        size = int(d.rng.integers(0, 4))
        others.append(d.source((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype))
    others = [others[place] for place in d.rng.permutation(len(others))]
    total = sum(other.shape[axis] for other in others)
    joined = tf.concat([other.tensor for other in others], axis - len(x.shape))
    return Drawn(joined, (*x.shape[:axis], total, *x.shape[axis + 1 :]), x.error)


def _split(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.shape or not x.shape[axis := d.axis(x.shape)]:
        return None
    size = x.shape[axis]
    count = d.pick([n for n in range(1, size + 1) if size % n == 0])
    parts = tf.split(x.tensor, count, axis)
    shape = (*x.shape[:axis], size // count, *x.shape[axis + 1 :])
    made = [Drawn(part, shape, x.error) for part in parts[:3]]
    d.values.extend(made[:-1])
    return made[-1]


def _pack(d: Drawer, x: Drawn) -> Drawn:
    axis = int(d.rng.integers(len(x.shape) + 1))
    others = [d.source(x.shape, x.dtype) for _ in range(int(d.rng.integers(0, 3)))]
    parts = [other.tensor for other in (x, *others)]
    shape = (*x.shape[:axis], len(parts), *x.shape[axis:])
    return Drawn(tf.stack(parts, axis), shape, x.error)


def _unpack(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.shape or not x.shape[axis := d.axis(x.shape)]:
        return None
    parts = tf.unstack(x.tensor, x.shape[axis], axis)
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    d.values.append(Drawn(parts[0], shape, x.error))
    return Drawn(parts[-1], shape, x.error)


def _tile(d: Drawer, x: Drawn) -> Drawn:
    times = d.rng.integers(1, 4, len(x.shape)).tolist()
    shape = tuple(n * size for n, size in zip(times, x.shape))
    return Drawn(tf.tile(x.tensor, tf.constant(times, tf.int32)), shape, x.error)


def _pad(d: Drawer, x: Drawn) -> Drawn:
    pairs = d.rng.integers(0, 3, (len(x.shape), 2))
    number = {"bool": True}.get(x.dtype, d.pick([0, 3]))
    padded = tf.pad(x.tensor, pairs.astype(np.int32), constant_values=number)
    shape = tuple(size + int(sum(pair)) for size, pair in zip(x.shape, pairs))
    return Drawn(padded, shape, x.error)


def _expand(d: Drawer, x: Drawn) -> Drawn:
    if 1 in x.shape and d.rng.random() < 0.5:
        axis = x.shape.index(1)
        shape = (*x.shape[:axis], *x.shape[axis + 1 :])
        return Drawn(tf.squeeze(x.tensor, [axis]), shape, x.error)
    axis = int(d.rng.integers(len(x.shape) + 1))
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    return Drawn(tf.expand_dims(x.tensor, axis), shape, x.error)


def _slice(d: Drawer, x: Drawn) -> Drawn:
    starts = [int(d.rng.integers(size + 1)) for size in x.shape]
    sizes = [int(d.rng.integers(size - start + 1)) for size, start in zip(x.shape, starts)]
    begin, size = tf.constant(starts, tf.int32), tf.constant(sizes, tf.int32)
    return Drawn(tf.slice(x.tensor, begin, size), tuple(sizes), x.error)


def _broadcast_to(d: Drawer, x: Drawn) -> Drawn:
    shape = tuple(3 if size == 1 else size for size in x.shape)
    shape = (*([2] if d.rng.random() < 0.5 else []), *shape)
    return Drawn(tf.broadcast_to(x.tensor, shape), shape, x.error)


# --- reductions -----------------------------------------------------------------------------------


def _reduce(d: Drawer, x: Drawn) -> Drawn:
    axes = [axis for axis in range(len(x.shape)) if d.rng.random() < 0.5]
    keep = bool(d.rng.integers(2))
    if x.dtype == "bool":
        function = d.pick((tf.reduce_any, tf.reduce_all))
    else:
        extremes = (tf.reduce_max, tf.reduce_min)
        others = (tf.reduce_sum, tf.reduce_mean) if x.is_float else (tf.reduce_sum, tf.reduce_prod)
        function = d.pick((*extremes, *others))
    count = prod(x.shape[axis] for axis in axes)
    error = x.error
    if x.is_float and function in (tf.reduce_sum, tf.reduce_mean):
        error = (x.error + 4 * EPSILON[x.dtype]) * 4 * (1 + sqrt(count))
    given = None if len(axes) == len(x.shape) and keep else axes
    reduced = function(x.tensor, given, keepdims=keep)
    shape = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    kept = shape if keep else [size for axis, size in enumerate(x.shape) if axis not in axes]
    return _bounded(d, Drawn(reduced, tuple(kept), error))


def _softmax(d: Drawer, x: Drawn) -> Drawn | None:
    if not x.is_float or not x.shape:
        return None
    function = d.pick((tf.nn.softmax, tf.nn.log_softmax))
    axis = d.pick([-1, d.axis(x.shape)])
    error = 8 * x.error + 32 * EPSILON[x.dtype] * (1 + sqrt(x.shape[axis]))
    return Drawn(function(x.tensor, axis=axis), x.shape, error)


# --- products -------------------------------------------------------------------------------------


def _product_error(x: Drawn, y: Drawn, depth: int) -> float:
    return (x.error + y.error + 4 * EPSILON["float32"]) * 8 * (2 + sqrt(depth))


def _matmul(d: Drawer, x: Drawn) -> Drawn | None:
    if x.dtype != "float32" or len(x.shape) < 2 or 0 in x.shape:
        return None
    flips = bool(d.rng.integers(2)), bool(d.rng.integers(2))
    rows, depth = x.shape[-2:][:: -1 if flips[0] else 1]
    columns = int(d.pick([1, 2, 7, 16, 33, 70]))
    batch = x.shape[:-2]
    if d.rng.random() < 0.4:
        batch = tuple(1 if d.rng.random() < 0.4 else size for size in batch)
    if d.rng.random() < 0.3:
        batch = ()
    matrix = (columns, depth) if flips[1] else (depth, columns)
    y = d.source((*batch, *matrix), "float32")
    product = tf.matmul(x.tensor, y.tensor, transpose_a=flips[0], transpose_b=flips[1])
    shape = (*x.shape[:-2], rows, columns)
    return _bounded(d, Drawn(product, shape, _product_error(x, y, depth)))


_EQUATIONS = (
    *("ab,bc->ac", "ab,cb->ca", "abc,cd->abd", "abc,abd->acd", "abcd,aecd->acbe", "ab,a->b"),
    *("abc,bc->a", "ab,cd->abcd", "abc,c->ab", "abcd,cde->abe", "ab,ab->a", "abc,adc->abd"),
)


def _einsum(d: Drawer, x: Drawn) -> Drawn | None:
    fitting = [item for item in _EQUATIONS if len(item.split(",")[0]) == len(x.shape)]
    if x.dtype != "float32" or 0 in x.shape or not fitting:
        return None
    equation = d.pick(fitting)
    operands, output = equation.split("->")
    left, right = operands.split(",")
    sizes = dict(zip(left, x.shape))
    for label in right:
        sizes.setdefault(label, int(d.pick([1, 3, 16])))
    y = d.source(tuple(sizes[label] for label in right), "float32")
    depth = prod(size for label, size in sizes.items() if label not in output)
    shape = tuple(sizes[label] for label in output)
    made = Drawn(tf.einsum(equation, x.tensor, y.tensor), shape, _product_error(x, y, depth))
    return _bounded(d, made)


# --- images ---------------------------------------------------------------------------------------


def _windowed(d: Drawer, size: int) -> tuple[int, int, int]:
    """A window, a stride and a dilation that an axis has room for."""
    window = int(d.pick([1, 2, 3, 3, 5]))
    dilation = int(d.pick([1, 1, 2]))
    if (window - 1) * dilation + 1 > size:
        window, dilation = 1, 1
    return window, int(d.pick([1, 1, 2, 3])) if dilation == 1 else 1, dilation


def _out(size: int, window: int, stride: int, dilation: int, padding: Any, axis: int) -> int:
    reach = (window - 1) * dilation + 1
    if padding == "SAME":
        return -(-size // stride)
    around = 0 if padding == "VALID" else sum(padding[1 + axis])
    return (size + around - reach) // stride + 1


def _convolution(d: Drawer, x: Drawn) -> Drawn | None:
    if x.dtype != "float32" or len(x.shape) != 4 or 0 in x.shape:
        return None
    batch, height, width, channels = x.shape
    vertical, horizontal = _windowed(d, height), _windowed(d, width)
    window, strides, dilations = zip(vertical, horizontal)
    padding: Any = d.pick(["SAME", "VALID", [[0, 0], [1, 2], [0, 1], [0, 0]]])
    is_depthwise = d.rng.random() < 0.4
    if is_depthwise:
        strides = (strides[0] if max(dilations) == 1 else 1,) * 2
    geometry = zip(x.shape[1:3], window, strides, dilations)
    sizes = [_out(*one, padding, at) for at, one in enumerate(geometry)]
    if is_depthwise:
        multiplier = int(d.pick([1, 1, 2, 3]))
        y = d.source((*window, channels, multiplier), "float32")
        made, filters = _depthwise(x, y, strides, padding, dilations), channels * multiplier
    else:
        groups = d.pick([n for n in (1, 1, 1, 2, 4) if channels % n == 0])
        filters = groups * int(d.pick([1, 3, 8, 17, 40]))
        y = d.source((*window, channels // groups, filters), "float32")
        made = _conv2d(d, x, y, strides, padding, dilations)
    error = _product_error(x, y, prod(y.shape[:3]))
    return _bounded(d, Drawn(made, (batch, *sizes, filters), error))


def _depthwise(x: Drawn, y: Drawn, strides: Any, padding: Any, dilations: Any) -> Any:
    return tf.raw_ops.DepthwiseConv2dNative(
        input=x.tensor,
        filter=y.tensor,
        strides=[1, *strides, 1],
        padding="EXPLICIT" if isinstance(padding, list) else padding,
        explicit_paddings=[*chain(*padding)] if isinstance(padding, list) else [],
        dilations=[1, *dilations, 1],
    )


def _conv2d(d: Drawer, x: Drawn, y: Drawn, strides: Any, padding: Any, dilations: Any) -> Any:
    options: dict[str, Any] = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1]}
    if d.rng.random() < 0.25 and not isinstance(padding, list):
        options = {"strides": [1, 1, *strides], "dilations": [1, 1, *dilations]}
        image = tf.transpose(x.tensor, (0, 3, 1, 2))
        made = tf.nn.conv2d(image, y.tensor, padding=padding, data_format="NCHW", **options)
        return tf.transpose(made, (0, 2, 3, 1))
    return tf.nn.conv2d(x.tensor, y.tensor, padding=padding, **options)


def _pool(d: Drawer, x: Drawn) -> Drawn | None:
    if x.dtype != "float32" or len(x.shape) != 4 or 0 in x.shape:
        return None
    batch, height, width, channels = x.shape
    vertical, horizontal = _windowed(d, height), _windowed(d, width)
    padding = d.pick(["SAME", "VALID"])
    geometry = ((height, *vertical[:2]), (width, *horizontal[:2]))
    sizes = [_out(*one, 1, padding, 0) for one in geometry]
    ksize, strides = [1, vertical[0], horizontal[0], 1], [1, vertical[1], horizontal[1], 1]
    is_largest = bool(d.rng.integers(2))
    function = tf.nn.max_pool if is_largest else tf.nn.avg_pool
    error = x.error if is_largest else 4 * x.error + 16 * EPSILON["float32"]
    return Drawn(function(x.tensor, ksize, strides, padding), (batch, *sizes, channels), error)


def _bias_and_norm(d: Drawer, x: Drawn) -> Drawn | None:
    if x.dtype != "float32" or len(x.shape) < 2 or 0 in x.shape:
        return None
    channels = x.shape[-1:]
    bias = d.source(channels, "float32")
    if d.rng.random() < 0.5 or len(x.shape) != 4:
        return _bounded(d, Drawn(tf.nn.bias_add(x.tensor, bias.tensor), x.shape, 4 * x.error))
    scale, mean = d.source(channels, "float32"), d.source(channels, "float32")
    variance = tf.constant(d.rng.uniform(0.5, 2, channels).astype(np.float32))
    normal, *_ = tf.nn.fused_batch_norm(
        x.tensor, scale.tensor, bias.tensor, mean.tensor, variance, is_training=False
    )
    return _bounded(d, Drawn(normal, x.shape, 16 * x.error + 64 * EPSILON["float32"]))


FAMILIES: dict[str, tuple[Callable[[Drawer, Drawn], Drawn | None], ...]] = {
    "elementwise": (_exact_unary, _binary, _binary, _comparison, _select, _cast, _jumping_unary),
    "smooth": (_smooth_unary, _binary, _exact_unary),
    "moves": (
        *(_transpose, _reshape, _strided_slice, _concat, _split, _pack, _unpack, _tile, _pad),
        *(_expand, _slice, _broadcast_to),
    ),
    "reductions": (_reduce, _reduce, _softmax, _binary),
    "products": (_matmul, _matmul, _einsum, _bias_and_norm, _smooth_unary),
    "images": (_convolution, _convolution, _pool, _bias_and_norm, _exact_unary, _binary),
}
