"""The loss of connectionist temporal classification and its gradient.

    loss = −log Σ_π Π_t y[t, π(t)]

over all paths π that become the labels once repeated symbols are merged and blanks removed; y is
the softmax of the logits. Paths run through l′ = blank, l₁, blank, l₂, … blank. α[t, u] sums over
the beginnings of paths that are at l′(u) at time t, β[t, u] over how they go on after t; both are
logarithms.

See: Graves et al. 2006, sections 4.1 and 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from featherflow.kernels.ctc_labels import Labels
from featherflow.kernels.softmax import softmax


@dataclass(frozen=True)
class Lattice:
    """Where paths may go.

    Attributes:
      symbols: l′ of each sequence, `[batch, places]`, blank behind its end.
      counts: the number of places of each, `[batch]`.
      stays: whether a path may stay at a place.
      skips: whether it may go to a place from the last but one.
    """

    symbols: np.ndarray
    counts: np.ndarray
    stays: np.ndarray
    skips: np.ndarray


def make_lattice(labels: Labels, blank: int, merge_repeated: bool) -> Lattice:
    """The lattice of label sequences; without `merge_repeated` a symbol is output at one time."""
    batch, longest = labels.values.shape
    symbols = np.full((batch, 2 * longest + 1), blank, np.int64)
    symbols[:, 1::2] = np.where(labels.values < 0, blank, labels.values)
    is_label = symbols != blank
    skips = np.zeros(symbols.shape, bool)
    skips[:, 2:] = is_label[:, 2:]
    if merge_repeated:  # equal neighbours have a blank between them
        skips[:, 2:] &= symbols[:, 2:] != symbols[:, :-2]
    stays = np.ones(symbols.shape, bool) if merge_repeated else ~is_label
    return Lattice(symbols, 2 * labels.lengths + 1, stays, skips)


def ctc_loss(
    inputs: np.ndarray, lengths: np.ndarray, lattice: Lattice
) -> tuple[np.ndarray, np.ndarray]:
    """Returns the loss of each sequence, `[batch]`, and its gradient by the logits.

    Args:
      inputs: logits, `[time, batch, classes]`.
      lengths: time steps of each sequence, `[batch]`.
    """
    probabilities = softmax(inputs)
    with np.errstate(divide="ignore"):
        logs = np.log(probabilities)
    at_places = np.take_along_axis(logs, lattice.symbols[np.newaxis], axis=2)
    alpha, beta = _forward(at_places, lattice), _backward(at_places, lengths, lattice)
    is_place = np.arange(lattice.symbols.shape[1]) < lattice.counts[:, np.newaxis]
    joint = np.where(is_place, alpha + beta, -np.inf)
    likelihood = np.logaddexp.reduce(joint[0], axis=1)
    share = np.exp(joint - np.where(np.isneginf(likelihood), 0, likelihood)[:, np.newaxis])
    gradient = probabilities - _by_class(share, lattice.symbols, inputs.shape)
    gradient[np.arange(len(inputs))[:, np.newaxis] >= lengths] = 0
    # An empty sequence has one path if it has no labels, and there is nothing to add up.
    nothing = np.where(lattice.counts == 1, inputs.dtype.type(0), inputs.dtype.type(np.inf))
    return np.where(lengths > 0, -likelihood, nothing), gradient


def _by_class(share: np.ndarray, symbols: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Sums the shares of the places that hold the same class."""
    sums = np.zeros(shape, share.dtype)
    batch = np.arange(shape[1])
    for place in range(symbols.shape[1]):
        sums[:, batch, symbols[:, place]] += share[:, :, place]
    return sums


def _shifted(values: np.ndarray, by: int, allowed: np.ndarray | None = None) -> np.ndarray:
    """`values` moved by some places, −∞ where none come from or `allowed` is false."""
    result = np.full(values.shape, -np.inf, values.dtype)
    if by > 0:
        result[:, by:] = values[:, :-by]
    else:
        result[:, :by] = values[:, -by:]
    return result if allowed is None else np.where(allowed, result, -np.inf)


def _forward(at_places: np.ndarray, lattice: Lattice) -> np.ndarray:
    alpha = np.full(at_places.shape, -np.inf, at_places.dtype)
    alpha[0, :, :2] = at_places[0, :, :2]
    for time in range(1, len(alpha)):
        last = alpha[time - 1]
        stay = np.where(lattice.stays, last, -np.inf)
        arrive = np.logaddexp(stay, _shifted(last, 1))
        arrive = np.logaddexp(arrive, _shifted(last, 2, lattice.skips))
        alpha[time] = arrive + at_places[time]
    return alpha


def _backward(at_places: np.ndarray, lengths: np.ndarray, lattice: Lattice) -> np.ndarray:
    beta = np.full(at_places.shape, -np.inf, at_places.dtype)
    places = np.arange(at_places.shape[2])
    counts = lattice.counts[:, np.newaxis]
    is_end = (places == counts - 1) | ((places == counts - 2) & (counts > 1))
    ends = np.where(is_end, at_places.dtype.type(0), at_places.dtype.type(-np.inf))
    for time in range(len(beta) - 1, -1, -1):
        is_last = (lengths - 1 == time)[:, np.newaxis]
        if time == len(beta) - 1:
            beta[time] = np.where(is_last, ends, -np.inf)
            continue
        following = beta[time + 1] + at_places[time + 1]
        stay = np.where(lattice.stays, following, -np.inf)
        leave = np.logaddexp(stay, _shifted(following, -1))
        skipping = np.where(lattice.skips, following, -np.inf)
        leave = np.logaddexp(leave, _shifted(skipping, -2))
        beta[time] = np.where(is_last, ends, leave)
    return beta
