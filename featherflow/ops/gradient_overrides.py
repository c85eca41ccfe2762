"""Functions whose gradients are not those of their nodes: passed through, or computed anew."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from featherflow.framework.exports import export
from featherflow.graph.graph_api import control_dependencies
from featherflow.ops.custom_gradient import custom_gradient
from featherflow.ops.gradients import gradients
from featherflow.ops.identity_ops import identity


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives what `f` does, with the gradient of the identity.

    >>> import featherflow as tf
    >>> with tf.Graph().as_default(), tf.Session() as session:
    ...     x = tf.constant([0.4, 1.6])
    ...     y = tf.grad_pass_through(tf.round)(x)
    ...     [value.tolist() for value in session.run([y, *tf.gradients(3 * y, x)])]
    [[0.0, 2.0], [3.0, 3.0]]
    """

    @custom_gradient
    def passed_through(*args: Any, **kwargs: Any) -> Any:
        result = f(*args, **kwargs)

        def gradient(*upstream: Any, variables: Any = None) -> Any:
            given = upstream[0] if len(upstream) == 1 else list(upstream)
            return given if variables is None else (given, [None] * len(variables))

        return result, gradient

    return functools.wraps(f)(lambda *args, **kwargs: passed_through(*args, **kwargs))


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that gives what `f` does, whose gradient computes all of `f` again.

    So nothing inside of `f` is kept for the way back: memory is traded for time. Chen et al. 2016.
    """

    @custom_gradient
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        result = f(*args, **kwargs)

        def gradient(*upstream: Any, variables: Any = None) -> Any:
            # The second computation waits for the gradient: else it would be done at once.
            with control_dependencies(list(upstream)):
                copies = [identity(item) for item in args]
            again = f(*copies, **kwargs)
            targets = [*copies, *(variables or ())]
            found = gradients(again, targets, list(upstream))
            of_args, of_variables = found[: len(args)], found[len(args) :]
            return of_args if variables is None else (of_args, of_variables)

        return result, gradient

    return functools.wraps(f)(lambda *args, **kwargs: recomputed(*args, **kwargs))
