"""`featherflow run`: the program's own world is as `python SCRIPT.py` makes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import featherflow as tf


@pytest.fixture
def script(tmp_path: Path):
    def write(text: str, name: str = "program.py") -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_arguments_are_the_programs_own(featherflow, script) -> None:
    path = script("import sys; print(sys.argv[1:])")
    arguments = ["--help", "-m", "x", "--", "--version", "run"]
    assert featherflow("run", path, *arguments).out == f"{arguments}\n"


def test_program_is_main_and_finds_its_neighbours(featherflow, script, tmp_path) -> None:
    script("value = 7", "neighbour.py")
    path = script(
        "import sys, neighbour\n"
        "def where(): return sys.modules['__main__'].__file__\n"
        "print(__name__, neighbour.value, where() == __file__, sys.argv[0] == __file__)\n"
        "print(sys.modules['__main__'].where.__module__, sys.path[0])\n"
    )
    result = featherflow("run", path)
    sys.modules.pop("neighbour", None)
    assert result.lines == ["__main__ 7 True True", f"__main__ {tmp_path}"]


@pytest.mark.parametrize(
    ("text", "status"),
    [("pass", 0), ("raise SystemExit(7)", 7), ("import sys; sys.exit('no')", 1), ("1 / 0", 1)],
)
def test_exit_status(featherflow, script, text: str, status: int) -> None:
    assert featherflow("run", script(text)).status == status


def test_traceback_starts_at_the_program(featherflow, script) -> None:
    path = script("def inner():\n    raise KeyError('gone')\ninner()\n")
    result = featherflow("run", path)
    assert result.err.splitlines()[:2] == [
        "Traceback (most recent call last):",
        f'  File "{path}", line 3, in <module>',
    ]
    assert result.err.rstrip().endswith("KeyError: 'gone'")


def test_says_that_nothing_stands_for_a_module(featherflow, script) -> None:
    result = featherflow("run", script("import tensorflow.contrib.nothing as nothing"))
    assert result.status == 1
    assert "featherflow has no module that stands for tensorflow.contrib" in result.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("program.py", "def (", "is no Python program"),
        ("program.py", "a\0b", "is no Python program"),
    ],
)
def test_refuses_what_is_no_program(featherflow, script, name, text, message) -> None:
    result = featherflow("run", script(text, name))
    assert result.status == 2
    assert message in result.err
    assert len(result.err.splitlines()) == 1


def test_refuses_a_missing_file(featherflow, tmp_path) -> None:
    result = featherflow("run", tmp_path / "none.py")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("featherflow run: cannot read ")


def test_runs_a_module(featherflow, script, monkeypatch, tmp_path) -> None:
    script("import sys, tensorflow as tf\nprint(__name__, sys.argv[1:], tf.__name__)", "prog_m.py")
    monkeypatch.chdir(tmp_path)
    result = featherflow("run", "-m", "prog_m", "-x", "1")
    assert result.lines == ["__main__ ['-x', '1'] tensorflow"]


@pytest.mark.slow
def test_processes_that_a_program_starts(script, tmp_path) -> None:
    other = script(
        "import tensorflow.compat.v1 as tf; print(tf.__version__, tf.nn.relu)", "other.py"
    )
    path = script(
        "import multiprocessing, subprocess, sys\n"
        "import tensorflow.compat.v1 as tf\n"
        "def work(number):\n"
        "    with tf.Graph().as_default(), tf.Session() as sess:\n"
        "        return float(sess.run(tf.constant(number) * 2.0))\n"
        "if __name__ == '__main__':\n"
        "    with multiprocessing.get_context('spawn').Pool(1) as pool:\n"
        "        print(pool.map(work, [1.0, 2.0]), flush=True)\n"
        f"    subprocess.run([sys.executable, {str(other)!r}], check=True)\n"
    )
    command = [sys.executable, "-m", "featherflow", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0] == "[2.0, 4.0]"
    assert lines[1].startswith(f"{tf.__version__} <function relu")


def test_runs_in_a_process_of_its_own(script) -> None:
    """What threads and exit handlers of a program use is still there when its last line is done."""
    path = script(
        "import atexit, threading, time\n"
        "import tensorflow.compat.v1 as tf\n"
        "def last():\n"
        "    import tensorflow.python.framework.ops as ops\n"
        "    print('at exit', tf.constant(1).numpy(), ops.Graph is tf.Graph)\n"
        "atexit.register(last)\n"
        "threading.Thread(target=lambda: (time.sleep(0.01), print('thread', tf.float32))).start()\n"
    )
    command = [sys.executable, "-m", "featherflow", "run", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "thread <dtype: 'float32'>",
        "at exit 1 True",
    ]
