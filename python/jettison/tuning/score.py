"""Score of a trial: its objective, and the metrics with constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import JettisonError, ScenarioError, SweepError
from ..sweeps import core
from ..sweeps.plan import Plan
from ..sweeps.result import SweepResult
from ..sweeps.store import Store
from .objective import Floor, Objective


@dataclass
class Score:
    """Score of a trial.

    Attributes:
        value: The objective; `None` if missing, with the cause in `error`.
        measures: The metric of each constraint, by the constraint's text.
        error: Cause of a missing value.
    """

    value: float | None = None
    measures: dict[str, float] = field(default_factory=dict[str, float])
    error: str | None = None


def score(plan: Plan | ScenarioError, store: Store, goal: Objective, floors: Sequence[Floor]) -> Score:
    """Computes the score of a trial from its runs.

    A trial has a value only if all of its runs measured everything; otherwise a setting with which most runs deliver
    nothing would look good.
    """
    found = Score()
    try:
        if isinstance(plan, ScenarioError):
            raise plan
        result = SweepResult(plan, store, "complete")
        if result.failed:
            raise SweepError(f"seed {result.failed[0].seed}: {result.failed[0].kind}: {result.failed[0].error}")
        summary = result.summary.arrow
        for floor in floors:
            found.measures[str(floor)] = _measure(summary, plan, floor)
        found.value = _measure(summary, plan, goal)
    except JettisonError as error:
        found.error = str(error)
    return found


def check_variants(plan: Plan, wanted: Sequence[Objective | Floor]) -> None:
    """Refuses unknown names of variants."""
    for each in wanted:
        if each.variant is not None and each.variant not in plan.labels:
            raise SweepError(f"{each}: unknown variant `{each.variant}`; known are {', '.join(plan.labels)}")


def _measure(summary: Any, plan: Plan, of: Objective | Floor) -> float:
    own = list(plan.labels) if of.variant is None else [of.variant]
    # A trial is a point, and names of variants in results include the point.
    variants = [plan.variant(0, name) for name in own]
    return core.pick(summary, of.metric, of.object, of.statistic, of.part, variants, len(plan.seeds))
