"""newCWV: slides that predate RFC 7661 (Fairhurst, Sathiaseelan, Secchi), on its effect on a DASH stream.

They show a table of average segment rates, the congestion window and the sending rate over time, burst times,
and the sharing of a link with a bulk flow.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from matplotlib.figure import Figure

from .. import style
from ..congestion import window
from ..distribution import cdf
from ..intervals import bars
from ..reading import seconds
from ..series import time_series
from ..source import Source
from .common import only_note, panel_title, paper_values, shared_legend
from .registry import Results, figure

SLIDES, SHARING = "slides", "sharing"
TCP = ("newreno", "newcwv", "newcwv paced")
PATHS = {"rtt200": "RTT 200 ms", "rtt200-iw3": "RTT 200 ms,\ninitial window 3", "rtt400": "200 ms one way"}


def _by_path(result: Source, metric: str, name: str, says: str) -> Figure:
    ax = bars(
        result,
        metric,
        name,
        group="path",
        reference=paper_values(result, metric, [name], says=says),
        reference_label="the slides",
    )
    ax.set_xticks(range(len(PATHS)), list(PATHS.values()))
    return style.root(ax)


@figure(
    "newcwv",
    "table",
    of="table of average segment rates",
    experiments=[SLIDES],
)
def table(results: Results) -> Figure:
    """newCWV: average segment rate, as bits over fetching time."""
    return _by_path(results[SLIDES], "segment_rate", "dash", "bits over fetching time")


@figure(
    "newcwv",
    "table-representations",
    of="table of average segment rates, other reading",
    experiments=[SLIDES],
)
def representations(results: Results) -> Figure:
    """newCWV: average segment rate, as the representations' bitrate."""
    return _by_path(results[SLIDES], "representation_rate", "dash", "representations")


@figure(
    "newcwv",
    "window",
    of="curves of the congestion window",
    experiments=[SLIDES],
)
def cwnd(results: Results) -> Figure:
    """newCWV: the window after an idle time, initial window 3."""
    result = results[SLIDES]
    # Idle times start once the player's buffer is full, late in a short run.
    late = 0.85 * seconds(str(result.manifest.get("duration", "200 s")))
    made, axes = style.panels(3, 1, (6.8, 6.0))
    for ax, tcp in zip(axes, TCP, strict=True):
        window(result, "dash", variants={"tcp": tcp, "path": "rtt200-iw3"}, start=late, stop=late + 25, ax=ax)
        ax.label_outer()
        own = ax.get_legend()
        if own is not None:
            own.remove()
    handles, labels = axes[-1].get_legend_handles_labels()
    made.legend(handles, labels, loc="outside lower center", ncols=4)
    return made


@figure(
    "newcwv",
    "burst",
    of="burst transfer times",
    experiments=[SLIDES],
)
def burst(results: Results) -> Figure:
    """newCWV: time from the first to the last byte of a segment."""
    made, axes = style.panels(1, 3, (8.4, 3.2))
    for ax, (path, words) in zip(axes, PATHS.items(), strict=True):
        cdf(results[SLIDES], "burst_time", "dash", variants={"path": path, "tcp": list(TCP)}, ax=ax)
        panel_title(ax, words.replace("\n", " "), above=True)
        ax.label_outer()
    only_note(axes, keep=axes[-1])
    made.text(0.99, 0.985, axes[-1].texts[0].get_text(), ha="right", va="top", fontsize=7, color=style.NOTE_COLOUR)
    axes[-1].texts[0].remove()
    shared_legend(made, axes)
    return made


@figure(
    "newcwv",
    "loss",
    of="claim: pacing lowers loss",
    experiments=[SLIDES],
)
def loss(results: Results) -> Figure:
    """newCWV: fraction of packets dropped at the bottleneck."""
    ax = bars(results[SLIDES], "drop_rate", "bottleneck.forward", group="path")
    ax.set_xticks(range(len(PATHS)), list(PATHS.values()))
    return style.root(ax)


@figure(
    "newcwv",
    "sharing",
    of="sharing with a bulk flow",
    experiments=[SHARING],
)
def sharing(results: Results) -> Figure:
    """newCWV: sharing with a bulk flow, persistent connections, means of ten seconds."""
    made, axes = style.panels(2, 1, (6.8, 4.6))
    for ax, name, words in zip(axes, ("dash", "bulk"), ("stream", "bulk flow"), strict=True):
        beside = {"tcp": list(TCP), "connections": "persistent", "beside": "bulk", "window": "iw10"}
        time_series(results[SHARING], "goodput", name, variants=beside, samples=100, ax=ax)
        panel_title(ax, words, above=True)
        ax.label_outer()
    only_note(axes, keep=axes[0])
    shared_legend(made, axes)
    return made


__all__ = ["burst", "cwnd", "loss", "representations", "sharing", "table"]
