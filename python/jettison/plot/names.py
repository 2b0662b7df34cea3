"""Names beside drawings, at places where they overlap nothing."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from . import style
from .source import Floats

__all__ = ["SIZE", "Named", "Place", "places"]

#: Height of a name, and its usual distance from what it names, in points.
SIZE, AWAY = 7.5, 6.0
#: Least distance of two means that names tell apart, in points.
APART = 7.0


@dataclass(frozen=True)
class Named:
    """A drawing that has a name: its centre and its outline in the coordinates of the data."""

    name: str
    centre: tuple[float, float]
    outline: Floats | None


@dataclass(frozen=True)
class Place:
    """Where a name stands: a point in the coordinates of the data, and the offset from it in points."""

    at: tuple[float, float]
    offset: tuple[float, float]
    align: tuple[str, str]


def places(ax: Axes, drawn: Sequence[Named]) -> list[Place] | None:
    """A place for each name: beside its centre, or else outside its outline. `None` if there is none for some name.

    Centres that nearly coincide have no names.
    """
    scale = 72.0 / style.root(ax).dpi

    def points(of: Floats) -> Floats:
        return scale * np.asarray(ax.transData.transform(of))

    centres = points(np.array([own.centre for own in drawn]))
    outlines = [None if own.outline is None else points(own.outline) for own in drawn]
    for place, centre in enumerate(centres):
        if any(np.hypot(*(centre - other)) < APART for other in centres[:place]):
            return None
    box = scale * ax.get_window_extent().get_points()
    taken = [(x - 4, y - 4, x + 4, y + 4) for x, y in centres]
    found: list[Place] = []
    for own, centre, outline in zip(drawn, centres, outlines, strict=True):
        others = [other for other in outlines if other is not None]
        for place, corner, lines in _candidates(own, centre, outline):
            width = 0.58 * SIZE * len(own.name)
            left = corner[0] - {"left": 0.0, "right": width, "center": width / 2}[place.align[0]]
            low = corner[1] - {"bottom": 0.0, "top": SIZE, "center": SIZE / 2}[place.align[1]]
            area = (left, low, left + width, low + SIZE)
            inside = left >= box[0, 0] and left + width <= box[1, 0] and low >= box[0, 1] and low + SIZE <= box[1, 1]
            # A name on its own outline stands outside, and touches it at most.
            is_beside = place.at != own.centre
            crossed = lines and any(_near(area, other) for other in others if not (is_beside and other is outline))
            if inside and not crossed and not any(_overlap(area, other) for other in taken):
                taken.append(area)
                found.append(place)
                break
        else:
            return None
    return found


def _candidates(own: Named, centre: Floats, outline: Floats | None) -> list[tuple[Place, tuple[float, float], bool]]:
    """Places to try, each with its corner in points, and whether other outlines must keep away from it."""
    tried: list[tuple[Place, tuple[float, float], bool]] = []

    def add(at: tuple[float, float], point: Floats, right: float, up: float, keep_away: bool) -> None:
        align = _word(right, "left", "right"), _word(up, "bottom", "top")
        place = Place(at, (AWAY * right, 0.7 * AWAY * up), align)
        tried.append((place, (float(point[0]) + place.offset[0], float(point[1]) + place.offset[1]), keep_away))

    corners = ((1, 1), (-1, 1), (1, -1), (-1, -1))
    for right, up in corners:
        add(own.centre, centre, right, up, True)
    if outline is not None and own.outline is not None:
        # Sixteen points of the outline, those at the top first; the name stands outside.
        steps = np.linspace(0, len(outline), 16, endpoint=False).astype(int)
        for step in sorted(steps.tolist(), key=lambda step: -float(outline[step][1])):
            away = (outline[step] - centre) / max(float(np.hypot(*(outline[step] - centre))), 1e-9)
            at = float(own.outline[step][0]), float(own.outline[step][1])
            add(at, outline[step], round(float(away[0])), round(float(away[1])), True)
    for right, up in corners:
        add(own.centre, centre, right, up, False)
    return tried


def _word(sign: float, more: str, less: str) -> str:
    return more if sign > 0 else less if sign < 0 else "center"


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _near(area: tuple[float, ...], outline: Floats) -> bool:
    """Whether an outline passes through an area."""
    x, y = outline[:, 0], outline[:, 1]
    return bool(((x > area[0] - 2) & (x < area[2] + 2) & (y > area[1] - 2) & (y < area[3] + 2)).any())
