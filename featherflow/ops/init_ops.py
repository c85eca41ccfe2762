"""Initialisers: objects that make a variable's initial value from its shape."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops import constant_ops, random_ops
from featherflow.ops.arithmetic_ops import Mul
from featherflow.ops.core_array_ops import slice_
from featherflow.ops.fill_ops import ones, zeros
from featherflow.ops.magnitude_ops import sign
from featherflow.ops.qr_ops import qr
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.tensor_diag_ops import eye, tensor_diag_part
from featherflow.ops.transpose_ops import matrix_transpose

# The standard deviation of a standard normal cut off at ±2.
_TRUNCATED_STDDEV = 0.87962566103423978


class Initializer:
    """Calls give a tensor: `initializer(shape, dtype=None, partition_info=None)`.

    Args:
      dtype: of the values where a call names none.
    """

    def __init__(self, dtype: Any = dtypes.float32) -> None:
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """A tensor of `shape`; `partition_info` tells which part of a whole it is."""
        wanted = self.dtype if dtype is None else dtypes.as_dtype(dtype)
        return self._values(shape, wanted, partition_info)

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        raise NotImplementedError(type(self).__name__)

    def _arguments(self) -> dict[str, Any]:
        return {}

    def get_config(self) -> dict[str, Any]:
        """The arguments of an equal initialiser."""
        return {**self._arguments(), "dtype": self.dtype.name}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initialiser with these arguments."""
        return cls(**config)


@export_v1("zeros_initializer", "initializers.zeros")
class Zeros(Initializer):
    """All zeros."""

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        return zeros(shape, dtype)


@export_v1("ones_initializer", "initializers.ones")
class Ones(Initializer):
    """All ones."""

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        return ones(shape, dtype)


@export_v1("constant_initializer", "initializers.constant")
class Constant(Initializer):
    """A given value, or array of values.

    Args:
      value: a number, or values for all elements; fewer are filled up with the last.
      dtype: of the values where a call names none.
      verify_shape: refuse values of another shape.
    """

    def __init__(
        self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False
    ) -> None:
        super().__init__(dtype)
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f"Invalid type for initial value={value!r} of type {type(value).__name__}: "
                "expected a "
                "Python scalar, list or tuple of values, or a numpy.ndarray."
            )
        self.value = value
        self._verify_shape = verify_shape

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, verify_shape: Any = None
    ) -> Tensor:
        wanted = self.dtype if dtype is None else dtypes.as_dtype(dtype)
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant_ops.constant_v1(self.value, wanted, shape, verify_shape=verify)

    def _arguments(self) -> dict[str, Any]:
        return {"value": self.value}


@export_v1("initializers.identity")
class Identity(Initializer):
    """`gain` on the diagonal of a matrix, zeros elsewhere.

    Args:
      gain: the factor.
      dtype: of the values where a call names none; floating.
    Raises:
      ValueError: (from the call) the shape is not a matrix.
    """

    def __init__(self, gain: float = 1.0, dtype: Any = dtypes.float32) -> None:
        super().__init__(dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` must be floating, received {self.dtype.name}.")
        self.gain = gain

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        whole = _whole_shape(shape, partition_info)
        if len(whole) != 2:
            raise ValueError(f"Only matrices have a diagonal, received the shape {whole}.")
        matrix = eye(*whole, dtype=dtype)
        if partition_info is not None:
            matrix = slice_(matrix, partition_info.var_offset, shape)
        return self.gain * matrix  # type: ignore[operator]

    def _arguments(self) -> dict[str, Any]:
        return {"gain": self.gain}


class _Seeded(Initializer):
    """An initialiser that draws."""

    def __init__(self, seed: int | None, dtype: Any) -> None:
        super().__init__(dtype)
        self.seed = seed


@export_v1("random_uniform_initializer", "initializers.random_uniform")
class RandomUniform(_Seeded):
    """Uniform numbers of [minval, maxval)."""

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__(seed, dtype)
        self.minval = minval
        self.maxval = maxval

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        return random_ops.random_uniform(shape, self.minval, self.maxval, dtype, self.seed)

    def _arguments(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class _Normal(_Seeded):
    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        super().__init__(seed, dtype)
        self.mean = mean
        self.stddev = stddev

    def _arguments(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@export_v1("random_normal_initializer", "initializers.random_normal")
class RandomNormal(_Normal):
    """Normal numbers."""

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        return random_ops.random_normal(shape, self.mean, self.stddev, dtype, self.seed)


@export_v1("truncated_normal_initializer", "initializers.truncated_normal")
class TruncatedNormal(_Normal):
    """Normal numbers no more than two standard deviations off."""

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        return random_ops.truncated_normal(shape, self.mean, self.stddev, dtype, self.seed)


@export_v1("uniform_unit_scaling_initializer", "initializers.uniform_unit_scaling")
class UniformUnitScaling(_Seeded):
    """Uniform numbers of ±√(3 / inputs) · factor, which keep the scale of what they multiply."""

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(seed, dtype)
        self.factor = factor

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        whole = _whole_shape(shape, partition_info)
        inputs = max(1.0, math.prod(float(dim) for dim in whole[:-1]))
        limit = math.sqrt(3 / inputs) * self.factor
        return random_ops.random_uniform(shape, -limit, limit, dtype, self.seed)

    def _arguments(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed}


@export_v1("variance_scaling_initializer", "initializers.variance_scaling")
class VarianceScaling(_Seeded):
    """Numbers of variance scale / n, where n counts inputs, outputs, or is their mean.

    Args:
      scale: a positive factor.
      mode: "fan_in" (n = inputs), "fan_out" (outputs) or "fan_avg".
      distribution: "normal" or "truncated_normal" (cut off at two standard deviations),
        "untruncated_normal", or "uniform".
      seed: of the op.
      dtype: of the values where a call names none.
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ) -> None:
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(
                "Argument `mode` should be one of ('fan_in', 'fan_out', 'fan_avg'). Received: "
                f"{mode}"
            )
        distribution = distribution.lower()
        if distribution not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(
                "Argument `distribution` should be one of ('normal', 'uniform', "
                "'truncated_normal', "
                f"'untruncated_normal'). Received: {distribution}"
            )
        super().__init__(seed, dtype)
        self.scale = scale
        self.mode = mode
        self.distribution = distribution

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        inputs, outputs = fans(_whole_shape(shape, partition_info))
        count = {"fan_in": inputs, "fan_out": outputs, "fan_avg": (inputs + outputs) / 2.0}
        scale = self.scale / max(1.0, count[self.mode])
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return random_ops.random_uniform(shape, -limit, limit, dtype, self.seed)
        if self.distribution == "untruncated_normal":
            return random_ops.random_normal(shape, 0.0, math.sqrt(scale), dtype, self.seed)
        stddev = math.sqrt(scale) / _TRUNCATED_STDDEV
        return random_ops.truncated_normal(shape, 0.0, stddev, dtype, self.seed)

    def _arguments(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
        }


@export_v1("orthogonal_initializer", "initializers.orthogonal")
class Orthogonal(_Seeded):
    """A matrix whose rows or columns, whichever are fewer, are orthogonal and of length `gain`.

    Q of the QR factorisation of normal numbers, with the signs that make the diagonal of R
    positive: so all orthogonal matrices are equally likely. Saxe et al. 2014; Mezzadri 2007.

    Args:
      gain: the factor.
      seed: of the op.
      dtype: of the values where a call names none; floating.
    Raises:
      ValueError: `dtype` is not floating, or (from the call) the shape has less than two
        dimensions. All but the last count as rows.
    """

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32
    ) -> None:
        super().__init__(seed, dtype)
        if not self.dtype.is_floating:
            raise ValueError(f"Argument `dtype` must be floating, received {self.dtype.name}.")
        self.gain = gain

    def _values(self, shape: Any, dtype: DType, partition_info: Any) -> Tensor:
        dims = _whole_shape(shape, None)
        if len(dims) < 2:
            raise ValueError(
                "The tensor to initialize, specified by argument `shape` must be at least "
                f"two-dimensional. Received shape={shape}"
            )
        rows, columns = math.prod(dims[:-1]), dims[-1]
        tall = [max(rows, columns), min(rows, columns)]
        numbers = random_ops.random_normal(tall, dtype=dtype, seed=self.seed)
        q, r = qr(numbers, full_matrices=False)
        q = Mul(q, sign(tensor_diag_part(r)), name="mul")
        if rows < columns:
            q = matrix_transpose(q)
        return self.gain * reshape(q, shape)  # type: ignore[operator]

    def _arguments(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed}


@export_v1("glorot_uniform_initializer", "initializers.glorot_uniform")
class GlorotUniform(VarianceScaling):
    """Uniform numbers of ±√(6 / (inputs + outputs)). Glorot & Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def _arguments(self) -> dict[str, Any]:
        return {"seed": self.seed}


@export_v1("glorot_normal_initializer", "initializers.glorot_normal")
class GlorotNormal(VarianceScaling):
    """Truncated normal numbers of variance 2 / (inputs + outputs). Glorot & Bengio 2010."""

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def _arguments(self) -> dict[str, Any]:
        return {"seed": self.seed}


@export_v1("initializers.he_normal")
def he_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal numbers of variance 2 / inputs. He et al. 2015."""
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


@export_v1("initializers.he_uniform")
def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform numbers of ±√(6 / inputs). He et al. 2015."""
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


@export_v1("initializers.lecun_normal")
def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal numbers of variance 1 / inputs. LeCun et al. 1998."""
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


@export_v1("initializers.lecun_uniform")
def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform numbers of ±√(3 / inputs). LeCun et al. 1998."""
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def fans(shape: list[int]) -> tuple[float, float]:
    """The numbers of inputs and outputs of a weight: dense `[in, out]`, or `[window…, in, out]`."""
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    window = math.prod(shape[:-2])
    return shape[-2] * window, shape[-1] * window


def _whole_shape(shape: Any, partition_info: Any) -> list[int]:
    whole = shape if partition_info is None else partition_info.full_shape
    if isinstance(whole, Tensor):
        raise ValueError(
            "The scale of these initial values follows from the shape, which must be known while "
            "the "
            f"graph is built; received {whole!r}."
        )
    return TensorShape(whole).as_list()
