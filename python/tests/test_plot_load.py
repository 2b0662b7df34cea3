"""The figure of rates and latency under load."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import matplotlib
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from plot_results import SmallResult, variant

from jettison import JettisonError, plot


@pytest.fixture
def result():
    yield SmallResult()
    plt.close("all")


def test_a_panel_has_a_line_per_flow_and_their_mean(result):
    axes = plot.response_under_load(result, download="tcp.*", variants=[variant("codel", "5 Mbit/s")])
    assert axes[0].get_title(loc="left") == "Download"
    lines = {line.get_label(): list(line.get_ydata()) for line in axes[0].lines}
    assert set(lines) == {"tcp.1", "tcp.2", "mean"}
    expected = [(one + other) / 2 for one, other in zip(lines["tcp.1"], lines["tcp.2"], strict=True)]
    assert lines["mean"] == pytest.approx(expected)


def test_panels_share_the_time_and_those_without_flows_are_left_out(result):
    axes = plot.response_under_load(result, download="tcp.1", upload="tcp.2", start=2, stop=5)
    assert [ax.get_title(loc="left") for ax in axes][:2] == ["Download", "Upload"]
    assert axes[-1].get_xlabel() == "Time (s)"
    assert min(axes[0].lines[0].get_xdata()) >= 2
    assert max(axes[1].lines[0].get_xdata()) <= 5


def test_a_result_without_such_flows_is_refused_with_the_remedy(result):
    with pytest.raises(JettisonError, match="no flows named like those of the presets"):
        plot.response_under_load(result, download="no", upload="no", ping="no")


def test_a_class_has_one_colour_in_all_panels(result):
    axes = plot.response_under_load(result, download=["tcp.1", "tcp.2"], upload="tcp.2", ping=[])
    colours = [{line.get_label(): line.get_color() for line in ax.lines} for ax in axes]
    assert colours[0]["tcp.2"] == colours[1]["tcp.2"] != colours[0]["tcp.1"]
