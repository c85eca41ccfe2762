"""Arrays, lists and effects."""

from __future__ import annotations

from typing import Any

import numpy as np

import featherflow as tf

from .corpus import case, refused

COUNTS = ((1,), (4,))
VECTOR = np.array([1.0, -2.0, 3.0], np.float32)


@case(*COUNTS)
def appended_in_a_loop(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(i * i)
    return tf.stack(out)


@case(*COUNTS)
def appended_vectors(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(tf.stack([i, i + 1]))
    return tf.stack(out)


@case(*COUNTS)
def appended_after_values(n: Any) -> Any:
    out = [7, 8]
    for i in tf.range(n):
        out.append(i)
    return tf.stack(out)


@case(*COUNTS)
def appended_in_while(n: Any) -> Any:
    out = []
    i = 0
    while i < n:
        out.append(i * 3)
        i = i + 1
    return tf.stack(out)


@case(*COUNTS)
def length_of_a_filled_list(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(i)
    return len(out)


@case(*COUNTS)
def items_of_a_filled_list(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(i + 5)
    return out[0]


@case(*COUNTS)
def loop_over_a_filled_list(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(i + 5)
    s = 0
    for v in out:
        s = s + v
    return s


@case(*COUNTS)
def appended_by_python(n: Any) -> Any:
    out = []
    for k in (1, 2, 3):
        out.append(n * k)
    return tf.stack(out)


@case(*COUNTS)
def popped_by_python(n: Any) -> Any:
    out = [n, n + 1, n + 2]
    last = out.pop()
    return last * 10 + len(out)


@case(*COUNTS)
def grows_in_a_loop(n: Any) -> Any:
    x = tf.zeros([1])
    for _ in tf.range(n):
        x = tf.concat([x, [1.0]], 0)
    return x


@case(*COUNTS)
def grows_in_while(n: Any) -> Any:
    x = tf.zeros([2, 1])
    i = 0
    while i < n:
        x = tf.concat([x, tf.ones([2, 2])], 1)
        i = i + 1
    return x


@case(*COUNTS)
def tensor_array(n: Any) -> Any:
    ta = tf.TensorArray(tf.int32, size=0, dynamic_size=True, element_shape=[])
    for i in tf.range(n):
        ta = ta.write(i, i * 2)
    return ta.stack()


@case((VECTOR,))
def relu_by_items(xs: Any) -> Any:
    out = []
    for x in tf.convert_to_tensor(xs):
        if x > 0:
            y = x
        else:
            y = 0.0 * x
        out.append(y)
    return tf.stack(out)


@case((VECTOR,))
def running_sum(xs: Any) -> Any:
    total = 0.0
    out = []
    for x in tf.convert_to_tensor(xs):
        total = total + x
        out.append(total)
    return tf.stack(out)


@case((VECTOR,))
def reductions(xs: Any) -> Any:
    if tf.reduce_sum(xs) > 0:
        return tf.reduce_max(xs)
    return tf.reduce_min(xs)


@case((VECTOR, 1.0), (VECTOR, 0.1))
def gradient_descent(w: Any, rate: Any) -> Any:
    for _ in tf.range(5):
        w = w - rate * w
    return w


@case((np.eye(3, dtype=np.float32) * 2,), (np.ones((3, 3), np.float32),))
def power_iteration(m: Any) -> Any:
    v = tf.ones([3, 1])
    for _ in tf.range(4):
        v = tf.matmul(m, v)
        v = v / tf.norm(v)
    return v


@case((VECTOR,))
def slices_in_a_loop(xs: Any) -> Any:
    s = 0.0
    for i in tf.range(3):
        s = s + xs[i] * tf.cast(i, tf.float32)
    return s


@case((VECTOR,))
def shape_in_a_condition(xs: Any) -> Any:
    if xs.shape[0] == 3:
        return xs * 2
    return xs


@case((3,), (0,))
def python_structures(n: Any) -> Any:
    weights = {"a": [1, 2], "b": (3, 4)}
    s = 0
    for name in sorted(weights):
        for k in weights[name]:
            if n > k - 3:
                s = s + k
    return s


@case((3,), (8,))
def enumerate_python(n: Any) -> Any:
    s = 0
    for i, k in enumerate([5, 6, 7]):
        if n > k:
            s = s + i
    return s


@case((3,), (8,))
def zip_python(n: Any) -> Any:
    s = 0
    for a, b in zip((1, 2), (3, 4)):
        s = s + a * b * n
    return s


@case((3,), (0,))
def any_over_python(n: Any) -> Any:
    return 1 if any([True, False]) and n > 0 else 0


@case((3,), (0,))
def print_does_nothing_to_values(n: Any) -> Any:
    if n > 100:
        print("large", n)
    return n + 1


@case((3,), (0,))
def nested_functions_share(n: Any) -> Any:
    k = 10

    def outer(v: Any) -> Any:
        def inner(u: Any) -> Any:
            if u > 1:
                return u * k
            return u + k

        return inner(v) + inner(v + 1)

    return outer(n)


@case((3,), (-3,))
def while_in_a_branch(n: Any) -> Any:
    s = 0
    if n > 0:
        i = 0
        while i < n:
            s = s + i
            i = i + 1
    return s


@case((3,), (-3,))
def branch_with_two_loops(n: Any) -> Any:
    s = 0
    if n > 0:
        for i in tf.range(n):
            s = s + i
    else:
        for _ in tf.range(-n):
            s = s - 2
    return s


@case((3,), (6,))
def return_of_a_pair_in_a_loop(n: Any) -> Any:
    for i in tf.range(10):
        if i == n:
            return i, i * 2
    return -1, -1


@case((2,), (5,))
def cond_of_tf(n: Any) -> Any:
    return tf.cond(tf.convert_to_tensor(n) > 3, lambda: n * 2, lambda: n)


@refused("stack", (3,))
def pop_of_a_filled_list(n: Any) -> Any:
    out = []
    for i in tf.range(n):
        out.append(i)
        out.pop()  # refused
    return n
