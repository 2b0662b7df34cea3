"""What a trial's runs come to: its objective, and the measures that floors are on."""

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
    """What came of a trial.

    Attributes:
        value: The objective; `None` if there is none, and then `error` says why.
        measures: The measure that each floor is on, by the floor's text.
        error: Why there is no value.
    """

    value: float | None = None
    measures: dict[str, float] = field(default_factory=dict[str, float])
    error: str | None = None


def score(plan: Plan | ScenarioError, store: Store, goal: Objective, floors: Sequence[Floor]) -> Score:
    """Reads what the runs of a trial have measured.

    A trial has a value only if every run of it has measured everything: what is left of a setting under which
    most runs deliver nothing would look good.
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
    """Refuses a name of a variant that no trial will have."""
    for each in wanted:
        if each.variant is not None and each.variant not in plan.labels:
            raise SweepError(f"{each}: there is no variant `{each.variant}`; there are {', '.join(plan.labels)}")


def _measure(summary: Any, plan: Plan, of: Objective | Floor) -> float:
    own = list(plan.labels) if of.variant is None else [of.variant]
    # A trial is a point, and results name a variant at a point after both.
    variants = [plan.variant(0, name) for name in own]
    return core.pick(summary, of.metric, of.object, of.statistic, of.part, variants, len(plan.seeds))
