"""Variables as VariableDef messages."""

from __future__ import annotations

import numpy as np
import pytest

import featherflow as tf

KINDS = pytest.mark.parametrize("use_resource", [False, True], ids=["ref", "resource"])


def make(use_resource, **kwargs):
    with tf.variable_scope("layer", reuse=tf.AUTO_REUSE):
        return tf.get_variable(
            "w", initializer=np.ones([4, 3]), use_resource=use_resource, **kwargs
        )


@KINDS
def test_a_message_names_the_nodes(use_resource):
    with tf.Graph().as_default():
        message = make(use_resource, trainable=False).to_proto()
    assert message.variable_name == "layer/w:0"
    assert message.initializer_name == "layer/w/Assign"
    prefix = "layer/w/Initializer/" if use_resource else "layer/w/"
    assert message.initial_value_name == f"{prefix}initial_value:0"
    read = "layer/w/Read/ReadVariableOp:0" if use_resource else "layer/w/read:0"
    assert message.snapshot_name == read
    assert message.is_resource is use_resource
    assert message.trainable is False
    assert not message.HasField("save_slice_info_def")


@KINDS
def test_a_message_makes_the_variable_again(use_resource):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        w = make(use_resource, aggregation=tf.VariableAggregation.MEAN)
        again = tf.Variable.from_proto(w.to_proto())
        assert type(again) is type(w)
        assert again.initializer is w.initializer
        assert again.initial_value is w.initial_value
        assert (again.name, again.shape, again.dtype) == (w.name, w.shape, w.dtype)
        assert again.trainable and again.aggregation is tf.VariableAggregation.MEAN
        assert again.to_proto() == w.to_proto()
        assert tf.global_variables() == [w]
        session.run(again.initializer)
        session.run(tf.assign_add(again, np.ones([4, 3])))
        np.testing.assert_array_equal(session.run(w), np.full([4, 3], 2.0))
        assert again.graph is graph


@KINDS
def test_scopes_are_stripped_and_added(use_resource):
    with tf.Graph().as_default() as graph:
        w = make(use_resource)
        assert w.to_proto("other") is None
        assert w.to_proto("layer").variable_name == "w:0"
        message, nodes = w.to_proto(), graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(nodes, name="copy")
        again = tf.Variable.from_proto(message, import_scope="copy")
        assert again.name == "copy/layer/w:0"
        assert again.to_proto("copy") == message
        session.run(again.initializer)
        np.testing.assert_array_equal(session.run(again.read_value()), np.ones([4, 3]))


@KINDS
def test_parts_know_their_slice(use_resource):
    with tf.Graph().as_default():
        _, part = make(use_resource, partitioner=tf.fixed_size_partitioner(2))
        info = tf.Variable.from_proto(part.to_proto())._get_save_slice_info()
    assert info.full_name == "layer/w"
    assert info.spec == "4 3 2,2:0,3"
    assert tf.Variable.SaveSliceInfo.from_spec(info.spec).spec == info.spec
    assert info.to_proto("layer").full_name == "w"
    assert info.to_proto("other") is None


@pytest.mark.parametrize("spec", ["4", "4 x 0,1:2,3", "4 3 0,2:1", "4 3 0"])
def test_misspelt_slices_are_refused(spec):
    with pytest.raises(ValueError, match="spelled like"):
        tf.Variable.SaveSliceInfo.from_spec(spec)


@KINDS
def test_a_message_comes_without_a_value(use_resource):
    with tf.Graph().as_default():
        message = make(use_resource).to_proto()
        with pytest.raises(ValueError, match="mutually exclusive"):
            tf.Variable(1.0, variable_def=message)


def test_a_cached_resource_variable_keeps_its_cache():
    with tf.Graph().as_default():
        w = make(True, caching_device="/cpu:0")
        message = w.to_proto()
        message.snapshot_name = tf.identity(w.value(), name="cache").name
        again = tf.Variable.from_proto(message)
        assert again.value().name == "cache:0"
