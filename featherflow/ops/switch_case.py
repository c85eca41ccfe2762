"""tf.switch_case: one of several functions runs, as an index says."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from featherflow.framework import dispatch, nest
from featherflow.framework.attr_value import NameAttrList
from featherflow.framework.exports import export
from featherflow.graph.default_graph import get_default_graph
from featherflow.graph.func_graph import FuncGraph, trace, unique_function_name
from featherflow.graph.graph import Graph
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.graph.traced_function import TracedFunction
from featherflow.ops.functional_ops import Case, StatelessCase
from featherflow.ops.identity_ops import identity

Branch = Callable[[], Any]


@export("switch_case")
def switch_case(
    branch_index: Any, branch_fns: Any, default: Branch | None = None, name: str = "switch_case"
) -> Any:
    """`branch_fns[branch_index]()`, or `default()` where the index is of none.

    Args:
      branch_index: a scalar of int32.
      branch_fns: a list of functions without arguments, or a dict or list of pairs from 0, 1, 2, …
        to them. They return nests of the same form and dtypes.
      default: a function; None takes the last one.
      name: of the scope of the nodes.
    Returns:
      The nest that the functions return.
    Raises:
      TypeError: the index is no tensor of integers, or a function cannot be called.
      ValueError: there is no function, or the keys are not 0, 1, 2, …

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     index, x = tf.constant(1), tf.constant(3.0)
    ...     print(session.run(tf.switch_case(index, [lambda: x, lambda: x * 10.0])))
    30.0
    """
    _check_index(branch_index)
    functions = _checked_functions(branch_fns)
    if default is not None:
        if not callable(default):
            raise TypeError("default must be callable.")
        functions.append(default)
    if dispatch.executing_eagerly():
        place = int(branch_index)
        return functions[place if 0 <= place < len(functions) else -1]()
    with name_scope(name, "switch_case", [branch_index]):
        return _indexed_case(branch_index, functions)


def _check_index(branch_index: Any) -> None:
    if not isinstance(branch_index, Tensor):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")


def _checked_functions(branch_fns: Any) -> list[Branch]:
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if isinstance(branch_fns, Mapping):
        pairs = list(branch_fns.items())
    elif isinstance(branch_fns, (list, tuple)):
        is_plain = all(callable(item) for item in branch_fns)
        pairs = list(enumerate(branch_fns)) if is_plain else list(branch_fns)
    else:
        raise TypeError(
            f"'branch_fns' must be a list, tuple, or dict. Received: {type(branch_fns)}"
        )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        key, function = pair
        if not isinstance(key, int):
            raise TypeError(f"key must be a Python `int`, got {type(key)}")
        if not callable(function):
            raise TypeError(f"fn for key {key} must be callable.")
    pairs.sort(key=lambda pair: pair[0])
    keys = [key for key, _ in pairs]
    if keys != list(range(len(pairs))):
        found = ",".join(map(str, keys))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found "
            f"{{{found}}}"
        )
    return [function for _, function in pairs]


def _indexed_case(branch_index: Tensor, functions: Sequence[Branch]) -> Any:
    graph = get_default_graph()
    with graph.name_scope("indexed_case") as scope:
        prefix = scope.rstrip("/").replace("/", "_")
        traced = [
            trace(unique_function_name(f"{prefix}_branch{index}"), function)
            for index, function in enumerate(functions)
        ]
        branches = [branch for branch, _ in traced]
        result = traced[0][1]
        for _, other in traced[1:]:
            nest.assert_same_structure(result, other, expand_composites=True)
        captures = share_captures(branches)
        library = [add_to_library(graph, branch) for branch in branches]
        is_stateful = any(function.definition.op_def.is_stateful for function in library)
        outputs = (Case if is_stateful else StatelessCase)(
            branch_index,
            captures,
            Tout=[tensor.dtype for tensor in branches[0].outputs],
            branches=[NameAttrList(branch.name) for branch in branches],
            output_shapes=common_output_shapes(branches),
            _lower_using_switch_merge=True,
            name=scope,
        )
        tensors = [identity(tensor) for tensor in outputs]
    return nest.pack_sequence_as(result, tensors, expand_composites=True)


def share_captures(branches: Sequence[FuncGraph]) -> list[Tensor]:
    """Gives all branches the same arguments, in the same order: what any of them takes.

    Returns:
      The tensors outside that they stand for.
    """
    captured = list(
        dict.fromkeys(tensor for branch in branches for tensor in branch.external_captures)
    )
    for branch in branches:
        branch.inputs = [branch.capture(tensor) for tensor in captured]
    return captured


def common_output_shapes(branches: Sequence[FuncGraph]) -> list[Any]:
    """The static shapes of results whichever branch runs.

    Raises:
      TypeError: the branches return other dtypes.
    """
    columns = list(zip(*[branch.outputs for branch in branches]))
    for column in columns:
        found = {tensor.dtype.base_dtype.name for tensor in column}
        if len(found) > 1:
            raise TypeError(f"The branches return different dtypes: {', '.join(sorted(found))}.")
    shapes = []
    for column in columns:
        shape = column[0].shape
        for tensor in column[1:]:
            shape = shape.most_specific_compatible_shape(tensor.shape)
        shapes.append(shape)
    return shapes


def add_to_library(graph: Graph, body: FuncGraph) -> TracedFunction:
    """Makes a function that nodes of `graph` can name."""
    function = TracedFunction(body.name, body)
    graph._add_function(function)
    return function
