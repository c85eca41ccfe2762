"""The compile service: jobs, the worker's life and death, and systems that allow less."""

from __future__ import annotations

import base64
import ctypes
import gc
import io
import json
import logging
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from featherflow.compiler import compile_service, executable_memory, image_cache, worker
from featherflow.compiler.compile_service import CompileJob, CompileService
from featherflow.compiler.image import MappedImage
from featherflow.compiler.image_cache import ImageCache, digest
from featherflow.compiler.target import Target, host_target, target_named
from featherflow.compiler.worker_process import WorkerDied, WorkerProcess

LONG = 60.0
#: A worker whose specs say what happens: "return 5", "die", "die once PATH", "log PATH TEXT",
#: "pause PIPE", "pause once PIPE PATH", "print", "outside", "exit".
WORKER = """
import os, signal, sys
from featherflow.compiler import image_cache, worker

image_cache.compiler_digest = lambda: "as tested"

def emit(spec, target):
    action, _, rest = spec.partition(" ")
    value = 0
    if action == "return":
        value = int(rest)
    elif action == "die":
        if not rest or not os.path.exists(rest.removeprefix("once ")):
            if rest:
                open(rest.removeprefix("once "), "w").close()
            print("LLVM ERROR: out of registers", file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    elif action == "log":
        path, text = rest.split()
        with open(path, "a") as file:
            file.write(text + "\\n")
    elif action == "pause":
        path, _, mark = rest.removeprefix("once ").partition(" ")
        if not mark or not os.path.exists(mark):
            if mark:
                open(mark, "w").close()
            with open(path, "rb") as pipe:
                pipe.read()
    elif action == "print":
        print("noise" * 1000)
        os.write(1, b"more noise\\n")
    elif action == "outside":
        return "declare i64 @labs(i64)\\ndefine i64 @kernel(i64 %a) {" \\
            " %r = call i64 @labs(i64 %a) ret i64 %r }"
    elif action == "exit":
        os._exit(3)
    else:
        raise ValueError(f"no action {action}")
    return "define i64 @kernel(i64 %a) { ret i64 " + str(value) + " }"

worker.main(emit)
"""
#: For programs in processes of their own.
SAME_SOURCES = """
from featherflow.compiler import image_cache
image_cache.compiler_digest = lambda: "as tested"
"""
COMMAND = [sys.executable, "-c", WORKER]
HOST = host_target()

Start = Callable[..., CompileService]


@pytest.fixture(autouse=True)
def same_sources(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever edits the compiler while these tests run does not disturb them."""
    monkeypatch.setattr(image_cache, "compiler_digest", lambda: "as tested")


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    started: list[CompileService] = []

    def make(folder: Path | None = None, **options: Any) -> CompileService:
        options.setdefault("command", COMMAND)
        service = CompileService(ImageCache(folder or tmp_path / "cache"), **options)
        started.append(service)
        return service

    yield make
    for service in started:
        service.close()
        assert service.worker_process_id is None


def settled(job: CompileJob) -> CompileJob:
    assert job.wait(LONG)
    assert job.state in ("ready", "failed")
    assert (job.image is None) == (job.state == "failed") == (job.error is not None)
    return job


def result(job: CompileJob) -> int:
    image = settled(job).image
    assert image is not None, job.error
    return call(image)


def call(image: MappedImage) -> int:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(image.address("kernel"))(0)


def error(job: CompileJob) -> str:
    text = settled(job).error
    assert text is not None
    return text


def is_running(process: int) -> bool:
    return Path(f"/proc/{process}").exists()


def run_program(program: str, *arguments: object, **variables: str) -> str:
    """What a process of its own prints."""
    done = subprocess.run(
        [sys.executable, "-c", SAME_SOURCES + program, *map(str, arguments)],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=2 * LONG,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# ---- jobs


def test_a_kernel_is_compiled_then_cached(start: Start) -> None:
    first = start()
    job = first.request("return 5", HOST)
    assert result(job) == 5
    stats = first.stats()
    assert (stats.compiled, stats.cache_hits, stats.failures) == (1, 0, 0)
    assert stats.seconds > 0 and job.image is not None and stats.bytes == job.image.size
    second = start()
    again = second.request("return 5", HOST)
    assert again.state == "ready"
    assert result(again) == 5
    assert second.worker_process_id is None
    assert second.stats() == compile_service.ServiceStats(cache_hits=1)


def test_same_specs_are_one_job(start: Start, tmp_path: Path) -> None:
    service = start()
    log = tmp_path / "log"
    jobs = [service.request(f"log {log} x", HOST) for _ in range(5)]
    assert len(set(map(id, jobs))) == 1
    assert result(jobs[0]) == 0
    assert service.request(f"log {log} x", HOST) is jobs[0]
    assert log.read_text() == "x\n"


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    path = tmp_path / "gate"
    os.mkfifo(path)
    return path


def test_higher_priorities_first(start: Start, tmp_path: Path, gate: Path) -> None:
    service, log = start(), tmp_path / "log"
    paused = service.request(f"pause {gate}", HOST)
    with open(gate, "wb"):  # opens when the worker is there
        jobs = [
            service.request(f"log {log} {name}", HOST, priority)
            for name, priority in (("a", 0), ("b", 5), ("c", 0), ("d", 5), ("e", 1))
        ]
        assert service.request(f"log {log} c", HOST, 9) is jobs[2]
        assert service.request(f"log {log} b", HOST, 1) is jobs[1]
        assert {job.state for job in (*jobs, paused)} == {"waiting"}
        assert not jobs[0].wait(0)
    for job in jobs:
        assert result(job) == 0
    assert log.read_text().split() == ["c", "b", "d", "e", "a"]


def test_images_live_as_long_as_their_users(start: Start) -> None:
    service = start()
    image = settled(service.request("return 5", HOST)).image
    path = str(service.cache.path_of(digest("return 5", HOST)))
    gc.collect()
    assert service.request("return 5", HOST).image is image
    assert image is not None and call(image) == 5
    assert path in Path("/proc/self/maps").read_text()
    del image
    # The worker's thread is done with the job at the latest when it is done with the next.
    settled(service.request("return 6", HOST))
    gc.collect()
    assert path not in Path("/proc/self/maps").read_text()


def test_errors_of_emitter_and_linker_are_told(start: Start) -> None:
    service = start()
    assert error(service.request("nonsense", HOST)) == "ValueError: no action nonsense"
    assert "external symbol labs" in error(service.request("outside", HOST))
    assert result(service.request("return 5", HOST)) == 5
    assert service.stats().failures == 2


def test_failures_are_remembered(start: Start, tmp_path: Path) -> None:
    service = start()
    assert "signal 9" in error(service.request("die", HOST))
    gc.collect()
    again = service.request("die", HOST)
    assert again.state == "failed" and again.error and "signal 9" in again.error


def test_many_threads(start: Start) -> None:
    service = start()
    results: dict[tuple[int, int], int] = {}

    def ask(thread: int) -> None:
        for i in range(6):
            results[thread, i] = result(service.request(f"return {i}", HOST, i))

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LONG)
    assert results == {(thread, i): i for thread in range(6) for i in range(6)}
    assert service.stats().compiled == 6


def test_the_program_never_imports_llvm() -> None:
    program = (
        "import sys, featherflow.compiler.compile_service\n"
        "print([m for m in sys.modules if 'llvmlite' in m or m.endswith(('codegen', '.ir'))])\n"
    )
    assert run_program(program) == "[]\n"


def test_no_tensors_in_the_worker() -> None:
    """It imports the compiler, and not what the compiler is for."""
    program = (
        "import sys, featherflow.compiler.worker\n"
        "print([m for m in sys.modules if m.startswith(('featherflow.ops', 'google.protobuf'))])\n"
    )
    assert run_program(program) == "[]\n"


# ---- the worker's life


def test_the_worker_starts_late_and_stops_when_idle(start: Start) -> None:
    service = start(idle_seconds=0.0)
    assert service.worker_process_id is None
    assert result(service.request("return 5", HOST)) == 5
    thread = service._thread
    if thread is not None:
        thread.join(LONG)
    assert service.worker_process_id is None
    assert result(service.request("return 6", HOST)) == 6


def test_one_worker_serves_many(start: Start) -> None:
    service = start()
    assert result(service.request("return 1", HOST)) == 1
    process = service.worker_process_id
    assert process is not None and is_running(process)
    assert result(service.request("return 2", HOST)) == 2
    assert service.worker_process_id == process
    assert os.getpriority(os.PRIO_PROCESS, process) >= 5
    service.close()
    assert not is_running(process)


def test_closing_fails_what_waits(start: Start, gate: Path) -> None:
    service = start()
    running = service.request(f"pause {gate}", HOST)
    with open(gate, "wb"):
        waiting = service.request("return 5", HOST)
        service.close()
    for job in (running, waiting, service.request("return 6", HOST)):
        assert error(job) == "the compile service is closed"


def test_a_worker_that_dies_costs_one_kernel(start: Start) -> None:
    service = start()
    jobs = [service.request(spec, HOST) for spec in ("return 1", "die", "return 2", "exit")]
    assert [result(jobs[0]), result(jobs[2])] == [1, 2]
    assert error(jobs[1]) == (
        "the compile worker ended with signal 9: LLVM ERROR: out of registers"
    )
    assert error(jobs[3]) == "the compile worker ended with exit status 3"


def test_a_spec_gets_a_second_chance(start: Start, tmp_path: Path) -> None:
    service = start()
    assert result(service.request(f"die once {tmp_path / 'mark'}", HOST)) == 0
    assert service.stats().failures == 0


def test_a_worker_killed_from_outside(start: Start, gate: Path, tmp_path: Path) -> None:
    service = start()
    job = service.request(f"pause once {gate} {tmp_path / 'mark'}", HOST)
    with open(gate, "wb"):
        first = service.worker_process_id
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert result(job) == 0
    assert service.worker_process_id not in (None, first)


def test_a_worker_killed_while_idle(start: Start) -> None:
    service = start()
    assert result(service.request("return 1", HOST)) == 1
    assert service.worker_process_id is not None
    os.kill(service.worker_process_id, signal.SIGKILL)
    assert result(service.request("return 2", HOST)) == 2


def test_a_worker_that_hangs_is_ended(start: Start, gate: Path) -> None:
    service = start(patience=4.0)
    held = os.open(gate, os.O_RDWR)  # so that the worker's read never ends
    try:
        job = service.request(f"pause {gate}", HOST)
        after = service.request("return 5", HOST)
        assert error(job) == "no answer within 4 seconds"
        assert result(after) == 5
    finally:
        os.close(held)


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        (["/nowhere/python"], "cannot start"),
        ([sys.executable, "-c", "raise SystemExit('no compiler here')"], "no compiler here"),
        ([sys.executable, "-c", "print('nonsense', flush=True); input()"], "answers b'nonsense'"),
    ],
    ids=["missing", "ends", "babbles"],
)
def test_a_worker_that_cannot_start(
    start: Start,
    command: list[str],
    reason: str,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(compile_service, "_logged", set())
    service = start(command=command)
    with caplog.at_level(logging.WARNING, "featherflow"):
        jobs = [service.request(f"return {i}", HOST) for i in range(3)]
        for job in jobs:
            assert reason in error(job)
        assert reason in error(service.request("return 9", HOST))
    assert len(caplog.records) == 1


def test_the_worker_ends_with_the_program(tmp_path: Path) -> None:
    """The program is killed, and says nothing; the pipe's end says it."""
    program = f"""
import os, signal, sys
from pathlib import Path
from featherflow.compiler.compile_service import CompileService
from featherflow.compiler.image_cache import ImageCache
from featherflow.compiler.target import host_target
service = CompileService(ImageCache(Path(sys.argv[1])), command={COMMAND!r})
job = service.request("return 1", host_target())
assert job.wait(60)
print(service.worker_process_id, flush=True)
if sys.argv[2] == "killed":
    os.kill(os.getpid(), signal.SIGKILL)
"""
    for ending in ("killed", "exit"):
        done = subprocess.run(
            [sys.executable, "-c", SAME_SOURCES + program, str(tmp_path / ending), ending],
            stdout=subprocess.PIPE,
            timeout=LONG,
        )
        process = int(done.stdout)
        descriptor = _process_descriptor(process)
        if descriptor is not None:
            ended, _, _ = select.select([descriptor], [], [], LONG)
            os.close(descriptor)
            assert ended


def _process_descriptor(process: int) -> int | None:
    """What becomes readable when a process ends; None if it has ended."""
    try:
        return os.pidfd_open(process)
    except ProcessLookupError:
        return None


def test_a_forked_child_has_its_own_worker(tmp_path: Path) -> None:
    program = f"""
import ctypes, os, sys, warnings
from pathlib import Path
from featherflow.compiler.compile_service import CompileService
from featherflow.compiler.image_cache import ImageCache
from featherflow.compiler.target import host_target
warnings.simplefilter("ignore")
gate = sys.argv[1] + "/gate"
os.mkfifo(gate)
service = CompileService(ImageCache(Path(sys.argv[1], "cache")), command={COMMAND!r})
def value(job):
    assert job.wait(60), job
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(job.image.address("kernel"))(0)
done = service.request("return 1", host_target())
assert value(done) == 1
paused = service.request(f"pause once {{gate}} {{gate}}.mark", host_target())
pipe = open(gate, "wb")
queued = service.request("return 2", host_target())
parents = service.worker_process_id
child = os.fork()
pipe.close()
if not child:
    assert service.worker_process_id is None
    assert value(done) == 1 and paused.state == "waiting"
    assert (value(paused), value(queued)) == (0, 2)
    assert value(service.request("return 3", host_target())) == 3
    assert service.worker_process_id not in (None, parents)
    service.close()
    os._exit(0)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert service.worker_process_id == parents
assert (value(paused), value(queued)) == (0, 2)
assert value(service.request("return 4", host_target())) == 4
assert service.worker_process_id == parents
print("fine")
"""
    assert run_program(program, tmp_path) == "fine\n"


# ---- folders


def test_a_folder_that_cannot_be_written(start: Start, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    service = start(tmp_path / "file" / "cache")
    job = service.request("return 5", HOST)
    assert result(job) == 5
    image = job.image
    del job
    gc.collect()
    again = service.request("return 5", HOST)
    assert again.state == "ready" and again.image is image
    assert service.stats().compiled == 1


def test_a_damaged_entry_is_compiled_again(start: Start) -> None:
    first = start()
    assert result(first.request("return 5", HOST)) == 5
    path = first.cache.path_of(digest("return 5", HOST))
    good = path.read_bytes()
    path.chmod(0o600)
    path.write_bytes(good[:-1] + bytes([good[-1] ^ 1]))
    second = start()
    job = second.request("return 5", HOST)
    assert result(job) == 5
    assert second.stats().compiled == 1 and second.stats().cache_hits == 0
    assert path.read_bytes() == good


def test_an_image_lost_between_worker_and_program(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = start()
    monkeypatch.setattr(service.cache, "find", lambda name: None)
    assert result(service.request("return 5", HOST)) == 5


def test_sources_that_changed_under_the_program(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_service, "digest", lambda spec, target: "0" * 64)
    service = start()
    assert "files have changed since" in error(service.request("return 5", HOST))


def test_targets_reach_the_worker(start: Start) -> None:
    service = start()
    other = target_named("aarch64" if HOST.name != "aarch64" else "x86-64")
    job = service.request("return 5", other)
    assert "another machine" in error(job)


# ---- systems that allow less


def test_refused_executable_memory(
    start: Start, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refuse(descriptor: int, size: int) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(compile_service, "_logged", set())
    monkeypatch.setattr(executable_memory, "_map", refuse)
    executable_memory.refusal.cache_clear()
    try:
        service = start()
        with caplog.at_level(logging.WARNING, "featherflow"):
            jobs = [service.request(f"return {i}", HOST) for i in range(3)]
    finally:
        executable_memory.refusal.cache_clear()
    for job in jobs:
        assert job.state == "failed"
        assert "refuses executable memory: Operation not permitted" in error(job)
    assert service.worker_process_id is None
    assert len(caplog.records) == 1


def test_machines_without_a_code_generator(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(executable_memory.platform, "machine", lambda: "riscv64")
        # Past the cache, which the other tests need as it is.
        assert executable_memory.refusal.__wrapped__() == "no code is generated for riscv64"
    assert executable_memory.refusal() is None


def test_a_system_that_never_makes_written_memory_executable(tmp_path: Path) -> None:
    """PR_SET_MDWE: kernels run all the same, from files and from memory, or say why not."""
    program = f"""
import ctypes, sys
from pathlib import Path
from featherflow.compiler.compile_service import CompileService
from featherflow.compiler.image_cache import ImageCache
from featherflow.compiler.target import host_target
if ctypes.CDLL(None).prctl(65, 1, 0, 0, 0):
    print("no such thing here")
    raise SystemExit
for folder in (Path(sys.argv[1], "cache"), Path("/dev/null/cache")):
    service = CompileService(ImageCache(folder), command={COMMAND!r})
    job = service.request("return 5", host_target())
    assert job.wait(60)
    print(job.state, job.error if job.error else job.image.entries)
    if job.image:
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
        assert function(job.image.address("kernel"))(0) == 5
"""
    for line in run_program(program, tmp_path).splitlines():
        assert line == "ready ('kernel',)" or "refuses" in line or line == "no such thing here"


HIDING = """
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "llvmlite":
            raise ImportError("hidden")
if sys.argv[2] == "hook":
    sys.meta_path.insert(0, Hide())
else:
    sys.modules["llvmlite"] = None
from pathlib import Path
from featherflow.compiler.compile_service import CompileService
from featherflow.compiler.image_cache import ImageCache
from featherflow.compiler.target import host_target
service = CompileService(ImageCache(Path(sys.argv[1])))
jobs = [service.request(f"return {i}", host_target()) for i in (1, 2, 5)]
print([(job.state, job.error) for job in jobs], service.worker_process_id)
"""


@pytest.mark.parametrize("way", ["hook", "modules"])
def test_without_llvmlite_cached_kernels_run(start: Start, tmp_path: Path, way: str) -> None:
    assert result(start().request("return 5", HOST)) == 5
    done = subprocess.run(
        [sys.executable, "-c", SAME_SOURCES + HIDING, str(tmp_path / "cache"), way],
        capture_output=True,
        text=True,
        timeout=LONG,
    )
    missing = "('failed', 'the package llvmlite is not installed')"
    assert done.stdout == f"[{missing}, {missing}, ('ready', None)] None\n", done.stderr
    assert done.stderr.count("llvmlite") == 1


# ---- the worker's side


def emit_constant(spec_text: str, target: Target) -> str:
    if not spec_text.isdigit():
        raise ValueError(spec_text)
    return f"define i64 @kernel(i64 %a) {{ ret i64 {spec_text} }}"


def serve(*requests: dict[str, Any]) -> list[dict[str, Any]]:
    lines = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
    answers = io.BytesIO()
    worker.serve(io.BytesIO(lines), answers, emit_constant)
    return [json.loads(line) for line in answers.getvalue().splitlines()]


def test_answers(tmp_path: Path) -> None:
    folder = str(tmp_path / "cache")
    ready, stored, sent, bad, unknown = serve(
        {"id": 1, "spec": "5", "target": HOST.name, "folder": folder},
        {"id": 2, "spec": "6", "target": HOST.name, "folder": None},
        {"id": 3, "spec": "x", "target": HOST.name, "folder": None},
        {"id": 4, "spec": "7", "target": "z80", "folder": None},
    )
    assert "ready" in ready
    assert [answer["id"] for answer in (stored, sent, bad, unknown)] == [1, 2, 3, 4]
    assert stored["digest"] == digest("5", HOST) and "image" not in stored
    image = ImageCache(Path(folder)).find(stored["digest"])
    assert image is not None and image.size == stored["image_bytes"] and call(image) == 5
    raw = base64.b64decode(sent["image"])
    assert len(raw) == sent["image_bytes"] and call(MappedImage.from_bytes(raw)) == 6
    assert (stored["error"], sent["error"]) == (None, None)
    assert bad["error"] == "ValueError: x" and "image" not in bad
    assert "no target 'z80'" in unknown["error"]
    assert all(answer["seconds"] > 0 for answer in (stored, sent, bad, unknown))


def test_what_emitters_print_is_no_answer(start: Start) -> None:
    assert result(start().request("print", HOST)) == 0


def test_images_are_the_same_in_every_process() -> None:
    here = worker.build_image("5", HOST, emit_constant)
    process = WorkerProcess(COMMAND, LONG)
    request = {"id": 1, "spec": "return 5", "target": HOST.name, "folder": None}
    try:
        answers = [process.ask(request) for _ in range(2)]
    finally:
        process.close()
    assert [base64.b64decode(answer["image"]) for answer in answers] == [here, here]
    with pytest.raises((WorkerDied, ValueError)):
        process.ask(request)


def test_the_real_worker_answers() -> None:
    """With the package's own emitter, which knows no such spec."""
    process = WorkerProcess(None, LONG)
    try:
        answer = process.ask({"id": 7, "spec": "nothing()", "target": HOST.name, "folder": None})
    finally:
        process.close()
    assert answer["id"] == 7 and "nothing" in answer["error"]
