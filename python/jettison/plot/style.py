"""Figures and axes as this package makes them: settings, remarks, legends."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.path import Path

__all__ = ["NOTE_COLOUR", "context", "from_zero", "legend", "legend_of", "new_axes", "note", "panels", "root", "styled"]

NOTE_COLOUR = "#666666"
#: How many lines of a legend an inch of a figure has room for.
LINES_AN_INCH = 4.6

#: Settings for figures that this package makes itself.
SETTINGS: Mapping[str, Any] = {
    "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 10.0, "legend.fontsize": 8.0,
    "xtick.labelsize": 8.0, "ytick.labelsize": 8.0, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "axes.titlelocation": "left", "lines.linewidth": 1.3, "figure.dpi": 110.0,
    "savefig.dpi": 150.0, "svg.hashsalt": "jettison", "svg.fonttype": "none", "pdf.fonttype": 42,
    "legend.frameon": False, "figure.constrained_layout.use": True, "hatch.linewidth": 0.6,
}  # fmt: skip

Given = ParamSpec("Given")
Made = TypeVar("Made")


@contextmanager
def context() -> Generator[None, None, None]:
    """Within it, matplotlib makes figures as this package does; outside nothing has changed."""
    interactive = mpl.is_interactive()
    try:
        with mpl.rc_context(cast(Any, dict(SETTINGS))):
            try:
                yield
            finally:
                # The first figure of a notebook turns this on for all that follow.
                interactive = mpl.is_interactive()
    finally:
        mpl.interactive(interactive)


def styled(draw: Callable[Given, Made]) -> Callable[Given, Made]:
    """A function that draws, within :func:`context`."""

    @wraps(draw)
    def within(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        with context():
            return draw(*args, **kwargs)

    return within


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 3.6)) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    return plt.subplots(figsize=size)[1]


def panels(
    rows: int, columns: int, size: tuple[float, float], *, sharex: bool = True, sharey: bool = True
) -> tuple[Figure, list[Axes]]:
    """A new figure with axes in rows, as one list."""
    figure, grid = plt.subplots(rows, columns, figsize=size, sharex=sharex, sharey=sharey, squeeze=False)
    return figure, list(grid.ravel())


def root(ax: Axes) -> Figure:
    """The figure that axes are in."""
    figure = ax.get_figure()
    while isinstance(figure, SubFigure):
        figure = figure.get_figure()
    assert figure is not None, "axes that are drawn on are in a figure"
    return figure


def note(ax: Axes, text: str) -> None:
    """A small remark at the top right: which seed it is, how many runs."""
    ax.annotate(
        text,
        (1.0, 1.0),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=7,
        color=NOTE_COLOUR,
    )


def legend(ax: Axes, *, title: str | None = None, where: str = "") -> None:
    """A legend of all that has a label, where it hides nothing.

    That is `inside` the axes with up to four entries, if there is room, else `right` of them, in two columns if it must; or `above`.
    """
    legend_of(ax, *ax.get_legend_handles_labels(), title=title, where=where)


def legend_of(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], *, title: str | None = None, where: str = ""
) -> None:
    """A legend of these."""
    if not handles:
        return
    where = where or ("right" if len(handles) > 4 else "inside")
    if where == "inside":
        made = ax.legend(handles, labels, title=title, loc="best")
        if _hides(ax, made):
            where = "right"
    if where == "right":
        fit = max(int(root(ax).get_figheight() * LINES_AN_INCH), 4)
        if len(handles) > 2 * fit:  # no more than two columns stand beside what they explain
            more = f"… and {len(handles) - 2 * fit + 1} more"
            handles, labels = (
                [*handles[: 2 * fit - 1], Line2D([], [], linestyle="none")],
                [*labels[: 2 * fit - 1], more],
            )
        ax.legend(
            handles,
            labels,
            title=title,
            loc="upper left",
            bbox_to_anchor=(1.01, 1.0),
            borderaxespad=0.0,
            ncols=1 if len(handles) <= fit else 2,
        )
    elif where == "above":
        ax.legend(
            handles,
            labels,
            title=title,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.05),
            borderaxespad=0.0,
            ncols=4,
        )


def _hides(ax: Axes, made: Legend) -> bool:
    """Whether a legend lies on something that is drawn. "best" is where it hides least, which may be a lot."""
    root(ax).draw_without_rendering()
    box = made.get_window_extent()
    for line in ax.lines:
        points = line.get_transform().transform(line.get_xydata())
        if len(points) and Path(points[~np.isnan(points).any(axis=1)]).intersects_bbox(box, filled=False):
            return True
    if any(patch.get_window_extent().overlaps(box) for patch in ax.patches if patch.get_zorder() > 0):
        return True
    paths = [(path, of.get_transform()) for of in ax.collections for path in of.get_paths() if np.size(path.vertices)]
    return any(transform.transform_path(path).intersects_bbox(box) for path, transform in paths)


def from_zero(ax: Axes, least: float) -> None:
    """A values' axis that begins at zero if no value is below it.

    An interval that reaches below is cut there.
    """
    if least >= 0:
        ax.set_ylim(bottom=0)
