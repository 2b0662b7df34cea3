"""Assignment of a sweep's points to lines or scattered markers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .looks import Look, looks
from .quantities import numbers, ordered

__all__ = ["Strands", "strands"]


@dataclass(frozen=True)
class Strands:
    """The variants of each line with its style; and the scattered axes, whose values do not form lines."""

    lines: list[tuple[Look, list[str]]]
    scattered: list[str]


def strands(labels: Mapping[str, Mapping[str, str]], x: str) -> Strands:
    """Groups variants that differ only in `x` or in scattered axes, in the order of the values."""
    axes = list(dict.fromkeys(axis for of in labels.values() for axis in of if axis != x))
    scattered = [axis for axis in axes if _scattered(labels, x, axis)]
    groups: dict[tuple[tuple[str, str], ...], list[str]] = {}
    for variant, of in labels.items():
        rest = tuple((axis, value) for axis, value in of.items() if axis != x and axis not in scattered)
        groups.setdefault(rest, []).append(variant)
    places = {axis: _places([of[axis] for of in labels.values() if axis in of]) for axis in axes}
    rests = sorted(groups, key=lambda rest: [places[axis][value] for axis, value in rest])
    keys = {rest: ",".join(f"{axis}={value}" for axis, value in rest) or "all" for rest in rests}
    own = looks(list(keys.values()), {key: dict(rest) for rest, key in keys.items()})
    return Strands([(own[keys[rest]], groups[rest]) for rest in rests], scattered)


def _scattered(labels: Mapping[str, Mapping[str, str]], x: str, axis: str) -> bool:
    """Whether an axis has quantities most of which occur with only one value of `x`, as in a Latin hypercube."""
    values = list(dict.fromkeys(of[axis] for of in labels.values() if axis in of))
    pairs = {(of.get(x), of[axis]) for of in labels.values() if axis in of}
    return len(values) > 2 and len(pairs) < 2 * len(values) and numbers(values)[0] is not None


def _places(values: list[str]) -> dict[str, int]:
    """Ranks of the values: quantities by size, words by the order of the experiment."""
    found = list(dict.fromkeys(values))
    return {value: place for place, value in enumerate(ordered(found) or found)}
