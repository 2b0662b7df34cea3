"""How the variants of one plot are drawn: the colour is the scheme's, the rest tells settings apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .palette import colour
from .shades import graded
from .words import pretty

__all__ = ["DASHES", "HATCHES", "MARKERS", "SCHEME_AXES", "TWINS", "Look", "looks"]

#: The labels that name a scheme, the first that varies deciding.
SCHEME_AXES = (
    "scheme",
    "queue",
    "discipline",
    "tcp",
    "congestion",
    "transport",
    "controller",
    "encoder",
    "abr",
    "rule",
)

#: Schemes that may do just what one beside them does: dashed and hollow, so that both can be seen.
TWINS = frozenset(
    {"red-dpm-share", "octopus-authors", "octopus-options", "newcwv paced as Linux", "salsify-idle", "pdrop"}
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.6)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")


@dataclass(frozen=True)
class Look:
    """How one variant is drawn, and what the legend calls it."""

    label: str
    colour: str
    dashes: Any
    marker: str
    hatch: str
    hollow: bool = False


def looks(variants: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> dict[str, Look]:
    """How each of the variants of one plot is drawn.

    Where schemes come under several settings, dashes, markers and hatches tell the settings apart; where two
    schemes share a colour they tell these apart. Labels that are the same for all variants are not repeated in the
    legend. Where quantities take the scheme's place (`5 ms`, `20 ms`) their colours are graded by value, among all
    values that `labels` has of them: these may be of more variants than are drawn.
    """
    own = {variant: dict(labels.get(variant) or {"variant": variant}) for variant in variants}
    axes = list(dict.fromkeys(axis for of in own.values() for axis in of))
    varying = [axis for axis in axes if len({of.get(axis) for of in own.values()}) > 1]
    candidates = (
        [axis for axis in SCHEME_AXES if axis in varying] or varying or [a for a in SCHEME_AXES if a in axes] or axes
    )
    scheme_axis = candidates[0] if candidates else ""
    others = [axis for axis in varying if axis != scheme_axis]
    settings = _places(tuple(of.get(axis, "") for axis in others) for of in own.values())
    schemes = _places(of.get(scheme_axis, "") for of in own.values())
    shades = graded([*schemes, *(of[scheme_axis] for of in labels.values() if scheme_axis in of)])
    colours = {scheme: shades.get(scheme) or colour(scheme) for scheme in schemes}
    # A scheme that shares its colour with an earlier one of this plot takes the next dashes.
    sharing: dict[str, int] = {}
    so_far: dict[str, int] = {}
    for scheme, its in colours.items():
        sharing[scheme] = so_far.get(its, 0)
        so_far[its] = sharing[scheme] + 1
    found: dict[str, Look] = {}
    for variant, of in own.items():
        scheme = of.get(scheme_axis, "")
        setting = settings[tuple(of.get(axis, "") for axis in others)]
        shift = setting + sharing[scheme]
        dashes = shift + (scheme in TWINS and not others)
        words = [pretty(of[axis]) for axis in ([scheme_axis, *others] if varying else [scheme_axis]) if of.get(axis)]
        found[variant] = Look(
            label=", ".join(words) or variant,
            colour=colours[scheme],
            dashes=DASHES[dashes % len(DASHES)],
            marker=MARKERS[(schemes[scheme] + setting) % len(MARKERS)],
            hatch=HATCHES[shift % len(HATCHES)],
            hollow=scheme in TWINS,
        )
    return found


def _places(values: Iterable[Any]) -> dict[Any, int]:
    """Each value's place among those that differ."""
    return {value: place for place, value in enumerate(dict.fromkeys(values))}
