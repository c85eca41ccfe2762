"""Loops."""

# ruff: noqa: C417, SIM
from __future__ import annotations

from typing import Any

import numpy as np

from .corpus import case, refused

COUNTS = ((0,), (1,), (5,), (12,))
VECTORS = (
    (np.array([1, 2, 3], np.int32),),
    (np.array([5, -1, 7, 2], np.int32),),
    (np.array([4], np.int32),),
)


@case(*COUNTS)
def while_counts(n: Any) -> Any:
    i = 0
    while i < n:
        i = i + 1
    return i


@case(*COUNTS)
def while_two_variables(n: Any) -> Any:
    i, total = 0, 0
    while i < n:
        total = total + i * i
        i = i + 1
    return total


@case(*COUNTS)
def while_with_break(n: Any) -> Any:
    i = 0
    while i < n:
        if i == 3:
            break
        i = i + 1
    return i


@case(*COUNTS)
def while_with_continue(n: Any) -> Any:
    i, odd = 0, 0
    while i < n:
        i = i + 1
        if i % 2 == 0:
            continue
        odd = odd + i
    return odd


@case(*COUNTS)
def while_true_with_break(n: Any) -> Any:
    i = 0
    while True:
        if i >= n:
            break
        i = i + 2
    return i


@case(*COUNTS)
def while_break_and_continue(n: Any) -> Any:
    i, s = 0, 0
    while i < n:
        i += 1
        if i == 2:
            continue
        if i > 8:
            break
        s += i
    return s


@case(*COUNTS)
def while_else(n: Any) -> Any:
    i = 0
    while i < n:
        i = i + 1
    else:
        i = i + 100
    return i


@case(*COUNTS)
def while_else_with_break(n: Any) -> Any:
    i = 0
    while i < n:
        if i == 4:
            break
        i = i + 1
    else:
        i = i + 100
    return i


@case(*COUNTS)
def return_in_while(n: Any) -> Any:
    i = 0
    while i < n:
        if i == 3:
            return i * 1000
        i = i + 1
    return -i


@case(*COUNTS)
def nested_whiles(n: Any) -> Any:
    i, s = 0, 0
    while i < n:
        j = 0
        while j < i:
            s = s + j
            j = j + 1
        i = i + 1
    return s


@case(*COUNTS)
def break_of_the_inner_loop(n: Any) -> Any:
    i, s = 0, 0
    while i < n:
        j = 0
        while j < n:
            if j > i:
                break
            s = s + 1
            j = j + 1
        i = i + 1
    return s


@case((7, 3), (12, 18), (5, 5))
def greatest_common_divisor(a: Any, b: Any) -> Any:
    while b != 0:
        a, b = b, a % b
    return a


@case((6,), (7,), (27,))
def collatz(n: Any) -> Any:
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps = steps + 1
    return steps


@case((2.0,), (9.0,), (100.0,))
def newton_root(x: Any) -> Any:
    guess = x
    while abs(guess * guess - x) > 1e-3 * x:
        guess = (guess + x / guess) / 2
    return guess


@case((0.5,), (3.0,))
def number_becomes_float(x: Any) -> Any:
    s = 0
    i = 0
    while i < 4 and s < x * 10:
        s = s + x
        i = i + 1
    return s


@case(*COUNTS)
def while_and(n: Any) -> Any:
    i = 0
    while i < n and i < 4:
        i = i + 1
    return i


@case(*COUNTS)
def while_or_not(n: Any) -> Any:
    i = 0
    while not (i >= n or i == 7):
        i = i + 1
    return i


@case(*COUNTS)
def for_range(n: Any) -> Any:
    s = 0
    for i in range(n):
        s = s + i
    return s


@case((2, 9), (0, 0), (3, 4))
def for_range_from(a: Any, b: Any) -> Any:
    s = 0
    for i in range(a, b):
        s = s + i
    return s


@case((2, 19, 3), (10, 0, -2))
def for_range_steps(a: Any, b: Any, c: Any) -> Any:
    s = 0
    for i in range(a, b, c):
        s = s * 2 + i
    return s


@case(*COUNTS)
def for_range_break(n: Any) -> Any:
    s = 0
    for i in range(n):
        if i > 3:
            break
        s = s + i
    return s


@case(*COUNTS)
def for_range_continue(n: Any) -> Any:
    s = 0
    for i in range(n):
        if i % 3 == 0:
            continue
        s = s + i
    return s


@case(*COUNTS)
def fibonacci(n: Any) -> Any:
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


@case(*VECTORS)
def sum_of_items(xs: Any) -> Any:
    s = 0
    for x in xs:
        s = s + x
    return s


@case(*VECTORS)
def largest_item(xs: Any) -> Any:
    best = xs[0]
    for x in xs:
        if x > best:
            best = x
    return best


@case(*VECTORS)
def count_of_positive(xs: Any) -> Any:
    n = 0
    for x in xs:
        if x > 0:
            n += 1
    return n


@case(*VECTORS)
def first_above(xs: Any) -> Any:
    for x in xs:
        if x > 4:
            return x
    return -1


@case(*VECTORS)
def found_or_else(xs: Any) -> Any:
    r = 0
    for x in xs:
        if x == 3:
            r = 1
            break
    else:
        r = 0
    return r


@case(*VECTORS)
def index_of_largest(xs: Any) -> Any:
    place, best = 0, xs[0]
    for i, x in enumerate(xs):
        if x > best:
            place, best = i, x
    return place


@case(*VECTORS)
def enumerate_from(xs: Any) -> Any:
    s = 0
    for i, x in enumerate(xs, 10):
        s = s + i * x
    return s


@case(*VECTORS)
def zip_of_two(xs: Any) -> Any:
    s = 0
    for a, b in zip(xs, xs + 1):
        s = s + a * b
    return s


@case(*VECTORS)
def map_over_items(xs: Any) -> Any:
    s = 0
    for y in map(lambda v: v * v, xs):
        s = s + y
    return s


@case(*VECTORS)
def length(xs: Any) -> Any:
    return len(xs)


@case(*VECTORS)
def sum_builtin(xs: Any) -> Any:
    return sum(xs)


@case(*VECTORS)
def max_builtin(xs: Any) -> Any:
    return max(xs) - min(xs)


@case(*VECTORS)
def any_all(xs: Any) -> Any:
    return (1 if any(xs > 6) else 0) + (2 if all(xs > 0) else 0)


@case(*VECTORS)
def sorted_builtin(xs: Any) -> Any:
    return sorted(xs)[0]


@case(*VECTORS)
def sorted_reversed(xs: Any) -> Any:
    return sorted(xs, reverse=True)[0]


@case(*VECTORS)
def membership_in_a_tensor(xs: Any) -> Any:
    if 3 in xs:
        return 1
    return 0


@case((np.arange(6, dtype=np.int32).reshape(2, 3),), (np.ones((3, 2), np.int32),))
def rows(xs: Any) -> Any:
    s = 0
    for row in xs:
        t = 1
        for x in row:
            t = t * (x + 1)
        s = s + t
    return s


@case(*COUNTS)
def python_list_of_numbers(n: Any) -> Any:
    s = n
    for k in [1, 2, 3]:
        s = s + k
    return s


@case(*COUNTS)
def staged_break_in_a_python_loop(n: Any) -> Any:
    s = 0
    for k in [1, 2, 3, 4]:
        if k > n:
            break
        s = s + k
    return s


@case(*COUNTS)
def staged_return_in_a_python_loop(n: Any) -> Any:
    for k in [1, 5, 12]:
        if k == n:
            return k * 10
    return -1


@case(*COUNTS)
def staged_continue_in_a_python_loop(n: Any) -> Any:
    s = 0
    for k in [1, 2, 3, 4]:
        if k == n:
            continue
        s = s + k
    return s


@case(*COUNTS)
def python_while(n: Any) -> Any:
    k, s = 0, n
    while k < 3:
        s = s * 2
        k += 1
    return s


@case((1,), (5,))
def first_value_in_the_loop(n: Any) -> Any:
    for i in range(n):
        last = i * 2
    return last


@case(*COUNTS)
def tuple_variable(n: Any) -> Any:
    pair = (0, 1)
    i = 0
    while i < n:
        pair = (pair[1], pair[0] + pair[1])
        i = i + 1
    return pair[0]


@case(*COUNTS)
def dict_variable(n: Any) -> Any:
    d = {"a": 0, "b": 1}
    for i in range(n):
        d = {"a": d["b"], "b": d["a"] + i}
    return d["a"] + d["b"]


@case(*COUNTS)
def item_written_in_a_loop(n: Any) -> Any:
    d = {"a": 0}
    for i in range(n):
        d["a"] = d["a"] + i
    return d["a"]


@case(*COUNTS)
def attribute_written_in_a_loop(n: Any) -> Any:
    class Counter:
        pass

    c = Counter()
    c.total = 0
    for i in range(n):
        c.total = c.total + i
    return c.total


@case(*COUNTS)
def function_called_in_a_loop(n: Any) -> Any:
    def step(v: Any) -> Any:
        if v % 2 == 0:
            return v + 3
        return v - 1

    x = 0
    for _ in range(n):
        x = step(x)
    return x


@case(*COUNTS)
def closure_of_a_loop_variable(n: Any) -> Any:
    s = 0
    for i in range(n):

        def double(v: Any, k: Any = i) -> Any:
            return v * 2 + k

        s = double(s)
    return s


@case(*COUNTS)
def inner_python_loop(n: Any) -> Any:
    s = 0
    for i in range(n):
        for k in (1, 2):
            s = s + i * k
    return s


@case(*COUNTS)
def returns_from_nested_loops(n: Any) -> Any:
    for i in range(n):
        for j in range(n):
            if i * j == 6:
                return i * 10 + j
    return -1


@case((0,), (3,), (11,))
def ternary_in_a_loop(n: Any) -> Any:
    s = 0
    for i in range(n):
        s = s + (i if i % 2 == 0 else -i)
    return s


@case(*COUNTS)
def loop_after_loop(n: Any) -> Any:
    s = 0
    for i in range(n):
        s = s + i
    t = s
    while t > 10:
        t = t - 7
    return s * 100 + t


@case((2, 10), (3, 5))
def power_by_squaring(base: Any, exponent: Any) -> Any:
    result = 1
    while exponent > 0:
        if exponent % 2 == 1:
            result = result * base
        base = base * base
        exponent = exponent // 2
    return result


@case((10,), (30,))
def sieve_count(n: Any) -> Any:
    count = 0
    for p in range(2, n):
        prime = True
        for q in range(2, p):
            if p % q == 0:
                prime = False
                break
        if prime:
            count = count + 1
    return count


@case((0,), (4,))
def assert_in_a_loop(n: Any) -> Any:
    s = 0
    for i in range(n):
        assert i >= 0, "counts up"
        s = s + i
    return s


@case(*COUNTS)
def comprehension_over_python(n: Any) -> Any:
    return sum([n * k for k in (1, 2, 3)])


@case(*COUNTS)
def generator_expression_over_python(n: Any) -> Any:
    total = 0
    for v in [n + k for k in (1, 2)]:
        total = total + v
    return total


@refused("'r' is used before assignment", (np.array([1, 2, 3], np.int32),))
def first_value_in_a_branch_of_a_loop(xs: Any) -> Any:
    for x in xs:
        if x == 3:
            r = 1
            break
    else:
        r = 0
    return r  # refused


@refused("for", (3,))
def loop_over_a_scalar(x: Any) -> Any:
    s = 0
    for v in x:  # refused
        s = s + v
    return s


@refused("'name' changes", (3,))
def string_in_a_loop(n: Any) -> Any:
    name = "a"
    i = 0
    while i < n:  # refused
        name = name + "b"
        i = i + 1
    return i


@refused("filter", (np.array([1, 2, 3], np.int32),))
def filtered(xs: Any) -> Any:
    s = 0
    for x in filter(lambda v: v > 1, xs):  # refused
        s = s + x
    return s


@refused("sorted", (np.array([1, 2, 3], np.int32),))
def sorted_by_key(xs: Any) -> Any:
    return sorted(xs, key=lambda v: -v)  # refused


@refused("truth of a tensor", (np.array([1, 2, 3], np.int32),))
def truth_of_a_vector(xs: Any) -> Any:
    if xs > 0:  # refused
        return 1
    return 0


@refused("'s' has dtype", (3,))
def dtype_changes(n: Any) -> Any:
    import featherflow as tf

    s = tf.cast(n, tf.int32)
    i = 0
    while i < n:  # refused
        s = tf.cast(s, tf.float32) * 1.5
        i = i + 1
    return s
