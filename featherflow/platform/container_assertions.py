"""Assertions about containers, texts and commands that tf.test.TestCase adds to unittest's."""

from __future__ import annotations

import collections
import itertools
import json
import re
import subprocess
import unittest
import urllib.parse
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn


class ContainerAssertions(unittest.TestCase):
    """Assertions about containers, texts and commands."""

    def fail(self, msg: Any = None, user_msg: Any = None) -> NoReturn:
        """Fails the test, saying both."""
        super().fail(msg if user_msg is None else f"{msg} : {user_msg}")

    # --- sizes ------------------------------------------------------------------------------------

    def assertEmpty(self, container: Any, msg: str | None = None) -> None:
        """The container has no items."""
        self._check_sized(container, msg)
        if len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of {len(container)}."))

    def assertNotEmpty(self, container: Any, msg: str | None = None) -> None:
        """The container has items."""
        self._check_sized(container, msg)
        if not len(container):
            self.fail(self._formatMessage(msg, f"{container!r} has length of 0."))

    def assertLen(self, container: Any, expected_len: int, msg: str | None = None) -> None:
        """The container has a number of items."""
        self._check_sized(container, msg)
        if len(container) != expected_len:
            told = f"{container!r} has length of {len(container)}, expected {expected_len}."
            self.fail(self._formatMessage(msg, told))

    def _check_sized(self, container: Any, msg: str | None) -> None:
        if not hasattr(container, "__len__"):
            self.fail(self._formatMessage(msg, f"Expected a Sized object, got {container!r}"))

    def assertBetween(self, value: Any, minv: Any, maxv: Any, msg: str | None = None) -> None:
        """minv ≤ value ≤ maxv."""
        if not minv <= value <= maxv:
            told = f"{value!r} unexpectedly not between {minv!r} and {maxv!r}"
            self.fail(self._formatMessage(msg, told))

    # --- elements ---------------------------------------------------------------------------------

    def assertItemsEqual(
        self, first: Iterable[Any], second: Iterable[Any], msg: str | None = None
    ) -> None:
        """Both hold the same items as often, in any order."""
        self.assertCountEqual(first, second, msg)

    def assertSameElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """Both hold the same items, in any order and any number."""
        expected, actual = list(expected_seq), list(actual_seq)
        missing = [item for item in expected if item not in actual]
        surplus = [item for item in actual if item not in expected]
        if missing or surplus:
            told = f"Expected, but missing: {missing!r}. Unexpected, but present: {surplus!r}"
            self.fail(self._formatMessage(msg, told))

    def assertContainsSubset(
        self, expected_subset: Iterable[Any], actual_set: Iterable[Any], msg: str | None = None
    ) -> None:
        """All of `expected_subset` are in `actual_set`."""
        actual = set(actual_set)
        missing = set(expected_subset) - actual
        if missing:
            told = f"Missing elements {missing} from the set {actual}"
            self.fail(self._formatMessage(msg, told))

    def assertNoCommonElements(
        self, expected_seq: Iterable[Any], actual_seq: Iterable[Any], msg: str | None = None
    ) -> None:
        """No item is in both."""
        common = set(expected_seq) & set(actual_seq)
        if common:
            self.fail(self._formatMessage(msg, f"Common elements {common}"))

    def assertSequenceAlmostEqual(
        self,
        expected_seq: Sequence[float],
        actual_seq: Sequence[float],
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """`assertAlmostEqual` of each pair of two sequences of one length."""
        if len(expected_seq) != len(actual_seq):
            told = f"Sequence size mismatch: {len(expected_seq)} vs {len(actual_seq)}"
            self.fail(self._formatMessage(msg, told))
        for expected, actual in zip(expected_seq, actual_seq):
            self._assert_almost_equal(expected, actual, places, msg, delta)

    def assertDictAlmostEqual(
        self,
        a: Mapping[Any, float],
        b: Mapping[Any, float],
        places: int | None = None,
        msg: str | None = None,
        delta: float | None = None,
    ) -> None:
        """`assertAlmostEqual` of the values of each key of two dicts with the same keys."""
        self.assertCountEqual(a.keys(), b.keys(), msg)
        for key in a:
            self._assert_almost_equal(a[key], b[key], places, msg, delta)

    def _assert_almost_equal(self, a: Any, b: Any, places: Any, msg: Any, delta: Any) -> None:
        self.assertAlmostEqual(a, b, places=places, msg=msg, delta=delta)

    def assertDictEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Two dicts are equal."""
        super().assertDictEqual(a, b, msg)

    def assertMappingEqual(
        self,
        a: Mapping[Any, Any],
        b: Mapping[Any, Any],
        msg: str | None = None,
        mapping_type: type = Mapping,
        check_values_equality: Callable[[Any, Any], bool] = lambda x, y: x == y,
    ) -> None:
        """Both are mappings with the same keys, whose values a function calls equal."""
        self.assertIsInstance(a, mapping_type, msg)
        self.assertIsInstance(b, mapping_type, msg)
        self.assertCountEqual(a.keys(), b.keys(), msg)
        for key in a:
            if not check_values_equality(a[key], b[key]):
                self.fail(self._formatMessage(msg, f"{key!r}: {a[key]!r} != {b[key]!r}"))

    def assertDataclassEqual(self, first: Any, second: Any, msg: str | None = None) -> None:
        """Both are instances of one dataclass with equal fields."""
        self.assertIs(type(first), type(second), msg)
        self.assertEqual(vars(first), vars(second), msg)

    def assertSameStructure(
        self, a: Any, b: Any, aname: str = "a", bname: str = "b", msg: str | None = None
    ) -> None:
        """Two nests of dicts and lists are equal; says where they are not."""
        problems = list(_structure_differences(a, b, aname, bname))
        if problems:
            self.fail(self._formatMessage(msg, "; ".join(problems)))

    def assertTotallyOrdered(self, *groups: Iterable[Any], **kwargs: Any) -> None:
        """Items of a group are equal, and less than those of later groups, as all operators say."""
        msg = kwargs.pop("msg", None)
        items = [(place, item) for place, group in enumerate(groups) for item in group]
        for (i, first), (j, second) in itertools.product(items, repeat=2):
            facts = (first < second, first <= second, first == second, first != second)
            expected = (i < j, i <= j, i == j, i != j)
            if tuple(map(bool, facts)) != expected:
                told = f"{first!r} of group {i} and {second!r} of group {j} are not ordered"
                self.fail(self._formatMessage(msg, told))

    # --- order ------------------------------------------------------------------------------------

    def assertSequenceStartsWith(
        self, prefix: Any, whole: Sequence[Any], msg: str | None = None
    ) -> None:
        """The first items of `whole` are those of `prefix`."""
        start = list(prefix) if isinstance(prefix, (list, tuple, str)) else [prefix]
        if list(whole[: len(start)]) != start:
            told = f"prefix: {start} not found at start of whole: {whole}."
            self.fail(self._formatMessage(msg, told))

    def assertContainsInOrder(
        self, strings: Sequence[str] | str, target: str, msg: str | None = None
    ) -> None:
        """The strings are found in `target` one after the other."""
        wanted = (strings,) if isinstance(strings, str) else strings
        place = 0
        for text in wanted:
            found = target.find(text, place)
            if found < 0:
                told = f"Did not find '{text}' in '{target}', from its character {place} on"
                self.fail(self._formatMessage(msg, told))
            place = found + 1

    def assertContainsSubsequence(
        self, container: Iterable[Any], subsequence: Iterable[Any], msg: str | None = None
    ) -> None:
        """The items of `subsequence` are in `container`, in that order."""
        rest = iter(container)
        for item in subsequence:
            if item not in rest:
                told = f"{item!r} is not found where the order of {subsequence!r} needs it"
                self.fail(self._formatMessage(msg, told))

    def assertContainsExactSubsequence(
        self, container: Sequence[Any], subsequence: Sequence[Any], msg: str | None = None
    ) -> None:
        """The items of `subsequence` are next to each other in `container`."""
        items, wanted = list(container), list(subsequence)
        starts = range(len(items) - len(wanted) + 1)
        if not any(items[start : start + len(wanted)] == wanted for start in starts):
            self.fail(self._formatMessage(msg, f"{wanted!r} is not in {items!r}"))

    # --- texts ------------------------------------------------------------------------------------

    def assertStartsWith(self, actual: str, expected_start: str, msg: str | None = None) -> None:
        """`actual` starts with `expected_start`."""
        if not actual.startswith(expected_start):
            told = f"{actual!r} does not start with {expected_start!r}"
            self.fail(self._formatMessage(msg, told))

    def assertNotStartsWith(
        self, actual: str, unexpected_start: str, msg: str | None = None
    ) -> None:
        """`actual` does not start with `unexpected_start`."""
        if actual.startswith(unexpected_start):
            told = f"{actual!r} does start with {unexpected_start!r}"
            self.fail(self._formatMessage(msg, told))

    def assertEndsWith(self, actual: str, expected_end: str, msg: str | None = None) -> None:
        """`actual` ends with `expected_end`."""
        if not actual.endswith(expected_end):
            told = f"{actual!r} does not end with {expected_end!r}"
            self.fail(self._formatMessage(msg, told))

    def assertNotEndsWith(self, actual: str, unexpected_end: str, msg: str | None = None) -> None:
        """`actual` does not end with `unexpected_end`."""
        if actual.endswith(unexpected_end):
            told = f"{actual!r} does end with {unexpected_end!r}"
            self.fail(self._formatMessage(msg, told))

    def assertRegexMatch(
        self, actual_str: Any, regexes: Sequence[Any], message: str | None = None
    ) -> None:
        """One of the regular expressions is found in the text."""
        if not any(re.search(regex, actual_str, re.MULTILINE) for regex in regexes):
            told = f"{actual_str!r} matches none of {list(regexes)!r}"
            self.fail(self._formatMessage(message, told))

    def assertMultiLineEqual(
        self, first: str, second: str, msg: str | None = None, **kwargs: Any
    ) -> None:
        """Two texts are equal; says line by line where they are not."""
        super().assertMultiLineEqual(first, second, msg)

    def assertUrlEqual(self, a: str, b: str, msg: str | None = None) -> None:
        """Two URLs are the same, whatever the order of their parameters."""
        for first, second in zip(_url_parts(a), _url_parts(b)):
            self.assertEqual(first, second, msg)

    def assertJsonEqual(self, first: str, second: str, msg: str | None = None) -> None:
        """Two texts are JSON of equal values."""
        self.assertEqual(json.loads(first), json.loads(second), msg)

    # --- exceptions and commands ------------------------------------------------------------------

    def assertRaisesWithLiteralMatch(
        self,
        expected_exception: Any,
        expected_exception_message: str,
        callable_obj: Callable[..., Any] | None = None,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """The exception is raised with exactly that text; a context, or calls a function."""
        pattern = f"^{re.escape(expected_exception_message)}$"
        if callable_obj is None:
            return self.assertRaisesRegex(expected_exception, pattern)
        return self.assertRaisesRegex(expected_exception, pattern, callable_obj, *args, **kwargs)

    def assertRaisesRegexp(
        self, expected_exception: Any, expected_regex: Any, *args: Any, **kwargs: Any
    ) -> Any:
        """An old spelling of `assertRaisesRegex`."""
        return self.assertRaisesRegex(expected_exception, expected_regex, *args, **kwargs)

    def assertIsSubclass(self, cls: type, superclass: Any, msg: str | None = None) -> None:
        """One class is derived from another."""
        if not issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is no subclass of {superclass!r}"))

    def assertNotIsSubclass(self, cls: type, superclass: Any, msg: str | None = None) -> None:
        """One class is not derived from another."""
        if issubclass(cls, superclass):
            self.fail(self._formatMessage(msg, f"{cls!r} is a subclass of {superclass!r}"))

    def assertCommandSucceeds(
        self,
        command: Any,
        regexes: Sequence[bytes | str] = (b"",),
        env: Mapping[str, str] | None = None,
        close_fds: bool = True,
        msg: str | None = None,
    ) -> None:
        """A command exits with 0, and its output matches one of the regular expressions."""
        status, output = _run(command, env, close_fds)
        if status:
            told = f"{command!r} exits with {status}: {output!r}"
            self.fail(self._formatMessage(msg, told))
        self.assertRegexMatch(output, [_as_bytes(regex) for regex in regexes], msg)

    def assertCommandFails(
        self,
        command: Any,
        regexes: Sequence[bytes | str],
        env: Mapping[str, str] | None = None,
        close_fds: bool = True,
        msg: str | None = None,
    ) -> None:
        """A command exits with another status, and its output matches one of them."""
        status, output = _run(command, env, close_fds)
        if not status:
            self.fail(self._formatMessage(msg, f"{command!r} exits with 0: {output!r}"))
        self.assertRegexMatch(output, [_as_bytes(regex) for regex in regexes], msg)


def _structure_differences(a: Any, b: Any, aname: str, bname: str) -> Iterable[str]:
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for key in a:
            if key in b:
                yield from _structure_differences(
                    a[key], b[key], f"{aname}[{key!r}]", f"{bname}[{key!r}]"
                )
            else:
                yield f"{aname} has [{key!r}], which {bname} lacks"
        yield from (f"{bname} has [{key!r}], which {aname} lacks" for key in b if key not in a)
    elif isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        for index, (first, second) in enumerate(zip(a, b)):
            yield from _structure_differences(
                first, second, f"{aname}[{index}]", f"{bname}[{index}]"
            )
        if len(a) != len(b):
            yield f"{aname} has {len(a)} items and {bname} {len(b)}"
    elif a != b:
        yield f"{aname} is {a!r} and {bname} is {b!r}"


def _url_parts(url: str) -> tuple[Any, ...]:
    parts = urllib.parse.urlsplit(url)
    parameters = collections.Counter(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
    return parts.scheme, parts.netloc, parts.path, parts.fragment, parameters


def _as_bytes(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text


def _run(command: Any, env: Mapping[str, str] | None, close_fds: bool) -> tuple[int, bytes]:
    """The exit status of a command (a list, or a line for the shell) and what it printed."""
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        env={} if env is None else dict(env),
        close_fds=close_fds,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.returncode, done.stdout
