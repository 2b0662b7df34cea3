"""Remarks of plots name the data and the number of runs."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import matplotlib
import numpy as np
import pyarrow.compute as pc
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from plot_results import QUEUE, SmallResult, variant

from jettison import plot
from jettison.plot import counts, style
from jettison.plot.figures.common import only_note

SLOW = {"rate": "5 Mbit/s"}
CODEL = variant("codel", "5 Mbit/s")


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


@pytest.fixture
def interrupted(result) -> SmallResult:
    """Two of three runs of CoDel, one of iRED, none of the third scheme."""
    there = {("codel", 1), ("codel", 2), ("ired-64", 1)}
    runs = [(variant(queue, "5 Mbit/s"), seed) for queue, seed in sorted(there)]
    result.manifest = {**result.manifest, "runs": [{"variant": v, "seed": s} for v, s in runs]}
    keys = {f"{v} {s}" for v, s in runs}
    for table in (result.queues, result.flows, result.distributions, result.frames, result.runs):
        rows = [
            f"{v} {s}" in keys for v, s in zip(*(table.arrow[c].to_pylist() for c in ("variant", "seed")), strict=True)
        ]
        table.arrow = table.arrow.filter(rows)
    n = {variant("codel", "5 Mbit/s"): 2, variant("ired-64", "5 Mbit/s"): 1}
    summary = result.summary.arrow
    rows = [{**row, "n": n[row["variant"]]} for row in summary.to_pylist() if row["variant"] in n]
    result.summary.arrow = type(summary).from_pylist(rows)
    return result


def parts(ax) -> list[str]:
    """The parts of the remark."""
    found = style.noted(ax)
    assert found is not None
    return found[1]


def entries(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_runs_that_are_missing_are_not_counted():
    assert counts.runs([19, 19], 19) == "19 runs"
    assert counts.runs([1], 1) == "1 run"
    assert counts.runs([6, 0], 19) == "6 of 19 runs"
    assert counts.runs([6, 3, 0], 19) == "3 to 6 of 19 runs"


def test_the_runs_of_a_sweep_are_taken_from_its_rows(result):
    rows = result.runs.arrow
    result.runs.arrow = rows.filter(pc.not_equal(rows["variant"], CODEL))
    assert "runs" not in result.manifest
    other = result.variants[-1]
    assert counts.absent(result, [CODEL, other]) == {CODEL: "no runs", other: "no values"}


def test_plots_of_an_interrupted_experiment_name_missing_runs(interrupted):
    ax = plot.time_series(interrupted, "backlog", QUEUE, variants=SLOW, seed="mean")
    assert "mean of 1 to 2 of 3 runs, lowest to highest" in parts(ax)
    assert entries(ax) == ["CoDel", "iRED 64", "mine (no runs)"]
    one = plot.time_series(interrupted, "backlog", QUEUE, variants=SLOW, seed=2)
    assert entries(one) == ["CoDel", "iRED 64 (no runs)", "mine (no runs)"]


def test_without_a_legend_the_remark_names_missing_runs(interrupted):
    ax = plot.time_series(interrupted, "backlog", QUEUE, variants=SLOW, seed="mean", legend=False)
    assert "no runs of mine" in parts(ax)
    assert "no runs of 4 variants" in parts(plot.time_series(interrupted, "backlog", QUEUE, seed="mean", legend=False))


def test_every_other_kind_counts_existing_runs(interrupted):
    few = "1 to 2 of 3 runs"
    shares = plot.cdf(interrupted, "rtt", "ping", variants=SLOW)
    assert few in parts(shares)
    assert entries(shares)[-1] == "mine (no runs)"
    assert few in parts(plot.bars(interrupted, "rtt", "ping", variants=SLOW))
    for over, words in (("seeds", few), ("samples", f"samples of {few}, whiskers 5 to 95 %")):
        measure = ("rtt", "ping") if over == "seeds" else ("backlog", QUEUE)
        ax = plot.boxes(interrupted, *measure, variants=SLOW, over=over)
        assert words in parts(ax)
        assert "no runs" in [text.get_text() for text in ax.texts]
    reasons = plot.drop_reasons(interrupted, variants=SLOW)
    assert f"mean of {few}" in parts(reasons)
    assert "no runs" in [text.get_text() for text in reasons.texts]
    rows = plot.backlog(interrupted, variants=SLOW)
    assert [tick.get_text() for tick in rows.get_yticklabels()] == ["CoDel", "iRED 64", "mine (no runs)"]
    rows = plot.backlog(interrupted, variants=[CODEL])
    assert [tick.get_text() for tick in rows.get_yticklabels()] == ["seed 1", "seed 2", "seed 3 (no runs)"]
    assert few in parts(plot.lines(interrupted, "rtt", "ping", x="queue", variants=SLOW))
    assert entries(plot.ladder(interrupted, variants=SLOW))[-1] == "mine (no runs)"
    assert entries(plot.ellipses(interrupted, variants=SLOW, legend=True))[-1] == "mine (no runs)"


def test_one_run_is_written_in_the_singular(result):
    result.seeds = [1]
    for table in (result.runs,):
        table.arrow = table.arrow.filter(pc.equal(table.arrow["seed"], 1))
    assert "1 run" in parts(plot.boxes(result, "rtt", "ping", variants=SLOW))


def test_the_remark_says_object_labels_and_samples(result):
    ax = plot.time_series(result, "goodput", "tcp.1", variants=SLOW, samples=2)
    assert parts(ax) == ["tcp.1", "rate 5 Mbit/s", "means of 2 samples", "seed 1"]
    both = plot.time_series(result, "goodput", "tcp.*", variants={"queue": "codel"}, combine="sum", seed="mean")
    assert parts(both) == ["sum of tcp.*", "CoDel", "mean of 3 runs, lowest to highest"]
    assert parts(plot.cdf(result, "rtt", "ping", variants=[CODEL])) == [
        "ping", "CoDel", "rate 5 Mbit/s", "every value", "3 runs",
    ]  # fmt: skip
    assert parts(plot.bars(result, "rtt", "ping", variants=SLOW))[:2] == ["ping", "rate 5 Mbit/s"]
    assert parts(plot.boxes(result, "rtt", "ping", variants=SLOW)) == ["ping", "rate 5 Mbit/s", "3 runs"]
    assert parts(plot.window(result, "bulk", variants=[CODEL])) == ["bulk", "CoDel", "rate 5 Mbit/s", "seed 1"]
    assert parts(plot.lines(result, "rtt", "ping", x="rate", variants={"queue": "codel"}))[:2] == ["ping", "CoDel"]
    # With several objects, the ticks name them.
    several = plot.bars(result, "utilisation", [QUEUE, "access.forward"], variants=SLOW)
    assert parts(several)[0] == "rate 5 Mbit/s"


def test_a_long_remark_is_wrapped_without_changes():
    with style.context():
        ax = style.new_axes(None, (2.4, 2.0))
        said = ["bottleneck.forward", "rate 10 Mbit/s", "means of 10 samples", "seed 1"]
        style.note(ax, *said)
    assert "\n" in ax.texts[0].get_text()
    assert parts(ax) == said
    ax.figure.draw_without_rendering()
    assert ax.texts[0].get_window_extent().x0 >= 0


def test_one_remark_of_panels_stays_with_the_common_parts(result):
    figure, axes = plt.subplots(1, 2)
    for ax, name in zip(axes, ("tcp.1", "tcp.2"), strict=True):
        plot.time_series(result, "goodput", name, variants=SLOW, ax=ax)
    only_note(axes, keep=axes[1])
    assert parts(axes[1]) == ["rate 5 Mbit/s", "seed 1"]
    assert not axes[0].texts
    assert np.isfinite(figure.get_figwidth())
