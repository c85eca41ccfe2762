"""What a decoder is fed: targets while training, its own outputs afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from featherflow.framework import dtypes, nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.ops.arg_extremum_ops import argmax
from featherflow.ops.cast_ops import cast
from featherflow.ops.comparison_ops import equal
from featherflow.ops.cond import cond
from featherflow.ops.embedding_ops import embedding_lookup
from featherflow.ops.fill_ops import fill, zeros_like
from featherflow.ops.random_ops import multinomial
from featherflow.ops.reduction_ops import reduce_all
from featherflow.ops.reshape_ops import reshape, squeeze
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.shape_ops import size as size_of
from featherflow.ops.tensor_array import TensorArray
from featherflow.ops.transpose_ops import transpose


@export_v1("contrib.seq2seq.Helper")
class Helper:
    """Samples from a decoder's outputs, and gives it its next inputs.

    Attributes:
      batch_size: the number of sequences, a scalar.
      sample_ids_shape, sample_ids_dtype: of what `sample` returns for one sequence.
    """

    batch_size: Any
    sample_ids_shape: Any = TensorShape([])
    sample_ids_dtype: Any = dtypes.int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """(which sequences have ended, the first inputs)"""
        raise NotImplementedError(type(self).__name__)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What is chosen by the outputs of a step."""
        raise NotImplementedError(type(self).__name__)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """(which sequences have ended, the next inputs, the next state)"""
        raise NotImplementedError(type(self).__name__)


@export_v1("contrib.seq2seq.TrainingHelper")
class TrainingHelper(Helper):
    """Feeds given inputs; samples are the largest outputs.

    Args:
      inputs: `[batch, time, …]`, or a nest of these; `[time, batch, …]` with `time_major`.
      sequence_length: of each sequence, `[batch]`.
      time_major: whether the time comes first.
      name: no longer used.
    """

    def __init__(
        self,
        inputs: Any,
        sequence_length: Any,
        time_major: bool = False,
        name: str | None = None,
    ) -> None:
        flat = [convert_to_tensor(item) for item in nest.flatten(inputs)]
        if not time_major:
            flat = [transpose(item, [1, 0, *range(2, len(item.shape))]) for item in flat]
        self._arrays = [
            TensorArray(item.dtype, size=_length(item), element_shape=item.shape[1:]).unstack(item)
            for item in flat
        ]
        self._structure = inputs
        self._zeros = [zeros_like(item[0]) for item in flat]  # type: ignore[index]
        self.sequence_length = convert_to_tensor(sequence_length, name="sequence_length")
        if self.sequence_length.shape.rank != 1:
            raise ValueError(
                "Expected sequence_length to be a vector, but received shape: "
                f"{self.sequence_length.shape}"
            )
        self.batch_size = size_of(self.sequence_length)

    def _inputs(self, time: Any, ended: Any) -> Any:
        """The inputs of a step; zeros once all sequences have ended."""

        def read() -> list[Any]:
            return [array.read(time) for array in self._arrays]

        values = cond(reduce_all(ended), lambda: list(self._zeros), read, strict=True)
        return nest.pack_sequence_as(self._structure, list(values))

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """(empty sequences have ended, the first inputs)"""
        ended = equal(0, self.sequence_length)
        return ended, self._inputs(0, ended)

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The index of the largest output."""
        return cast(argmax(outputs, -1), dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """(which sequences end with the next step, its inputs, the state)"""
        ended = (time + 1) >= self.sequence_length
        return ended, self._inputs(time + 1, ended), state


def _length(tensor: Tensor) -> Any:
    """The first dimension, a number if it is known."""
    static = tensor.shape.as_list()[0]
    sizes: Any = shape_of(tensor)
    return sizes[0] if static is None else static


@export_v1("contrib.seq2seq.GreedyEmbeddingHelper")
class GreedyEmbeddingHelper(Helper):
    """Feeds the embedding of the largest output, until that is the end token.

    Args:
      embedding: a table `[vocabulary, size]`, or a function of integers.
      start_tokens: integers `[batch]`.
      end_token: an integer.
    Raises:
      ValueError: the tokens have other ranks.
    """

    def __init__(self, embedding: Any, start_tokens: Any, end_token: Any) -> None:
        table = embedding
        self._embed: Callable[[Any], Any] = (
            embedding if callable(embedding) else lambda ids: embedding_lookup(table, ids)
        )
        self._start_tokens = convert_to_tensor(start_tokens, dtypes.int32, name="start_tokens")
        self._end_token = convert_to_tensor(end_token, dtypes.int32, name="end_token")
        if self._start_tokens.shape.rank != 1:
            raise ValueError("start_tokens must be a vector")
        if self._end_token.shape.rank != 0:
            raise ValueError("end_token must be a scalar")
        self.batch_size = size_of(self._start_tokens)
        self._start_inputs = self._embed(self._start_tokens)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """(none have ended, the embedded start tokens)"""
        return fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """The index of the largest output.

        Raises:
          TypeError: the outputs are not one tensor.
        """
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        return cast(argmax(outputs, -1), dtypes.int32)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """(where the end token was chosen, the embedded choices, the state)"""
        ended = equal(sample_ids, self._end_token)
        inputs = cond(
            reduce_all(ended), lambda: self._start_inputs, lambda: self._embed(sample_ids)
        )
        return ended, inputs, state


@export_v1("contrib.seq2seq.SampleEmbeddingHelper")
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """Feeds the embedding of a choice by the probabilities softmax(outputs / temperature).

    Args:
      embedding, start_tokens, end_token: see `GreedyEmbeddingHelper`.
      softmax_temperature: low values prefer the likely; None means 1.
      seed: of the random numbers.
    """

    def __init__(
        self,
        embedding: Any,
        start_tokens: Any,
        end_token: Any,
        softmax_temperature: Any = None,
        seed: int | None = None,
    ) -> None:
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """A choice for each sequence."""
        if not isinstance(outputs, Tensor):
            raise TypeError(f"Expected outputs to be a single Tensor, got: {type(outputs)}")
        logits = outputs if self._temperature is None else outputs / self._temperature
        drawn = multinomial(logits, 1, seed=self._seed, output_dtype=dtypes.int32)
        return reshape(squeeze(drawn, [1]), [-1])


@export_v1("contrib.seq2seq.InferenceHelper")
class InferenceHelper(Helper):
    """Feeds what functions make of the outputs.

    Args:
      sample_fn: outputs → what is chosen.
      sample_shape, sample_dtype: of that, for one sequence.
      start_inputs: the first inputs.
      end_fn: what is chosen → which sequences have ended, `[batch]`.
      next_inputs_fn: what is chosen → the next inputs; None feeds it as it is.
    """

    def __init__(
        self,
        sample_fn: Callable[[Any], Any],
        sample_shape: Any,
        sample_dtype: Any,
        start_inputs: Any,
        end_fn: Callable[[Any], Any],
        next_inputs_fn: Callable[[Any], Any] | None = None,
    ) -> None:
        self._sample_fn, self._end_fn, self._next_inputs_fn = sample_fn, end_fn, next_inputs_fn
        self.sample_ids_shape = TensorShape(sample_shape)
        self.sample_ids_dtype = dtypes.as_dtype(sample_dtype)
        self._start_inputs: Any = convert_to_tensor(start_inputs, name="start_inputs")
        self.batch_size = _length(self._start_inputs)

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """(none have ended, the start inputs)"""
        return fill([self.batch_size], False), self._start_inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What the function chooses."""
        return self._sample_fn(outputs)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """(what the function says, the next inputs, the state)"""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state


@export_v1("contrib.seq2seq.CustomHelper")
class CustomHelper(Helper):
    """A helper of three functions.

    Args:
      initialize_fn, sample_fn, next_inputs_fn: as the methods of `Helper`.
      sample_ids_shape, sample_ids_dtype: of what `sample_fn` returns for one sequence.
    """

    def __init__(
        self,
        initialize_fn: Callable[[], Any],
        sample_fn: Callable[..., Any],
        next_inputs_fn: Callable[..., Any],
        sample_ids_shape: Any = None,
        sample_ids_dtype: Any = None,
    ) -> None:
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn = next_inputs_fn
        self.sample_ids_shape = TensorShape(sample_ids_shape or [])
        self.sample_ids_dtype = sample_ids_dtype or dtypes.int32

    def initialize(self, name: str | None = None) -> tuple[Any, Any]:
        """What the function says."""
        ended, inputs = self._initialize_fn()
        self.batch_size = size_of(ended)
        return ended, inputs

    def sample(self, time: Any, outputs: Any, state: Any, name: str | None = None) -> Any:
        """What the function chooses."""
        return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(
        self, time: Any, outputs: Any, state: Any, sample_ids: Any, name: str | None = None
    ) -> tuple[Any, Any, Any]:
        """What the function says."""
        return self._next_inputs_fn(time=time, outputs=outputs, state=state, sample_ids=sample_ids)
