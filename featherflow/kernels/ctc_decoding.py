"""Decoders of connectionist temporal classification: the best path, and beams of prefixes.

A beam holds, for each label sequence that paths so far become, the logarithms of the probability
of those that end with a blank, and of those that end with its last label. Graves 2012, chapter 7.5.
"""

from __future__ import annotations

import heapq
import itertools
import math

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.softmax import log_softmax

Sequences = list[list[int]]


def decode_best_path(
    inputs: np.ndarray, lengths: np.ndarray, blank: int, merge_repeated: bool
) -> tuple[Sequences, np.ndarray]:
    """The most likely class at each time, without blanks.

    Returns:
      The label sequences, and minus the sums of the logits taken, `[batch, 1]`.
    """
    classes = np.argmax(inputs, axis=2)
    is_taken = np.arange(len(inputs))[:, np.newaxis] < lengths
    best = np.where(is_taken, inputs.max(axis=2), inputs.dtype.type(0))
    is_label = (classes != blank) & is_taken
    if merge_repeated:
        is_label[1:] &= classes[1:] != classes[:-1]
    sequences = [classes[is_label[:, row], row].tolist() for row in range(inputs.shape[1])]
    return sequences, 0 - best.sum(axis=0)[:, np.newaxis]


class _Prefix:
    """A label sequence of a beam, as a node of the tree of those that have been in it.

    Attributes:
      parent, label: the sequence without its last label, and that label; None and −1 for none.
      children: by their last label.
      blank, total: log-probabilities of the paths that become the sequence: of those that end with
        a blank, and of all. −∞ outside of the beam.
      ends: of those that end with the last label.
      last_blank, last_total: what `blank` and `total` were before the current time step.
    """

    __slots__ = (
        "blank",
        "children",
        "ends",
        "label",
        "last_blank",
        "last_total",
        "parent",
        "total",
    )

    def __init__(self, parent: _Prefix | None, label: int) -> None:
        self.parent = parent
        self.label = label
        self.children: dict[int, _Prefix] = {}
        self.last_blank = self.last_total = -math.inf
        self.leave()

    def leave(self) -> None:
        """Makes the prefix one outside of the beam."""
        self.blank = self.ends = self.total = -math.inf

    def enter(self, log_probability: float) -> None:
        """Makes it one in the beam, which a single last label has just led to."""
        self.blank, self.ends, self.total = -math.inf, log_probability, log_probability

    def sequence(self) -> list[int]:
        """Its labels, first to last."""
        labels: list[int] = []
        node: _Prefix | None = self
        while node is not None and node.parent is not None:
            labels.append(node.label)
            node = node.parent
        return labels[::-1]


def _log_sum(left: float, right: float) -> float:
    """log(eˡ + eʳ)."""
    high, low = max(left, right), min(left, right)
    return high if low == -math.inf else high + math.log1p(math.exp(low - high))


class _Beam:
    """The most likely prefixes, at most `width` of them, in a heap with the least likely on top."""

    def __init__(self, width: int) -> None:
        self._width = width
        self._order = itertools.count()
        root = _Prefix(None, -1)
        root.blank = root.total = 0.0
        self._heap = [(0.0, next(self._order), root)]

    def best_first(self) -> list[_Prefix]:
        """The prefixes, most likely first."""
        return [prefix for _, _, prefix in sorted(self._heap, key=lambda item: (-item[0], item[1]))]

    def advance(self, logs: np.ndarray) -> None:
        """Goes on by a time step with log-probabilities `logs` of the classes."""
        branches = self.best_first()
        known = logs.tolist()
        for prefix in branches:
            prefix.last_blank, prefix.last_total = prefix.blank, prefix.total
        for prefix in branches:
            _stay(prefix, known)
        self._heap = [(prefix.total, next(self._order), prefix) for prefix in branches]
        heapq.heapify(self._heap)
        for prefix in branches:
            self._grow(prefix, logs)

    def _bottom(self) -> float:
        """What a newcomer must exceed."""
        return self._heap[0][0] if len(self._heap) >= self._width else -math.inf

    def _grow(self, prefix: _Prefix, logs: np.ndarray) -> None:
        """Takes in the prefixes that are longer by a label, where they are likely enough.

        A prefix that others have pushed out grows like any other, unless its parent has tried it
        again in vain: that is what sets TensorFlow's search apart from one that first finds all
        candidates.
        """
        if prefix.last_total <= self._bottom():
            return
        grown = logs[:-1] + prefix.last_total
        if prefix.label >= 0:  # the same label again counts as another only after a blank
            grown[prefix.label] = logs[prefix.label] + prefix.last_blank
        likely = np.flatnonzero(grown > self._bottom()).tolist()
        for label in sorted({*likely, *prefix.children}):
            child = prefix.children.get(label)
            if child is not None and child.total > -math.inf:
                continue  # it is in the beam, and has its share of this prefix
            if grown[label] > self._bottom():
                if child is None:
                    child = prefix.children[label] = _Prefix(prefix, label)
                self._take_in(child, float(grown[label]))
            elif child is not None:
                child.last_blank = child.last_total = -math.inf

    def _take_in(self, prefix: _Prefix, log_probability: float) -> None:
        prefix.enter(log_probability)
        item = (log_probability, next(self._order), prefix)
        if len(self._heap) < self._width:
            heapq.heappush(self._heap, item)
        else:
            heapq.heapreplace(self._heap, item)[2].leave()


def _stay(prefix: _Prefix, logs: list[float]) -> None:
    """The probability that a prefix stays what it is, or becomes so from its parent."""
    parent = prefix.parent
    if parent is not None:
        if parent.total > -math.inf:
            before = parent.last_blank if prefix.label == parent.label else parent.last_total
            prefix.ends = _log_sum(prefix.ends, before)
        prefix.ends += logs[prefix.label]
    prefix.blank = prefix.last_total + logs[-1]
    prefix.total = _log_sum(prefix.blank, prefix.ends)


def decode_beams(
    inputs: np.ndarray, lengths: np.ndarray, beam_width: int, top_paths: int
) -> tuple[list[Sequences], np.ndarray]:
    """The most likely label sequences; the blank is the last class.

    Returns:
      For each of the `top_paths` ranks the label sequences of the batch, and their
      log-probabilities, `[batch, top_paths]`.
    """
    logs = log_softmax(inputs.astype(np.float64))
    ranks: list[Sequences] = [[] for _ in range(top_paths)]
    scores = np.empty((inputs.shape[1], top_paths), inputs.dtype)
    for row, length in enumerate(lengths.tolist()):
        beam = _Beam(beam_width)
        for time in range(length):
            beam.advance(logs[time, row])
        found = beam.best_first()[:top_paths]
        if len(found) < top_paths:
            raise InvalidArgumentError(
                None,
                None,
                "Less leaves in the beam search than requested",
                received=f"{len(found)} sequences",
                expected=f"top_paths = {top_paths}",
            )
        scores[row] = [prefix.total for prefix in found]
        for rank, prefix in enumerate(found):
            ranks[rank].append(prefix.sequence())
    return ranks, scores


def merged(sequence: list[int]) -> list[int]:
    """`sequence` with each run of equal labels made one.

    >>> merged([1, 1, 2, 1])
    [1, 2, 1]
    """
    return [label for place, label in enumerate(sequence) if sequence[place - 1 : place] != [label]]


def sparse_parts(sequences: Sequences) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices, values and shape of the SparseTensor whose rows are `sequences`."""
    lengths = np.array([len(sequence) for sequence in sequences], np.int64)
    rows = np.repeat(np.arange(len(sequences), dtype=np.int64), lengths)
    columns = np.arange(len(rows), dtype=np.int64) - np.repeat(
        np.cumsum(lengths) - lengths, lengths
    )
    values = np.array([label for sequence in sequences for label in sequence], np.int64)
    shape = np.array([len(sequences), lengths.max(initial=0)], np.int64)
    return np.stack([rows, columns], axis=1), values, shape
