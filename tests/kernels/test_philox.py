"""Philox: published answers, streams, and generators shared by threads."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from featherflow.kernels.philox import (
    COUNTERS_PER_OUTPUT,
    PhiloxGenerator,
    PhiloxStream,
    philox_4x32_10,
    stateless_stream,
)
from featherflow.kernels.random_values import random_uniform

from .test_random_values import RECORD

#: Counter words, key and result from the known-answer tests of Random123.
KNOWN_ANSWERS = [
    (0, 0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (2**128 - 1, 2**64 - 1, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        0x03707344_13198A2E_85A308D3_243F6A88,
        0x299F31D0_A4093822,
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]


@pytest.mark.parametrize(("counter", "key", "answer"), KNOWN_ANSWERS)
def test_known_answers(counter: int, key: int, answer: list[int]) -> None:
    words = [(counter >> shift) & 0xFFFFFFFF for shift in (0, 32, 64, 96)]
    found = philox_4x32_10(np.array(words, np.uint64).reshape(4, 1), key)
    assert found.dtype == np.uint32
    assert found.tolist() == [answer]
    assert PhiloxStream(key, counter).words(1).tolist() == [answer]


def test_words_follow_the_counter() -> None:
    stream = PhiloxStream(5, 2**70 + 3)
    whole = stream.words(10)
    assert whole.shape == (10, 4)
    np.testing.assert_array_equal(stream.skip(4).words(6), whole[4:])
    offsets = np.array([7, 0, 3], np.uint64)
    np.testing.assert_array_equal(stream.words_at(offsets), whole[[7, 0, 3]])
    assert stream.words(0).shape == (0, 4)


@pytest.mark.parametrize("counter", [2**64 - 2, 2**128 - 2, 7 * 2**64 - 2])
def test_counters_carry(counter: int) -> None:
    words = PhiloxStream(9, counter).words(4)
    for offset in range(4):
        single = PhiloxStream(9, (counter + offset) % 2**128).words(1)
        np.testing.assert_array_equal(words[offset], single[0])


def test_generator_starts_at_its_seeds() -> None:
    stream = PhiloxGenerator(-1, -2).reserve(0)
    assert stream == PhiloxStream(2**64 - 1, (2**64 - 2) << 64)


def test_runs_follow_each_other() -> None:
    generator = PhiloxGenerator(1, 2)
    first, second = generator.reserve_for_outputs(3), generator.reserve(5)
    assert second == first.skip(3 * COUNTERS_PER_OUTPUT)
    assert generator.reserve(0) == second.skip(5)


def test_no_seeds_ask_the_system() -> None:
    streams = {PhiloxGenerator(0, 0).reserve(1) for _ in range(4)}
    assert len(streams) == 4


def test_threads_share_no_counter() -> None:
    generator = PhiloxGenerator(1, 2)
    with ThreadPoolExecutor(4) as pool:
        streams = list(pool.map(lambda _: generator.reserve(10), range(200)))
    assert len({stream.counter for stream in streams}) == 200
    assert generator.reserve(0).counter == (2 << 64) + 2000


@pytest.mark.parametrize("seeds", [(1, 2), (-5, 7), (2**40, 3)])
def test_stateless_seeds_as_tensorflow(seeds: tuple[int, int]) -> None:
    expected = json.loads(RECORD.read_text())[f"stateless {seeds[0]} {seeds[1]}"]
    values = random_uniform(stateless_stream(*seeds), len(expected), np.dtype(np.float32))
    np.testing.assert_array_equal(values, np.array(expected, np.float32))
