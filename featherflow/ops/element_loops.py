"""map_fn, foldl, foldr and scan: loops over the first dimension of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from featherflow.framework import nest
from featherflow.framework.dtypes import DType, as_dtype
from featherflow.framework.exports import export
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.constant_ops import constant
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.variable_caching import local_reads
from featherflow.ops.while_loop import while_loop


class _Elements:
    """The elements of a nest of tensors of equal first dimension, each by its index.

    Attributes:
      tensors: the leaves.
      count: the number of elements: an int if it is known while the graph is built, else a scalar.
    """

    def __init__(self, elems: Any) -> None:
        self._structure = elems
        self.tensors = [convert_to_tensor(item, name="elem") for item in nest.flatten(elems)]
        if not self.tensors:
            raise ValueError(
                "elems must be a Tensor or (possibly nested) sequence of Tensors. Got "
                f"{elems!r}, which does not contain any Tensors."
            )
        self.static_count = self._static_count()
        first: Any = shape_of(self.tensors[0]) if self.static_count is None else None
        self.count: Any = first[0] if self.static_count is None else self.static_count
        self._arrays: list[TensorArray] = []

    def _static_count(self) -> int | None:
        """The first dimension of all tensors, if it is known.

        Raises:
          ValueError: a tensor is a scalar, or the dimensions differ.
        """
        count: Any = TensorShape([None])
        for tensor in self.tensors:
            if tensor.shape.rank == 0:
                raise ValueError("Elements in elems must be 1+ dimensional Tensors, not scalars")
            if tensor.shape.rank is not None:
                count = count.merge_with(tensor.shape[:1])
        return count.as_list()[0]

    def unstack(self, with_shapes: bool = False) -> None:
        """Puts the elements into TensorArrays."""
        arrays = [
            TensorArray(
                tensor.dtype.base_dtype,
                size=self.count,
                element_shape=tensor.shape[1:] if with_shapes and tensor.shape.rank else None,
            )
            for tensor in self.tensors
        ]
        self._arrays = [array.unstack(tensor) for array, tensor in zip(arrays, self.tensors)]

    def read(self, index: Any) -> Any:
        """The nest of the elements at `index`."""
        values = [array.read(index) for array in self._arrays]
        return nest.pack_sequence_as(self._structure, values)

    def stack(self, arrays: Sequence[TensorArray]) -> list[Tensor]:
        """What was written for each element, stacked."""
        results = [array.stack() for array in arrays]
        for result in results:
            if result.shape.rank is not None:
                result.set_shape(TensorShape([self.static_count]).concatenate(result.shape[1:]))
        return results


def _check_callable(fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"fn must be callable, received {fn!r} of type {type(fn).__name__}.")


@export("map_fn")
def map_fn(
    fn: Callable[[Any], Any],
    elems: Any,
    dtype: Any = None,
    parallel_iterations: int | None = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: str | None = None,
    fn_output_signature: Any = None,
) -> Any:
    """`[fn(elems[0]), fn(elems[1]), …]`, stacked.

    Args:
      fn: takes a nest of the form of `elems`.
      elems: a tensor or a nest of tensors `[n, …]`.
      dtype: a nest of the dtypes of the results, if they are not those of `elems`.
      parallel_iterations, back_prop, swap_memory: see `tf.while_loop`.
      infer_shape: all results have one shape.
      name: of the scope of the nodes.
      fn_output_signature: dtypes or TensorSpecs; replaces `dtype`.
    Returns:
      A nest of the form that `fn` returns, of tensors `[n, …]`.
    Raises:
      TypeError: `fn` cannot be called.
      ValueError: the first dimensions of `elems` differ, or `fn` returns another form.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0, 3.0]))))
    [1. 4. 9.]
    """
    _check_callable(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    with name_scope(name, "map", nest.flatten(elems)), local_reads():
        elements = _Elements(elems)
        elements.unstack()
        start = constant(0)
        form = elems if signature is None else signature
        wanted = (
            [tensor.dtype.base_dtype for tensor in elements.tensors]
            if signature is None
            else [_dtype_of(item) for item in nest.flatten(signature)]
        )
        results = [
            TensorArray(item, size=elements.count, infer_shape=infer_shape) for item in wanted
        ]

        def compute(index: Any, arrays: list[TensorArray]) -> Any:
            value = fn(elements.read(index))
            nest.assert_same_structure(form, value, check_types=False)
            flat = nest.flatten(value)
            arrays = [array.write(index, item) for array, item in zip(arrays, flat)]
            return index + 1, arrays

        _, arrays = while_loop(
            lambda index, _: index < elements.count,
            compute,
            (start, results),
            parallel_iterations=parallel_iterations or 10,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return nest.pack_sequence_as(form, elements.stack(arrays))


def _dtype_of(item: Any) -> DType:
    return as_dtype(getattr(item, "dtype", item))


@export("foldl")
def foldl(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(fn(fn(initializer, elems[0]), elems[1]), …)`.

    Args:
      fn: takes what has been computed so far and an element, returns the same form as the former.
      elems: a tensor or a nest of tensors `[n, …]`.
      initializer: a nest to start with; None starts with the first element.
      parallel_iterations, back_prop, swap_memory: see `tf.while_loop`.
      name: of the scope of the nodes.
    Returns:
      A nest of the form of `initializer`, or of `elems`.
    Raises:
      TypeError: `fn` cannot be called.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.foldl(lambda a, x: a * 10.0 + x, tf.constant([1.0, 2.0, 3.0]))))
    123.0
    """
    _check_callable(fn)
    with name_scope(name, "foldl", nest.flatten(elems)), local_reads():
        elements = _Elements(elems)
        elements.unstack()
        if initializer is None:
            start, index = elements.read(0), constant(1)
        else:
            start, index = initializer, constant(0)

        def compute(index: Any, folded: Any) -> tuple[Any, Any]:
            folded = fn(folded, elements.read(index))
            return index + 1, folded

        _, result = while_loop(
            lambda index, _: index < elements.count,
            compute,
            (index, start),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return result


@export("foldr")
def foldr(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    name: str | None = None,
) -> Any:
    """`fn(fn(fn(initializer, elems[n − 1]), elems[n − 2]), …)`; the arguments are those of `foldl`.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.foldr(lambda a, x: a * 10.0 + x, tf.constant([1.0, 2.0, 3.0]))))
    321.0
    """
    _check_callable(fn)
    with name_scope(name, "foldr", nest.flatten(elems)), local_reads():
        elements = _Elements(elems)
        elements.unstack()
        index: Any = elements.count
        start = initializer
        if initializer is None:
            index = index - 1
            start = elements.read(index)

        def compute(index: Any, folded: Any) -> tuple[Any, Any]:
            index = index - 1
            return index, fn(folded, elements.read(index))

        _, result = while_loop(
            lambda index, _: index > 0,
            compute,
            [index, start],
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return result


@export("scan")
def scan(
    fn: Callable[[Any, Any], Any],
    elems: Any,
    initializer: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    reverse: bool = False,
    name: str | None = None,
) -> Any:
    """All values that `foldl` goes through (`foldr` with `reverse`), stacked.

    Args:
      fn: takes what has been computed so far and an element, returns the same form as the former.
      elems: a tensor or a nest of tensors `[n, …]`.
      initializer: a nest to start with; None starts with the first element.
      parallel_iterations, back_prop, swap_memory: see `tf.while_loop`.
      infer_shape: all values have the shape of the first.
      reverse: goes from the last element to the first.
      name: of the scope of the nodes.
    Returns:
      A nest of the form of `initializer`, or of `elems`, of tensors `[n, …]`.
    Raises:
      TypeError: `fn` cannot be called.
      ValueError: it returns another form.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     print(session.run(tf.scan(lambda a, x: a * x, tf.constant([1.0, 2.0, 3.0]))))
    [1. 2. 6.]
    """
    _check_callable(fn)
    with name_scope(name, "scan", nest.flatten(elems)), local_reads():
        elements = _Elements(elems)
        elements.unstack(with_shapes=True)
        form = elems if initializer is None else initializer

        def first() -> Any:
            return elements.count - 1 if reverse else 0

        if initializer is None:
            start = nest.flatten(elements.read(first()))
        else:
            start = [convert_to_tensor(item) for item in nest.flatten(initializer)]
        arrays = [
            TensorArray(
                item.dtype.base_dtype,
                size=elements.count,
                element_shape=item.shape if infer_shape else None,
                infer_shape=infer_shape,
            )
            for item in start
        ]
        if initializer is None:
            arrays = [array.write(first(), item) for array, item in zip(arrays, start)]
        written = int(initializer is None)
        index = first() - written if reverse else written

        def compute(index: Any, folded: list[Tensor], arrays: list[TensorArray]) -> Any:
            value = fn(nest.pack_sequence_as(form, folded), elements.read(index))
            nest.assert_same_structure(form, value)
            flat = nest.flatten(value)
            arrays = [array.write(index, item) for array, item in zip(arrays, flat)]
            return (index - 1 if reverse else index + 1), flat, arrays

        _, _, arrays = while_loop(
            lambda index, *_: index >= 0 if reverse else index < elements.count,
            compute,
            (index, start, arrays),
            parallel_iterations=parallel_iterations,
            back_prop=back_prop,
            swap_memory=swap_memory,
            maximum_iterations=elements.count,
        )
        return nest.pack_sequence_as(form, elements.stack(arrays))
