"""Search with Optuna: asks for trials and reports their outcomes.

An interrupted search resumes with the same trials, by three rules.

* A batch of trials is requested as a whole, and then its numbers are stored. Trials outside of stored batches were being
  requested at the interruption: they are discarded. Nothing was reported in the meantime, so samplers with equal seeds
  propose an equal batch.
* A stored batch is completed as requested. Its trials are not requested again, because Optuna may already know half of
  its outcomes.
* A trial is completed when Optuna has its outcome, which is written last.
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

# Optuna's number of a trial, and its plan or the error that prevents one.
Asked = tuple[int, "Plan | ScenarioError"]


class Search:
    """A search, stored in the journal of its folder."""

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
        # Optuna's numbers of this search's trials, in order, from all batches.
        self._numbers: list[int] = []
        attributes: dict[str, Any] = self.study.user_attrs
        while batch := attributes.get(self._next_batch):
            self._numbers += batch

    def _open(self) -> Any:
        """Opens the study. Refuses a folder with another search, whose trials do not apply."""
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
                    f"{self._store.folder} holds a search with different {', '.join(other)}; "
                    "choose another folder for `storage`"
                )
            # An empty study: most likely its first values were invalid and have been corrected
            # since.
            optuna.delete_study(study_name=_STUDY, storage=storage)
        direction = "minimize" if self._goal.minimise else "maximize"
        study = optuna.create_study(study_name=_STUDY, storage=storage, direction=direction)
        study.set_user_attr(_SEARCH, asked)
        return study

    def _description(self) -> dict[str, Any]:
        """All data that determines the trials and their outcomes."""
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
        """Fingerprint of the scenario with a choice: a trace or a Python discipline may have changed under the same name."""
        try:
            return core.fingerprint(self._base.set({path: without_label(choice)}))
        except ScenarioError:
            return None  # may be valid in combination with another parameter

    @property
    def _next_batch(self) -> str:
        """Name of the next batch in the study."""
        return f"batch {len(self._numbers) // self._together}"

    def left(self, trials: int) -> int:
        """Number of remaining trials."""
        return max(0, trials - len(self._over()))

    def _over(self) -> list[Any]:
        """The reported trials, with or without a value."""
        found = self.study.get_trials(deepcopy=False)
        return [found[number] for number in self._numbers if found[number].state.is_finished()]

    def next(self, trials: int) -> list[Asked]:
        """The next trials to run in a search of so many trials: the rest of a batch; empty at the end.

        Raises:
            ScenarioError: The scenario is invalid with the first trial's values.
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
        """Requests a batch.

        The batch is complete even if fewer trials are wanted: the rest waits for a longer search.
        """
        for trial in self.study.get_trials(deepcopy=False, states=(self._optuna.trial.TrialState.RUNNING,)):
            self.study.tell(trial.number, state=self._optuna.trial.TrialState.FAIL)
        batch: list[int] = []
        for n in range(self._together):
            # Each trial has its own sampler, so its values depend only on the outcomes reported
            # before and not on interruptions.
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
        """The runs of a trial. Parameters that are valid alone may be invalid in combination."""
        trial = self.study.get_trials(deepcopy=False)[number]
        try:
            plan = make_plan(self._base, None, [self._space.read(trial.params)], self._seeds)
        except ScenarioError as error:
            return error
        check_variants(plan, [self._goal, *self._floors])
        return plan

    def tell(self, number: int, score: Score) -> None:
        """Reports a trial's outcome. It is completed only after the last line; until then everything may be repeated."""
        optuna, before = self._optuna, self.study.get_trials(deepcopy=False)[number]
        trial = optuna.trial.Trial(self.study, before._trial_id)
        for floor in self._floors:
            # Optuna accepts a constraint once.
            if str(floor) in score.measures and str(floor) not in before.constraints:
                trial.set_constraint(str(floor), floor.excess(score.measures[str(floor)]))
        trial.set_user_attr(_MEASURES, score.measures)
        trial.set_user_attr(_ERROR, score.error)
        states = optuna.trial.TrialState
        with _without_chatter(optuna):
            self.study.tell(number, score.value, state=states.FAIL if score.value is None else states.COMPLETE)

    def trials(self) -> list[Trial]:
        """All completed trials, in order."""
        made: list[Trial] = []
        for number, trial in enumerate(self._over()):
            measures: dict[str, float] = trial.user_attrs[_MEASURES]
            feasible = all(str(f) in measures and f.excess(measures[str(f)]) <= 0 for f in self._floors)
            values, error = self._space.read(trial.params), trial.user_attrs[_ERROR]
            made.append(Trial(number, values, trial.value, measures, feasible, error))
        return made


@contextlib.contextmanager
def _without_chatter(optuna: Any) -> Generator[None]:
    """Suppresses Optuna's log line per trial; the bar shows the progress."""
    level = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(level)
