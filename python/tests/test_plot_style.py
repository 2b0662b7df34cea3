"""A scheme looks the same in every plot, and axes say their units."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# What matplotlib draws is typed by all that it could be.
from __future__ import annotations

from itertools import combinations

import matplotlib
import pytest
from matplotlib.colors import to_hex

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from plot_results import QUEUE, SmallResult

from jettison import plot
from jettison.plot import style


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


def colours(ax) -> dict[str, str]:
    return {line.get_label(): line.get_color() for line in ax.lines if not line.get_label().startswith("_")}


def test_a_scheme_has_one_colour_in_every_kind_of_plot(result):
    slow = "rate=5 Mbit/s"
    series = colours(plot.time_series(result, "backlog", QUEUE, variants=slow))
    shares = colours(plot.cdf(result, "rtt", "ping", variants=slow))
    points = colours(plot.ellipses(result, variants=slow, legend=True))
    assert set(series) == {"CoDel", "iRED 64", "mine"}
    assert series == shares == points
    bars = plot.bars(result, "rtt", "ping", variants=slow)
    drawn = [to_hex(patch.get_facecolor()) for patch in bars.patches]
    assert drawn == list(series.values())


def test_the_colour_is_the_same_whatever_else_is_drawn(result):
    alone = colours(
        plot.time_series(result, "backlog", QUEUE, variants={"queue": ["mine", "codel"], "rate": "5 Mbit/s"})
    )
    reversed_ = colours(
        plot.time_series(result, "backlog", QUEUE, variants=["queue=mine,rate=5 Mbit/s", "queue=codel,rate=5 Mbit/s"])
    )
    assert alone == reversed_ == {"mine": style.colour("mine"), "CoDel": style.colour("codel")}


def test_settings_of_one_scheme_share_its_colour_and_differ_in_dashes(result):
    ax = plot.time_series(result, "backlog", QUEUE, variants={"queue": "codel"})
    first, second = ax.lines
    assert first.get_linestyle() != second.get_linestyle() or first.get_label() != second.get_label()
    looks = style.looks(result.variants, result.labels)
    assert looks["queue=codel,rate=5 Mbit/s"].colour == looks["queue=codel,rate=10 Mbit/s"].colour
    assert looks["queue=codel,rate=5 Mbit/s"].dashes != looks["queue=codel,rate=10 Mbit/s"].dashes


def test_a_family_gets_darker_with_size():
    lightness = [sum(to_rgb(style.colour(f"ired-{size}"))) for size in (64, 128, 256, 512, 1024)]
    assert lightness == sorted(lightness, reverse=True)
    assert len(set(lightness)) == 5


@pytest.mark.parametrize(
    "schemes",
    [
        ["ired-64", "ired-128", "ired-256", "ired-512", "ired-1024", "codel", "pi2"],
        [f"{kind}-{n}" for kind in ("ired", "tail-drop") for n in (64, 128, 256, 512, 1024)],
        ["newreno", "newcwv", "newcwv paced", "newcwv paced as Linux"],
        ["baseline", "priority", "codel", "codel-head", "codel++", "codel++-16", "codel++-256"],
        ["red", "fred", "red-dpm", "red-dpm-share"],
        ["bbr", "cubic", "sprout", "cubic+codel", "abc", "oracle", "stale oracle"],
        [
            "octopus",
            "octopus-authors",
            "octobbr",
            "pdrop",
            "awstream-cubic",
            "awstream-bbr",
            "salsify",
            "gcc-nack",
            "gcc-fec",
            "scream",
        ],
        ["octopus", "octobbr", "pdrop", "vivo-cubic", "vivo-bbr"],
    ],
)
def test_the_schemes_of_one_experiment_have_different_colours(schemes):
    for one, other in combinations(schemes, 2):
        distance = max(abs(a - b) for a, b in zip(to_rgb(style.colour(one)), to_rgb(style.colour(other)), strict=True))
        assert distance > 0.08, (one, other)


def test_names_that_share_a_colour_differ_in_dashes_and_hatches():
    one = "scheme-0"
    other = next(f"scheme-x{i}" for i in range(1000) if style.colour(f"scheme-x{i}") == style.colour(one))
    looks = style.looks(["a", "b"], {"a": {"queue": one}, "b": {"queue": other}})
    assert looks["a"].colour == looks["b"].colour
    assert looks["a"].dashes != looks["b"].dashes
    assert looks["a"].hatch != looks["b"].hatch


def test_axes_say_their_units(result):
    ax = plot.time_series(result, "backlog", QUEUE)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Time (s)", "Backlog (packets)")
    assert plot.cdf(result, "rtt", "ping").get_xlabel() == "RTT (ms)"
    assert plot.bars(result, "rtt", "ping", statistic="p99").get_ylabel() == "p99 of RTT (ms)"
    ax = plot.ellipses(result)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Frame latency (ms)", "SQI-SSIM (dB)")
    assert style.axis_label("jain_index", "1") == "Jain's fairness index"


def test_bytes_are_written_in_kilobytes_and_drawn_in_bytes(result):
    ax = plot.time_series(result, "cwnd", "bulk", variants={"queue": "codel", "rate": "5 Mbit/s"})
    assert ax.get_ylabel() == "Congestion window (kB)"
    assert ax.yaxis.get_major_formatter()(20_000, 0) == "20"
    assert ax.lines[0].get_ydata()[0] == 14_480 + 1448


def test_plots_leave_the_callers_settings_alone(result):
    before = dict(matplotlib.rcParams)
    plot.time_series(result, "backlog", QUEUE)
    assert dict(matplotlib.rcParams) == before


def test_a_plot_is_drawn_on_the_axes_given(result):
    figure, (left, right) = plt.subplots(1, 2)
    assert plot.time_series(result, "backlog", QUEUE, ax=left) is left
    assert plot.bars(result, "rtt", "ping", ax=right) is right
    assert plt.get_fignums() == [figure.number]
