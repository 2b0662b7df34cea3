"""Choice of the queue for comparisons, by the rule of the terminal's table and the report (`bottleneck` in `crates/report`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

METRICS = ("utilisation", "drop_rate", "backlog")
"""Metrics for the rule."""


def busiest(queues: Iterable[str], values: Mapping[tuple[str, str], Sequence[float]]) -> str | None:
    """The queue with the highest mean load over all runs; ``None`` if there is no queue.

    The load is utilisation plus drop rate in whole per cents: a queue that drops most packets is congested even if little
    gets through. Ties are broken by the highest backlog, and then by order.

    Args:
        queues: Names, in the experiment's order.
        values: Values of the runs, by queue and metric.
    """

    def mean(name: str, metric: str) -> float:
        found = values.get((name, metric), ())
        # Add sequentially, as the report does, so that rounding is equal.
        total = 0.0
        for value in found:
            total += float(value)
        return total / len(found) if len(found) else 0.0

    best: tuple[str, tuple[int, float]] | None = None
    for name in dict.fromkeys(queues):
        own = whole(mean(name, "utilisation") + mean(name, "drop_rate")), mean(name, "backlog")
        if best is None or own > best[1]:
            best = name, own
    return best[0] if best else None


def whole(value: float) -> int:
    """Round half up, as Rust does (Python rounds half to even); at least 0."""
    if math.isnan(value) or value <= 0.0:
        return 0
    below = math.floor(value)
    return below + (value - below >= 0.5)
