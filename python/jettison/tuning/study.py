"""Results of a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _html
from .._arrow import pa
from ..errors import SweepError
from ..sweeps.axes import label
from ..sweeps.samples import Values
from .objective import Floor, Objective

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True)
class Trial:
    """A trial: a choice of the parameters.

    Attributes:
        number: Index in the search, from 0.
        values: Values of the parameters, by path.
        value: The objective; `None` if it was not measured or a run failed.
        constraints: The metric of each constraint, by the constraint's text.
        feasible: Whether all constraints are satisfied.
        error: Cause of a missing value.
    """

    number: int
    values: Values
    value: float | None
    constraints: dict[str, float]
    feasible: bool
    error: str | None


class TuneResult:
    """All trials of a search, and the best of them.

    Attributes:
        trials: All trials.
        objective: What was minimised or maximised.
        floors: The constraints.
        study: The Optuna study, for Optuna's own plots and importances.
        folder: The folder of the trials and of the runs' partitions.
    """

    def __init__(
        self, trials: Sequence[Trial], objective: Objective, floors: Sequence[Floor], study: Any, folder: str
    ) -> None:
        self.trials = list(trials)
        self.objective = objective
        self.floors = list(floors)
        self.study = study
        self.folder = folder

    @property
    def feasible(self) -> list[Trial]:
        """The feasible trials, best first, then in order."""
        sign = 1 if self.objective.minimise else -1
        usable = [
            (sign * trial.value, trial.number, trial)
            for trial in self.trials
            if trial.value is not None and trial.feasible
        ]
        return [trial for *_, trial in sorted(usable, key=lambda entry: entry[:2])]

    @property
    def best(self) -> Trial:
        """The best feasible trial."""
        if not self.feasible:
            floors = ", ".join(str(floor) for floor in self.floors)
            kept = f" and satisfies all floors ({floors})" if floors else ""
            # An unknown name is an error in every trial: the first error contains the remedy.
            why = next((f"\ntrial {trial.number}: {trial.error}" for trial in self.trials if trial.error), "")
            raise SweepError(f"no trial of {len(self.trials)} has a value{kept}{why}")
        return self.feasible[0]

    def __repr__(self) -> str:
        best = (
            f"; best {self.objective} {self.best.value:g} at {self.best.values}"
            if self.feasible
            else f"; none has a value{' and satisfies all floors' if self.floors else ''}"
        )
        return f"TuneResult({len(self.trials)} trials{best})"

    def _repr_html_(self) -> str:
        shown = self.table.slice(0, _html.ROWS).to_pylist()
        columns: list[str] = self.table.column_names
        rows = [[row[name] for name in columns] for row in shown]
        return _html.paragraph(repr(self)) + _html.table(columns, rows, len(self.trials), caption="trials")

    @property
    def table(self) -> Any:
        """One row per trial: `trial`, the parameters by path, `value`, one column per floor, `feasible`, `error`."""
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
        """`table` as a pandas data frame."""
        return self.table.to_pandas()
