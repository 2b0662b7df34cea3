"""Means over seeds with 95 % intervals, as the summary has them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .errors import PlotError, unknown
from .reading import Floats, Summarised, columns

__all__ = ["Interval", "interval", "over_seeds", "runs_of", "student"]

STATISTICS = ("mean", "p50", "p95", "p99")

# Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom; beyond them see `student`.
_T95 = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157, 2.228139,
    2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922, 2.093024, 2.085963,
    2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831, 2.048407, 2.045230, 2.042272,
)  # fmt: skip


@dataclass(frozen=True)
class Interval:
    """A mean over seeds, in the metric's unit, with its 95 % interval.

    The interval is NaN below two seeds, of which there are `n`.
    """

    mean: float
    low: float
    high: float
    n: int
    unit: str


def student(freedom: int) -> float:
    """The two-sided 95 % quantile of Student's t distribution.

    Above 30 degrees of freedom by Cornish and Fisher's expansion around the normal quantile (Abramowitz and
    Stegun 26.7.5), which is right to six digits there.
    """
    if freedom < 1:
        return math.nan
    if freedom <= len(_T95):
        return _T95[freedom - 1]
    z = 1.959963984540054
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / freedom + second / freedom**2 + third / freedom**3


def over_seeds(values: Sequence[float] | Floats, unit: str = "") -> Interval:
    """Mean and 95 % interval of a value a seed."""
    array = np.asarray(values, dtype=np.float64)
    array = array[~np.isnan(array)]
    n = len(array)
    mean = float(array.mean()) if n else math.nan
    half = student(n - 1) * float(array.std(ddof=1)) / math.sqrt(n) if n > 1 else math.nan
    return Interval(mean, mean - half, mean + half, n, unit)


def runs_of(
    result: Summarised, metric: str, name: str, variant: str, statistic: str = "mean", part: str = ""
) -> dict[int, float]:
    """The value of each run, by seed."""
    if statistic not in STATISTICS:
        raise unknown("statistic", statistic, STATISTICS, "a summary")
    rows = columns(result.runs, ("seed", "part", statistic), variant=variant, object=name, metric=metric)
    at = {int(s): float(v) for s, p, v in zip(rows["seed"], rows["part"], rows[statistic], strict=True) if p == part}
    return {seed: value for seed, value in at.items() if not math.isnan(value)}


def interval(
    result: Summarised, metric: str, name: str, variant: str, statistic: str = "mean", part: str = ""
) -> Interval | None:
    """The summary's mean with its interval; of a percentile the mean of the runs' percentiles.

    None where this variant has no such value. An object `tcp.*` is the mean of all whose names begin so,
    seed by seed.
    """
    if statistic not in STATISTICS:
        raise unknown("statistic", statistic, STATISTICS, "a summary")
    if name.endswith("*"):
        return _of_several(result, metric, name, variant, statistic, part)
    rows = columns(
        result.summary,
        ("part", "unit", "mean", "ci95_low", "ci95_high", "n", statistic),
        variant=variant,
        object=name,
        metric=metric,
    )
    at = np.flatnonzero(rows["part"] == part)
    if not len(at):
        return None
    i = int(at[0])
    unit = str(rows["unit"][i])
    if statistic == "mean":
        return Interval(
            float(rows["mean"][i]),
            float(rows["ci95_low"][i]),
            float(rows["ci95_high"][i]),
            int(rows["n"][i]),
            unit,
        )
    runs = runs_of(result, metric, name, variant, statistic, part)
    return over_seeds(list(runs.values()), unit) if runs else None


def _of_several(result: Summarised, metric: str, name: str, variant: str, statistic: str, part: str) -> Interval | None:
    rows = columns(result.runs, ("object", "seed", "part", "unit", statistic), variant=variant, metric=metric)
    by_seed: dict[int, list[float]] = {}
    unit = ""
    for i in range(len(rows["object"])):
        if (
            str(rows["object"][i]).startswith(name[:-1])
            and rows["part"][i] == part
            and not math.isnan(rows[statistic][i])
        ):
            by_seed.setdefault(int(rows["seed"][i]), []).append(float(rows[statistic][i]))
            unit = str(rows["unit"][i])
    return over_seeds([sum(v) / len(v) for v in by_seed.values()], unit) if by_seed else None


def required(result: Summarised, metric: str, names: Sequence[str]) -> None:
    """Refuses a metric that no object of a summary has, or objects that have no such metric."""
    rows = columns(result.summary, ("object", "metric"))
    pairs = {(str(o), str(m)) for o, m in zip(rows["object"], rows["metric"], strict=True)}
    having = {o for o, m in pairs if m == metric}
    if not having:
        raise unknown("metric", metric, {m for _, m in pairs}, f"the summary of `{result.name}`")
    for name in names:
        if not any(o.startswith(name[:-1]) if name.endswith("*") else o == name for o in having):
            raise unknown(f"`{metric}` of an object", name, having, f"the summary of `{result.name}`")


def only_object(result: Summarised, metric: str) -> str:
    """The one object of the summary that has the metric."""
    rows = columns(result.summary, ("object", "metric"))
    having = sorted({str(o) for o, m in zip(rows["object"], rows["metric"], strict=True) if m == metric})
    if not having:
        required(result, metric, [])
    if len(having) > 1:
        raise PlotError(f"result `{result.name}` has `{metric}` of several objects, name one of: {', '.join(having)}")
    return having[0]
