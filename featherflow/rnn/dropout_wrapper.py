"""DropoutWrapper: a cell whose inputs, outputs and states are dropped at random."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

from featherflow.framework import nest
from featherflow.framework.exports import export_v1
from featherflow.framework.tensor_conversion import convert_to_tensor
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.constant_value import constant_value
from featherflow.graph.graph_api import name_scope
from featherflow.graph.tensor import Tensor
from featherflow.ops.core_array_ops import concat
from featherflow.ops.dropout_ops import dropout_v2
from featherflow.ops.random_ops import random_uniform
from featherflow.ops.rounding_ops import floor
from featherflow.ops.tensor_array import TensorArray
from featherflow.rnn.cell_wrappers import CellWrapper
from featherflow.rnn.lstm_cells import LSTMStateTuple


@export_v1("nn.rnn_cell.DropoutWrapper")
class DropoutWrapper(CellWrapper):
    """A cell with dropout. Zaremba et al. 2014; the variational one Gal & Ghahramani 2015.

    Args:
      cell: the cell.
      input_keep_prob, output_keep_prob, state_keep_prob: the probabilities that elements of the
        inputs, outputs and new states are kept: numbers of [0, 1], or scalar tensors.
      variational_recurrent: whether the same elements are dropped in all steps of a run.
      input_size: the size, or nest of sizes, of the inputs; the variational dropout needs it.
      dtype: of inputs, states and outputs; the variational dropout needs it.
      seed: of the random numbers; those of inputs, states and outputs differ.
      dropout_state_filter_visitor: a function that says of each part of the state, or by a nest of
        bools of a whole one, what is dropped; None leaves `c` of an LSTMStateTuple and
        TensorArrays.
    Raises:
      TypeError: `cell` is no cell, or the visitor cannot be called.
      ValueError: a probability is not of [0, 1], or the variational dropout lacks an argument.
    """

    def __init__(
        self,
        cell: Any,
        input_keep_prob: Any = 1.0,
        output_keep_prob: Any = 1.0,
        state_keep_prob: Any = 1.0,
        variational_recurrent: bool = False,
        input_size: Any = None,
        dtype: Any = None,
        seed: int | None = None,
        dropout_state_filter_visitor: Callable[[Any], Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(cell, dtype=dtype, **kwargs)
        visitor = dropout_state_filter_visitor
        if visitor is not None and not callable(visitor):
            raise TypeError(f"dropout_state_filter_visitor must be callable. Received: {visitor}")
        self._dropped_parts = visitor or _default_parts
        with name_scope("DropoutWrapperInit"):
            self._probabilities = {
                "input": _checked_probability("input_keep_prob", input_keep_prob),
                "state": _checked_probability("state_keep_prob", state_keep_prob),
                "output": _checked_probability("output_keep_prob", output_keep_prob),
            }
        self._seed = seed
        self._variational_recurrent = variational_recurrent
        self._noise: dict[str, Any] = {}
        if variational_recurrent:
            self._noise = self._make_noise(input_size, dtype)

    # --- one set of draws for all steps -----------------------------------------------------------

    def _make_noise(self, input_size: Any, dtype: Any) -> dict[str, Any]:
        """Uniform numbers `[1, *size]` for inputs, states and outputs."""
        if dtype is None:
            raise ValueError("When variational_recurrent=True, dtype must be provided")
        sizes = {"state": self.cell.state_size, "output": self.cell.output_size}
        if _drops(self._probabilities["input"]):
            if input_size is None:
                raise ValueError(
                    "When variational_recurrent=True and input_keep_prob < 1.0 or is unknown, "
                    "input_size must be provided"
                )
            sizes = {"input": input_size, **sizes}

        def noise(size: Any, seed: int | None) -> Tensor:
            shape = concat([[1], _as_list(size)], 0)
            return random_uniform(shape, seed=seed, dtype=dtype)

        return {kind: self._mapped(noise, kind, size) for kind, size in sizes.items()}

    def _mapped(self, function: Callable[..., Any], kind: str, *structures: Any) -> Any:
        """`function(leaf…, seed)` for all leaves of nests of one form."""
        columns = [nest.flatten(structure) for structure in structures]
        results = [
            function(*leaves, self._seed_of(kind, index))
            for index, leaves in enumerate(zip(*columns))
        ]
        return nest.pack_sequence_as(structures[0], results)

    def _seed_of(self, kind: str, index: int) -> int | None:
        """A seed for each leaf, from the wrapper's, as TensorFlow makes it."""
        if self._seed is None:
            return None
        digest = hashlib.md5(f"{self._seed}{kind}_{index}".encode(), usedforsecurity=False)
        return int(digest.hexdigest()[:8], 16) & 0x7FFFFFFF

    # --- one step ---------------------------------------------------------------------------------

    def _step(self, inputs: Any, state: Any, scope: Any) -> Any:
        if _drops(self._probabilities["input"]):
            inputs = self._dropout("input", inputs)
        output, new_state = self._inner_step(inputs, state, scope)
        if _drops(self._probabilities["state"]):
            new_state = self._dropout("state", new_state)
        if _drops(self._probabilities["output"]):
            output = self._dropout("output", output)
        return output, new_state

    def _dropout(self, kind: str, values: Any) -> Any:
        """The values, with the elements dropped that are to be."""
        keep = self._probabilities[kind]
        chosen = self._chosen(values) if kind == "state" else [True] * len(nest.flatten(values))
        mask = nest.pack_sequence_as(values, chosen)
        if self._variational_recurrent:
            return self._mapped(
                lambda dropped, value, noise, seed: (
                    _by_noise(value, noise, keep) if dropped else value
                ),
                kind,
                mask,
                values,
                self._noise[kind],
            )
        return self._mapped(
            lambda dropped, value, seed: (
                dropout_v2(value, rate=1.0 - keep, seed=seed) if dropped else value
            ),
            kind,
            mask,
            values,
        )

    def _chosen(self, state: Any) -> list[bool]:
        """Whether each leaf of a state is dropped: what the visitor says of it, or of a nest."""
        answer = self._dropped_parts(state)
        if isinstance(answer, bool) and not nest.is_nested(state):
            return [answer]
        if isinstance(answer, bool):
            if answer:
                return [flag for part in _parts(state) for flag in self._chosen(part)]
            return [False] * len(nest.flatten(state))
        return [bool(flag) for flag in nest.flatten(answer)]


def _parts(state: Any) -> list[Any]:
    """The direct parts of a nest, in the order of its leaves."""
    if isinstance(state, dict):
        return [state[key] for key in sorted(state)]
    return list(state)


def _default_parts(state: Any) -> Any:
    """All but the memory of LSTM cells and TensorArrays."""
    if isinstance(state, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(state, TensorArray)


def _checked_probability(argument: str, probability: Any) -> Any:
    """A number, where it is known, else the tensor.

    Raises:
      ValueError: it is not of [0, 1].
    """
    tensor = convert_to_tensor(probability)
    known = constant_value(tensor)
    if known is None:
        return tensor
    if not 0 <= known <= 1:
        raise ValueError(f"Parameter {argument} must be between 0 and 1. Received {known}")
    return float(known)


def _drops(keep: Any) -> bool:
    return not isinstance(keep, float) or keep < 1


def _as_list(size: Any) -> list[int]:
    return [size] if isinstance(size, int) else TensorShape(size).as_list()


def _by_noise(value: Any, noise: Tensor, keep: Any) -> Tensor:
    """value / keep where keep + noise reaches 1, else 0."""
    kept = floor(keep + noise)  # type: ignore[operator]
    result = value / keep * kept
    result.set_shape(value.shape)
    return result
