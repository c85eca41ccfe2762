"""Elementwise ops: unary, binary with broadcasting, selections, sums of many."""

from __future__ import annotations

from ..static_shapes import Given, Row, Value

_UNARY = (
    "Abs Neg Sign Exp Expm1 Log Log1p Sqrt Rsqrt Square Reciprocal Tanh Sigmoid Sin Cos Tan Asin "
    "Acos Atan Sinh Cosh Asinh Acosh Atanh Erf Erfc Lgamma Digamma Ceil Floor Rint Round IsNan "
    "IsInf IsFinite ZerosLike OnesLike"
)
_IDENTITY = "Identity StopGradient Snapshot PreventGradient"
_BINARY = (
    "Add Sub Mul Div RealDiv FloorDiv DivNoNan MulNoNan Mod FloorMod Maximum Minimum Pow "
    "SquaredDifference Atan2 Less LessEqual Greater GreaterEqual Xdivy Xlogy"
)
_BITWISE = "BitwiseAnd BitwiseOr BitwiseXor LeftShift RightShift TruncateDiv TruncateMod"
_UNARY_GRADIENTS = "TanhGrad SigmoidGrad SqrtGrad RsqrtGrad ReciprocalGrad"

_BROADCASTS = (
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (2, 3)),
    ((), ()),
    ((0, 3), (1, 3)),
    ((0,), (1,)),
    ((1,), (4, 1, 1)),
    ((2, 3), (4,)),
    ((0,), (2,)),
)


def _pair(op, left, right, dtype="float32", **attrs):
    return Row(op, {"x": Given(left, dtype), "y": Given(right, dtype)}, attrs)


ROWS = [
    *(Row(op, {"x": Given((2, 3))}) for op in _UNARY.split()),
    *(Row(op, {"input": Given((2, 3))}) for op in _IDENTITY.split()),
    Row("Abs", {"x": Given(())}),
    Row("Neg", {"x": Given((0, 4))}),
    Row("LogicalNot", {"x": Given((2, 3), "bool")}),
    Row("Invert", {"x": Given((2, 3), "int32")}),
    Row("Cast", {"x": Given((2, 3))}, {"DstT": "int32"}),
    Row("CheckNumerics", {"tensor": Given((2, 3))}, {"message": "finite"}),
    Row("Real", {"input": Given((2, 3), "complex64")}),
    Row("Imag", {"input": Given((2, 3), "complex64")}),
    Row("Angle", {"input": Given((2, 3), "complex64")}),
    Row("Conj", {"input": Given((2, 3), "complex64")}),
    Row("ComplexAbs", {"x": Given((2, 3), "complex64")}),
    Row("Complex", {"real": Given((2, 1)), "imag": Given((3,))}),
    *(_pair("AddV2", left, right) for left, right in _BROADCASTS),
    *(_pair("Mul", left, right) for left, right in _BROADCASTS),
    *(_pair(op, (2, 1), (3,)) for op in _BINARY.split()),
    *(_pair(op, (2, 1), (3,), "int32") for op in _BITWISE.split()),
    _pair("LogicalAnd", (2, 1), (3,), "bool"),
    _pair("LogicalOr", (2, 3), (3,), "bool"),
    *(_pair("Equal", left, right) for left, right in _BROADCASTS),
    _pair("Equal", (2, 3), (4,), incompatible_shape_error=False),
    _pair("NotEqual", (2, 3), (3,), incompatible_shape_error=False),
    _pair("ApproximateEqual", (2, 3), (2, 3)),
    _pair("ApproximateEqual", (2, 3), (3,)),
    *(Row(op, {"y": Given((2, 3)), "dy": Given((2, 3))}) for op in _UNARY_GRADIENTS.split()[:4]),
    Row("InvGrad", {"y": Given((2, 3)), "dy": Given((2, 3))}),
    Row("AddN", {"inputs": [Given((2, 3)), Given((2, 3)), Given((2, 3))]}),
    Row("AddN", {"inputs": [Given((2, 3)), Given((3,))]}),
    Row("AddN", {"inputs": [Given((2, None)), Given((None, 3))]}),
    Row(
        "AccumulateNV2",
        {"inputs": [Given((2, 3)), Given((2, 3))]},
        {"shape": (2, 3)},
    ),
    *(
        Row("Select", {"condition": Given(c, "bool"), "t": Given(t), "e": Given(e)})
        for c, t, e in (
            ((2, 3), (2, 3), (2, 3)),
            ((2,), (2, 3), (2, 3)),
            ((), (2, 3), (2, 3)),
            ((3,), (2, 3), (2, 3)),
            ((2, 3), (2, 3), (3,)),
            ((2, 1), (2, 3), (2, 3)),
        )
    ),
    *(
        Row("SelectV2", {"condition": Given(c, "bool"), "t": Given(t), "e": Given(e)})
        for c, t, e in (
            ((2, 3), (2, 3), (2, 3)),
            ((2, 1), (3,), ()),
            ((), (2, 1), (1, 3)),
            ((4,), (2, 3), (2, 3)),
        )
    ),
    *(
        Row(
            "ClipByValue",
            {"t": Given((2, 3)), "clip_value_min": Given(low), "clip_value_max": Given(high)},
        )
        for low, high in (((), ()), ((2, 3), (2, 3)), ((3,), ()))
    ),
    Row("BroadcastTo", {"input": Given((2, 1)), "shape": Value([4, 2, 3])}),
    Row("BroadcastTo", {"input": Given(()), "shape": Value([0, 2])}),
    Row("BroadcastTo", {"input": Given((2,)), "shape": Value([3])}),
    Row("BroadcastArgs", {"s0": Value([2, 1]), "s1": Value([3])}),
    Row("BroadcastGradientArgs", {"s0": Value([2, 1]), "s1": Value([3])}),
    Row("Bucketize", {"input": Given((2, 3))}, {"boundaries": [0.0, 1.0]}),
    Row("Cross", {"a": Given((2, 3)), "b": Given((2, 3))}),
    Row("Betainc", {"a": Given((2,)), "b": Given((2,)), "x": Given((2,))}),
    Row("Betainc", {"a": Given(()), "b": Given((2,)), "x": Given((2,))}),
    Row("Igamma", {"a": Given((2, 1)), "x": Given((3,))}),
    Row("Polygamma", {"a": Given((2, 1)), "x": Given((3,))}),
    Row("Zeta", {"x": Given((2, 1)), "q": Given((3,))}),
]
