"""Series of runs: samples in chronological order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .rows import Rows, grouped
from .source import Floats, Table

__all__ = ["Samples", "Series", "rolling", "samples_of"]


@dataclass(frozen=True)
class Series:
    """A series of one run: seconds since the start, and values in the metric's unit; both of shape (n,)."""

    seconds: Floats
    values: Floats


@dataclass(frozen=True)
class Samples:
    """All series of some metrics and objects, by metric, object, variant, seed and part."""

    names: list[str]
    rows: dict[tuple[Any, ...], Rows]

    def series(
        self,
        metric: str,
        variant: str,
        seed: int,
        *,
        names: Sequence[str] | None = None,
        part: str = "",
        combine: Literal["mean", "sum"] = "mean",
    ) -> Series:
        """The series of one run in chronological order; for several objects, their mean or sum at each time."""
        wanted = self.names if names is None else names
        found = [self.rows[key] for name in wanted if (key := (metric, name, variant, seed, part)) in self.rows]
        if not found:
            return Series(np.empty(0), np.empty(0))
        times = np.concatenate([rows["time_ns"] for rows in found]).astype(np.int64)
        values = np.concatenate([rows["value"] for rows in found]).astype(np.float64)
        order = np.argsort(times, kind="stable")
        times, values = times[order], values[order]
        if len(wanted) > 1:
            instants, inverse, counts = np.unique(times, return_inverse=True, return_counts=True)
            sums: Floats = np.bincount(inverse, weights=values, minlength=len(instants)).astype(np.float64)
            times, values = instants, sums / counts if combine == "mean" else sums
        return Series(times.astype(np.float64) / 1e9, values)


def samples_of(
    table: Table, metrics: Sequence[str], names: Sequence[str], variants: Sequence[str], seeds: Sequence[int]
) -> Samples:
    """The series of these runs, in one pass over the table."""
    rows = grouped(
        table,
        ("metric", "object", "variant", "seed", "part"),
        ("time_ns", "value"),
        metric=list(metrics),
        object=list(names),
        variant=list(variants),
        seed=list(seeds),
    )
    return Samples(list(names), rows)


def rolling(series: Series, samples: int) -> Series:
    """The mean of each `samples` successive values, at the time of the last one, as in reports."""
    if samples <= 1:
        return series
    if len(series.values) < samples:
        return Series(np.empty(0), np.empty(0))
    means = np.convolve(series.values, np.full(samples, 1.0 / samples), mode="valid")
    return Series(series.seconds[samples - 1 :], means)
