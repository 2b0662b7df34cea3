"""How many runs there are of what is drawn: an experiment that was interrupted has only some."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .rows import distinct
from .source import Summarised

__all__ = ["absent", "runs"]


def runs(counts: Iterable[int], total: int) -> str:
    """`19 runs`, or `6 of 19 runs` where there are fewer, or `3 to 6 of 19 runs` where variants differ."""
    there = sorted({n for n in counts if n})
    if not there or there == [total]:
        return f"{total} {'run' if total == 1 else 'runs'}"
    return f"{there[0] if len(there) == 1 else f'{there[0]} to {there[-1]}'} of {total} runs"


def absent(result: Summarised, variants: Sequence[str], seeds: Sequence[int] | None = None) -> dict[str, str]:
    """Why variants have nothing to be drawn: `no runs`, if none of these seeds was run, or else `no values`."""
    if not variants:
        return {}
    ran = _seeds_run(result)
    wanted = set(result.seeds if seeds is None else seeds)
    return {variant: "no values" if wanted & ran.get(variant, set()) else "no runs" for variant in variants}


def _seeds_run(result: Summarised) -> dict[str, set[int]]:
    """The seeds that each variant was run with: as the manifest lists them, or of a sweep as the rows do."""
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
