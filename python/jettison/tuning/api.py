"""`jettison.tune`."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import SweepError
from ..sweeps import core, executors
from ..sweeps.axes import Range, Value
from ..sweeps.engine import Engine
from ..sweeps.plan import Plan
from ..sweeps.progress import Reporter, Show
from ..sweeps.store import Store
from ..sweeps.work import Job, Work, pack
from .objective import Floor, Objective
from .score import score
from .search import Asked, Search
from .space import Space
from .study import TuneResult


def tune(
    scenario: Any,
    parameters: Mapping[str, Range | Iterable[Value]],
    objective: Objective | str,
    *,
    floors: Floor | Sequence[Floor] = (),
    trials: int = 50,
    together: int = 1,
    seeds: int | Iterable[int] | None = None,
    executor: Any = None,
    storage: str | os.PathLike[str] | None = None,
    seed: int = 0,
    progress: Show = None,
) -> TuneResult:
    """Searches for the parameters that are best for an objective.

    Optuna's tree-structured Parzen estimator proposes, and every trial is run under the same seeds. Trials
    are asked for `together` at a time and told in their order, so the search is the same on any number of
    workers and on any executor, and one that was interrupted goes on as if it had not been.

    Args:
        scenario: A `Scenario`, or what `jettison.load` takes. Without an `Objective.variant`, the mean over
            its variants counts.
        parameters: What is searched: a path, as with `--set`, and a `Range` or a list of values.
        objective: What is to be small (or large), or the name of a metric whose mean is.
        floors: What must be kept: a trial that misses a floor is worse than any that does not.
        trials: How many trials there are in all, those included that `storage` has already.
        together: How many trials are asked for at a time: more keep a cluster busy, and each knows less of
            the others. With 1, a trial's seeds are what is run in parallel.
        seeds: The seeds of each trial, or how many there are; by default the scenario's own.
        executor: As for `jettison.sweep`.
        storage: The folder that keeps trials and runs. Default `out/tune/<name>`.
        seed: Seed of the search itself.
        progress: As for `jettison.sweep`.

    Raises:
        ScenarioError: If the scenario is wrong with the first trial's values. Nothing has been run then.
        SweepError: If it cannot be done: Optuna is missing, `storage` holds another search, workers cannot be
        had.
        KeyboardInterrupt: On Ctrl-C. What was finished is kept.
    """
    if trials < 1 or together < 1:
        raise SweepError(f"trials={trials}, together={together}: both are numbers from 1")
    space = Space(parameters)
    if not space.axes:
        raise SweepError(
            'nothing is searched: give `parameters`, such as {"queues.bottleneck.target": Range("1 ms", "20 ms")}'
        )
    goal = Objective(objective) if isinstance(objective, str) else objective
    kept = [floors] if isinstance(floors, Floor) else list(floors)
    optuna = _optuna()
    chosen = executors.choose(executor)
    base = core.as_scenario(scenario)
    # Files are read once: whatever becomes of them meanwhile, all trials are of the same.
    base = core.carrying(base, core.contents_of(base, space.choices()))
    chosen.probe()
    packed, digest = pack(base, core.disciplines(base))
    store = Store.create(storage if storage is not None else Path("out", "tune", base.name))
    fixed = core.read_seeds(base, seeds)
    search = Search(optuna, base, space, goal, kept, fixed, seed, together, store)
    reporter = Reporter(base.name, search.left(trials) * len(fixed), progress)
    try:
        if due := search.next(trials):
            session = chosen.start(Job(packed, digest, core.version(), str(store.folder), store.token))
            try:
                engine = Engine(session, store, 1, lambda _work, outcome: reporter.add(outcome.status))
                while due:
                    _run(due, engine, store, reporter)
                    for number, plan in due:
                        search.tell(number, score(plan, store, goal, kept))
                    due = search.next(trials)
            finally:
                session.close()
    finally:
        reporter.close()
    return TuneResult(search.trials(), goal, kept, search.study, str(store.folder))


def _run(asked: Sequence[Asked], engine: Engine, store: Store, reporter: Reporter) -> None:
    """Does those runs of some trials that are missing."""
    for _, plan in asked:
        runs: list[Work] = plan.work() if isinstance(plan, Plan) else []
        found = store.finished(work.key for work in runs)
        reporter.add("found", len(found))
        engine.add(work for work in runs if work.key not in found)
    engine.run()


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise SweepError("Optuna is not installed here: `pip install 'jettison[tune]'`") from None
    return optuna
