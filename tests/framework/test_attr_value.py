"""Attribute values: internal forms and AttrValue messages, checked with TensorFlow's own."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st

from featherflow.framework import dtypes
from featherflow.framework.attr_value import (
    AttrPlaceholder,
    NameAttrList,
    attr_type_of,
    attr_value_from_proto,
    attr_value_to_proto,
    attr_values_equal,
)
from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.protos.attr_value_pb2 import AttrValue

RECORD = Path(__file__).parent.parent / "differential" / "attr_values.json"
ARRAY = np.array([[1, 2]], np.int16)
FUNC = NameAttrList("f", {"T": dtypes.int32, "value": ARRAY, "sizes": (1, 2)})

# attr type, internal form, message
FORMS: list[tuple[str, Any, str]] = [
    ("int", -3, "i: -3"),
    ("int", 0, "i: 0"),
    ("float", 0.5, "f: 0.5"),
    ("float", float("inf"), "f: inf"),
    ("bool", True, "b: true"),
    ("bool", False, "b: false"),
    ("type", dtypes.float32, "type: DT_FLOAT"),
    ("type", dtypes.float32.as_ref, "type: DT_FLOAT_REF"),
    ("shape", TensorShape([2, None]), "shape { dim { size: 2 } dim { size: -1 } }"),
    ("shape", TensorShape([]), "shape { }"),
    ("shape", TensorShape(None), "shape { unknown_rank: true }"),
    ("string", "SAME", 's: "SAME"'),
    ("string", "", 's: ""'),
    ("string", "é", 's: "\\303\\251"'),
    ("string", b"\xff\0", 's: "\\377\\000"'),
    (
        "tensor",
        np.array(2.5, np.float32),
        "tensor { dtype: DT_FLOAT tensor_shape { } float_val: 2.5 }",
    ),
    ("func", NameAttrList("f", {}), 'func { name: "f" }'),
    ("func", NameAttrList("f", {"n": 1}), 'func { name: "f" attr { key: "n" value { i: 1 } } }'),
    ("list(int)", (1, -2), "list { i: 1 i: -2 }"),
    ("list(int)", (), "list { }"),
    ("list(float)", (1.0,), "list { f: 1 }"),
    ("list(bool)", (True, False), "list { b: true b: false }"),
    ("list(type)", (dtypes.string,), "list { type: DT_STRING }"),
    ("list(shape)", (TensorShape([1]),), "list { shape { dim { size: 1 } } }"),
    ("list(string)", ("a", b"\xff"), 'list { s: "a" s: "\\377" }'),
    (
        "list(tensor)",
        (np.array(1, np.int8),),
        "list { tensor { dtype: DT_INT8 tensor_shape { } int_val: 1 } }",
    ),
    ("list(func)", (NameAttrList("f", {}),), 'list { func { name: "f" } }'),
    ("type", AttrPlaceholder("T"), 'placeholder: "T"'),
    ("list(type)", AttrPlaceholder("T"), 'placeholder: "T"'),
]


def to_proto(value: Any, attr_type: str) -> AttrValue:
    proto = AttrValue()
    attr_value_to_proto(value, attr_type, proto)
    return proto


def parse(text: str) -> AttrValue:
    return text_format.Parse(text, AttrValue())


@pytest.mark.parametrize(("attr_type", "value", "text"), FORMS)
def test_forms_and_messages_correspond(attr_type, value, text):
    assert to_proto(value, attr_type) == parse(text)
    assert attr_values_equal(attr_value_from_proto(parse(text), attr_type), value)
    assert attr_values_equal(attr_value_from_proto(parse(text)), value)


@cache
def recorded() -> list[tuple[str, str]]:
    record = json.loads(RECORD.read_text(encoding="ascii"))
    assert record["tensorflow"] == "2.21.0"
    return [(attr_type, data) for attr_type, data in record["values"]]


@pytest.mark.parametrize(("attr_type", "data"), recorded())
def test_values_of_tensorflow_come_back(attr_type, data):
    proto = AttrValue.FromString(bytes.fromhex(data))
    value = attr_value_from_proto(proto, attr_type)
    back = to_proto(value, attr_type)
    assert attr_values_equal(attr_value_from_proto(back, attr_type), value)
    if not proto.HasField("tensor"):
        assert back == proto
        return
    # Constants come back as values; which of the two encodings holds them is the writer's choice.
    assert back.tensor.dtype == proto.tensor.dtype
    assert back.tensor.tensor_shape == proto.tensor.tensor_shape


def test_functions_keep_attributes_of_every_kind():
    attrs = {
        "i": 1,
        "f": 0.5,
        "b": True,
        "type": dtypes.int8,
        "s": "x",
        "bytes": b"\xff",
        "shape": TensorShape([None]),
        "tensor": ARRAY,
        "func": FUNC,
        "list": ("a", "b"),
        "empty": (),
        "functions": (FUNC, NameAttrList("g", {})),
        "placeholder": AttrPlaceholder("T"),
    }
    func = NameAttrList("h", attrs)
    back = attr_value_from_proto(to_proto(func, "func"), "func")
    assert back == func
    assert hash(back) == hash(func)


@pytest.mark.parametrize(
    ("attr_type", "text"),
    [
        ("int", "f: 1"),
        ("float", "i: 1"),
        ("bool", "i: 1"),
        ("list(int)", "i: 1"),
        ("int", "list { i: 1 }"),
        ("list(int)", "list { f: 1 }"),
        ("list(int)", "list { i: 1 f: 1 }"),
        ("no such type", "i: 1"),
        ("int", ""),
        (None, ""),
    ],
)
def test_another_type_is_refused_with_both_named(attr_type, text):
    with pytest.raises(InvalidArgumentError) as caught:
        attr_value_from_proto(parse(text), attr_type)
    assert caught.value.expected == (attr_type or "a value")


def test_an_unknown_dtype_is_refused():
    with pytest.raises(TypeError):
        attr_value_from_proto(AttrValue(type=77))


def test_large_tensors_are_not_copied_once_read():
    value = np.arange(1000, dtype=np.int64)
    back = attr_value_from_proto(to_proto(value, "tensor"))
    assert back.base is not None and not back.flags.writeable
    np.testing.assert_array_equal(back, value)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (1, 1.0),
        (1, True),
        ("a", b"a"),
        ((1,), (1, 2)),
        ((1, 2), (1, 2.0)),
        (dtypes.int32, dtypes.int64),
        (TensorShape([None]), TensorShape([1])),
        (np.float32(0.0) * np.ones(2, np.float32), np.float32(-0.0) * np.ones(2, np.float32)),
        (np.zeros(2, np.int32), np.zeros(2, np.float32)),
        (np.zeros(2), np.zeros((1, 2))),
        (np.array([b"a"], object), np.array([b"b"], object)),
        (NameAttrList("f", {}), NameAttrList("g", {})),
        (NameAttrList("f", {"n": 1}), NameAttrList("f", {"m": 1})),
        (NameAttrList("f", {"n": ARRAY}), NameAttrList("f", {"n": ARRAY + 1})),
        (AttrPlaceholder("T"), AttrPlaceholder("U")),
    ],
)
def test_values_that_differ(first, second):
    assert not attr_values_equal(first, second)
    assert attr_values_equal(first, first)


def test_nan_equals_nan_in_arrays():
    assert attr_values_equal(np.array([np.nan]), np.array([np.nan]))


def test_a_function_equals_nothing_else():
    assert NameAttrList("f", {}) != "f"


def test_a_value_that_is_no_internal_form_has_no_type():
    with pytest.raises(TypeError, match="set"):
        attr_type_of({1})


@given(st.one_of(st.binary(max_size=40), st.text(max_size=10).map(str.encode)))
def test_strings_come_back_as_they_were(data):
    value = attr_value_from_proto(AttrValue(s=data))
    assert to_proto(value, "string").s == data
    assert isinstance(value, str) == (data.decode(errors="replace").encode() == data)
