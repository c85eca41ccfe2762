"""Tensor messages: the same bytes as TensorFlow's, the same arrays from them, and hostile ones."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from differential.tensor_proto_cases import arguments, decode_cases, element_bytes, encode_cases
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from featherflow.framework import dtypes
from featherflow.framework.array_values import as_ndarray
from featherflow.framework.tensor_proto import (
    make_ndarray,
    make_tensor_proto,
    ndarray_from_proto,
    ndarray_to_proto,
    shape_from_proto,
    shape_to_proto,
)
from featherflow.framework.tensor_shape import TensorShape
from featherflow.protos.tensor_pb2 import TensorProto, TensorShapeProto

RECORD = Path(__file__).parent.parent / "differential" / "tensor_protos.json"

# What TensorFlow refuses, or writes wrongly, and is right here.
BETTER_HERE = {
    "[np.bool_(True)], dtype='bool'": "08 0a 12 04 12 02 08 01 5a 01 01",
    "[np.bool_(True)], dtype='int32'": "08 03 12 04 12 02 08 01 3a 01 01",
    "'a', dtype='string', shape=[0]": "08 07 12 02 12 00",
    "np.array(1).astype('float8_e4m3fnuz')": "08 1a 12 00 92 01 01 40",
    "np.array([]).astype('float8_e4m3fnuz')": "08 1a 12 02 12 00",
    "np.array([[1]]).astype('float8_e4m3fnuz')": "08 1a 12 08 12 02 08 01 12 02 08 01 92 01 01 40",
    "np.array([0]).astype('float8_e4m3fnuz')": "08 1a 12 04 12 02 08 01 92 01 01 00",
    "1.5, dtype='float8_e4m3fnuz'": "08 1a 12 00 92 01 01 44",
    "np.array(1).astype('float8_e4m3b11fnuz')": "08 1b 12 00 92 01 01 58",
    "np.array([]).astype('float8_e4m3b11fnuz')": "08 1b 12 02 12 00",
    "np.array([[1]]).astype('float8_e4m3b11fnuz')": (
        "08 1b 12 08 12 02 08 01 12 02 08 01 92 01 01 58"
    ),
    "np.array([0]).astype('float8_e4m3b11fnuz')": "08 1b 12 04 12 02 08 01 92 01 01 00",
    "1.5, dtype='float8_e4m3b11fnuz'": "08 1b 12 00 92 01 01 5c",
    "np.array(1).astype('float8_e5m2fnuz')": "08 1c 12 00 92 01 01 40",
    "np.array([]).astype('float8_e5m2fnuz')": "08 1c 12 02 12 00",
    "np.array([[1]]).astype('float8_e5m2fnuz')": "08 1c 12 08 12 02 08 01 12 02 08 01 92 01 01 40",
    "np.array([0]).astype('float8_e5m2fnuz')": "08 1c 12 04 12 02 08 01 92 01 01 00",
    "1.5, dtype='float8_e5m2fnuz'": "08 1c 12 00 92 01 01 42",
}


@cache
def recorded() -> dict[str, Any]:
    record = json.loads(RECORD.read_text(encoding="ascii"))
    assert record["tensorflow"] == "2.21.0"
    return record


def parse(text: str) -> TensorProto:
    return text_format.Parse(text, TensorProto())


@pytest.mark.parametrize("case", encode_cases())
def test_bytes_are_those_of_tensorflow(case):
    expected = BETTER_HERE.get(case, recorded()["encode"][case]).replace(" ", "")
    args, kwargs = arguments(case)
    if expected.endswith("Error"):
        with pytest.raises((TypeError, ValueError)) as caught:
            make_tensor_proto(*args, **kwargs)
        assert type(caught.value).__name__ == expected
    else:
        proto = make_tensor_proto(*args, **kwargs)
        assert proto.SerializeToString(deterministic=True).hex() == expected


@pytest.mark.parametrize("case", decode_cases())
def test_arrays_are_those_of_tensorflow(case):
    expected = recorded()["decode"][case]
    proto = parse(case)
    if expected is None:
        with pytest.raises((TypeError, ValueError)):
            make_ndarray(proto)
        return
    name, shape, elements = expected
    array = make_ndarray(proto)
    assert (dtypes.from_numpy(array.dtype).name, list(array.shape)) == (name, shape)
    if name == "string":
        assert [item.decode("latin-1") for item in array.flat] == elements
    else:
        assert element_bytes(array).hex() == elements


@pytest.mark.parametrize("dtype", ["<i4", ">i4", ">f8", ">c8"])
def test_byte_order_is_normalised(dtype):
    array = np.array([1, 2], dtype)
    back = make_ndarray(make_tensor_proto(array))
    assert back.dtype.isnative
    np.testing.assert_array_equal(back, array)


def test_a_broadcast_view_is_written_as_its_one_value():
    proto = TensorProto()
    ndarray_to_proto(np.broadcast_to(np.float32(0.5), (1000, 1000)), proto)
    assert proto == make_tensor_proto(0.5, shape=[1000, 1000])
    assert proto.ByteSize() < 30
    assert (make_ndarray(proto) == np.full((1000, 1000), 0.5, np.float32)).all()


def test_a_broadcast_view_of_strings_is_written_as_its_one_value():
    proto = TensorProto()
    ndarray_to_proto(np.broadcast_to(np.array(b"ab", object), (3,)), proto)
    assert proto == make_tensor_proto("ab", shape=[3])


def test_make_ndarray_gives_arrays_that_can_be_written():
    for proto in (make_tensor_proto([1.0, 2.0]), make_tensor_proto(1.0, shape=[2])):
        array = make_ndarray(proto)
        array[0] = 7
        assert make_ndarray(proto)[0] == 1


@pytest.mark.parametrize(
    "text",
    [
        "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } float_val: 1",
        "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } }",
        "dtype: DT_STRING tensor_shape { dim { size: 1099511627776 } } string_val: 'a'",
        "dtype: DT_STRING tensor_shape { dim { size: 1099511627776 } } tensor_content: '\\001a'",
        "dtype: DT_FLOAT8_E5M2 tensor_shape { dim { size: 1099511627776 } } float8_val: '\\001'",
        "dtype: DT_HALF tensor_shape { dim { size: 4294967296 } dim { size: 4294967296 } }",
        "dtype: DT_BOOL tensor_shape { dim { size: 9223372036854775807 } dim { size: 9 } }",
        "dtype: DT_INT8 tensor_shape { dim { size: 9223372036854775807 } dim { size: 0 } "
        "dim { size: 9223372036854775807 } }",
        "dtype: DT_FLOAT tensor_shape { dim { size: 1099511627776 } } tensor_content: 'abcd'",
        "dtype: DT_FLOAT tensor_shape { " + "dim { size: 1 } " * 65 + "} float_val: 1",
    ],
)
def test_a_shape_that_claims_too_much_is_refused_before_allocation(text):
    with pytest.raises(ValueError, match=r"2 GB|bytes|too many"):
        make_ndarray(parse(text))


@pytest.mark.parametrize("shape", ["unknown_rank: true", "dim { size: -1 }", "dim { size: -2 }"])
def test_a_shape_that_is_not_known_is_refused(shape):
    with pytest.raises(ValueError, match=r"fully known|at least -1"):
        make_ndarray(parse(f"dtype: DT_FLOAT tensor_shape {{ {shape} }} float_val: 1"))


@pytest.mark.parametrize("dtype", ["DT_RESOURCE", "DT_VARIANT", "DT_INVALID", "77"])
def test_a_dtype_without_values_is_refused(dtype):
    with pytest.raises(TypeError):
        make_ndarray(parse(f"dtype: {dtype}"))


@given(
    st.binary(max_size=40), st.sampled_from([dtype.as_datatype_enum for dtype in dtypes.BASE_TYPES])
)
def test_any_bytes_give_an_array_or_a_plain_error(data, dtype):
    try:
        proto = TensorProto.FromString(data)
    except DecodeError:
        return
    proto.dtype = dtype
    try:
        array = ndarray_from_proto(proto)
    except (TypeError, ValueError):
        return
    assert array.dtype == dtypes.as_dtype(dtype).numpy_dtype


@st.composite
def number_arrays(draw: st.DrawFn) -> np.ndarray:
    """Arrays of any dtype but string, of any bits that the dtype allows."""
    dtype = draw(st.sampled_from(sorted(dtypes.TF_VALUE_DTYPES - {dtypes.string}, key=str)))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
    size = math.prod(shape) * dtype.size
    data = np.frombuffer(draw(st.binary(min_size=size, max_size=size)), np.uint8)
    data = data & 1 if dtype.is_bool else data
    return data.view(dtype.numpy_dtype).reshape(shape)


def as_numbers(array: np.ndarray) -> np.ndarray:
    """The elements in a type that NumPy compares; signalling NaNs become quiet, as they may."""
    array = array.view(array.dtype[0]) if array.dtype.fields else array
    with np.errstate(invalid="ignore"):
        return array.astype(np.complex128 if array.dtype.kind in "fcV" else np.object_)


@given(number_arrays())
def test_any_array_comes_back(array):
    proto = TensorProto()
    ndarray_to_proto(array, proto)
    back = make_ndarray(TensorProto.FromString(proto.SerializeToString()))
    assert back.dtype == array.dtype and back.shape == array.shape
    np.testing.assert_array_equal(as_numbers(back), as_numbers(array))


@given(arrays.arrays(object, (2, 2), elements=st.binary(max_size=300)))
def test_strings_come_back_from_either_form(array):
    proto = make_tensor_proto(array)
    assert make_ndarray(proto).tolist() == array.tolist()
    lengths = b"".join(
        bytes([len(item)]) if len(item) < 128 else bytes([len(item) & 127 | 128, len(item) >> 7])
        for item in array.flat
    )
    content = lengths + b"".join(array.flat)
    packed = TensorProto(dtype=7, tensor_shape=proto.tensor_shape, tensor_content=content)
    assert make_ndarray(packed).tolist() == array.tolist()


@pytest.mark.parametrize("dims", [None, (), (2, 3), (None, 0), (None,)])
def test_shapes_come_back(dims):
    shape = TensorShape(dims)
    assert shape_from_proto(shape_to_proto(shape))._dims == dims
    assert shape_to_proto(dims, TensorShapeProto()) == shape_to_proto(shape)


def test_a_tensor_beyond_two_gigabytes_is_refused():
    with pytest.raises(ValueError, match="2GB"):
        make_tensor_proto(np.broadcast_to(np.uint8(0), (2**31,)))


def test_as_ndarray_leaves_the_strings_it_was_given_alone():
    given_array = np.array(["a", b"b"], object)
    assert as_ndarray(given_array).tolist() == [b"a", b"b"]
    assert given_array.tolist() == ["a", b"b"]


def test_as_ndarray_takes_scalars_of_ml_dtypes_in_lists():
    assert as_ndarray([ml_dtypes.bfloat16(1.5)], "float32").tolist() == [1.5]
    assert as_ndarray([ml_dtypes.int4(-3)], "int8").tolist() == [-3]


def test_protobuf_is_imported_only_when_a_message_is_made():
    program = (
        "import sys; import featherflow.framework.attr_value as module; "
        "print(sum(name.startswith('google.protobuf') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "0"
