"""tf.GradientTape: gradients of what has run, by walking back over the record of it."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from featherflow.eager.tape import Tape, is_trainable_dtype
from featherflow.framework import dispatch, nest
from featherflow.framework.exports import export
from featherflow.framework.recording import recorders
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.composite_tensor import CompositeTensor
from featherflow.graph.indexed_slices import IndexedSlices
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.element_loops import map_fn
from featherflow.ops.fill_ops import zeros_like
from featherflow.ops.gradient_aggregation import as_dense
from featherflow.ops.gradients import UnconnectedGradients
from featherflow.ops.one_hot_ops import one_hot
from featherflow.ops.pack_ops import stack
from featherflow.ops.range_ops import range_
from featherflow.ops.reshape_ops import reshape
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.variable_base import Variable

_log = logging.getLogger("tensorflow")


@export("GradientTape", "autodiff.GradientTape")
class GradientTape:
    """Records ops for automatic differentiation: `∂target/∂source` of what ran inside the block.

        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(w * w)
        gradient = tape.gradient(loss, w)

    Trainable variables are watched when they are read; tensors where `watch` is called. Tapes nest:
    a gradient taken inside of another tape's block can be differentiated in its turn.

    Args:
      persistent: whether gradients can be taken more than once; what is recorded is then held as
        long as the tape.
      watch_accessed_variables: False watches only what `watch` is called for.

    >>> import featherflow as tf
    >>> from featherflow.eager.context import eager_mode
    >>> with eager_mode():
    ...     x = tf.constant(3.0)
    ...     with tf.GradientTape() as tape:
    ...         tape.watch(x)
    ...         y = x * x
    ...     print(float(tape.gradient(y, x)))
    6.0
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True) -> None:
        self._persistent = persistent
        self._watches_variables = watch_accessed_variables
        self._tape: Tape | None = None
        self._recording = False

    # --- recording --------------------------------------------------------------------------------

    def __enter__(self) -> GradientTape:
        if self._recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an already-active "
                "tape."
            )
        if self._tape is None:
            self._tape = Tape(self._watches_variables)
        self._start()
        return self

    def __exit__(self, *exception: Any) -> None:
        if self._recording:
            self._stop()

    def _start(self) -> None:
        recorders.active.append(self._tape)  # type: ignore[arg-type]
        self._recording = True

    def _stop(self) -> None:
        recorders.active.remove(self._tape)  # type: ignore[arg-type]
        self._recording = False

    def watch(self, tensor: Any) -> None:
        """Records what depends on `tensor`, a tensor or a nest of them, from here on.

        Raises:
          ValueError: it holds something else.
        """
        for leaf in nest.flatten(tensor, expand_composites=True):
            if not isinstance(leaf, (Tensor, Variable)):
                raise ValueError(
                    f"Passed in object {leaf!r} of type {type(leaf).__name__}, not tf.Tensor or "
                    "tf.Variable or ExtensionType."
                )
            if not is_trainable_dtype(leaf.dtype):
                _log.warning(
                    "The dtype of the watched tensor must be floating (e.g. tf.float32), got %r",
                    leaf.dtype,
                )
            if self._tape is None:
                self._tape = Tape(self._watches_variables)
            if isinstance(leaf, Tensor):
                self._tape.watch(leaf)
            else:
                self._tape.watch_variable(leaf)

    @contextmanager
    def stop_recording(self) -> Iterator[None]:
        """Records nothing inside the block.

        Raises:
          RuntimeError: the tape is not recording.
        """
        if self._tape is None:
            raise RuntimeError(
                "Trying to use a non-persistent tape that has been used, or not entered."
            )
        if not self._recording:
            raise RuntimeError("Tape is not recording: it cannot stop.")
        self._stop()
        try:
            yield
        finally:
            self._start()

    def reset(self) -> None:
        """Forgets what was recorded, and goes on."""
        was_recording = self._recording
        if was_recording:
            self._stop()
        self._tape = Tape(self._watches_variables)
        if was_recording:
            self._start()

    def watched_variables(self) -> tuple[Any, ...]:
        """The variables that are watched, in the order in which they were read."""
        return () if self._tape is None else tuple(self._tape.watched_variables())

    # --- gradients --------------------------------------------------------------------------------

    def gradient(
        self,
        target: Any,
        sources: Any,
        output_gradients: Any = None,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
    ) -> Any:
        """`Σ_target Σ_j output_gradients[j] · ∂target[j] / ∂source`, for each source.

        Args:
          target: a tensor or variable, or a nest of them.
          sources: a nest of tensors and variables.
          output_gradients: for each target a tensor of its shape, or None for ones.
          unconnected_gradients: what to give for a source that no target depends on: None or zeros.
        Returns:
          A nest like `sources`, of tensors, IndexedSlices and None.
        Raises:
          RuntimeError: the tape is not persistent and has been asked before.
          LookupError: an op between has no gradient.
        """
        tape = self._for_use("gradients (or jacobians)")
        if target is None:
            raise TypeError(
                "Argument `target` should be a list or nested structure of Tensors, Variables or "
                "CompositeTensors to be differentiated, but received None."
            )
        unconnected = _unconnected(unconnected_gradients)
        targets = [_as_target(item) for item in nest.flatten(target, expand_composites=True)]
        seeds = self._seeds(output_gradients, targets)
        for item in targets:
            if not is_trainable_dtype(item.dtype):
                _log.debug("The dtype of the target tensor must be floating, got %r", item.dtype)
        leaves = nest.flatten(sources)
        flat, owners = _flat_sources(leaves)
        with self._unless_persistent():
            found = tape.gradients(targets, [_tracked_form(item) for item in flat], seeds)
        if unconnected is UnconnectedGradients.ZERO:
            found = [zeros_like(x) if g is None else g for x, g in zip(flat, found)]
        if not self._persistent:
            self._tape = None
        grouped = [
            _regroup(leaf, [found[at] for at in places]) for leaf, places in zip(leaves, owners)
        ]
        return nest.pack_sequence_as(sources, grouped)

    def _for_use(self, what: str) -> Tape:
        if self._tape is None:
            raise RuntimeError(
                f"A non-persistent GradientTape can only be used to compute one set of {what}; "
                "make it with persistent=True."
            )
        return self._tape

    @contextmanager
    def _unless_persistent(self) -> Iterator[None]:
        """A tape that is asked once stops recording first."""
        if self._recording and not self._persistent:
            self._stop()
        yield

    def _seeds(self, output_gradients: Any, targets: Sequence[Tensor]) -> list[Any]:
        if output_gradients is None:
            return [None] * len(targets)
        given = nest.flatten(output_gradients, expand_composites=True)
        if len(given) != len(targets):
            raise ValueError(f"Received {len(given)} output_gradients for {len(targets)} targets.")
        return [None if item is None else convert_to_tensor(item) for item in given]

    def jacobian(
        self,
        target: Any,
        sources: Any,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """`result[source][i…, j…] = ∂target[i…] / ∂source[j…]`, a row of gradients at a time.

        Args:
          target: a tensor.
          sources: a nest of tensors and variables.
          unconnected_gradients: as for `gradient`.
          parallel_iterations, experimental_use_pfor: accepted; rows are computed one by one.
        Returns:
          A nest like `sources`, of tensors of shape `target.shape + source.shape`, and None.
        """
        self._for_use("gradients (or jacobians)")
        target = _as_target(target)
        leaves = nest.flatten(sources)
        rows = self._rows(target, leaves, _unconnected(unconnected_gradients))
        shape = shape_of(target)
        results = [
            None if row is None else reshape(row, concat([shape, shape_of(_value(x))], 0))
            for row, x in zip(rows, leaves)
        ]
        for result, x in zip(results, leaves):
            if result is not None:
                result.set_shape(target.shape.concatenate(x.shape))
        return nest.pack_sequence_as(sources, results)

    def _rows(
        self, target: Tensor, leaves: Sequence[Any], unconnected: UnconnectedGradients
    ) -> list[Any]:
        """For each source, its gradient for each element of the target, one below the other."""
        persistent, self._persistent = self._persistent, True
        if self._recording and not persistent:
            self._stop()
        try:
            if dispatch.executing_eagerly() or target.shape.num_elements() is not None:
                return self._unrolled_rows(target, leaves, unconnected)
            return self._mapped_rows(target, leaves, unconnected)
        finally:
            self._persistent = persistent
            if not persistent:
                self._tape = None

    def _unrolled_rows(self, target: Tensor, leaves: Any, unconnected: Any) -> list[Any]:
        count = target.shape.num_elements()
        rows = [self._row(target, index, count, leaves, unconnected) for index in range(count or 0)]
        if not rows:
            blanks = self._row(target, 0, 0, leaves, unconnected)
            return [
                None if item is None else zeros_like(_value(x))[None][:0]
                for item, x in zip(blanks, leaves)
            ]
        return [None if column[0] is None else stack(column) for column in zip(*rows)]

    def _row(
        self, target: Tensor, index: Any, count: Any, leaves: Any, unconnected: Any
    ) -> list[Any]:
        seed = reshape(one_hot(index, count, dtype=target.dtype), shape_of(target))
        found = self.gradient(target, list(leaves), seed, unconnected)
        return [None if item is None else as_dense(item) for item in found]

    def _mapped_rows(self, target: Tensor, leaves: Any, unconnected: Any) -> list[Any]:
        """In a graph where the size of the target is known only when it runs."""
        count = size_of(target)
        probe = self._row(target, 0, count, leaves, unconnected)
        connected = [at for at, item in enumerate(probe) if item is not None]
        if not connected:
            return [None] * len(leaves)

        def one(index: Tensor) -> list[Any]:
            row = self._row(target, index, count, leaves, unconnected)
            return [row[at] for at in connected]

        dtypes = [probe[at].dtype for at in connected]
        found = map_fn(one, range_(count), dtype=dtypes)
        results: list[Any] = [None] * len(leaves)
        for at, item in zip(connected, found):
            results[at] = item
        return results

    def batch_jacobian(
        self,
        target: Tensor,
        source: Tensor,
        unconnected_gradients: Any = UnconnectedGradients.NONE,
        parallel_iterations: int | None = None,
        experimental_use_pfor: bool = True,
    ) -> Any:
        """`result[b, i…, j…] = ∂target[b, i…] / ∂source[b, j…]`: each row depends on its own.

        Args:
          target, source: of shapes `[B, I…]` and `[B, J…]`.
          unconnected_gradients, parallel_iterations, experimental_use_pfor: as for `jacobian`.
        Returns:
          A tensor of shape `[B, I…, J…]`; zeros or None where nothing depends on the source.
        Raises:
          ValueError: the first dimensions differ.
        """
        tape = self._for_use("gradients (or jacobians)")
        rank = target.shape.rank
        if rank is None or (rank < 2 and not target.shape.dims):
            raise ValueError("target and source must have rank of at least 1.")
        if not target.shape[:1].is_compatible_with(source.shape[:1]):
            raise ValueError(
                "Need first dimension of target shape "
                f"({target.shape}) and source shape ({source.shape}) to match."
            )
        persistent, self._persistent = self._persistent, True
        if self._recording and not persistent:
            self._stop()
        try:
            return _batch_rows(tape, target, source, _unconnected(unconnected_gradients))
        finally:
            self._persistent = persistent
            if not persistent:
                self._tape = None


def _batch_rows(tape: Tape, target: Tensor, source: Tensor, unconnected: Any) -> Any:
    """The gradients of one column of the target at a time, each for the whole batch at once."""
    batch = shape_of(target)[0]
    columns = target.shape[1:].num_elements()
    if columns is None:
        raise ValueError(
            f"The shape of the target but its first dimension must be known, got {target.shape}."
        )
    rows = []
    for index in range(columns):
        seed = one_hot([index], columns, dtype=target.dtype)
        seed = reshape(seed * (zeros_like(reshape(target, [batch, -1])) + 1), shape_of(target))
        (row,) = tape.gradients([target], [source], [seed])
        if row is None:
            if unconnected is UnconnectedGradients.NONE:
                return None
            row = zeros_like(source)
        rows.append(as_dense(row))
    shape = concat([shape_of(target), shape_of(source)[1:]], 0)
    result = reshape(stack(rows, axis=1), shape)
    result.set_shape(target.shape.concatenate(source.shape[1:]))
    return result


# --- targets and sources --------------------------------------------------------------------------


def _unconnected(value: Any) -> UnconnectedGradients:
    try:
        return UnconnectedGradients(value)
    except ValueError:
        raise ValueError(f"Unknown value for unconnected_gradients: {value!r}") from None


def _as_target(item: Any) -> Tensor:
    return convert_to_tensor(item)


def _value(source: Any) -> Tensor:
    return convert_to_tensor(source)


def _flat_sources(leaves: Sequence[Any]) -> tuple[list[Any], list[list[int]]]:
    """The tensors that gradients are taken with respect to, and which of them make up each leaf."""
    flat: list[Any] = []
    owners = []
    for leaf in leaves:
        if isinstance(leaf, IndexedSlices):
            parts = [leaf.values]
        elif isinstance(leaf, CompositeTensor):
            parts = [
                item
                for item in nest.flatten(leaf, expand_composites=True)
                if is_trainable_dtype(item.dtype)
            ]
        else:
            parts = [leaf]
        owners.append(list(range(len(flat), len(flat) + len(parts))))
        flat.extend(parts)
    return flat, owners


def _tracked_form(source: Any) -> Any:
    """What the tape knows a source by: of a variable its handle."""
    if isinstance(source, Tensor):
        return source
    handle = getattr(source, "handle", None)
    if isinstance(handle, Tensor):
        return handle
    if isinstance(source, Variable):
        return source._graph_element
    raise ValueError(f"A source must be a tensor or a variable, received {source!r}.")


def _regroup(leaf: Any, gradients: list[Any]) -> Any:
    """The gradient of a leaf from those of its parts."""
    if not isinstance(leaf, CompositeTensor):
        return gradients[0]
    if all(item is None for item in gradients):
        return None
    if isinstance(leaf, IndexedSlices):
        return IndexedSlices(gradients[0], leaf.indices, leaf.dense_shape)
    parts = iter(gradients)
    components = [
        next(parts) if is_trainable_dtype(item.dtype) else item
        for item in nest.flatten(leaf, expand_composites=True)
    ]
    return nest.pack_sequence_as(leaf, components, expand_composites=True)
