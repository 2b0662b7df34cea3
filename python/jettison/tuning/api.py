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
    """Searches for the parameters with the best objective.

    Optuna's tree-structured Parzen estimator proposes trials, and each runs with the same seeds. Trials are proposed
    `together` at a time and reported in order, so the search is equal for any number of workers and any executor, and an
    interrupted search resumes with the same trials.

    Args:
        scenario: A `Scenario`, or an argument of `jettison.load`. Without an `Objective.variant`, the mean over its variants
            counts.
        parameters: The search space: paths, as with `--set`, with a `Range` or a list of values.
        objective: The objective, or the name of a metric whose mean is to be minimised.
        floors: Constraints: a trial that violates one is worse than all that do not.
        trials: Number of all trials, including those already in `storage`.
        together: Number of trials proposed at a time: more keep a cluster busy, but each is based on fewer outcomes. With 1,
            only a trial's seeds run in parallel.
        seeds: The seeds of each trial, or their number; by default the scenario's.
        executor: As for `jettison.sweep`.
        storage: The folder for trials and runs, by default `out/tune/<name>`.
        seed: Seed of the search itself.
        progress: As for `jettison.sweep`.

    Raises:
        ScenarioError: The scenario is invalid with the first trial's values. Nothing has been run then.
        SweepError: The search cannot run: Optuna is missing, `storage` holds another search, or workers are unavailable.
        KeyboardInterrupt: On Ctrl-C. Completed runs are kept.
    """
    if trials < 1 or together < 1:
        raise SweepError(f"`trials` and `together` must be at least 1, got {trials} and {together}")
    space = Space(parameters)
    if not space.axes:
        raise SweepError(
            'a search requires at least one parameter, such as {"queues.bottleneck.target": Range("1 ms", "20 ms")}'
        )
    goal = Objective(objective) if isinstance(objective, str) else objective
    kept = [floors] if isinstance(floors, Floor) else list(floors)
    optuna = _optuna()
    chosen = executors.choose(executor)
    base = core.as_scenario(scenario)
    # Read files once, so that all trials use the same contents.
    base = core.carrying(base, core.contents_of(base, space.choices()))
    chosen.probe()
    packed, digest = pack(base, core.disciplines(base))
    store = Store.create(storage if storage is not None else Path("out", "tune", base.name))
    fixed = core.read_seeds(base, seeds)
    search = Search(optuna, base, space, goal, kept, fixed, seed, together, store)
    reporter = Reporter(base.name, search.left(trials) * len(fixed), progress)
    try:
        if due := search.next(trials):
            session = chosen.start(
                Job(packed, digest, core.version(), str(store.folder), store.token, identity=core.identity())
            )
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
    """Executes the missing runs of some trials."""
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
