"""The panels of a picture: each draws one quantity over time for some schemes."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ...plot.looks import looks
from ...plot.palette import appearance, colour
from .samples import PROPAGATION, Points, Run, binned

__all__ = ["PANELS", "Scheme", "draw_layers", "draw_rates", "of_schemes"]

#: Seconds between points of rates, and of counts.
WIDTH = 0.5
#: A frame of the call is in time within this many ms of its sending, one of the video within these of its capture.
CALL_DEADLINE, VIDEO_DEADLINE = 100.0, 150.0
#: Layers of the video.
LAYERS = 3

#: Flows in the order of the legend: name, scheme whose colour it has, dashes, and what the legend calls it.
FLOWS = (
    ("first", "segments", "-", "download 1"),
    ("second", "web", (0, (4, 1.5)), "download 2"),
    ("call", "conference", "-", "call"),
    ("burst", "cbr", "-", "burst"),
)


@dataclass(frozen=True)
class Scheme:
    """A variant that is drawn."""

    run: Run
    label: str
    colour: str
    dashes: Any


#: Variants that go by another name than that of their discipline: the discipline whose look they have, and the legend's words.
VARIANTS: Mapping[str, tuple[str, str]] = {
    "tail-drop-50": ("tail-drop", "tail drop, 50 packets"),
    "tail-drop-30": ("tail-drop", "tail drop"),
    "packet-rate": ("tail-drop", "tail drop"),
    "packet-rate-codel": ("codel", "CoDel"),
    "red-10-30": ("red", "RED"),
}


def of_schemes(runs: Mapping[str, Run]) -> list[Scheme]:
    """The schemes with the colours and lines of the catalogue; several of one colour differ by the line."""
    disciplines = {name: VARIANTS.get(name, (name,))[0] for name in runs}
    is_unique = len(set(disciplines.values())) == len(runs)
    named = {
        name: {"queue": own} if is_unique else {"queue": own, "variant": name} for name, own in disciplines.items()
    }
    found = looks(list(runs), named)
    schemes: list[Scheme] = []
    for name, run in runs.items():
        own = appearance(disciplines[name])
        label = VARIANTS[name][1] if name in VARIANTS else own.name if own else name
        schemes.append(Scheme(run, label, found[name].colour, found[name].dashes))
    return schemes


def _lines(ax: Axes, schemes: Sequence[Scheme], points: Callable[[Run], Points], *, steps: bool = False) -> None:
    for scheme in schemes:
        times, values = points(scheme.run)
        style: dict[str, Any] = {"color": scheme.colour, "linestyle": scheme.dashes, "label": scheme.label}
        if steps:
            ax.step(times, values, where="pre", **style)
        else:
            ax.plot(times, values, **style)


def _milliseconds(ax: Axes) -> None:
    ax.set_yscale("log")
    ax.set_ylim(0.5, 700)
    ax.set_yticks([1, 10, 100], ["1", "10", "100"])
    ax.minorticks_off()


def _sojourn(ax: Axes, schemes: Sequence[Scheme]) -> None:
    _lines(ax, schemes, lambda run: binned(run.sojourn(), 0.2, np.mean))
    _milliseconds(ax)
    ax.set_ylabel("sojourn time\nms")


def _call(ax: Axes, schemes: Sequence[Scheme]) -> None:
    _lines(ax, schemes, lambda run: binned(run.waits("call"), 0.2, np.mean))
    _milliseconds(ax)
    ax.set_ylabel("call's queueing\ndelay, ms")


def _rtt(ax: Axes, schemes: Sequence[Scheme]) -> None:
    """Queueing delay of TCP packets: the smoothed RTT beyond the propagation; both downloads of the last scheme apart."""
    of_flows = [(scheme, "first", "-", scheme.label) for scheme in schemes[:-1]]
    last = schemes[-1]
    of_flows += [(last, "first", "-", f"{last.label}, CUBIC"), (last, "second", (0, (4, 1.5)), f"{last.label}, Prague")]
    for scheme, flow, dashes, label in of_flows:
        times, values = scheme.run.flow(flow, "srtt")
        times, values = binned((times, np.maximum(values - 2.0 * PROPAGATION, 0.1)), 0.2, np.mean)
        ax.plot(times, values, color=scheme.colour, linestyle=dashes, label=label)
    _milliseconds(ax)
    ax.set_ylabel("queueing delay\nof TCP, ms")


def _drops(ax: Axes, schemes: Sequence[Scheme]) -> None:
    _lines(ax, schemes, lambda run: run.signals("drops", WIDTH), steps=True)
    marked = False
    for scheme in schemes:
        times, values = scheme.run.signals("marks", WIDTH)
        if values.any():
            ax.step(
                times, values, where="pre", color=scheme.colour, linestyle=(0, (1, 1.5)), label=f"{scheme.label}, marks"
            )
            marked = True
    ax.set_yscale("symlog", linthresh=10, linscale=0.6)
    ax.set_ylim(0, 700)
    ax.set_yticks([0, 10, 100], ["0", "10", "100"])
    ax.minorticks_off()
    ax.set_ylabel(("drops, marks" if marked else "drops") + f"\nper {WIDTH:g} s")


def _frames(ax: Axes, schemes: Sequence[Scheme]) -> None:
    def share(run: Run) -> Points:
        starts, delays = run.frames("call")
        times, found = binned((starts, (delays <= CALL_DEADLINE).astype(float)), 1.0, np.mean)
        return times, 100.0 * found

    _lines(ax, schemes, share, steps=True)
    ax.set_ylim(-3, 103)
    ax.set_ylabel(f"call's frames within\n{CALL_DEADLINE:g} ms, %")


def _latency(ax: Axes, schemes: Sequence[Scheme]) -> None:
    """The longest latency of the frames shown in each quarter of a second; a gap where none was shown."""
    for scheme in schemes:
        captured, _, latencies = scheme.run.video("video")
        shown = np.isfinite(latencies)
        times, longest = binned((captured[shown] + 1e-3, latencies[shown]), 0.25, max)
        gaps = np.where(longest > 0.0, longest, np.nan)
        ax.plot(times, gaps, color=scheme.colour, linestyle=scheme.dashes, label=scheme.label)
    ax.axhline(VIDEO_DEADLINE, color="#808080", linewidth=0.8, linestyle=(0, (1, 2)))
    ax.set_yscale("log")
    ax.set_yticks([20, 50, 100, 200, 500], ["20", "50", "100", "200", "500"])
    ax.minorticks_off()
    ax.set_ylabel("longest frame\nlatency, ms")


#: Panels that hold all schemes.
PANELS: Mapping[str, Callable[[Axes, Sequence[Scheme]], None]] = {
    "sojourn": _sojourn,
    "call": _call,
    "rtt": _rtt,
    "drops": _drops,
    "frames": _frames,
    "latency": _latency,
}


def draw_rates(ax: Axes, scheme: Scheme, flows: Sequence[str]) -> None:
    """Goodput per flow under one scheme."""
    for name, owner, dashes, label in FLOWS:
        if name in flows:
            times, values = binned(scheme.run.flow(name, "goodput"), WIDTH, np.mean)
            ax.plot(times, values, color=colour(owner), linestyle=dashes, label=label)
    ax.set_ylim(0, 20)
    ax.set_ylabel("goodput\nMbit/s")


def draw_layers(ax: Axes, scheme: Scheme) -> None:
    """Frames in time per second by the layers that were decoded, under one scheme."""
    captured, layers, latencies = scheme.run.video("video")
    in_time = latencies <= VIDEO_DEADLINE
    bottom = np.zeros(0)
    for layer, shade in ((3, "#117733"), (2, "#66aa7a"), (1, "#bfdcc6")):
        times, rates = binned((captured, ((layers == layer) & in_time).astype(float)), 1.0, np.sum)
        bottom = bottom if len(bottom) else np.zeros(len(times))
        label = f"{layer} layers" if layer > 1 else "base layer"
        ax.bar(times - 0.5, rates, bottom=bottom, width=0.92, color=shade, label=label)
        bottom = bottom + rates
    ax.set_ylim(0, 31)
    ax.set_ylabel("frames in time\nper s")
