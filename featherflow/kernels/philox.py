"""The counter-based random generator Philox 4×32-10, and the streams that random ops draw from it.

Philox maps a 128-bit counter and a 64-bit key to four random 32-bit words. An op with the
attributes `seed` and `seed2` has the key `seed` and starts at the counter `seed2 · 2⁶⁴`; element
`i` of a run depends on its counter alone and not on threads.

Verified against TensorFlow 2.21: after each run of `n` elements an op's counter moves on by
256·n, whatever the dtype and distribution (`RandomShuffle` and `Multinomial` excepted, see
`random_choices`). Where both attributes are 0 the seed is drawn from the system.

The attributes come from `tf.compat.v1.get_seed(op_seed)`, verified likewise:

    graph seed  op seed   seed                 seed2
    set         given     graph seed           op seed
    set         –         graph seed           how many earlier calls in this graph were of this
                                               row: 0, 1, 2, …
    –           given     87654321             op seed
    –           –         0                    0

The number of operations in the graph plays no part (TensorFlow 1's rule), nor does setting the
graph seed anew reset the count. A function's graph takes over the seed and counts for itself. In
eager mode the count is replaced by draws of `random.Random(seed).randint(0, 2³¹ − 1)`. Both
results are taken modulo 2³¹ − 1, and if both are then 0, `seed2` becomes 2³¹ − 1.

See: Salmon, Moraes, Dror & Shaw 2011, "Parallel random numbers: as easy as 1, 2, 3".
"""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass

import numpy as np

_ROUNDS = 10
_MULTIPLIERS = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
_KEY_STEPS = 0x9E3779B9, 0xBB67AE85
_WORD = np.uint64(0xFFFFFFFF)
_WORD_BITS = np.uint64(32)
_MASK64 = (1 << 64) - 1
_MASK128 = (1 << 128) - 1
_STATELESS_KEY = 0x02461E293EC8F720

# How far an op's counter moves for each element of a run.
COUNTERS_PER_OUTPUT = 256


def philox_4x32_10(words: np.ndarray, key: int) -> np.ndarray:
    """Encrypts counters: ten rounds, each of two 32×32→64-bit multiplications and a shuffle.

    Args:
      words: `[4, n]` uint64, the 32-bit words of n counters, lowest first; overwritten.
      key: 64 bits.

    Returns:
      `[n, 4]` uint32.

    The published answer for a counter and a key of zeros:

    >>> philox_4x32_10(np.zeros((4, 1), np.uint64), 0)
    array([[1713891541, 3781805453, 3159862348, 2600524760]], dtype=uint32)
    """
    first, second, third, fourth = words
    key_words = [key & 0xFFFFFFFF, key >> 32]
    product, other = np.empty_like(first), np.empty_like(first)
    for _ in range(_ROUNDS):
        np.multiply(first, _MULTIPLIERS[0], out=product)
        np.multiply(third, _MULTIPLIERS[1], out=other)
        np.right_shift(other, _WORD_BITS, out=first)
        first ^= second
        first ^= np.uint64(key_words[0])
        np.bitwise_and(other, _WORD, out=second)
        np.right_shift(product, _WORD_BITS, out=third)
        third ^= fourth
        third ^= np.uint64(key_words[1])
        np.bitwise_and(product, _WORD, out=fourth)
        key_words = [(word + step) & 0xFFFFFFFF for word, step in zip(key_words, _KEY_STEPS)]
    return np.stack((first, second, third, fourth), axis=-1).astype(np.uint32)


@dataclass(frozen=True, slots=True)
class PhiloxStream:
    """The random words from one counter on.

    Attributes:
      key: 64 bits.
      counter: 128 bits.
    """

    key: int
    counter: int

    def skip(self, counters: int) -> PhiloxStream:
        """The stream that starts `counters` later."""
        return PhiloxStream(self.key, (self.counter + counters) & _MASK128)

    def words(self, count: int) -> np.ndarray:
        """The next `count` groups of four words: `[count, 4]` uint32."""
        return self.words_at(np.arange(count, dtype=np.uint64))

    def words_at(self, offsets: np.ndarray) -> np.ndarray:
        """The groups of four words that lie `offsets` (uint64) ahead: `[len(offsets), 4]`."""
        low, high = self.counter & _MASK64, self.counter >> 64
        position = offsets + np.uint64(low)
        counters = np.empty((4, len(offsets)), np.uint64)
        np.bitwise_and(position, _WORD, out=counters[0])
        np.right_shift(position, _WORD_BITS, out=counters[1])
        # A sum below its operand has wrapped around, and carries into the upper half.
        carried = (position < offsets) if low else False
        upper = np.where(carried, np.uint64((high + 1) & _MASK64), np.uint64(high))
        np.bitwise_and(upper, _WORD, out=counters[2])
        np.right_shift(upper, _WORD_BITS, out=counters[3])
        return philox_4x32_10(counters, self.key)


def stateless_stream(seed: int, seed2: int) -> PhiloxStream:
    """The stream of a stateless random op with the seed tensor `[seed, seed2]`.

    The seeds are encrypted first, so that seeds that differ in one bit give unrelated streams.
    """
    counter = (seed & _MASK64) | (seed2 & _MASK64) << 64
    words = PhiloxStream(_STATELESS_KEY, counter).words(1)[0].tolist()
    return PhiloxStream(words[0] | words[1] << 32, (words[2] | words[3] << 32) << 64)


class PhiloxGenerator:
    """The generator of one stateful random op: hands each run its own stretch of the stream.

    Args:
      seed, seed2: the op's attributes; both 0 asks for a seed from the system.
    """

    __slots__ = ("_lock", "_stream")

    def __init__(self, seed: int, seed2: int) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = (int.from_bytes(os.urandom(8), "little") for _ in range(2))
        self._stream = PhiloxStream(seed & _MASK64, (seed2 & _MASK64) << 64)
        self._lock = threading.Lock()

    @classmethod
    def at(cls, stream: PhiloxStream) -> PhiloxGenerator:
        """A generator that goes on from `stream`."""
        generator = cls.__new__(cls)
        generator._stream = stream
        generator._lock = threading.Lock()
        return generator

    def reserve(self, counters: int) -> PhiloxStream:
        """Returns the stream from here on, and moves `counters` ahead; safe from any thread."""
        with self._lock:
            stream = self._stream
            self._stream = stream.skip(counters)
        return stream

    def reserve_for_outputs(self, outputs: int) -> PhiloxStream:
        """Reserves what a run of `outputs` elements takes."""
        return self.reserve(outputs * COUNTERS_PER_OUTPUT)
