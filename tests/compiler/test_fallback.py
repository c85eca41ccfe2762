"""Sessions answer alike when compiling fails in any way: each case is a program of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from featherflow.compiler.image import MappedImage

pytestmark = pytest.mark.slow

#: A program, or its worker, that hangs is ended after this many seconds.
LIMIT = 100.0
LOG_LINE = "Kernels are not compiled: "
#: Whoever edits the compiler while these tests run does not disturb them.
WORKER = """
import os, signal, sys
from featherflow.compiler import image_cache, kernel_spec, worker
image_cache.compiler_digest = lambda: "as tested"
TROUBLE, MARK = sys.argv[1:]

def emit(spec, target):
    is_first = not os.path.exists(MARK)
    open(MARK, "a").close()
    if TROUBLE == "always dies" or TROUBLE == "dies once" and is_first:
        os.kill(os.getpid(), signal.SIGKILL)
    if TROUBLE == "hangs":
        os.close(os.open(MARK + ".pipe", os.O_WRONLY))
        signal.pause()
    return kernel_spec.emit(spec, target)

worker.main(emit)
"""
#: What comes before the program: it counts workers, and sets the case's scene.
PRELUDE = """
import json, os, subprocess, sys
import numpy as np
import featherflow as tf
from featherflow.compiler import image_cache, worker_process
from featherflow.compiler.compile_service import default_service

image_cache.compiler_digest = lambda: "as tested"
command = json.loads(os.environ["TEST_WORKER"])
worker_process.default_command = lambda: command
started = []
start_process = subprocess.Popen

class CountedPopen(start_process):
    def __init__(self, *arguments, **options):
        started.append(arguments)
        super().__init__(*arguments, **options)

subprocess.Popen = CountedPopen
rng = np.random.default_rng(0)
image = rng.normal(size=(2, 12, 12, 3)).astype(np.float32)

def draw(*shape):
    return tf.constant(rng.normal(scale=0.3, size=shape).astype(np.float32))

x = tf.placeholder(tf.float32, [None, None, None, 3])
y = tf.nn.relu(tf.nn.conv2d(x, draw(3, 3, 3, 8), strides=1, padding="SAME") + draw(8))
y = tf.nn.softmax(tf.matmul(tf.reduce_mean(y, [1, 2]), draw(8, 5)))
answers = []

def run(session, size=12):
    answers.append(session.run(y, {x: image[:, :size]}).tolist())

def step_of(session):
    (prepared,) = session._session._plans.values()
    return prepared.compiled

def tell(session):
    step = step_of(session)
    print(json.dumps({
        "answers": answers,
        "started": len(started),
        "ready": len(step.ready) if step else 0,
        "llvmlite": any(name.partition(".")[0] == "llvmlite" for name in sys.modules),
        "stats": vars(default_service().stats()),
    }))
"""
RUN_THREE_TIMES = """
session = tf.Session()
for size in (12, 9, 12):
    run(session, size)
tell(session)
"""
BLOCK_LLVMLITE = """
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "llvmlite":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

import sys
sys.meta_path.insert(0, Block())
"""
#: Until the kernels are asked for; the runs are bounded, and so is each wait.
UNTIL_HOT = """
session = tf.Session()
for _ in range(20000):
    run(session)
    del answers[1:-1]
    step = step_of(session)  # a step that is not hot may have none yet
    attempts = step.attempts.values() if step else ()
    jobs = [job for attempt in attempts for job in attempt.jobs.values()]
    if jobs:
        break
assert jobs, "the step never got hot"
"""


@dataclass
class Told:
    """What a program told: its answers, the workers it started, its compiled plans, its log."""

    answers: list[Any]
    started: int
    ready: int
    llvmlite: bool
    stats: dict[str, Any]
    log: list[str]


def worker_command(trouble: str = "none", mark: Path | str = os.devnull) -> list[str]:
    return [sys.executable, "-P", "-c", WORKER, trouble, str(mark)]


def tell(
    cache: Path | str,
    program: str = RUN_THREE_TIMES,
    *,
    before: str = "",
    mode: int = 2,
    command: list[str] | None = None,
    variables: dict[str, str | None] | None = None,
) -> Told:
    """Run a program with a cache folder."""
    environment: dict[str, str | None] = {
        **os.environ,
        "FEATHERFLOW_CACHE_DIR": str(cache),
        "FEATHERFLOW_COMPILE": str(mode),
        "FEATHERFLOW_NUM_THREADS": "2",
        "FEATHERFLOW_IMAGES": None,
        "TEST_WORKER": json.dumps(command or worker_command()),
        **(variables or {}),
    }
    done = subprocess.run(
        [sys.executable, "-c", before + PRELUDE + program],
        env={name: value for name, value in environment.items() if value is not None},
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert done.returncode == 0, done.stderr
    log = [line for line in done.stderr.splitlines() if LOG_LINE in line]
    told = Told(**json.loads(done.stdout.splitlines()[-1]), log=log)
    assert not told.llvmlite
    return told


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """The answers without the compiler, which then does nothing at all."""
    folder = tmp_path_factory.mktemp("unused") / "cache"
    told = tell(folder, mode=0)
    assert (told.started, told.ready, told.log) == (0, 0, [])
    assert not folder.exists()
    return told.answers


@pytest.fixture(scope="module")
def full_cache(tmp_path_factory: pytest.TempPathFactory, expected: list[Any]) -> Path:
    folder = tmp_path_factory.mktemp("full") / "cache"
    told = tell(folder)
    assert (told.started, told.ready, told.log) == (1, 2, [])
    assert told.stats["compiled"] == len(list(folder.glob("*.ffimage"))) > 2
    same(told, expected)
    return folder


@pytest.fixture
def cache(full_cache: Path, tmp_path: Path) -> Path:
    """A full cache that a test may spoil."""
    return shutil.copytree(full_cache, tmp_path / "cache")


def same(told: Told, expected: list[Any]) -> None:
    assert len(told.answers) == len(expected)
    for one, other in zip(told.answers, expected):
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-6)


# --- no compiler, no executable memory ------------------------------------------------------------


def test_without_llvmlite(tmp_path: Path, expected: list[Any]) -> None:
    told = tell(tmp_path / "cache", before=BLOCK_LLVMLITE)
    assert (told.started, told.ready, len(told.log)) == (0, 0, 1)
    same(told, expected)


def test_llvmlite_that_does_not_load(tmp_path: Path, expected: list[Any]) -> None:
    package = tmp_path / "broken" / "llvmlite"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("raise ImportError('wrong processor')")
    told = tell(tmp_path / "cache", variables={"PYTHONPATH": str(package.parent)})
    assert (told.ready, len(told.log)) == (0, 1)
    assert 1 <= told.started <= 2
    assert "wrong processor" in told.log[0]
    same(told, expected)


@pytest.mark.parametrize("mode", [1, 2])
def test_images_without_llvmlite(
    mode: int, full_cache: Path, tmp_path: Path, expected: list[Any]
) -> None:
    folders = os.pathsep.join([str(tmp_path / "missing"), str(full_cache)])
    before, program = BLOCK_LLVMLITE, RUN_THREE_TIMES
    if mode == 1:  # this model is too small for a look into the cache before it is hot
        program = UNTIL_HOT + "del answers[:]\nfor size in (12, 9, 12): run(session, size)\n"
        program += "tell(session)"
    told = tell(
        tmp_path / "cache",
        program,
        before=before,
        mode=mode,
        variables={"FEATHERFLOW_IMAGES": folders},
    )
    assert (told.started, told.ready, told.log) == (0, 2, [])
    assert not (tmp_path / "cache").exists()
    same(told, expected)


def test_some_images_without_llvmlite(cache: Path, tmp_path: Path, expected: list[Any]) -> None:
    sorted(cache.iterdir())[0].unlink()
    told = tell(
        tmp_path / "cache 2", before=BLOCK_LLVMLITE, variables={"FEATHERFLOW_IMAGES": str(cache)}
    )
    assert (told.started, len(told.log)) == (0, 1)
    same(told, expected)


def test_damaged_folder_of_images(
    cache: Path, full_cache: Path, tmp_path: Path, expected: list[Any]
) -> None:
    """What is only read is not mended, but made up for."""
    for path in cache.iterdir():
        path.chmod(0o644)
        path.write_bytes(b"damaged")
    variables: dict[str, str | None] = {"FEATHERFLOW_IMAGES": str(cache)}
    told = tell(full_cache, before=BLOCK_LLVMLITE, variables=variables)
    same(told, expected)
    assert (told.started, told.ready) == (0, 2)
    assert all(path.read_bytes() == b"damaged" for path in cache.iterdir())


@pytest.mark.parametrize("is_full", [False, True])
def test_memory_that_may_not_become_executable(
    is_full: bool, cache: Path, tmp_path: Path, expected: list[Any]
) -> None:
    deny = "import ctypes\nctypes.CDLL(None).prctl(65, 1, 0, 0, 0)\n"
    told = tell(cache if is_full else tmp_path / "empty", deny + RUN_THREE_TIMES)
    same(told, expected)
    assert told.ready == 2 or len(told.log) == 1


REFUSE = """
import errno
from featherflow.compiler import executable_memory
def refuse(*_):
    raise OSError(errno.EACCES, "Permission denied")
executable_memory._map = refuse
"""


def test_executable_memory_refused(cache: Path, expected: list[Any]) -> None:
    told = tell(cache, REFUSE + RUN_THREE_TIMES)
    same(told, expected)
    assert (told.started, told.ready, len(told.log)) == (0, 0, 1)


def test_executable_memory_refused_later(cache: Path, expected: list[Any]) -> None:
    """Say, a sandbox that the program enters once it has looked around."""
    program = "from featherflow.compiler import executable_memory\n"
    program += "assert executable_memory.refusal() is None\n" + REFUSE + RUN_THREE_TIMES
    told = tell(cache, program)
    same(told, expected)
    assert told.ready == 0


# --- workers that fail ----------------------------------------------------------------------------

SETTLE = """
for job in jobs:
    assert job.wait(60)
run(session)
tell(session)
"""


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("trouble", ["dies once", "always dies"])
def test_worker_is_killed(mode: int, trouble: str, tmp_path: Path, expected: list[Any]) -> None:
    told = tell(
        tmp_path / "cache",
        RUN_THREE_TIMES if mode == 2 else UNTIL_HOT + SETTLE,
        mode=mode,
        command=worker_command(trouble, tmp_path / "mark"),
    )
    same(told, expected if mode == 2 else [expected[0]] * len(told.answers))
    if trouble == "dies once":
        assert (told.started, told.ready) == (2, mode)
    else:
        assert told.ready == 0
        assert told.stats["failures"] > 4
        assert (told.started, len(told.log)) == (8, 1)


@pytest.mark.parametrize("mode", [1, 2])
@pytest.mark.parametrize("command", ["/bin/false", "/bin/echo", "/nonexistent"])
def test_worker_cannot_start(mode: int, command: str, tmp_path: Path, expected: list[Any]) -> None:
    program = RUN_THREE_TIMES if mode == 2 else UNTIL_HOT + SETTLE
    told = tell(tmp_path / "cache", program, mode=mode, command=[command])
    same(told, expected if mode == 2 else [expected[0]] * len(told.answers))
    assert (told.ready, len(told.log)) == (0, 1)
    assert told.started <= 2


@pytest.mark.parametrize("ending", ["", "session.close()\n", "del session\n"])
def test_exit_while_compiling(ending: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    os.mkfifo(f"{mark}.pipe")
    program = f"""
with open({str(mark) + ".pipe"!r}, "rb") as pipe:
    pipe.read()
run(session)
tell(session)
print(default_service().worker_process_id)
{ending}
"""
    done = subprocess.run(
        [sys.executable, "-c", PRELUDE + UNTIL_HOT + program],
        env={
            **os.environ,
            "FEATHERFLOW_CACHE_DIR": str(tmp_path / "cache"),
            "FEATHERFLOW_COMPILE": "1",
            "TEST_WORKER": json.dumps(worker_command("hangs", mark)),
        },
        capture_output=True,
        text=True,
        timeout=LIMIT,
    )
    assert (done.returncode, done.stderr) == (0, "")
    process = int(done.stdout.splitlines()[-1])
    with pytest.raises(ProcessLookupError):
        os.kill(process, signal.SIGCONT)


# --- when compiled plans take over ----------------------------------------------------------------


def test_takeover_when_hot(tmp_path: Path, expected: list[Any]) -> None:
    told = tell(tmp_path / "cache", UNTIL_HOT + "run(session)\n" + SETTLE, mode=1)
    assert (told.started, told.ready, told.log) == (1, 1, [])
    same(told, [expected[0]] * len(told.answers))


def test_config_that_turns_the_compiler_off(tmp_path: Path, expected: list[Any]) -> None:
    program = RUN_THREE_TIMES.replace("tf.Session()", "tf.Session(config=config)")
    off = "config = tf.ConfigProto()\n"
    off += "config.graph_options.optimizer_options.global_jit_level = -1\n"
    told = tell(tmp_path / "cache", off + program)
    assert (told.started, told.ready) == (0, 0)
    same(told, expected)


def test_without_compiling_nothing_is_imported(tmp_path: Path) -> None:
    program = "assert not any('llvmlite' in name for name in sys.modules), 'imported'\n"
    tell(tmp_path / "cache", RUN_THREE_TIMES + program + "tell(session)", mode=0)


# --- folders that are not what they should be -----------------------------------------------------


def flip(at: int) -> Callable[[bytes], bytes]:
    def damage(content: bytes) -> bytes:
        place = at % len(content)
        return content[:place] + bytes([content[place] ^ 0x5A]) + content[place + 1 :]

    return damage


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "magic": flip(0),
    "machine": flip(8),
    "size": flip(12),
    "checksum": flip(16),
    "entries": flip(20),
    "name of an entry": flip(32),
    "code": lambda content: flip(len(content) // 2)(content),
    "last byte": flip(-1),
    "truncated header": lambda content: content[:10],
    "truncated code": lambda content: content[: len(content) // 2],
    "too long": lambda content: content + bytes(4096),
    "empty": lambda _: b"",
    "zeros": lambda content: bytes(len(content)),
}


@pytest.mark.parametrize("damage", sorted(DAMAGES))
def test_damaged_images(damage: str, cache: Path, expected: list[Any]) -> None:
    """They are not run, but compiled anew."""
    originals = {path: path.read_bytes() for path in cache.iterdir()}
    for path, content in originals.items():
        path.unlink()
        path.write_bytes(DAMAGES[damage](content))
    told = tell(cache)
    same(told, expected)
    assert (told.started, told.ready) == (1, 2)
    assert sorted(cache.iterdir()) == sorted(originals)
    for path in originals:
        assert MappedImage(path).entries


def test_damaged_images_without_llvmlite(cache: Path, expected: list[Any]) -> None:
    for path in cache.iterdir():
        path.chmod(0o644)
        path.write_bytes(flip(-1)(path.read_bytes()))
    told = tell(cache, before=BLOCK_LLVMLITE)
    same(told, expected)
    assert (told.started, told.ready, len(told.log)) == (0, 0, 1)


def test_images_that_are_links(cache: Path, tmp_path: Path, expected: list[Any]) -> None:
    """Where they lead to, others may write: links are not followed."""
    for path in list(cache.iterdir()):
        path.rename(tmp_path / path.name)
        path.symlink_to(tmp_path / path.name)
    told = tell(cache)
    same(told, expected)
    assert (told.started, told.ready, told.stats["cache_hits"]) == (1, 2, 0)


def link_instead(folder: Path) -> None:
    folder.rename(folder.with_name("elsewhere"))
    folder.symlink_to(folder.with_name("elsewhere"))


def file_instead(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("not a folder")


UNUSABLE: dict[str, Callable[[Path], None]] = {
    "group may write": lambda folder: folder.chmod(0o770),
    "all may write": lambda folder: folder.chmod(0o777),
    "a link": link_instead,
    "a file": file_instead,
    "of another user": lambda folder: os.chown(folder, 12345, 12345),
}


@pytest.mark.parametrize("trouble", sorted(UNUSABLE))
def test_folder_that_is_not_used(trouble: str, cache: Path, expected: list[Any]) -> None:
    """Kernels come through the pipe then, and nothing is taken from the folder."""
    if trouble == "of another user" and os.geteuid() != 0:
        pytest.skip("only root may give folders away")
    UNUSABLE[trouble](cache)
    told = tell(cache)
    same(told, expected)
    assert (told.started, told.ready, told.stats["cache_hits"]) == (1, 2, 0)


def test_folder_that_is_only_read(cache: Path, expected: list[Any]) -> None:
    cache.chmod(0o500)
    told = tell(cache)
    same(told, expected)
    assert (told.started, told.ready) == (0, 2)


@pytest.mark.parametrize("folder", ["/proc/sys", "/proc/no/such", "/dev/null"])
def test_folder_that_cannot_be_written(folder: str, expected: list[Any]) -> None:
    told = tell(folder)
    same(told, expected)
    assert (told.started, told.ready) == (1, 2)


NO_HOME = """
import pwd
def unknown(*_):
    raise KeyError("no such user")
pwd.getpwuid = unknown
"""


@pytest.mark.parametrize("home", [None, "/proc/no/such"])
def test_no_home(home: str | None, expected: list[Any]) -> None:
    variables = {"FEATHERFLOW_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": home}
    told = tell("", before=NO_HOME, variables=variables)
    same(told, expected)
    assert (told.started, told.ready) == (1, 2)
