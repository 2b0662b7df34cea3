"""Results of a sweep."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from .. import _html
from .._arrow import pa, pc
from ..errors import SweepError
from ..result import Result, known_metrics, summary_value
from ..table import About, Table
from . import core, quantity
from .axes import Value, label
from .plan import Plan
from .samples import Values
from .store import Store
from .work import Keep

if TYPE_CHECKING:
    import pandas
    import polars

Status = Literal["complete", "failed", "interrupted"]


@dataclass(frozen=True)
class FailedRun:
    """A failed run.

    Attributes:
        point: Index of the point.
        values: Values of the axes.
        seed: The seed.
        key: The key; `failed/<key>.json` in the sweep's folder also has the traceback.
        kind: Type of the exception, or `LostWorker`.
        error: The exception's message.
    """

    point: int
    values: Values
    seed: int
    key: str
    kind: str
    error: str


class SweepResult:
    """The runs of a sweep and their measurements.

    Each combination of a point and a variant of the scenario is a *variant* of the sweep, named `axis=value,…`, so the
    functions of `jettison.plot` accept a sweep like a result. Data is read from the folder on demand.

    Attributes:
        status: `complete`, `failed` or `interrupted`.
    """

    def __init__(self, plan: Plan, store: Store, status: Status, keep: Keep = "summary") -> None:
        self._plan = plan
        self._store = store
        self._keep: Keep = keep
        self.status: Status = status

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> SweepResult:
        """Opens the last sweep in a folder."""
        store = Store.open(folder)
        index, about = store.read_index()
        seeds: list[int] = about["seeds"]
        keys: list[str] = index["key"].to_pylist()
        by_point = [keys[n : n + len(seeds)] for n in range(0, len(keys), len(seeds))]
        plan = Plan(about["name"], about["version"], about["axes"], about["points"], seeds, about["labels"], by_point)
        return cls(plan, store, about["status"], about["keep"])

    def __repr__(self) -> str:
        there = self.index["status"].to_pylist().count("done")
        return (
            f"SweepResult({self.name!r}: {len(self.points)} points x {len(self.seeds)} seeds, "
            f"{there} of {len(self.index)} runs, {self.status}; {self.folder})"
        )

    @property
    def folder(self) -> str:
        """The folder with the partitions."""
        return str(self._store.folder)

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._plan.name

    @property
    def axes(self) -> dict[str, str]:
        """The path of each axis by its name."""
        return dict(self._plan.axes)

    @property
    def points(self) -> list[Values]:
        """The value of each axis at each point, by the axis's name."""
        return list(self._plan.points)

    @property
    def seeds(self) -> list[int]:
        """The seeds, the same at every point."""
        return list(self._plan.seeds)

    @property
    def mode(self) -> str:
        """Execution mode: always `sim`."""
        return "sim"

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """The labels of each variant by axis: the sweep's axes, then the scenario's."""
        return self._labels

    @cached_property
    def _labels(self) -> dict[str, dict[str, str]]:
        return {
            self._plan.variant(number, own): {
                **{axis: label(value) for axis, value in point.items()},
                **labels,
            }
            for number, point in enumerate(self._plan.points)
            for own, labels in self._plan.labels.items()
        }

    @property
    def variants(self) -> list[str]:
        """All variants, in the order of the points."""
        return list(self.labels)

    @cached_property
    def index(self) -> Any:
        """One row per point and seed.

        `point`, the axes, `seed`, `key`, `status` (`done`, `failed` or `missing`), `kind`, `error`.
        """
        return make_index(self._plan, self._store, self._keep)

    @property
    def has_runs(self) -> bool:
        """Whether any run is completed."""
        return any(status == "done" for status in self.index["status"].to_pylist())

    @cached_property
    def failed(self) -> list[FailedRun]:
        """The failed runs."""
        rows: list[dict[str, Any]] = self.index.filter(pc.equal(self.index["status"], "failed")).to_pylist()
        points = self._plan.points
        return [
            FailedRun(at["point"], points[int(at["point"])], at["seed"], at["key"], at["kind"], at["error"])
            for at in rows
        ]

    @property
    def runs(self) -> Table:
        """The summary values of each run, with the columns of `runs.parquet`."""
        return self._runs

    @cached_property
    def _runs(self) -> Table:
        rows = self.index.select(["key", "status"]).to_pylist()
        done = {row["key"] for row in rows if row["status"] == "done"}
        tables: list[Any] = []
        for number, keys in enumerate(self._plan.keys):
            for key in keys:
                if key in done:
                    tables.append(self._renamed(self._store.read(key), number))
        if not tables:
            raise SweepError(f"{self.folder}: this sweep has no completed runs")
        # Combine the chunks: lookups in thousands of chunks are slow.
        made = pa.concat_tables(tables).unify_dictionaries().combine_chunks()
        return Table.of("runs", made, self._about(_units(made)))

    def _about(self, units: Mapping[str, str]) -> About:
        """What the tables' views and errors need to know."""
        names = {"variant": self.labels, "seed": self.seeds, "metric": dict.fromkeys([*units, *known_metrics()])}
        return About(names, units, self.labels)

    def _renamed(self, table: Any, point: int) -> Any:
        """The table with the sweep's names of variants."""
        chunks: list[Any] = []
        for chunk in table["variant"].chunks:
            names = [self._plan.variant(point, own) for own in chunk.dictionary.to_pylist()]
            chunks.append(pa.DictionaryArray.from_arrays(chunk.indices, pa.array(names, pa.string())))
        return table.set_column(table.schema.get_field_index("variant"), "variant", pa.chunked_array(chunks))

    @property
    def summary(self) -> Table:
        """Means over seeds with 95 % confidence intervals, with the columns of `summary.parquet`."""
        return self._summary

    @cached_property
    def _summary(self) -> Table:
        return Table.of("summary", core.summarise(self.runs.arrow), self.runs.about)

    @property
    def units(self) -> dict[str, str]:
        """Unit of each metric."""
        return self._units

    @cached_property
    def _units(self) -> dict[str, str]:
        return _units(self.summary.arrow)

    @cached_property
    def table(self) -> Any:
        """The summary with the axes as columns: `point`, the axes, then the columns of `summary.parquet`.

        An axis with only numeric values is a numeric column; others are text, with quantities as written.
        """
        summary = self.summary.arrow
        names = summary["variant"].cast(pa.string()).to_pylist()
        of = {self._plan.variant(n, own): n for n in range(len(self._plan.points)) for own in self._plan.labels}
        places = pa.array([of[name] for name in names], pa.int64())
        columns: dict[str, Any] = {"point": places}
        for axis in self._plan.axes:
            columns[axis] = self.column(axis).take(places)
        own: Mapping[str, str] = next(iter(self._plan.labels.values()), dict[str, str]())
        for axis in own:
            columns[axis] = pa.array([self.labels[name][axis] for name in names], pa.string())
        for column in summary.schema.names:
            columns[column] = summary[column]
        return pa.table(columns)

    def column(self, axis: str) -> Any:
        """The values of an axis, one per point: numbers, booleans or text."""
        return _column([point[self._axis(axis)] for point in self._plan.points])

    def numbers(self, axis: str) -> tuple[list[float], str]:
        """The values of an axis as numbers in one unit, one per point, and the unit.

        The unit is that of the first point.
        """
        values = [point[self._axis(axis)] for point in self._plan.points]
        first = quantity.read(values[0])
        numbers: list[float] = []
        for value in values:
            read = quantity.read(value)
            if read is None or first is None or (read[1] is None) != (first[1] is None):
                raise SweepError(
                    f"axis `{axis}`: values must be numbers of one dimension, got {label(values[0])} and {label(value)}"
                )
            numbers.append(read[0] if read[1] is None or first[1] is None else read[1].convert(read[0], first[1]))
        return numbers, first[1].name if first and first[1] else ""

    def _axis(self, axis: str) -> str:
        if axis in self._plan.axes:
            return axis
        for name, path in self._plan.axes.items():
            if path == axis:
                return name
        raise SweepError(f"unknown axis `{axis}`; known are {', '.join(self._plan.axes)}")

    def mean(self, metric: str, object: str | None = None, variant: str | None = None, part: str = "") -> float:  # noqa: A002
        """The mean over seeds of a summary value, as by `Result.mean`."""
        return self.value(metric, object, variant, part)

    def value(
        self,
        metric: str,
        object: str | None = None,  # noqa: A002
        variant: str | None = None,
        part: str = "",
        *,
        statistic: str = "mean",
    ) -> float:
        """A value of the summary, as by `Result.value`: NaN if the metric has no such statistic.

        Args:
            metric: The metric.
            object: The queue or flow; optional if only one has the metric.
            variant: The variant, as in `variants`; optional if there is only one.
            statistic: `mean`, `p50`, `p95`, `p99`, `ci95_low` or `ci95_high`.
            part: The part of the metric, such as a reason for drops.

        Raises:
            KeyError: No value matches, or several do.
        """
        return summary_value(self.summary, metric, object, variant, part, statistic)

    def result(self, point: int, seed: int) -> Result:
        """The full results of a run, if the sweep kept them (`keep="all"`)."""
        if not 0 <= point < len(self._plan.points):
            raise SweepError(f"`point` must be 0 to {len(self._plan.points) - 1}, got {point}")
        if seed not in self._plan.seeds:
            raise SweepError(f"`seed` must be one of {', '.join(str(each) for each in self._plan.seeds)}, got {seed}")
        key = self._plan.keys[point][self._plan.seeds.index(seed)]
        folder = self._store.full(key)
        if not folder.is_dir():
            raise SweepError(f'point {point} with seed {seed} has no full results; sweep with keep="all"')
        return core.open_result(folder)

    def _repr_html_(self) -> str:
        statuses: list[str] = self.index["status"].to_pylist()
        counts = {status: statuses.count(status) for status in ("done", "failed", "missing")}
        shown = {
            "axes": ", ".join(f"{name} ({path})" for name, path in self.axes.items()),
            "points": f"{len(self.points)}, each with {len(self.seeds)} seeds",
            "runs": ", ".join(f"{count} {status}" for status, count in counts.items() if count) + f"; {self.status}",
            "stored in": self.folder,
        }
        columns = ["point", *self.axes]
        rows = [[number, *map(label, point.values())] for number, point in enumerate(self.points[: _html.ROWS])]
        return _html.fields(self.name, shown) + _html.table(columns, rows, len(self.points), caption="points")

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> pandas.DataFrame:
        """`table` as a pandas data frame."""
        return self.table.to_pandas()

    def to_polars(self) -> polars.DataFrame:
        """`table` as a polars data frame."""
        import polars

        return polars.DataFrame(self.table)


def _units(table: Any) -> dict[str, str]:
    """Unit of each metric of a table of summary values."""
    pairs = table.select(["metric", "unit"]).group_by(["metric", "unit"], use_threads=False).aggregate([]).to_pylist()
    return {pair["metric"]: pair["unit"] for pair in pairs}


def make_index(plan: Plan, store: Store, keep: Keep) -> Any:
    """One row per point and seed, from the current contents of the folder."""
    rows = [(point, n) for point in range(len(plan.points)) for n in range(len(plan.seeds))]
    keys = [plan.keys[point][n] for point, n in rows]
    done = store.finished(set(keys), keep == "all")
    failures: dict[str, Mapping[str, Any]] = {}
    for key in dict.fromkeys(keys):
        if key not in done and (failure := store.read_failure(key)):
            failures[key] = failure
    places = pa.array([point for point, _ in rows], pa.int64())
    columns: dict[str, Any] = {"point": places}
    for axis in plan.axes:
        columns[axis] = _column([point[axis] for point in plan.points]).take(places)
    columns["seed"] = pa.array([plan.seeds[n] for _, n in rows], pa.uint64())
    columns["key"] = pa.array(keys, pa.string())
    columns["status"] = pa.array(
        ["done" if k in done else "failed" if k in failures else "missing" for k in keys], pa.string()
    )
    for column in ("kind", "error"):
        columns[column] = pa.array([failures.get(key, {}).get(column) for key in keys], pa.string())
    return pa.table(columns)


def _column(values: Sequence[Value]) -> Any:
    if all(isinstance(value, bool) for value in values):
        return pa.array(values, pa.bool_())
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return pa.array(values, pa.int64())
    if all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return pa.array([float(value) for value in values if isinstance(value, (int, float))], pa.float64())
    return pa.array([label(value) for value in values], pa.string())
