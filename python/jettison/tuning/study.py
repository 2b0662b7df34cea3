"""What a search came to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .._arrow import pa
from ..errors import SweepError
from ..sweeps.axes import label
from ..sweeps.samples import Values
from .objective import Floor, Objective

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Trial:
    """One choice of the parameters.

    Attributes:
        number: Its place in the search, from 0.
        values: What each parameter was, by path.
        value: The objective there; `None` if it was not measured or a run failed.
        constraints: The measure that each floor is on, by the floor's text.
        feasible: Whether every floor is kept.
        error: Why there is no value.
    """

    number: int
    values: Values
    value: float | None
    constraints: dict[str, float]
    feasible: bool
    error: str | None


class TuneResult:
    """All trials of a search, and the best of them."""

    def __init__(
        self, trials: Sequence[Trial], objective: Objective, floors: Sequence[Floor], study: Any, folder: str
    ) -> None:
        self.trials = list(trials)
        self.objective = objective
        self.floors = list(floors)
        #: The Optuna study, for Optuna's own plots and importances.
        self.study = study
        #: Where the trials and the runs' partitions stand.
        self.folder = folder

    @property
    def feasible(self) -> list[Trial]:
        """The trials that have a value and keep every floor, the best first; of equal ones the earlier."""
        sign = 1 if self.objective.minimise else -1
        usable = [
            (sign * trial.value, trial.number, trial)
            for trial in self.trials
            if trial.value is not None and trial.feasible
        ]
        return [trial for *_, trial in sorted(usable, key=lambda entry: entry[:2])]

    @property
    def best(self) -> Trial:
        """The best trial of those that keep every floor."""
        if not self.feasible:
            floors = ", ".join(str(floor) for floor in self.floors)
            kept = f" and keeps every floor ({floors})" if floors else ""
            # A name that is wrong is so in every trial: the first error says what is right.
            why = next((f"\ntrial {trial.number}: {trial.error}" for trial in self.trials if trial.error), "")
            raise SweepError(f"no trial of {len(self.trials)} has a value{kept}{why}")
        return self.feasible[0]

    def __repr__(self) -> str:
        best = (
            f"; best {self.objective} {self.best.value:g} at {self.best.values}"
            if self.feasible
            else f"; none has a value{' and keeps every floor' if self.floors else ''}"
        )
        return f"TuneResult({len(self.trials)} trials{best})"

    @property
    def table(self) -> Any:
        """A row a trial: `trial`, the parameters by path, `value`, a column a floor, `feasible`, `error`."""
        trials = self.trials
        columns: dict[str, Any] = {"trial": pa.array([trial.number for trial in trials], pa.int64())}
        for path in trials[0].values if trials else ():
            values = [trial.values[path] for trial in trials]
            plain = all(isinstance(value, (int, float)) for value in values)
            columns[path] = pa.array(values if plain else [label(value) for value in values])
        columns["value"] = pa.array([trial.value for trial in trials], pa.float64())
        for floor in self.floors:
            columns[str(floor)] = pa.array([trial.constraints.get(str(floor)) for trial in trials], pa.float64())
        columns["feasible"] = pa.array([trial.feasible for trial in trials], pa.bool_())
        columns["error"] = pa.array([trial.error for trial in trials], pa.string())
        return pa.table(columns)

    def to_pandas(self) -> pandas.DataFrame:
        """`table` for pandas."""
        return self.table.to_pandas()
