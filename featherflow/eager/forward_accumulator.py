"""tf.autodiff.ForwardAccumulator: derivatives along a direction, computed with the values.

The gradient function of an op is linear in the gradients that it is given: u ↦ Jᵀu. The derivative
of that with respect to u, weighed with a tangent t, is J t: what the outputs change by when the
inputs move along t. So every op with a gradient has a forward derivative, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from featherflow.eager.tape import Tape, is_trainable_dtype, pushed
from featherflow.framework import nest
from featherflow.framework.exports import export
from featherflow.framework.recording import paused, recorders
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.tensor import Tensor
from featherflow.ops.fill_ops import ones_like, zeros_like
from featherflow.ops.gradient_aggregation import as_dense
from featherflow.ops.gradient_registry import gradient_function
from featherflow.ops.gradients import UnconnectedGradients


@export("autodiff.ForwardAccumulator")
class ForwardAccumulator:
    """`jvp(y) = Σ ∂y/∂primal · tangent`, for what runs inside of the block.

        with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant([1.0, 0.0])) as acc:
            y = tf.reduce_sum(x**2)
        acc.jvp(y)

    It costs about as much as the values, for one direction; a tape gives the derivatives of one
    value along all directions.

    Args:
      primals: a tensor or variable, or a nest of them.
      tangents: for each the direction, of its shape.
    Raises:
      ValueError: a tangent has another shape than its primal.

    >>> import featherflow as tf
    >>> from featherflow.eager.context import eager_mode
    >>> with eager_mode():
    ...     x = tf.constant(3.0)
    ...     with tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)) as accumulator:
    ...         y = x * x
    ...     print(float(accumulator.jvp(y)))
    12.0
    """

    def __init__(self, primals: Any, tangents: Any) -> None:
        self._tangents: dict[int, tuple[Any, Any]] = {}
        self._recording = False
        nest.assert_same_structure(primals, tangents)
        for primal, tangent in zip(nest.flatten(primals), nest.flatten(tangents)):
            direction = convert_to_tensor(tangent, dtype=primal.dtype.base_dtype)
            if not primal.shape.is_compatible_with(direction.shape):
                raise ValueError(
                    f"The tangent of a primal of shape {primal.shape} has shape {direction.shape}."
                )
            key = primal if isinstance(primal, Tensor) else primal.handle
            self._tangents[id(key)] = key, direction

    def __enter__(self) -> ForwardAccumulator:
        if self._recording:
            raise ValueError("Accumulator is already recording.")
        recorders.active.append(self)
        self._recording = True
        return self

    def __exit__(self, *exception: Any) -> None:
        recorders.active.remove(self)
        self._recording = False

    def jvp(self, primals: Any, unconnected_gradients: Any = UnconnectedGradients.NONE) -> Any:
        """The derivative of each tensor of a nest along the directions; None or zeros for none."""
        unconnected = UnconnectedGradients(unconnected_gradients)

        def one(primal: Any) -> Any:
            key = primal if isinstance(primal, Tensor) else primal.handle
            known = self._tangents.get(id(key))
            if known is not None:
                return known[1]
            return None if unconnected is UnconnectedGradients.NONE else zeros_like(primal)

        return nest.map_structure(one, primals)

    # --- a recorder -------------------------------------------------------------------------------

    def variable_accessed(self, variable: Any) -> None:
        """A variable is known by its handle."""

    def captured(self, outside: Any, inside: Any) -> None:
        known = self._tangents.get(id(outside))
        if known is not None:
            self._tangents[id(inside)] = inside, known[1]

    def record(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        moving = [tensor for tensor in inputs if id(tensor) in self._tangents]
        if not moving:
            return
        own = recorders.active.index(self)
        outer = recorders.active[:own]  # accumulators and tapes around hear of the derivatives
        with paused():
            recorders.active.extend(outer)
            self._move(operation, inputs, outputs)

    def _move(self, operation: Any, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        function = getattr(operation, "backward", None) or gradient_function(operation)
        targets = [tensor for tensor in outputs if is_trainable_dtype(tensor.dtype)]
        if function is None or not targets:
            return
        weights = [
            ones_like(tensor) if is_trainable_dtype(tensor.dtype) else None for tensor in outputs
        ]
        tape = Tape(watches_variables=False)
        for weight in weights:
            if weight is not None:
                tape.watch(weight)
        with pushed(tape):
            found = function(operation, *weights)
            listed = found if isinstance(found, (list, tuple)) else [found]
            pairs = [
                (as_dense(gradient), self._tangents[id(tensor)][1])
                for tensor, gradient in zip(inputs, listed)
                if gradient is not None and id(tensor) in self._tangents
            ]
        if not pairs:
            return
        sources = [weight for weight in weights if weight is not None]
        moved = tape.gradients([g for g, _ in pairs], sources, [t for _, t in pairs])
        for tensor, tangent in zip(targets, moved):
            if tangent is not None:
                self._tangents[id(tensor)] = tensor, as_dense(tangent)
