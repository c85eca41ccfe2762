"""The compiler's logger, which FEATHERFLOW_LOG=4 or 5 sets, and what it says of graph passes."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any

from featherflow.grappler.optimizer import PassReport

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


def log_passes(reports: Sequence[PassReport]) -> None:
    """The passes of grappler have run."""
    if not logger.isEnabledFor(logging.INFO) or not reports:
        return
    did = [f"{report.name} {len(report.changed)}" for report in reports if report.changed]
    before, after = reports[0].nodes_before, reports[-1].nodes_after
    logger.info("passes: %d → %d nodes; changes: %s", before, after, ", ".join(did) or "none")
    for report in reports:
        for line in report.changed:
            logger.debug("  %s: %s", report.name, line)
