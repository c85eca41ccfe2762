"""tf.contrib.framework: arg_scope, and variables by name and collection."""

from __future__ import annotations

import pytest

import featherflow as tf

framework, slim = tf.contrib.framework, tf.contrib.slim


@framework.add_arg_scope
def described(first, second=2, third=3):
    """What it was given."""
    return first, second, third


@framework.add_arg_scope
def other(first, second=2):
    return first, second


def plain(first):
    return first


def test_scopes_set_defaults_and_calls_win() -> None:
    assert described(1) == (1, 2, 3)
    with framework.arg_scope([described, other], second=20):
        assert described(1) == (1, 20, 3)
        assert other(1) == (1, 20)
        assert described(1, second=5) == (1, 5, 3)
        with framework.arg_scope([described], third=30):
            assert described(1) == (1, 20, 30)
            assert other(1) == (1, 20)
        assert described(1) == (1, 20, 3)
    assert described(1) == (1, 2, 3)


def test_a_scope_can_be_kept() -> None:
    with framework.arg_scope([described], second=20) as scope:
        pass
    with framework.arg_scope(scope):
        assert described(1) == (1, 20, 3)
    with pytest.raises(ValueError), framework.arg_scope(scope, second=1):
        pass


def test_what_cannot_be_in_a_scope() -> None:
    with pytest.raises(ValueError), framework.arg_scope([plain], first=1):
        pass
    with pytest.raises(TypeError), framework.arg_scope(described, second=1):
        pass
    with pytest.raises(ValueError):
        framework.arg_scoped_arguments(plain)
    assert framework.has_arg_scope(described) and not framework.has_arg_scope(plain)
    assert framework.arg_scoped_arguments(described) == ("second", "third")
    assert described.__doc__ == "What it was given." and described.__name__ == "described"


def test_a_scope_ends_with_an_exception() -> None:
    with pytest.raises(ZeroDivisionError), framework.arg_scope([described], second=20):
        raise ZeroDivisionError
    assert described(1) == (1, 2, 3)


def names(variables) -> list[str]:
    return [variable.op.name for variable in variables]


def test_variables_are_found() -> None:
    with tf.Graph().as_default():
        with tf.variable_scope("a") as scope:
            framework.model_variable("weights", [2], collections=["own"])
            framework.variable("other", [1], trainable=False)
        with tf.variable_scope("b"):
            framework.model_variable("weights", [3])
        framework.local_variable(1.0, name="local")
        framework.global_variable(1.0, name="global")
        assert names(framework.get_variables()) == ["a/weights", "a/other", "b/weights", "global"]
        assert names(framework.get_variables(scope)) == ["a/weights", "a/other"]
        assert names(framework.get_model_variables()) == ["a/weights", "b/weights"]
        assert names(framework.get_model_variables("b")) == ["b/weights"]
        assert names(framework.get_trainable_variables()) == ["a/weights", "b/weights"]
        assert names(framework.get_local_variables()) == ["local"]
        assert names(framework.get_variables_by_suffix("weights")) == ["a/weights", "b/weights"]
        assert names(framework.get_variables_by_name("other")) == ["a/other"]
        assert framework.get_unique_variable("a/other").op.name == "a/other"
        assert names(tf.get_collection("own")) == ["a/weights"]
        with pytest.raises(ValueError):
            framework.get_unique_variable("weights")


def test_variables_to_restore() -> None:
    with tf.Graph().as_default():
        for scope in ("a", "b", "c"):
            with tf.variable_scope(scope):
                framework.variable("w", [1])
        restore = framework.get_variables_to_restore
        assert names(restore()) == ["a/w", "b/w", "c/w"]
        assert names(restore(include=["a", "b"], exclude=["b"])) == ["a/w"]
        assert names(restore(exclude=["a"])) == ["b/w", "c/w"]
        with pytest.raises(TypeError):
            restore(include="a")
        everything = framework.get_variables()
        assert names(framework.filter_variables(everything, ["^[ab]"], ["b"])) == ["a/w"]


def test_names_that_stand_elsewhere() -> None:
    with tf.Graph().as_default():
        step = framework.get_or_create_global_step()
        assert step is slim.get_or_create_global_step() is tf.train.get_global_step()
        assert framework.nest.flatten([1, (2, {"a": 3})]) == [1, 2, 3]
        with tf.Session() as sess:
            assert sess.run(framework.argsort([3, 1, 2])).tolist() == [1, 2, 0]


def test_modules_can_be_imported() -> None:
    import importlib

    for name in ("slim", "layers", "framework", "rnn", "crf", "seq2seq"):
        module = importlib.import_module(f"featherflow.contrib.{name}")
        assert module is getattr(tf.contrib, name)
        assert dir(module)
