"""Refs of variables through branches and loops: the variable itself passes, not its value."""

from __future__ import annotations

from typing import Any

import pytest

import featherflow.compat.v1 as tf
from featherflow.ops.control_flow_primitives import (
    LoopCond,
    RefEnter,
    RefExit,
    RefMerge,
    RefNextIteration,
    RefSwitch,
)
from featherflow.ops.ref_variable_ops import AssignAdd

from .loops import inside


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as made:
        yield made


@pytest.mark.parametrize("taken", [True, False])
def test_updates_in_branches(taken: bool) -> None:
    flag = tf.placeholder(tf.bool, [])
    variable = tf.Variable(1.0, use_resource=False)
    updated = tf.cond(flag, lambda: variable.assign_add(5.0) + 0.0, lambda: variable + 0.0)
    with tf.Session() as sess:
        sess.run(variable.initializer)
        expected = 6.0 if taken else 1.0
        assert sess.run(updated, {flag: taken}) == expected
        assert sess.run(variable) == expected


def test_a_ref_parted_and_joined_is_the_variable() -> None:
    flag = tf.placeholder(tf.bool, [])
    variable = tf.Variable(1.0, use_resource=False)
    off, on = RefSwitch(variable._ref(), flag)
    joined = RefMerge([off, AssignAdd(on, 2.0)]).output
    last = AssignAdd(joined, 10.0)
    with tf.Session() as sess:
        sess.run(variable.initializer)
        assert sess.run(last, {flag: False}) == 11.0
        assert sess.run(last, {flag: True}) == 23.0
        assert sess.run(variable) == 23.0


def test_a_switch_may_take_what_is_not_initialised() -> None:
    variable = tf.Variable(1.0, use_resource=False)
    off, on = RefSwitch(variable._ref(), tf.constant(True))
    first = tf.assign(RefMerge([off, on]).output, 4.0)
    with tf.Session() as sess:
        assert sess.run(first) == 4.0


def test_a_loop_that_counts_in_a_variable() -> None:
    variable = tf.Variable(0, use_resource=False)
    enter = RefEnter(variable._ref(), frame_name="count")
    merge = RefMerge([enter, enter])
    value = tf.identity(merge.output)
    condition = LoopCond(tf.less(value, inside(5, value)))
    leaves, goes_on = RefSwitch(merge.output, condition)
    one = inside(1, tf.identity(goes_on))
    following = RefNextIteration(AssignAdd(goes_on, one))
    merge.output.op._update_input(1, following)
    left = RefExit(leaves)
    with tf.Session() as sess:
        sess.run(variable.initializer)
        assert sess.run(left) == 5
        assert sess.run(variable) == 5
