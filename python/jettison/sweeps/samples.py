"""Selection of points in the space of the axes: all, a sample, or a list."""

from __future__ import annotations

import hashlib
import itertools
import json
import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from ..errors import SweepError
from .axes import Axis, Range, Value, plain, read_axes, refuse_about

# A point: one value for each axis.
Values = dict[str, Value]

_MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Grid:
    """All combinations of the axes' values, the last axis varying fastest."""

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The selected points."""
        values = [axis.grid() for axis in axes]
        if math.prod(len(each) for each in values) > _MOST_POINTS:
            raise SweepError(f"a grid must have at most {_MOST_POINTS:,} points; use fewer values or LatinHypercube")
        paths = [axis.path for axis in axes]
        return [dict(zip(paths, combination, strict=True)) for combination in itertools.product(*values)]


@dataclass(frozen=True)
class LatinHypercube:
    """`n` points with one value in each n-th of each axis's range (McKay, Beckman and Conover 1979).

    For an axis with choices, their frequencies differ by at most one. Equal seeds give equal points on any machine, and
    each axis has its own random numbers: adding an axis does not affect the others.

    Args:
        n: Number of points.
        seed: Seed of the random numbers.
    """

    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n <= _MOST_POINTS:
            raise SweepError(f"LatinHypercube: `n` must be from 1 to {_MOST_POINTS:,}, got {self.n}")

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The selected points."""
        columns = [self._column(axis) for axis in axes]
        paths = [axis.path for axis in axes]
        return [dict(zip(paths, row, strict=True)) for row in zip(*columns, strict=True)]

    def _column(self, axis: Axis) -> list[Value]:
        # Python guarantees `random()` and integer seeds across versions, but not `shuffle`.
        key = hashlib.sha256(f"latin hypercube\0{self.seed}\0{axis.path}".encode()).digest()
        draw = random.Random(int.from_bytes(key, "big")).random
        strata = _shuffled(self.n, draw)
        if axis.range is not None:
            return [axis.range.at((stratum + draw()) / self.n) for stratum in strata]
        # The choices with the higher frequency are also random.
        order = _shuffled(len(axis.choices), draw)
        return [axis.choices[order[stratum % len(order)]] for stratum in strata]


def _shuffled(count: int, draw: Callable[[], float]) -> list[int]:
    """The numbers below `count` in random order (Fisher and Yates)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = int(draw() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


@dataclass(frozen=True)
class Points:
    """Explicit points.

    Args:
        values: For each point, its values by path.
    """

    values: Sequence[Mapping[str, Value]]

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The selected points."""
        if not self.values:
            raise SweepError("the list of points must not be empty")
        names = {axis.path for axis in axes} or set(self.values[0])
        for number, point in enumerate(self.values):
            if set(point) != names:
                wanted, got = ", ".join(sorted(names)), ", ".join(sorted(point)) or "nothing"
                raise SweepError(f"point {number} must set {wanted}, like all points, got {got}")
        order = [axis.path for axis in axes] or list(self.values[0])
        for path in order:
            refuse_about(path)
        return [{path: plain(path, point[path]) for path in order} for point in self.values]


Sample = Literal["grid"] | Grid | LatinHypercube | Points | Sequence[Mapping[str, Value]]


def choose(axes: Mapping[str, Range | Iterable[Value]] | None, sample: Sample) -> tuple[list[Axis], list[Values]]:
    """The axes and the selected points."""
    spanned = read_axes(axes)
    if sample == "grid":
        sample = Grid()
    if isinstance(sample, (str, Mapping)):
        raise SweepError(f'`sample` must be "grid", LatinHypercube(n, seed) or a list of points, got {sample!r}')
    if not isinstance(sample, (Grid, LatinHypercube, Points)):
        sample = Points(list(sample))
    if not isinstance(sample, Points) and not spanned:
        raise SweepError(
            'a sweep requires at least one axis, such as axes={"links.bottleneck.rate": ["5 Mbit/s", "10 Mbit/s"]}'
        )
    points = sample.points(spanned)
    if isinstance(sample, Points):
        # Derive the axes from the points, in order of appearance.
        spanned = [Axis(path, tuple(_distinct(point[path] for point in points))) for path in points[0]]
    return spanned, points


def _distinct(values: Iterable[Value]) -> list[Value]:
    # JSON distinguishes 1, 1.0 and true, and compares tables quickly.
    seen: dict[str, Value] = {}
    for value in values:
        seen.setdefault(json.dumps(value, sort_keys=True), value)
    return list(seen.values())
