"""Which ops a GraphDef needs, and the one error that lists all that are not known."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from featherflow.framework.errors import NotFoundError
from featherflow.framework.op import Op, known_op_names

#: Ops whose function is looked into when they are imported, as TensorFlow does for static shapes.
_CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
#: Names less alike than this (`difflib`'s ratio) are no help.
_LIKENESS = 0.75


def needed_ops(
    node_defs: Iterable[Any],
    find_definition: Callable[[str], Op | None],
    functions: Mapping[str, Any],
) -> dict[str, Op]:
    """The op of each name that `node_defs`, and the functions that these call, have.

    Args:
      node_defs: NodeDefs.
      find_definition: an op by name: a registered one, or a function.
      functions: FunctionDefs by name, of functions not seen before.
    Raises:
      NotFoundError: ops are not known; all of them are listed, with the nearest names.
    """
    definitions: dict[str, Op] = {}
    unknown: dict[str, list[str]] = {}
    seen: set[str] = set()
    pending: list[tuple[str, Iterable[Any]]] = [("", node_defs)]
    while pending:
        function_name, nodes = pending.pop()
        where = f" of function '{function_name}'" if function_name else ""
        for node in nodes:
            name = node.op
            if name not in definitions:
                definition = None if name in unknown else find_definition(name)
                if definition is None:
                    unknown.setdefault(name, []).append(f"node '{node.name}'{where}")
                    continue
                definitions[name] = definition
            called = node.attr["f"].func.name if name in _CALLS and "f" in node.attr else name
            if called in functions and called not in seen:
                seen.add(called)
                pending.append((called, functions[called].node_def))
    if unknown:
        raise _unknown_ops(unknown)
    return definitions


def _unknown_ops(unknown: Mapping[str, list[str]]) -> NotFoundError:
    known = known_op_names()
    found = []
    for name, users in sorted(unknown.items()):
        near = difflib.get_close_matches(name, known, 2, cutoff=_LIKENESS)
        hint = f"; near: {', '.join(near)}" if near else ""
        more = f" and {len(users) - 1} more" if len(users) > 1 else ""
        found.append(f"'{name}' ({users[0]}{more}{hint})")
    return NotFoundError(
        None,
        None,
        f"Op type not registered {', '.join(found)}",
        remedy="Register an op with tf.register_op before the graph is imported, or cut its nodes "
        "off with tf.graph_util.extract_sub_graph.",
    )
