"""Fetches and feeds: from what `Session.run` is given to flat lists of tensors, and back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from featherflow.framework import dtypes
from featherflow.framework.errors import InaccessibleTensorError
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.composite_tensor import CompositeTensor
from featherflow.graph.graph import Graph
from featherflow.graph.indexed_slices import IndexedSlices, IndexedSlicesValue
from featherflow.graph.operation import Operation
from featherflow.graph.sparse_tensor import SparseTensor, SparseTensorValue
from featherflow.graph.tensor import Tensor

#: Types that stand for several tensors: type → (parts of a fetch, value from parts, feed → parts).
_composites: list[
    tuple[type, Callable[..., Any], Callable[..., Any], Callable[..., Any] | None]
] = []


def register_session_run_conversion_functions(
    tensor_type: type,
    fetch_function: Callable[[Any], tuple[list[Any], Callable[[list[Any]], Any]]],
    feed_function: Callable[[Any, Any], list[tuple[Any, Any]]] | None = None,
    feed_function_for_partial_run: Callable[[Any], list[Any]] | None = None,
) -> None:
    """Teaches `Session.run` to fetch and feed a type.

    Args:
      tensor_type: the type.
      fetch_function: `object -> (list of tensors, function of their values)`.
      feed_function: `(object, value) -> [(tensor, value), …]`.
      feed_function_for_partial_run: `object -> [tensor, …]`.
    Raises:
      ValueError: the type, or a base of it, is registered already.
    """
    for known, *_ in _composites:
        if issubclass(tensor_type, known):
            raise ValueError(f"{tensor_type} is registered already as {known}.")
    _composites.insert(
        0,
        (
            tensor_type,
            fetch_function,
            feed_function or _refuse_feed,
            feed_function_for_partial_run,
        ),
    )


def _refuse_feed(target: Any, value: Any) -> list[tuple[Any, Any]]:
    raise TypeError(f"{target!r} cannot be fed.")


def partial_run_feeds(graph: Graph, feeds: Any) -> list[Tensor]:
    """The tensors that a partial run will be fed with."""
    tensors: list[Tensor] = []
    for item in feeds or ():
        parts = [item]
        for kind, _, _, part_function in _composites:
            if isinstance(item, kind) and part_function is not None:
                parts = part_function(item)
                break
        for part in parts:
            try:
                tensor = graph.as_graph_element(part, allow_operation=False)
            except (TypeError, ValueError, KeyError) as error:
                raise TypeError(f"Cannot interpret feed_list key as Tensor: {error}") from None
            if not graph.is_feedable(tensor):
                raise ValueError(f"Tensor {tensor.name} may not be fed.")
            tensors.append(tensor)
    return list(dict.fromkeys(tensors))


# --- fetches --------------------------------------------------------------------------------------


class FetchMapper:
    """The fetches of one call, flat, and how their values go back into its structure.

    Attributes:
      tensors: the distinct tensors to fetch.
      operations: the distinct operations to run.
    """

    __slots__ = (
        "_position_of",
        "_restore",
        "_seen_operations",
        "graph",
        "operations",
        "tensors",
    )

    def __init__(self, graph: Graph, fetches: Any) -> None:
        self.graph = graph
        self.tensors: list[Tensor] = []
        self.operations: list[Operation] = []
        self._position_of: dict[Tensor, int] = {}
        self._seen_operations: set[Operation] = set()
        self._restore = self._visit(fetches)

    def restore(self, values: list[Any]) -> Any:
        """The structure of the fetches with `values` of `tensors` in their places."""
        return self._restore(values)

    def _visit(self, fetch: Any) -> Callable[[list[Any]], Any]:
        """Notes what `fetch` needs; returns the function that builds its value."""
        if fetch is None:
            raise TypeError('Argument `fetch` = None has invalid type "NoneType". Cannot be None')
        if isinstance(fetch, (Tensor, Operation, str, bytes)):
            return self._leaf(fetch)
        if isinstance(fetch, Mapping):
            return self._mapping(fetch)
        if isinstance(fetch, (list, tuple)):
            return self._sequence(fetch)
        if hasattr(type(fetch), "__attrs_attrs__"):
            return self._attrs(fetch)
        for kind, fetch_function, _, _ in _composites:
            if isinstance(fetch, kind):
                parts, contract = fetch_function(fetch)
                builders = [self._visit(part) for part in parts]
                return lambda values: contract([build(values) for build in builders])
        return self._leaf(fetch)

    def _leaf(self, fetch: Any) -> Callable[[list[Any]], Any]:
        element = self._element(fetch)
        if not self.graph.is_fetchable(element):
            raise not_fetchable_error(element)
        if isinstance(element, Operation):
            if element not in self._seen_operations:
                self._seen_operations.add(element)
                self.operations.append(element)
            return lambda values: None
        position = self._position_of.get(element)
        if position is None:
            position = self._position_of[element] = len(self.tensors)
            self.tensors.append(element)
        return lambda values: values[position]

    def _element(self, fetch: Any) -> Tensor | Operation:
        try:
            return self.graph.as_graph_element(fetch)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f"string or Tensor. ({error})"
            ) from None
        except (ValueError, KeyError) as error:
            text = error.args[0] if error.args else error
            raise ValueError(
                f"Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({text})"
            ) from None

    def _sequence(self, fetch: Any) -> Callable[[list[Any]], Any]:
        builders = [self._visit(item) for item in fetch]
        kind = type(fetch)
        if hasattr(kind, "_fields"):
            return lambda values: kind(*[build(values) for build in builders])
        if kind is list:
            return lambda values: [build(values) for build in builders]
        return lambda values: kind([build(values) for build in builders])

    def _mapping(self, fetch: Any) -> Callable[[list[Any]], Any]:
        builders = {key: self._visit(item) for key, item in fetch.items()}
        kind: Any = type(fetch)
        if isinstance(fetch, defaultdict):
            kind = partial(kind, fetch.default_factory)
        return lambda values: kind((key, build(values)) for key, build in builders.items())

    def _attrs(self, fetch: Any) -> Callable[[list[Any]], Any]:
        kind = type(fetch)
        builders = [self._visit(getattr(fetch, field.name)) for field in kind.__attrs_attrs__]
        return lambda values: kind(*[build(values) for build in builders])


def not_fetchable_error(element: Tensor | Operation) -> InaccessibleTensorError:
    """The error for an element of a function or branch that is fetched from outside."""
    operation = element.op if isinstance(element, Tensor) else element
    return InaccessibleTensorError(
        f"Operation {operation.name} has been marked as not fetchable. Typically this happens when "
        "it is defined in another function or code block. Use return values, explicit Python "
        "locals or TensorFlow collections to access it."
    )


# --- feeds ----------------------------------------------------------------------------------------


def flatten_feeds(graph: Graph, feed_dict: Mapping[Any, Any]) -> tuple[list[Tensor], list[Any]]:
    """The fed tensors and their values, checked and converted; the last value of a tensor counts.

    Raises:
      TypeError: a key cannot be fed, or a value has the wrong kind.
      ValueError: a shape does not fit, or a tensor may not be fed.
    """
    fed: dict[Tensor, Any] = {}
    for key, value in _expand_feeds(feed_dict):
        try:
            tensor = graph.as_graph_element(key, allow_operation=False)
        except (TypeError, ValueError, KeyError) as error:
            text = error.args[0] if error.args else error
            raise TypeError(f"Cannot interpret feed_dict key as Tensor: {text}") from None
        if not graph.is_feedable(tensor):
            raise ValueError(f"Tensor {tensor.name} may not be fed.")
        fed[tensor] = feed_value(tensor, value)
    return list(fed), list(fed.values())


def _expand_feeds(feed_dict: Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    if not isinstance(feed_dict, Mapping):
        raise TypeError(
            f"feed_dict must be a dictionary, received {type(feed_dict).__name__}: {feed_dict!r}."
        )
    expanded: list[tuple[Any, Any]] = []
    for key, value in feed_dict.items():
        if isinstance(key, (list, tuple)):
            expanded.extend(_zip_nested(key, value))
            continue
        for kind, _, feed_function, _ in _composites:
            if isinstance(key, kind):
                expanded.extend(feed_function(key, value))
                break
        else:
            expanded.append((key, value))
    return expanded


def _zip_nested(keys: Any, values: Any) -> list[tuple[Any, Any]]:
    """A tuple of tensors may be fed with a structure of the same form."""
    if not isinstance(keys, (list, tuple)):
        return [(keys, values)]
    if len(keys) != len(values):
        raise ValueError(f"Feed key {keys!r} has {len(keys)} parts, its value {len(values)}.")
    return [pair for key, value in zip(keys, values) for pair in _zip_nested(key, value)]


def feed_value(tensor: Tensor, value: Any) -> Any:
    """`value` as an array of the tensor's dtype, its shape checked."""
    dtype = tensor._dtype
    if (  # the common feed, kept short: see benchmarks/README.md, "one add"
        value.__class__ is np.ndarray
        and value.dtype is dtype.numpy_dtype
        and value.flags.carray
        and dtype is not dtypes.string
        and _fits(tensor._shape, value.shape)
    ):
        return value
    dtype = dtype.base_dtype
    if value.__class__ is np.ndarray and value.dtype == dtype.numpy_dtype and value.dtype != "O":
        array = value
    else:
        array = _as_array(tensor, dtype, value)
        if array.__class__ is not np.ndarray:
            return array
    if not (array.flags.c_contiguous and array.flags.aligned and array.dtype.isnative):
        array = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("=")).reshape(
            array.shape
        )
    if not _fits(tensor._shape, array.shape):
        raise ValueError(
            f"Cannot feed value of shape {array.shape} for Tensor {tensor.name}, which has shape "
            f"{tensor._shape}"
        )
    return array


def _fits(shape: TensorShape, actual: tuple[int, ...]) -> bool:
    dims = shape._dims
    if dims is None or dims == actual:
        return True
    if len(dims) != len(actual):
        return False
    return all(dim is None or dim == size for dim, size in zip(dims, actual))


def _as_array(tensor: Tensor, dtype: dtypes.DType, value: Any) -> Any:
    if isinstance(value, Tensor):
        raise TypeError(
            "The value of a feed cannot be a tf.Tensor object. Acceptable feed values include "
            "Python scalars, strings, lists, numpy ndarrays, or TensorHandles. For reference, the "
            f"tensor object was {value!r}, fed to '{tensor.name}'."
        )
    if dtype in (dtypes.resource, dtypes.variant):
        return value
    if dtype is dtypes.string:
        return string_array(value)
    is_int = isinstance(value, int) and not isinstance(value, bool) and dtype.is_integer
    if is_int and not dtype.min <= value <= dtype.max:
        raise TypeError(
            f"Type of feed value {value} with type int is not compatible with Tensor type "
            f"{dtype.name} of '{tensor.name}'. Try explicitly setting the type of the feed "
            "tensor to a larger type (e.g. int64)."
        )
    try:
        with np.errstate(all="ignore"):
            return np.asarray(value, dtype=dtype.numpy_dtype)
    except (TypeError, ValueError, OverflowError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(
            f"Cannot feed value of type {type(value).__name__} for Tensor '{tensor.name}' of type "
            f"{dtype.name}: {error}. Received {_short(value)}."
        ) from None


def string_array(value: Any) -> np.ndarray:
    """Strings as an object array of bytes; text is UTF-8."""
    array = np.asarray(value)
    if array.dtype.kind == "S" or array.dtype.kind == "U" or array.dtype.kind == "O":
        source = np.asarray(value, dtype=object)
    else:
        raise TypeError(f"Expected strings, received {_short(value)} of dtype {array.dtype}.")
    result = np.empty(source.shape, dtype=object)
    flat = result.reshape(-1)
    for position, item in enumerate(source.reshape(-1)):
        if isinstance(item, str):
            flat[position] = item.encode()
        elif isinstance(item, (bytes, np.bytes_)):
            flat[position] = bytes(item)
        else:
            raise TypeError(
                f"Expected strings, received {_short(item)} of type {type(item).__name__}."
            )
    return result


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


# --- values of several tensors --------------------------------------------------------------------


def _slices_parts(slices: IndexedSlices) -> list[Tensor]:
    shape = slices.dense_shape
    return [slices.values, slices.indices, *([] if shape is None else [shape])]


def _slices_value(parts: list[Any]) -> IndexedSlicesValue:
    return IndexedSlicesValue(*parts, *[None] * (3 - len(parts)))


register_session_run_conversion_functions(
    IndexedSlices,
    lambda slices: (_slices_parts(slices), _slices_value),
    lambda slices, value: list(zip(_slices_parts(slices), value)),
    _slices_parts,
)


def _sparse_parts(sparse: SparseTensor) -> list[Tensor]:
    return [sparse.indices, sparse.values, sparse.dense_shape]


register_session_run_conversion_functions(
    SparseTensor,
    lambda sparse: (_sparse_parts(sparse), lambda parts: SparseTensorValue(*parts)),
    lambda sparse, value: list(zip(_sparse_parts(sparse), value)),
    _sparse_parts,
)


register_session_run_conversion_functions(
    CompositeTensor,
    lambda composite: (composite.parts(), composite.value_of),
    lambda composite, value: composite.feeds(value),
    lambda composite: composite.parts(),
)
