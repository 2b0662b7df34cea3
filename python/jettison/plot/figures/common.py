"""Helpers for the papers' figures."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .. import style
from ..reading import warm_up
from ..source import Source
from ..words import pretty
from .registry import reproduced

__all__ = ["only_note", "panel_title", "paper_values", "shade", "shared_legend", "warm_up_shaded"]


def paper_values(
    result: Source, metric: str, objects: Sequence[str], *, says: str = ""
) -> dict[tuple[str, str], float]:
    """The paper's values for single variants, by variant and object.

    A row of `reproduction.json` does not name the object. With several objects it is derived from the row's title,
    which contains the object as readers write it (`slice 1`). The title must also contain `says`. Nominal values of
    claims in words are no values of the paper.
    """
    found: dict[tuple[str, str], float] = {}
    for row in reproduced(result):
        title, variant = str(row["figure"]), str(row["variant"])
        if row["metric"] != metric or " / " in variant or says not in title:
            continue
        if row["paper_value"] is None or row.get("nominal", False):
            continue
        own = objects if len(objects) == 1 else [name for name in objects if pretty(name) in title]
        for name in own:
            found.setdefault((variant, name), float(row["paper_value"]))
    return found


def panel_title(ax: Axes, text: str, *, above: bool = False) -> None:
    """A panel's title at the top left: inside, or above if lines would cross it."""
    if above:
        ax.set_title(text, fontsize=8.5, fontweight="bold", pad=3)
        return
    ax.annotate(
        text,
        (0.02, 0.97),
        xycoords="axes fraction",
        ha="left",
        va="top",
        fontsize=8.5,
        fontweight="bold",
        bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.0},
        zorder=6,
    )


def shade(ax: Axes, start: float, stop: float, label: str) -> None:
    """Shades an interval of time."""
    ax.axvspan(start, stop, color="#eeeeee", linewidth=0, zorder=0)
    ax.annotate(
        label,
        ((start + stop) / 2, 1.0),
        (0, -3),
        xycoords=("data", "axes fraction"),
        textcoords="offset points",
        ha="center",
        va="top",
        fontsize=7.5,
        color="#777776",
    )


def only_note(axes: Sequence[Axes], keep: Axes) -> None:
    """Removes the remark above the axes from all panels but one; that one keeps the parts common to all."""
    remarks = {ax: found for ax in axes if (found := style.noted(ax)) is not None}
    for ax, (text, parts) in remarks.items():
        if ax is keep:
            style.reword(text, [part for part in parts if all(part in other for _, other in remarks.values())])
        else:
            text.remove()


def warm_up_shaded(result: Source, ax: Axes) -> None:
    """Shades the warm-up."""
    end = warm_up(result)
    if end > 0:
        shade(ax, 0.0, end, "warm-up")


def shared_legend(figure: Figure, axes: Sequence[Axes], *, columns: int = 5) -> None:
    """One legend below all panels, with each scheme once; the panels' own legends are removed."""
    handles: dict[str, Artist] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
        own = ax.get_legend()
        if own is not None:
            own.remove()
    figure.legend(list(handles.values()), list(handles), loc="outside lower center", ncols=min(columns, len(handles)))
