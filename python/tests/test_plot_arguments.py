"""Errors about arguments name valid values, and missing arguments have sensible defaults."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import inspect
import re
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from plot_results import QUEUE, SmallResult, Table, variant

from jettison import plot
from jettison.plot import PlotError, style

CODEL = variant("codel", "5 Mbit/s")


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, start=30, stop=10),
            "`start` must be before `stop` (both in seconds), got 30 and 10",
        ),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, start="5 s"),
            "`start` must be a number of seconds, got '5 s'",
        ),
        (lambda r: plot.time_series(r, "backlog", QUEUE, start=1000), "from 1 s to 10 s, and none in this interval"),
        (lambda r: plot.time_series(r, "backlog", QUEUE, seed="mean", start=1000), "and none in this interval"),
        (lambda r: plot.window(r, "bulk", start=30, stop=10), "got 30 and 10"),
        (lambda r: plot.ladder(r, start=30, stop=10), "got 30 and 10"),
        (lambda r: plot.time_series(r, "backlog", QUEUE, samples=0), "`samples` must be a whole number from 1, got 0"),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, samples=-3),
            "`samples` must be a whole number from 1, got -3",
        ),
        (
            lambda r: plot.time_series(r, "backlog", QUEUE, samples=1.5),
            "`samples` must be a whole number from 1, got 1.5",
        ),
        (
            lambda r: plot.time_series(r, "goodput", "tcp.*", combine="max"),
            '`combine` must be "mean" or "sum", got \'max\'',
        ),
        (lambda r: plot.backlog(r, bins=0), "`bins` must be a whole number from 1, got 0"),
        (lambda r: plot.backlog(r, rows="runs"), '`rows` must be "variants" or "seeds", got \'runs\''),
        (
            lambda r: plot.surface(r, "rtt", x="rate", y="queue", kind="3d"),
            '`kind` must be "heat" or "contour", got \'3d\'',
        ),
        (lambda r: plot.bars(r, "rtt", kind="box"), '`kind` must be "bar" or "point", got \'box\''),
        (lambda r: plot.boxes(r, "rtt", over="frames"), '`over` must be "seeds" or "samples", got \'frames\''),
        (lambda r: plot.cdf(r, "rtt", of="runs"), 'must be "auto", "distribution" or "samples"'),
        (lambda r: plot.ellipses(r, over="runs"), 'must be "samples", "frames" or "seeds"'),
        (lambda r: plot.ellipses(r, better="left"), 'must be "higher" or "lower"'),
        (lambda _: plot.bars("out/mine", "rtt"), 'got the path "out/mine"; pass jettison.open("out/mine")'),
        (lambda _: plot.cdf(Path("out/mine"), "rtt"), 'pass jettison.open("out/mine")'),
        (lambda _: plot.bars(result="out/mine", metric="rtt"), 'pass jettison.open("out/mine")'),
        (lambda _: plot.bars({}, "rtt"), "or jettison.open, got a dict"),
        (lambda _: plot.bars(None, "rtt"), "got a NoneType"),
    ],
)
def test_invalid_arguments_are_refused_with_the_valid_ones(result, draw, said):
    before = plt.get_fignums()
    with pytest.raises(PlotError) as error:
        draw(result)
    assert said in str(error.value)
    assert plt.get_fignums() == before


def test_papers_figures_come_with_the_module():
    assert plot.figures.draw.__name__ == "draw"
    assert "ired" in plot.figures.papers()
    with pytest.raises(PlotError, match=r'pass jettison\.open\("out/ired"\)'):
        plot.figures.draw("ired/rtt", "out/ired")


def with_objects(result: SmallResult, metric: str, names: list[str]) -> SmallResult:
    """The result with the metric added for each of these objects, with ping's RTT as values."""
    for table in (result.summary, result.runs):
        rows = table.arrow.to_pylist()
        rows += [{**row, "object": name, "metric": metric} for row in rows if row["metric"] == "rtt" for name in names]
        table.arrow = type(table.arrow).from_pylist(rows)
    return result


def test_of_queues_the_bottleneck_is_drawn(result):
    made = with_objects(result, "sojourn", [QUEUE, "access.forward"])
    for draw in (
        lambda: plot.bars(made, "sojourn"),
        lambda: plot.boxes(made, "sojourn"),
        lambda: plot.lines(made, "sojourn", x="rate"),
        lambda: plot.surface(made, "sojourn", x="rate", y="queue"),
    ):
        found = style.noted(draw())
        assert found is not None
        assert found[1][0] == QUEUE


def test_of_flows_all_are_drawn_together_or_one_must_be_named(result):
    made = with_objects(result, "goodput", ["bulk", "all flows"])
    found = style.noted(plot.bars(made, "goodput"))
    assert found is not None
    assert found[1][0] == "all flows"
    two = with_objects(SmallResult(), "goodput", ["bulk", "web"])
    with pytest.raises(PlotError, match="several objects; name one of: bulk, web"):
        plot.bars(two, "goodput")
    # The same without any queue.
    two.runs = Table(two.runs.arrow.filter([m == "goodput" for m in two.runs.arrow["metric"].to_pylist()]))
    with pytest.raises(PlotError, match="several objects; name one of: bulk, web"):
        plot.boxes(two, "goodput")


def test_the_book_says_which_function_has_which_parameter():
    drawing = {name for name in plot.__all__ if name not in ("PlotError", "colour", "figures")}
    page = (Path(__file__).parents[2] / "docs/src/appendix/pictures.md").read_text(encoding="utf-8")
    table = page.partition("## Parameters")[2].partition("## Colours")[0]
    said: dict[str, set[str]] = {}
    for row in table.splitlines():
        cells = row.split("|")
        if row.startswith("| `"):
            where = set(re.findall(r"`(\w+)`", cells[2]))
            where = drawing if "everywhere" in cells[2] else drawing - where if "all but" in cells[2] else where
            said |= dict.fromkeys(re.findall(r"`(\w+)`", cells[1]), where)
    there: dict[str, set[str]] = {}
    for name in drawing:
        for parameter in inspect.signature(getattr(plot, name)).parameters:
            there.setdefault(parameter, set()).add(name)
    del there["result"], there["metric"], said["metric"]  # the metric comes second, or has a default
    assert said == there
