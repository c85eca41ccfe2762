"""RE2's regular expressions: every pattern on the same texts, and the patterns that are refused."""

from __future__ import annotations

import numpy as np

from ..case import case, error_cases

#: Latin, other scripts, nothing, and bytes that are no UTF-8.
_BYTES = [
    b"aabc_9- ab",
    "éß٣Α\nb.a".encode(),
    b"",
    b"\xed\xa0\x80\xe0\x80\x80\xf4\x90\x80\x80\xc0\x80",
    "AÉſKk\t~".encode(),
]
TEXTS = np.empty(len(_BYTES), object)
TEXTS[:] = _BYTES

_PATTERNS = [
    *("", "a*", "b*", "a+?b", "a??", "a*?", "(?U)a*?", "(?U)a+", "a{2}", "a{1,}", "a{0}", "a{,2}"),
    *("a{", "a{x", "x{2}", "|a", "a|ab", "(a|ab)(c|bcd)", "()", "(|a)*", "(a*)*", "(a*)+", "^*"),
    *("(a|b)*?c", "(((a)))", "(?:a{2}){500}", "(?P<n>a)(b)", "(?P<1>a)", "(?:ab)+", "(?i)AB(?-i)C"),
    *("^", "$", "(?m)^", "(?m)$", "(?m)^b", r"\A", r"\z", r"\b", r"\B", r"\bb", r"\Aa", r"a\z"),
    *(".", "(?s).", "(?s:.)", r"\C", "[^a]", "[^]a]", "[]a]", "[-a]", "[a-]", "[a-b-c]", "[a&&b]"),
    *("[[a]", r"[\d\s]", r"\d+", r"\D", r"\s", r"\S", r"\w", r"\W", r"[\D]", r"[^\D]", r"[\w.]+"),
    *("[[:alpha:]]+", "[[:^alpha:]a]", "[[:word:]]", "[[:ascii:]]", "[[:punct:]]", "[[:space:]]"),
    *(r"\pL", r"\PL", r"\p{^L}", r"\pN", r"\p{Lu}", r"\p{Greek}", r"\p{Latin}", r"\p{Any}", r"\pC"),
    *(r"[\pL\pN]+", r"[^\pL]", r"\pZ{", r"\p{Arabic}", r"\x41", r"\x{e9}", r"\x{1F600}", r"\012"),
    *(r"\12", r"\07", r"\t", r"\Q.a\E", r"\Qa", r"\_", r"\.", r"\-", "é", "[é-ÿ]", "[Α-Ω]"),
    *("(?i)a", "(?i)É", "(?i)k", "(?i)[s-t]", "(?i)ß", r"(?i)\p{Lu}", "(?i-s:a)", "(?)a"),
    r"[^\x00-\x{10FFFF}]",
]
for _place, _pattern in enumerate(_PATTERNS):

    @case(f"replace_{_place:03}_{_pattern!a}")
    def _replace(tf, pattern=_pattern):
        return [
            tf.regex_replace(TEXTS, pattern, r"<\0>"),
            tf.regex_replace(TEXTS, pattern, "#", replace_global=False),
            tf.strings.regex_full_match(TEXTS, pattern),
        ]


_BAD = [
    *(
        "(",
        "a)",
        "*a",
        "a**",
        "a++",
        "a{2}{3}",
        "a{2,1}",
        "a{1001}",
        "(a{1000}){2}",
        "a|*",
        "[",
        "[]",
    ),
    *("[a", "[z-a]", r"[a-\d]", r"[\b]", "(?i", "(?z)a", "(?i-)a", "(?:a", "(?#c)a", "(?=a)"),
    *("(?!a)", "(?<=a)", "(?<n>a)", "(?P=n)", "(?P<a-b>a)", "(?P<>a)", "(?P<n)", r"(a)\1", r"\8"),
    *(r"\1a", "\\", r"\Z", r"\E", r"\G", r"\e", r"\cA", r"\h", r"\N", r"\R", r"\X", r"\x", r"\xg"),
    *(r"\x4", r"\x{41", r"\x{110000}", r"\x{}", r"\p{", r"\p{L", r"\pX", r"\p{Xx}", r"\p{Letter}"),
    *(r"\p{Cn}", r"\p{greek}"),
]
error_cases(
    **{
        f"bad_{place:02}_{pattern!a}": lambda tf, pattern=pattern: tf.regex_replace(
            ["a"], pattern, ""
        )
        for place, pattern in enumerate(_BAD)
    }
)


@case
def rewrites(tf):
    rewrites = [r"\2\1", r"\0\0", r"\3", "\\", r"x\q", r"\\", r"\1\\2", "", "\n"]
    return [
        tf.strings.regex_replace(["ab12 cd"], "([a-z])([a-z0-9]*)", rewrite, replace_global=every)
        for rewrite in rewrites
        for every in (True, False)
    ]


@case
def patterns_that_are_tensors(tf):
    pattern, rewrite = tf.constant("[a-z]+"), tf.placeholder_with_default(tf.constant("-"), None)
    return [
        tf.regex_replace(["a1b", "c"], pattern, rewrite),
        tf.regex_replace(["a1b", "c"], pattern, "-", replace_global=False),
        tf.strings.regex_full_match(["a1b", "c"], pattern),
        tf.strings.regex_full_match([["a"], ["1"]], "[a-z]"),
        [node.op for node in tf.get_default_graph().as_graph_def().node if "egex" in node.op],
    ]


def _fed(tf, value):
    return tf.placeholder_with_default(tf.constant(value), None)


error_cases(
    pattern_of_a_vector=lambda tf: tf.regex_replace(["a"], ["a"], ""),
    pattern_of_a_fed_vector=lambda tf: tf.regex_replace(["a"], _fed(tf, ["a"]), ""),
    rewrite_of_a_fed_vector=lambda tf: tf.regex_replace(["a"], "a", _fed(tf, ["a"])),
    match_of_a_vector=lambda tf: tf.strings.regex_full_match(["a"], tf.constant(["a"])),
    match_of_a_fed_vector=lambda tf: tf.strings.regex_full_match(["a"], _fed(tf, ["a"])),
    bad_pattern_of_a_match=lambda tf: tf.strings.regex_full_match(["a"], "("),
    bad_pattern_of_nothing=lambda tf: tf.regex_replace(tf.constant([], tf.string), "(", ""),
    pattern_of_numbers=lambda tf: tf.regex_replace([1], "a", ""),
)
