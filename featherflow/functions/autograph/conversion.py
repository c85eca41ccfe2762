"""How a function is converted: its source is rewritten, compiled under its own file and lines."""

from __future__ import annotations

import ast
import inspect
import logging
import textwrap
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from malt.converters import (
    asserts,
    break_statements,
    call_trees,
    continue_statements,
    control_flow,
    functions,
    lists,
    logical_expressions,
    return_statements,
    variables,
)
from malt.core import converter, unsupported_features_checker
from malt.pyct import anno, cfg, origin_info, parser, qual_names, transpiler
from malt.pyct.errors import InaccessibleSourceCodeError
from malt.pyct.static_analysis import activity, reaching_definitions

from featherflow.functions.autograph.calls import is_users, set_convert
from featherflow.functions.autograph.operators import OPERATORS
from featherflow.functions.autograph.source_forms import (
    ConditionalExpressions,
    LoopElse,
    Membership,
    OuterLists,
)

_OPTIONS = converter.ConversionOptions(
    recursive=True,
    optional_features=(  # type: ignore[arg-type]
        converter.Feature.ASSERT_STATEMENTS,
        converter.Feature.LISTS,
        converter.Feature.EQUALITY_OPERATORS,
    ),
)
_lock = threading.RLock()
#: By code, and by file: code objects are equal where their text is.
_factories: weakref.WeakKeyDictionary[types.CodeType, dict[str, Any]] = weakref.WeakKeyDictionary()
_log = logging.getLogger("tensorflow")


def convert(
    function: Callable[..., Any], recursive: bool = True, user_requested: bool = False
) -> Callable[..., Any]:
    """The function with its control flow over tensors made of calls.

    A function whose source cannot be had (`exec`, an interactive session, built-in) is returned as
    it is: then only its Python control flow works. So are those of Python, of packages, generators.

    Args:
      function: a function, a method or an object that is called.
      recursive: accepted: what it calls is converted when it is called.
      user_requested: accepted.
    """
    target, receiver = function, None
    if inspect.ismethod(function):
        target, receiver = function.__func__, function.__self__
    elif not inspect.isfunction(function):
        call = inspect.getattr_static(type(function), "__call__", None)
        if not inspect.isfunction(call):
            return function
        target, receiver = call, function
    if not is_users(target):
        return function
    converted = _converted(target)
    return converted if receiver is None else types.MethodType(converted, receiver)


def _converted(function: Any) -> Any:
    """A plain function, converted; the work is done once for its code."""
    code = function.__code__
    with _lock:
        by_file = _factories.setdefault(code, {})
        if code.co_filename not in by_file:
            by_file[code.co_filename] = _make_factory(function)
        factory = by_file[code.co_filename]
    if factory is None:
        return function
    return factory.instantiate(function)


set_convert(_converted)


def _make_factory(function: Any) -> _Factory | None:
    """What makes the converted function for each closure; None where there is no source."""
    try:
        nodes, context = _Transpiler().nodes_of(function)
    except (OSError, InaccessibleSourceCodeError):
        return None
    except (ValueError, TypeError, SyntaxError, NotImplementedError) as error:
        code = function.__code__
        _log.warning(
            "AutoGraph cannot convert %s (%s:%d) and runs it as it is: control flow over tensors "
            "in it will fail. Cause: %s. @tf.autograph.experimental.do_not_convert silences this.",
            function.__qualname__,
            code.co_filename,
            code.co_firstlineno,
            error,
        )
        return None
    return _Factory(function, nodes, context.info.name)


class _Transpiler(transpiler.GenericTranspiler):
    """The converters, in order."""

    def nodes_of(self, function: Any) -> tuple[Any, Any]:
        """The rewritten definition, and what the converters know of it."""
        nodes, context = self.transform_function(function, converter.ProgramContext(_OPTIONS))
        if isinstance(nodes, ast.Lambda):
            nodes = ast.Assign([ast.Name(context.info.name, ast.Store())], nodes)
        else:
            nodes.name = context.info.name
        return nodes, context

    def get_transformed_name(self, node: Any) -> str:
        return "ag__" + super().get_transformed_name(node)

    def transform_ast(self, node: Any, ctx: Any) -> Any:
        node = LoopElse(lambda name: ctx.namer.new_symbol(name, ())).visit(node)
        node = OuterLists().visit(node)
        node = Membership().visit(node)
        unsupported_features_checker.verify(node)
        node = self._analysed(node, ctx)
        for step in (
            *(functions, break_statements, asserts, continue_statements, return_statements),
            *(lists, call_trees, control_flow),
        ):
            node = step.transform(node, ctx)
        node = ConditionalExpressions().visit(node)
        for step in (logical_expressions, variables):
            node = step.transform(node, ctx)
        return node

    def _analysed(self, node: Any, ctx: Any) -> Any:
        graphs = cfg.build(node)
        node = qual_names.resolve(node)
        node = activity.resolve(node, ctx, None)
        node = reaching_definitions.resolve(node, ctx, graphs)
        anno.dup(node, {anno.Static.DEFINITIONS: anno.Static.ORIG_DEFINITIONS})
        return node


class _Factory:
    """Converted code, which becomes a function with the closure and defaults of the user's.

    The code is compiled under the user's file, each node at the line that it comes from: errors,
    tracebacks and the nodes of the graph name these.
    """

    def __init__(self, function: Any, nodes: Any, name: str) -> None:
        self._free = function.__code__.co_freevars
        text = parser.unparse(nodes, include_encoding_marker=False)
        tree = _wrapped(text, name, self._free)
        _restore_lines(tree, nodes, text, function)
        module: dict[str, Any] = {}
        exec(compile(tree, function.__code__.co_filename, "exec"), module)
        self.code: types.CodeType = module["outer"]().__code__
        self.source = text

    def instantiate(self, function: Any) -> Any:
        """The converted function for one of the user's function objects."""
        cells = dict(zip(self._free, function.__closure__ or ()))
        closure = tuple(cells[name] for name in self.code.co_freevars)
        make = types.FunctionType(self.code, function.__globals__, closure=closure)
        made = make(OPERATORS)
        made.__defaults__ = function.__defaults__
        made.__kwdefaults__ = function.__kwdefaults__
        made.__code__ = made.__code__.replace(co_name=function.__name__)
        made.__name__ = function.__name__
        made.__qualname__ = function.__qualname__
        return made


_HEAD = 2  # lines before the definition, plus one for each free variable


def _wrapped(text: str, name: str, free: tuple[str, ...]) -> ast.Module:
    """The definition inside of functions that give it its free variables and `ag__`."""
    lines = ["def outer():"]
    lines += [f"    {variable} = None" for variable in free]
    lines += ["    def inner(ag__):", textwrap.indent(text, "        "), f"        return {name}"]
    lines += ["    return inner"]
    return ast.parse("\n".join(lines))


def _restore_lines(tree: ast.Module, nodes: Any, text: str, function: Any) -> None:
    """Moves all nodes to the lines of the user's source that they come from."""
    places = origin_info.create_source_map((nodes,), text, function.__code__.co_filename)
    by_line = {key.lineno: value.loc.lineno for key, value in places.items()}
    offset = _HEAD + len(function.__code__.co_freevars)
    first = function.__code__.co_firstlineno
    current = first
    lines: dict[int, int] = {}
    for line in range(1, offset + text.count("\n") + 4):
        current = by_line.get(line - offset, current)
        lines[line] = current
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = lines.get(node.lineno, first)  # type: ignore[attr-defined]
            node.end_lineno = max(lines.get(node.end_lineno, first), node.lineno)  # type: ignore
            if node.end_lineno == node.lineno:  # type: ignore[attr-defined]
                node.end_col_offset = max(node.end_col_offset, node.col_offset)  # type: ignore
