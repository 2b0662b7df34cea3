"""Choice of the queue for comparisons."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..busiest import METRICS, busiest
from .errors import PlotError
from .rows import grouped
from .source import Summarised

__all__ = ["bottleneck"]


def bottleneck(result: Summarised) -> str:
    """The queue in the terminal's table and the report: the one that the experiment names, or else the busiest."""
    manifest: Mapping[str, Any] = getattr(result, "manifest", {})
    named = manifest.get("bottleneck")
    if named is not None:
        return str(named)
    rows = grouped(result.runs, ("object", "metric"), ("mean",), metric=list(METRICS), part="")
    objects: Mapping[str, str] | None = manifest.get("objects")
    # A sweep does not list its queues, but only queues have these metrics.
    queues = [o for o, table in objects.items() if table == "queues"] if objects else [o for o, _ in rows]
    found = busiest(
        queues, {(str(name), str(metric)): columns["mean"].tolist() for (name, metric), columns in rows.items()}
    )
    if found is None:
        raise PlotError(f"result `{result.name}` has no queue with a utilisation or a backlog")
    return found
