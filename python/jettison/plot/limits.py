"""Where axes begin. What cannot be negative has no axis that begins below zero.

The limits stay matplotlib's own, so that what is drawn later, or on axes that share these, still fits on them: only the
data's limits are moved, and an edge at zero that no margin crosses.
"""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes

__all__ = ["from_zero", "not_below_zero"]


def from_zero(ax: Axes, least: float, axis: Literal["x", "y"] = "y") -> None:
    """An axis that begins at zero if no value is below it. An interval that reaches below is cut there."""
    if least >= 0:
        setattr(ax.dataLim, f"{axis}0", 0.0)
        _edge(ax, axis)


def not_below_zero(ax: Axes, least: float, axis: Literal["x", "y"] = "y") -> None:
    """An axis that begins where its values do, but not below zero if none of them is."""
    if least >= 0:
        if getattr(ax.dataLim, f"{axis}0") < 0:
            setattr(ax.dataLim, f"{axis}0", 0.0)
        _edge(ax, axis)


def _edge(ax: Axes, axis: Literal["x", "y"]) -> None:
    for artist in (*ax.lines, *ax.collections, *ax.patches):
        edges = artist.sticky_edges.x if axis == "x" else artist.sticky_edges.y
        edges.append(0.0)
    ax.autoscale_view()
    # Where there is but one value no margin is kept from crossing an edge.
    low, _ = ax.get_xbound() if axis == "x" else ax.get_ybound()
    if low < 0:
        (ax.set_xbound if axis == "x" else ax.set_ybound)(lower=0.0)
