"""tf.TensorSpec: what a tensor is like: shape, dtype, name. Input signatures are made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor


@export("TypeSpec")
class TypeSpec(ABC):
    """What values of a kind are like, as far as functions tell them apart."""

    @property
    @abstractmethod
    def value_type(self) -> type:
        """The class of the values."""

    @abstractmethod
    def is_compatible_with(self, spec_or_value: Any) -> bool:
        """Whether a value, or every value of a spec, may be of this kind."""


@export("TensorSpec")
class TensorSpec(TypeSpec):
    """A tensor of `dtype` whose shape is `shape`, as far as that is known.

    Args:
      shape: a TensorShape or what becomes one; None for any.
      dtype: of the elements.
      name: of the argument that it stands for.
    Raises:
      TypeError: there is no such dtype.

    >>> import featherflow as tf
    >>> tf.TensorSpec([2, 3], tf.float32, name="x")
    TensorSpec(shape=(2, 3), dtype=tf.float32, name='x')
    """

    __slots__ = ("_dtype", "_name", "_shape")

    def __init__(self, shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype = as_dtype(dtype)
        self._name = name

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """A spec like another one, under another name if one is given."""
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: Any, name: str | None = None) -> TensorSpec:
        """The spec of one tensor.

        Raises:
          ValueError: it is none.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        if name is None and tensor.__class__ is Tensor:
            name = tensor.op.name
        return cls(tensor.shape, tensor.dtype, name)

    @property
    def shape(self) -> TensorShape:
        """The shape, as far as it is known."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name of the argument."""
        return self._name

    @property
    def value_type(self) -> type:
        return Tensor

    def is_compatible_with(self, spec_or_tensor: Any) -> bool:
        if not isinstance(spec_or_tensor, (TensorSpec, Tensor)):
            try:
                spec_or_tensor = convert_to_tensor(spec_or_tensor, dtype=self._dtype)
            except (TypeError, ValueError):
                return False
        return self._dtype.is_compatible_with(spec_or_tensor.dtype) and (
            self._shape.is_compatible_with(spec_or_tensor.shape)
        )

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this kind is of the other."""
        return (
            isinstance(other, TensorSpec)
            and self._dtype is other._dtype
            and (self._shape.is_subtype_of(other._shape))
            and other._name in (None, self._name)
        )

    def most_specific_common_supertype(self, others: Any) -> TensorSpec | None:
        """The most specific spec that this one and the others are subtypes of, or None."""
        shape, name = self._shape, self._name
        for other in others:
            if not isinstance(other, TensorSpec) or other._dtype is not self._dtype:
                return None
            shape = shape.most_specific_compatible_shape(other._shape)
            name = name if name == other._name else None
        return TensorSpec(shape, self._dtype, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TensorSpec) and (
            self._dtype is other._dtype
            and self._name == other._name
            and self._shape._dims == other._shape._dims
        )

    def __hash__(self) -> int:
        return hash((self._shape._dims, self._dtype))

    def __reduce__(self) -> Any:
        return TensorSpec, (self._shape, self._dtype, self._name)

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self._shape}, dtype={self._dtype!r}, name={self._name!r})"
