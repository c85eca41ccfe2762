"""Forms that `diastatic-malt` does not know, rewritten into those that it does.

for x in xs:                    broke = False
    if c: break                 for x in xs:
else:                               if c: broke = True; break
    e                           if not broke: e

x in xs                         ag__.contains(x, xs)
    a if c else b                   ag__.if_exp(c, lambda: a, lambda: b, "a if c else b")
"""

from __future__ import annotations

import ast
from typing import Any


class LoopElse(ast.NodeTransformer):
    """Loops with `else`, without."""

    def __init__(self, new_name: Any) -> None:
        self._new_name = new_name

    def visit_For(self, node: ast.For) -> Any:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Any:
        return self._loop(node)

    def _loop(self, node: Any) -> Any:
        self.generic_visit(node)
        if not node.orelse:
            return node
        otherwise, node.orelse = node.orelse, []
        name = self._new_name("loop_broke")
        marker = _MarkBreaks(name)
        node.body = [line for item in node.body for line in marker.lines(item)]
        if not marker.found:
            return [node, *otherwise]
        test = ast.UnaryOp(ast.Not(), ast.Name(name, ast.Load()))
        lines = [_assign(name, False), node, ast.If(test, otherwise, [])]
        return [ast.fix_missing_locations(ast.copy_location(line, node)) for line in lines]


class _MarkBreaks(ast.NodeTransformer):
    """Sets a flag before each `break` of one loop."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.found = False

    def lines(self, node: ast.AST) -> list[Any]:
        found = self.visit(node)
        return found if isinstance(found, list) else [found]

    def visit_Break(self, node: ast.Break) -> Any:
        self.found = True
        line = ast.fix_missing_locations(ast.copy_location(_assign(self._name, True), node))
        return [line, node]

    def _leave(self, node: Any) -> Any:
        return node  # its breaks are its own

    visit_For = visit_While = visit_FunctionDef = visit_Lambda = visit_ClassDef = _leave


def _assign(name: str, value: bool) -> ast.Assign:
    return ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value))


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


class OuterLists(ast.NodeTransformer):
    """`append` and `pop` of what is no local variable: a conversion must not assign to it."""

    def __init__(self) -> None:
        self._locals: list[set[str]] = []

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, _FUNCTIONS):
            return super().visit(node)
        self._locals.append(_local_names(node))
        try:
            return self.generic_visit(node)
        finally:
            self._locals.pop()

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        function = node.func
        if not isinstance(function, ast.Attribute) or function.attr not in ("append", "pop"):
            return node
        owner = function.value
        if isinstance(owner, ast.Name) and self._locals and owner.id in self._locals[-1]:
            return node
        method = ast.Attribute(ast.Name("ag__", ast.Load()), "method_of", ast.Load())
        node.func = ast.Call(method, [owner, ast.Constant(function.attr)], [])
        return ast.fix_missing_locations(ast.copy_location(node, node))


def _local_names(function: Any) -> set[str]:
    """The parameters of a function and the names that its own code assigns to."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [item for item in (arguments.vararg, arguments.kwarg) if item is not None]
    names = {item.arg for item in every}
    outer: set[str] = set()
    body = function.body if isinstance(function.body, list) else [function.body]
    pending: list[ast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            outer.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            continue
        pending.extend(ast.iter_child_nodes(node))
    return names - outer


class ConditionalExpressions(ast.NodeTransformer):
    """`a if c else b` as a call, however deep they stand in each other."""

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        text = ast.Constant(ast.unparse(node))
        self.generic_visit(node)
        function = ast.Attribute(ast.Name("ag__", ast.Load()), "if_exp", ast.Load())
        nothing = ast.arguments([], [], None, [], [], None, [])
        branches = [ast.Lambda(nothing, part) for part in (node.body, node.orelse)]
        call = ast.Call(function, [node.test, *branches, text], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


class Membership(ast.NodeTransformer):
    """`in` and `not in` as calls."""

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], (ast.In, ast.NotIn)):
            return node
        function = ast.Attribute(ast.Name("ag__", ast.Load()), "contains", ast.Load())
        call: ast.expr = ast.Call(function, [node.left, node.comparators[0]], [])
        if isinstance(node.ops[0], ast.NotIn):
            call = ast.UnaryOp(ast.Not(), call)
        return ast.fix_missing_locations(ast.copy_location(call, node))
