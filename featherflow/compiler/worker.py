"""The compile worker: a process that turns kernel specs into images, one request at a time.

    python -m featherflow.compiler.worker

Requests and answers are lines of JSON on stdin and stdout. A request has "id", "spec", "target"
and "folder" (null: do not store), and may have the folder's "limit" in bytes. The answer has the
same "id", then "digest", "image_bytes", "seconds" and "error"; "image", in base64, is there if the
image could not be stored. The first line, before any request, is {"ready": …}. The worker ends
when its stdin does.
"""

from __future__ import annotations

import base64
import json
import os
import resource
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from featherflow.compiler import codegen, kernel_spec
from featherflow.compiler.image import link
from featherflow.compiler.image_cache import DEFAULT_LIMIT, ImageCache, digest
from featherflow.compiler.target import Target, target_named

#: The IR of a spec's text for a target.
Emitter = Callable[[str, Target], str]

_POLITENESS = 5


def serve(requests: BinaryIO, answers: BinaryIO, emit: Emitter) -> None:
    """Answer each request until there are no more."""
    _send(answers, {"ready": codegen.llvm_version()})
    for line in requests:
        _send(answers, answer(json.loads(line), emit))


def answer(request: dict[str, Any], emit: Emitter) -> dict[str, Any]:
    """What became of one request; whatever goes wrong is said in "error"."""
    start = time.perf_counter()
    reply: dict[str, Any] = {"id": request["id"], "digest": "", "image_bytes": 0, "error": None}
    try:
        target = target_named(request["target"])
        reply["digest"] = digest(request["spec"], target)
        image = build_image(request["spec"], target, emit)
        reply["image_bytes"] = len(image)
        if not _store(request, reply["digest"], image):
            reply["image"] = base64.b64encode(image).decode()
    except Exception as error:
        reply["error"] = f"{type(error).__name__}: {error}"
    reply["seconds"] = time.perf_counter() - start
    return reply


def build_image(spec_text: str, target: Target, emit: Emitter = kernel_spec.emit) -> bytes:
    """The image of a spec."""
    return link(codegen.compile_object(emit(spec_text, target), target))


def _store(request: dict[str, Any], name: str, image: bytes) -> bool:
    if request["folder"] is None:
        return False
    cache = ImageCache(Path(request["folder"]), request.get("limit", DEFAULT_LIMIT))
    return cache.store(name, image) is not None


def _send(answers: BinaryIO, message: dict[str, Any]) -> None:
    answers.write(json.dumps(message).encode() + b"\n")
    answers.flush()


def main(emit: Emitter = kernel_spec.emit) -> None:
    """Serve the process that started this one."""
    # Ctrl-C is for the program, which then closes the pipe.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # LLVM may abort; the program says so, and needs no core file.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.nice(_POLITENESS)
    # Whatever prints must not print into the answers.
    answers = os.dup(1)
    os.dup2(2, 1)
    with open(0, "rb", closefd=False) as requests, open(answers, "wb") as replies:
        try:
            serve(requests, replies, emit)
        except BrokenPipeError:
            os._exit(1)


if __name__ == "__main__":
    main()
