"""What the source of a program shows of its mode: whether it builds graphs, as TF1 programs do.

>>> builds_graphs("import featherflow as tf\\nx = tf.placeholder(tf.float32)")
True
>>> builds_graphs("import featherflow as tf\\nprint(tf.constant(1.0))")
False
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from featherflow import _index

_PACKAGES = ("featherflow", "tensorflow")
#: Calls by which a program says itself that its ops run at once.
_EAGER_CALLS = ("enable_eager_execution", "enable_v2_behavior")
#: Modules whose TF1-only names have nothing to do with graphs: flags, logging, files, messages.
_NEUTRAL = ("featherflow.platform.", "featherflow.protos.", "featherflow.framework.")


def is_for_graphs(name: str) -> bool:
    """Whether a public name is TF1's alone and belongs to programs that build graphs."""
    if name == "import_graph_def":
        return True
    if name in _index.V2 or name.startswith(("compat.", "contrib.eager")):
        return False
    if name.startswith("contrib."):
        return True
    location = _index.V1.get(name)
    return location is not None and not location.startswith(_NEUTRAL)


def builds_graphs(source: str) -> bool:
    """Whether a program uses TF1-only names outside of its own `tf.Graph()` blocks."""
    if not any(package in source for package in _PACKAGES):
        return False
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return False  # whoever runs it will say what is wrong with it
    aliases = set(_aliases(tree))
    if not aliases:
        return False
    names = list(_names_used(tree, aliases))
    if any(name.rpartition(".")[2] in _EAGER_CALLS for name in names):
        return False
    return any(is_for_graphs(name) for name in names)


def _aliases(tree: ast.AST) -> Iterator[str]:
    """The names by which a program calls the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                if item.name in _PACKAGES:
                    yield item.asname or item.name


def _names_used(tree: ast.AST, aliases: set[str]) -> Iterator[str]:
    """The public names that a program uses, longest form, less those in `tf.Graph()` blocks."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.With, ast.AsyncWith)) and any(map(_enters_graph, node.items)):
            continue
        name = _dotted(node, aliases)
        if name is not None:
            yield name
        else:
            pending.extend(ast.iter_child_nodes(node))


def _enters_graph(item: ast.withitem) -> bool:
    """Whether a `with` item is `….as_default()`, of a graph or of a session of one."""
    call = item.context_expr
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "as_default"
    )


def _dotted(node: ast.AST, aliases: set[str]) -> str | None:
    """`a.b` of an expression `tf.a.b`; None for anything else."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if parts and isinstance(node, ast.Name) and node.id in aliases:
        return ".".join(reversed(parts))
    return None
