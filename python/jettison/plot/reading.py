"""From results to arrays: picking variants and objects, and saying what there is when something is not.

Everything here is read through :class:`Source`, which :class:`jettison.Result` is; arrows become numpy
arrays in :func:`columns` and nowhere else.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyarrow has no types.
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from .errors import PlotError, unknown

__all__ = [
    "Floats", "Series", "Source", "Summarised", "Table", "Variants", "bottleneck", "columns", "narrowed",
    "objects_of", "pick_objects", "pick_seeds", "pick_variants", "series_of", "table_with", "unit_of",
    "with_series",
]  # fmt: skip

Floats: TypeAlias = NDArray[np.float64]
#: Which variants: all, a list of names, the parts that a name must have, or the values that labels must have.
Variants: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None


class Table(Protocol):
    """A table of a result."""

    @property
    def arrow(self) -> Any:
        """All of it: a `pyarrow.Table`, of which there are no types."""
        ...

    def select(self, columns: Iterable[str]) -> Any:
        """Some columns, as a `pyarrow.Table`: of a stored table no others are read."""
        ...

    def filter(self, **columns: str | int | list[str]) -> Table:
        """The rows in which those columns have that value, or one of those values."""
        ...


class Summarised(Protocol):
    """Variants with summary values: what :class:`jettison.Result` and `SweepResult` have in common."""

    @property
    def name(self) -> str:
        """The scenario's name."""
        ...

    @property
    def variants(self) -> list[str]:
        """The names of the variants, in the order of the experiment."""
        ...

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """For each variant the label of its arm by axis."""
        ...

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs of each variant."""
        ...

    @property
    def units(self) -> dict[str, str]:
        """The unit of each metric."""
        ...

    @property
    def summary(self) -> Table:
        """Means over seeds with 95 % intervals."""
        ...

    @property
    def runs(self) -> Table:
        """Summary values of each run."""
        ...


class Source(Summarised, Protocol):
    """What plots of series and distributions read of a :class:`jettison.Result`."""

    @property
    def manifest(self) -> dict[str, Any]:
        """What was run."""
        ...

    @property
    def queues(self) -> Table:
        """Series of queues."""
        ...

    @property
    def flows(self) -> Table:
        """Series of flows."""
        ...

    @property
    def distributions(self) -> Table:
        """Cumulative distributions."""
        ...

    @property
    def frames(self) -> Table:
        """Each frame of a real-time video."""
        ...


@dataclass(frozen=True)
class Series:
    """A series of one run: seconds since it began, and values in the metric's unit; both of shape (n,)."""

    seconds: Floats
    values: Floats


def columns(table: Table, names: Sequence[str], **equal: str | int) -> dict[str, NDArray[Any]]:
    """Those columns of the rows in which others have the values given, as numpy arrays of shape (rows,)."""
    wanted = list(dict.fromkeys(names))
    arrow = table.filter(**equal).select(wanted) if equal else table.select(wanted)
    return {name: _numpy(arrow.column(name)) for name in wanted}


def _numpy(column: Any) -> NDArray[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return cast(NDArray[Any], column.to_numpy(zero_copy_only=False))


@dataclass(frozen=True)
class _Narrow:
    """A few rows of a table, which further picking need not look for again."""

    arrow: Any

    def select(self, columns: Iterable[str]) -> Any:
        return self.arrow.select(list(columns))

    def filter(self, **columns: str | int | list[str]) -> _Narrow:
        keep: Any = None
        for name, value in columns.items():
            values = value if isinstance(value, list) else [value]
            matches = pc.call_function("is_in", [self.arrow.column(name)], pc.SetLookupOptions(pa.array(values)))
            keep = matches if keep is None else pc.call_function("and", [keep, matches])
        return self if keep is None else _Narrow(self.arrow.filter(keep))


def narrowed(table: Table, metric: str, objects: Sequence[str]) -> Table:
    """The rows of a metric of some objects, with text as such: picked once for all runs."""
    arrow = table.filter(metric=metric, object=list(objects)).arrow
    for at, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            arrow = arrow.set_column(at, field.name, arrow.column(at).cast(field.type.value_type))
    return _Narrow(arrow)


def _distinct(table: Table, names: Sequence[str]) -> set[tuple[str, ...]]:
    arrow = table.select(names).unify_dictionaries()
    grouped = arrow.group_by(list(names)).aggregate([])
    return set(zip(*(cast(list[str], grouped.column(name).to_pylist()) for name in names), strict=True))


def pick_variants(result: Summarised, variants: Variants = None) -> list[str]:
    """The variants asked for, in the order of the experiment (of a list: in its own order).

    A string names the parts that a variant's name must have (`"operator=b,rtt=60ms"`), a mapping the values
    that its labels must have (`{"rtt": ["20ms", "60ms"]}`).
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
    missing = [name for name in variants if name not in every]
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

    def fits(name: str) -> bool:
        own = labels.get(name, {})
        return all(own.get(k) in ([v] if isinstance(v, str) else list(v)) for k, v in wanted.items())

    found = [name for name in every if fits(name)]
    if not found:
        raise unknown(
            "variant with", ", ".join(f"{k}={v}" for k, v in wanted.items()), every, f"result `{result.name}`"
        )
    return found


def pick_seeds(result: Summarised, seed: int | Literal["mean"] | None) -> list[int]:
    """One seed, the first if none is named, or all."""
    seeds = list(result.seeds)
    if seed == "mean":
        return seeds
    if seed is None:
        return seeds[:1]
    if seed not in seeds:
        raise unknown("seed", seed, seeds, f"result `{result.name}`")
    return [seed]


def unit_of(result: Summarised, metric: str) -> str:
    """The unit of a metric; empty for one that is not known."""
    return result.units.get(metric, "")


def objects_of(table: Table, metric: str) -> list[str]:
    """The objects that have rows of that metric, sorted."""
    return sorted(name for name, of in _distinct(table, ("object", "metric")) if of == metric)


def table_with(result: Source, metric: str, tables: Sequence[str] = ("flows", "queues")) -> Table:
    """The first of the tables that has the metric."""
    seen: set[str] = set()
    for name in tables:
        table = cast(Table, getattr(result, name))
        here = {of for (of,) in _distinct(table, ("metric",))}
        if metric in here:
            return table
        seen |= here
    where = "result `{}`, in its {}".format(result.name, " and ".join(tables))
    raise unknown("metric", metric, seen, where)


def pick_objects(result: Source, table: Table, metric: str, objects: str | Sequence[str] | None) -> list[str]:
    """The objects asked for; `tcp.*` is all whose names begin with `tcp.`.

    Without one it is the only object that has the metric, or, of queues, the bottleneck.
    """
    known = objects_of(table, metric)
    if not known:
        raise unknown("metric", metric, {of for (of,) in _distinct(table, ("metric",))}, f"result `{result.name}`")
    if objects is None:
        if len(known) == 1:
            return known
        narrow = bottleneck(result)
        if narrow in known:
            return [narrow]
        raise PlotError(f"result `{result.name}` has `{metric}` of several objects, name one of: {', '.join(known)}")
    found: list[str] = []
    for name in [objects] if isinstance(objects, str) else objects:
        matching = (
            [k for k in known if k.startswith(name[:-1])] if name.endswith("*") else [k for k in known if k == name]
        )
        if not matching:
            raise unknown(f"`{metric}` of an object", name, known, f"result `{result.name}`")
        found += matching
    return found


def with_series(result: Summarised) -> Source:
    """The result, if it is one with series and distributions: a sweep keeps the summary values of its runs."""
    if not hasattr(result, "manifest"):
        raise PlotError(
            f"`{result.name}` is a sweep, which keeps summary values and no series: "
            'sweep with keep="all", and draw one of its runs, `sweep.result(point, seed)`'
        )
    return cast(Source, result)


def bottleneck(result: Summarised) -> str:
    """The queue with the highest mean utilisation, and of those that are alike the one with the most backlog.

    That is the queue that the terminal's table and the report compare (`docs/src/results.md`).
    """
    manifest: Mapping[str, Any] = getattr(result, "manifest", {})
    named = manifest.get("bottleneck")
    if isinstance(named, str) and named:
        return named
    rows = columns(result.summary, ("object", "metric", "mean"))
    means: dict[tuple[str, str], list[float]] = {}
    for name, metric, mean in zip(rows["object"], rows["metric"], rows["mean"], strict=True):
        if metric in ("utilisation", "backlog"):
            means.setdefault((str(name), str(metric)), []).append(float(mean))

    def of(name: str, metric: str) -> float:
        values = means.get((name, metric), [0.0])
        return sum(values) / len(values)

    queues = sorted({name for name, metric in means if metric == "utilisation"})
    if not queues:
        raise PlotError(f"result `{result.name}` has no queue with a utilisation")
    return max(queues, key=lambda name: (round(of(name, "utilisation"), 1), of(name, "backlog")))


def series_of(
    table: Table,
    variant: str,
    seed: int,
    objects: Iterable[str],
    metric: str,
    *,
    part: str = "",
    combine: Literal["mean", "sum"] = "mean",
) -> Series:
    """The series of one run, in order of time; of several objects their mean or sum at each instant."""
    names = list(objects)
    picked = [
        columns(table, ("time_ns", "value", "part"), variant=variant, seed=seed, object=name, metric=metric)
        for name in names
    ]
    keep = [rows["part"] == part for rows in picked]
    times = np.concatenate([rows["time_ns"][k] for rows, k in zip(picked, keep, strict=True)]).astype(np.int64)
    values = np.concatenate([rows["value"][k] for rows, k in zip(picked, keep, strict=True)]).astype(np.float64)
    order = np.argsort(times, kind="stable")
    times, values = times[order], values[order]
    if len(names) > 1 and len(times):
        instants, inverse, counts = np.unique(times, return_inverse=True, return_counts=True)
        sums = np.zeros(len(instants))
        np.add.at(sums, inverse, values)
        times, values = instants, sums / counts if combine == "mean" else sums
    return Series(times.astype(np.float64) / 1e9, values)


def rolling(series: Series, samples: int) -> Series:
    """The mean of each `samples` successive values, at the time of the last of them, as reports have it."""
    if samples <= 1:
        return series
    if len(series.values) < samples:
        return Series(np.empty(0), np.empty(0))
    means = np.convolve(series.values, np.full(samples, 1.0 / samples), mode="valid")
    return Series(series.seconds[samples - 1 :], means)


def warm_up(result: Source) -> float:
    """Seconds at the beginning that do not count."""
    return seconds(str(result.manifest.get("warm_up", "0 s")))


def seconds(text: str) -> float:
    """`500 ms` as 0.5."""
    match = re.fullmatch(r"\s*([\d.]+)\s*(ns|us|µs|ms|s|min|h)\s*", text)
    if match is None:
        return 0.0
    scale = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0, "h": 3600.0}
    return float(match[1]) * scale[match[2]]
