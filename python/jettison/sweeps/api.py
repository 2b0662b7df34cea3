"""`jettison.sweep`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from ..errors import SweepError
from . import core, executors
from .axes import Range, Value
from .engine import Engine
from .plan import Plan, lay_out
from .progress import Reporter, Show
from .result import Status, SweepResult, make_index
from .samples import Sample, choose
from .store import Store
from .work import Job, Keep, Outcome, Work, pack


def sweep(
    scenario: Any,
    axes: Mapping[str, Range | Iterable[Value]] | None = None,
    *,
    seeds: int | Iterable[int] | None = None,
    sample: Sample = "grid",
    executor: Any = None,
    out: str | os.PathLike[str] | None = None,
    batch: int | Literal["auto"] = "auto",
    keep: Keep = "summary",
    progress: Show = None,
) -> SweepResult:
    """Runs a scenario at many points of a parameter space.

    All points run with the same seeds (common random numbers), so differences between points are not due to random
    numbers. Each run, of one point with one seed, has a key derived from its contents; its result is a Parquet partition
    under this key in `out`. A repeated call therefore resumes an interrupted sweep, and no completed run is repeated, not
    even by another sweep with the same folder. A failed run is recorded and does not stop the others.

    Args:
        scenario: A `Scenario`, or an argument of `jettison.load`. Its own `[[vary]]` axes are run at each point.
        axes: The parameters to vary: paths, as with `--set`, with values or a `Range`.
        seeds: The seeds, or their number (1, 2, …); by default the scenario's.
        sample: The points: `"grid"` for all combinations, `LatinHypercube(n, seed)` for `n` of them, or a list of
            `{path: value}`.
        executor: By default local processes, one per core; `LocalExecutor(workers)`; or a `distributed.Client`, a Dask
            cluster or a scheduler's address.
        out: The output folder, by default `out/sweeps/<name>`. Workers on other machines write to it directly if they share
            it.
        batch: Number of runs per batch given to a worker; `"auto"` adapts it to their duration.
        keep: `"summary"` keeps the summary values of each run, `"all"` its full results as well.
        progress: Whether to show a bar; by default if standard error is a terminal. Or a callback that takes a `Progress`.

    Returns:
        The results; `status` is `failed` if a run failed.

    Raises:
        ScenarioError: The scenario is invalid at a point. Nothing has been run then.
        SweepError: The sweep cannot run: no parameter varies, workers or a scheduler are unavailable, or a Python
            discipline cannot be sent to them. Nothing has been run then.
        KeyboardInterrupt: On Ctrl-C. Completed runs are kept.
    """
    if batch != "auto" and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SweepError(f'`batch` must be a number from 1 or "auto", got {batch!r}')
    if keep not in ("summary", "all"):
        raise SweepError(f'`keep` must be "summary" or "all", got {keep!r}')
    chosen = executors.choose(executor)
    base = core.as_scenario(scenario)
    chosen.probe()
    plan = make_plan(base, axes, sample, seeds)
    packed, digest = pack(core.carrying(base, plan.contents), core.disciplines(base))
    store = Store.create(out if out is not None else Path("out", "sweeps", plan.name))
    job = Job(packed, digest, plan.version, str(store.folder), store.token, keep, identity=core.identity())
    status = _do(plan, store, job, chosen, batch, progress)
    return SweepResult(plan, store, status, keep)


def make_plan(
    base: Any,
    axes: Mapping[str, Range | Iterable[Value]] | None,
    sample: Sample,
    seeds: int | Iterable[int] | None,
) -> Plan:
    """Selects and checks all points."""
    spanned, points = choose(axes, sample)
    found = core.describe(base, points)
    fixed = core.read_seeds(base, seeds)
    return lay_out(base.name, core.version(), spanned, points, fixed, found.labels, found.points, found.contents)


def _do(
    plan: Plan,
    store: Store,
    job: Job,
    executor: executors.Executor,
    batch: int | Literal["auto"],
    show: Show,
) -> Status:
    """Executes missing runs and writes the index, even if interrupted."""
    work = plan.work()
    found = store.finished((each.key for each in work), job.keep == "all")
    missing = [each for each in work if each.key not in found]
    # Change nothing if there are no workers.
    session = executor.start(job) if missing else None
    reporter = Reporter(plan.name, len(work), show)
    status: Status = "interrupted"
    try:
        try:
            reporter.add("found", len(found))
            if session is not None:

                def told(_: Work, outcome: Outcome) -> None:
                    reporter.add(outcome.status)

                engine = Engine(session, store, batch, told, job.keep == "all")
                engine.add(missing)
                engine.run()
            status = "complete"
        finally:
            if session is not None:
                session.close()
    finally:
        # Do this first: the progress bar or callback may fail, too.
        index = make_index(plan, store, job.keep)
        if status == "complete":
            # The contents of the folder decide, not the counters.
            there = set(index["status"].to_pylist())
            status = "failed" if "failed" in there else "interrupted" if "missing" in there else "complete"
        store.write_index(index, {**plan.describe(), "keep": job.keep, "status": status})
        reporter.close()
    return status
