"""`featherflow explain OP`: the places that it names are where the source has them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import featherflow as tf
from featherflow.cli.explain_op import describe
from featherflow.cli.op_search import main_ops, near_names, op_by_name, ops_made_by, public_name
from featherflow.framework.op import get_op

ROOT = Path(tf.__file__).resolve().parents[1]


def source_line(place: str) -> str:
    """The line of a place, `file:line`."""
    file, _, line = place.rpartition(":")
    return (ROOT / file).read_text().splitlines()[int(line) - 1].strip()


def hops(name: str) -> list[tuple[str, str]]:
    """(place, function) of each hop."""
    found = []
    for line in describe(name) or ():
        match = re.match(r"  \d\. (\S+) +(\S+?)(,|$)", line)
        if match:
            found.append((match[1], match[2]))
    return found


@pytest.mark.parametrize(
    ("name", "function", "kernel"),
    [
        ("conv2d", "conv2d", "_conv2d_cpu"),
        ("Conv2D", "conv2d", "_conv2d_cpu"),
        ("tf.nn.conv2d", "conv2d", "_conv2d_cpu"),
        ("featherflow.nn.conv2d", "conv2d", "_conv2d_cpu"),
        ("matmul", "matmul", "_matmul_cpu"),
        ("relu", "relu", "relu"),
        ("reshape", "reshape", "_reshape_cpu"),
        ("one_hot", "one_hot", "_one_hot_cpu"),
    ],
)
def test_two_hops(name: str, function: str, kernel: str) -> None:
    places = hops(name)
    assert [found for _, found in places] == [function, kernel]
    for place, found in places:
        assert source_line(place).startswith(f"def {found}(")
    assert "two hops from its name" in "\n".join(describe(name) or ())


def test_kernels_of_numpy_are_at_their_row() -> None:
    lines = describe("add") or []
    assert lines[0] == "AddV2"
    (_, function), (place, kernel) = hops("add")
    assert (function, kernel) == ("add", "np.add")
    assert source_line(place).startswith("AddV2 = ")
    others = lines[lines.index("It makes other ops, too:") + 1]
    assert others.split()[0] == "Add"


def test_longer_ways_are_counted() -> None:
    lines = "\n".join(describe("nn.max_pool") or ())
    count = len({line.split(".")[0] for line in lines.splitlines() if re.match(r"  \d\.", line)})
    words = {2: "two", 3: "three", 4: "four"}
    assert f"{words[count]} hops from its name" in lines
    assert hops("nn.max_pool")[-1][1] == "_max_pool_cpu"


def test_rules() -> None:
    lines = describe("Conv2D") or []
    rows = {line[2:16].strip(): line[17:] for line in lines if line.startswith("  ")}
    assert source_line(rows["contract"]).startswith("Conv2D = define_op(")
    assert source_line(rows["static shape"]).startswith("def ")
    assert source_line(rows["kernel CPU"].split()[0]).startswith("def _conv2d_cpu(")
    assert source_line(rows["gradient"]).startswith("def _conv2d_grad(")
    assert rows["inputs"] == "input: T, filter: T"
    assert rows["outputs"] == "output: T"
    assert "strides" in rows["attributes"]


def test_facts_and_reasons() -> None:
    assert "  facts          stateful, touches world" in (describe("PyFunc") or ())
    assert "  gradient       none: it has no inputs" in (describe("Placeholder") or ())


@pytest.mark.parametrize("name", ["cond", "while_loop", "gradients"])
def test_functions_of_many_ops(name: str) -> None:
    lines = describe(name) or []
    assert lines[0] == f"tf.{name}"
    assert source_line(lines[2].split()[1]).startswith(f"def {name}(")
    assert "It is made of these ops:" in lines


def test_values_have_a_file() -> None:
    assert describe("float32") == [
        "tf.float32",
        "",
        "  defined        featherflow/framework/dtypes.py",
    ]


def test_a_class_with_an_ops_name_is_named() -> None:
    lines = describe("Variable") or []
    assert lines[0] == "Variable"
    assert lines[2].startswith("tf.Variable is at featherflow/ops/")


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("conv2d", "nn.conv2d"),
        ("Conv2D", "nn.conv2d"),
        ("AddV2", "add"),
        ("tf.reduce_sum", "reduce_sum"),
        ("nothing_like_it", None),
    ],
)
def test_public_names(name: str, public: str | None) -> None:
    assert public_name(name) == public


def test_op_names() -> None:
    assert op_by_name("Conv2D") is get_op("Conv2D")
    assert op_by_name("CONV2D") is get_op("Conv2D")
    assert op_by_name("conv2") is None
    assert describe("nothing_like_it") is None
    assert "nn.conv2d" in near_names("conv2dd")


def test_ops_made_by_reads_methods_closures_and_modules() -> None:
    found = ops_made_by(tf.negative)  # a decorated function
    assert main_ops("negative", found) == [get_op("Neg")]
    assert get_op("Switch") in ops_made_by(tf.cond)


def test_command(featherflow) -> None:
    result = featherflow("explain", "conv2d")
    assert (result.status, result.err) == (0, "")
    assert result.lines == describe("conv2d")
    unknown = featherflow("explain", "conv2dd")
    assert (unknown.status, unknown.out) == (2, "")
    assert "there is no op, script or model 'conv2dd'. Names like it: " in unknown.err
    assert "nn.conv2d" in unknown.err
