"""Which queue a comparison looks at, by the rule of the terminal's table and the report (`bottleneck` in `crates/report`)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

METRICS = ("utilisation", "drop_rate", "backlog")
"""What the rule looks at."""


def busiest(queues: Iterable[str], values: Mapping[tuple[str, str], Sequence[float]]) -> str | None:
    """The queue with the highest mean load over all runs; ``None`` if there is no queue.

    The load is its utilisation and drop rate in whole per cents: a queue that drops what it is offered is congested, however
    little gets through. Of queues that are alike it is the one with the most backlog, and of those the first.

    Args:
        queues: Their names, in the experiment's order.
        values: By queue and metric the values of the runs.
    """

    def mean(name: str, metric: str) -> float:
        found = values.get((name, metric), ())
        # One after the other as the report adds them, so that what lies between two per cents goes the same way.
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
    """Rounded, halves up as Rust has it and not to even numbers; no less than 0."""
    if math.isnan(value) or value <= 0.0:
        return 0
    below = math.floor(value)
    return below + (value - below >= 0.5)
