"""Common style of figures and axes: settings, remarks, legends."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
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
#: Number of legend lines per inch of a figure.
LINES_AN_INCH = 4.6
#: Size of a remark in points, its number of letters per inch, and the separator of its parts.
NOTE_SIZE, LETTERS_AN_INCH, BETWEEN = 7.0, 18.5, " \u00b7 "
#: Width in inches of the package's own figures with a legend beside the axes.
WIDEST = 14.0
#: Figures created here for one plot, and not given by the caller.
_OWN: WeakSet[Figure] = WeakSet()

#: Settings for the package's own figures.
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
    """Applies the package's settings to new figures within the context only."""
    interactive = mpl.is_interactive()
    try:
        with mpl.rc_context(cast(Any, dict(SETTINGS))):
            try:
                yield
            finally:
                # The first figure in a notebook turns interactive mode on for later ones.
                interactive = mpl.is_interactive()
    finally:
        mpl.interactive(interactive)


def styled(draw: Callable[Given, Made]) -> Callable[Given, Made]:
    """Wraps a function that draws its first argument, a result, in :func:`context`."""

    @wraps(draw)
    def within(*args: Given.args, **kwargs: Given.kwargs) -> Made:
        given = [*args[:1], *(kwargs[name] for name in ("result",) if name in kwargs)]
        if given:  # otherwise Python reports the missing argument
            check_result(given[0])
        with context():
            return draw(*args, **kwargs)

    return within


def new_axes(ax: Axes | None, size: tuple[float, float] = (6.4, 3.6)) -> Axes:
    """The axes given, or axes of a new figure."""
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
    """The figure of the axes."""
    figure = ax.get_figure()
    while isinstance(figure, SubFigure):
        figure = figure.get_figure()
    assert figure is not None, "axes that are drawn on are in a figure"
    return figure


def note(ax: Axes, *parts: str, beside: float = 0.0) -> None:
    """Adds a small remark at the top right, such as the objects, the seed and the number of runs.

    It is wrapped as necessary beside other text of `beside` inches.
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
    """The remark above axes, and its parts."""
    found = [text for text in ax.texts if text.get_color() == NOTE_COLOUR]
    return (found[0], re.split(rf"{BETWEEN.rstrip()}\s", found[0].get_text())) if found else None


def reword(text: Text, parts: Sequence[str]) -> None:
    """Replaces the parts of a remark and wraps them."""
    ax = text.axes
    assert isinstance(ax, Axes), "a remark is above axes"
    text.set_text(_lines(parts, ax.get_position().width * root(ax).get_figwidth()))


def _lines(parts: Sequence[str], width: float) -> str:
    """Wraps the parts to lines of a width in inches. Parts are not broken, so that they can be found again."""
    fixed = [part.replace(" ", "\u00a0") for part in parts if part]
    text = BETWEEN.replace(" ", "\u00a0", 1).join(fixed)
    wrapped = textwrap.wrap(text, max(int(width * LETTERS_AN_INCH), 24), break_long_words=False, break_on_hyphens=False)
    return "\n".join(wrapped).replace("\u00a0", " ")


def legend(ax: Axes, *, title: str | None = None, where: str = "") -> None:
    """Adds a legend of all labelled drawings, at a place where it hides nothing.

    It is `inside` the axes for up to four entries if there is room, else `right` of them, in up to two columns; or `above`.
    """
    legend_of(ax, *ax.get_legend_handles_labels(), title=title, where=where)


def legend_of(
    ax: Axes, handles: Sequence[Artist], labels: Sequence[str], *, title: str | None = None, where: str = ""
) -> None:
    """Adds a legend of these handles."""
    if not handles:
        return
    where = where or ("right" if len(handles) > 4 else "inside")
    if where == "inside":
        made = ax.legend(handles, labels, title=title, loc="best")
        if _hides(ax, made):
            where = "right"
    if where == "right":
        fit = max(int(root(ax).get_figheight() * LINES_AN_INCH), 4)
        if len(handles) > 2 * fit:  # at most two columns beside the axes
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
    """Height of the remark above the axes in points."""
    remark = noted(ax)
    return 5.0 + (1.3 * NOTE_SIZE * (1 + remark[0].get_text().count("\n")) if remark else 0.0)


def _widen(ax: Axes) -> None:
    """Widens a figure of our own for a legend beside its axes, so that these keep three quarters of the width."""
    figure, made = root(ax), ax.get_legend()
    if figure not in _OWN or made is None:
        return
    width = figure.get_figwidth()
    figure.set_figwidth(WIDEST)  # make room for the measurement
    figure.draw_without_rendering()
    room = made.get_window_extent().width / figure.dpi
    figure.set_figwidth(max(width, min(0.75 * width + room, WIDEST)))


def _hides(ax: Axes, made: Legend) -> bool:
    """Whether a legend covers drawings. The location "best" covers the least, which may be a lot."""
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
