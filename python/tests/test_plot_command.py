"""`python -m jettison.plot` draws one plot of a folder of results."""

from __future__ import annotations

from pathlib import Path

import pytest
from small import TEXT

import jettison
from jettison.plot.__main__ import main


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    scenario = jettison.Scenario.from_toml(TEXT, label="small.toml").vary(queue=["tail-drop", "codel"])
    out = tmp_path_factory.mktemp("results") / "small"
    jettison.run(scenario, seeds=2, out=str(out))
    return out


def test_a_plot_is_written_in_the_format_of_its_name(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name, begin in (("p.svg", b"<?xml"), ("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")):
        assert main(["bars", str(folder), "goodput", "bulk", "--out", str(tmp_path / name), "--size", "5x3"]) == 0
        assert (tmp_path / name).read_bytes().startswith(begin)
        assert capsys.readouterr().out == f"{tmp_path / name}\n"


def test_the_same_results_give_the_same_file(folder: Path, tmp_path: Path):
    drawn: list[bytes] = []
    for name in ("a.svg", "b.svg"):
        assert main(["time_series", str(folder), "backlog", "--samples", "5", "--out", str(tmp_path / name)]) == 0
        drawn.append((tmp_path / name).read_bytes())
    assert drawn[0] == drawn[1]


def test_options_are_parameters_of_the_function(folder: Path, tmp_path: Path):
    plain, picked = tmp_path / "plain.svg", tmp_path / "picked.svg"
    assert main(["cdf", str(folder), "rtt", "ping", "--out", str(plain)]) == 0
    one = ["cdf", str(folder), "rtt", "ping", "--tail", "--variants", "queue=codel", "--variants=queue=tail-drop"]
    assert main([*one, "--out", str(picked)]) == 0
    assert plain.read_bytes() != picked.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pie"], "no plot `pie`; there are: backlog, bars"),
        (["bars", "goodput", "bulk", "--statistics", "p99"], "bars has no parameter `--statistics`; there are:"),
        (["bars", "gootput"], "gootput"),
        (["window", "bulk", "ping"], "window takes no further words: ping"),
        (["bars", "goodput", "bulk", "--size", "wide"], "--size must be WxH in inches, such as 7x3.5, got `wide`"),
    ],
)
def test_a_mistake_is_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
):
    kind, *rest = arguments
    assert main([kind, str(folder), *rest, "--out", str(tmp_path / "p.svg")]) == 2
    assert said in capsys.readouterr().err
    assert main(["bars", str(folder), "goodput", "bulk", "--out", str(tmp_path / "p.gif")]) == 2
