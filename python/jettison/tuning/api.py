"""`jettison.tune`."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..errors import JettisonError, ScenarioError, SweepError
from ..sweeps import core, executors
from ..sweeps.api import make_plan
from ..sweeps.axes import Range, Value
from ..sweeps.engine import Engine
from ..sweeps.plan import Plan
from ..sweeps.progress import Reporter, Show
from ..sweeps.result import SweepResult
from ..sweeps.store import Store
from ..sweeps.work import Job, Outcome, Work, pack
from .objective import Floor, Objective
from .space import Space
from .study import Trial, TuneResult

_MEASURES, _ERROR = "measures", "error"


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
    packed, digest = pack(base, core.disciplines(base))
    store = Store.create(storage if storage is not None else Path("out", "tune", base.name))
    fixed = core.read_seeds(base, seeds)
    search = _Search(optuna, base, space, goal, kept, fixed, seed, store)
    left = search.left(trials)
    reporter = Reporter(base.name, left * len(fixed), progress)
    try:
        if left:
            first = search.ask(min(together, left))
            session = chosen.start(Job(packed, digest, core.version(), str(store.folder), store.token))
            try:
                search.go(first, left, together, session, reporter)
            finally:
                session.close()
    finally:
        reporter.close()
    return TuneResult(search.trials(), goal, kept, search.study, str(store.folder))


def _optuna() -> Any:
    try:
        import optuna
    except ImportError:
        raise SweepError("Optuna is not installed here: `pip install 'jettison[tune]'`") from None
    return optuna


@contextlib.contextmanager
def _without_chatter(optuna: Any) -> Generator[None]:
    """Optuna logs a line a trial; the bar says it."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)


class _Search:
    """Asks Optuna, runs, tells."""

    def __init__(
        self,
        optuna: Any,
        base: Any,
        space: Space,
        goal: Objective,
        floors: Sequence[Floor],
        seeds: list[int],
        seed: int,
        store: Store,
    ) -> None:
        self._optuna, self._base, self._space = optuna, base, space
        self._goal, self._floors, self._seeds, self._seed, self._store = goal, floors, seeds, seed, store
        backend = optuna.storages.journal.JournalFileBackend(str(store.folder / "trials.journal"))
        with _without_chatter(optuna):
            self.study: Any = optuna.create_study(
                study_name="tune",
                storage=optuna.storages.JournalStorage(backend),
                direction="minimize" if goal.minimise else "maximize",
                load_if_exists=True,
            )
        self._same_as_before()

    def _same_as_before(self) -> None:
        """Refuses a folder that another search was made in: its trials say nothing about this one."""
        asked = {
            "space": self._space.describe(),
            "objective": repr(self._goal),
            "floors": [repr(floor) for floor in self._floors],
            "seeds": self._seeds,
            "seed": self._seed,
            "version": core.version(),
            "scenario": core.fingerprint(self._base),
        }
        asked = json.loads(json.dumps(asked))
        before = self.study.user_attrs.get("search")
        if before is None:
            self.study.set_user_attr("search", asked)
            return
        other = [key for key, value in asked.items() if before.get(key) != value]
        if other:
            raise SweepError(
                f"{self._store.folder} holds a search with another {', '.join(other)}: "
                "name another folder for `storage`"
            )

    def left(self, trials: int) -> int:
        """How many trials are still to be made.

        What was under way when a search was cut off is given up: it comes again.
        """
        state = self._optuna.trial.TrialState
        for trial in self.study.get_trials(deepcopy=False, states=(state.RUNNING,)):
            with _without_chatter(self._optuna):
                self.study.tell(trial.number, state=state.FAIL)
        return max(0, trials - len(self._over()))

    def _over(self) -> list[Any]:
        """The trials that were told, with or without a value."""
        found = self.study.get_trials(deepcopy=False)
        return [trial for trial in found if trial.state.is_finished() and _MEASURES in trial.user_attrs]

    def ask(self, count: int) -> list[tuple[Any, Plan | ScenarioError]]:
        """So many trials and the plan of each, or why there is none."""
        done = len(self._over())
        asked: list[tuple[Any, Plan | ScenarioError]] = []
        for n in range(count):
            # A sampler of its own for each trial, so that what is proposed depends on what was told before
            # and on nothing else: not on how often the search was cut off.
            key = hashlib.sha256(f"{self._seed} {done + n}".encode()).digest()
            with _without_chatter(self._optuna):
                self.study.sampler = self._optuna.samplers.TPESampler(
                    seed=int.from_bytes(key[:4], "big"), n_startup_trials=10
                )
                trial = self.study.ask()
                values = self._space.suggest(trial)
            try:
                asked.append((trial, make_plan(self._base, None, [values], self._seeds)))
            except ScenarioError as error:
                if done + n == 0:
                    raise
                # Two parameters that are right by themselves may not go together.
                asked.append((trial, error))
        return asked

    def go(
        self,
        asked: list[tuple[Any, Plan | ScenarioError]],
        left: int,
        together: int,
        session: Any,
        reporter: Reporter,
    ) -> None:
        """Runs what was asked for, tells, and asks again, until so many trials are over."""

        def finished(_work: Work, outcome: Outcome) -> None:
            reporter.add(outcome.status)

        engine = Engine(session, self._store, 1, finished)
        while True:
            for _, plan in asked:
                runs: list[Work] = plan.work() if isinstance(plan, Plan) else []
                found = self._store.finished(work.key for work in runs)
                reporter.add("found", len(found))
                engine.add(work for work in runs if work.key not in found)
            engine.run()
            for trial, plan in asked:
                self._tell(trial, plan)
            left -= len(asked)
            if left <= 0:
                return
            asked = self.ask(min(together, left))

    def _tell(self, trial: Any, plan: Plan | ScenarioError) -> None:
        measures: dict[str, float] = {}
        value: float | None = None
        try:
            if isinstance(plan, JettisonError):
                raise plan
            result = SweepResult(plan, self._store, "complete")
            if result.failed:
                raise SweepError(f"seed {result.failed[0].seed}: {result.failed[0].kind}: {result.failed[0].error}")
            for floor in self._floors:
                measures[str(floor)] = core.pick(
                    result.summary.arrow,
                    floor.metric,
                    floor.object,
                    floor.statistic,
                    floor.part,
                    floor.variant,
                )
                trial.set_constraint(str(floor), floor.excess(measures[str(floor)]))
            goal = self._goal
            value = core.pick(result.summary.arrow, goal.metric, goal.object, goal.statistic, goal.part, goal.variant)
        except JettisonError as error:
            trial.set_user_attr(_ERROR, str(error))
        trial.set_user_attr(_MEASURES, measures)
        with _without_chatter(self._optuna):
            state = self._optuna.trial.TrialState
            self.study.tell(trial, value, state=state.COMPLETE if value is not None else state.FAIL)

    def trials(self) -> list[Trial]:
        """All trials that are over, numbered in their order."""
        made: list[Trial] = []
        for number, trial in enumerate(self._over()):
            measures: dict[str, float] = trial.user_attrs[_MEASURES]
            feasible = all(str(f) in measures and f.excess(measures[str(f)]) <= 0 for f in self._floors)
            value = trial.value if trial.state.name == "COMPLETE" else None
            error = trial.user_attrs.get(_ERROR)
            made.append(Trial(number, self._space.read(trial.params), value, measures, feasible, error))
        return made
