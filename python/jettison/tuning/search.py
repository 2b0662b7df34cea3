"""Asks Optuna what to try next, and tells it what came of it.

A search may be cut off at any instant, and goes on as if it had not been. Three rules see to that.

* A batch of trials is asked for as a whole, and then its numbers are written down at once. Trials that stand in no
  batch were under way when the search was cut off: they are given up, nothing was told meanwhile, and the batch is
  asked for again by samplers of the same seeds that know the same.
* A batch that was written down is finished as it was asked for. What it proposes is not asked for again: Optuna may
  know half of its outcomes by then.
* A trial is over when Optuna has its outcome, which is the last that is written of it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Generator, Sequence
from typing import Any

from ..errors import ScenarioError, SweepError
from ..sweeps import core
from ..sweeps.api import make_plan
from ..sweeps.axes import Value, without_label
from ..sweeps.plan import Plan
from ..sweeps.store import Store
from .objective import Floor, Objective
from .score import Score, check_variants
from .space import Space
from .study import Trial

_STUDY, _SEARCH, _MEASURES, _ERROR = "tune", "search", "measures", "error"

# Optuna's number of a trial, and its plan, or why it has none.
Asked = tuple[int, "Plan | ScenarioError"]


class Search:
    """One search, in the journal of its folder."""

    def __init__(
        self,
        optuna: Any,
        base: Any,
        space: Space,
        goal: Objective,
        floors: Sequence[Floor],
        seeds: list[int],
        seed: int,
        together: int,
        store: Store,
    ) -> None:
        self._optuna, self._base, self._space, self._goal, self._floors = optuna, base, space, goal, floors
        self._seeds, self._seed, self._together, self._store = seeds, seed, together, store
        with _without_chatter(optuna):
            self.study: Any = self._open()
        # Optuna's numbers of the trials of this search, in their order: those of all batches.
        self._numbers: list[int] = []
        attributes: dict[str, Any] = self.study.user_attrs
        while batch := attributes.get(self._next_batch):
            self._numbers += batch

    def _open(self) -> Any:
        """The study. A folder that another search was made in is refused: its trials say nothing about this one."""
        optuna, asked = self._optuna, self._description()
        backend = optuna.storages.journal.JournalFileBackend(str(self._store.folder / "trials.journal"))
        storage = optuna.storages.JournalStorage(backend)
        if _STUDY in optuna.get_all_study_names(storage):
            study = optuna.load_study(study_name=_STUDY, storage=storage)
            before: dict[str, Any] = study.user_attrs.get(_SEARCH, {})
            if before == asked:
                return study
            if any(_MEASURES in trial.user_attrs for trial in study.get_trials(deepcopy=False)):
                other = [key for key, value in asked.items() if before.get(key) != value]
                raise SweepError(
                    f"{self._store.folder} holds a search with another {', '.join(other)}: "
                    "name another folder for `storage`"
                )
            # It came to nothing: most likely its first values were refused, and have been mended since.
            optuna.delete_study(study_name=_STUDY, storage=storage)
        direction = "minimize" if self._goal.minimise else "maximize"
        study = optuna.create_study(study_name=_STUDY, storage=storage, direction=direction)
        study.set_user_attr(_SEARCH, asked)
        return study

    def _description(self) -> dict[str, Any]:
        """All that decides which trials are made and what comes of them."""
        asked = {
            "parameters": self._space.describe(),
            "files of the parameters": [self._fingerprint(path, choice) for path, choice in self._space.choices()],
            "objective": repr(self._goal),
            "floors": [repr(floor) for floor in self._floors],
            "seeds": self._seeds,
            "seed": self._seed,
            "together": self._together,
            "version": core.version(),
            "scenario": core.fingerprint(self._base),
        }
        return json.loads(json.dumps(asked))

    def _fingerprint(self, path: str, choice: Value) -> str | None:
        """What the scenario is with that choice: a trace or a Python discipline may have changed under its name."""
        try:
            return core.fingerprint(self._base.set({path: without_label(choice)}))
        except ScenarioError:
            return None  # it may be right together with another parameter

    @property
    def _next_batch(self) -> str:
        """What the batch after those that are known is called in the study."""
        return f"batch {len(self._numbers) // self._together}"

    def left(self, trials: int) -> int:
        """How many trials are still to be made."""
        return max(0, trials - len(self._over()))

    def _over(self) -> list[Any]:
        """The trials that were told, with or without a value."""
        found = self.study.get_trials(deepcopy=False)
        return [found[number] for number in self._numbers if found[number].state.is_finished()]

    def next(self, trials: int) -> list[Asked]:
        """What is to be run next of a search of so many trials: what is left of a batch; nothing at the end.

        Raises:
            ScenarioError: If the scenario is wrong with the first trial's values.
        """
        done = len(self._over())
        if done >= trials:
            return []
        if done == len(self._numbers):
            with _without_chatter(self._optuna):
                self._ask()
        end = min(trials, len(self._numbers))
        due = [(number, self._plan(number)) for number in self._numbers[done:end]]
        if done == 0 and isinstance(due[0][1], ScenarioError):
            raise due[0][1]
        return due

    def _ask(self) -> None:
        """Asks for a batch.

        It is a whole one also where fewer trials are wanted: the others wait for a search of more.
        """
        for trial in self.study.get_trials(deepcopy=False, states=(self._optuna.trial.TrialState.RUNNING,)):
            self.study.tell(trial.number, state=self._optuna.trial.TrialState.FAIL)
        batch: list[int] = []
        for n in range(self._together):
            # A sampler of its own for each trial, so that what is proposed depends on what was told before
            # and on nothing else: not on how often the search was cut off.
            key = hashlib.sha256(f"{self._seed} {len(self._numbers) + n}".encode()).digest()
            self.study.sampler = self._optuna.samplers.TPESampler(
                seed=int.from_bytes(key[:4], "big"), n_startup_trials=10
            )
            trial = self.study.ask()
            self._space.suggest(trial)
            batch.append(trial.number)
        self.study.set_user_attr(self._next_batch, batch)
        self._numbers += batch

    def _plan(self, number: int) -> Plan | ScenarioError:
        """The runs of a trial. Two parameters that are right by themselves may not go together."""
        trial = self.study.get_trials(deepcopy=False)[number]
        try:
            plan = make_plan(self._base, None, [self._space.read(trial.params)], self._seeds)
        except ScenarioError as error:
            return error
        check_variants(plan, [self._goal, *self._floors])
        return plan

    def tell(self, number: int, score: Score) -> None:
        """Records what came of a trial. Until the last line it is not over, and all of it may come again."""
        optuna, before = self._optuna, self.study.get_trials(deepcopy=False)[number]
        trial = optuna.trial.Trial(self.study, before._trial_id)
        for floor in self._floors:
            # Optuna takes a constraint once.
            if str(floor) in score.measures and str(floor) not in before.constraints:
                trial.set_constraint(str(floor), floor.excess(score.measures[str(floor)]))
        trial.set_user_attr(_MEASURES, score.measures)
        trial.set_user_attr(_ERROR, score.error)
        states = optuna.trial.TrialState
        with _without_chatter(optuna):
            self.study.tell(number, score.value, state=states.FAIL if score.value is None else states.COMPLETE)

    def trials(self) -> list[Trial]:
        """All trials that are over, numbered in their order."""
        made: list[Trial] = []
        for number, trial in enumerate(self._over()):
            measures: dict[str, float] = trial.user_attrs[_MEASURES]
            feasible = all(str(f) in measures and f.excess(measures[str(f)]) <= 0 for f in self._floors)
            values, error = self._space.read(trial.params), trial.user_attrs[_ERROR]
            made.append(Trial(number, values, trial.value, measures, feasible, error))
        return made


@contextlib.contextmanager
def _without_chatter(optuna: Any) -> Generator[None]:
    """Optuna logs a line a trial; the bar says it."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
