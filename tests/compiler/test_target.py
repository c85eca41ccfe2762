"""Compile targets: what the levels have, and which one a machine and its user choose."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys

import pytest

from featherflow.compiler import codegen
from featherflow.compiler.target import (
    Target,
    chosen_level,
    host_target,
    levels_of,
    target_named,
)

V2 = "cx16 lahf_lm popcnt pni ssse3 sse4_1 sse4_2"
V3 = V2 + " avx avx2 bmi1 bmi2 f16c fma abm movbe xsave"
V4 = V3 + " avx512f avx512bw avx512cd avx512dq avx512vl"
NAMES = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")

ADD_SIXTEEN = """
define void @kernel(ptr %p) {
  %a = load <16 x float>, ptr %p, align 4
  %b = fadd <16 x float> %a, %a
  store <16 x float> %b, ptr %p, align 4
  ret void
}
"""


@pytest.mark.parametrize(
    ("name", "vector_bits", "registers", "has_fma"),
    [
        ("x86-64", 128, 16, False),
        ("x86-64-v2", 128, 16, False),
        ("x86-64-v3", 256, 16, True),
        ("x86-64-v4", 512, 32, True),
        ("aarch64", 128, 32, True),
    ],
)
def test_levels(name: str, vector_bits: int, registers: int, has_fma: bool) -> None:
    target = target_named(name)
    assert (target.name, target.vector_bits, target.registers, target.has_fma) == (
        name,
        vector_bits,
        registers,
        has_fma,
    )
    assert target.lanes(4) == vector_bits // 32
    assert target.lanes(1) == vector_bits // 8


def test_unknown_names_are_refused() -> None:
    with pytest.raises(ValueError, match="no target 'x86-64-v9'"):
        target_named("x86-64-v9")


def test_texts_differ() -> None:
    assert len({target_named(name).text for name in NAMES}) == len(NAMES)


@pytest.mark.parametrize(
    ("flags", "best"),
    [
        ("", "x86-64"),
        ("sse sse2", "x86-64"),
        (V2, "x86-64-v2"),
        (V3, "x86-64-v3"),
        (V3.replace("fma", ""), "x86-64-v2"),
        (V4, "x86-64-v4"),
        (V4.replace("avx512vl", ""), "x86-64-v3"),
        # A hypervisor that hides one old flag hides the levels above it too.
        (V4.replace("popcnt", ""), "x86-64"),
    ],
)
def test_best_level_of_flags(flags: str, best: str) -> None:
    assert levels_of("x86_64", frozenset(flags.split()))[-1].name == best


def test_arm_has_one_level() -> None:
    for machine in ("aarch64", "arm64"):
        assert [level.name for level in levels_of(machine, frozenset())] == ["aarch64"]


@pytest.fixture
def levels() -> tuple[Target, ...]:
    return levels_of("x86_64", frozenset(V3.split()))


@pytest.mark.parametrize("wish", ["x86-64-v2", "-v2", "v2", "X86-64-V2", " v2 "])
def test_users_lower_the_level(levels: tuple[Target, ...], wish: str) -> None:
    assert chosen_level(levels, wish).name == "x86-64-v2"


def test_lowest_and_no_wish(levels: tuple[Target, ...]) -> None:
    assert chosen_level(levels, "x86-64").name == "x86-64"
    assert chosen_level(levels, "").name == "x86-64-v3"


@pytest.mark.parametrize("wish", ["x86-64-v4", "v4", "aarch64", "nonsense"])
def test_a_level_that_the_machine_lacks(
    levels: tuple[Target, ...], wish: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "featherflow"):
        assert chosen_level(levels, wish).name == "x86-64-v3"
    (record,) = caplog.records
    assert record.name == "featherflow"
    assert f"FEATHERFLOW_CPU={wish}" in record.getMessage()
    assert "x86-64-v3 is used" in record.getMessage()


def test_the_variable_is_read_once_and_lowers_the_host() -> None:
    program = (
        "import json, os, sys\n"
        "from featherflow.compiler.target import host_target\n"
        "first = host_target().name\n"
        "os.environ['FEATHERFLOW_CPU'] = 'nonsense'\n"
        "print(json.dumps([first, host_target().name, 'llvmlite' in sys.modules]))\n"
    )
    lowest = levels_of(os.uname().machine, frozenset())[0].name
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "FEATHERFLOW_CPU": lowest},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == [lowest, lowest, False]
    assert done.stderr == ""


def test_the_host_target_is_cached() -> None:
    assert host_target() is host_target()


@pytest.mark.parametrize(
    ("name", "register", "adds"),
    [
        ("x86-64", "xmm", 4),
        ("x86-64-v2", "xmm", 4),
        ("x86-64-v3", "ymm", 2),
        ("x86-64-v4", "zmm", 1),
    ],
)
def test_llvm_uses_the_width_that_the_target_states(name: str, register: str, adds: int) -> None:
    lines = codegen.assembly(ADD_SIXTEEN, target_named(name)).splitlines()
    found = [line for line in lines if "addps" in line and register in line]
    assert len(found) == adds
    # No add is done in narrower or wider registers.
    assert len(found) == len([line for line in lines if "addps" in line])


def test_llvm_uses_arm_vectors() -> None:
    text = codegen.assembly(ADD_SIXTEEN, target_named("aarch64"))
    assert text.count("fadd\tv") == 4


def test_llvm_knows_every_feature_named(capfd: pytest.CaptureFixture[str]) -> None:
    for name in NAMES:
        codegen.compile_object(ADD_SIXTEEN, target_named(name))
    assert capfd.readouterr().err == ""


def test_bad_ir_is_refused() -> None:
    with pytest.raises(codegen.CodegenError, match="expected"):
        codegen.compile_object("define nonsense", target_named("x86-64"))
    with pytest.raises(codegen.CodegenError, match="dominate"):
        codegen.compile_object(
            "define i64 @kernel() {\n %b = add i64 %a, 1\n %a = add i64 1, 1\n ret i64 %b\n}",
            target_named("x86-64"),
        )


def test_the_version_names_llvm() -> None:
    llvmlite, _, llvm = codegen.llvm_version().partition("/")
    assert llvmlite[0].isdigit() and llvm.count(".") == 2
