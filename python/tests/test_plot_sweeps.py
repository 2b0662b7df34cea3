"""Sweeps: quantities in their order, scattered points, graded colours, axes that begin at zero."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import colorsys
from itertools import pairwise

import matplotlib
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from plot_results import BigResult, SmallResult, variant

from jettison import plot
from jettison.plot import palette, style
from jettison.plot.looks import looks
from jettison.plot.quantities import ordered, written
from jettison.plot.shades import graded

PLACES = [("30.609051 ms", "4"), ("2 ms", "1"), ("0.003 s", "5"), ("14 ms", "2"), ("5.5 ms", "6"), ("8 ms", "3")]


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


def scattered(result: SmallResult) -> SmallResult:
    """The result as two numbers of a Latin hypercube."""
    result.labels = {v: {"x": x, "y": y} for v, (x, y) in zip(result.variants, PLACES, strict=True)}
    return result


def test_scattered_points_are_markers_of_one_series(result):
    ax = plot.lines(scattered(result), "rtt", x="x")
    (points,) = ax.lines
    assert points.get_linestyle() == "None"
    assert points.get_marker() not in ("", "None")
    assert list(points.get_xdata()) == pytest.approx([2.0, 3.0, 5.5, 8.0, 14.0, 30.609051])
    assert ax.get_legend() is None
    assert ax.get_xlabel() == "x (ms)"
    found = style.noted(ax)
    assert found is not None
    assert "y varies too" in found[1]


def test_words_also_make_a_series_of_scattered_points(result):
    places = dict(zip(result.variants, PLACES, strict=True))
    result.labels = {v: {"x": x, "y": y, "rule": "a" if y < "4" else "b"} for v, (x, y) in places.items()}
    ax = plot.lines(result, "rtt", x="x")
    assert [line.get_label() for line in ax.lines] == ["b", "a"]


def test_a_grid_has_one_line_per_value_in_order():
    sweep = BigResult(3, 3)
    sweep._labels = {
        v: {**of, "y": {"0": "20 ms", "1": "1 ms", "2": "5 ms"}[of["y"][0]]} for v, of in sweep._labels.items()
    }
    ax = plot.lines(sweep, "rtt", x="x")
    assert [line.get_label() for line in ax.lines] == ["1 ms", "5 ms", "20 ms"]
    assert all(line.get_linestyle() != "None" for line in ax.lines)


def test_a_heat_map_stands_in_the_order_of_its_quantities(result):
    rates = {"5 Mbit/s": "20 Mbit/s", "10 Mbit/s": "5000 kbit/s"}
    targets = {"codel": "20 ms", "ired-64": "1 ms", "mine": "5 ms"}
    result.labels = {v: {"rate": rates[of["rate"]], "target": targets[of["queue"]]} for v, of in result.labels.items()}
    ax = plot.surface(result, "rtt", x="rate", y="target")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rate (kbit/s)", "target (ms)")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["5,000", "20,000"]
    assert [tick.get_text() for tick in ax.get_yticklabels()] == ["1", "5", "20"]
    assert not ax.yaxis_inverted()


def test_numbers_are_written_short_and_apart():
    assert written([30.609051, 2.0]) == ["30.61", "2"]
    assert written([1.00001, 1.00002]) == ["1.00001", "1.00002"]
    assert written([20000.0, 5000.0]) == ["20,000", "5,000"]
    assert ordered(["20 ms", "0.005 s", "1 ms"]) == ["1 ms", "0.005 s", "20 ms"]
    assert ordered(["20 ms", "never"]) is None


def test_quantities_have_graded_colours_that_all_differ():
    values = ["20 ms", "1 ms", "5 ms", "0.1 s"]
    labels = {value: {"target": value} for value in values}
    own = {value: look.colour for value, look in looks(values, labels).items()}
    lightness = [sum(to_rgb(own[value])) for value in ("1 ms", "5 ms", "20 ms", "0.1 s")]
    assert all(low < high for low, high in pairwise(lightness))
    # The selection that is drawn has no effect.
    assert looks(["5 ms", "20 ms"], labels)["5 ms"].colour == own["5 ms"]
    assert len(set(graded(f"{n} ms" for n in range(40)).values())) == 40
    assert graded(["codel", "5 ms"]) == {}
    # A scheme keeps its own, whatever the settings.
    both = {f"{q},{r}": {"queue": q, "rate": r} for q in ("codel", "pie") for r in values}
    assert {look.colour for look in looks(list(both), both).values()} == {
        palette.colour("codel"),
        palette.colour("pie"),
    }


def test_a_reason_has_its_disciplines_hue():
    assert {"codel", "pi2", "pie", "red-early", "red-forced", "dualpi2", "blue"} <= set(palette.OF_DISCIPLINES)
    for reason, (discipline, _, _) in palette.OF_DISCIPLINES.items():
        own, its = (
            colorsys.rgb_to_hls(*to_rgb(of)) for of in (palette.part_colour(reason), palette.colour(discipline))
        )
        apart = abs(own[0] - its[0])
        assert own[2] < 0.02 or min(apart, 1 - apart) < 0.02, reason


def test_axes_of_non_negative_values_do_not_begin_below_zero(result):
    rows = result.flows.arrow.to_pylist()
    spread = [
        {**row, "value": (5.0 if row["time_ns"] // 10**9 % 5 else 900.0)} if row["metric"] == "frame_latency" else row
        for row in rows
    ]
    result.flows.arrow = type(result.flows.arrow).from_pylist(spread)
    slow = {"rate": "5 Mbit/s"}
    ax = plot.ellipses(result, variants=slow)
    assert ax.get_xlim()[1] == 0.0
    assert ax.get_xlim()[0] > 500.0
    assert plot.cdf(result, "backlog", "access.forward", variants=slow).get_xlim()[0] >= 0.0
    assert plot.time_series(result, "backlog", "access.forward", variants=slow).get_xlim()[0] >= 0.0
    summary = result.summary.arrow.to_pylist()
    result.summary.arrow = type(result.summary.arrow).from_pylist([{**row, "ci95_low": -5.0} for row in summary])
    assert plot.bars(result, "rtt", "ping", kind="point").get_ylim()[0] == 0.0


def test_panels_that_share_an_axis_fit_all_that_is_drawn(result):
    _, (one, other) = plt.subplots(2, 1, sharex=True, sharey=True)
    plot.time_series(result, "goodput", "tcp.1", ax=one)
    plot.time_series(result, "goodput", "tcp.2", ax=other)
    low, high = one.get_ylim()
    assert low == 0.0
    assert high >= 20.0


def test_thirty_schemes_leave_room_for_the_plot():
    sweep = BigResult(30, 1)
    flows = sweep.flows.arrow.to_pylist()
    sweep.flows.arrow = type(sweep.flows.arrow).from_pylist(
        [{**row, "value": float(row["seed"])} if row["metric"] == "owd" else row for row in flows]
    )
    names = {f"x={n},y=0": {"queue": f"a scheme with a long name {n}"} for n in range(30)}
    sweep._labels = names
    ax = plot.ellipses(sweep, "rtt", "owd")
    ax.figure.draw_without_rendering()
    assert ax.get_window_extent().width > 0.5 * 5.2 * ax.figure.dpi
    legend = ax.get_legend().get_window_extent()
    assert legend.x1 <= ax.figure.bbox.x1
    assert legend.y0 >= ax.figure.bbox.y0


def test_an_empty_bar_is_labelled_0(result):
    gone = variant("mine", "5 Mbit/s")
    rows = [
        {**row, "mean": 0.0, "ci95_low": 0.0, "ci95_high": 0.0} if row["variant"] == gone else row
        for row in result.summary.arrow.to_pylist()
    ]
    result.summary.arrow = type(result.summary.arrow).from_pylist(rows)
    ax = plot.bars(result, "rtt", "ping", variants={"rate": "5 Mbit/s"})
    assert [text.get_text() for text in ax.texts].count("0") == 1
