"""Which points of the space that the axes span are run: all, some, or those that are named."""

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

# A choice of one value for each axis.
Values = dict[str, Value]

_MOST_POINTS = 1_000_000


@dataclass(frozen=True)
class Grid:
    """Every combination of the axes' values, the last axis turning fastest."""

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The points that it takes of the space of these axes."""
        values = [axis.grid() for axis in axes]
        if math.prod(len(each) for each in values) > _MOST_POINTS:
            raise SweepError(
                f"the axes multiply to more than {_MOST_POINTS:,} points; leave out values, or use LatinHypercube"
            )
        paths = [axis.path for axis in axes]
        return [dict(zip(paths, combination, strict=True)) for combination in itertools.product(*values)]


@dataclass(frozen=True)
class LatinHypercube:
    """`n` points, of which each axis sees one in each n-th of its range (McKay, Beckman and Conover 1979).

    Of an axis with choices each is taken equally often, give or take one. The same `seed` gives the same
    points on any machine, and each axis draws for itself: adding one changes nothing on the others.
    """

    n: int
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.n <= _MOST_POINTS:
            raise SweepError(f"LatinHypercube(n={self.n}): `n` is a number from 1 to {_MOST_POINTS:,}")

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The points that it takes of the space of these axes."""
        columns = [self._column(axis) for axis in axes]
        paths = [axis.path for axis in axes]
        return [dict(zip(paths, row, strict=True)) for row in zip(*columns, strict=True)]

    def _column(self, axis: Axis) -> list[Value]:
        # `random()` and the seeding from a number are what Python promises to keep from version to version;
        # `shuffle` is not.
        key = hashlib.sha256(f"latin hypercube\0{self.seed}\0{axis.path}".encode()).digest()
        draw = random.Random(int.from_bytes(key, "big")).random
        strata = _shuffled(self.n, draw)
        if axis.range is not None:
            return [axis.range.at((stratum + draw()) / self.n) for stratum in strata]
        # Of choices, which ones are taken once more than the others is drawn too.
        order = _shuffled(len(axis.choices), draw)
        return [axis.choices[order[stratum % len(order)]] for stratum in strata]


def _shuffled(count: int, draw: Callable[[], float]) -> list[int]:
    """The numbers below `count` in an order that is drawn (Fisher and Yates)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = int(draw() * (last + 1))
        order[last], order[other] = order[other], order[last]
    return order


@dataclass(frozen=True)
class Points:
    """Points that are named one by one: a table of path and value each."""

    values: Sequence[Mapping[str, Value]]

    def points(self, axes: Sequence[Axis]) -> list[Values]:
        """The points that it takes of the space of these axes."""
        if not self.values:
            raise SweepError("the list of points is empty")
        names = {axis.path for axis in axes} or set(self.values[0])
        for number, point in enumerate(self.values):
            if set(point) != names:
                wanted, got = ", ".join(sorted(names)), ", ".join(sorted(point)) or "nothing"
                raise SweepError(f"point {number} sets {got}; all points set the same: {wanted}")
        order = [axis.path for axis in axes] or list(self.values[0])
        for path in order:
            refuse_about(path)
        return [{path: plain(path, point[path]) for path in order} for point in self.values]


Sample = Literal["grid"] | Grid | LatinHypercube | Points | Sequence[Mapping[str, Value]]


def choose(axes: Mapping[str, Range | Iterable[Value]] | None, sample: Sample) -> tuple[list[Axis], list[Values]]:
    """The axes and the points to run."""
    spanned = read_axes(axes)
    if sample == "grid":
        sample = Grid()
    if isinstance(sample, (str, Mapping)):
        raise SweepError(f'sample={sample!r}: give "grid", LatinHypercube(n, seed) or a list of points')
    if not isinstance(sample, (Grid, LatinHypercube, Points)):
        sample = Points(list(sample))
    if not isinstance(sample, Points) and not spanned:
        raise SweepError(
            'nothing varies: give `axes`, such as axes={"links.bottleneck.rate": ["5 Mbit/s", "10 Mbit/s"]}'
        )
    points = sample.points(spanned)
    if isinstance(sample, Points):
        # The axes are what the points take on, in the order in which they do.
        spanned = [Axis(path, tuple(_distinct(point[path] for point in points))) for path in points[0]]
    return spanned, points


def _distinct(values: Iterable[Value]) -> list[Value]:
    # As JSON 1, 1.0 and true are three, and tables can be told apart quickly.
    seen: dict[str, Value] = {}
    for value in values:
        seen.setdefault(json.dumps(value, sort_keys=True), value)
    return list(seen.values())
