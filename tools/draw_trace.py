"""Draws a Chrome trace as an SVG picture: one lane for each device, time from left to right.

python tools/draw_trace.py trace.json docs/images/model_parallel.svg
"""

from __future__ import annotations

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

WIDTH, LANE, MARGIN, LABEL = 960, 44, 40, 90
#: The longest ops get a name in the picture.
NAMED_FROM_SHARE = 0.05
COLOURS = {"MatMul": "#4878a8", "ResourceApply": "#b86a3c", "Apply": "#b86a3c", "Relu": "#6a9a58"}


def read_runs(path: str) -> tuple[dict[int, str], list[dict[str, Any]]]:
    """The names of the devices by process number, and the events that run ops."""
    events = json.loads(Path(path).read_text())["traceEvents"]
    names = {
        event["pid"]: event["args"]["name"].split("/")[-1].replace(" Compute", "")
        for event in events
        if event["ph"] == "M" and "Compute" in event["args"]["name"]
    }
    return names, [event for event in events if event["ph"] == "X" and event["pid"] in names]


def colour(op: str) -> str:
    return next((value for name, value in COLOURS.items() if op.startswith(name)), "#a0a0a8")


def draw(path: str) -> str:
    """The SVG text."""
    names, runs = read_runs(path)
    start = min(run["ts"] for run in runs)
    length = max(run["ts"] + run["dur"] for run in runs) - start
    scale = (WIDTH - LABEL - MARGIN) / length
    lanes = {pid: index for index, pid in enumerate(sorted(names))}
    height = MARGIN * 2 + LANE * len(lanes)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        f'<rect width="{WIDTH}" height="{height}" fill="white"/>',
    ]
    for pid, lane in lanes.items():
        y = MARGIN + lane * LANE + LANE / 2
        parts.append(f'<text x="8" y="{y}">{escape(names[pid])}</text>')
    for run in runs:
        x = LABEL + (run["ts"] - start) * scale
        y = MARGIN + lanes[run["pid"]] * LANE + 4
        width = max(run["dur"] * scale, 0.5)
        title = f"{run['args'].get('name', run['name'])}: {run['dur']} µs"
        parts.append(
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{LANE - 12}" '
            f'fill="{colour(run["name"])}"><title>{escape(title)}</title></rect>'
        )
        if run["dur"] > NAMED_FROM_SHARE * length:
            parts.append(
                f'<text x="{x + 3:.1f}" y="{y + 20}" fill="white">{escape(run["name"])}</text>'
            )
    parts.append(
        f'<text x="{LABEL}" y="{height - 14}">0</text>'
        f'<text x="{WIDTH - MARGIN}" y="{height - 14}" text-anchor="end">'
        f"{length / 1e3:.1f} ms</text>"
    )
    return "\n".join([*parts, "</svg>", ""])


if __name__ == "__main__":
    source, target = sys.argv[1:]
    Path(target).parent.mkdir(parents=True, exist_ok=True)
    Path(target).write_text(draw(source))
