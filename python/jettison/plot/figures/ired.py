"""iRED: de Almeida et al., CNSM 2022.

*iRED: Improving the DASH QoS by dropping packets in programmable data planes* shows the RTT as means of ten
successive samples, the distribution of the throughput, drops and recirculated traffic; and for the viewer, the
buffer level over time and the distribution of the frames per second.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.figure import Figure

from .. import style
from ..distribution import cdf
from ..intervals import bars
from ..series import time_series
from ..source import Source
from .common import only_note, panel_title, paper_values, warm_up_shaded
from .registry import Results, figure

FIRST, SECOND = "ingress-vs-egress", "dash-cdn"
SIZES = ("64", "128", "256", "512", "1024")
# The paper's seven curves; iRED with the published programs' coin.
SEVEN = [*(f"ired-{size}" for size in SIZES), "codel", "pi2"]


def _seven(result: Source) -> Mapping[str, str | Sequence[str]]:
    """Those of the paper's curves that the result has, under CUBIC, the default of the paper's systems."""
    there = {labels["queue"] for labels in result.labels.values()}
    return {"queue": [queue for queue in SEVEN if queue in there], "congestion": "cubic"}


@figure(
    "ired",
    "rtt",
    of="experiment 1, RTT",
    experiments=[FIRST],
)
def rtt(results: Results) -> Figure:
    """iRED, experiment 1: RTT of ping, mean of ten successive samples."""
    return style.root(time_series(results[FIRST], "rtt", "ping", variants=_seven(results[FIRST]), samples=10))


@figure(
    "ired",
    "throughput",
    of="experiment 1, throughput",
    experiments=[FIRST],
)
def throughput(results: Results) -> Figure:
    """iRED, experiment 1: distribution of the throughput, as the goodput of the TCP flow."""
    return style.root(cdf(results[FIRST], "goodput", "bulk", variants=_seven(results[FIRST])))


@figure(
    "ired",
    "drops",
    of="experiment 1, drops",
    experiments=[FIRST],
)
def drops(results: Results) -> Figure:
    """iRED, experiment 1: packets dropped, by iRED at ingress, by CoDel and PI2 at egress."""
    result = results[FIRST]
    queue = ["bottleneck.forward"]
    ax = bars(result, "drop_rate", queue, variants=_seven(result), reference=paper_values(result, "drop_rate", queue))
    return style.root(ax)


@figure(
    "ired",
    "recirculated",
    of="experiment 1, recirculated traffic",
    experiments=[FIRST],
)
def recirculated(results: Results) -> Figure:
    """iRED, experiment 1: packets that pass the recirculation port."""
    result = results[FIRST]
    own = {"queue": [f"ired-{size}" for size in SIZES], "congestion": "cubic"}
    return style.root(
        bars(
            result,
            "recirculated_share",
            "r",
            variants=own,
            reference=paper_values(result, "recirculated_share", ["r"]),
        )
    )


def _pairs(result: Source, kind: str) -> Figure:
    """One panel per buffer reference: iRED against tail drop with the same number of packets."""
    made, axes = style.panels(len(SIZES), 1, (6.4, 7.6))
    for ax, size in zip(axes, SIZES, strict=True):
        pair = {"queue": [f"ired-{size}", f"tail-drop-{size}"]}
        if kind == "buffer":
            time_series(result, "buffer", "video", variants=pair, samples=10, ax=ax)
            warm_up_shaded(result, ax)
        else:
            cdf(result, "frames_per_second", "video", variants=pair, ax=ax)
        ax.label_outer()
        ax.set_ylabel("")
        style.legend(ax, where="right")
    only_note(axes, axes[0])
    made.supylabel(
        "Media in the buffer (s)" if kind == "buffer" else "Fraction of seconds with at most x frames",
        fontsize=9,
    )
    return made


@figure(
    "ired",
    "buffer",
    of="experiment 2, client's buffer",
    experiments=[SECOND],
)
def buffer(results: Results) -> Figure:
    """iRED, experiment 2: seconds in the viewer's buffer, mean of ten seconds."""
    return _pairs(results[SECOND], "buffer")


@figure(
    "ired",
    "frames",
    of="experiment 2, frames per second",
    experiments=[SECOND],
)
def frames(results: Results) -> Figure:
    """iRED, experiment 2: distribution of the frames per second."""
    return _pairs(results[SECOND], "frames")


@figure(
    "ired",
    "load",
    of="experiment 2, load",
    experiments=[SECOND],
)
def load(results: Results) -> Figure:
    """iRED, experiment 2: players of the two load generators."""
    made, axes = style.panels(2, 1, (6.4, 4.2))
    for ax, name, behind in zip(
        axes,
        ("transit-load", "client-load"),
        ("behind the transit router", "behind the client router"),
        strict=True,
    ):
        time_series(results[SECOND], "active_players", name, variants="queue=ired-64", ax=ax)
        warm_up_shaded(results[SECOND], ax)
        panel_title(ax, behind, above=True)
        ax.label_outer()
    only_note(axes, axes[0])
    return made


__all__ = ["buffer", "drops", "frames", "load", "recirculated", "rtt", "throughput"]
