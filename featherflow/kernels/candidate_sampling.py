"""Samplers of classes: from which classes a batch draws, and how often each is expected in it.

    drawn with replacement         expected = p · samples
    drawn until all differ         expected = 1 − (1 − p)^tries

All equal TensorFlow's from the same seeds. A batch of n samples moves the stream on by 512·n.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.kernels.philox import PhiloxGenerator, PhiloxStream
from featherflow.kernels.random_values import uniform_doubles

_COUNTERS_PER_SAMPLE = 512
_COUNTERS_AT_A_TIME = 64
#: Draws without a new class after which a batch of different classes is given up.
_MAX_TRIES = 1 << 31


class _Words:
    """The random words of a stream, one by one."""

    def __init__(self, stream: PhiloxStream) -> None:
        self._words = self._draw(stream)

    @staticmethod
    def _draw(stream: PhiloxStream) -> Iterator[int]:
        while True:
            yield from stream.words(_COUNTERS_AT_A_TIME).ravel().tolist()
            stream = stream.skip(_COUNTERS_AT_A_TIME)

    def word(self) -> int:
        """32 bits."""
        return next(self._words)

    def long_word(self) -> int:
        """64 bits, the lower half first."""
        return next(self._words) | next(self._words) << 32

    def fraction(self) -> float:
        """A uniform float32 in [0, 1)."""
        return (next(self._words) & 0x7FFFFF) * 2.0**-23

    def double(self) -> float:
        """A uniform float64 in [0, 1)."""
        pair = np.array([[next(self._words), next(self._words)]], np.uint32)
        return float(uniform_doubles(pair)[0, 0])


class Batch(NamedTuple):
    """A batch of classes.

    Attributes:
      classes: `[samples]` int64.
      true_counts: how often each true class is expected in it, float32.
      counts: the same of the classes in it.
    """

    classes: np.ndarray
    true_counts: np.ndarray
    counts: np.ndarray


class ClassSampler:
    """Draws classes of [0, size).

    Args:
      size: the number of classes.
    """

    def __init__(self, size: int) -> None:
        self.size = size

    def draw(self, words: _Words) -> int:
        """One class."""
        raise NotImplementedError(type(self).__name__)

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """How probable each class is: float32."""
        raise NotImplementedError(type(self).__name__)

    def observe(self, true_classes: np.ndarray) -> None:
        """Learns from the true classes of a batch, after it has been drawn."""

    def sample(
        self, generator: PhiloxGenerator, true_classes: np.ndarray, count: int, unique: bool
    ) -> Batch:
        """Draws `count` classes, all different if `unique`.

        Raises:
          InvalidArgumentError: a true class is none, or there are fewer classes than asked for.
        """
        if unique and count > self.size:
            raise InvalidArgumentError(
                None,
                None,
                "Sampler's range is too small",
                received=f"{count} different samples of {self.size} classes",
            )
        outside = true_classes[(true_classes < 0) | (true_classes >= self.size)]
        if len(outside):
            raise InvalidArgumentError(
                None,
                None,
                f"`true_candidate` out of range [0, {self.size})",
                received=int(outside[0]),
            )
        words = _Words(generator.reserve(_COUNTERS_PER_SAMPLE * count))
        classes, tries = self._different(words, count) if unique else self._any(words, count)
        result = Batch(
            classes,
            self._expected(true_classes.ravel(), count, tries).reshape(true_classes.shape),
            self._expected(classes, count, tries),
        )
        self.observe(true_classes)
        return result

    def _any(self, words: _Words, count: int) -> tuple[np.ndarray, int]:
        return np.array([self.draw(words) for _ in range(count)], np.int64), count

    def _different(self, words: _Words, count: int) -> tuple[np.ndarray, int]:
        found: dict[int, None] = {}
        tries = 0
        while len(found) < count:
            tries += 1
            if tries > _MAX_TRIES:
                raise InvalidArgumentError(None, None, "Too few classes can be drawn")
            found[self.draw(words)] = None
        return np.array(list(found), np.int64), tries

    def _expected(self, classes: np.ndarray, count: int, tries: int) -> np.ndarray:
        probabilities = self.probabilities(classes)
        if tries == count:
            return (probabilities * np.float32(count)).astype(np.float32)
        wide = probabilities.astype(np.float64)
        with np.errstate(divide="ignore"):
            return (-np.expm1(tries * np.log1p(-wide))).astype(np.float32)


class AllSampler(ClassSampler):
    """Gives every class once."""

    def sample(
        self, generator: PhiloxGenerator, true_classes: np.ndarray, count: int, unique: bool
    ) -> Batch:
        """All classes, whatever the seed."""
        super().sample(generator, true_classes, 0, unique)
        classes = np.arange(self.size)
        return Batch(classes, np.ones(true_classes.shape, np.float32), np.ones(count, np.float32))

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """1 for each."""
        return np.ones(len(classes), np.float32)


class UniformSampler(ClassSampler):
    """All classes are as probable."""

    def draw(self, words: _Words) -> int:
        """One class."""
        return words.long_word() % self.size

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """1 / size."""
        return np.full(len(classes), np.float32(1) / np.float32(self.size))


class LogUniformSampler(ClassSampler):
    """Zipf's distribution: p(k) = log((k + 2) / (k + 1)) / log(size + 1)."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._log_size = math.log1p(size)

    def draw(self, words: _Words) -> int:
        """One class."""
        return (int(math.exp(words.double() * self._log_size)) - 1) % self.size

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """Of each class."""
        ratio = (classes + 2.0) / (classes + 1.0)
        return (np.log(ratio) / self._log_size).astype(np.float32)


class LearnedUnigramSampler(ClassSampler):
    """Classes are as probable as they were frequent so far; each counts once from the start."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._weights = np.ones(size, np.int64)

    def draw(self, words: _Words) -> int:
        """One class."""
        cumulative = self._cumulative
        total = int(cumulative[-1])
        # Words of the last, incomplete round over the classes would favour some.
        remainder = 0xFFFFFFFF % total + 1
        word = words.word()
        while remainder != total and word < remainder and total & (total - 1):
            word = words.word()
        return int(np.searchsorted(cumulative, word % total, side="right"))

    def sample(
        self, generator: PhiloxGenerator, true_classes: np.ndarray, count: int, unique: bool
    ) -> Batch:
        """A batch from the weights as they are."""
        self._cumulative = np.cumsum(self._weights)
        return super().sample(generator, true_classes, count, unique)

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """The part of the total weight that each class has."""
        weights = self._weights[classes].astype(np.float32)
        return weights / np.float32(self._weights.sum())

    def observe(self, true_classes: np.ndarray) -> None:
        """Adds 1 to the weight of each, once for each time that it is there."""
        np.add.at(self._weights, true_classes.ravel(), 1)


class FixedUnigramSampler(ClassSampler):
    """Classes have given weights; draws by Walker's method of aliases.

    Args:
      size: the number of classes.
      weights: `[size]` float32.
    """

    def __init__(self, size: int, weights: np.ndarray) -> None:
        super().__init__(size)
        if len(weights) != size:
            raise InvalidArgumentError(
                None,
                None,
                f"range is {size} must be equal to weights size {len(weights)}",
            )
        self._weights = weights
        self._total = float(np.cumsum(weights)[-1])
        self._chances, self._aliases = _alias_table(weights.astype(np.float64).tolist())

    def draw(self, words: _Words) -> int:
        """One class."""
        fraction = words.fraction()
        place = words.word() % self.size
        return place if fraction < self._chances[place] else self._aliases[place]

    def probabilities(self, classes: np.ndarray) -> np.ndarray:
        """The part of the total weight that each class has."""
        return self._weights[classes] / np.float32(self._total)


def _alias_table(weights: list[float]) -> tuple[list[float], list[int]]:
    """For each class the chance that its column gives it, and the class that it gives otherwise.

    See: Walker 1977, "An efficient method for generating discrete random variables".
    """
    size, total = len(weights), sum(weights)
    heights = [weight * size / total if total else math.nan for weight in weights]
    aliases = list(range(size))
    low = [place for place, height in enumerate(heights) if height < 1]
    high = [place for place, height in enumerate(heights) if not height < 1]
    while high and low:
        lower, higher = low.pop(), high.pop()
        aliases[lower] = higher
        heights[higher] -= 1 - heights[lower]
        (low if heights[higher] < 1 else high).append(higher)
    for place in (*high, *low):  # what rounding has left over
        heights[place] = 1.0
        aliases[place] = place
    return [float(np.float32(height)) for height in heights], aliases


def accidental_hits(
    true_classes: np.ndarray, sampled: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Where samples are true classes: rows, places in `sampled`, and a weight that masks each.

    A class that was sampled several times counts at its last place.
    """
    places = {candidate: place for place, candidate in enumerate(sampled.tolist())}
    hits = [
        (row, places[candidate])
        for row, candidates in enumerate(true_classes.tolist())
        for candidate in candidates
        if candidate in places
    ]
    rows, columns = np.array(hits, np.int64).reshape(-1, 2).T
    weights = np.full(len(hits), np.finfo(np.float32).min, np.float32)
    return rows.astype(np.int32), np.ascontiguousarray(columns), weights
