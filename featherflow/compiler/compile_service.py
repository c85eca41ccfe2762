"""Compiled kernels for a program: from the cache, or from a worker while the program goes on."""

from __future__ import annotations

import atexit
import base64
import functools
import heapq
import importlib.util
import itertools
import logging
import os
import threading
import weakref
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from featherflow.compiler import executable_memory
from featherflow.compiler.image import ImageError, MappedImage
from featherflow.compiler.image_cache import ImageCache, digest
from featherflow.compiler.target import Target
from featherflow.compiler.worker_process import WorkerDied, WorkerProcess

logger = logging.getLogger("featherflow")

IDLE_SECONDS = 10.0
#: A kernel compiles in a quarter of a second; a worker that takes this long for one is stuck.
PATIENCE = 120.0
#: How long `close` waits for a worker that is just starting.
_CLOSING_SECONDS = 5.0
#: A worker may die of the system's lack of memory, say, so each spec gets a second chance.
_ATTEMPTS = 2
#: Kernels in a row that cost workers their lives: then the system is to blame, not the kernels.
_FATAL_KERNELS = 4

WAITING, READY, FAILED = "waiting", "ready", "failed"


@dataclass(frozen=True)
class ServiceStats:
    """What a service has done: images compiled, their bytes and the worker's seconds."""

    compiled: int = 0
    cache_hits: int = 0
    failures: int = 0
    seconds: float = 0.0
    bytes: int = 0


class CompileJob:
    """A kernel that somebody asked for: on its way, there, or impossible."""

    def __init__(self, service: CompileService, spec_text: str, target: Target, name: str) -> None:
        self.spec_text = spec_text
        self.target = target
        self.digest = name
        #: The image once the state is "ready"; hold it, not its addresses alone.
        self.image: MappedImage | None = None
        #: Why there is none once the state is "failed".
        self.error: str | None = None
        self._state = WAITING
        self._service = service
        self._priority = 0

    @property
    def state(self) -> str:
        """One of WAITING, READY and FAILED; only a waiting job changes."""
        if self._state == WAITING:
            self._service._see_to_work()
        return self._state

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until the job is settled; whether it is."""
        return self._service._wait(self, timeout)

    def __repr__(self) -> str:
        return f"CompileJob({self.spec_text!r}, {self.target.name}, {self._state})"


class CompileService:
    """Compiles specs in a worker process, which runs while there is work.

    All methods may be called by any thread. After a fork the child has a service of its own, with
    the same jobs.
    """

    def __init__(
        self,
        cache: ImageCache | None = None,
        *,
        command: Sequence[str] | None = None,
        idle_seconds: float = IDLE_SECONDS,
        patience: float = PATIENCE,
    ) -> None:
        """By default, use the user's cache and `python -m featherflow.compiler.worker`."""
        self.cache = cache or ImageCache()
        self._command = command
        self._idle_seconds = idle_seconds
        self._patience = patience
        self._changed = threading.Condition()
        self._jobs: weakref.WeakValueDictionary[str, CompileJob] = weakref.WeakValueDictionary()
        self._failed: dict[str, str] = {}
        self._queue: list[tuple[int, int, CompileJob]] = []
        self._order = itertools.count()
        self._current: CompileJob | None = None
        self._thread: threading.Thread | None = None
        self._worker: WorkerProcess | None = None
        self._refusal: str | None = None
        self._fatal_kernels = 0
        self._closed = False
        self._stats = ServiceStats()
        _services.add(self)

    @property
    def worker_process_id(self) -> int | None:
        """The process that compiles; None while there is nothing to compile."""
        worker = self._worker
        return worker.process_id if worker else None

    def request(self, spec_text: str, target: Target, priority: int = 0) -> CompileJob:
        """The job of a spec: ready at once if its image is cached, shared if it was asked for.

        Of the waiting jobs, those of higher priority come first.
        """
        name = digest(spec_text, target)
        with self._changed:
            job = self._jobs.get(name)
            if job is None:
                job = CompileJob(self, spec_text, target, name)
                self._jobs[name] = job
                self._begin(job, priority)
            elif job._state == WAITING:
                if priority > job._priority and job is not self._current:
                    self._enqueue(job, priority)
                self._run()
        return job

    def are_cached(self, spec_texts: Iterable[str], target: Target) -> bool:
        """Whether the images of all these specs are there, so that `request` compiles nothing."""
        return all(self._cached(digest(text, target)) is not None for text in spec_texts)

    def stats(self) -> ServiceStats:
        """What has been done so far."""
        return self._stats

    def close(self) -> None:
        """Stop the worker; what waits, fails, and so does what is asked for later."""
        with self._changed:
            self._closed = True
            self._fail_all("the compile service is closed")
            if self._worker is not None:
                self._worker.kill()
            thread = self._thread
            self._changed.notify_all()
        if thread is not None:
            thread.join(_CLOSING_SECONDS)

    def _begin(self, job: CompileJob, priority: int) -> None:
        if reason := self._why_nothing_runs() or self._failed.get(job.digest):
            self._settle(job, error=reason)
        elif image := self._cached(job.digest):
            self._count(cache_hits=1)
            self._settle(job, image)
        elif reason := self._why_nothing_compiles():
            self._settle(job, error=reason)
        else:
            self._enqueue(job, priority)
            self._run()

    def _cached(self, name: str) -> MappedImage | None:
        try:
            return self.cache.find(name)
        except OSError:
            return None

    def _why_nothing_runs(self) -> str | None:
        reason = executable_memory.refusal()
        if reason:
            _log_once("executable memory", f"Kernels are not compiled: {reason}")
        return reason

    def _why_nothing_compiles(self) -> str | None:
        if self._closed:
            return "the compile service is closed"
        if self._refusal:
            return self._refusal
        if not _has_llvmlite():
            reason = "the package llvmlite is not installed"
            _log_once("llvmlite", f"Kernels are not compiled: {reason}")
            return reason
        return None

    def _enqueue(self, job: CompileJob, priority: int) -> None:
        """Also for a job that is queued already: its settled or later entries are passed over."""
        job._priority = priority
        heapq.heappush(self._queue, (-priority, next(self._order), job))
        self._changed.notify_all()

    def _run(self) -> None:
        """Have a thread that works on the queue."""
        if self._thread is None and not self._closed:
            self._thread = threading.Thread(
                target=self._work, name="featherflow-compile", daemon=True
            )
            self._thread.start()

    def _see_to_work(self) -> None:
        """Work on what waits: after a fork nobody does, and starting threads there is early."""
        if self._thread is None:
            with self._changed:
                self._run()

    def _wait(self, job: CompileJob, timeout: float | None) -> bool:
        with self._changed:
            if job._state == WAITING:
                self._run()
            return self._changed.wait_for(lambda: job._state != WAITING, timeout)

    def _work(self) -> None:
        """Compile until nothing has waited for a while."""
        while True:
            job = self._next_job()
            if job is None:
                return
            try:
                self._compile(job)
            except Exception as error:  # the thread must live: others wait for it
                self._finish(job, error=f"{type(error).__name__}: {error}")
            # Images live as long as their jobs, so this frame must not keep one while it waits.
            del job

    def _next_job(self) -> CompileJob | None:
        """The next job, or None: then the worker has been stopped, and this thread ends."""
        with self._changed:
            self._current = None
            self._changed.wait_for(lambda: self._queue or self._closed, self._idle_seconds)
            while self._queue and not self._closed:
                _, _, job = heapq.heappop(self._queue)
                if job._state == WAITING:
                    self._current = job
                    return job
            self._stop_worker()
            self._thread = None
            return None

    def _stop_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.close()

    def _compile(self, job: CompileJob) -> None:
        error = ""
        for _ in range(_ATTEMPTS):
            worker = self._running_worker()
            if worker is None:
                return
            try:
                self._finish_with(job, worker)
                self._fatal_kernels = 0
                return
            except WorkerDied as death:
                error = str(death)
                with self._changed:
                    self._stop_worker()
                    if self._closed:
                        return
        self._finish(job, error=error)
        self._fatal_kernels += 1
        if self._fatal_kernels >= _FATAL_KERNELS:
            self._refuse(error)

    def _running_worker(self) -> WorkerProcess | None:
        """The worker, started if need be; if it cannot start, all jobs have failed."""
        reason = ""
        for _ in range(_ATTEMPTS):
            if self._worker is not None:
                return self._worker
            try:
                worker = WorkerProcess(self._command, self._patience)
            except WorkerDied as death:
                reason = str(death)
                continue
            with self._changed:
                self._worker = worker
                if self._closed:
                    self._stop_worker()
                return self._worker
        self._refuse(reason)
        return None

    def _refuse(self, reason: str) -> None:
        """Start no workers any more."""
        with self._changed:
            self._refusal = reason
            _log_once("worker", f"Kernels are not compiled: {reason}")
            self._fail_all(reason)

    def _finish_with(self, job: CompileJob, worker: WorkerProcess) -> None:
        """Settle a job by the worker's answer."""
        folder = self.cache.folder
        answer = worker.ask(self._message(job, None if folder is None else str(folder)))
        image = self._image_of(job, answer)
        if image is None and answer["error"] is None:
            # The folder does not have it in the end: others may clear it, or refuse to be read.
            answer = worker.ask(self._message(job, None))
            image = self._image_of(job, answer)
        if image is None:
            self._finish(job, error=answer["error"] or "the image was lost")
        else:
            self._finish(job, image, answer)

    def _message(self, job: CompileJob, folder: str | None) -> dict[str, Any]:
        return {
            "id": next(self._order),
            "spec": job.spec_text,
            "target": job.target.name,
            "folder": folder,
            "limit": self.cache.limit,
        }

    def _image_of(self, job: CompileJob, answer: dict[str, Any]) -> MappedImage | None:
        """The image that was made, unless there is none, which the answer may tell more about."""
        if answer["error"] is None and answer["digest"] != job.digest:
            answer["error"] = "featherflow's files have changed since this program was started"
        if answer["error"] is not None:
            return None
        if "image" not in answer:
            return self._cached(job.digest)
        try:
            return self.cache.adopt(job.digest, base64.b64decode(answer["image"]))
        except (OSError, ImageError) as refusal:
            answer["error"] = str(refusal)
            return None

    def _finish(
        self,
        job: CompileJob,
        image: MappedImage | None = None,
        answer: dict[str, Any] | None = None,
        error: str | None = None,
    ) -> None:
        """Settle a job that was compiled, or that could not be."""
        with self._changed:
            if job._state != WAITING:
                return
            if answer is not None:
                self._count(compiled=1, seconds=answer["seconds"], bytes=answer["image_bytes"])
            if error is not None:
                self._failed[job.digest] = error
                logger.debug("Not compiled: %s: %s", job.spec_text, error)
            self._settle(job, image, error)

    def _settle(
        self, job: CompileJob, image: MappedImage | None = None, error: str | None = None
    ) -> None:
        job.image, job.error = image, error
        job._state = READY if error is None else FAILED
        if error is not None:
            self._count(failures=1)
        self._changed.notify_all()

    def _fail_all(self, reason: str) -> None:
        waiting = [entry[2] for entry in self._queue]
        self._queue.clear()
        for job in (*waiting, self._current):
            if job is not None and job._state == WAITING:
                self._settle(job, error=reason)

    def _count(self, **more: float) -> None:
        old = self._stats
        self._stats = replace(
            old, **{key: getattr(old, key) + value for key, value in more.items()}
        )

    def _before_fork(self) -> None:
        self._changed.acquire()

    def _after_fork_in_parent(self) -> None:
        self._changed.release()

    def _after_fork_in_child(self) -> None:
        """Threads and the worker are the parent's; what waits, waits for the child's own."""
        self._changed = threading.Condition()
        self._thread = None
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.forget()
        job, self._current = self._current, None
        if job is not None and job._state == WAITING:
            with self._changed:
                self._enqueue(job, job._priority)


_logged: set[str] = set()


def _log_once(subject: str, message: str) -> None:
    if subject not in _logged:
        _logged.add(subject)
        logger.warning(message)


@functools.cache
def _has_llvmlite() -> bool:
    """Whether the worker could import it; it is much too large to import here."""
    try:
        return importlib.util.find_spec("llvmlite") is not None
    except (ImportError, ValueError):
        return False


@functools.cache
def default_service() -> CompileService:
    """The service of this process: the user's cache, and the folders in FEATHERFLOW_IMAGES."""
    service = CompileService()
    for folder in os.environ.get("FEATHERFLOW_IMAGES", "").split(os.pathsep):
        if folder:
            service.cache.add_folder(folder)
    return service


_services: weakref.WeakSet[CompileService] = weakref.WeakSet()
#: The services whose locks are held for the fork that is going on, and the right to fork.
_forking: list[CompileService] = []
_fork_lock = threading.Lock()


def _before_fork() -> None:
    _fork_lock.acquire()
    for service in list(_services):
        service._before_fork()
        _forking.append(service)


def _after_fork_in_parent() -> None:
    while _forking:
        _forking.pop()._after_fork_in_parent()
    _fork_lock.release()


def _after_fork_in_child() -> None:
    while _forking:
        _forking.pop()._after_fork_in_child()
    _fork_lock.release()


def _close_all() -> None:
    for service in list(_services):
        service.close()


os.register_at_fork(
    before=_before_fork,
    after_in_parent=_after_fork_in_parent,
    after_in_child=_after_fork_in_child,
)
atexit.register(_close_all)
