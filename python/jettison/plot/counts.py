"""Numbers of runs behind a plot: an interrupted experiment has only some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .rows import distinct
from .source import Summarised

__all__ = ["absent", "runs"]


def runs(counts: Iterable[int], total: int) -> str:
    """`19 runs`, or `6 of 19 runs` if some are missing, or `3 to 6 of 19 runs` if variants differ."""
    there = sorted({n for n in counts if n})
    if not there or there == [total]:
        return f"{total} {'run' if total == 1 else 'runs'}"
    return f"{there[0] if len(there) == 1 else f'{there[0]} to {there[-1]}'} of {total} runs"


def absent(result: Summarised, variants: Sequence[str], seeds: Sequence[int] | None = None) -> dict[str, str]:
    """Reasons why variants have no data: `no runs` if no run has one of these seeds, else `no values`."""
    if not variants:
        return {}
    ran = _seeds_run(result)
    wanted = set(result.seeds if seeds is None else seeds)
    return {variant: "no values" if wanted & ran.get(variant, set()) else "no runs" for variant in variants}


def _seeds_run(result: Summarised) -> dict[str, set[int]]:
    """The seeds of each variant's runs: from the manifest or, for a sweep, from the rows."""
    manifest: Mapping[str, Any] = getattr(result, "manifest", {})
    listed = manifest.get("runs")
    pairs: Iterable[tuple[Any, ...]] = (
        distinct(result.runs, ("variant", "seed"))
        if listed is None
        else ((run["variant"], run["seed"]) for run in listed)
    )
    found: dict[str, set[int]] = {}
    for variant, seed in pairs:
        found.setdefault(str(variant), set()).add(int(seed))
    return found
