"""Regular expressions of RE2 on strings: replacing and full matches."""

from __future__ import annotations

from typing import Any

import numpy as np

from featherflow.framework.errors import InvalidArgumentError
from featherflow.framework.exports import export, export_v1
from featherflow.framework.op import define_op
from featherflow.framework.shape_inference import InferenceContext, unchanged_shape
from featherflow.framework.tensor_shape import TensorShape
from featherflow.graph.tensor import Tensor
from featherflow.kernels import re2, string_arrays
from featherflow.kernels.string_arrays import text_bytes

_NO_GRADIENT = "strings are not numbers"


def _check_scalar(name: str, value: np.ndarray) -> None:
    if value.ndim:
        raise InvalidArgumentError(
            None, None, f"{name} must be a scalar", received=f"shape {list(value.shape)}"
        )


# --- RegexReplace ---------------------------------------------------------------------------------

RegexReplace = define_op(
    "RegexReplace",
    inputs=("input: string", "pattern: string", "rewrite: string"),
    outputs=("output: string",),
    attrs=("replace_global: bool = true",),
)


@RegexReplace.shape_fn
def _regex_replace_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    c.with_rank(2, 0)
    return c.shapes[0]


@RegexReplace.kernel("CPU")
def _regex_replace_cpu(
    input: np.ndarray, pattern: np.ndarray, rewrite: np.ndarray, *, replace_global: bool
) -> np.ndarray:
    _check_scalar("Pattern", pattern)
    _check_scalar("Rewrite", rewrite)
    replacer = re2.Replacer(pattern.item(), rewrite.item(), replace_global)
    return string_arrays.mapped(replacer, input)


RegexReplace.not_differentiable(_NO_GRADIENT)

# --- StaticRegexReplace ---------------------------------------------------------------------------

StaticRegexReplace = define_op(
    "StaticRegexReplace",
    inputs=("input: string",),
    outputs=("output: string",),
    attrs=("pattern: string", "rewrite: string", "replace_global: bool = true"),
)
StaticRegexReplace.shape_fn(unchanged_shape)


@StaticRegexReplace.kernel("CPU")
def _static_regex_replace_cpu(
    input: np.ndarray, *, pattern: str, rewrite: str, replace_global: bool
) -> np.ndarray:
    replacer = re2.Replacer(text_bytes(pattern), text_bytes(rewrite), replace_global)
    return string_arrays.mapped(replacer, input)


StaticRegexReplace.without_gradient(_NO_GRADIENT)


@export("strings.regex_replace")
@export_v1("regex_replace")
def regex_replace(
    input: Any,
    pattern: Any,
    rewrite: Any,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    """Replaces what a regular expression matches in each string.

    Args:
      input: strings.
      pattern: a regular expression in the syntax of RE2: a string or a scalar tensor.
      rewrite: what takes the place of a match; \\1 to \\9 are its groups and \\0 all of it.
      replace_global: replaces all matches; False is the first only.
      name: of the node.
    Returns:
      Strings of the shape of `input`.
    Raises:
      InvalidArgumentError: `pattern` is no regular expression.

    See: https://github.com/google/re2/wiki/Syntax

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.regex_replace(["a1", "b22"], r"([a-z])\\d+", r"<\\1>")).tolist()
    [b'<a>', b'<b>']
    """
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return StaticRegexReplace(
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return RegexReplace(input, pattern, rewrite, replace_global=replace_global, name=name)


# --- RegexFullMatch -------------------------------------------------------------------------------

RegexFullMatch = define_op(
    "RegexFullMatch", inputs=("input: string", "pattern: string"), outputs=("output: bool",)
)


@RegexFullMatch.shape_fn
def _regex_full_match_shape(c: InferenceContext) -> TensorShape:
    c.with_rank(1, 0)
    return c.shapes[0]


@RegexFullMatch.kernel("CPU")
def _regex_full_match_cpu(input: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    _check_scalar("Pattern", pattern)
    return string_arrays.mapped_to(bool, re2.full_matcher(pattern.item()), input)


RegexFullMatch.without_gradient(_NO_GRADIENT)

# --- StaticRegexFullMatch -------------------------------------------------------------------------

StaticRegexFullMatch = define_op(
    "StaticRegexFullMatch",
    inputs=("input: string",),
    outputs=("output: bool",),
    attrs=("pattern: string",),
)
StaticRegexFullMatch.shape_fn(unchanged_shape)


@StaticRegexFullMatch.kernel("CPU")
def _static_regex_full_match_cpu(input: np.ndarray, *, pattern: str) -> np.ndarray:
    return string_arrays.mapped_to(bool, re2.full_matcher(text_bytes(pattern)), input)


StaticRegexFullMatch.without_gradient(_NO_GRADIENT)


@export("strings.regex_full_match")
def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether a regular expression matches all of each string.

    Args:
      input: strings.
      pattern: a regular expression in the syntax of RE2: a string or a scalar tensor.
      name: of the node.
    Returns:
      Booleans of the shape of `input`.
    Raises:
      InvalidArgumentError: `pattern` is no regular expression.

    >>> import featherflow as tf
    >>> with tf.Session() as sess:
    ...     sess.run(tf.strings.regex_full_match(["abc", "ab1"], "[a-z]+")).tolist()
    [True, False]
    """
    if isinstance(pattern, (str, bytes)):
        return StaticRegexFullMatch(input, pattern=pattern, name=name)
    return RegexFullMatch(input, pattern, name=name)
