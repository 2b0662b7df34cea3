"""One picture as a small SVG on a white card, which can be read on light and dark pages."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import io
import re

import matplotlib as mpl
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from ...plot import style
from ...result import Result
from .panels import PANELS, Scheme, draw_layers, draw_rates, of_schemes
from .pictures import Picture
from .samples import Run

__all__ = ["draw"]

#: From when to when the scenarios' link is under stress.
STRESS = (10.0, 15.0)
WIDTH, HEIGHT = 7.2, 1.28


def draw(picture: Picture, result: Result, seed: int) -> str:
    """Draws a picture; returns the SVG."""
    runs = {scheme: Run(result, f"queue={scheme}", seed) for scheme in picture.schemes}
    with style.context(), mpl.rc_context({"svg.id": "picture", "lines.linewidth": 1.2}):
        schemes = of_schemes(runs)
        rows = len(picture.panels) + 1
        figure, axes = plt.subplots(rows, 1, figsize=(WIDTH, HEIGHT * rows), sharex=True, squeeze=False)
        flows = [flow for flow in ("first", "second", "call", "burst") if flow in result.objects]
        places = iter(axes[:, 0])
        for panel in picture.panels:
            if panel in PANELS:
                ax = next(places)
                PANELS[panel](ax, schemes)
                _finish(ax)
                continue
            for scheme in (schemes[0], schemes[-1]):
                ax = next(places)
                _draw_one(ax, panel, scheme, flows)
                _finish(ax, title=scheme.label, has_legend=scheme is schemes[0])
        axes[-1, 0].set_xlabel("time, s")
        axes[-1, 0].set_xlim(0, 25)
        figure.align_ylabels()
        text = io.StringIO()
        figure.savefig(text, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
        plt.close(figure)
    return _small(text.getvalue())


def _draw_one(ax: Axes, panel: str, scheme: Scheme, flows: list[str]) -> None:
    if panel == "rates":
        draw_rates(ax, scheme, flows)
    else:
        draw_layers(ax, scheme)


def _finish(ax: Axes, title: str = "", *, has_legend: bool = True) -> None:
    ax.axvspan(*STRESS, color="#000000", alpha=0.06, linewidth=0)
    ax.grid(axis="y", color="#dddddd", linewidth=0.5)
    if title:
        ax.set_title(title, fontsize=8.5, pad=2)
    if has_legend:
        ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=7.5, handlelength=1.8)


def _small(svg: str) -> str:
    """Coordinates with one decimal, and no comments: a third of the size."""
    svg = re.sub(r"<!--.*?-->\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    svg = re.sub(r"-?\d+\.\d{2,}", lambda found: f"{float(found.group()):.1f}".removesuffix(".0"), svg)
    svg = re.sub(r"[ \t]*\n[ \t]*", "\n", svg)
    # A command of a path holds for all points that follow.
    return re.sub(r"(?<=\d)\nL(?= -?\d)", "", svg).strip() + "\n"
