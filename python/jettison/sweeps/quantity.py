"""Numbers with units, as in scenario files: `"5 ms"`, `"10 Mbit/s"`, `"64 packets"`.

Quantities in whole steps (nanoseconds, bits per second, bytes, packets) stay exact: an intermediate value is rounded
to a whole step before it is written, because scenarios refuse `"0.5 ns"`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

# Groups of convertible units, as multiples of the smallest step. They match the units of the
# scenario's parser (crates/core/src/units).
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
    """A unit: its dimension, and its size in smallest steps (`None` for continuous quantities)."""

    name: str
    kind: str
    steps: int | None

    @staticmethod
    def of(name: str) -> Unit:
        """The unit with a name; an unknown one has its own dimension."""
        kind = _KIND.get(name)
        return Unit(name, name, None) if kind is None else Unit(name, kind, _EXACT[kind][name])

    def convert(self, number: float, to: Unit) -> float:
        """Converts `number` to another unit of the same dimension."""
        if self.kind != to.kind:
            raise ValueError(f"{self.name} and {to.name} have different dimensions")
        if self.steps is None or to.steps is None:
            return number
        return float(Decimal(repr(number)) * self.steps / to.steps)

    def write(self, number: float) -> str:
        """Formats `number` for a scenario, rounded to whole steps if the unit has any."""
        if self.steps is None:
            return f"{number!r} {self.name}"
        exact = Decimal(round(Decimal(repr(number)) * self.steps)) / self.steps
        text = f"{exact:f}"
        return f"{text.rstrip('0').rstrip('.') if '.' in text else text} {self.name}"


def read(value: object) -> tuple[float, Unit | None] | None:
    """Parses a number and its unit; the unit is `None` for a plain number. `None` if it is not a number."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return float(value), None
    if isinstance(value, str) and (found := _FORM.fullmatch(value)):
        return float(found[1]), Unit.of(found[2])
    return None
