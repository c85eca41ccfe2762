"""The compiler's log: FEATHERFLOW_LOG=4 tells the stages of each step on stderr, 5 in detail.

4    a line for each stage: passes, specialisation, kernels asked for, ready, took over
5    also what passes changed, why nodes are left to NumPy, all groups and calls
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence

from featherflow.compiler.compile_service import FAILED, READY, CompileJob
from featherflow.compiler.fusion import Group
from featherflow.compiler.report import calls_text, groups_text
from featherflow.compiler.schedule import Schedule
from featherflow.runtime.pass_log import logger
from featherflow.runtime.specialization import Specialization


def specialized(
    signature: Sequence[tuple[int, ...]],
    specialization: Specialization,
    schedules: Mapping[int, Schedule],
) -> None:
    """A step was specialised, and its clusters scheduled."""
    if not logger.isEnabledFor(logging.INFO):
        return
    clusters = ", ".join(
        f"{len(specialization.clusters[level].nodes)} nodes in {len(schedule.phases)} phases"
        for level, schedule in schedules.items()
    )
    left = len(specialization.reasons)
    logger.info(
        "specialised for %s: clusters: %s; %d left to NumPy for a reason",
        _shapes_text(signature),
        clusters or "none",
        left,
    )
    for name, reason in specialization.reasons.items():
        logger.debug("  %s: %s", name, reason)
    if logger.isEnabledFor(logging.DEBUG):
        for level, schedule in schedules.items():
            logger.debug("calls of level %d:\n%s", level, calls_text(schedule))


def fused(level: int, groups: Collection[Group]) -> None:
    """The values of a cluster were grouped."""
    logger.info("level %d: %d groups", level, len(groups))
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("groups of level %d:\n%s", level, groups_text(groups))


def asked(jobs: Collection[CompileJob]) -> None:
    """The kernels of a step were asked for."""
    if logger.isEnabledFor(logging.INFO):
        ready = sum(job.state == READY for job in jobs)
        logger.info("asked for %d kernels: %d are cached", len(jobs), ready)


def settled(signature: Sequence[tuple[int, ...]], jobs: Iterable[CompileJob]) -> None:
    """All kernels are there, or one will never be."""
    if not logger.isEnabledFor(logging.INFO):
        return
    shapes = _shapes_text(signature)
    failed = [job for job in jobs if job.state == FAILED]
    if failed:
        logger.info("stays on NumPy for %s: %s", shapes, failed[0].error)
        logger.debug("  %d kernels failed, the first is %s", len(failed), failed[0].spec_text)
    else:
        logger.info("took over for %s: all kernels are ready", shapes)


def _shapes_text(signature: Sequence[tuple[int, ...]]) -> str:
    return ", ".join(str(list(shape)) for shape in signature) or "no feeds"
