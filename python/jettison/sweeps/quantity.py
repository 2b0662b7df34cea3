"""Numbers with units, as scenario files write them: `"5 ms"`, `"10 Mbit/s"`, `"64 packets"`.

A quantity that is counted in whole steps (nanoseconds, bits per second, bytes, packets) stays exact: a value
between two others is rounded to a whole step before it is written, because a scenario refuses `"0.5 ns"`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

# Units that convert into one another, each as a number of the smallest step there is. These are the units
# that the scenario's own reader knows (crates/core/src/units).
_EXACT: dict[str, dict[str, int]] = {
    "time": {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9},
    "rate": {"bit/s": 1, "kbit/s": 10**3, "Mbit/s": 10**6, "Gbit/s": 10**9, "Tbit/s": 10**12},
    "size": {
        "bytes": 1, "byte": 1, "B": 1, "kB": 10**3, "MB": 10**6, "GB": 10**9,
        "KiB": 2**10, "MiB": 2**20, "GiB": 2**30,
    },
    "packets": {"packets": 1, "packet": 1},
    "packet rate": {"packets/s": 1, "packet/s": 1},
}  # fmt: skip
_KIND = {unit: kind for kind, units in _EXACT.items() for unit in units}
_FORM = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?)\s*([^\s0-9,]\S*)\s*")


@dataclass(frozen=True)
class Unit:
    """A unit: what it measures, and how many smallest steps it is (none where there is no smallest step)."""

    name: str
    kind: str
    steps: int | None

    @staticmethod
    def of(name: str) -> Unit:
        """The unit of that name; one that is not known measures only itself."""
        kind = _KIND.get(name)
        return Unit(name, name, None) if kind is None else Unit(name, kind, _EXACT[kind][name])

    def convert(self, number: float, to: Unit) -> float:
        """`number` of this unit in another one that measures the same."""
        if self.kind != to.kind:
            raise ValueError(f"{self.name} and {to.name} do not measure the same")
        if self.steps is None or to.steps is None:
            return number
        return float(Decimal(repr(number)) * self.steps / to.steps)

    def write(self, number: float) -> str:
        """`number` of this unit as a scenario reads it, rounded to whole steps where the unit has any."""
        if self.steps is None:
            return f"{number!r} {self.name}"
        exact = Decimal(round(Decimal(repr(number)) * self.steps)) / self.steps
        text = f"{exact:f}"
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {self.name}"


def read(value: object) -> tuple[float, Unit | None] | None:
    """A number and its unit; the unit is `None` for a bare number. `None` for what is no number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), None
    if isinstance(value, str) and (found := _FORM.fullmatch(value)):
        return float(found[1]), Unit.of(found[2])
    return None
