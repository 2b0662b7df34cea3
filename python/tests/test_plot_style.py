"""A scheme has the same style in all plots, and axes have units."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import json
import subprocess
from itertools import combinations

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.colors import to_rgb
from plot_results import QUEUE, SmallResult

import jettison
from jettison import _jettison, plot
from jettison.plot import palette, style
from jettison.plot.looks import DASHES, LINES
from jettison.plot.looks import looks as looks_of
from jettison.plot.palette import colour
from jettison.plot.words import axis_label


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
    assert alone == reversed_ == {"mine": colour("mine"), "CoDel": colour("codel")}


def test_settings_of_one_scheme_share_its_colour_and_differ_in_dashes(result):
    ax = plot.time_series(result, "backlog", QUEUE, variants={"queue": "codel"})
    first, second = ax.lines
    assert first.get_linestyle() != second.get_linestyle() or first.get_label() != second.get_label()
    looks = looks_of(result.variants, result.labels)
    assert looks["queue=codel,rate=5 Mbit/s"].colour == looks["queue=codel,rate=10 Mbit/s"].colour
    assert looks["queue=codel,rate=5 Mbit/s"].dashes != looks["queue=codel,rate=10 Mbit/s"].dashes


def test_a_family_gets_darker_with_size():
    lightness = [sum(to_rgb(colour(f"ired-{size}"))) for size in (64, 128, 256, 512, 1024)]
    assert lightness == sorted(lightness, reverse=True)
    assert len(set(lightness)) == 5


@pytest.mark.parametrize(
    "schemes",
    [
        ["ired-64", "ired-128", "ired-256", "ired-512", "ired-1024", "codel", "pi2"],
        [f"{kind}-{n}" for kind in ("ired", "tail-drop") for n in (64, 128, 256, 512, 1024)],
        ["newreno", "newcwv", "newcwv paced", "newcwv paced as Linux"],
        ["baseline", "priority", "codel", "codel-head", "codel++", "codel++-16", "codel++-256"],
        ["red", "red-victim", "fred", "red-dpm", "red-dpm-limits", "red-dpm-share", "red-dpm-tail"],
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
def test_the_schemes_of_one_experiment_are_told_apart(schemes):
    drawn = looks_of(schemes, {scheme: {"scheme": scheme} for scheme in schemes})
    for one, other in combinations(schemes, 2):
        distance = max(abs(a - b) for a, b in zip(to_rgb(colour(one)), to_rgb(colour(other)), strict=True))
        lines = drawn[one].dashes != drawn[other].dashes and drawn[one].marker != drawn[other].marker
        assert distance > 0.08 or lines, (one, other)


def seen_apart(one: str, other: str) -> float:
    """Perceived distance of two colours in hundredths of Oklab (Ottosson 2020): black to white is 100."""

    def oklab(colour: str) -> np.ndarray:
        rgb = np.array(to_rgb(colour))
        linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
        cones = np.cbrt(TO_CONES @ linear)
        return 100.0 * (TO_LAB @ cones)

    return float(np.linalg.norm(oklab(one) - oklab(other)))


TO_CONES = np.array(
    [[0.41222147, 0.53633254, 0.05144599], [0.21190350, 0.68069955, 0.10739696], [0.08830246, 0.28171884, 0.62997870]]
)
TO_LAB = np.array(
    [
        [0.21045426, 0.79361779, -0.00407205],
        [1.97799850, -2.42859221, 0.45059371],
        [0.02590404, 0.78277177, -0.80867577],
    ]
)


KINDS = list(dict.fromkeys(component.kind for component in jettison.catalogue()))


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_components_of_a_kind_are_drawn_alike(kind):
    components = [component for component in jettison.catalogue(kind) if component.colour is not None]
    variants = {component.id: {"scheme": component.id} for component in components}
    drawn = looks_of(list(variants), variants)
    for component in components:
        look = drawn[component.id]
        assert (look.colour, look.label) == (component.colour, palette.SCHEMES[component.id].name)
        assert look.dashes == DASHES[LINES.index(component.line)]
    for one, other in combinations(drawn.values(), 2):
        same = seen_apart(one.colour, other.colour) < 6.0
        assert not same or (one.dashes != other.dashes and one.marker != other.marker and one.hatch != other.hatch)


def test_every_queue_discipline_has_a_colour_that_is_seen_apart():
    disciplines = jettison.catalogue("queue")
    assert len(disciplines) > 20
    close = [
        (one.id, other.id) for one, other in combinations(disciplines, 2) if seen_apart(one.colour, other.colour) < 9.0
    ]
    assert close == []


def test_all_that_a_scenario_may_choose_has_a_colour_and_a_page():
    for component in jettison.catalogue():
        assert component.colour == colour(component.id), component
        assert component.page, component


def test_the_catalogue_is_that_of_the_command(command):
    said = subprocess.run([command, "list", "--json"], capture_output=True, text=True, check=True).stdout
    listed = [json.loads(line) for line in said.splitlines()]
    assert [(own["kind"], own["id"], own["name"]) for own in listed] == [
        (component.kind, component.id, component.name) for component in jettison.catalogue()
    ]
    assert {component.kind for component in jettison.catalogue("abr")} == {"abr"}
    with pytest.raises(jettison.JettisonError, match="known: queue"):
        jettison.catalogue("queues")


def test_every_reason_has_a_colour_of_its_own():
    assert [name for _, name, *_ in _jettison.reasons() if name not in palette.PARTS] == []
    assert len(set(palette.PARTS.values())) == len(palette.PARTS)


def test_other_names_of_a_scheme_have_its_colour():
    assert colour("fifo") == colour("baseline") == colour("tail-drop")
    assert colour("fifo-64") == colour("tail-drop-64")
    assert colour("newcwv_paced") == colour("newcwv paced")


def test_names_that_share_a_colour_differ_in_dashes_and_hatches():
    one = "scheme-0"
    other = next(f"scheme-x{i}" for i in range(1000) if colour(f"scheme-x{i}") == colour(one))
    looks = looks_of(["a", "b"], {"a": {"queue": one}, "b": {"queue": other}})
    assert looks["a"].colour == looks["b"].colour
    assert looks["a"].dashes != looks["b"].dashes
    assert looks["a"].hatch != looks["b"].hatch


def test_axes_say_their_units(result):
    ax = plot.time_series(result, "backlog", QUEUE)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Time (s)", "Backlog (packets)")
    assert plot.cdf(result, "rtt", "ping").get_xlabel() == "RTT (ms)"
    assert plot.bars(result, "rtt", "ping", statistic="p99").get_ylabel() == "p99 of RTT (ms)"
    ax = plot.ellipses(result)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("Frame latency of shown frames (ms)", "SQI-SSIM (dB)")
    assert axis_label("jain_index", "1") == "Jain's fairness index"


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


def lines_of(points: list[tuple[float, float]], n: int) -> Axes:
    """Axes with one line across, and others only in the legend."""
    with style.context():
        ax = style.new_axes(None)
        ax.plot(*zip(*points, strict=True), label="drawn")
        for other in range(n - 1):
            ax.plot([0.5], [0.5], label=f"other {other}")
        style.legend(ax)
    return ax


def covered(ax) -> bool:
    """Whether the legend lies within the axes."""
    ax.figure.draw_without_rendering()
    return ax.get_legend().get_window_extent().overlaps(ax.get_window_extent())


def test_a_legend_stands_inside_only_where_it_hides_nothing():
    corner = [(0.0, 0.0), (1.0, 1.0)]
    everywhere = [(x / 50, y) for x in range(51) for y in (0.0, 1.0)]
    assert covered(lines_of(corner, 2))
    assert not covered(lines_of(everywhere, 2))
    assert not covered(lines_of(corner, 5))


@pytest.mark.parametrize("n", [12, 20, 300])
def test_a_long_legend_is_not_cut(n):
    ax = lines_of([(0.0, 0.0), (1.0, 1.0)], n)
    ax.figure.draw_without_rendering()
    box, frame = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert box.y0 >= frame.y0
    assert box.x1 <= frame.x1
    said = [text.get_text() for text in ax.get_legend().get_texts()]
    assert said[-1] == (f"other {n - 2}" if n <= 20 else f"… and {n - len(said) + 1} more")


def test_a_legend_hides_no_bars(result):
    reference = {(variant, "ping"): 40.0 for variant in result.variants}
    ax = plot.bars(result, "rtt", "ping", reference=reference)
    ax.figure.draw_without_rendering()
    legend = ax.get_legend().get_window_extent()
    assert not any(bar.get_window_extent().overlaps(legend) for bar in ax.patches)


def test_logarithmic_axes_say_plain_numbers(result):
    ax = plot.cdf(result, "rtt", "ping", log=True)
    ax.figure.draw_without_rendering()
    said = [tick.get_text() for tick in ax.get_xticklabels() + ax.get_xticklabels(minor=True)]
    assert "10" in said
    assert not any("10^" in words or "mathdefault" in words for words in said)
