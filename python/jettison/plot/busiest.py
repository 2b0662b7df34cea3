"""Which queue a comparison looks at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .errors import PlotError
from .rows import grouped
from .source import Summarised

__all__ = ["bottleneck"]


def bottleneck(result: Summarised) -> str:
    """The queue that the terminal's table and the report compare, by the same rule (`bottleneck` in `crates/report`).

    It is the one that the experiment names, or else the one with the highest mean load over all runs, which is
    its utilisation and drop rate in whole per cents: a queue that drops what it is offered is congested,
    however little gets through. Of queues that are alike it is the one with the most backlog, and of those the
    first.
    """
    manifest: Mapping[str, Any] = getattr(result, "manifest", {})
    named = manifest.get("bottleneck")
    if named is not None:
        return str(named)
    metrics = ["utilisation", "drop_rate", "backlog"]
    rows = grouped(result.runs, ("object", "metric"), ("mean",), metric=metrics, part="")
    objects: Mapping[str, str] | None = manifest.get("objects")
    # A sweep does not say what is a queue; a flow has none of these measures.
    queues = [o for o, table in objects.items() if table == "queues"] if objects else [o for o, _ in rows]

    def mean(name: str, metric: str) -> float:
        values = rows[name, metric]["mean"] if (name, metric) in rows else ()
        # One after the other as the report adds them, so that what lies between two per cents goes the same way.
        total = 0.0
        for value in values:
            total += float(value)
        return total / len(values) if len(values) else 0.0

    def score(name: str) -> tuple[int, float]:
        return whole(mean(name, "utilisation") + mean(name, "drop_rate")), mean(name, "backlog")

    best: tuple[str, tuple[int, float]] | None = None
    for name in dict.fromkeys(queues):
        own = score(name)
        if best is None or own > best[1]:
            best = name, own
    if best is None:
        raise PlotError(f"result `{result.name}` has no queue with a utilisation or a backlog")
    return best[0]


def whole(value: float) -> int:
    """Rounded, halves up as Rust has it and not to even numbers; no less than 0."""
    if math.isnan(value) or value <= 0.0:
        return 0
    below = math.floor(value)
    return below + (value - below >= 0.5)
