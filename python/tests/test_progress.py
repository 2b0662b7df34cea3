"""Bars of progress, without escape sequences."""

# pyright: basic, reportPrivateUsage=false
from __future__ import annotations

import io
import sys

import pytest

import jettison
from jettison import Scenario, _progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_in_a_terminal_it_is_tqdms(small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("tqdm", reason="left out: tqdm is not installed")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    jettison.run(small.set("duration", "2 s"), progress=True)
    last = terminal.getvalue().rstrip().split("\r")[-1]
    assert last.startswith("small: 100%|") and "2 of 2 runs" in last
    assert "\x1b" not in terminal.getvalue()


def test_without_tqdm_a_terminal_has_a_line(small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    bar = _progress.bar("a sweep of a long name")
    bar.update(0.5, "1 of 2 runs", 75.0)
    bar.update(1.0, "2 of 2 runs", 0.0)
    bar.close()
    first, second = terminal.getvalue().split("\r")[1:]
    assert first == "a sweep of a long name: 50 %, 1 of 2 runs, 1 min 15 s left"
    assert second.rstrip() == "a sweep of a long name: 100 %, 2 of 2 runs"
    assert len(second.rstrip("\n")) == len(first), "the rest of the longer line is overwritten"


def test_in_a_file_there_are_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    bar = _progress.bar("small")
    for step in range(1, 1001):
        bar.update(step / 1000, f"{step} of 1000 runs", None)
    bar.close()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 10
    assert lines[-1] == "small: 100 %, 1000 of 1000 runs"
    assert not set("\r\x1b") & set("".join(lines))


def test_a_sweep_shows_it_only_where_somebody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    from jettison.sweeps.progress import Reporter

    assert not _progress.is_shown()
    quiet = Reporter("small", 10, None)
    assert quiet._bar is None
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    reporter = Reporter("small", 4, None)
    reporter.add("found", 2)
    reporter.add("done")
    reporter.add("failed")
    reporter.close()
    assert "4 of 4 runs, 2 found, 1 failed" in terminal.getvalue()


def test_times_are_for_people() -> None:
    assert [_progress.span(seconds) for seconds in (41.7, 185, 7800)] == ["42 s", "3 min 5 s", "2 h 10 min"]
