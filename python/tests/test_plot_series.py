"""Plots of series and distributions match the tables."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from plot_results import QUEUE, SEEDS, SmallResult, sample, variant

from jettison import JettisonError, plot
from jettison.plot.distribution import pooled
from jettison.plot.heat import binned
from jettison.plot.reading import bottleneck, pick_variants
from jettison.plot.representations import stalls_of
from jettison.plot.samples import Series, rolling
from jettison.plot.series import with_gaps

CODEL = variant("codel", "5 Mbit/s")


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


def test_a_line_has_the_samples_of_the_first_seed(result):
    ax = plot.time_series(result, "backlog", QUEUE, variants=[CODEL])
    seconds, values = ax.lines[0].get_data()
    assert list(seconds) == list(range(1, 11))
    assert list(values) == [sample("codel", 1, second) for second in range(1, 11)]


def test_another_seed_and_a_part_of_the_time(result):
    ax = plot.time_series(result, "backlog", QUEUE, variants=[CODEL], seed=3, start=4, stop=6)
    assert list(ax.lines[0].get_ydata()) == [sample("codel", 3, second) for second in (4, 5, 6)]


def test_the_mean_over_seeds_lies_in_a_band_from_lowest_to_highest(result):
    ax = plot.time_series(result, "backlog", QUEUE, variants=[CODEL], seed="mean")
    expected = [np.mean([sample("codel", seed, second) for seed in SEEDS]) for second in range(1, 11)]
    assert np.allclose(ax.lines[0].get_ydata(), expected)
    edge = ax.collections[0].get_paths()[0].vertices
    assert (edge[:, 1].min(), edge[:, 1].max()) == (1.0, 5.0)


def test_several_objects_are_summed_or_averaged_at_each_instant(result):
    both = plot.time_series(result, "goodput", "tcp.*", variants=[CODEL], combine="sum")
    assert list(both.lines[0].get_ydata()) == [3.0 * second for second in range(1, 11)]
    mean = plot.time_series(result, "goodput", ["tcp.1", "tcp.2"], variants=[CODEL])
    assert list(mean.lines[0].get_ydata()) == [1.5 * second for second in range(1, 11)]


def test_rolling_means_stand_at_the_end_of_their_window():
    series = rolling(Series(np.array([1.0, 2.0, 3.0]), np.array([2.0, 4.0, 9.0])), 2)
    assert (list(series.seconds), list(series.values)) == ([2.0, 3.0], [3.0, 6.5])
    assert not len(rolling(series, 4).values)


def test_a_line_breaks_at_gaps():
    seconds, values = with_gaps(Series(np.array([0.0, 1.0, 2.0, 3.0, 40.0, 41.0]), np.arange(6.0)))
    assert np.isnan(values[4])
    assert np.isnan(seconds[4])
    assert list(values[~np.isnan(values)]) == [0, 1, 2, 3, 4, 5]


def test_a_cdf_is_the_mean_of_the_runs_distributions(result):
    values, shares = plot.cdf(result, "rtt", "ping", variants=[CODEL]).lines[0].get_data()
    at = dict(zip(values[1:], shares[1:], strict=True))  # the line starts at a fraction of zero
    assert shares[0] == 0.0
    # Seeds 1, 2 and 3 have half of their values at 1, 2 and 3 ms, the rest at 10, 20 and 30.
    expected = {1.0: 0.5 / 3, 2.0: 1.0 / 3, 3.0: 0.5, 10.0: 2.0 / 3, 20.0: 2.5 / 3, 30.0: 1.0}
    assert at == pytest.approx(expected)


def test_a_tail_is_the_complement(result):
    ax = plot.cdf(result, "rtt", "ping", variants=[CODEL], tail=True, log=True)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    assert np.allclose(ax.lines[0].get_ydata()[1:], [1 - 0.5 / 3, 2 / 3, 0.5, 1 / 3, 0.5 / 3, 0.0])


def test_without_a_distribution_the_samples_after_the_warm_up_are_taken(result):
    values, shares = plot.cdf(result, "backlog", QUEUE, variants=[CODEL]).lines[0].get_data()
    counted = [sample("codel", seed, second) for seed in SEEDS for second in range(2, 11)]
    for value in sorted(set(counted)):
        assert shares[np.flatnonzero(values == value)[-1]] == pytest.approx(np.mean(np.array(counted) <= value))


def test_distributions_of_different_lengths_have_equal_weights():
    values, shares = pooled([(np.array([1.0]), np.array([1.0])), (np.array([2.0, 3.0]), np.array([0.5, 1.0]))])
    assert list(values) == [1.0, 1.0, 2.0, 3.0]
    assert list(shares) == [0.0, 0.5, 0.75, 1.0]


def test_a_ladder_steps_where_segments_are_whole_and_ends_with_the_player(result):
    ax = plot.ladder(result, variants=[CODEL])
    seconds, values = ax.lines[0].get_data()
    assert list(seconds) == [1.2, 3.4, 8.0, 10.0]
    assert list(values) == [300.0, 700.0, 300.0, 300.0]
    assert ax.lines[0].get_drawstyle() == "steps-post"


def test_stalls_begin_and_end_within_partly_played_seconds(result):
    frames = Series(np.arange(1.0, 11.0), np.array([0.0, 24, 24, 24, 12, 0, 0, 12, 24, 24]))
    assert stalls_of(frames) == [(4.5, 7.5)]
    shaded = [patch for patch in plot.ladder(result, variants=[CODEL]).patches if patch.get_width() > 0]
    assert [(p.get_x(), p.get_x() + p.get_width()) for p in shaded] == [(4.5, 7.5)]


def test_a_row_of_stalls_requires_stalls(result):
    both = [CODEL, variant("mine", "5 Mbit/s")]
    assert "stalled" in [text.get_text() for text in plot.ladder(result, variants=both).texts]
    flows = result.flows.arrow.to_pylist()
    result.flows.arrow = type(result.flows.arrow).from_pylist(
        [{**row, "value": 24.0} if row["metric"] == "frames_per_second" else row for row in flows]
    )
    assert "stalled" not in [text.get_text() for text in plot.ladder(result, variants=both).texts]


def test_the_wait_for_the_first_frame_is_not_a_stall():
    assert stalls_of(Series(np.arange(4.0), np.array([0.0, 0.0, 24.0, 24.0]))) == []
    assert stalls_of(Series(np.arange(3.0), np.zeros(3))) == []


def test_a_window_shows_pacing_only_of_a_sender_that_paces(result):
    unpaced = plot.window(result, "bulk", variants=[CODEL])
    assert len(unpaced.figure.axes) == 1
    paced = plot.window(result, "bulk", variants=[variant("mine", "5 Mbit/s")])
    right = paced.figure.axes[-1]
    assert right is not paced
    assert right.get_ylabel() == "Pacing rate (Mbit/s)"
    assert set(right.lines[0].get_ydata()) == {3.0}


def test_a_heat_map_has_one_row_per_variant_or_seed(result):
    ax = plot.backlog(result, variants={"rate": "5 Mbit/s"}, bins=10)
    cells = np.asarray(ax.collections[0].get_array()).reshape(3, 10)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["CoDel", "iRED 64", "mine"]
    assert np.allclose(
        np.nanmean(cells, axis=1),
        [np.mean([sample(q, 1, s) for s in range(1, 11)]) for q in ("codel", "ired-64", "mine")],
        atol=0.15,
    )
    ax = plot.backlog(result, variants=[CODEL])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["seed 1", "seed 2", "seed 3"]


def test_a_cell_is_the_mean_of_its_samples():
    cells = binned(
        Series(np.array([0.1, 0.2, 2.5, 3.0]), np.array([1.0, 3.0, 5.0, 7.0])), np.array([0.0, 1.0, 2.0, 3.0])
    )
    assert cells == pytest.approx([2.0, float("nan"), 6.0], nan_ok=True)


def test_the_bottleneck_is_the_busiest_queue(result):
    assert bottleneck(result) == QUEUE


def test_variants_are_picked_by_name_parts_and_labels(result):
    both = [variant("codel", "5 Mbit/s"), variant("codel", "10 Mbit/s")]
    assert pick_variants(result, "queue=codel") == both
    assert pick_variants(result, {"queue": "codel"}) == both
    assert pick_variants(result, {"queue": ["codel"], "rate": "10 Mbit/s"}) == both[1:]
    assert pick_variants(result, both[::-1]) == both[::-1]


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (
            lambda r: plot.time_series(r, "sojourn", QUEUE),
            "result `test/small` has no metric `sojourn` in its flows and queues; there are: backlog, ",
        ),
        (
            lambda r: plot.time_series(r, "backlog", "core.forward"),
            "`core.forward`; there are: access.forward, bottleneck.forward",
        ),
        (lambda r: plot.time_series(r, "goodput"), "several objects; name one of: tcp.1, tcp.2"),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, variants="queue=red"),
            "`queue=red`; there are: queue=codel,",
        ),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, variants={"que": "red"}),
            "no label `que`; there are: queue, rate",
        ),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, variants={"queue": "red"}),
            "called `red`; there are: codel, ired-64, mine",
        ),
        (lambda r: plot.time_series(r, "backlog", QUEUE, seed=9), "no seed `9`; there are: 1, 2, 3"),
        (lambda r: plot.cdf(r, "backlog", QUEUE, of="distribution"), "no distribution of `backlog`"),
        (lambda r: plot.ladder(r, "bulk"), "of an object `bulk`; there are: video"),
        (
            lambda r: plot.backlog(r, rows="seeds"),
            "rows of seeds require one variant; name one of: queue=codel,",
        ),
    ],
)
def test_missing_data_is_named_with_the_available_data(result, draw, said):
    with pytest.raises(JettisonError) as error:
        draw(result)
    assert said in str(error.value)
    assert isinstance(error.value, plot.PlotError)
