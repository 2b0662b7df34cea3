"""Axes of a sweep: paths of a scenario with values or a range of values."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Union, cast

from ..errors import SweepError
from . import quantity

# Keys of a scenario that select or name runs.
_NOT_OF_A_POINT = {
    "seeds": "pass `seeds`, which all points share",
    "name": "leave it out",
    "description": "leave it out",
    "vary": "pass its axes here",
    "quick": "load the scenario with `quick`",
}
# A TOML value: text, number, boolean, list or table.
Value = Union[str, int, float, bool, "list[Any]", "dict[str, Any]"]


@dataclass(frozen=True)
class Range:
    """All values from `low` to `high`, both included.

    The ends are numbers (`Range(0.1, 0.9)`; two whole numbers give a range of whole numbers) or quantities of one
    dimension (`Range("1 ms", "20 ms")`).

    Args:
        low: The lowest value.
        high: The highest value.
        log: Whether values are evenly distributed by ratio. Both ends must then be > 0.
        step: Distance between two values; by default the range is continuous, or has steps of 1 for whole numbers. Cannot be
            combined with `log`.
        points: Number of values in a grid, evenly spaced (with `log`, by ratio).
    """

    low: float | str
    high: float | str
    log: bool = False
    step: float | str | None = None
    points: int | None = None

    def __post_init__(self) -> None:
        low, high, unit = self._ends()
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise SweepError(f"{self}: `low` must be below `high`")
        if self.log and low <= 0:
            raise SweepError(f"{self}: a logarithmic range must begin above 0")
        if self.log and self.step is not None:
            raise SweepError(f"{self}: `log` and `step` cannot be combined")
        if self.step is not None and self._number(self.step, unit) <= 0:
            raise SweepError(f"{self}: `step` must be > 0")
        if self.points is not None and self.points < 2:
            raise SweepError(f"{self}: `points` must be at least 2")

    def __str__(self) -> str:
        return f"Range({self.low!r}, {self.high!r})"

    def _number(self, value: float | str, unit: quantity.Unit | None) -> float:
        read = quantity.read(value)
        if read is None:
            raise SweepError(
                f'{self}: an end must be a number, such as 0.5, or a quantity, such as "5 ms", got {value!r}'
            )
        number, own = read
        if own is None and unit is None:
            return number
        if own is None or unit is None or own.kind != unit.kind:
            raise SweepError(f"{self}: units of a range must have one dimension, got {self.low!r} and {value!r}")
        return own.convert(number, unit)

    def _ends(self) -> tuple[float, float, quantity.Unit | None]:
        read = quantity.read(self.low)
        unit = read[1] if read else None
        return self._number(self.low, unit), self._number(self.high, unit), unit

    @property
    def unit(self) -> str:
        """The unit of its numbers: that of `low`; empty for plain numbers."""
        unit = self._ends()[2]
        return unit.name if unit else ""

    @property
    def numbers(self) -> tuple[float, float]:
        """The ends as numbers of `unit`."""
        return self._ends()[:2]

    @property
    def is_whole(self) -> bool:
        """Whether its values are whole numbers."""
        unit = self._ends()[2]
        if unit is not None:
            return unit.kind.startswith("packet")
        ends = [self.low, self.high] + ([] if self.step is None else [self.step])
        return all(isinstance(end, int) for end in ends)

    @property
    def step_number(self) -> float | None:
        """The step as a number of `unit`; 1 for whole numbers; `None` for a continuous range."""
        if self.step is not None:
            return self._number(self.step, self._ends()[2])
        return 1.0 if self.is_whole and not self.log else None

    def value(self, number: float) -> Value:
        """The value of the range nearest to `number` (in `unit`), as in a scenario."""
        low, high, unit = self._ends()
        number = min(max(number, low), high)
        if (step := self.step_number) is not None:
            most = math.floor((high - low) / step + 1e-9)
            number = low + step * min(round((number - low) / step), most)
        if self.is_whole:
            number = float(round(number))
        if unit is not None:
            # Stay between the ends after rounding to whole steps of the unit: the ends are whole
            # steps.
            return unit.write(number)
        if self.step is not None:
            number = float(f"{number:.12g}")  # 0.1 + 2 * 0.1 is written as 0.3
        return int(number) if self.is_whole else number

    def at(self, share: float) -> Value:
        """The value at a fraction of the range, 0 to 1; values are evenly distributed."""
        low, high, _ = self._ends()
        if (step := self.step_number) is not None:
            count = math.floor((high - low) / step + 1e-9) + 1
            return self.value(low + step * min(math.floor(share * count), count - 1))
        return self.value(self._between(share))

    def _between(self, share: float) -> float:
        low, high, _ = self._ends()
        if share <= 0 or share >= 1:
            return low if share <= 0 else high
        return low * (high / low) ** share if self.log else low + (high - low) * share

    def grid(self) -> list[Value]:
        """The `points` values; or all values if it has steps and no `points`."""
        if self.points is not None:
            return [self.value(self._between(n / (self.points - 1))) for n in range(self.points)]
        if (step := self.step_number) is not None:
            low, high, _ = self._ends()
            return [self.value(low + step * n) for n in range(math.floor((high - low) / step + 1e-9) + 1)]
        raise SweepError(f"{self} is continuous: a grid requires `points` or `step`; or sample it with LatinHypercube")


@dataclass(frozen=True)
class Axis:
    """A path of the scenario with its values.

    Attributes:
        path: The key of the scenario, as with `--set`.
        choices: The values; empty if it has a range.
        range: The range; `None` if it has choices.
    """

    path: str
    choices: tuple[Value, ...] = ()
    range: Range | None = None

    def grid(self) -> list[Value]:
        """The values in a grid."""
        if self.range is None:
            return list(self.choices)
        try:
            return self.range.grid()
        except SweepError as error:
            raise SweepError(f"axis `{self.path}`: {error}") from None


def read_axes(axes: Mapping[str, Range | Iterable[Value]] | None) -> list[Axis]:
    """Converts a mapping from path to values or a range to axes."""
    return [_read_axis(path, values) for path, values in (axes or {}).items()]


def refuse_about(path: str) -> None:
    """Refuses paths that are not part of a run."""
    if path in _NOT_OF_A_POINT:
        raise SweepError(f"axis `{path}`: this key is not part of a run; {_NOT_OF_A_POINT[path]}")


def _read_axis(path: str, values: Any) -> Axis:
    refuse_about(path)
    if isinstance(values, Range):
        return Axis(path, range=values)
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise SweepError(f'axis `{path}`: values must be a list, such as ["1 ms", "5 ms"], or a Range, got {values!r}')
    listed = cast("Iterable[Any]", values)
    choices = tuple(plain(path, value) for value in listed)
    if not choices:
        raise SweepError(f"axis `{path}` has no values")
    seen: set[str] = set()
    for choice in choices:
        if (text := label(choice)) in seen:
            raise SweepError(f"axis `{path}`: values must be unique, got {text} twice; give tables a `label`")
        seen.add(text)
    return Axis(path, choices)


def plain(path: str, value: Any) -> Value:
    """Converts a value to TOML's types, including numbers of numpy."""
    if callable(item := getattr(value, "item", None)):
        value = item()
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise SweepError(f"axis `{path}`: values must be text, numbers, lists or tables, got {value!r}") from None
    return json.loads(json.dumps(value)) if isinstance(value, tuple) else value


def label(value: Value) -> str:
    """The name of a value in results: text as it is, a table by its `label`, others as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(named := value.get("label"), str):
        return named
    return json.dumps(value, sort_keys=True)


def without_label(value: Value) -> Value:
    """The value without its `label`, which is only for results."""
    if isinstance(value, dict) and "label" in value:
        return {key: inner for key, inner in value.items() if key != "label"}
    return value


def read_values(text: str) -> Iterator[str]:
    """Splits `1 ms,{ kind = "red", w = 1 },[1, 2]` at commas outside of brackets and quotes."""
    depth, quote, begin = 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "[{":
            depth += 1
        elif char in "]}":
            depth -= 1
        elif char == "," and depth == 0:
            yield text[begin:at].strip()
            begin = at + 1
    yield text[begin:].strip()
