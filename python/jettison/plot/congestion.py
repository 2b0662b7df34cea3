"""Congestion window and pacing of a sender."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from matplotlib.axes import Axes

from . import limits, remarks, style, ticks
from .arguments import check_times
from .errors import PlotError
from .looks import DASHES, looks
from .reading import objects_of, pick_objects, pick_seeds, pick_variants, table_with, unit_of, with_series
from .samples import Series, samples_of
from .series import with_gaps
from .source import Floats, Summarised, Variants
from .words import axis_label

__all__ = ["window"]


@style.styled
def window(
    result: Summarised,
    object: str | None = None,  # noqa: A002
    *,
    variants: Variants = None,
    seed: int | None = None,
    start: float | None = None,
    stop: float | None = None,
    ax: Axes | None = None,
    legend: bool = True,
) -> Axes:
    """Draws a sender's window over time, and its pacing rate if it paces.

    The congestion window, the slow-start threshold and the bytes in flight are on the left axis; the pacing rate has
    its own axis on the right, the last of the figure's axes. Draws one variant (by default the first); for the windows
    of several variants see :func:`time_series` with `"cwnd"`.
    """
    check_times(start, stop)
    result = with_series(result)
    table = table_with(result, "cwnd", ("flows",))
    names = pick_objects(result, table, "cwnd", object)
    if len(names) > 1:
        raise PlotError(f"a window requires one sender; name one of: {', '.join(names)}")
    variant = pick_variants(result, variants)[0]
    one = pick_seeds(result, seed)[0]
    samples = samples_of(table, ("cwnd", "in_flight", "ssthresh", "pacing_rate"), names, [variant], [one])
    ax = style.new_axes(ax)
    look = looks([variant], result.labels)[variant]

    def points(metric: str) -> tuple[Floats, Floats]:
        series = samples.series(metric, variant, one)
        keep = (series.seconds >= (start or 0.0)) & (series.seconds <= (stop if stop is not None else float("inf")))
        return with_gaps(Series(series.seconds[keep], series.values[keep]))

    seconds, values = points("cwnd")
    if not len(values):
        raise PlotError(f"result `{result.name}` has no `cwnd` of {names[0]} for {variant} in this interval")
    in_flight = points("in_flight")
    ax.fill_between(*in_flight, color=look.colour, alpha=0.22, linewidth=0, step="post", label="in flight")
    ax.plot(seconds, values, color=look.colour, drawstyle="steps-post", label="congestion window")
    threshold = points("ssthresh")
    if len(threshold[1]):
        ax.plot(
            *threshold,
            color="#555555",
            linestyle=DASHES[1],
            linewidth=0.9,
            drawstyle="steps-post",
            label="slow-start threshold",
        )
        # An initial, unbounded threshold is huge and would flatten the other lines.
        ax.set_ylim(
            0,
            1.15
            * max(
                float(values[values == values].max()),
                float(in_flight[1][in_flight[1] == in_flight[1]].max(initial=0.0)),
            ),
        )
    else:
        ax.set_ylim(bottom=0)
    ax.set_xlabel("Time (s)")
    ax.set_ylabel(axis_label("cwnd", unit_of(result, "cwnd")))
    ticks.thousands(ax, unit_of(result, "cwnd"))
    ax.margins(x=0.01)
    if names[0] in objects_of(table, "pacing_rate") and len(points("pacing_rate")[1]):
        right = ax.twinx()
        right.spines["right"].set_visible(True)
        right.plot(
            *points("pacing_rate"),
            color="#000000",
            linestyle=DASHES[2],
            linewidth=1.0,
            label="pacing rate",
        )
        right.set_ylabel(axis_label("pacing_rate", unit_of(result, "pacing_rate")))
        right.set_ylim(bottom=0)
        ax.plot(
            [],
            [],
            color="#000000",
            linestyle=DASHES[2],
            linewidth=1.0,
            label="pacing rate (right)",
        )
    limits.not_below_zero(ax, float(seconds[0]), "x")
    style.note(ax, names[0], *remarks.alike(result, [variant]), f"seed {one}")
    if legend:
        style.legend(ax, where="above")
    return ax
