"""What converted code calls `ag__`: an operator for each statement, and what goes with them."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from malt.core.converter import Feature

from featherflow.functions.autograph import calls, conditionals, loops
from featherflow.functions.autograph.conditionals import truth
from featherflow.functions.autograph.staged_list import StagedList
from featherflow.functions.autograph.staging import (
    Undefined,
    UndefinedReturnValue,
    is_staged,
    is_trial,
    refuse,
)
from featherflow.ops.assert_ops import assert_


def ld(value: Any) -> Any:
    """Reads a variable."""
    return value.read() if isinstance(value, Undefined) else value


def ldu(load: Any, name: str) -> Any:
    """Reads a variable, item or attribute that may have no value yet."""
    try:
        return load()
    except (KeyError, AttributeError, NameError, IndexError):
        return Undefined(name)


def assert_stmt(condition: Any, message: Any) -> None:
    """`assert condition, message()`."""
    if not is_staged(condition):
        assert condition, message()
        return
    text = message()
    assert_(truth(condition, "assert"), [text if text is not None else "AssertionError"])


def new_list(values: Any = ()) -> list[Any]:
    """A list display."""
    return list(values)


def list_append(target: Any, item: Any) -> Any:
    """`target.append(item)`; returns what the variable is then."""
    if isinstance(target, StagedList):
        return target.append(item)
    if isinstance(target, list) and is_trial():
        return target
    target.append(item)
    return target


def method_of(target: Any, name: str) -> Any:
    """`target.append` or `target.pop` of what is no local variable."""
    if isinstance(target, list) and is_trial():
        return getattr(list(target), name)  # of a copy: the body will run once more
    return getattr(target, name)


def list_pop(target: Any, index: Any, opts: Any) -> tuple[Any, Any]:
    """`target.pop(index)`; returns what the variable is then, and the item."""
    if isinstance(target, StagedList):
        raise refuse(
            "pop", "a list that a loop over tensors fills gives no items back", "Use tf.stack(…)"
        )
    return target, target.pop() if index is None else target.pop(index)


def list_stack(target: Any, opts: Any) -> Any:
    """`stack(target)`, whichever function of that name it is."""
    return target.stacked() if isinstance(target, StagedList) else opts["original_call"](target)


OPERATORS = SimpleNamespace(
    if_stmt=conditionals.if_stmt,
    if_exp=conditionals.if_exp,
    and_=conditionals.and_,
    or_=conditionals.or_,
    not_=conditionals.not_,
    eq=conditionals.eq,
    not_eq=conditionals.not_eq,
    contains=conditionals.contains,
    while_stmt=loops.while_stmt,
    for_stmt=loops.for_stmt,
    converted_call=calls.converted_call,
    autograph_artifact=calls.autograph_artifact,
    FunctionScope=calls.FunctionScope,
    with_function_scope=calls.with_function_scope,
    Undefined=Undefined,
    UndefinedReturnValue=UndefinedReturnValue,
    ld=ld,
    ldu=ldu,
    assert_stmt=assert_stmt,
    new_list=new_list,
    list_append=list_append,
    list_pop=list_pop,
    method_of=method_of,
    list_stack=list_stack,
    ListPopOpts=lambda **options: options,
    ListStackOpts=lambda **options: options,
    STD=None,
    ConversionOptions=lambda **options: None,
    Feature=Feature,
)
