"""Limits of axes. Axes of values that cannot be negative do not begin below zero.

The limits remain automatic, so later drawings, also on shared axes, still fit: only the data limits are moved, with a
sticky edge at zero that margins do not cross.
"""

from __future__ import annotations

from typing import Literal

from matplotlib.axes import Axes

__all__ = ["from_zero", "not_below_zero"]


def from_zero(ax: Axes, least: float, axis: Literal["x", "y"] = "y") -> None:
    """Begins the axis at zero if no value is below. Intervals that reach below are cut there."""
    if least >= 0:
        setattr(ax.dataLim, f"{axis}0", 0.0)
        _edge(ax, axis)


def not_below_zero(ax: Axes, least: float, axis: Literal["x", "y"] = "y") -> None:
    """Begins the axis at its values, but not below zero unless a value is."""
    if least >= 0:
        if getattr(ax.dataLim, f"{axis}0") < 0:
            setattr(ax.dataLim, f"{axis}0", 0.0)
        _edge(ax, axis)


def _edge(ax: Axes, axis: Literal["x", "y"]) -> None:
    for artist in (*ax.lines, *ax.collections, *ax.patches):
        edges = artist.sticky_edges.x if axis == "x" else artist.sticky_edges.y
        edges.append(0.0)
    ax.autoscale_view()
    # With a single value, matplotlib's margins ignore edges.
    low, _ = ax.get_xbound() if axis == "x" else ax.get_ybound()
    if low < 0:
        (ax.set_xbound if axis == "x" else ax.set_ybound)(lower=0.0)
