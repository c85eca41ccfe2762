"""Logarithm, sine and cosine of float32 arrays, rounded exactly as glibc's logf, sinf and cosf.

Random normals must be TensorFlow's to the last bit, and TensorFlow calls libm for them. NumPy's
own float32 functions differ from libm's in the last bit for one argument in ten, and rounding the
float64 functions differs for one in a hundred; here the arithmetic of libm is repeated in float64.
Compared with glibc 2.36 on every argument that the normal distribution can meet, all 2²³ of them,
there is no difference.

See: Arm Optimized Routines (MIT licence), `logf`, `sinf` and `cosf`, which glibc has used since
2.28; the coefficients are theirs.
"""

from __future__ import annotations

import numpy as np

_LN2 = float.fromhex("0x1.62e42fefa39efp-1")
# Subintervals of [0.7, 1.4): 1/c and log c for a point c in each.
_LOG_INTERVALS = np.array(
    [
        [float.fromhex(inverse), float.fromhex(logarithm)]
        for inverse, logarithm in (
            ("0x1.661ec79f8f3bep+0", "-0x1.57bf7808caadep-2"),
            ("0x1.571ed4aaf883dp+0", "-0x1.2bef0a7c06ddbp-2"),
            ("0x1.49539f0f010bp+0", "-0x1.01eae7f513a67p-2"),
            ("0x1.3c995b0b80385p+0", "-0x1.b31d8a68224e9p-3"),
            ("0x1.30d190c8864a5p+0", "-0x1.6574f0ac07758p-3"),
            ("0x1.25e227b0b8eap+0", "-0x1.1aa2bc79c81p-3"),
            ("0x1.1bb4a4a1a343fp+0", "-0x1.a4e76ce8c0e5ep-4"),
            ("0x1.12358f08ae5bap+0", "-0x1.1973c5a611cccp-4"),
            ("0x1.0953f419900a7p+0", "-0x1.252f438e10c1ep-5"),
            ("0x1p+0", "0x0p+0"),
            ("0x1.e608cfd9a47acp-1", "0x1.aa5aa5df25984p-5"),
            ("0x1.ca4b31f026aap-1", "0x1.c5e53aa362eb4p-4"),
            ("0x1.b2036576afce6p-1", "0x1.526e57720db08p-3"),
            ("0x1.9c2d163a1aa2dp-1", "0x1.bc2860d22477p-3"),
            ("0x1.886e6037841edp-1", "0x1.1058bc8a07ee1p-2"),
            ("0x1.767dcf5534862p-1", "0x1.4043057b6ee09p-2"),
        )
    ]
).T.copy()
_LOG_POLYNOMIAL = [
    float.fromhex(text)
    for text in ("-0x1.00ea348b88334p-2", "0x1.5575b0be00b6ap-2", "-0x1.ffffef20a4123p-2")
]
_HALF_PI = float.fromhex("0x1.921fb54442d18p0")
# 2/π · 2²⁴: a product with it has the quadrant above 24 fraction bits.
_QUADRANTS = float.fromhex("0x1.45f306dc9c883p+23")
_COSINE = [
    float.fromhex(text)
    for text in (
        "0x1p+0",
        "-0x1.ffffffd0c621cp-2",
        "0x1.55553e1068f19p-5",
        "-0x1.6c087e89a359dp-10",
        "0x1.99343027bf8c3p-16",
    )
]
_SINE = [
    float.fromhex(text)
    for text in ("-0x1.555545995a603p-3", "0x1.1107605230bc4p-7", "-0x1.994eb3774cf24p-13")
]


def log(argument: np.ndarray) -> np.ndarray:
    """Natural logarithm of positive, normal float32 numbers.

        x = 2^k · z with z ≈ c;   log x = log(1 + r) + log c + k · ln 2   with r = z/c − 1

    >>> log(np.array([1.0, 0.5], np.float32))
    array([ 0.       , -0.6931472], dtype=float32)
    """
    bits = argument.view(np.int32)
    # Counted from the bits of 0.699, so that intervals surround 1 and log 1 is exactly 0.
    offset = bits - np.int32(0x3F330000)
    interval = (offset >> 19) & 15
    exponent = offset >> 23
    significand = (bits - (exponent << 23)).view(np.float32).astype(np.float64)
    inverse, logarithm = _LOG_INTERVALS[:, interval]
    rest = significand * inverse - 1
    square = rest * rest
    cubic, quadratic, linear = _LOG_POLYNOMIAL
    tail = (quadratic * rest + linear) + cubic * square
    return (tail * square + ((logarithm + exponent * _LN2) + rest)).astype(np.float32)


def sine_and_cosine(argument: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sine and cosine of float32 numbers in [0, 120).

    The argument is reduced to [−π/4, π/4] and its quadrant, which says which of the two
    polynomials is which function, and with what sign.
    """
    values = argument.astype(np.float64)
    quadrant = ((values * _QUADRANTS).astype(np.int32) + np.int32(1 << 23)) >> 24
    reduced = values - quadrant * _HALF_PI
    square = reduced * reduced
    cube, fourth = reduced * square, square * square
    sine = (reduced + cube * _SINE[0]) + (cube * square) * (_SINE[1] + square * _SINE[2])
    low = (_COSINE[0] + square * _COSINE[1]) + fourth * _COSINE[2]
    cosine = low + (fourth * square) * (_COSINE[3] + square * _COSINE[4])
    swapped = (quadrant & 1).astype(bool)
    sine, cosine = np.where(swapped, cosine, sine), np.where(swapped, sine, cosine)
    np.negative(sine, out=sine, where=(quadrant & 2).astype(bool))
    np.negative(cosine, out=cosine, where=((quadrant + 1) & 2).astype(bool))
    return sine.astype(np.float32), cosine.astype(np.float32)
