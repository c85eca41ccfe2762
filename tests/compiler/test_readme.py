"""The examples of the compiler's README run, and print what they say."""

from __future__ import annotations

import doctest
import inspect
import re
from pathlib import Path

import featherflow
from featherflow.compiler import kernel_spec
from featherflow.ops import activation_ops

PACKAGE = Path(featherflow.__file__).parent
README = PACKAGE / "compiler" / "README.md"


def test_examples() -> None:
    # The end of a block of code would be taken for output.
    text = re.sub(r"^```.*$", "", README.read_text(), flags=re.MULTILINE)
    examples = doctest.DocTestParser().get_doctest(text, {}, README.name, str(README), 0)
    assert len(examples.examples) > 25
    found: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL)
    runner.run(examples, out=found.append)
    assert not runner.failures, "".join(found)


def test_the_rule_is_the_one_in_the_sources() -> None:
    assert inspect.getsource(activation_ops._softsign_compile) in README.read_text()


def test_files_and_families_that_it_names() -> None:
    names = re.findall(r"`?((?:[a-z_]+/)*[a-z_0-9]+\.py)\b", README.read_text())
    assert len(set(names)) > 15
    places = (README.parent, PACKAGE, PACKAGE.parent)
    missing = [name for name in names if not any((place / name).exists() for place in places)]
    assert not missing
    for family in ("elementwise", "rows", "columns", "matmul", "conv2d", "pool2d"):
        assert family in kernel_spec._MODULES
