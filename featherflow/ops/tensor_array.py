"""tf.TensorArray: a list of tensors that a loop writes and reads by index."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.dtypes import DType
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import UNKNOWN, TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import colocate_with, control_dependencies, name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.cast_ops import cast
from featherflow.ops.identity_ops import identity
from featherflow.ops.range_ops import range_
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array_ops import (
    TensorArrayCloseV3,
    TensorArrayConcatV3,
    TensorArrayGatherV3,
    TensorArrayGradV3,
    TensorArrayReadV3,
    TensorArrayScatterV3,
    TensorArraySizeV3,
    TensorArraySplitV3,
    TensorArrayV3,
    TensorArrayWriteV3,
)


class _Facts:
    """What all TensorArrays of one handle share: the shape found so far, and where it is placed."""

    __slots__ = ("colocated_with", "element_shape")

    def __init__(self, element_shape: TensorShape) -> None:
        self.element_shape = element_shape
        self.colocated_with: Tensor | None = None


@export("TensorArray")
class TensorArray:
    """Tensors of one dtype by index, each written once: what loops collect their results in.

    Writes return a new TensorArray, which stands for the array after the write; use that one, so
    that reads wait for it.

    Args:
      dtype: of the elements.
      size: how many there are; needed unless `handle` is given.
      dynamic_size: writes beyond the end make it longer.
      clear_after_read: an element is dropped once it has been read (the default), so that its
        memory is free; it cannot be read again.
      tensor_array_name: in messages.
      handle, flow: of an array that exists.
      infer_shape: all elements have the shape of the first that is written.
      element_shape: of all elements, as far as it is known.
      colocate_with_first_write_call: place the writes with the first value that is written.
      name: of the node.
    Raises:
      ValueError: the arguments contradict each other.
      TypeError: `handle` is not a tensor.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     array = tf.TensorArray(tf.float32, size=2)
    ...     array = array.write(0, 10.0).write(1, 20.0)
    ...     print(session.run(array.stack()))
    [10. 20.]
    """

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Tensor | None = None,
        flow: Tensor | None = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        _check_arguments(handle, size, tensor_array_name, dynamic_size, clear_after_read)
        self._dtype = dtypes.as_dtype(dtype).base_dtype
        self._dynamic_size = bool(dynamic_size)
        self._infer_shape = infer_shape
        self._colocates = colocate_with_first_write_call
        self._size = size
        self._facts = _Facts(UNKNOWN if element_shape is None else TensorShape(element_shape))
        with name_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None:
                self._handle = handle
                self._flow = flow if flow is not None else TensorArrayGradV3(handle, 0.0)[1]
                return
            self._handle, self._flow = TensorArrayV3(
                size,
                dtype=self._dtype,
                element_shape=self._facts.element_shape,
                identical_element_shapes=infer_shape,
                dynamic_size=self._dynamic_size,
                clear_after_read=clear_after_read is not False,
                tensor_array_name=tensor_array_name or "",
                name=scope,
            )

    # --- facts ------------------------------------------------------------------------------------

    @property
    def flow(self) -> Tensor:
        """A scalar that depends on all writes so far."""
        return self._flow

    @property
    def handle(self) -> Tensor:
        """The handle of the array."""
        return self._handle

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writes beyond the end make it longer."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The static shape of the elements, as far as it is known."""
        return self._facts.element_shape

    def _with_flow(self, flow: Tensor) -> TensorArray:
        """The same array after the writes that `flow` depends on."""
        result = object.__new__(TensorArray)
        result.__dict__.update(self.__dict__)
        result._flow = flow
        return result

    def _check_element_shape(self, shape: TensorShape) -> None:
        """Merges the static shape of a written element into that of all.

        Raises:
          ValueError: they are not compatible.
        """
        if not self.element_shape.is_compatible_with(shape):
            raise ValueError(f"Inconsistent shapes: saw {shape} but expected {self.element_shape}")
        if self._infer_shape:
            self._facts.element_shape = self.element_shape.merge_with(shape)

    def _placed_with(self, value: Tensor) -> AbstractContextManager[Any]:
        """Places the nodes of all writes with the first value written."""
        if not self._colocates:
            return nullcontext()
        if self._facts.colocated_with is None:
            self._facts.colocated_with = value
        return colocate_with(self._facts.colocated_with)

    # --- whole arrays -----------------------------------------------------------------------------

    def identity(self) -> TensorArray:
        """The same array; reads of the result wait for what this call waits for."""
        return self._with_flow(identity(self._flow))

    def grad(self, source: str, flow: Tensor | None = None, name: str | None = None) -> TensorArray:
        """The array of gradients with respect to the elements, made when it is first asked for.

        Args:
          source: tells apart the arrays of several computations of gradients.
          flow: of this array; None takes its own.
          name: of the node.
        """
        flow = self._flow if flow is None else flow
        with name_scope(name, "TensorArrayGrad", [self._handle]), colocate_with(self._handle):
            handle, _ = TensorArrayGradV3(self._handle, flow, source=source, name=name)
            with control_dependencies([handle]):
                after = identity(flow, name="gradient_flow")
        result = TensorArray(
            self._dtype,
            handle=handle,
            flow=after,
            infer_shape=self._infer_shape,
            colocate_with_first_write_call=False,
        )
        result._facts.element_shape = self.element_shape
        return result

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements, a scalar of int32."""
        if not self._dynamic_size and self._size is not None:
            return convert_to_tensor(self._size, dtype=dtypes.int32)
        return TensorArraySizeV3(self._handle, self._flow, name=name)

    def close(self, name: str | None = None) -> Any:
        """An operation that drops all elements."""
        return TensorArrayCloseV3(self._handle, name=name)

    # --- reading ----------------------------------------------------------------------------------

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at `index`, a scalar of int32."""
        value = TensorArrayReadV3(self._handle, index, self._flow, dtype=self._dtype, name=name)
        value.set_shape(self.element_shape)
        return value

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at `indices`, stacked: `[len(indices), …]`."""
        return TensorArrayGatherV3(
            self._handle,
            indices,
            self._flow,
            dtype=self._dtype,
            element_shape=self.element_shape,
            name=name,
        )

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, stacked: `[size, …]`."""
        with colocate_with(self._handle), name_scope(name, "TensorArrayStack", [self._handle]):
            value = self.gather(range_(0, self.size()), name=name)
            if value.shape.rank is not None:
                value.set_shape(TensorShape([self._static_size()]).concatenate(value.shape[1:]))
            return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first dimension, in which alone they may differ."""
        shape = self.element_shape
        value, _ = TensorArrayConcatV3(
            self._handle,
            self._flow,
            dtype=self._dtype,
            element_shape_except0=shape[1:] if shape.rank else UNKNOWN,
            name=name,
        )
        if shape.rank and self._infer_shape:
            value.set_shape(TensorShape([self._static_total(shape)]).concatenate(shape[1:]))
        return value

    def _static_total(self, shape: TensorShape) -> int | None:
        """The sum of the first dimensions of all elements, if they are one, and the size, known."""
        length = shape.as_list()[0] if shape.rank else None
        size = self._static_size()
        return None if length is None or size is None else size * length

    def _static_size(self) -> int | None:
        """The number of elements, if it is known while the graph is built."""
        if self._size is None or self._dynamic_size:
            return None
        size = constant_value(self._size) if isinstance(self._size, Tensor) else self._size
        return None if size is None else int(size)

    # --- writing ----------------------------------------------------------------------------------

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array after `value` was written at `index`, a scalar of int32."""
        with name_scope(name, "TensorArrayWrite", [self._handle, index, value]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            self._check_element_shape(value.shape)
            with self._placed_with(value):
                flow = TensorArrayWriteV3(self._handle, index, value, self._flow, name=name)
        return self._with_flow(flow)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array after `value[i]` was written at `indices[i]` for all i."""
        with name_scope(name, "TensorArrayScatter", [self._handle, value, indices]):
            value = convert_to_tensor(value, preferred_dtype=self._dtype, name="value")
            if value.shape.rank is not None:
                self._check_element_shape(value.shape[1:])
            with self._placed_with(value):
                flow = TensorArrayScatterV3(self._handle, indices, value, self._flow, name=name)
        return self._with_flow(flow)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array after `value[i]` was written at i, for all rows of `value`."""
        with name_scope(name, "TensorArrayUnstack", [self._handle, value]):
            rows: Any = shape_of(value)
            return self.scatter(range_(0, rows[0]), value)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array after consecutive pieces of `value`, `lengths[i]` rows long, were written."""
        with name_scope(name, "TensorArraySplit", [self._handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self._dtype, name="value")
            with self._placed_with(value):
                lengths = cast(lengths, dtypes.int64)
                self._check_pieces(value, lengths)
                flow = TensorArraySplitV3(self._handle, value, lengths, self._flow, name=name)
        return self._with_flow(flow)

    def _check_pieces(self, value: Tensor, lengths: Tensor) -> None:
        known = constant_value(lengths)
        if value.shape.rank is None or known is None or known.size == 0:
            return
        if known.min() == known.max():
            self._check_element_shape(TensorShape([int(known.min())]).concatenate(value.shape[1:]))

    def __repr__(self) -> str:
        return f"<tf.TensorArray '{self._handle.name}' dtype={self._dtype.name}>"


def _check_arguments(
    handle: Any, size: Any, name: str | None, dynamic_size: Any, clear_after_read: Any
) -> None:
    if handle is not None and not isinstance(handle, Tensor):
        raise TypeError(
            f"Expected `handle` to be a Tensor, but got `{handle}` of type `{type(handle)}` "
            "instead."
        )
    if handle is None and size is None:
        raise ValueError("Argument `size` must be provided if handle is not provided.")
    given = {
        "tensor_array_name": name,
        "size": size,
        "dynamic_size": dynamic_size,
        "clear_after_read": clear_after_read,
    }
    for argument, value in given.items():
        if handle is not None and value is not None:
            raise ValueError(
                f"Cannot provide both `handle` and `{argument}` arguments at the same time."
            )


# --- TensorArrays in branches and loops -----------------------------------------------------------


def flow_of(value: Any) -> Any:
    """What stands for a value in a branch or loop: of a TensorArray its flow."""
    return value.flow if isinstance(value, TensorArray) else value


def with_flows(values: Sequence[Any], tensors: Sequence[Tensor]) -> list[Any]:
    """`tensors`, where TensorArrays stood among `values` as such with the tensor as their flow."""
    return [
        value._with_flow(tensor) if isinstance(value, TensorArray) else tensor
        for value, tensor in zip(values, tensors)
    ]
