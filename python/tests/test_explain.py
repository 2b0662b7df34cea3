from __future__ import annotations

from pathlib import Path

import pytest

import jettison
from jettison import RunError

TEXT = """
name = "outage"
duration = "30 s"
[record]
accounts = ACCOUNTS
[nodes]
server = { kind = "host" }
client = { kind = "host" }
[links.bottleneck]
between = ["server", "client"]
rate = "3 Mbit/s"
delay = "20 ms"
[links.bottleneck.loss]
windows = [{ from = "8 s", to = "10.5 s" }]
[flows.viewer]
from = "server"
to = "client"
[flows.viewer.app]
kind = "dash"
player = { abr = "bola", max_buffer = "4 s", start_up = "2 s" }
[flows.viewer.app.content]
duration = "60 s"
segment_duration = "2 s"
[[flows.viewer.app.content.ladder.video]]
width = 640
height = 360
frame_rate = 25
bitrate = "1 Mbit/s"
[[flows.viewer.app.content.ladder.video]]
width = 1280
height = 720
frame_rate = 25
bitrate = "2 Mbit/s"
"""


def scenario(folder: Path, accounts: bool) -> Path:
    file = folder / "outage.toml"
    file.write_text(TEXT.replace("ACCOUNTS", str(accounts).lower()))
    return file


def test_a_stall_is_explained_by_the_losses_behind_it(tmp_path: Path) -> None:
    result = jettison.run(scenario(tmp_path, True), out=tmp_path / "out")
    kinds = set(result.events["kind"].to_pylist())
    assert "stall" in kinds
    explanations = result.explain(worst=3, viewer="viewer")
    assert 1 <= len(explanations) <= 3
    assert [own.cost for own in explanations] == sorted((own.cost for own in explanations), reverse=True)
    stall = next(own for own in explanations if own.kind == "stall")
    drops = next(cause for cause in stall.causes if cause.kind == "drops")
    assert drops.place == "bottleneck.forward"
    assert "scheduled-loss" in [rule for rule, _ in drops.rules]
    assert "stall of `viewer`" in repr(stall)
    assert "<svg" in explanations._repr_html_()
    with pytest.raises(RunError, match="unknown viewer `viever`"):
        result.explain(viewer="viever")


def test_results_without_accounts_or_folder_are_refused(tmp_path: Path) -> None:
    file = scenario(tmp_path, False)
    with pytest.raises(RunError, match="has no accounts of delays"):
        jettison.run(file, out=tmp_path / "out").explain()
    with pytest.raises(RunError, match="in memory"):
        jettison.run(file).explain()
