"""Selection of variants, seeds and objects; errors name the available ones."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Literal, cast

from .busiest import bottleneck
from .errors import PlotError, unknown
from .rows import distinct
from .source import Source, Summarised, Table, Variants

__all__ = [
    "ALL_FLOWS", "Source", "bottleneck", "default_object", "objects_of", "pick_objects", "pick_seeds", "pick_variants", "seconds", "table_with",
    "unit_of", "warm_up", "with_series",
]  # fmt: skip

#: The object of the summary for all flows together.
ALL_FLOWS = "all flows"


def pick_variants(result: Summarised, variants: Variants = None) -> list[str]:
    """Selects variants, in the order of the experiment or of the given list.

    A string names parts of the variants' names (`"operator=b,rtt=60ms"`), a mapping values of their labels
    (`{"rtt": ["20ms", "60ms"]}`).
    """
    every = list(result.variants)
    if variants is None:
        return every
    if isinstance(variants, str):
        wanted = [part for part in re.split(r",(?=[^,=]+=)", variants) if part]
        found = [name for name in every if variants == name or set(wanted) <= set(re.split(r",(?=[^,=]+=)", name))]
        found = found or [name for name in every if variants in name]
        if not found:
            raise unknown("variant with", variants, every, f"result `{result.name}`")
        return found
    if isinstance(variants, Mapping):
        return _with_labels(result, variants)
    known = set(every)
    missing = [name for name in variants if name not in known]
    if missing:
        raise unknown("variant", missing[0], every, f"result `{result.name}`")
    return list(variants)


def _with_labels(result: Summarised, wanted: Mapping[str, str | Sequence[str]]) -> list[str]:
    every, labels = list(result.variants), result.labels
    for label, values in wanted.items():
        known = {of[label] for of in labels.values() if label in of}
        if not known:
            axes = {axis for of in labels.values() for axis in of}
            raise unknown("label", label, axes, f"result `{result.name}`")
        for value in [values] if isinstance(values, str) else values:
            if value not in known:
                raise unknown(f"value of the label `{label}` called", value, known, f"result `{result.name}`")

    allowed = {label: {values} if isinstance(values, str) else set(values) for label, values in wanted.items()}

    def fits(name: str) -> bool:
        own = labels.get(name, {})
        return all(own.get(label) in values for label, values in allowed.items())

    found = [name for name in every if fits(name)]
    if not found:
        raise unknown(
            "variant with", ", ".join(f"{k}={v}" for k, v in wanted.items()), every, f"result `{result.name}`"
        )
    return found


def pick_seeds(result: Summarised, seed: int | Literal["mean"] | None) -> list[int]:
    """One seed (by default the first) or all."""
    seeds = list(result.seeds)
    if seed == "mean":
        return seeds
    if seed is None:
        return seeds[:1]
    if seed not in seeds:
        raise unknown("seed", seed, seeds, f"result `{result.name}`")
    return [seed]


def unit_of(result: Summarised, metric: str) -> str:
    """The unit of a metric; empty if unknown."""
    return result.units.get(metric, "")


def objects_of(table: Table, metric: str) -> list[str]:
    """The objects with rows of a metric, sorted."""
    return sorted(name for name, of in distinct(table, ("object", "metric")) if of == metric)


def table_with(result: Source, metric: str, tables: Sequence[str] = ("flows", "queues")) -> Table:
    """The first of the tables with the metric."""
    seen: set[str] = set()
    for name in tables:
        table = cast(Table, getattr(result, name))
        here = {of for (of,) in distinct(table, ("metric",))}
        if metric in here:
            return table
        seen |= here
    raise unknown("metric", metric, seen, f"result `{result.name}`", within=f"its {' and '.join(tables)}")


def pick_objects(result: Source, table: Table, metric: str, objects: str | Sequence[str] | None) -> list[str]:
    """Selects objects; `tcp.*` selects all whose names begin with `tcp.`.

    By default it is the one of :func:`default_object`.
    """
    known = objects_of(table, metric)
    if not known:
        raise unknown("metric", metric, {of for (of,) in distinct(table, ("metric",))}, f"result `{result.name}`")
    if objects is None:
        return [default_object(result, metric, known)]
    found: list[str] = []
    for name in [objects] if isinstance(objects, str) else objects:
        matching = (
            [k for k in known if k.startswith(name[:-1])] if name.endswith("*") else [k for k in known if k == name]
        )
        if not matching:
            raise unknown(f"`{metric}` of an object", name, known, f"result `{result.name}`")
        found += matching
    return found


def default_object(result: Summarised, metric: str, known: Sequence[str]) -> str:
    """The default among the objects with a metric.

    It is the only object; or the bottleneck among queues; or all flows together.
    """
    if len(known) == 1:
        return known[0]
    try:
        narrow = bottleneck(result)
    except PlotError:  # no queues
        narrow = None
    for name in (narrow, ALL_FLOWS):
        if name in known:
            return str(name)
    raise PlotError(f"result `{result.name}` has `{metric}` of several objects; name one of: {', '.join(known)}")


def with_series(result: Summarised) -> Source:
    """The result, if it has series and distributions; a sweep keeps only summary values."""
    if not hasattr(result, "manifest"):
        raise PlotError(
            f"`{result.name}` is a sweep, which keeps only summary values: "
            'sweep with keep="all" and draw one of its runs, `sweep.result(point, seed)`'
        )
    return cast(Source, result)


def warm_up(result: Source) -> float:
    """Duration of the warm-up in seconds."""
    return seconds(str(result.manifest.get("warm_up", "0 s")))


def seconds(text: str) -> float:
    """Converts `500 ms` to 0.5."""
    match = re.fullmatch(r"\s*([\d.]+)\s*(ns|us|µs|ms|s|min|h)\s*", text)
    if match is None:
        return 0.0
    scale = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
    return float(match[1]) * scale[match[2]]
