"""SparseTensor: the elements of a tensor that are not zero, and their places."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar

from featherflow.framework import dtypes, nest
from featherflow.framework.dtypes import DType
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value_as_shape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor

if TYPE_CHECKING:
    from featherflow.graph.graph import Graph
    from featherflow.graph.operation import Operation

SparseTensorValue = namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])
SparseTensorValue.__doc__ = "What `Session.run` gives for a SparseTensor: three arrays."


class SparseTensor:
    """`dense[indices[i]] = values[i]`, zeros elsewhere.

    Args:
      indices: [N, rank], int64, the places of the elements; in row-major order for most ops.
      values: [N], the elements.
      dense_shape: [rank], int64, the shape of the dense tensor.
    Raises:
      ValueError: the three do not fit each other.

    >>> import featherflow as tf
    >>> tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2]).shape.as_list()
    [3, 2]
    """

    __slots__ = ("__weakref__", "_dense_shape", "_indices", "_static_shape", "_values")

    #: What `*` and `/` do, by name; set by the ops that they make.
    operators: ClassVar[dict[str, Callable[[SparseTensor, Any], SparseTensor]]] = {}

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        with name_scope(None, "SparseTensor", [indices, values, dense_shape]):
            self._indices: Tensor = convert_to_tensor(indices, dtypes.int64, name="indices")
            self._values: Tensor = convert_to_tensor(values, name="values")
            self._dense_shape: Tensor = convert_to_tensor(
                dense_shape, dtypes.int64, name="dense_shape"
            )
        self._check_shapes()
        self._static_shape = constant_value_as_shape(self._dense_shape)

    def _check_shapes(self) -> None:
        count = TensorShape(self._indices.shape.with_rank(2).as_list()[:1])
        count.assert_is_compatible_with(self._values.shape.with_rank(1))
        rank = TensorShape(self._indices.shape.with_rank(2).as_list()[1:])
        rank.assert_is_compatible_with(self._dense_shape.shape.with_rank(1))

    @classmethod
    def from_value(cls, sparse_tensor_value: Any) -> SparseTensor:
        """The SparseTensor of constants that a SparseTensorValue holds."""
        if not isinstance(sparse_tensor_value, (SparseTensor, SparseTensorValue)):
            raise TypeError(
                f"Not a SparseTensor or SparseTensorValue: received {sparse_tensor_value!r}."
            )
        return cls(*(getattr(sparse_tensor_value, field) for field in SparseTensorValue._fields))

    def with_values(self, new_values: Any) -> SparseTensor:
        """Other elements at the same places."""
        return SparseTensor(self._indices, new_values, self._dense_shape)

    @property
    def indices(self) -> Tensor:
        """The places of the elements."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """The elements."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the dense tensor as a tensor."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """The static shape of the dense tensor, as far as it is known."""
        return self._static_shape

    def get_shape(self) -> TensorShape:
        """The static shape of the dense tensor, as far as it is known."""
        return self._static_shape

    def set_shape(self, shape: Any) -> None:
        """Merges `shape` into the static shape."""
        self._static_shape = self._static_shape.merge_with(shape)

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def op(self) -> Operation:
        """The Operation that makes `values`."""
        return self._values.op

    @property
    def graph(self) -> Graph:
        """The graph that holds the parts."""
        return self._indices.graph

    def consumers(self) -> list[Operation]:
        """The Operations that take `values` as an input."""
        return self._values.consumers()

    def eval(self, feed_dict: dict | None = None, session: Any = None) -> Any:
        """Runs the parts in `session`, else in the default session; a SparseTensorValue."""
        parts = [self._indices, self._values, self._dense_shape]
        return SparseTensorValue(*(part.eval(feed_dict, session) for part in parts))

    def __mul__(self, other: Any) -> SparseTensor:
        """The elements times those of a tensor that broadcasts to the shape."""
        return self.operators["mul"](self, other)

    def __truediv__(self, other: Any) -> SparseTensor:
        """The elements divided by those of a tensor that broadcasts to the shape."""
        return self.operators["truediv"](self, other)

    def __div__(self, other: Any) -> SparseTensor:
        """`/` under its name in Python 2, which TF1 programs call."""
        return self.operators["div"](self, other)

    def __str__(self) -> str:
        return (
            f"SparseTensor(indices={self._indices}, values={self._values}, "
            f"dense_shape={self._dense_shape})"
        )

    __repr__ = __str__


def as_sparse_tensor(value: Any) -> SparseTensor:
    """`value`, a SparseTensor or SparseTensorValue, as the former.

    Raises:
      TypeError: it is neither.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError(f"Input must be a SparseTensor, received {value!r}.")
    return value


nest.register_composite(
    SparseTensor,
    lambda value: [value.indices, value.values, value.dense_shape],
    lambda _, parts: SparseTensor(*parts),
)
