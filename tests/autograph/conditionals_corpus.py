"""Conditionals."""

from __future__ import annotations

from typing import Any

from .corpus import case, refused

SIGNS = ((3,), (-2,), (0,))
PAIRS = ((3, 2), (2, 3), (2, 2), (-1, 0))


@case(*SIGNS)
def both_branches(x: Any) -> Any:
    if x > 0:
        y = x * 2
    else:
        y = -x
    return y


@case(*SIGNS)
def only_if(x: Any) -> Any:
    y = x
    if x > 0:
        y = x + 10
    return y


@case(*SIGNS)
def elif_chain(x: Any) -> Any:
    if x > 1:
        y = 1
    elif x == 0:
        y = 2
    elif x < -1:
        y = 3
    else:
        y = 4
    return y


@case(*PAIRS)
def nested(x: Any, y: Any) -> Any:
    if x > y:
        if x > 2:
            z = x
        else:
            z = y
    else:
        if y > 2:
            z = -x
        else:
            z = -y
    return z


@case(*SIGNS)
def two_variables(x: Any) -> Any:
    a, b = x, x + 1
    if x > 0:
        a, b = b, a
    return a, b


@case(*SIGNS)
def early_return(x: Any) -> Any:
    if x > 0:
        return x * 10
    return x - 1


@case(*SIGNS)
def returns_in_all_branches(x: Any) -> Any:
    if x > 0:
        return x
    elif x < 0:
        return -x
    else:
        return x + 100


@case(*PAIRS)
def returns_nested(x: Any, y: Any) -> Any:
    if x > y:
        if y > 1:
            return x
        return y
    z = x + y
    if z > 4:
        return z
    return -z


@case(*SIGNS)
def number_in_one_branch(x: Any) -> Any:
    y = 0
    if x > 0:
        y = x
    return y


@case((3.5,), (-2.5,))
def number_takes_the_dtype(x: Any) -> Any:
    y = 0
    if x > 0:
        y = x
    return y


@case(*SIGNS)
def augmented(x: Any) -> Any:
    y = x
    if x > 0:
        y += 5
        y *= 2
    else:
        y -= 1
    return y


@case(*PAIRS)
def and_or_not(x: Any, y: Any) -> Any:
    if x > 0 and y > 2:
        r = 1
    elif not x > y or y == 0:
        r = 2
    else:
        r = 3
    return r


@case(*PAIRS)
def chained_comparison(x: Any, y: Any) -> Any:
    if 0 < x <= y < 10:
        return x + y
    return x - y


@case(*SIGNS)
def ternary(x: Any) -> Any:
    return x if x > 0 else -x


@case(*PAIRS)
def nested_ternary(x: Any, y: Any) -> Any:
    return x if x > y else (y if y > 2 else x + y)


@case(*SIGNS)
def ternary_argument(x: Any) -> Any:
    def add(a: Any, b: Any) -> Any:
        return a + b

    return add(1 if x > 0 else 2, x)


@case(*SIGNS)
def truth_of_a_number(x: Any) -> Any:
    if x:
        return x
    return x + 100


@case(*SIGNS)
def not_a_number(x: Any) -> Any:
    if not x:
        return x - 1
    return x


@case(*PAIRS)
def equality(x: Any, y: Any) -> Any:
    r = 0
    if x == y:
        r = 1
    if x != y:
        r = r + 2
    return r


@case(*SIGNS)
def tuples(x: Any) -> Any:
    pair = (x, x)
    if x > 0:
        pair = (x + 1, x + 2)
    return pair[0] * pair[1]


@case(*SIGNS)
def dicts(x: Any) -> Any:
    values = {"a": x, "b": x + 1}
    if x > 0:
        values = {"a": x * 2, "b": x * 3}
    return values["a"] + values["b"]


@case(*SIGNS)
def item_of_a_dict(x: Any) -> Any:
    values = {"a": x, "b": x}
    if x > 0:
        values["a"] = x * 7
    return values["a"] + values["b"]


@case(*SIGNS)
def attribute(x: Any) -> Any:
    class Box:
        pass

    box = Box()
    box.value = x
    if x > 0:
        box.value = x * 3
    return box.value


@case(*SIGNS)
def python_condition(x: Any) -> Any:
    flag = True
    if flag:
        y = x + 1
    else:
        y = None
    return y


@case(*SIGNS)
def mixed_conditions(x: Any) -> Any:
    flag = False
    if flag or x > 0:
        y = 1
    else:
        y = 2
    return y


@case(*SIGNS)
def nested_function(x: Any) -> Any:
    def clip(v: Any) -> Any:
        if v > 1:
            return 1
        return v

    return clip(x) + clip(x * 2)


@case(*SIGNS)
def closure_write(x: Any) -> Any:
    total = 0

    def add(v: Any) -> None:
        nonlocal total
        total = total + v

    add(x)
    add(x)
    return total


@case(*SIGNS)
def lambda_with_ternary(x: Any) -> Any:
    f = lambda v: v if v > 0 else 0  # noqa: E731
    return f(x) + f(-x)


@case(*SIGNS)
def recursion_over_python(x: Any) -> Any:
    def power(v: Any, n: int) -> Any:
        if n == 0:
            return 1
        return v * power(v, n - 1)

    return power(x, 3)


@case(*PAIRS)
def maximum_and_minimum(x: Any, y: Any) -> Any:
    return max(x, y) * 10 + min(x, y)


@case(*SIGNS)
def absolute_builtin(x: Any) -> Any:
    return abs(x)


@case((3.7,), (-3.7,))
def integers_of_floats(x: Any) -> Any:
    return int(x)


@case((3,), (-3,))
def floats_of_integers(x: Any) -> Any:
    return float(x)


@case(*SIGNS)
def bool_builtin(x: Any) -> Any:
    return 1 if bool(x) else 0


@case(*SIGNS)
def membership_in_a_list(x: Any) -> Any:
    if x in [1, 3, 5]:
        return 1
    return 0


@case(*SIGNS)
def membership_not_in(x: Any) -> Any:
    return 5 if x not in (0, 3) else 6


@case((3,), (5,))
def assertion_that_holds(x: Any) -> Any:
    assert x > 0, "positive"
    return x


@case(*SIGNS)
def none_until_set(x: Any) -> Any:
    best = None
    for v in (1, 2):
        if best is None:
            best = x * v
    return best


@case(*SIGNS)
def unused_half_defined(x: Any) -> Any:
    y = x
    if x > 0:
        t = x * 2
        y = t + 1
    return y


@case(*SIGNS)
def branch_in_with(x: Any) -> Any:
    import contextlib

    with contextlib.nullcontext():
        if x > 0:
            y = 1
        else:
            y = -1
    return y


@case(*SIGNS)
def try_around(x: Any) -> Any:
    try:
        y = x * 2
        if x > 0:
            y = y + 1
    finally:
        z = 3
    return y + z


@case(*PAIRS)
def walrus_free_conditions(x: Any, y: Any) -> Any:
    greater = x > y
    if greater:
        return x
    return y


@case(*SIGNS)
def default_arguments(x: Any) -> Any:
    def scaled(v: Any, k: Any = 3, *, bias: Any = 1) -> Any:
        if v > 0:
            return v * k + bias
        return v

    return scaled(x) + scaled(x, 2, bias=5)


@case(*SIGNS)
def star_arguments(x: Any) -> Any:
    def total(*values: Any, **named: Any) -> Any:
        result = 0
        for v in values:
            result = result + v
        for v in named.values():
            result = result - v
        return result

    return total(x, x, x, a=x)


@case((5,), (1,))
def or_gives_its_value(x: Any) -> Any:
    return (x - 5) or 7


@case((5,), (1,))
def and_gives_its_value(x: Any) -> Any:
    return (x - 5) and 7


@case(*SIGNS)
def method_call(x: Any) -> Any:
    class Scaler:
        def __init__(self, k: Any) -> None:
            self.k = k

        def scale(self, v: Any) -> Any:
            if v > 0:
                return v * self.k
            return v

        def __call__(self, v: Any) -> Any:
            return self.scale(v) + 1

    return Scaler(4)(x)


@case(*SIGNS)
def super_call(x: Any) -> Any:
    class Base:
        def f(self, v: Any) -> Any:
            return v + 1

    class Derived(Base):
        def f(self, v: Any) -> Any:
            if v > 0:
                v = v * 2
            return super().f(v)

    return Derived().f(x)


@case(*SIGNS)
def decorated(x: Any) -> Any:
    import functools

    def doubled(f: Any) -> Any:
        @functools.wraps(f)
        def inner(v: Any) -> Any:
            return f(v) * 2

        return inner

    @doubled
    def positive(v: Any) -> Any:
        if v > 0:
            return v
        return 0

    return positive(x)


@refused("'y' is used before assignment", (3,))
def half_defined(x: Any) -> Any:
    if x > 0:
        y = 1
    return y  # refused


@refused("'y' is", (3,))
def string_or_number(x: Any) -> Any:
    y = "no"
    if x > 0:  # refused
        y = x
    return y


@refused("'y' is", (3,))
def tuples_of_two_lengths(x: Any) -> Any:
    y = (x, x)
    if x > 0:  # refused
        y = (x, x, x)
    return len(y)


@refused("'y' is", (3,))
def none_or_number(x: Any) -> Any:
    y = None
    if x > 0:  # refused
        y = x
    return y is None


@refused("float32 in one branch and int32", (3,))
def two_dtypes(x: Any) -> Any:
    import featherflow as tf

    y = tf.constant(1.0) if x.dtype.is_floating else tf.cast(x, tf.int32)
    z = tf.constant(1.0)
    if x > 0:  # refused
        z = tf.constant(2.0)
    else:
        z = y
    return z
