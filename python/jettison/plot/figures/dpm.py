"""RED-DPM: Parris, Jeffay, Smith, Borgersen, NOSSDAV 1998.

*A Better-than-Best-Effort Service for Continuous Media UDP Flows*: TCP's throughput (here its goodput), the video's
latency and its loss over the run, with a UDP blast in its middle third.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from matplotlib.figure import Figure

from .. import style
from ..series import time_series
from ..source import Source
from ..sweeps import lines
from ..words import pretty
from .common import only_note, panel_title, shade, shared_legend
from .registry import Results, figure

PROSHARE, THRESHOLDS, EXPLORE = "proshare", "thresholds", "explore"
BLAST = (30.0, 60.0)  # seconds; `flows.blast` of scenarios/dpm/proshare.toml


def _three(result: Source, tag: str) -> Figure:
    made, axes = style.panels(3, 1, (6.8, 6.6), sharey=False)
    own = {"window": "after", "blast": tag}  # the one whose runs end last
    time_series(result, "goodput", "tcp.*", variants=own, samples=10, combine="sum", ax=axes[0])
    time_series(result, "owd", "video.*", variants=own, samples=10, ax=axes[1])
    time_series(result, "loss", "video.*", variants=own, samples=10, ax=axes[2])
    for ax, words in zip(
        axes,
        (
            "goodput of TCP, three flows together",
            "latency of the video, mean of six",
            "loss of the video, mean of six",
        ),
        strict=True,
    ):
        shade(ax, *BLAST, f"{tag} blast" if ax is axes[0] else "")
        panel_title(ax, words, above=True)
        ax.label_outer()
        # RED-DPM treats untagged packets as RED does, so RED is a broad line behind it.
        for line in ax.lines:
            if line.get_label() in (pretty("red"), pretty("red-victim")):
                line.set(linewidth=3.6, alpha=0.6)
    axes[0].set_ylim(top=1.15 * axes[0].get_ylim()[1])
    only_note(axes, keep=axes[0])
    shared_legend(made, axes)
    return made


@figure(
    "dpm",
    "untagged-blast",
    of="the experiment's curves, blast untagged",
    experiments=[PROSHARE],
)
def untagged(results: Results) -> Figure:
    """RED-DPM: TCP and video while an untagged blast fills the link."""
    return _three(results[PROSHARE], "untagged")


@figure(
    "dpm",
    "tagged-blast",
    of="the experiment's curves, blast tagged",
    experiments=[PROSHARE],
)
def tagged(results: Results) -> Figure:
    """RED-DPM: TCP and video while a tagged blast fills the link."""
    return _three(results[PROSHARE], "tagged")


@figure(
    "dpm",
    "thresholds",
    of="thresholds, which the paper does not give",
    experiments=[THRESHOLDS],
)
def thresholds(results: Results) -> Figure:
    """RED-DPM: TCP and video beside a tagged blast over the thresholds of the main and the logical queues."""
    made, axes = style.panels(2, 2, (8.4, 6.0), sharey=False)
    for column, (rate, words) in enumerate((("95.7M", "95.7 Mbit/s"), ("10M", "10 Mbit/s"))):
        for ax, metric, flows, what in (
            (axes[column], "goodput", "tcp.*", "goodput of a TCP flow"),
            (axes[2 + column], "owd", "video.*", "latency of the video"),
        ):
            lines(results[THRESHOLDS], metric, flows, x="threshold", variants={"rate": rate}, ax=ax)
            panel_title(ax, f"{what}, blast of {words}", above=True)
            ax.set_xlabel("thresholds of main/logical queues (packets)")
    only_note(axes, keep=axes[-1])
    shared_legend(made, axes)
    return made


@figure(
    "dpm",
    "explore",
    of="future work: thresholds against staleness",
    experiments=[EXPLORE],
)
def explore(results: Results) -> Figure:
    """RED-DPM: loss of the tagged flows beside TCP over staleness and thresholds (first: RED)."""
    made, axes = style.panels(1, 3, (8.4, 3.2))
    for ax, kind in zip(axes, ("responsive", "unresponsive", "low-rate"), strict=True):
        lines(results[EXPLORE], "loss", f"{kind}.*", x="stale", variants={"beside": "tcp"}, ax=ax)
        panel_title(ax, kind, above=True)
        ax.set_xlabel("RED, or staleness of RED-DPM (ms)")
        ax.label_outer()
    only_note(axes, keep=axes[-1])
    shared_legend(made, axes)
    return made


__all__ = ["explore", "tagged", "thresholds", "untagged"]
