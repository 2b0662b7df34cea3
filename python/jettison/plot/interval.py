"""Means over seeds with 95 % confidence intervals, as in the summary."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyarrow has no type information.
from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .. import _jettison
from .._arrow import pa
from .errors import unknown
from .reading import default_object, objects_of, unit_of
from .rows import distinct, grouped
from .source import Summarised, Table

__all__ = ["Interval", "means", "required", "summary_object", "values_of_runs"]

STATISTICS = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class Interval:
    """A mean over `n` seeds, in the metric's unit, with its 95 % confidence interval.

    The interval is NaN for fewer than two seeds.
    """

    mean: float
    low: float
    high: float
    n: int
    unit: str


def values_of_runs(
    result: Summarised, metric: str, names: Sequence[str], statistic: str = "mean", part: str = ""
) -> dict[tuple[str, str], dict[int, float]]:
    """The values of the runs by seed, for each object and variant with values.

    An object `tcp.*` is the mean over all objects whose names begin with `tcp.`, seed by seed.
    """
    _known(statistic)
    objects = {name: _members(result.runs, metric, name) for name in names}
    wanted = list(dict.fromkeys(one for own in objects.values() for one in own))
    rows = grouped(result.runs, ("object", "variant"), ("seed", statistic), metric=metric, part=part, object=wanted)
    variants = list(dict.fromkeys(variant for _, variant in rows))
    found: dict[tuple[str, str], dict[int, float]] = {}
    for name, own in objects.items():
        for variant in variants:
            values: dict[int, list[float]] = {}
            for one in own:
                of = rows.get((one, variant))
                if of is None:
                    continue
                for seed, value in zip(of["seed"].tolist(), of[statistic].tolist(), strict=True):
                    if not math.isnan(value):
                        values.setdefault(int(seed), []).append(float(value))
            if values:
                found[name, variant] = {seed: sum(each) / len(each) for seed, each in values.items()}
    return found


def means(
    result: Summarised, metric: str, names: Sequence[str], statistic: str = "mean", part: str = ""
) -> dict[tuple[str, str], Interval]:
    """The summary's means with confidence intervals, for each object and variant with values.

    For a percentile, it is the mean of the runs' percentiles; an object `tcp.*` is the mean over all whose names begin
    with `tcp.`.
    """
    _known(statistic)
    plain = [name for name in names if statistic == "mean" and not name.endswith("*")]
    others = [name for name in names if name not in plain]
    found: dict[tuple[str, str], Interval] = {}
    if plain:
        kept = ("mean", "ci95_low", "ci95_high", "n", "unit")
        rows = grouped(result.summary, ("object", "variant"), kept, metric=metric, part=part, object=plain)
        for (name, variant), of in rows.items():
            mean, low, high = (float(of[column][0]) for column in kept[:3])
            found[name, variant] = Interval(mean, low, high, int(of["n"][0]), str(of["unit"][0]))
    if others:
        runs = values_of_runs(result, metric, others, statistic, part)
        found |= over_seeds(runs, unit_of(result, metric), metric)
    return found


def over_seeds(
    runs: Mapping[tuple[str, str], Mapping[int, float]], unit: str = "", metric: str = "value"
) -> dict[tuple[str, str], Interval]:
    """Mean and confidence interval of values by seed, for each object and variant.

    Computed by the native part, as for the summary: metric and unit decide which values the interval may contain.
    """
    # The native part expects the rows of a run to be adjacent.
    rows = sorted((variant, seed, name, value) for (name, variant), of in runs.items() for seed, value in of.items())
    if not rows:
        return {}
    variants, seeds, names, values = (list(column) for column in zip(*rows, strict=True))
    nothing = pa.nulls(len(rows), pa.float64())
    text = {"metric": metric, "part": "", "unit": unit, "mode": "sim"}
    table = pa.table(
        {
            "variant": pa.array(variants, pa.string()),
            "seed": pa.array(seeds, pa.uint64()),
            "object": pa.array(names, pa.string()),
            **{column: pa.repeat(word, len(rows)) for column, word in text.items()},
            "mean": pa.array(values, pa.float64()),
            **dict.fromkeys(("p50", "p95", "p99"), nothing),
        }
    )
    with pa.RecordBatchReader.from_stream(_jettison.summarise(table)) as reader:
        made = reader.read_all().select(["object", "variant", "mean", "ci95_low", "ci95_high", "n"]).to_pylist()
    return {
        (row["object"], row["variant"]): Interval(
            row["mean"], _number(row["ci95_low"]), _number(row["ci95_high"]), row["n"], unit
        )
        for row in made
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _known(statistic: str) -> None:
    if statistic not in STATISTICS:
        raise unknown("statistic", statistic, STATISTICS, "a summary")


def _members(table: Table, metric: str, name: str) -> list[str]:
    if not name.endswith("*"):
        return [name]
    return [one for one in objects_of(table, metric) if one.startswith(name[:-1])]


def required(result: Summarised, metric: str, names: Sequence[str]) -> None:
    """Refuses a metric that no object of a summary has, or objects without the metric."""
    pairs = distinct(result.summary, ("object", "metric"))
    having = {o for o, m in pairs if m == metric}
    if not having:
        raise unknown("metric", metric, {m for _, m in pairs}, f"the summary of `{result.name}`")
    for name in names:
        if not any(o.startswith(name[:-1]) if name.endswith("*") else o == name for o in having):
            raise unknown(f"`{metric}` of an object", name, having, f"the summary of `{result.name}`")


def summary_object(result: Summarised, metric: str) -> str:
    """The default object for plots of a summary."""
    having = objects_of(result.summary, metric)
    if not having:
        required(result, metric, [])
    return default_object(result, metric, having)
