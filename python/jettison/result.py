"""Results of experiments.

The book's chapter on results lists the columns of each table; text is dictionary-encoded.
"""

from __future__ import annotations

import itertools
import json
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jettison import _html, _jettison
from jettison._arrow import pa, pq
from jettison._html import Records
from jettison._layouts import LATER, TEXT
from jettison.catalogue import catalogue
from jettison.errors import RunError, unknown_name
from jettison.table import About, Table

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from jettison.explaining import Explanations
    from jettison.whatif import WhatIf

_TABLES = (
    "queues",
    "flows",
    "drops",
    "distributions",
    "frames",
    "events",
    "accounts",
    "runs",
    "summary",
    "differences",
)


class Result:
    """The results of an experiment, from :func:`run` or from a folder."""

    def __init__(
        self, manifest: Mapping[str, Any], table: Callable[[str], Table], more: Mapping[str, Any], folder: Path | None
    ) -> None:
        self.manifest: dict[str, Any] = dict(manifest)
        """The experiment, its configuration and inputs, as in ``manifest.json``."""
        self.timing: dict[str, Any] = dict(more["timing"])
        """Durations in seconds, as in ``timing.json``."""
        self.reproduction: Records = Records(more["reproduction"])
        """Comparison with a paper's figures, if any, as in ``reproduction.json``."""
        self.warnings: Records = Records(more["warnings"])
        """Reasons why figures may mislead, as in ``warnings.json``: kind, reason, remedy, concerns."""
        self.folder: Path | None = folder
        """The folder, if the results are stored."""
        self._table = table
        self._tables: dict[str, Table] = {}

    @classmethod
    def of_tables(cls, tables: _jettison.Tables) -> Result:
        """Results in memory."""

        def table(name: str) -> Table:
            with pa.RecordBatchReader.from_stream(tables.table(name)) as reader:
                return Table.of(name, reader.read_all())

        more = {
            "timing": json.loads(tables.timing()),
            "reproduction": json.loads(tables.reproduction()),
            "warnings": json.loads(tables.warnings()),
        }
        return cls(json.loads(tables.manifest()), table, more, None)

    @classmethod
    def _of_parts(cls, manifest: Mapping[str, Any], more: Mapping[str, Any], tables: Mapping[str, Table]) -> Result:
        return cls(manifest, tables.__getitem__, more, None)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles stored results by reference to their folder, and results in memory by value."""
        if self.folder is not None:
            return open_folder, (self.folder.absolute(),)
        more = {"timing": self.timing, "reproduction": list(self.reproduction), "warnings": list(self.warnings)}
        return Result._of_parts, (self.manifest, more, {name: self.table(name) for name in _TABLES})

    def table(self, name: str) -> Table:
        """A table by name.

        The tables are ``queues``, ``flows``, ``drops``, ``distributions``, ``frames``, ``events``, ``accounts``, ``runs``,
        ``summary`` and ``differences``.

        Raises:
            UnknownNameError: The table does not exist.
        """
        if name not in self._tables:
            if name not in _TABLES:
                raise unknown_name("table", name, _TABLES)
            self._tables[name] = self._table(name).described(self._about)
        return self._tables[name]

    @cached_property
    def _about(self) -> About:
        """What the tables' views and errors need to know."""
        variants, objects = self.variants, [*self.objects, ALL_FLOWS]
        names = {
            **dict.fromkeys(("variant", "baseline"), variants),
            **dict.fromkeys(("object", "queue", "flow"), objects),
            "seed": self.seeds,
            "metric": dict.fromkeys([*self.units, *self.gauges, *known_metrics()]),
            "reason": [name for _, name, *_ in _jettison.reasons()],
        }
        return About(names, self.units, self.labels)

    @property
    def answer(self) -> str:
        """What the results say, in plain words: who is better for the viewer or user, by how much, and what it costs."""
        return str(self.manifest.get("answer", ""))

    @property
    def groups(self) -> dict[str, list[str]]:
        """The groups of several flows, such as ``prague.*``, with the names of their flows."""
        return dict(self.manifest.get("groups", {}))

    @property
    def queues(self) -> Table:
        """Series of queues, one row per sample: variant, seed, time_ns, object, metric, part, value, mode."""
        return self.table("queues")

    @property
    def flows(self) -> Table:
        """Series of flows, one row per sample: variant, seed, time_ns, object, metric, part, value, mode."""
        return self.table("flows")

    @property
    def drops(self) -> Table:
        """One row per drop, eviction or mark.

        variant, seed, time_ns, queue, flow, reason, length (bytes), id, outcome, packet, instance, unit, number, part, offset,
        retransmission, previous, waited_ns, backlog_packets, backlog_bytes, holders, gauges, mode. Results of earlier versions
        have no column from id to gauges, and no marks.
        """
        return self.table("drops")

    @property
    def distributions(self) -> Table:
        """Cumulative distributions: variant, seed, object, metric, value_ms, share (0 to 1), mode."""
        return self.table("distributions")

    @property
    def frames(self) -> Table:
        """One row per video frame: variant, seed, flow, frame, captured_ns, layers, latency_ms, sqi_ssim (dB), ssim, mode."""
        return self.table("frames")

    @property
    def events(self) -> Table:
        """One row per viewer's event (stall, freeze, late frame, ...), of runs that keep them.

        Columns: variant, seed, flow, id, kind, since_ns, at_ns, duration_ns, cost (seconds of viewing), unit, number, part, mode. The
        unit is what the viewer waited for, such as a segment with its number and representation (part).
        """
        return self.table("events")

    @property
    def accounts(self) -> Table:
        """One row per part of a unit's delay: what it waited for, where and how long, of runs with ``record.accounts``.

        Columns: variant, seed, flow, unit, number, part, start_ns, end_ns, status, reason, component, place, ns, drop, mode.
        The rows of a unit are in the order of time, and their ``ns`` add up to ``end_ns - start_ns``. ``drop`` is the ``id`` in
        ``drops`` of the drop or mark that caused the part.
        """
        return self.table("accounts")

    def explain(
        self,
        worst: int = 5,
        *,
        viewer: str | None = None,
        event: int | None = None,
        variant: str | None = None,
        seed: int | None = None,
    ) -> Explanations:
        """Explains the most expensive events of viewers: what their units waited for, and the drops and waits behind that.

        The results must be stored and have accounts (``[record] accounts = true``). Chains follow from the tables; ``jettison
        explain`` also holds them to counterfactual runs.

        Args:
            worst: The largest number of events.
            viewer: Only events of this flow.
            event: Only the event with this number (column ``id`` of ``events``).
            variant: Only runs of this variant.
            seed: Only runs with this seed.

        Raises:
            RunError: The results are in memory, have no accounts, or nothing has the given name.
        """
        from jettison.explaining import explain_folder

        if self.folder is None:
            raise RunError("results in memory cannot be explained; store them with `run(..., out=FOLDER)`")
        return explain_folder(self.folder, worst, viewer, event, variant, seed)

    @property
    def runs(self) -> Table:
        """Summary values per run: variant, seed, object, metric, part, unit, mean, p50, p95, p99, mode."""
        return self.table("runs")

    @property
    def summary(self) -> Table:
        """Means over seeds: variant, object, metric, part, unit, mean, p50, p95, p99, ci95_low, ci95_high, n, mode."""
        return self.table("summary")

    @property
    def differences(self) -> Table:
        """Differences from the baseline (see the scenario's `baseline`), paired by seed.

        Columns: variant, baseline, object, metric, part, unit, mean, percent, ci95_low, ci95_high, n, mode. A difference
        whose interval does not contain 0 is beyond chance.
        """
        return self.table("differences")

    @property
    def baselines(self) -> dict[str, str]:
        """The variant that each variant is compared with; baselines themselves are left out."""
        return {v["name"]: v["baseline"] for v in self.manifest["variants"] if v.get("baseline") is not None}

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.manifest["name"]

    @property
    def status(self) -> str:
        """``complete``, ``interrupted`` (runs are missing) or ``failed``."""
        return self.manifest["status"]

    @property
    def mode(self) -> str:
        """``sim`` or ``live``."""
        return self.manifest.get("mode", "sim")

    @property
    def variants(self) -> list[str]:
        """Names of the variants, in the order of tables and plots."""
        return [variant["name"] for variant in self.manifest["variants"]]

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """Labels of each variant by axis."""
        return {variant["name"]: dict(variant["labels"]) for variant in self.manifest["variants"]}

    @property
    def seeds(self) -> list[int]:
        """Seeds of each variant."""
        return list(self.manifest["seeds"])

    @property
    def units(self) -> dict[str, str]:
        """Unit of each metric."""
        return dict(self.manifest["units"])

    def describe(self, metric: str) -> str:
        """Description of a metric or gauge.

        Raises:
            UnknownNameError: Neither a metric nor a gauge has this name.
        """
        known = {name: description for name, _, _, _, description in _jettison.metrics()} | self.gauges
        if metric not in known:
            raise unknown_name("metric", metric, known)
        return known[metric]

    @property
    def gauges(self) -> dict[str, str]:
        """Descriptions of the sampled gauges (internal state of components) by name; see the scenario's `gauges`."""
        return dict(self.manifest.get("gauges", {}))

    @property
    def objects(self) -> dict[str, str]:
        """Queues and flows, with the table that holds each one's series."""
        return dict(self.manifest["objects"])

    def mean(self, metric: str, object: str | None = None, variant: str | None = None, part: str = "") -> float:  # noqa: A002
        """The mean over seeds of a summary value, in the metric's unit.

        Args:
            metric: The metric, such as ``"goodput"``.
            object: The queue or flow; optional if only one has the metric.
            variant: The variant; optional if there is only one.
            part: The part of the metric, such as a reason for drops.

        Raises:
            UnknownNameError: No run can have the metric, object or variant.
            KeyError: No value matches, or several do.
        """
        return self.value(metric, object, variant, part, statistic="mean")

    def value(
        self,
        metric: str,
        object: str | None = None,  # noqa: A002
        variant: str | None = None,
        part: str = "",
        *,
        statistic: str = "mean",
    ) -> float:
        """A statistic over seeds of a summary value: ``mean``, ``p50``, ``p95``, ``p99``, ``ci95_low`` or ``ci95_high``.

        See :meth:`mean` for the other parameters. The result is NaN if the metric has no such statistic.
        """
        return summary_value(self.summary, metric, object, variant, part, statistic)

    def whatif(
        self,
        *,
        flip: int | None = None,
        rule: str | None = None,
        start: str | float | None = None,
        end: str | float | None = None,
        queue_name: str | None = None,
        queue: str | None = None,
        at: str | float | None = None,
        variant: str | None = None,
        seed: int | None = None,
        until: str | float | None = None,
        horizon: str | float | None = None,
        draws: int = 0,
        data: str | Path | None = None,
        out: str | Path | None = None,
        force: bool = False,
    ) -> WhatIf:
        """Continues a stored run with one thing changed, beside itself, and compares what viewers have of both.

        One of ``flip``, ``rule`` and ``queue`` says what is changed. Times are texts with a unit (``"10 s"``) or seconds.

        Args:
            flip: The drop or mark to revert: an ``id`` of the table ``drops``.
            rule: The rule whose drops and marks are reverted from ``start`` up to ``end`` (by default to the end): a reason, or
                the id of a discipline.
            start: See ``rule``.
            end: See ``rule``.
            queue_name: The only queue at which ``rule`` is reverted, such as ``"bottleneck.forward"``.
            queue: The exchange of a queue's discipline, such as ``"links.bottleneck.queue=fq-codel"``, at the instant ``at``.
            at: See ``queue``.
            variant: The variant of the run; optional if there is only one.
            seed: The seed of the run; optional if there is only one.
            until: The end of both; by default that of the run.
            horizon: How long both go on after the change, instead of ``until``.
            draws: Number of repetitions with fresh random numbers after the change, for means with intervals.
            data: A folder for input files that are not beside the scenario.
            out: A folder for both as results, with the variants ``original`` and ``changed``.
            force: Whether to replace a folder that holds something else.

        Raises:
            RunError: The question does not fit the run, or the run cannot be made again.
        """
        options: dict[str, Any] = {name: value for name, value in locals().items() if name != "self"}
        from jettison.whatif import ask  # it needs this module

        if self.folder is None:
            raise RunError("`whatif` needs a stored result; run the scenario with `out`")
        return ask(self.folder, options)

    def to_pandas(self, table: str, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """A table as a pandas data frame."""
        return self.table(table).to_pandas(columns)

    def to_polars(self, table: str, columns: Iterable[str] | None = None) -> pl.DataFrame:
        """A table as a polars data frame."""
        return self.table(table).to_polars(columns)

    def __repr__(self) -> str:
        runs = len(self.manifest["runs"])
        place = "in memory" if self.folder is None else f"in {self.folder}"
        count = len(self.warnings)
        warned = f", {count} warning{'s' if count > 1 else ''}" if count else ""
        return f"<Result of {self.name}: {len(self.variants)} variants, {runs} runs, {self.status}, {place}{warned}>"

    def _repr_html_(self) -> str:
        shown = {
            "variants": f"{len(self.variants)}: {', '.join(self.variants)}",
            "seeds": ", ".join(map(str, self.seeds)),
            "runs": f"{len(self.manifest['runs'])}, {self.status}",
            "stored in": self.folder or "memory",
            "tables": ", ".join(name for name in _TABLES),
        }
        warned = f"{_html.paragraph('Warnings')}{self.warnings.html()}" if self.warnings else ""
        return _html.fields(self.name, shown) + warned


ALL_FLOWS = "all flows"
"""The object of summary values of all flows together."""


@cache
def known_metrics() -> Sequence[str]:
    """Names of all metrics, and of all gauges of the components."""
    gauges = [gauge.name for component in catalogue() for gauge in component.gauges]
    return [name for name, *_ in _jettison.metrics()] + gauges


def summary_value(summary: Table, metric: str, of: str | None, variant: str | None, part: str, statistic: str) -> float:
    """The single matching value of a summary, also of a sweep's. Raises `KeyError` if none or several match."""
    named = {"metric": metric, "part": part, "object": of, "variant": variant}
    rows = summary.filter(**{column: value for column, value in named.items() if value is not None}).to_pylist()
    what = f"`{metric}`" + (f" ({part})" if part else "")
    what += f" of `{of}`" if of else ""
    what += f" under `{variant}`" if variant else ""
    if not rows:
        raise KeyError(f"no {what} in the summary")
    if len(rows) > 1:
        which = ", ".join(f"`{row['object']}` under `{row['variant']}`" for row in rows[:6])
        raise KeyError(f"{what} must match one value, got {len(rows)}: {which}{', …' if len(rows) > 6 else ''}")
    if statistic not in rows[0] or not isinstance(rows[0][statistic], (float, type(None))):
        raise KeyError(f"`statistic` must be mean, p50, p95, p99, ci95_low or ci95_high, got `{statistic}`")
    found = rows[0][statistic]
    return float("nan") if found is None else found


def open(folder: str | Path, *, check: bool = True) -> Result:  # noqa: A001
    """Opens the results that ``jettison run``, ``live`` or ``reproduce`` wrote to a folder, or :func:`run` with ``out``.

    Every file is compared with its hash in the manifest. Tables are then read on demand, column by column.

    Args:
        folder: The folder.
        check: ``False`` opens the results without that comparison: to save what is left of damaged ones.

    Raises:
        RunError: The folder holds no results, or they are damaged or cannot be read.
    """
    return open_folder(Path(folder), check)


def open_folder(folder: Path, check: bool = True) -> Result:
    """The same for other modules, in which ``open`` is Python's."""
    manifest = _json(folder / "manifest.json", {})
    if manifest == {} and (folder / "store.json").is_file():
        raise RunError(f"{folder} is the folder of a sweep; open it with jettison.SweepResult.open")
    if not hasattr(manifest, "get") or manifest.get("program") != "jettison":
        raise RunError(
            f"{folder} holds no Jettison results (no manifest.json of ours); name a folder written by `jettison run`"
        )
    if manifest.get("format") not in (1, 2):
        raise RunError(
            f"cannot read {folder / 'manifest.json'}: layout version must be 1 or 2, got {manifest.get('format')}"
        )
    if check:
        for remark in _jettison.check_results(folder):
            warnings.warn(remark, stacklevel=3)

    def table(name: str) -> Table:
        path = folder / f"{name}.parquet"
        if name in LATER and not path.exists():
            return Table.of(name, LATER[name].empty_table())
        if not path.exists():
            raise RunError(f"{path} is missing; run the experiment again")
        try:
            stored = pq.read_schema(path)
            rows: int = pq.read_metadata(path).num_rows
        except (OSError, pa.ArrowException) as error:
            raise RunError(f"cannot read {path}: {error}; run the experiment again") from error
        text: list[str] = [field.name for field in stored if pa.types.is_string(field.type)]
        schema = pa.schema([(field.name, TEXT if field.name in text else field.type) for field in stored])

        def read(columns: Sequence[str]) -> Any:
            try:
                return pq.read_table(path, columns=list(columns), read_dictionary=text, memory_map=True)
            except (OSError, pa.ArrowException) as error:
                raise RunError(f"cannot read {path}: {error}; run the experiment again") from error

        def first(count: int) -> Any:
            try:
                with pq.ParquetFile(path, read_dictionary=text, memory_map=True) as file:
                    return pa.Table.from_batches(itertools.islice(file.iter_batches(batch_size=count), 1))
            except (OSError, pa.ArrowException) as error:
                raise RunError(f"cannot read {path}: {error}; run the experiment again") from error

        return Table(name, schema, rows, read, first=first)

    more = {
        "timing": _json(folder / "timing.json", {}),
        "reproduction": _json(folder / "reproduction.json", []),
        "warnings": _json(folder / "warnings.json", []),
    }
    return Result(manifest, table, more, folder)


def _json(path: Path, default: Any) -> Any:
    """Contents of a JSON file; `default` if it does not exist."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return default
    except (OSError, ValueError) as error:
        raise RunError(f"cannot read {path}: {error}; run the experiment again") from error
