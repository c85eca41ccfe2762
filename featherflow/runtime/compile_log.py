"""The compiler's log: FEATHERFLOW_LOG=4 tells the stages of each step on stderr, 5 in detail.

4    a line for each stage: passes, specialisation, kernels asked for, ready, took over
5    also what passes changed, why nodes are left to NumPy, all groups and calls
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from featherflow.compiler.compile_service import FAILED, READY, CompileJob
from featherflow.compiler.fusion import Group
from featherflow.compiler.report import calls_text, groups_text
from featherflow.compiler.schedule import Schedule
from featherflow.grappler.optimizer import PassReport
from featherflow.runtime.specialization import Specialization

logger = logging.getLogger("featherflow.compile")
_LEVELS = {"4": logging.INFO, "5": logging.DEBUG}


class _StandardError(logging.StreamHandler):
    """Writes to what `sys.stderr` is at the time of the message."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)
        self.setFormatter(logging.Formatter("featherflow: %(message)s"))

    @property
    def stream(self) -> Any:
        return sys.stderr


def configure(wish: str) -> None:
    """Logs as much as FEATHERFLOW_LOG=`wish` asks for; anything but 4 and 5 changes nothing."""
    if wish not in _LEVELS:
        return
    logger.setLevel(_LEVELS[wish])
    if not logger.handlers:
        logger.addHandler(_StandardError())
        logger.propagate = False


configure(os.environ.get("FEATHERFLOW_LOG", ""))


def optimized(reports: Sequence[PassReport]) -> None:
    """The passes of grappler have run."""
    if not logger.isEnabledFor(logging.INFO) or not reports:
        return
    did = [f"{report.name} {len(report.changed)}" for report in reports if report.changed]
    before, after = reports[0].nodes_before, reports[-1].nodes_after
    logger.info("passes: %d → %d nodes; changes: %s", before, after, ", ".join(did) or "none")
    for report in reports:
        for line in report.changed:
            logger.debug("  %s: %s", report.name, line)


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
