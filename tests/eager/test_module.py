"""tf.Module."""

from __future__ import annotations

import pytest

import featherflow as tf

pytestmark = pytest.mark.usefixtures("eagerly")


class TwoLayers(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.z = tf.Variable(1.0, name="z")
        self.layers = [Layer(), Layer("second")]
        self.a = {"frozen": tf.Variable(2.0, trainable=False), "again": self.z}


class Layer(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable([1.0, 2.0], name="w")


def test_variables_in_order() -> None:
    module = TwoLayers()
    assert module.name == "two_layers"
    first, second = module.layers
    found = [v.ref() for v in module.variables]
    assert found == [v.ref() for v in (module.z, module.a["frozen"], first.w, second.w)]
    assert [v.ref() for v in module.trainable_variables] == [
        v.ref() for v in (module.z, first.w, second.w)
    ]
    assert [v.ref() for v in module.non_trainable_variables] == [module.a["frozen"].ref()]
    assert module.submodules == (first, second)
    assert (first.w.name, second.w.name) == ("layer/w:0", "second/w:0")


def test_refusals() -> None:
    with pytest.raises(ValueError, match="not a valid module name"):
        tf.Module(name="a b")

    class Bare(tf.Module):
        def __init__(self) -> None:
            pass

    with pytest.raises(AttributeError, match=r"super\(\)\.__init__"):
        _ = Bare().name
