"""`featherflow compile MODEL -o DIR`: compiles a model's kernels ahead, for programs that find DIR.

A program with DIR in the variable FEATHERFLOW_IMAGES, a list of folders, takes them from there: it
needs neither llvmlite nor a cache. Other versions of featherflow do not find them.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from featherflow.cli.command_error import CommandError
from featherflow.cli.compiled_session import CompiledSession, config_of
from featherflow.cli.model_step import add_step_arguments, model_step
from featherflow.cli.models import Model, read_model
from featherflow.compiler.constants import ConstantPool
from featherflow.compiler.image_cache import ImageCache, digest
from featherflow.compiler.lowered import Constant
from featherflow.compiler.report import kernel_texts
from featherflow.compiler.storage import Address, Buffer
from featherflow.compiler.target import Target, host_target, target_named
from featherflow.graph.subgraph import Subgraph
from featherflow.graph.tensor import Tensor
from featherflow.runtime.compile_options import Mode
from featherflow.runtime.compile_trigger import CompileTrigger
from featherflow.runtime.compiled_step import CompiledStep
from featherflow.runtime.specialization import Specialization, specialize

#: Threads that a program may have: kernels are the same for most of them.
_THREADS = (1, 2, 4, 8, 16)
#: The folder keeps all that it was given.
_NO_LIMIT = 1 << 60


class _Row(NamedTuple):
    """What was done for one target."""

    target: str
    kernels: int
    seconds: float
    bytes: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command."""
    parser.add_argument("model", metavar="MODEL", help="a frozen graph, binary or text")
    parser.add_argument("-o", dest="folder", metavar="DIR", required=True, help="where images go")
    parser.add_argument(
        "--cpu",
        type=_targets,
        default=[host_target()],
        metavar="LEVEL[,LEVEL]",
        help="x86-64, x86-64-v2, x86-64-v3, x86-64-v4, aarch64; by default this machine's",
    )
    parser.add_argument(
        "--batch",
        type=_sizes,
        default=[1],
        metavar="N[,N]",
        help="what to take for unknown sizes of inputs, one after the other; by default 1",
    )
    add_step_arguments(parser)


def _targets(text: str) -> list[Target]:
    try:
        return [target_named(name.strip()) for name in text.split(",")]
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _sizes(text: str) -> list[int]:
    sizes = [int(part) for part in text.split(",")]
    if min(sizes) < 1:
        raise ValueError(text)
    return sizes


def run(options: argparse.Namespace) -> int:
    """Fills the folder and prints a line for each target; 1 if there is nothing to compile."""
    build = _image_builder()
    model = read_model(options.model)
    steps = [step for size in options.batch for step in _specialized(model, options, size)]
    cache = ImageCache(Path(options.folder), _NO_LIMIT)
    rows = []
    for target in options.cpu:
        texts = dict.fromkeys(
            text for subgraph, step in steps for text in _kernels(subgraph, step, target)
        )
        if len(texts) > 1:  # more than the step runner
            rows.append(_compile(list(texts), target, cache, build))
    if not rows:
        print(f"{model.path} has no node that is compiled.")
        return 1
    print("\n".join(_table(rows)))
    print(f"\nRun programs with FEATHERFLOW_IMAGES={os.path.abspath(options.folder)}")
    return 0


def _image_builder() -> Any:
    """What makes images; its import takes a compiler."""
    try:
        from featherflow.compiler.worker import build_image
    except ImportError as error:
        raise CommandError(f"there is no compiler ({error}): pip install llvmlite") from None
    return build_image


def _specialized(
    model: Model, options: argparse.Namespace, size: int
) -> list[tuple[Subgraph, Specialization]]:
    """The step for inputs of a size, and for one image of a batch: images may run one by one."""
    step = model_step(model, options, partial(_placeholder_value, size))
    with CompiledSession(config_of(threads=1), step.graph) as session:
        compiled = session.compiled_step(tuple(step.feeds), tuple(step.fetches))
    signatures = [tuple(value.shape for value in step.feeds.values())]
    if all(signatures[0]):
        signatures.append(tuple((1, *shape[1:]) for shape in signatures[0]))
    subgraph = compiled.subgraph
    return [(subgraph, specialize(subgraph, signature)) for signature in dict.fromkeys(signatures)]


def _placeholder_value(size: int, tensor: Tensor) -> np.ndarray:
    """Something of the shape of an input: only its shape is looked at."""
    rank = tensor.shape.rank
    shape = [known or size for known in tensor.shape.as_list()] if rank else []
    return np.broadcast_to(np.zeros((), tensor.dtype.base_dtype.numpy_dtype), shape)


def _kernels(subgraph: Subgraph, specialization: Specialization, target: Target) -> Iterator[str]:
    for threads in _THREADS:
        trigger = CompileTrigger(subgraph, _build_nothing, _build_nothing, threads, Mode.NEVER)
        step = CompiledStep(trigger, target, _UnpackedPool())
        yield from kernel_texts(step.schedules(specialization).values())


def _build_nothing(*_: Subgraph) -> Any:
    raise AssertionError("nothing runs here")


class _UnpackedPool(ConstantPool):
    """Weights that no kernel will read need not be packed."""

    def packed(self, constant: Constant, form: str, width: int, part: slice) -> Address:
        return Address(Buffer("constant", 0))


def _compile(texts: list[str], target: Target, cache: ImageCache, build: Any) -> _Row:
    start = time.perf_counter()
    total = 0
    for text in texts:
        image = build(text, target)
        if cache.store(digest(text, target), image) is None:
            raise CommandError(
                f"cannot write {cache.folder}: it must be a folder of yours that nobody else may "
                "write."
            )
        total += len(image)
    return _Row(target.name, len(texts), time.perf_counter() - start, total)


def _table(rows: list[_Row]) -> list[str]:
    lines = [f"{'target':<12} {'kernels':>8} {'seconds':>8} {'bytes':>10}"]
    lines += [
        f"{row.target:<12} {row.kernels:>8} {row.seconds:>8.1f} {row.bytes:>10}" for row in rows
    ]
    return lines
