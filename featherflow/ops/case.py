"""tf.case: the first of several functions whose condition holds."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from featherflow.framework import dtypes
from featherflow.framework.exports import export
from featherflow.graph.graph_api import control_dependencies, name_scope
from featherflow.graph.operation import Operation
from featherflow.graph.tensor import Tensor
from featherflow.ops.assert_ops import assert_
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import less_equal
from featherflow.ops.cond import cond
from featherflow.ops.constant_ops import constant
from featherflow.ops.pack_ops import stack
from featherflow.ops.reduction_ops import reduce_sum

Branch = Callable[[], Any]


@export("case")
def case(
    pred_fn_pairs: Any,
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """`fn()` of the first pair `(pred, fn)` whose `pred` is true, else `default()`.

    Args:
      pred_fn_pairs: a list or dict of scalars of bool and functions without arguments, which return
        nests of the same form. A dict is taken in the order of the names of its tensors.
      default: a function; None says that one of the conditions always holds.
      exclusive: the run fails if more than one condition holds.
      strict: returns a list or tuple of one value as it is, instead of the value.
      name: of the scope of the nodes.
    Returns:
      The nest that the functions return.
    Raises:
      TypeError: a condition is no tensor of bool, or a function cannot be called.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant(0)
    ...     pairs = [(x < 0, lambda: tf.constant("below")), (x > 0, lambda: tf.constant("above"))]
    ...     print(session.run(tf.case(pairs, default=lambda: tf.constant("zero"))))
    b'zero'
    """
    pairs = _checked_pairs(pred_fn_pairs)
    with name_scope(name, "case", [pred for pred, _ in pairs]):
        preds = [pred for pred, _ in pairs]
        functions = [function for _, function in pairs]
        if default is None:
            default = _last_as_default(preds, functions)
            preds, functions = preds[:-1], functions[:-1]
        chosen = default
        for pred, function in zip(reversed(preds), reversed(functions)):
            chosen = functools.partial(cond, pred, function, chosen, strict=strict)
        if not exclusive:
            return chosen()
        with control_dependencies([_at_most(preds, 1, "Input error: exclusive=True")]):
            return chosen()


def _checked_pairs(pred_fn_pairs: Any) -> list[tuple[Tensor, Branch]]:
    if isinstance(pred_fn_pairs, Mapping):
        pairs = sorted(pred_fn_pairs.items(), key=lambda pair: _name_of(pair[0]))
    elif isinstance(pred_fn_pairs, (list, tuple)):
        pairs = list(pred_fn_pairs)
    else:
        raise TypeError(
            f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}"
        )
    if not pairs:
        raise ValueError(
            "'pred_fn_pairs' must hold at least one pair of a condition and a function."
        )
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
        pred, function = pair
        if not isinstance(pred, Tensor):
            raise TypeError(f"pred must be a Tensor, got: {pred}")
        if pred.dtype.base_dtype is not dtypes.bool:
            raise TypeError(f"pred must be Tensor of type bool: {_name_of(pred)}")
        if not callable(function):
            raise TypeError(f"fn for pred {_name_of(pred)} must be callable.")
    return pairs


def _name_of(pred: Any) -> str:
    return getattr(pred, "name", "")


def _last_as_default(preds: Sequence[Tensor], functions: Sequence[Branch]) -> Branch:
    """The last function behind the checks that its condition holds and no other does."""
    last = len(preds) - 1
    others = (
        f"Implementation error: selected default action #{last} was called, but some of other "
        "predicates are True: "
    )

    def run_last() -> Any:
        none_holds = (
            "Input error: None of conditions evaluated as True:",
            stack(preds, name="preds_c"),
        )
        with control_dependencies(
            [_at_most(preds[:-1], 0, others), assert_(preds[-1], data=none_holds)]
        ):
            return functions[-1]()

    return run_last


def _at_most(preds: Sequence[Tensor], count: int, message: str) -> Operation:
    """An operation that fails if more than `count` of the conditions hold."""
    together = stack(preds, name="preds_c") if preds else constant([], name="preds_c")
    holding = reduce_sum(cast(together, dtypes.int32), name="num_true_conds")
    names = ", ".join(map(_name_of, preds))
    return assert_(
        less_equal(holding, constant(count, name="n_true_conds")),
        data=[
            f"{message}: more than {count} conditions ({names}) evaluated as True:",
            together,
        ],
        summarize=len(preds),
    )
