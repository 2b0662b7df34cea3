"""The default queue of plots is the one in the report's comparison."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
from __future__ import annotations

import re
import subprocess

import pyarrow as pa
import pytest
from plot_results import SmallResult, Table

import jettison
from jettison.busiest import whole
from jettison.plot import PlotError
from jettison.plot.reading import bottleneck


def result(queues: dict[str, dict[str, list[float]]], **manifest) -> SmallResult:
    """A result with these values of the runs, by queue and metric."""
    made = SmallResult()
    rows = [
        {"variant": "a", "seed": seed, "object": name, "metric": metric, "part": part, "mean": value}
        for name, measures in queues.items()
        for metric, values in measures.items()
        for seed, value in enumerate(values)
        for part in ("", "ignored")
    ]
    # A part is not a value of the queue.
    rows = [{**row, "mean": -1e9} if row["part"] else row for row in rows]
    empty = pa.table({name: pa.array([], pa.string()) for name in ("object", "metric", "part", "mean")})
    made.runs = Table(pa.Table.from_pylist(rows) if rows else empty)
    made.manifest = {**made.manifest, **manifest}
    return made


@pytest.mark.parametrize(
    ("queues", "chosen"),
    [
        ({"a": {"utilisation": [40.0]}, "b": {"utilisation": [90.0]}}, "b"),
        # The mean of all runs decides.
        ({"a": {"utilisation": [0.0, 100.0]}, "b": {"utilisation": [60.0, 60.0]}}, "b"),
        # A queue with drops is congested, even if little gets through.
        ({"a": {"utilisation": [70.0]}, "b": {"utilisation": [50.0], "drop_rate": [30.0]}}, "b"),
        # Whole per cents: the backlog decides between two full links, and 99.96 equals 99.6.
        ({"a": {"utilisation": [99.96], "backlog": [1.0]}, "b": {"utilisation": [99.6], "backlog": [9.0]}}, "b"),
        # Halves are rounded up, as in Rust, and not to even numbers.
        ({"a": {"utilisation": [98.0], "backlog": [9.0]}, "b": {"utilisation": [98.5], "backlog": [1.0]}}, "b"),
        # The first of equal queues.
        ({"b": {"utilisation": [99.0]}, "a": {"utilisation": [99.0]}}, "b"),
        # A queue without a rate, such as one behind a program, has only a backlog.
        ({"a": {"backlog": [2.0]}, "b": {"backlog": [3.0]}}, "b"),
        # Negative values count as zero, and NaN as missing.
        ({"a": {"utilisation": [-5.0]}, "b": {"utilisation": [float("nan")], "backlog": [1.0]}}, "b"),
    ],
)
def test_the_rule_is_the_reports(queues, chosen):
    assert bottleneck(result(queues)) == chosen
    assert bottleneck(result(queues, objects=dict.fromkeys(queues, "queues"))) == chosen


def test_the_queue_that_the_experiment_names_is_chosen():
    assert bottleneck(result({"a": {"utilisation": [40.0]}}, bottleneck="core.forward")) == "core.forward"


def test_only_queues_are_and_in_the_manifests_order():
    queues = {"a": {"utilisation": [50.0]}, "b": {"utilisation": [50.0]}, "flow": {"utilisation": [99.0]}}
    assert bottleneck(result(queues, objects={"b": "queues", "a": "queues", "flow": "flows"})) == "b"


def test_a_result_without_queues_is_refused():
    with pytest.raises(PlotError, match="no queue"):
        bottleneck(result({}))


@pytest.mark.parametrize(("value", "rounded"), [(0.5, 1), (1.5, 2), (2.5, 3), (0.49999999999999994, 0), (99.96, 100)])
def test_halves_go_up(value, rounded):
    assert whole(value) == rounded


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"links.bottleneck.rate": "100 Mbit/s"},
        # The first link is the slow one.
        {"links.access.rate": "5 Mbit/s"},
        # Both are nearly full.
        {"links.access.rate": "8 Mbit/s", "links.bottleneck.rate": "8500 kbit/s"},
    ],
)
def test_it_is_the_queue_that_the_command_names(command, text, tmp_path, change):
    (tmp_path / "small.toml").write_text(text, encoding="utf-8")
    settings = [word for path, value in change.items() for word in ("--set", f"{path}={value}")]
    out = tmp_path / "out"
    done = subprocess.run(
        [command, "run", tmp_path / "small.toml", "--quick", "--out", out, *settings],
        capture_output=True,
        text=True,
        check=True,
    )
    named = re.search(r"^Bottleneck: (\S+)", done.stdout, re.MULTILINE)
    assert named is not None
    assert bottleneck(jettison.open(out)) == named[1]
