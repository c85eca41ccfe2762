"""Attention: how much of each part of a memory a query takes."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from featherflow.framework.dtypes import as_dtype
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.layers.core_layers import Dense
from featherflow.ops.arithmetic_ops import square
from featherflow.ops.exponential_ops import rsqrt, tanh
from featherflow.ops.fill_ops import ones_like
from featherflow.ops.init_ops import Constant, Ones, Zeros
from featherflow.ops.masking_ops import sequence_mask
from featherflow.ops.matmul_ops import matmul
from featherflow.ops.reduction_ops import reduce_sum
from featherflow.ops.reshape_ops import expand_dims, squeeze
from featherflow.ops.shape_ops import shape as shape_of
from featherflow.ops.softmax_ops import softmax
from featherflow.ops.variable_scope import get_variable, variable_scope
from featherflow.ops.where_ops import where
from featherflow.rnn.zero_states import zero_state_tensors


@export_v1("contrib.seq2seq.AttentionMechanism")
class AttentionMechanism:
    """Scores each part of a memory by a query; probabilities follow from the scores.

    Attributes:
      memory_layer, query_layer: layers for the memory and the queries; None leaves them.
      values: the memory `[batch, parts, size]`, 0 past the ends.
      keys: what the memory layer makes of it.
      batch_size, alignments_size: the number of examples, and of parts.
    """

    _scope_name = "attention"

    def __init__(
        self,
        query_layer: Dense | None,
        memory_layer: Dense | None,
        memory: Any,
        memory_sequence_length: Any,
        probability_fn: Callable[[Any], Any] | None,
        score_mask_value: float | None,
        name: str,
    ) -> None:
        self.query_layer, self.memory_layer = query_layer, memory_layer
        self._probability_fn = probability_fn or softmax
        self._score_mask_value = -np.inf if score_mask_value is None else score_mask_value
        with name_scope(name, "AttentionMechanismInit", [memory]):
            memory = convert_to_tensor(memory, name="memory")
            if memory.shape.rank is None or memory.shape.rank < 3:
                raise ValueError(f"The memory must be [batch, parts, size], not {memory.shape}.")
            self._lengths = None
            if memory_sequence_length is not None:
                self._lengths = convert_to_tensor(memory_sequence_length)
            self.values = memory if self._lengths is None else self._masked_memory(memory)
            self.keys = self.values if memory_layer is None else memory_layer(self.values)
            sizes: Any = shape_of(self.keys)
            static = self.keys.shape.as_list()
            self.batch_size: Any = sizes[0] if static[0] is None else static[0]
            self.alignments_size: Any = sizes[1] if static[1] is None else static[1]

    def _masked_memory(self, memory: Any) -> Tensor:
        """The memory with zeros past the ends."""
        sizes: Any = shape_of(memory)
        mask: Any = sequence_mask(self._lengths, maxlen=sizes[1], dtype=memory.dtype)
        for _ in range(len(memory.shape) - 2):
            mask = expand_dims(mask, -1)
        return memory * mask

    @property
    def state_size(self) -> Any:
        """The size of the state: the alignments of the last step."""
        return self.alignments_size

    def initial_alignments(self, batch_size: Any, dtype: Any) -> Tensor:
        """Zeros `[batch, parts]`."""
        return zero_state_tensors(self.alignments_size, batch_size, dtype)

    def initial_state(self, batch_size: Any, dtype: Any) -> Tensor:
        """The state before the first step."""
        return self.initial_alignments(batch_size, dtype)

    def __call__(self, query: Any, state: Any) -> tuple[Tensor, Tensor]:
        """The probabilities `[batch, parts]`, and the next state."""
        with variable_scope(None, self._scope_name, [query]):
            if self.query_layer is not None:
                query = self.query_layer(query)
            alignments = self._probability_fn(self._masked_score(self._score(query)))
        return alignments, alignments

    def _score(self, query: Any) -> Tensor:
        """The score of each part, `[batch, parts]`."""
        raise NotImplementedError(type(self).__name__)

    def _masked_score(self, score: Any) -> Tensor:
        """The score, with the mask's value past the ends."""
        if self._lengths is None:
            return score
        sizes: Any = shape_of(score)
        mask = sequence_mask(self._lengths, maxlen=sizes[1])
        masked: Any = ones_like(score)
        return where(mask, score, self._score_mask_value * masked)


@export_v1("contrib.seq2seq.BahdanauAttention")
class BahdanauAttention(AttentionMechanism):
    """Additive attention, score = Σ v tanh(keys + W query). Bahdanau et al. 2015.

    Args:
      num_units: the size of keys and queries.
      memory: `[batch, parts, size]`, such as the outputs of an encoder.
      memory_sequence_length: how many parts each example has, `[batch]`.
      normalize: whether v is normalised and has a factor, and the sum a bias (Salimans & Kingma
        2016).
      probability_fn: of the scores; None takes the softmax.
      score_mask_value: of parts past the end; None means −∞.
      dtype: of the layers; None takes that of the memory.
      custom_key_value_fn: a function of keys and values that returns both.
      name: of the scope of the nodes.
    """

    _scope_name = "bahdanau_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        normalize: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "BahdanauAttention",
    ) -> None:
        own = None if dtype is None else as_dtype(dtype)
        super().__init__(
            Dense(num_units, name="query_layer", use_bias=False, dtype=own),
            Dense(num_units, name="memory_layer", use_bias=False, dtype=own),
            memory,
            memory_sequence_length,
            probability_fn,
            score_mask_value,
            name,
        )
        self._num_units, self._normalize = num_units, normalize
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)

    def _score(self, query: Any) -> Tensor:
        units, dtype = self._num_units, query.dtype
        query = expand_dims(query, 1)
        v: Any = get_variable("attention_v", [units], dtype=dtype)
        if not self._normalize:
            return reduce_sum(v * tanh(self.keys + query), [2])
        g: Any = get_variable(
            "attention_g", [], dtype=dtype, initializer=Constant(math.sqrt(1.0 / units))
        )
        b = get_variable("attention_b", [units], dtype=dtype, initializer=Zeros())
        direction = g * v * rsqrt(reduce_sum(square(v)))
        return reduce_sum(direction * tanh(self.keys + query + b), [2])


@export_v1("contrib.seq2seq.LuongAttention")
class LuongAttention(AttentionMechanism):
    """Multiplicative attention, score = keys · query. Luong et al. 2015.

    Args:
      num_units: the size of keys, which must be that of queries.
      scale: whether the score has a factor.
      memory, memory_sequence_length, probability_fn, score_mask_value, dtype, custom_key_value_fn,
        name: see `BahdanauAttention`.
    """

    _scope_name = "luong_attention"

    def __init__(
        self,
        num_units: int,
        memory: Any,
        memory_sequence_length: Any = None,
        scale: bool = False,
        probability_fn: Callable[[Any], Any] | None = None,
        score_mask_value: float | None = None,
        dtype: Any = None,
        custom_key_value_fn: Callable[[Any, Any], Any] | None = None,
        name: str = "LuongAttention",
    ) -> None:
        own = None if dtype is None else as_dtype(dtype)
        super().__init__(
            None,
            Dense(num_units, name="memory_layer", use_bias=False, dtype=own),
            memory,
            memory_sequence_length,
            probability_fn,
            score_mask_value,
            name,
        )
        self._scale = scale
        if custom_key_value_fn is not None:
            self.keys, self.values = custom_key_value_fn(self.keys, self.values)

    def _score(self, query: Any) -> Tensor:
        depth, units = query.shape.as_list()[-1], self.keys.shape.as_list()[-1]
        if depth != units:
            raise ValueError(
                "Incompatible or unknown inner dimensions between query and keys. Query has units: "
                f"{depth}. Keys have units: {units}. Perhaps you need to set num_units to the "
                "keys' dimension."
            )
        score: Any = squeeze(matmul(expand_dims(query, 1), self.keys, transpose_b=True), [1])
        if self._scale:
            factor: Any = get_variable("attention_g", [], dtype=query.dtype, initializer=Ones())
            score = factor * score
        return score


def weighted_sum(alignments: Any, values: Any) -> Tensor:
    """Σ alignments · values over the parts: `[batch, size]`."""
    return squeeze(matmul(expand_dims(alignments, 1), values), [1])
