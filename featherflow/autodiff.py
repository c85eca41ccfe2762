# ruff: noqa
"""tf.autodiff: re-exports only; each name is defined where its import points.

Written by tools/generate_index.py. The imports are for readers and editors; at run time a name is
loaded when it is first used.
"""

from typing import TYPE_CHECKING

from featherflow._namespaces import lazy_namespace

if TYPE_CHECKING:
    from featherflow.eager.forward_accumulator import ForwardAccumulator as ForwardAccumulator
    from featherflow.eager.gradient_tape import GradientTape as GradientTape

__getattr__, __dir__ = lazy_namespace("autodiff", globals())
