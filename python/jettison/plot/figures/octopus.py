"""Octopus: Chen, Tahir, Mittal, *Controlling congestion via in-network content adaptation*.

Figures 1 and 2 show congestion controllers on a cellular link; figure 9 latency against quality, with one
ellipse per scheme; figure 17 a backlogged flow at a legacy switch. The numbers of the other figures are not
known here.

Frame latency is of the frames that were shown. Beside it stand measures that count every frame: those in time for a
playout deadline, the quality at that deadline, and freezes.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from .. import style
from ..distribution import cdf
from ..intervals import bars
from ..looks import MARKERS
from ..reading import pick_variants
from ..samples import rolling, samples_of
from ..series import time_series
from ..source import Source
from ..sweeps import lines
from ..trade import ellipses
from ..words import pretty
from .common import only_note, panel_title, shade, shared_legend
from .registry import Results, figure

MOTIVATION, TEMPORAL, SPATIAL, VOLUMETRIC, BUFFERS, LEGACY = (
    "motivation",
    "temporal",
    "spatial",
    "volumetric",
    "buffers",
    "legacy",
)
BEYOND = "beyond"
#: Playout deadlines of the pictures: a conference's, and one for a long path.
DEADLINES = ("200 ms", "300 ms")
OPERATORS = ("a", "b", "c")
RTTS = ("20ms", "60ms", "120ms")
OTHERS = ("bbr", "cubic", "sprout", "cubic+codel", "abc", "stale oracle")


@figure(
    "octopus",
    "fig1-throughput",
    of="figure 1",
    experiments=[MOTIVATION],
)
def fig1(results: Results) -> Figure:
    """Octopus, figure 1: use of a cellular link's capacity (grey) by controllers, means of a second."""
    result = results[MOTIVATION]
    made, axes = style.panels(3, 2, (8.2, 5.6))
    oracle, seed = pick_variants(result, {"scheme": "oracle"})[0], result.seeds[0]
    samples = samples_of(result.queues, ("throughput",), ["cell.forward"], [oracle], [seed])
    offered = rolling(samples.series("throughput", oracle, seed), 10)
    for ax, scheme in zip(axes, OTHERS, strict=True):
        ax.fill_between(offered.seconds, offered.values, color="#dddddd", linewidth=0)
        time_series(result, "throughput", "cell.forward", variants={"scheme": scheme}, samples=10, ax=ax)
        panel_title(ax, pretty(scheme))
        ax.label_outer()
    only_note(axes, keep=axes[1])
    return made


@figure(
    "octopus",
    "fig2-delay",
    of="figure 2",
    experiments=[MOTIVATION],
)
def fig2(results: Results) -> Figure:
    """Octopus, figure 2: queueing delay under these controllers, means of a second."""
    made, axes = style.panels(3, 2, (8.2, 5.6))
    for ax, scheme in zip(axes, OTHERS, strict=True):
        time_series(results[MOTIVATION], "sojourn", "cell.forward", variants={"scheme": scheme}, samples=10, ax=ax)
        ax.set_yscale("symlog", linthresh=10)
        panel_title(ax, pretty(scheme))
        ax.label_outer()
    only_note(axes, keep=axes[1])
    return made


def _grid(result: Source, metric: str, statistic: str = "mean", *, part: str = "", log: bool = False) -> Figure:
    """One panel per operator, one group per RTT."""
    made, axes = style.panels(len(OPERATORS), 1, (8.2, 7.0))
    label = ""
    for ax, operator in zip(axes, OPERATORS, strict=True):
        bars(
            result,
            metric,
            "video",
            variants={"operator": operator},
            group="rtt",
            statistic=statistic,
            part=part,
            kind="point",
            log=log,
            ax=ax,
        )
        panel_title(ax, f"operator {operator}")
        ax.set_xlabel("RTT")
        ax.label_outer()
        label = ax.get_ylabel()
        ax.set_ylabel("")
    only_note(axes, keep=axes[0])
    made.supylabel(label, fontsize=9)
    if log:
        # Intervals of three seeds may reach below zero; cut them at half of the lowest value.
        lowest = min(
            float(np.asarray(line.get_ydata(), dtype=np.float64)[0])
            for ax in axes
            for line in ax.lines
            if line.get_marker() in MARKERS
        )
        axes[0].set_ylim(bottom=0.5 * lowest)
    shared_legend(made, axes)
    return made


@figure(
    "octopus",
    "case1-aoi",
    of="case 1, age of information",
    experiments=[TEMPORAL],
)
def aoi(results: Results) -> Figure:
    """Octopus, case 1 (temporal layers): age of information, 99th percentile."""
    return _grid(results[TEMPORAL], "age_of_information", "p99", log=True)


@figure(
    "octopus",
    "case1-aoi-cdf",
    of="case 1, age of information",
    experiments=[TEMPORAL],
)
def aoi_cdf(results: Results) -> Figure:
    """Octopus, case 1: age of information just before each delivery, operator b, RTT 60 ms."""
    return style.root(
        cdf(
            results[TEMPORAL],
            "age_of_information",
            "video",
            variants="operator=b,rtt=60ms",
            tail=True,
            log=True,
        )
    )


@figure(
    "octopus",
    "fig9-ellipses",
    of="figure 9",
    experiments=[SPATIAL],
)
def fig9(results: Results) -> Figure:
    """Octopus, figure 9 (case 2, quality layers): latency against quality, RTT 60 ms."""
    return _ellipses(
        results[SPATIAL], [(f"operator {o}", {"operator": o, "rtt": "60ms"}) for o in OPERATORS], (9.2, 4.4)
    )


@figure(
    "octopus",
    "case2-ellipses-rtt",
    of="case 2, latency and quality",
    experiments=[SPATIAL],
)
def case2_rtt(results: Results) -> Figure:
    """Octopus, case 2: latency against quality, operator b at three RTTs."""
    return _ellipses(
        results[SPATIAL],
        [(f"RTT {r.replace('ms', ' ms')}", {"operator": "b", "rtt": r}) for r in RTTS],
        (9.2, 4.4),
    )


def _ellipses(result: Source, wanted: Sequence[tuple[str, dict[str, str]]], size: tuple[float, float]) -> Figure:
    made, axes = style.panels(1, len(wanted), size)
    for ax, (words, variants) in zip(axes, wanted, strict=True):
        ellipses(result, variants=variants, log=True, names=False, legend=True, ax=ax)
        panel_title(ax, words)
        ax.label_outer()
    only_note(axes, keep=axes[-1])
    shared_legend(made, axes)
    return made


@figure(
    "octopus",
    "case2-latency",
    of="case 2, frame latency",
    experiments=[SPATIAL],
)
def case2_latency(results: Results) -> Figure:
    """Octopus, case 2: latency of the frames shown, 99th percentile."""
    return _grid(results[SPATIAL], "frame_latency", "p99", log=True)


@figure(
    "octopus",
    "case2-quality",
    of="case 2, quality",
    experiments=[SPATIAL],
)
def case2_quality(results: Results) -> Figure:
    """Octopus, case 2: quality of the displayed frames."""
    return _grid(results[SPATIAL], "sqi_ssim")


@figure(
    "octopus",
    "case2-in-time",
    of="case 2, beside frame latency",
    experiments=[SPATIAL],
)
def case2_in_time(results: Results) -> Figure:
    """Octopus, case 2: frames in time for a playout deadline of 300 ms, of all captured."""
    return _grid(results[SPATIAL], "frames_in_time", part=DEADLINES[1])


@figure(
    "octopus",
    "case2-quality-at-deadline",
    of="case 2, beside quality",
    experiments=[SPATIAL],
)
def case2_at_deadline(results: Results) -> Figure:
    """Octopus, case 2: quality at a playout deadline of 300 ms."""
    return _grid(results[SPATIAL], "sqi_at_deadline", part=DEADLINES[1])


@figure(
    "octopus",
    "case2-freezes",
    of="case 2, beside frame latency",
    experiments=[SPATIAL],
)
def case2_freezes(results: Results) -> Figure:
    """Octopus, case 2: freezes of the picture, by the rule of WebRTC's statistics."""
    return _grid(results[SPATIAL], "freeze_rate")


@figure(
    "octopus",
    "case3-volumetric",
    of="case 3",
    experiments=[VOLUMETRIC],
)
def case3(results: Results) -> Figure:
    """Octopus, case 3 (point clouds over 5G): quality, latency of the frames shown, and frames in time for 200 ms."""
    made, axes = style.panels(1, 3, (11.0, 3.4), sharex=False, sharey=False)
    bars(results[VOLUMETRIC], "sqi_ssim", "video", group="rtt", kind="point", ax=axes[0])
    bars(results[VOLUMETRIC], "frame_latency", "video", group="rtt", statistic="p99", log=True, ax=axes[1])
    bars(results[VOLUMETRIC], "frames_in_time", "video", group="rtt", part=DEADLINES[0], kind="point", ax=axes[2])
    for ax in axes:
        ax.set_xlabel("RTT")
    only_note(axes, keep=axes[2])
    shared_legend(made, axes)
    return made


@figure(
    "octopus",
    "buffers",
    of="buffers at the bottleneck",
    experiments=[BUFFERS],
)
def buffers(results: Results) -> Figure:
    """Octopus: the size of the bottleneck's buffer, RTT 120 ms."""
    made, axes = style.panels(1, 3, (11.0, 3.6), sharey=False)
    lines(results[BUFFERS], "sqi_ssim", "video", x="buffer", log=True, ax=axes[0])
    lines(results[BUFFERS], "frame_latency", "video", x="buffer", statistic="p95", log=True, ax=axes[1])
    lines(results[BUFFERS], "frames_in_time", "video", x="buffer", part=DEADLINES[1], log=True, ax=axes[2])
    for ax in axes:
        ax.set_xlabel("Buffer (packets)")
    only_note(axes, keep=axes[2])
    shared_legend(made, axes)
    return made


@figure(
    "octopus",
    "beyond",
    of="beyond the paper",
    experiments=[BEYOND],
)
def beyond(results: Results) -> Figure:
    """Octopus, beyond the paper: frames in time for 200 and 300 ms, quality and freezes, video a."""
    made, axes = style.panels(4, 1, (8.2, 8.6), sharey=False)
    wanted = [("frames_in_time", deadline) for deadline in DEADLINES] + [("sqi_ssim", ""), ("freeze_rate", "")]
    for ax, (metric, part) in zip(axes, wanted, strict=True):
        bars(
            results[BEYOND],
            metric,
            "video",
            variants={"video": "a", "rtt": "60ms"},
            group="trace",
            part=part,
            kind="point",
            ax=ax,
        )
        panel_title(ax, f"deadline {part}" if part else "no deadline")
        ax.label_outer()
    only_note(axes, keep=axes[0])
    shared_legend(made, axes)
    return made


@figure(
    "octopus",
    "fig17-legacy",
    of="figure 17",
    experiments=[LEGACY],
)
def fig17(results: Results) -> Figure:
    """Octopus, figure 17: a backlogged flow of BBR from 20 to 80 s at a legacy switch, means of ten seconds."""
    made, axes = style.panels(2, 1, (7.6, 5.0), sharey=False)
    own = {
        "load": "bulk for a minute",
        "rival": "bbr",
        "buffer": "100 packets",
        "scheme": ["octobbr", "salsify-idle", "salsify-send-gap", "awstream-cubic", "awstream-bbr"],
    }
    time_series(results[LEGACY], "throughput", "switch.forward", variants=own, samples=10, ax=axes[0])
    time_series(results[LEGACY], "sqi_ssim", "video", variants=own, samples=10, ax=axes[1])
    for ax, words in zip(axes, ("through the switch", "the video"), strict=True):
        reach = ax.get_xlim()
        shade(ax, 20.0, 80.0, "")
        ax.set_xlim(reach)
        panel_title(ax, words, above=True)
        ax.label_outer()
    only_note(axes, keep=axes[0])
    shared_legend(made, axes)
    return made


__all__ = [
    "aoi",
    "aoi_cdf",
    "beyond",
    "buffers",
    "case2_at_deadline",
    "case2_freezes",
    "case2_in_time",
    "case2_latency",
    "case2_quality",
    "case2_rtt",
    "case3",
    "fig1",
    "fig2",
    "fig9",
    "fig17",
]
