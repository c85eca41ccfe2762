"""The command line as a whole: usage, help, exit statuses, and that a core install is enough."""

from __future__ import annotations

import subprocess
import sys

import pytest

import featherflow as tf
from featherflow.cli.main import COMMANDS


def test_version(featherflow) -> None:
    result = featherflow("--version")
    assert (result.status, result.out) == (0, f"featherflow {tf.__version__}\n")


def test_help_names_the_commands_and_statuses(featherflow) -> None:
    result = featherflow("--help")
    assert result.status == 0
    for command in COMMANDS:
        assert f"  {command} " in result.out
    assert "exit status: 0" in result.out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command(featherflow, command: str) -> None:
    result = featherflow(command, "--help")
    assert result.status == 0
    assert f"usage: featherflow {command}" in result.out
    assert f"`featherflow {command}" in result.out


@pytest.mark.parametrize(
    "arguments", [(), ("nothing",), ("inspect",), ("run",), ("predict", "m", "--size", "12")]
)
def test_wrong_usage_is_status_2(featherflow, arguments: tuple[str, ...]) -> None:
    result = featherflow(*arguments)
    assert (result.status, result.out) == (2, "")
    assert "usage: featherflow" in result.err


@pytest.mark.slow
def test_commands_as_modules() -> None:
    for arguments in (["featherflow", "explain", "relu"], ["featherflow.explain", "relu"]):
        command = [sys.executable, "-m", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        assert done.stdout.startswith("Relu\n")
        assert done.stderr == ""


@pytest.mark.slow
def test_works_without_extras() -> None:
    """Nothing but NumPy, ml_dtypes and protobuf is needed: the rest is kept from being imported."""
    code = (
        "import sys\n"
        "for name in ('PIL', 'rich', 'click', 'absl', 'llvmlite'):\n"
        "    sys.modules[name] = None\n"
        "from featherflow.cli.main import main\n"
        "status = main(['explain', 'conv2d'])\n"
        "import featherflow.cli.predict_command, featherflow.cli.inspect_command\n"
        "sys.exit(status)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "_conv2d_cpu" in done.stdout


@pytest.mark.slow
def test_output_that_nobody_reads_is_no_error() -> None:
    command = f"{sys.executable} -m featherflow explain conv2d | true"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert done.stderr == ""
