"""Summary values with their intervals, spreads, reasons and sweeps."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

from itertools import combinations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from matplotlib.patches import Polygon
from plot_results import QUEUE, QUEUES, RATES, SEEDS, BigResult, SmallResult, rtt, variant

from jettison import JettisonError, plot
from jettison.plot import style
from jettison.plot.interval import means, over_seeds
from jettison.plot.names import SIZE, Named, places
from jettison.plot.quantities import number, numbers
from jettison.plot.trade import ellipse

SLOW = {"rate": "5 Mbit/s"}


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


def errors(ax) -> list[tuple[float, float]]:
    """The ends of the error bars, in order."""
    return [tuple(segment[:, 1]) for bars in ax.collections for segment in bars.get_segments()]


def test_bars_are_the_summarys_means_with_its_intervals(result):
    ax = plot.bars(result, "rtt", "ping", variants=SLOW)
    means = [np.mean([rtt(queue, "5 Mbit/s", seed) for seed in SEEDS]) for queue in QUEUES]
    assert [patch.get_height() for patch in ax.patches] == pytest.approx(means)
    half = 4.302653 / 3**0.5  # three seeds, one apart from the next: a deviation of 1
    assert np.allclose(errors(ax), [(mean - half, mean + half) for mean in means], atol=1e-5)
    assert ax.get_ylim()[0] == 0


def test_a_percentiles_interval_is_that_of_the_runs_percentiles(result):
    found = means(result, "rtt", ["ping"], "p99")["ping", variant("codel", "5 Mbit/s")]
    assert found.mean == pytest.approx(3 * 22.0)
    # Student's below the mean; above it, the interval on the scale of square roots reaches a little further.
    half = 3 * 4.302653 / 3**0.5
    assert found.mean - found.low == pytest.approx(half)
    assert half < found.high - found.mean < 1.1 * half
    assert (found.n, found.unit) == (3, "ms")


def test_intervals_are_those_of_students_distribution():
    # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2.
    for freedom, quantile in ((1, 12.706), (2, 4.303), (9, 2.262), (19, 2.093), (30, 2.042), (60, 2.000)):
        values = {seed: float(seed) for seed in range(freedom + 1)}
        found = over_seeds({("ping", "a"): values})["ping", "a"]
        half = quantile * np.std(list(values.values()), ddof=1) / (freedom + 1) ** 0.5
        assert found.high - found.mean == pytest.approx(half, rel=3e-4)
        assert found.mean - found.low == pytest.approx(half, rel=3e-4)


def test_one_seed_has_no_interval():
    found = over_seeds({("ping", "a"): {7: 4.0}}, "ms")["ping", "a"]
    assert (found.mean, found.n, found.unit) == (4.0, 1, "ms")
    assert np.isnan([found.low, found.high]).all()
    assert over_seeds({}) == {}


def test_groups_are_a_labels_values(result):
    ax = plot.bars(result, "rtt", "ping", group="rate")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == list(RATES)
    assert [patch.get_height() for patch in ax.patches] == pytest.approx(
        [np.mean([rtt(q, r, s) for s in SEEDS]) for r in RATES for q in QUEUES]
    )
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["CoDel", "iRED 64", "mine"]


def test_a_logarithmic_axis_has_points_and_no_bars(result):
    ax = plot.bars(result, "rtt", "ping", log=True)
    assert not ax.patches
    assert ax.get_yscale() == "log"


def test_reference_values_are_diamonds_on_their_bars(result):
    wanted = (variant("ired-64", "5 Mbit/s"), "ping")
    ax = plot.bars(result, "rtt", "ping", variants=SLOW, reference={wanted: 33.0}, reference_label="the paper")
    diamond = next(line for line in ax.lines if line.get_marker() == "D")
    bar = ax.patches[1]
    assert list(diamond.get_xdata()) == pytest.approx([bar.get_x() + bar.get_width() / 2])
    assert list(diamond.get_ydata()) == [33.0]
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["the paper"]


def test_a_missing_value_is_labelled_and_not_drawn_as_zero(result):
    rows = result.summary.arrow.to_pylist()
    gone = variant("mine", "5 Mbit/s")
    result.summary.arrow = type(result.summary.arrow).from_pylist(
        [r for r in rows if (r["variant"], r["metric"]) != (gone, "rtt")]
    )
    ax = plot.bars(result, "rtt", "ping", variants=SLOW)
    assert len(ax.patches) == 2
    assert "no value" in [text.get_text() for text in ax.texts]


def test_boxes_are_of_the_runs_values(result):
    ax = plot.boxes(result, "rtt", "ping", variants=[variant("codel", "5 Mbit/s")])
    dots = next(line for line in ax.lines if line.get_marker() == ".")
    assert sorted(dots.get_ydata()) == [rtt("codel", "5 Mbit/s", seed) for seed in SEEDS]
    samples = plot.boxes(result, "backlog", QUEUE, variants=[variant("codel", "5 Mbit/s")], over="samples")
    assert samples.get_ylabel() == "Backlog (packets)"


def test_drops_are_stacked_by_reason_without_clones(result):
    ax = plot.drop_reasons(result, variants=SLOW)
    stacks = {
        container.get_label(): [(bar.get_x(), bar.get_width()) for bar in container] for container in ax.containers
    }
    assert stacks == {"buffer-full": [(0.0, 20.0)] * 3, "codel": [(20.0, 10.0)] * 3}
    with_clones = plot.drop_reasons(result, variants=SLOW, clones=True)
    assert "clone-consumed" in [container.get_label() for container in with_clones.containers]
    shares = plot.drop_reasons(result, variants=SLOW, share=True)
    assert shares.containers[0][0].get_width() == pytest.approx(200 / 3)
    assert shares.get_xlabel() == "Share of the drops (%)"


def test_the_latency_axis_is_turned_around(result):
    low, high = plot.ellipses(result, variants=SLOW).get_xlim()
    assert low > high


def test_an_ellipse_is_that_of_the_covariance():
    draws = np.random.default_rng(7)
    points = draws.multivariate_normal([3.0, 8.0], [[4.0, 1.5], [1.5, 1.0]], size=400)
    outline = ellipse(points[:, 0], points[:, 1])
    assert outline is not None
    # On the one-sigma ellipse the Mahalanobis distance from the mean is 1 everywhere.
    away = outline - points.mean(axis=0)
    inverse = np.linalg.inv(np.cov(points.T))
    assert np.einsum("ij,jk,ik->i", away, inverse, away) == pytest.approx(np.ones(len(outline)))
    # Its extent along an axis is one standard deviation.
    assert outline[:, 0].max() - points[:, 0].mean() == pytest.approx(points[:, 0].std(ddof=1), rel=1e-2)


def test_points_on_a_line_have_no_ellipse():
    assert ellipse(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 6.0])) is None
    assert ellipse(np.array([1.0, 2.0]), np.array([2.0, 5.0])) is None


def test_ellipses_stand_around_the_means_of_samples_and_of_seeds(result):
    samples = plot.ellipses(result, variants=[variant("codel", "5 Mbit/s")])
    counted = [(100 + 10 * (s % 4), 15 + s % 3) for s in range(2, 11)]
    assert samples.lines[0].get_xdata()[0] == pytest.approx(np.mean([x for x, _ in counted]))
    assert samples.lines[0].get_ydata()[0] == pytest.approx(np.mean([y for _, y in counted]))
    seeds = plot.ellipses(result, variants=[variant("codel", "5 Mbit/s")], over="seeds", statistic=("p99", "mean"))
    assert seeds.lines[0].get_xdata()[0] == pytest.approx(3 * 102.0)
    assert seeds.get_xlabel() == "p99 of frame latency of shown frames (ms)"
    log = plot.ellipses(result, variants=[variant("codel", "5 Mbit/s")], log=True)
    assert log.lines[0].get_xdata()[0] == pytest.approx(10 ** np.mean([np.log10(x) for x, _ in counted]))


def test_ellipses_over_frames_leave_out_those_never_shown(result):
    ax = plot.ellipses(result, variants=[variant("codel", "5 Mbit/s")], over="frames")
    counted = [frame for frame in range(3, 20) if frame % 3 != 2]  # the warm-up ends at one second
    assert ax.lines[0].get_xdata()[0] == pytest.approx(80.0 + np.mean(counted))
    assert ax.lines[0].get_ydata()[0] == pytest.approx(14.0 + np.mean([frame % 5 for frame in counted]))


def test_a_surface_has_one_cell_per_variant(result):
    ax = plot.surface(result, "rtt", x="rate", y="queue")
    cells = np.asarray(ax.collections[0].get_array()).reshape(3, 2)
    assert cells == pytest.approx(np.array([[np.mean([rtt(q, r, s) for s in SEEDS]) for r in RATES] for q in QUEUES]))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("rate (Mbit/s)", "queue")
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["5", "10"]
    assert ax.figure.axes[-1].get_ylabel() == "RTT (ms)"


def test_lines_run_over_the_numbers_of_a_label(result):
    ax = plot.lines(result, "rtt", x="rate")
    assert ax.get_xlabel() == "rate (Mbit/s)"
    line = next(line for line in ax.lines if line.get_label() == "iRED 64")
    assert list(line.get_xdata()) == [5.0, 10.0]
    assert list(line.get_ydata()) == pytest.approx([np.mean([rtt("ired-64", r, s) for s in SEEDS]) for r in RATES])


def test_categories_have_bars_and_no_line_joins_them(result):
    ax = plot.lines(result, "rtt", x="queue")
    assert not [line for line in ax.lines if line.get_linestyle() not in ("None", "none", "")]
    assert ax.get_xlabel() == "queue"
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["CoDel", "iRED 64", "mine"]
    heights = [bar.get_height() for bar in sorted(ax.patches, key=lambda bar: bar.get_x())]
    assert heights == pytest.approx([np.mean([rtt(q, r, s) for s in SEEDS]) for q in QUEUES for r in RATES])
    one = plot.lines(result, "rtt", x="queue", variants=SLOW)
    assert [tick.get_text() for tick in one.get_xticklabels()] == ["CoDel", "iRED 64", "mine"]
    assert len(one.patches) == 3 and one.get_legend() is None


def test_numbers_of_one_kind_are_drawn_in_the_first_ones_unit(result):
    renamed = {"5 Mbit/s": "500 kbit/s", "10 Mbit/s": "2 Mbit/s"}
    result.labels = {v: {**of, "rate": renamed[of["rate"]]} for v, of in result.labels.items()}
    ax = plot.lines(result, "rtt", x="rate", variants={"queue": "codel"})
    assert list(ax.lines[0].get_xdata()) == [500.0, 2000.0]
    assert ax.get_xlabel() == "rate (kbit/s)"


def test_contours_stand_on_the_numbers_axes(result):
    # A sweep of two numbers, in place of the queues' names.
    target = {"codel": "5 ms", "ired-64": "20 ms", "mine": "0.1 s"}
    result.labels = {v: {"target": target[of["queue"]], "rate": of["rate"]} for v, of in result.labels.items()}
    ax = plot.surface(result, "rtt", x="target", y="rate", kind="contour")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("target (ms)", "rate (Mbit/s)")
    dots = ax.lines[0]
    assert sorted(set(dots.get_xdata())) == [5.0, 20.0, 100.0]


def scattered(result: SmallResult, places: list[tuple[str, str]]) -> SmallResult:
    """The result as a sweep of two numbers without a grid: its variants are at these points."""
    result.labels = {v: {"x": x, "y": y} for v, (x, y) in zip(result.variants, places, strict=True)}
    return result


HYPERCUBE = [("1 ms", "4"), ("2 ms", "1"), ("3 ms", "5"), ("4 ms", "2"), ("5 ms", "6"), ("0.006 s", "3")]


def test_contours_of_scattered_points_have_a_dot_at_each_and_are_filled(result):
    ax = plot.surface(scattered(result, HYPERCUBE), "rtt", x="x", y="y", kind="contour")
    assert sorted(zip(*ax.lines[0].get_data(), strict=True)) == [(1, 4), (2, 1), (3, 5), (4, 2), (5, 6), (6, 3)]
    assert any(len(path.vertices) > 3 for path in ax.collections[0].get_paths())
    assert ax.get_xlabel() == "x (ms)"
    log = plot.surface(scattered(result, HYPERCUBE), "rtt", x="x", y="y", kind="contour", log=True)
    assert (log.get_xscale(), log.get_yscale()) == ("log", "log")
    filled = np.vstack([path.vertices for path in log.collections[0].get_paths() if len(path.vertices)])
    assert filled.min(axis=0) == pytest.approx([1.0, 1.0])
    assert filled.max(axis=0) == pytest.approx([6.0, 6.0])
    assert log.get_xlim()[0] <= 1.0
    assert log.get_xlim()[1] == pytest.approx(6.0, rel=0.2)


@pytest.mark.parametrize(
    ("places", "said"),
    [
        ([(f"{n} ms", str(2 * n)) for n in range(6)], "6 have values and they are on a line"),
        ([(f"{n} ms", str(1000 + n)) for n in range(6)], "three points that are not on a line in `x` and `y`"),
    ],
)
def test_points_on_a_line_have_no_contours(result, places, said):
    with pytest.raises(plot.PlotError) as error:
        plot.surface(scattered(result, places), "rtt", x="x", y="y", kind="contour")
    assert said in str(error.value)


def test_two_points_have_no_contours(result):
    two = result.variants[:2]
    with pytest.raises(plot.PlotError, match="three points that are not on a line in `x` and `y`; 2 have values"):
        plot.surface(scattered(result, HYPERCUBE), "rtt", x="x", y="y", variants=two, kind="contour")


def test_a_grids_point_without_a_value_has_no_dot(result):
    grid = [(x, y) for x in ("1", "2", "3") for y in ("1", "2")]
    rows = result.summary.arrow.to_pylist()
    gone = result.variants[-1]
    result.summary.arrow = type(result.summary.arrow).from_pylist(
        [r for r in rows if (r["variant"], r["metric"]) != (gone, "rtt")]
    )
    ax = plot.surface(scattered(result, grid), "rtt", x="x", y="y", kind="contour")
    assert sorted(zip(*ax.lines[0].get_data(), strict=True)) == [(1, 1), (1, 2), (2, 1), (2, 2), (3, 1)]


def test_a_heat_map_that_would_be_nearly_empty_is_refused():
    sweep = BigResult(60, 1)
    sweep._labels = {v: {"x": f"{n} ms", "y": f"{(7 * n) % 60}"} for n, v in enumerate(sweep.variants)}
    with pytest.raises(plot.PlotError, match='nearly empty: use kind="contour"'):
        plot.surface(sweep, "rtt", x="x", y="y")
    assert len(plot.surface(sweep, "rtt", x="x", y="y", kind="contour").lines[0].get_xdata()) == 60


def test_the_latency_axis_stays_turned_around_however_often_it_is_drawn_on(result):
    _, (left, right) = plt.subplots(1, 2, sharex=True)
    for ax in (left, left, right):
        plot.ellipses(result, variants=SLOW, ax=ax)
        assert left.xaxis_inverted()
        assert right.xaxis_inverted()


def test_a_remark_speaks_of_ellipses_only_where_there_are_any(result):
    result.seeds = [1, 2]
    runs = result.runs.arrow.to_pylist()
    result.runs.arrow = type(result.runs.arrow).from_pylist([row for row in runs if row["seed"] < 3])
    means = plot.ellipses(result, variants=SLOW, over="seeds")
    assert any("means of 2 runs" in text.get_text() for text in means.texts)
    samples = plot.ellipses(result, variants=SLOW)
    assert any("one-sigma ellipses over samples" in text.get_text() for text in samples.texts)


def test_names_that_would_overlap_are_in_a_legend(result):
    names = {"CoDel", "iRED 64", "mine"}
    apart = plot.ellipses(result, variants=SLOW)
    assert names <= {text.get_text() for text in apart.texts}
    assert apart.get_legend() is None
    rows = result.flows.arrow.to_pylist()
    alike = [
        {**row, "value": 100.0 + row["time_ns"] // 10**9 % (4 if row["metric"] == "sqi_ssim" else 5)} for row in rows
    ]
    result.flows.arrow = type(result.flows.arrow).from_pylist(alike)
    close = plot.ellipses(result, variants=SLOW)
    assert not names & {text.get_text() for text in close.texts}
    assert {text.get_text() for text in close.get_legend().get_texts()} == names


def test_ellipses_are_outlines_with_a_rim_the_largest_below(result):
    ax = plot.ellipses(result, variants=SLOW)
    outlines = [patch for patch in ax.artists if isinstance(patch, Polygon)] or [
        patch for patch in ax.patches if isinstance(patch, Polygon)
    ]
    assert len(outlines) == 3
    assert not any(outline.get_fill() for outline in outlines)
    assert all(outline.get_path_effects() for outline in outlines)
    sizes = [np.prod(np.ptp(outline.get_xy(), axis=0)) for outline in outlines]
    assert sizes == sorted(sizes, reverse=True)


def test_names_find_places_where_they_cover_nothing():
    turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    drawn = [
        Named(f"scheme {n}", (x, y), np.column_stack([x + 1.5 * np.cos(turn), y + np.sin(turn)]))
        for n, (x, y) in enumerate([(2, 2), (3, 2.2), (4, 4), (4.5, 3), (7, 1)])
    ]
    with style.context():
        ax = style.new_axes(None)
        ax.set_xlim(0, 10)
        ax.set_ylim(0, 6)
        found = places(ax, drawn)
    assert found is not None
    areas = []
    for own, place in zip(drawn, found, strict=True):
        text = ax.annotate(
            own.name,
            place.at,
            place.offset,
            textcoords="offset points",
            ha=place.align[0],
            va=place.align[1],
            fontsize=SIZE,
        )
        areas.append(text.get_window_extent())
    for one, other in combinations(areas, 2):
        assert not one.overlaps(other)
    assert all(ax.bbox.contains(*corner) for area in areas for corner in area.corners())
    assert places(ax, [drawn[0], Named("the same place", drawn[0].centre, None)]) is None


def test_an_interval_that_reaches_zero_does_not_stretch_a_logarithmic_axis(result):
    rows = result.summary.arrow.to_pylist()
    result.summary.arrow = type(result.summary.arrow).from_pylist([{**r, "ci95_low": -5.0} for r in rows])
    ax = plot.bars(result, "rtt", "ping", variants=SLOW, log=True)
    assert ax.get_ylim()[0] == pytest.approx(0.5 * np.mean([rtt("codel", "5 Mbit/s", seed) for seed in SEEDS]))
    assert any("95 % intervals, cut below \u00b7 3 runs" in text.get_text() for text in ax.texts)


def test_labels_that_are_numbers():
    assert number("20ms") == (20.0, "ms")
    assert number("10 Mbit/s") == (10.0, "Mbit/s")
    assert number("1,024 packets") == (1024.0, "packets")
    assert number("12,345,678.5") == (12345678.5, "")
    assert number("0.5") == (0.5, "")
    assert number("-1e-05") == (-1e-5, "")
    assert number("50 %") == (50.0, "%")
    for word in ("5-15", "lte-12", "never", "", "1.2.3", "12,34", "1,0245"):
        assert number(word) is None, word


def test_a_comma_that_is_not_between_thousands_is_not_dropped():
    assert number("0,5") is None
    assert number("0,500") is None
    assert numbers(["0,5", "1"])[0] is None


def test_a_long_label_is_read_without_going_back():
    # A pattern that tried again from each digit would take hours.
    assert number("1" * 1_000_000 + "_") is None
    assert number("1," * 1_000_000 + "_") is None


def test_units_of_one_kind_are_converted():
    found, unit = numbers(["500 us", "2 ms", "0.1 s"])
    assert (list(found), unit) == ([500.0, 2000.0, 100_000.0], "us")
    assert numbers(["5 ms", "5 packets"])[0] is None


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (
            lambda r: plot.bars(r, "goodputs", "ping"),
            "no metric `goodputs`; there are: drops, frame_latency, rtt,",
        ),
        (lambda r: plot.bars(r, "rtt", "pong"), "`pong`; there are: ping"),
        (
            lambda r: plot.bars(r, "rtt", "ping", statistic="p90"),
            "no statistic `p90`; there are: mean, p50, p95, p99",
        ),
        (lambda r: plot.bars(r, "rtt", "ping", group="delay"), "no label `delay`; there are: queue, rate"),
        (lambda r: plot.drop_reasons(r, "core.forward"), "`core.forward`; there are: bottleneck.forward"),
        (lambda r: plot.surface(r, "rtt", x="rate", y="rate"), "pick one value of queue with `variants`"),
        (lambda r: plot.surface(r, "rtt", x="delay", y="queue"), "no label `delay`; there are: queue, rate"),
        (
            lambda r: plot.surface(r, "rtt", x="rate", y="queue", kind="contour"),
            "contours require numeric labels, got codel",
        ),
        (lambda r: plot.ellipses(r, "frame_latency", "age"), "no metric `age`; there are: "),
    ],
)
def test_missing_data_is_named_with_the_available_data(result, draw, said):
    with pytest.raises(JettisonError) as error:
        draw(result)
    assert said in str(error.value)
