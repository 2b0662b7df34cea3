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
    """Runs a scenario at many points of its parameters' space.

    Every point is run under the same seeds (common random numbers): a difference between two points is never
    that of their draws. Each point and seed is a run with a key made of what is run, and its result is a
    Parquet partition under that key in `out`; so a sweep that was interrupted goes on where it was when it is
    asked for again, and no finished run is ever run again, not even by another sweep into the same folder. A
    run that fails is recorded and does not stop the rest.

    Args:
        scenario: A `Scenario`, or what `jettison.load` takes. Its own `[[vary]]` axes are run at each point.
        axes: What varies: a path, as with `--set`, and its values or a `Range`.
        seeds: The seeds, or how many there are (1, 2, …); by default the scenario's own.
        sample: Which points: `"grid"` takes all combinations, `LatinHypercube(n, seed)` takes `n` of them,
            and a list of `{path: value}` takes those.
        executor: Where: by default processes of this machine, one a core; `LocalExecutor(workers)`; a
            `distributed.Client`, a Dask cluster or a scheduler's address.
        out: The folder. Default `out/sweeps/<name>`. Workers of other machines write there themselves where
            they see it.
        batch: How many runs a worker is given at once; `"auto"` measures how long they take.
        keep: `"summary"` keeps the summary values of each run, `"all"` its whole results beside them.
        progress: Whether a bar is shown; by default if standard error is a terminal. Or a function that is
            told a `Progress`.

    Returns:
        What it came to; `status` is `failed` if a run failed.

    Raises:
        ScenarioError: If the scenario is wrong at any point. Nothing has been run then.
        SweepError: If a sweep of that kind cannot be done: nothing varies, workers or a scheduler cannot be
        had, a Python
            discipline cannot be sent to them. Nothing has been run then.
        KeyboardInterrupt: On Ctrl-C. What was finished is kept.
    """
    if batch != "auto" and (isinstance(batch, bool) or not isinstance(batch, int) or batch < 1):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise SweepError(f'batch={batch!r}: give a number from 1, or "auto"')
    if keep not in ("summary", "all"):
        raise SweepError(f'keep={keep!r}: give "summary" or "all"')
    chosen = executors.choose(executor)
    base = core.as_scenario(scenario)
    chosen.probe()
    plan = make_plan(base, axes, sample, seeds)
    packed, digest = pack(core.carrying(base, plan.contents), core.disciplines(base))
    store = Store.create(out if out is not None else Path("out", "sweeps", plan.name))
    job = Job(packed, digest, plan.version, str(store.folder), store.token, keep)
    status = _do(plan, store, job, chosen, batch, progress)
    return SweepResult(plan, store, status, keep)


def make_plan(
    base: Any,
    axes: Mapping[str, Range | Iterable[Value]] | None,
    sample: Sample,
    seeds: int | Iterable[int] | None,
) -> Plan:
    """Chooses the points and checks them all."""
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
    """Does what is missing, and writes which run is which, also if it is interrupted."""
    work = plan.work()
    found = store.finished((each.key for each in work), job.keep == "all")
    missing = [each for each in work if each.key not in found]
    # Where there are no workers nothing is touched.
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
        # First of all: what a bar shows, or whoever is told, may fail too.
        index = make_index(plan, store, job.keep)
        if status == "complete":
            # What stands in the folder decides, not what was counted.
            there = set(index["status"].to_pylist())
            status = "failed" if "failed" in there else "interrupted" if "missing" in there else "complete"
        store.write_index(index, {**plan.describe(), "keep": job.keep, "status": status})
        reporter.close()
    return status
