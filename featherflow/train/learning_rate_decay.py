"""Schedules: learning rates that follow from the global step.

Each function returns a scalar tensor, which an optimiser takes as its learning rate. Steps are
counted from 0; rates and the numbers beside them share the dtype of the first rate.
"""

from __future__ import annotations

import math
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.arithmetic_ops import add, multiply, negative
from featherflow.ops.case import case
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal, logical_and
from featherflow.ops.cond import cond
from featherflow.ops.constant_ops import constant
from featherflow.ops.division_ops import divide
from featherflow.ops.exponential_ops import exp, log, pow, sqrt
from featherflow.ops.extremum_ops import minimum
from featherflow.ops.random_ops import random_normal
from featherflow.ops.rounding_ops import ceil, floor
from featherflow.ops.select_ops import SelectV2
from featherflow.ops.trigonometric_ops import cos


def _rate(learning_rate: Any) -> Tensor:
    return convert_to_tensor(learning_rate, name="initial_learning_rate")


def _cast_all(dtype: DType, *numbers: Any) -> list[Any]:
    return [cast(number, dtype) for number in numbers]


def _half_wave(fraction: Any) -> Any:
    """½ (1 + cos π·fraction): 1 at 0, 0 at 1."""
    return 0.5 * (1.0 + cos(constant(math.pi) * fraction))


# --- exponentials ---------------------------------------------------------------------------------


@export_v1("train.exponential_decay")
def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """rate · decay_rate^(step / decay_steps)

    Args:
      learning_rate: the rate at step 0, a number or scalar tensor.
      global_step: the step, a scalar.
      decay_steps: how many steps one factor takes.
      decay_rate: the factor.
      staircase: whether the exponent is rounded down: the rate changes once in `decay_steps`.
      name: of the node.
    Returns:
      A scalar of the dtype of `learning_rate`.
    """
    inputs = [learning_rate, global_step, decay_steps, decay_rate]
    with name_scope(name, "ExponentialDecay", inputs) as scope:
        rate = _rate(learning_rate)
        steps, factor, step = _cast_all(rate.dtype, decay_steps, decay_rate, global_step)
        exponent = divide(step, steps)
        if staircase:
            exponent = floor(exponent)
        return multiply(rate, pow(factor, exponent), name=scope)


@export_v1("train.natural_exp_decay")
def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """rate · e^(−decay_rate · step / decay_steps); arguments as for `exponential_decay`."""
    factor = exp(negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, factor, staircase, name)


@export_v1("train.inverse_time_decay")
def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """rate / (1 + decay_rate · step / decay_steps); arguments as for `exponential_decay`."""
    inputs = [learning_rate, global_step, decay_rate]
    with name_scope(name, "InverseTimeDecay", inputs) as scope:
        rate = _rate(learning_rate)
        steps, factor, step = _cast_all(rate.dtype, decay_steps, decay_rate, global_step)
        time = divide(step, steps)
        if staircase:
            time = floor(time)
        one = cast(constant(1), rate.dtype)
        return divide(rate, add(one, multiply(factor, time)), name=scope)


# --- polynomials and pieces -----------------------------------------------------------------------


@export_v1("train.polynomial_decay")
def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """(rate − end) · (1 − step / decay_steps)^power + end

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a scalar; steps beyond `decay_steps` count as the last.
      decay_steps: how many steps it takes to the end.
      end_learning_rate: the rate there.
      power: of the polynomial; 1 is a straight line.
      cycle: whether `decay_steps` is stretched to the next multiple that is not below the step,
        so that the rate rises again.
      name: of the node.
    Returns:
      A scalar of the dtype of `learning_rate`.
    """
    inputs = [learning_rate, global_step, decay_steps, end_learning_rate, power]
    with name_scope(name, "PolynomialDecay", inputs) as scope:
        rate = _rate(learning_rate)
        end, exponent, step, steps = _cast_all(
            rate.dtype, end_learning_rate, power, global_step, decay_steps
        )
        if cycle:
            is_first = equal(step, 0)
            steps = multiply(steps, SelectV2(is_first, 1.0, ceil(step / decay_steps)))
        else:
            step = minimum(step, steps)
        time = divide(step, steps)
        return add(multiply(rate - end, pow(1 - time, exponent)), end, name=scope)


@export_v1("train.piecewise_constant", "train.piecewise_constant_decay")
def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """values[i] for boundaries[i − 1] < x ≤ boundaries[i].

    Args:
      x: the step, a scalar.
      boundaries: n numbers that ascend, of the dtype of `x`.
      values: n + 1 numbers of one dtype.
      name: of the scope.
    Returns:
      A scalar of the dtype of `values`.
    Raises:
      ValueError: the lengths or dtypes do not fit.
    """
    boundaries = [convert_to_tensor(item) for item in boundaries]
    values = [convert_to_tensor(item) for item in values]
    x = convert_to_tensor(x)
    if len(boundaries) != len(values) - 1 or not boundaries:
        raise ValueError(
            "The length of boundaries should be 1 less than the length of values, received "
            f"{len(boundaries)} and {len(values)}."
        )
    boundaries = [_as_type_of(x, item) for item in boundaries]
    if any(value.dtype.base_dtype is not values[0].dtype.base_dtype for value in values):
        raise ValueError("The values of a piecewise constant must have one dtype.")
    with name_scope(name, "PiecewiseConstant", [x, *boundaries, *values]):
        pieces = [
            (x <= boundaries[0], lambda: values[0]),
            (x > boundaries[-1], lambda: values[-1]),
        ]
        for low, high, value in zip(boundaries, boundaries[1:], values[1:-1]):
            inside = logical_and(x > low, x <= high, name="and")
            pieces.append((inside, lambda value=value: value))
        return case(pieces, lambda: values[0], exclusive=True)


def _as_type_of(x: Tensor, boundary: Tensor) -> Tensor:
    wanted, found = x.dtype.base_dtype, boundary.dtype.base_dtype
    if found is wanted:
        return boundary
    if (found, wanted) == (dtypes.int32, dtypes.int64):
        return cast(boundary, wanted)
    raise ValueError(f"Boundaries ({found.name}) must have the same dtype as x ({wanted.name}).")


# --- cosines --------------------------------------------------------------------------------------


@export_v1("train.cosine_decay")
def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """rate · ((1 − α) · ½ (1 + cos π·t) + α) with t = step / decay_steps. Loshchilov & Hutter 2016.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a scalar; steps beyond `decay_steps` count as the last.
      decay_steps: how many steps it takes to the end.
      alpha: α, the part of the rate that stays.
      name: of the scope.
    Returns:
      A scalar of the dtype of `learning_rate`.
    """
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate = _rate(learning_rate)
        steps, step = _cast_all(rate.dtype, decay_steps, global_step)
        wave = _half_wave(minimum(step, steps) / steps)  # type: ignore[operator]
        return multiply(rate, (1 - alpha) * wave + alpha)


@export_v1("train.cosine_decay_restarts")
def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """`cosine_decay` that starts again at its end, each time longer and lower.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a scalar.
      first_decay_steps: the length of the first period.
      t_mul: how many times longer each period is than the one before.
      m_mul: how many times higher each starts.
      alpha: the part of the first rate that stays.
      name: of the node.
    Returns:
      A scalar of the dtype of `learning_rate`.
    """
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        steps, rest, longer, higher, step = _cast_all(
            rate.dtype, first_decay_steps, alpha, t_mul, m_mul, global_step
        )
        time = step / steps
        restarts, fraction = cond(
            equal(longer, 1.0), lambda: _equal_periods(time), lambda: _periods(time, longer)
        )
        height = 0.5 * higher**restarts
        wave = height * (1.0 + cos(constant(math.pi) * fraction))  # type: ignore[operator]
        return multiply(rate, (1 - rest) * wave + rest, name=scope)


def _equal_periods(time: Any) -> tuple[Any, Any]:
    """The number of whole periods before `time`, and how far it is into its own."""
    restarts = floor(time)
    return restarts, time - restarts


def _periods(time: Any, longer: Any) -> tuple[Any, Any]:
    """The same where each period is `longer` times the one before; the first is the unit."""
    restarts: Any = floor(
        log(1.0 - time * (1.0 - longer)) / log(longer)  # type: ignore[operator]
    )
    whole = (1.0 - longer**restarts) / (1.0 - longer)
    return restarts, (time - whole) / longer**restarts


@export_v1("train.linear_cosine_decay")
def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """rate · ((α + 1 − t) · ½ (1 + cos 2π·periods·t) + β) with t = step / decay_steps.

    Bello et al. 2017.

    Args:
      learning_rate: the rate at step 0.
      global_step: the step, a scalar; steps beyond `decay_steps` count as the last.
      decay_steps: how many steps it takes to the end.
      num_periods: of the cosine.
      alpha, beta: α and β.
      name: of the node.
    Returns:
      A scalar of the dtype of `learning_rate`.
    """
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        steps, periods, offset, rest, step = _cast_all(
            rate.dtype, decay_steps, num_periods, alpha, beta, global_step
        )
        step = minimum(step, steps)
        line, time = (steps - step) / steps, step / steps
        wave = _half_wave(2.0 * periods * time)
        return multiply(rate, (offset + line) * wave + rest, name=scope)


@export_v1("train.noisy_linear_cosine_decay")
def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise of variance initial_variance / (1 + step)^variance_decay.

    The noise is added to 1 − t, and drawn anew in each run.
    """
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate = _rate(learning_rate)
        steps, variance, fading, periods, offset, rest, step = _cast_all(
            rate.dtype,
            decay_steps,
            initial_variance,
            variance_decay,
            num_periods,
            alpha,
            beta,
            global_step,
        )
        step = minimum(step, steps)
        line: Any = (steps - step) / steps
        deviation = sqrt(variance / pow(1.0 + step, fading))
        line, time = line + random_normal(line.shape, stddev=deviation), step / steps
        wave = _half_wave(2.0 * periods * time)
        return multiply(rate, (offset + line) * wave + rest, name=scope)
