"""How schemes, reasons and axes look: one colour for one scheme wherever it is drawn.

Hues are those of Okabe and Ito (*Color Universal Design*, 2008) and, where these do not suffice, of Paul
Tol's "bright" and "muted" schemes: readers who do not see red from green tell them apart. Colours go by the
scheme's *name*, never by its place in an experiment. A scheme that comes in sizes (`ired-64` … `ired-1024`)
has one hue, darker with size. Where two schemes of a plot share a colour, which only names unknown here
can, dashes, markers and hatches differ.
"""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar, cast

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.figure import Figure, SubFigure

__all__ = [
    "DASHES", "HATCHES", "Look", "axis_label", "colour", "context", "from_zero", "legend", "looks",
    "metric_name", "new_axes", "note", "panels", "part_colour", "pretty", "root", "styled", "thousands",
]  # fmt: skip

BLUE, VERMILION, GREEN, PINK = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY, GREY, OLIVE = "#e69f00", "#56b4e9", "#3c3c3c", "#968c00"
INDIGO, WINE, FOREST, TEAL = "#332288", "#882255", "#117733", "#44aa99"
BROWN, ROSE, LAVENDER, SILVER = "#8c510a", "#cc6677", "#8c7fd0", "#8f8f8f"

#: Every scheme with a colour of its own.
SCHEMES: Mapping[str, str] = {
    # Queue disciplines.
    "tail-drop": GREY, "fifo": GREY, "baseline": GREY, "red": PINK, "codel": BLUE, "codel-head": INDIGO,
    "pi2": GREEN, "dualpi2": TEAL, "pie": ORANGE, "fq-codel": SKY, "fred": OLIVE, "cake": BROWN,
    "blue": INDIGO, "sfq": ROSE, "ired": VERMILION, "ired-direct": ROSE, "red-dpm": INDIGO,
    "red-dpm-share": LAVENDER, "codel++": WINE, "priority": PINK, "abc": OLIVE,
    # Congestion control of TCP.
    "newreno": GREY, "reno": GREY, "cubic": BLUE, "bbr": VERMILION, "newcwv": BLUE,
    "newcwv paced": VERMILION, "newcwv-paced": VERMILION, "newcwv paced as Linux": GREEN,
    "cubic+codel": SKY, "sprout": PINK, "oracle": FOREST, "stale oracle": TEAL,
    # Real-time video.
    "octopus": FOREST, "octopus-authors": TEAL, "octopus-options": TEAL, "salsify-idle": ROSE,
    "salsify-send-gap": PINK, "octobbr": ORANGE, "pdrop": OLIVE, "awstream-cubic": BLUE,
    "awstream-bbr": SKY, "salsify": PINK, "gcc-nack": GREY, "gcc-fec": SILVER, "scream": INDIGO,
    "vivo-cubic": WINE, "vivo-bbr": ROSE,
}  # fmt: skip

#: For names that are not known: chosen by a hash of the name, so that it is the same in every picture.
OTHERS = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, OLIVE, INDIGO, WINE, TEAL, BROWN, LAVENDER)

#: Reasons of drops and marks. No reason has the colour of a queue discipline that stands beside it.
PARTS: Mapping[str, str] = {
    "buffer-full": "#bbbbbb", "red-early": "#ddcc77", "red-forced": "#cc6677", "codel": "#88ccee",
    "pi2": "#44aa99", "pie": "#eecc66", "dualpi2": "#117733", "blue": "#332288", "fred-flow": "#999933",
    "dpm-flow": "#aa4499", "dpm-stale": "#882255", "slice-depth": "#aa3377", "stale-message": "#228833",
    "over-bitrate": "#ee8866", "least-important": "#bbcc33", "marked-to-drop": "#6699cc",
    "no-queue": "#000000", "ired-flag": "#d55e00", "clone-consumed": "#f7d0b5", "clone-lost": "#8c510a",
    "recirculation-full": "#5c3a21", "link-loss": "#4477aa", "scheduled-loss": "#66ccee",
    "no-route": "#555555", "hop-limit": "#777777", "resubmit-limit": "#999999", "malformed": "#333333",
    "no-socket": "#cccccc",
}  # fmt: skip

#: How names are written for readers.
PRETTY: Mapping[str, str] = {
    "tail-drop": "tail drop", "red": "RED", "codel": "CoDel", "codel-head": "CoDel in the queue",
    "pi2": "PI2", "dualpi2": "DualPI2", "pie": "PIE", "fq-codel": "FQ-CoDel", "fred": "FRED",
    "cake": "CAKE", "blue": "BLUE", "sfq": "SFQ", "ired": "iRED", "red-dpm": "RED-DPM",
    "red-dpm-share": "RED-DPM, shares", "codel++": "CoDel++", "fifo": "FIFO", "abc": "ABC",
    "newreno": "NewReno", "cubic": "CUBIC", "bbr": "BBR", "newcwv": "newCWV",
    "newcwv paced": "newCWV paced", "newcwv-paced": "newCWV paced",
    "newcwv paced as Linux": "newCWV paced, as Linux", "cubic+codel": "CUBIC, CoDel", "sprout": "Sprout",
    "stale oracle": "oracle, 5 ms stale", "octopus": "Octopus", "octopus-authors": "Octopus, authors' code",
    "octobbr": "OctoBBR", "pdrop": "PDrop", "awstream-cubic": "AWStream, CUBIC",
    "awstream-bbr": "AWStream, BBR", "octopus-options": "Octopus, options", "salsify-idle": "Salsify, idle",
    "salsify-send-gap": "Salsify, send-gap", "salsify": "Salsify", "gcc-nack": "GCC, NACK",
    "gcc-fec": "GCC, FEC", "scream": "SCReAM", "vivo-cubic": "ViVo, CUBIC", "vivo-bbr": "ViVo, BBR",
    "slice1": "slice 1", "slice2": "slice 2", "slice3": "slice 3",
}  # fmt: skip

#: The labels that name a scheme, the first that varies deciding.
SCHEME_AXES = (
    "scheme",
    "queue",
    "discipline",
    "tcp",
    "congestion",
    "transport",
    "controller",
    "encoder",
    "abr",
    "rule",
)

#: Schemes that may do just what one beside them does: dashed and hollow, so that both can be seen.
TWINS = frozenset(
    {"red-dpm-share", "octopus-authors", "octopus-options", "newcwv paced as Linux", "salsify-idle", "pdrop"}
)
NOTE_COLOUR = "#666666"
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "*")
DASHES: tuple[Any, ...] = (
    "-",
    (0, (5, 2)),
    (0, (1.2, 1.6)),
    (0, (6, 1.6, 1.2, 1.6)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
)
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "++++")

#: What metrics are called on an axis, where their own name is not what one would say.
METRICS: Mapping[str, str] = {
    "backlog_bytes": "backlog", "sojourn": "sojourn time", "sojourn_max": "longest sojourn time",
    "rtt": "RTT", "srtt": "smoothed RTT", "owd": "one-way delay", "cwnd": "congestion window",
    "ssthresh": "slow-start threshold", "sqi_ssim": "SQI-SSIM", "ssim": "SSIM",
    "jain_index": "Jain's fairness index", "burst_time": "burst transfer time",
    "buffer": "media in the buffer", "linear_qoe": "linear QoE", "p1203_parametric": "P.1203 score",
    "representation_rate": "representation", "frames_per_second": "frame rate",
    "stall_ratio": "time stalled", "drop_rate": "drop rate", "deadline_miss": "deadlines missed",
    "router_cpu": "router's CPU time",
}  # fmt: skip

#: Settings for figures that this package makes itself.
SETTINGS: Mapping[str, Any] = {
    "font.size": 9.0, "axes.labelsize": 9.0, "axes.titlesize": 10.0, "legend.fontsize": 8.0,
    "xtick.labelsize": 8.0, "ytick.labelsize": 8.0, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "axes.titlelocation": "left", "lines.linewidth": 1.3, "figure.dpi": 110.0,
    "savefig.dpi": 150.0, "svg.hashsalt": "jettison", "svg.fonttype": "none", "pdf.fonttype": 42,
    "legend.frameon": False, "figure.constrained_layout.use": True, "hatch.linewidth": 0.6,
}  # fmt: skip

_SIZED = re.compile(r"^(?P<family>.+)-(?P<size>\d+)$")


@dataclass(frozen=True)
class Look:
    """How one variant is drawn, and what the legend calls it."""

    label: str
    colour: str
    dashes: Any
    marker: str
    hatch: str
    hollow: bool = False


def colour(scheme: str) -> str:
    """The colour of a scheme, as `#rrggbb`: the same for the same name in every plot."""
    known = SCHEMES.get(scheme)
    if known is not None:
        return known
    sized = _SIZED.match(scheme)
    if sized is not None and sized["family"] in SCHEMES:
        return _shade(SCHEMES[sized["family"]], int(sized["size"]))
    digest = hashlib.sha256(scheme.encode()).digest()
    return OTHERS[int.from_bytes(digest[:4], "big") % len(OTHERS)]


def _shade(base: str, size: int) -> str:
    """The family's hue: light for 32 of whatever it is, dark for 1,024.

    A hue that is dark itself only gets lighter.
    """
    share = min(max((math.log2(max(size, 1)) - 5.0) / 5.0, 0.0), 1.0)
    white, black = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
    if sum(to_rgb(base)) < 1.05:
        towards, weight = white, 0.75 * (1.0 - share)
    elif share < 0.5:
        towards, weight = white, 0.62 * (1.0 - 2.0 * share)
    else:
        towards, weight = black, 1.1 * (share - 0.5)
    mixed = [own * (1.0 - weight) + other * weight for own, other in zip(to_rgb(base), towards, strict=True)]
    return to_hex((mixed[0], mixed[1], mixed[2]))


def part_colour(part: str) -> str:
    """The colour of a drop's or a mark's reason."""
    return PARTS.get(part) or colour(part)


def pretty(name: str) -> str:
    """A name as a reader would write it: `ired-64` is iRED 64."""
    known = PRETTY.get(name)
    if known is not None:
        return known
    sized = _SIZED.match(name)
    if sized is not None and (sized["family"] in PRETTY or sized["family"] in SCHEMES):
        return f"{PRETTY.get(sized['family'], sized['family'])} {int(sized['size']):,}"
    return name


def looks(variants: Sequence[str], labels: Mapping[str, Mapping[str, str]]) -> dict[str, Look]:
    """How each of the variants of one plot is drawn.

    The colour is the scheme's, whatever else is shown. Where schemes come under several settings, dashes,
    markers and hatches tell the settings apart. Labels that are the same for all variants are not repeated
    in the legend.
    """
    own = {variant: dict(labels.get(variant) or {"variant": variant}) for variant in variants}
    axes = list(dict.fromkeys(axis for of in own.values() for axis in of))
    varying = [axis for axis in axes if len({of.get(axis) for of in own.values()}) > 1]
    candidates = (
        [axis for axis in SCHEME_AXES if axis in varying] or varying or [a for a in SCHEME_AXES if a in axes] or axes
    )
    scheme_axis = candidates[0] if candidates else ""
    others = [axis for axis in varying if axis != scheme_axis]
    settings = list(dict.fromkeys(tuple(of.get(axis, "") for axis in others) for of in own.values()))
    schemes = list(dict.fromkeys(of.get(scheme_axis, "") for of in own.values()))
    # A scheme that shares its colour with an earlier one of this plot takes the next dashes.
    sharing = {name: [colour(s) for s in schemes[: i + 1]].count(colour(name)) - 1 for i, name in enumerate(schemes)}
    found: dict[str, Look] = {}
    for variant, of in own.items():
        scheme = of.get(scheme_axis, "")
        setting = settings.index(tuple(of.get(axis, "") for axis in others))
        shift = setting + sharing[scheme]
        dashes = shift + (scheme in TWINS and not others)
        words = [pretty(of[axis]) for axis in ([scheme_axis, *others] if varying else [scheme_axis]) if of.get(axis)]
        found[variant] = Look(
            label=", ".join(words) or variant,
            colour=colour(scheme),
            dashes=DASHES[dashes % len(DASHES)],
            marker=MARKERS[(schemes.index(scheme) + setting) % len(MARKERS)],
            hatch=HATCHES[shift % len(HATCHES)],
            hollow=scheme in TWINS,
        )
    return found


def metric_name(metric: str) -> str:
    """A metric's name in words."""
    return METRICS.get(metric) or metric.replace("_", " ")


def axis_label(metric: str, unit: str, *, before: str = "") -> str:
    """What an axis says: the metric in words with its unit. `before` stands in front, such as `p99`.

    Bytes are written in kB, as :func:`thousands` writes the ticks.
    """
    words = f"{before} of {metric_name(metric)}" if before else metric_name(metric)
    if not before and words[:1].islower():
        words = words[:1].upper() + words[1:]
    unit = "kB" if unit == "bytes" else unit
    return words if unit in ("", "1") else f"{words} ({unit})"


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
    """A legend where it hides nothing.

    That is `inside` the axes with up to four entries, else `right` of them; or `above`.
    """
    handles, labels = ax.get_legend_handles_labels()
    if not handles:
        return
    where = where or ("right" if len(handles) > 4 else "inside")
    if where == "right":
        ax.legend(handles, labels, title=title, loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
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
    else:
        ax.legend(handles, labels, title=title, loc="best")


def _kilobytes(value: float, _: int | None = None) -> str:
    return f"{value / 1000:,g}"


def thousands(ax: Axes, unit: str, *, axis: str = "y") -> None:
    """Ticks of bytes in kB, as the axis' label says: the values that are drawn stay in bytes."""
    if unit == "bytes":
        from matplotlib.ticker import FuncFormatter

        written = FuncFormatter(_kilobytes)
        (ax.yaxis if axis == "y" else ax.xaxis).set_major_formatter(written)


def from_zero(ax: Axes, least: float) -> None:
    """A values' axis that begins at zero if no value is below it.

    An interval that reaches below is cut there.
    """
    if least >= 0:
        ax.set_ylim(bottom=0)
