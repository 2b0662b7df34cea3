"""What an environment is made of: a scenario, and the task in it as the native part takes it."""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from jettison import _jettison
from jettison.errors import ScenarioError
from jettison.queues import nanoseconds
from jettison.scenario import Scenario, load


@dataclass(frozen=True)
class Setup:
    """A scenario, and the task in it."""

    scenario: Scenario
    task: Mapping[str, Any]

    def worlds(self, count: int, jobs: int) -> _jettison.Worlds:
        """The native part, for so many episodes at once."""
        return _jettison.Worlds(self.scenario.checked, json.dumps(self.task), count, jobs)


class Episodes:
    """Draws the network and the seed of each episode."""

    def __init__(self, variants: Sequence[str]) -> None:
        self._variants = list(variants)

    def draw(self, random: np.random.Generator, options: Mapping[str, Any] | None) -> tuple[int, int]:
        """The index of a variant, and the seed of its run: those of `options`, or else random ones."""
        # Both are drawn in any case, so that an option leaves later draws as they are.
        variant, seed = int(random.integers(len(self._variants))), int(random.integers(1, 2**31))
        given = dict(options or {})
        if "variant" in given:
            variant = self._variant(given.pop("variant"))
        if "seed" in given:
            seed = given.pop("seed")
            if not isinstance(seed, (int, np.integer)) or isinstance(seed, bool) or seed < 0:
                raise ValueError(f"option `seed` must be an integer >= 0, got {seed!r}")
        if given:
            raise ValueError(f"unknown option `{next(iter(given))}`; known are variant, seed")
        return variant, int(seed)

    def name(self, variant: int) -> str:
        """The name of a variant."""
        return self._variants[variant]

    def _variant(self, given: object) -> int:
        if isinstance(given, str) and given in self._variants:
            return self._variants.index(given)
        if isinstance(given, (int, np.integer)) and 0 <= given < len(self._variants):
            return int(given)
        some = ", ".join(self._variants[:5]) + (", …" if len(self._variants) > 5 else "")
        raise ValueError(f"option `variant` must be one of {some} or its index, got {given!r}")


def loaded(scenario: Scenario | str | Path) -> Scenario:
    """The scenario, read if it is named."""
    return scenario.check() if isinstance(scenario, Scenario) else load(scenario)


def span(key: str, value: object) -> str:
    """A time as it was given, checked."""
    try:
        sound = isinstance(value, str) and nanoseconds(value) > 0
    except ValueError:
        sound = False
    if not sound:
        raise ScenarioError(f'`{key}` must be a time > 0 such as "50 ms", got {value!r}')
    return str(value)


def kind_of(value: object, default: str = "") -> str:
    """The kind of a component in a scenario, which is its id or a table."""
    if isinstance(value, Mapping):
        return str(value.get("kind", default))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
    return default if value is None else str(value)


def flow_of(scenario: Scenario, flow: str | None, fits: Mapping[str, bool], what: str) -> tuple[str, str]:
    """The name of a flow and that of its entry in `[flows]`: the one given, or the only one that fits."""
    entries: dict[str, Any] = scenario.to_dict().get("flows", {})
    if flow is None:
        fitting = [name for name in entries if fits.get(name)]
        if not fitting:
            raise ScenarioError(f"the scenario has no flow of {what}; add one, or use another scenario")
        if len(fitting) > 1:
            raise ScenarioError(f"several flows of {what}: {', '.join(fitting)}; name one with `flow`")
        entry = fitting[0]
        count = entries[entry].get("count", 1)
        return (entry if count == 1 else f"{entry}.1"), entry
    entry = flow if flow in entries else flow.rpartition(".")[0]
    if entry not in entries:
        raise ScenarioError(f"unknown flow `{flow}`; the scenario has {', '.join(entries)}")
    return flow, entry
