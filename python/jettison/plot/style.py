"""Figures and axes as this package makes them: settings, remarks, legends."""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast
from weakref import WeakSet

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import ScaledTranslation

from .arguments import check_result

__all__ = [
    "NOTE_COLOUR", "context", "legend", "legend_of", "new_axes", "note", "noted", "panels", "reword", "root", "styled",
]  # fmt: skip

NOTE_COLOUR = "#666666"
#: How many lines of a legend an inch of a figure has room for.
LINES_AN_INCH = 4.6
#: A remark: its size in points, how many letters of it an inch has room for, and what stands between its parts.
NOTE_SIZE, LETTERS_AN_INCH, BETWEEN = 7.0, 18.5, " \u00b7 "
#: A figure of this package's own gets as wide as this for a legend beside its axes, in inches.
WIDEST = 14.0
#: The figures that were made here for one plot, and not given by the caller.
_OWN: WeakSet[Figure] = WeakSet()

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
    """A function that draws its first argument, a result, within :func:`context`."""

    @wraps(draw)
    def within(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        given = [*args[:1], *(kwargs[name] for name in ("result",) if name in kwargs)]
        if given:  # else Python itself says what is missing
            check_result(given[0])
        with context():
            return draw(*args, **kwargs)

    return within


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 3.6)) -> Axes:
    """The axes given, or those of a new figure."""
    if ax is not None:
        return ax
    figure, made = plt.subplots(figsize=size)
    _OWN.add(figure)
    return made


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


def note(ax: Axes, *parts: str, beside: float = 0.0) -> None:
    """A small remark at the top right: of what it is, which seed, how many runs.

    It has as many lines as it needs beside what else stands there, which is so many inches wide.
    """
    width = ax.get_position().width * root(ax).get_figwidth() - beside
    ax.annotate(
        _lines(parts, width),
        (1.0, 1.0),
        (0, 3),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="right",
        va="bottom",
        fontsize=NOTE_SIZE,
        color=NOTE_COLOUR,
    )


def noted(ax: Axes) -> tuple[Text, list[str]] | None:
    """The remark that stands above axes, and its parts."""
    found = [text for text in ax.texts if text.get_color() == NOTE_COLOUR]
    return (found[0], re.split(rf"{BETWEEN.rstrip()}\s", found[0].get_text())) if found else None


def reword(text: Text, parts: Sequence[str]) -> None:
    """Has a remark say these parts, in as many lines as they need."""
    ax = text.axes
    assert isinstance(ax, Axes), "a remark is above axes"
    text.set_text(_lines(parts, ax.get_position().width * root(ax).get_figwidth()))


def _lines(parts: Sequence[str], width: float) -> str:
    """The parts in lines of that width, in inches. None is broken: a name would not be found again."""
    fixed = [part.replace(" ", "\u00a0") for part in parts if part]
    text = BETWEEN.replace(" ", "\u00a0", 1).join(fixed)
    wrapped = textwrap.wrap(text, max(int(width * LETTERS_AN_INCH), 24), break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapped).replace("\u00a0", " ")


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
        _widen(ax)
    elif where == "above":
        ax.legend(
            handles,
            labels,
            title=title,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            bbox_transform=ax.transAxes + ScaledTranslation(0.0, _noted_height(ax) / 72.0, root(ax).dpi_scale_trans),
            borderaxespad=0.0,
            ncols=4,
        )


def _noted_height(ax: Axes) -> float:
    """How high above the axes the remark reaches, in points."""
    remark = noted(ax)
    return 5.0 + (1.3 * NOTE_SIZE * (1 + remark[0].get_text().count("\n")) if remark else 0.0)


def _widen(ax: Axes) -> None:
    """Makes a figure of our own wider for the legend beside its axes, so that these keep three quarters of their width."""
    figure, made = root(ax), ax.get_legend()
    if figure not in _OWN or made is None:
        return
    width = figure.get_figwidth()
    figure.set_figwidth(WIDEST)  # so that there is room while it is measured
    figure.draw_without_rendering()
    room = made.get_window_extent().width / figure.dpi
    figure.set_figwidth(max(width, min(0.75 * width + room, WIDEST)))


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
