"""Table of a sweep for the terminal: one row per variant, with the most important metrics."""

from __future__ import annotations

import textwrap
from typing import Any

from ..busiest import METRICS, busiest
from .answer import answer
from .result import SweepResult

# Metric, statistic and heading. For queues, the busiest one; otherwise the value for all flows or
# the mean over flows.
_QUEUE = [("utilisation", "mean"), ("sojourn", "mean"), ("sojourn", "p99"), ("drop_rate", "mean")]
_FLOWS = [
    ("goodput", "mean"),
    ("rtt", "mean"),
    ("owd", "p99"),
    ("frame_latency", "p99"),
    ("sqi_ssim", "mean"),
    ("linear_qoe", "mean"),
]
# With the lines about it, the paths and the progress, a table fits on 60 lines.
_ROWS = 44
_WIDTH = 100


def overview(result: SweepResult) -> str:
    """The table as text, with at most 44 rows."""
    if not result.has_runs:
        return "No completed runs."
    rows = result.summary.arrow.to_pylist()
    bottleneck = _bottleneck(result)
    values: dict[str, dict[tuple[str, str], str]] = {}
    units: dict[str, str] = {}
    for metric, statistic in _QUEUE:
        found = [row for row in rows if row["metric"] == metric and row["object"] == bottleneck and not row["part"]]
        _fill(values, units, found, metric, statistic)
    for metric, statistic in _FLOWS:
        found = [row for row in rows if row["metric"] == metric and not row["part"]]
        whole = [row for row in found if row["object"] == "all flows"]
        _fill(values, units, whole or found, metric, statistic)
    columns = [column for column in _QUEUE + _FLOWS if any(column in of for of in values.values())]
    axes = list(dict.fromkeys(axis for labels in result.labels.values() for axis in labels))
    names = [*axes, *(_head(metric, statistic) for metric, statistic in columns)]
    below = [*("" for _ in axes), *(_unit(units[metric]) for metric, _ in columns)]
    body = [
        [
            *(labels.get(axis, "") for axis in axes),
            *(values.get(variant, {}).get(column, "-") for column in columns),
        ]
        for variant, labels in result.labels.items()
    ]
    table = [names, below, *body[:_ROWS]]
    shown = _fitting(table, len(axes))
    lines = _aligned([row[:shown] for row in table], len(axes))
    if shown < len(names):
        lines.append(f"Left out for the width: {', '.join(names[shown:])}.")
    if len(body) > _ROWS:
        lines.append(f"… and {len(body) - _ROWS} more: SweepResult.open(folder).table has them all")
    about = f"{result.name}: {len(result.points)} points, {len(result.seeds)} seeds"
    found = answer(result, bottleneck)
    head = textwrap.wrap(found, _WIDTH) if found else []
    return "\n".join([about + (f", queue {bottleneck}" if bottleneck else ""), *head, *lines])


def _bottleneck(result: SweepResult) -> str:
    """The busiest queue over all runs; empty without queues."""
    values: dict[tuple[str, str], list[float]] = {}
    for row in result.runs.filter(metric=list(METRICS), part="").to_pylist():
        if row["mean"] is not None:
            values.setdefault((row["object"], row["metric"]), []).append(row["mean"])
    return busiest((name for name, _ in values), values) or ""


def _fill(
    values: dict[str, dict[tuple[str, str], str]],
    units: dict[str, str],
    rows: list[dict[str, Any]],
    metric: str,
    statistic: str,
) -> None:
    """Fills in the mean over objects for each variant."""
    by_variant: dict[str, list[float]] = {}
    for row in rows:
        units[metric] = row["unit"]
        if row[statistic] is not None:
            by_variant.setdefault(row["variant"], []).append(row[statistic])
    for variant, found in by_variant.items():
        values.setdefault(variant, {})[metric, statistic] = f"{sum(found) / len(found):.4g}"


def _head(metric: str, statistic: str) -> str:
    return metric if statistic == "mean" else f"{metric} {statistic}"


def _unit(unit: str) -> str:
    return "" if unit in ("1", "count") else unit


def _fitting(rows: list[list[str]], text: int) -> int:
    """How many columns fit into the width: those of the axes and one at least."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    shown, end = 0, -2
    while shown < len(widths) and end + 2 + widths[shown] <= _WIDTH:
        end += 2 + widths[shown]
        shown += 1
    return max(shown, text + 1)


def _aligned(rows: list[list[str]], text: int) -> list[str]:
    """Aligns text to the left, numbers to the right."""
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return [
        "  ".join(
            cell.ljust(width) if n < text else cell.rjust(width)
            for n, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
