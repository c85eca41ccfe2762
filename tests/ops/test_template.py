"""Templates: calls of one function that share variables."""

from __future__ import annotations

import pytest

import featherflow as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def scale(x, power=1):
    factor = tf.get_variable("factor", [], initializer=tf.constant_initializer(3.0))
    return x * factor**power


def names(variables):
    return [variable.name for variable in variables]


def test_calls_share_variables():
    shared = tf.make_template("scale", scale)
    results = [shared(1.0), shared(2.0, power=2)]
    assert names(tf.global_variables()) == ["scale/factor:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(results) == [3.0, 18.0]


def test_templates_have_variables_of_their_own():
    first, second = (tf.make_template("scale", scale) for _ in range(2))
    first(1.0), second(1.0)
    assert names(first.variables) == ["scale/factor:0"]
    assert names(second.variables) == ["scale_1/factor:0"]


def test_templates_of_one_unique_name_share():
    first, second = (tf.make_template("scale", scale, unique_name_="mine") for _ in range(2))
    first(1.0)
    with pytest.raises(ValueError, match="mine/factor already exists"):
        second(1.0)


def test_the_scope_is_where_the_first_call_is_or_where_it_was_made():
    late = tf.make_template("late", scale)
    with tf.variable_scope("made"):
        early = tf.make_template("early", scale, create_scope_now_=True)
    with tf.variable_scope("called"):
        late(1.0), early(1.0)
    assert names(tf.global_variables()) == ["called/late/factor:0", "made/early/factor:0"]
    assert late.variable_scope_name == "called/late/"


def test_arguments_of_all_calls():
    cubed = tf.make_template("scale", scale, power=3)
    y = cubed(1.0)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(y) == 27.0


def test_kinds_of_variables():
    def make():
        tf.get_variable("trained", [2])
        tf.get_variable("kept", [2], trainable=False)
        tf.get_local_variable("local", [2])

    template = tf.make_template("t", make)
    assert template.variables == []
    template()
    assert names(template.trainable_variables) == ["t/trained:0"]
    assert names(template.non_trainable_variables) == ["t/kept:0", "t/local:0"]
    assert names(template.global_variables) == ["t/trained:0", "t/kept:0"]
    assert names(template.local_variables) == ["t/local:0"]


def test_later_calls_may_not_make_variables():
    template = tf.make_template("t", lambda: tf.Variable(1.0))
    template()
    with pytest.raises(ValueError, match=r"New variable created.*t_1/Variable:0"):
        template()


def test_what_is_no_function_is_refused():
    with pytest.raises(ValueError, match="callable"):
        tf.make_template("t", 3)
    with pytest.raises(ValueError, match="name"):
        tf.make_template(None, scale)
