"""Nests: lists, tuples, dicts and other containers of values, flattened and put together again.

Containers are sequences other than strings and arrays, namedtuples, mappings (visited in the
order of their sorted keys) and attrs classes. With `expand_composites`, types that are made of
tensors, such as IndexedSlices, are containers too. Everything else is a leaf, None included.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from featherflow.framework.exports import export

_LEAF_TYPES = (str, bytes, bytearray)
#: type → (parts of a value, value of the same kind with other parts)
_composites: dict[type, tuple[Callable[[Any], list[Any]], Callable[[Any, list[Any]], Any]]] = {}


def register_composite(
    kind: type,
    parts_of: Callable[[Any], list[Any]],
    with_parts: Callable[[Any, list[Any]], Any],
) -> None:
    """Makes a type a container where `expand_composites` is asked for.

    Args:
      kind: the type.
      parts_of: `value -> its tensors`.
      with_parts: `(value, tensors) -> a value of its kind made of other tensors`.
    """
    _composites[kind] = parts_of, with_parts


@export("nest.is_nested")
def is_nested(seq: Any) -> bool:
    """Whether `seq` is a container."""
    return _children(seq, False) is not None


def _children(value: Any, expand_composites: bool) -> list[Any] | None:
    """What a container holds, in the order of flattening; None for a leaf."""
    kind = type(value)
    if kind is list or kind is tuple:
        return list(value)
    if isinstance(value, Mapping):
        return [value[key] for key in _sorted_keys(value)]
    if hasattr(kind, "__attrs_attrs__"):
        return [getattr(value, field.name) for field in kind.__attrs_attrs__]
    if isinstance(value, Sequence) and not isinstance(value, _LEAF_TYPES):
        return list(value)
    if isinstance(value, (type({}.keys()), type({}.values()), type({}.items()))):
        return list(value)
    if expand_composites and kind in _composites:
        return _composites[kind][0](value)
    return None


def _sorted_keys(mapping: Mapping[Any, Any]) -> list[Any]:
    try:
        return sorted(mapping)
    except TypeError:
        raise TypeError(
            f"'<' not supported between the keys of a dict: nests need keys that can be sorted, "
            f"received {list(mapping)}."
        ) from None


def _rebuilt(value: Any, children: list[Any], expand_composites: bool) -> Any:
    """A container of the kind of `value` that holds `children`."""
    kind = type(value)
    if kind is list:
        return children
    if isinstance(value, Mapping):
        by_key = dict(zip(_sorted_keys(value), children))
        pairs = [(key, by_key[key]) for key in value]
        if isinstance(value, defaultdict):
            return kind(value.default_factory, pairs)
        return kind(pairs)
    if hasattr(kind, "_fields") or hasattr(kind, "__attrs_attrs__"):
        return kind(*children)
    if expand_composites and kind in _composites:
        return _composites[kind][1](value, children)
    if isinstance(value, range) or not isinstance(value, Sequence):
        return children
    return kind(children)  # type: ignore[call-arg]


@export("nest.flatten")
def flatten(structure: Any, expand_composites: bool = False) -> list[Any]:
    """The leaves of a nest; `[structure]` if it is a leaf itself.

    >>> flatten([1, (2, {"b": 3, "a": [4]})])
    [1, 2, 4, 3]

    Args:
      structure: a nest.
      expand_composites: goes into types made of tensors.
    """
    return list(_leaves(structure, expand_composites))


def _leaves(structure: Any, expand_composites: bool) -> Iterator[Any]:
    children = _children(structure, expand_composites)
    if children is None:
        yield structure
        return
    for child in children:
        yield from _leaves(child, expand_composites)


@export("nest.pack_sequence_as")
def pack_sequence_as(structure: Any, flat_sequence: Any, expand_composites: bool = False) -> Any:
    """A nest of the form of `structure` whose leaves are `flat_sequence`.

    >>> pack_sequence_as({"a": 0, "b": (0, 0)}, [1, 2, 3])
    {'a': 1, 'b': (2, 3)}

    Args:
      structure: a nest, or a leaf for a sequence of one.
      flat_sequence: a list or other sequence.
      expand_composites: goes into types made of tensors.
    Raises:
      TypeError: `flat_sequence` is no sequence.
      ValueError: there are more or fewer leaves.
    """
    if isinstance(flat_sequence, _LEAF_TYPES) or not hasattr(flat_sequence, "__iter__"):
        raise TypeError(
            f"Attempted to pack value {flat_sequence!r} into a structure, but it is of type "
            f"{type(flat_sequence)}, which is no sequence."
        )
    leaves = list(flat_sequence)
    count = len(flatten(structure, expand_composites))
    if len(leaves) != count:
        raise ValueError(
            f"Could not pack sequence. Structure had {count} atoms, but flat_sequence had "
            f"{len(leaves)} items. Structure: {structure}, flat_sequence: {leaves}."
        )
    return _pack(structure, iter(leaves), expand_composites)


def _pack(structure: Any, leaves: Iterator[Any], expand_composites: bool) -> Any:
    children = _children(structure, expand_composites)
    if children is None:
        return next(leaves)
    packed = [_pack(child, leaves, expand_composites) for child in children]
    return _rebuilt(structure, packed, expand_composites)


@export("nest.map_structure")
def map_structure(func: Callable[..., Any], *structure: Any, **kwargs: Any) -> Any:
    """`func` of the leaves at each place of one nest or several of the same form.

    >>> map_structure(lambda a, b: a + b, [1, (2,)], [10, (20,)])
    [11, (22,)]

    Args:
      func: takes as many values as there are nests.
      *structure: nests of the same form.
      check_types: (keyword) containers must have the same types too.
      expand_composites: (keyword) goes into types made of tensors.
    Raises:
      TypeError: `func` cannot be called, or types of containers differ.
      ValueError: there is no nest, or their forms differ.
    """
    check_types = kwargs.pop("check_types", True)
    expand_composites = kwargs.pop("expand_composites", False)
    if not callable(func):
        raise TypeError(f"func must be callable, got: {func}")
    if not structure:
        raise ValueError("Must provide at least one structure")
    if kwargs:
        raise ValueError(
            "Only valid keyword arguments are `check_types` and `expand_composites`, not: `"
            f"{'`, `'.join(kwargs)}`"
        )
    for other in structure[1:]:
        assert_same_structure(structure[0], other, check_types, expand_composites)
    columns = [_leaves(item, expand_composites) for item in structure]
    return _pack(structure[0], iter([func(*row) for row in zip(*columns)]), expand_composites)


# --- comparison -----------------------------------------------------------------------------------


@export("nest.assert_same_structure")
def assert_same_structure(
    nest1: Any, nest2: Any, check_types: bool = True, expand_composites: bool = False
) -> None:
    """Raises if two nests differ in form.

    Args:
      nest1, nest2: nests.
      check_types: containers must have the same types too; namedtuples of the same name and fields,
        and all kinds of dicts, count as the same.
      expand_composites: goes into types made of tensors.
    Raises:
      ValueError: one has other numbers of elements, keys, or leaves where the other has containers.
      TypeError: types of containers differ.
    """
    difference = _difference(nest1, nest2, check_types, expand_composites)
    if difference is None:
        return
    error_type, reason = difference
    raise error_type(
        "The two structures don't have the same nested structure.\n\n"
        f"First structure: {_described(nest1)}\n\nSecond structure: {_described(nest2)}\n\n"
        f"More specifically: {reason}"
    )


def _difference(
    first: Any, second: Any, check_types: bool, expand_composites: bool
) -> tuple[type[Exception], str] | None:
    children = _children(first, expand_composites)
    others = _children(second, expand_composites)
    if children is None and others is None:
        return None
    if children is None or others is None:
        container, leaf = (second, first) if children is None else (first, second)
        return ValueError, (
            f'Substructure "{_described(container)}" is a sequence, while substructure '
            f'"{_described(leaf)}" is not'
        )
    if check_types and not _same_type(first, second):
        return TypeError, (
            f"The two structures don't have the same sequence type. First structure "
            f"{_described(first)}, while second structure {_described(second)}"
        )
    if isinstance(first, Mapping) and isinstance(second, Mapping) and set(first) != set(second):
        return ValueError, (
            "The two dictionaries don't have the same set of keys. First structure has keys "
            f"{list(first)}, while second structure has keys {list(second)}"
        )
    if len(children) != len(others):
        return ValueError, (
            "The two structures don't have the same number of elements. First structure: "
            f"{_described(first)}. Second structure: {_described(second)}"
        )
    for child, other in zip(children, others):
        found = _difference(child, other, check_types, expand_composites)
        if found is not None:
            return found
    return None


def _same_type(first: Any, second: Any) -> bool:
    if type(first) is type(second):
        return True
    if isinstance(first, Mapping) and isinstance(second, Mapping):
        return True
    fields = getattr(type(first), "_fields", None)
    return (
        fields is not None
        and fields == getattr(type(second), "_fields", None)
        and type(first).__name__ == type(second).__name__
    )


def _described(value: Any) -> str:
    return f"type={type(value).__name__} str={value}"
