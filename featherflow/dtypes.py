# ruff: noqa
"""tf.dtypes: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.framework.dtypes import DType as DType
    from featherflow.framework.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
    from featherflow.framework.dtypes import as_dtype as as_dtype
    from featherflow.framework.dtypes import bfloat16 as bfloat16
    from featherflow.framework.dtypes import bool as bool
    from featherflow.framework.dtypes import complex128 as complex128
    from featherflow.framework.dtypes import complex64 as complex64
    from featherflow.framework.dtypes import double as double
    from featherflow.framework.dtypes import float16 as float16
    from featherflow.framework.dtypes import float32 as float32
    from featherflow.framework.dtypes import float4_e2m1fn as float4_e2m1fn
    from featherflow.framework.dtypes import float64 as float64
    from featherflow.framework.dtypes import float8_e4m3b11fnuz as float8_e4m3b11fnuz
    from featherflow.framework.dtypes import float8_e4m3fn as float8_e4m3fn
    from featherflow.framework.dtypes import float8_e4m3fnuz as float8_e4m3fnuz
    from featherflow.framework.dtypes import float8_e5m2 as float8_e5m2
    from featherflow.framework.dtypes import float8_e5m2fnuz as float8_e5m2fnuz
    from featherflow.framework.dtypes import half as half
    from featherflow.framework.dtypes import int16 as int16
    from featherflow.framework.dtypes import int2 as int2
    from featherflow.framework.dtypes import int32 as int32
    from featherflow.framework.dtypes import int4 as int4
    from featherflow.framework.dtypes import int64 as int64
    from featherflow.framework.dtypes import int8 as int8
    from featherflow.framework.dtypes import qint16 as qint16
    from featherflow.framework.dtypes import qint32 as qint32
    from featherflow.framework.dtypes import qint8 as qint8
    from featherflow.framework.dtypes import quint16 as quint16
    from featherflow.framework.dtypes import quint8 as quint8
    from featherflow.framework.dtypes import resource as resource
    from featherflow.framework.dtypes import string as string
    from featherflow.framework.dtypes import uint16 as uint16
    from featherflow.framework.dtypes import uint2 as uint2
    from featherflow.framework.dtypes import uint32 as uint32
    from featherflow.framework.dtypes import uint4 as uint4
    from featherflow.framework.dtypes import uint64 as uint64
    from featherflow.framework.dtypes import uint8 as uint8
    from featherflow.framework.dtypes import variant as variant
    from featherflow.ops.cast_ops import cast as cast
    from featherflow.ops.clip_ops import saturate_cast as saturate_cast
    from featherflow.ops.complex_ops import complex as complex

__getattr__, __dir__ = lazy_namespace("dtypes", globals())
