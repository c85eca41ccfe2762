"""The orders in which queues give elements back: first in first out, shuffled, by priority."""

from __future__ import annotations

import heapq
import itertools
from collections import deque
from collections.abc import Sequence

import numpy as np

from featherflow.kernels.philox import PhiloxGenerator

#: One array for each component.
Element = tuple[np.ndarray, ...]

#: Groups of four random words that a shuffled store draws at a time.
_GROUPS_DRAWN = 64


class FifoStore:
    """Gives first what came first."""

    def __init__(self) -> None:
        self._elements: deque[Element] = deque()

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Adds an element."""
        self._elements.append(element)

    def take(self) -> Element:
        """Removes and returns the element whose turn it is."""
        return self._elements.popleft()

    def put_back(self, elements: Sequence[Element]) -> None:
        """Undoes as many calls of `take`, whose elements these are."""
        self._elements.extendleft(reversed(elements))


class ShuffledStore:
    """Gives a random element, each with the same probability.

    Args:
      seed, seed2: of TensorFlow's Philox stream, which makes its order too; both 0 asks the system.
    """

    def __init__(self, seed: int, seed2: int) -> None:
        self._elements: list[Element] = []
        self._generator = PhiloxGenerator(seed, seed2)
        self._words: deque[int] = deque()

    def __len__(self) -> int:
        return len(self._elements)

    def put(self, element: Element) -> None:
        """Adds an element."""
        self._elements.append(element)

    def take(self) -> Element:
        """Removes and returns a random element; the last one takes its place."""
        elements = self._elements
        index = self._next_word() % len(elements)
        taken = elements[index]
        elements[index] = elements[-1]
        elements.pop()
        return taken

    def put_back(self, elements: Sequence[Element]) -> None:
        """Adds elements that were taken."""
        self._elements.extend(elements)

    def _next_word(self) -> int:
        if not self._words:
            drawn = self._generator.reserve(_GROUPS_DRAWN).words(_GROUPS_DRAWN)
            self._words.extend(drawn.reshape(-1).tolist())
        return self._words.popleft()


class PriorityStore:
    """Gives the element whose first component, an integer scalar, is smallest.

    Of equal ones the first that came is first.
    """

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Element]] = []
        self._arrivals = itertools.count()
        self._returns = itertools.count(-1, -1)

    def __len__(self) -> int:
        return len(self._heap)

    def put(self, element: Element) -> None:
        """Adds an element."""
        heapq.heappush(self._heap, (int(element[0]), next(self._arrivals), element))

    def take(self) -> Element:
        """Removes and returns the element whose turn it is."""
        return heapq.heappop(self._heap)[2]

    def put_back(self, elements: Sequence[Element]) -> None:
        """Adds elements that were taken, before those of the same priority."""
        for element in reversed(elements):
            heapq.heappush(self._heap, (int(element[0]), next(self._returns), element))
