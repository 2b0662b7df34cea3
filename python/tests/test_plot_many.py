"""Thousands of variants: no function makes a pass over a table for each of them."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import sys
from collections.abc import Callable

import matplotlib
import numpy as np
import pyarrow as pa
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from plot_results import BigResult, Table

import jettison
from jettison import plot
from jettison.plot.looks import looks
from jettison.plot.reading import bottleneck
from jettison.plot.rows import grouped

DRAWN = {
    "surface": lambda r: plot.surface(r, "rtt", x="x", y="y"),
    "surface p99": lambda r: plot.surface(r, "rtt", x="x", y="y", statistic="p99"),
    "contours": lambda r: plot.surface(r, "rtt", x="x", y="y", kind="contour"),
    "lines": lambda r: plot.lines(r, "rtt", x="x", legend=False),
    "lines p99": lambda r: plot.lines(r, "rtt", x="x", statistic="p99", legend=False),
    "lines of several": lambda r: plot.lines(r, "rtt", "pin*", x="x", legend=False),
    "bars": lambda r: plot.bars(r, "rtt"),
    "bars p99": lambda r: plot.bars(r, "rtt", statistic="p99"),
    "boxes": lambda r: plot.boxes(r, "rtt"),
    "boxes of samples": lambda r: plot.boxes(r, "rtt", over="samples"),
    "the bottleneck": bottleneck,
    "time series": lambda r: plot.time_series(r, "rtt", seed="mean", legend=False),
    "cdf": lambda r: plot.cdf(r, "rtt", legend=False),
    "cdf of samples": lambda r: plot.cdf(r, "rtt", of="samples", legend=False),
    "ellipses": lambda r: plot.ellipses(r, "rtt", "owd", legend=False),
    "ellipses of seeds": lambda r: plot.ellipses(r, "rtt", "owd", over="seeds", legend=False),
}


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def calls(function: Callable[[], object]) -> int:
    """The number of calls that `function` makes, of Python and of C: a measure of work that no busy machine changes."""
    count = 0

    def counted(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count


def looks_through(draw, result: BigResult) -> int:
    """Number of passes over the tables."""
    tables = [result.runs, result.summary, result.flows, result.queues, result.distributions]
    before = sum(table.looks for table in tables)
    draw(result)
    return sum(table.looks for table in tables) - before


@pytest.mark.parametrize("kind", DRAWN)
def test_the_number_of_passes_does_not_depend_on_the_number_of_variants(kind):
    few, many = (looks_through(DRAWN[kind], BigResult(n, 3)) for n in (2, 9))
    assert few == many


@pytest.mark.parametrize("kind", ["surface", "surface p99", "contours", "lines", "lines p99", "bars", "bars p99"])
def test_the_work_grows_no_faster_than_the_number_of_points(kind):
    few, many = BigResult(10, 20), BigResult(40, 20)
    one, four = calls(lambda: DRAWN[kind](few)), calls(lambda: DRAWN[kind](many))
    assert four < 4.4 * one


def test_stored_results_are_read_a_few_times_for_any_number_of_variants(small, tmp_path, monkeypatch):
    scenario = small.set("duration", "2 s").vary("links.bottleneck.rate", [f"{n} Mbit/s" for n in (3, 5, 7, 9, 11, 13)])
    jettison.run(scenario, seeds=2, out=tmp_path / "out")
    reads: list[list[str]] = []
    read = jettison.result.pq.read_table

    def counted(*arguments, **options):
        reads.append(options["columns"])
        return read(*arguments, **options)

    monkeypatch.setattr(jettison.result.pq, "read_table", counted)
    for draw in (
        lambda r: plot.lines(r, "rtt", "ping", x="rate", statistic="p99"),
        lambda r: plot.time_series(r, "backlog", "bottleneck.forward", seed="mean"),
        lambda r: plot.cdf(r, "rtt", "ping"),
        lambda r: plot.boxes(r, "rtt", "ping"),
    ):
        reads.clear()
        draw(jettison.open(tmp_path / "out"))
        # The columns of conditions one by one, then the rest together.
        assert len(reads) <= 8, reads


def test_rows_are_grouped_in_their_order():
    table = Table(
        pa.table(
            {
                "variant": pa.chunked_array([["b", "a"], ["b"]]).dictionary_encode(),
                "seed": pa.array([2, 1, 2], pa.uint64()),
                "part": ["", "x", ""],
                "value": [1.0, 2.0, 3.0],
            }
        )
    )
    found = grouped(table, ("variant", "seed"), ("value", "part"))
    assert {key: of["value"].tolist() for key, of in found.items()} == {("b", 2): [1.0, 3.0], ("a", 1): [2.0]}
    assert found["a", 1]["part"].tolist() == ["x"]
    assert grouped(table, ("variant",), ("value",), part="y") == {}


def test_the_work_for_styles_grows_no_faster_than_the_number_of_schemes():
    def styles(schemes: int) -> int:
        names = [f"scheme {n}" for n in range(schemes)]
        return calls(lambda: looks(names, {name: {"queue": name} for name in names}))

    assert styles(4000) < 4.4 * styles(1000)


def test_axes_have_a_readable_number_of_words():
    ax = plot.bars(BigResult(50, 40), "rtt")
    assert len(ax.patches) == 2000
    assert np.ptp([tick.get_position()[0] for tick in ax.get_xticklabels()]) > 1900
    assert len(ax.get_xticklabels()) <= 40
