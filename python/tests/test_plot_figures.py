"""The papers' figures: registry, drawing, and the command that writes them."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable
from pathlib import Path

import matplotlib
import pytest

matplotlib.use("Agg")

import matplotlib.pyplot as plt

import jettison
from jettison import figures as command
from jettison import plot
from jettison.plot import figures

SCENARIOS = Path(__file__).parents[2] / "scenarios"
PAPERS = ["ired", "newcwv", "codelpp", "dpm", "octopus", "aqm", "value"]
#: Pages of figures that are no paper's.
PAGES = {"aqm/home": "home", "aqm/l4s": "l4s", "value/shares": "value", "value/regret": "value"}

#: Short forms of experiments that suffice for all figures: changes to the scenario, and seeds.
SHORT = {
    "ired/ingress-vs-egress": ({"duration": "4 s", "warm_up": "1 s"}, [1, 2]),
    "ired/dash-cdn": ({"duration": "25 s", "warm_up": "5 s"}, [1]),
    "newcwv/slides": ({"duration": "40 s"}, [1, 2]),
    "newcwv/sharing": ({"duration": "40 s", "warm_up": "10 s", "vary[3].variants": "iw10"}, [1]),
    "codelpp/slices": ({}, [1, 2]),
    "dpm/proshare": ({"vary[0].variants": "after"}, [1]),
    "dpm/thresholds": ({"duration": "33 s", "warm_up": "30 s"}, [1]),
    "dpm/explore": ({"duration": "9 s", "warm_up": "6 s"}, [1]),
    "octopus/motivation": ({"duration": "6 s"}, [1]),
    "octopus/temporal": ({"duration": "4 s", "warm_up": "1 s"}, [1]),
    "octopus/spatial": ({"duration": "4 s", "warm_up": "1 s"}, [1]),
    "octopus/volumetric": ({"duration": "4 s", "warm_up": "1 s"}, [1]),
    "octopus/buffers": ({"duration": "4 s", "warm_up": "1 s"}, [1]),
    "octopus/legacy": ({"duration": "22 s"}, [1]),
    "octopus/beyond": ({"duration": "4 s", "warm_up": "1 s"}, [1]),
    "aqm/home": ({"duration": "8 s", "warm_up": "1 s", "flows.web.stop": "6 s", "vary[1].variants": "adsl"}, [1, 2]),
    "aqm/l4s": ({"duration": "3 s", "warm_up": "1 s", "vary[1].variants": "prague/cubic"}, [1]),
    "value/drops": ({"duration": "4 s", "warm_up": "1 s", "vary[0].variants": "conference"}, [1]),
}


def interval(mean: float) -> dict[str, float]:
    return {"mean": mean, "low": mean - 1.0, "high": mean + 2.0}


def with_values(result: jettison.Result) -> jettison.Result:
    """Stored results of `value/drops` with the file that the command adds."""
    judged = {"measure": "picture", "hurt": interval(30.0), "helped": interval(5.0), "regret": interval(12.0)}
    cells = [{"labels": labels, "judged": [judged | {"learned": None}]} for labels in result.labels.values()]
    assert result.folder is not None
    (result.folder / "value").mkdir(exist_ok=True)
    (result.folder / "value/value.json").write_text(json.dumps({"cells": cells}), encoding="utf-8")
    return result


def short(name: str) -> jettison.Scenario:
    """The experiment, as short as its figures allow; only one of named alternatives is kept."""
    scenario = jettison.load(name, quick=True)
    changes = dict(SHORT[name][0])
    for path, value in changes.items():
        axis = re.fullmatch(r"vary\[(\d+)\]\.variants", path)
        if axis is not None:
            alternatives = scenario.to_dict()["vary"][int(axis[1])]["variants"]
            changes[path] = [each for each in alternatives if each["name"] == value]
    return scenario.set(changes)


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], jettison.Result]:
    """The short results of an experiment, run on first use."""

    def run(name: str) -> jettison.Result:
        if name != "value/drops":
            return jettison.run(short(name), seeds=SHORT[name][1])
        return with_values(
            jettison.run(short(name), seeds=SHORT[name][1], out=tmp_path_factory.mktemp("value") / "drops")
        )

    return functools.cache(run)


@pytest.fixture(scope="session")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some results, stored as by `jettison reproduce`."""
    out = tmp_path_factory.mktemp("out")
    for name in ("ired/ingress-vs-egress", "dpm/explore", "octopus/motivation"):
        jettison.run(short(name), seeds=SHORT[name][1], out=out / name)
    return out


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_every_paper_has_figures_of_existing_experiments():
    assert sorted(figures.papers()) == sorted(PAPERS)
    for each in figures.all_figures():
        assert each.experiments, each.slug
        for name in each.experiments:
            assert (SCENARIOS / each.paper / f"{name}.toml").is_file(), f"{each.paper}/{name}"
        assert all([each.title, each.of]), each.slug
        assert re.fullmatch(r"[a-z0-9-]+", each.slug)


def test_the_book_lists_every_figure():
    for each in figures.all_figures():
        page = PAGES.get(f"{each.paper}/{each.slug}", f"papers/{each.paper}")
        text = (SCENARIOS.parent / "docs/src/appendix" / f"{page}.md").read_text(encoding="utf-8")
        assert f"`{each.slug}`" in text, f"{each.slug} is not on {page}.md"


@pytest.mark.parametrize("name", [f"{each.paper}/{each.slug}" for each in figures.all_figures()])
def test_a_figure_is_drawn_with_units_and_whole_in_its_frame(results, name):
    paper, _, slug = name.partition("/")
    each = next(of for of in figures.figures_of(paper) if of.slug == slug)
    made = figures.draw(name, {of: results(f"{paper}/{of}") for of in each.experiments})
    assert made.get_suptitle().replace("\n", " ").replace("\u00a0", " ") == each.title
    drawn = [ax for ax in made.axes if ax.lines or ax.patches or ax.collections]
    assert drawn
    made.draw_without_rendering()
    box = made.bbox
    for text in [
        *made.texts,
        *(label for ax in drawn for label in (ax.xaxis.label, ax.yaxis.label, ax.title)),
    ]:
        extent = text.get_window_extent()
        if text.get_text():
            assert box.x0 - 1 <= extent.x0, text.get_text()
            assert extent.x1 <= box.x1 + 1, text.get_text()
    labels = [label for ax in drawn for label in (ax.get_xlabel(), ax.get_ylabel()) if label]
    labels += [made.get_supylabel()] if made.get_supylabel() else []
    bare = {"RTT", "SSIM", *(label for label in labels if label.startswith("Fraction"))}
    assert [label for label in labels if label not in bare and not re.search(r"\(.+\)$", label)] == []


def test_a_result_in_memory_is_drawn_as_a_stored_one_is(results, stored):
    name = "ired/ingress-vs-egress"
    drawn = [figures.draw("ired/rtt", of) for of in (results(name), jettison.open(stored / name))]
    lines = [[line.get_xydata().tolist() for line in made.axes[0].lines] for made in drawn]
    assert len(lines[0]) == 7
    assert lines[0] == lines[1]


def test_the_papers_values_are_on_their_bars(results):
    made = figures.draw("newcwv/table", results("newcwv/slides"))
    diamonds = [float(line.get_ydata()[0]) for line in made.axes[0].lines if line.get_marker() == "D"]
    # Three paths, on each NewReno as RFC 5681 and as Linux has it; on the first the paced value stands for Linux's ratios as well.
    assert diamonds == [803.4, 803.4, 785.4, 836.26, 836.26] + [803.4, 803.4, 785.4, 836.26] * 2


def test_red_shows_behind_red_dpm(results):
    made = figures.draw("dpm/untagged-blast", results("dpm/proshare"))
    for ax in made.axes:
        widths = {line.get_label(): line.get_linewidth() for line in ax.lines}
        assert widths["RED"] > 2 * widths["RED-DPM"]


def test_titles_and_axes_agree_on_goodput(results):
    made = figures.draw("ired/throughput", results("ired/ingress-vs-egress"))
    assert "goodput" in made.get_suptitle()
    assert made.axes[0].get_xlabel() == "Goodput (Mbit/s)"


def test_missing_data_is_named_and_the_rest_is_drawn(stored, tmp_path, capsys):
    first = stored / "ired/ingress-vs-egress"
    assert command.main(["ired", str(first), "--out", str(tmp_path / "f"), "--format", "svg"]) == 0
    said = capsys.readouterr()
    assert len(said.out.splitlines()) == 4
    missing = "cannot be drawn: missing results of ired/dash-cdn; `jettison reproduce ired/dash-cdn` creates them"
    assert [line.endswith(missing) for line in said.err.splitlines()] == [True] * 3
    # A missing arm.
    some = (
        jettison.load("ired/ingress-vs-egress")
        .set("vary[0].values", ["ired-64"])
        .set({"duration": "3 s", "warm_up": "1 s"})
    )
    jettison.run(some, seeds=[1], out=tmp_path / "some")
    assert (
        command.main(
            [
                "ired/ingress-vs-egress",
                str(tmp_path / "some"),
                "--out",
                str(tmp_path / "g"),
                "--format",
                "svg",
            ]
        )
        == 0
    )
    said = capsys.readouterr()
    assert "ired/recirculated (experiment 1, recirculated traffic) cannot be drawn: " in said.err
    assert "the label `queue` called `ired-128`; there are: ired-64" in said.err


def test_an_experiment_alone_has_its_own_figures(stored, tmp_path, capsys):
    arguments = [
        "dpm/explore",
        str(stored / "dpm/explore"),
        "--out",
        str(tmp_path),
        "--format",
        "svg",
        "--json",
    ]
    assert command.main(arguments) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["type"], record["paper"], record["figure"]) == ("figure", "dpm", "explore")
    assert Path(record["path"]).is_file()


def test_files_have_the_format_of_their_extension(stored, tmp_path, capsys):
    assert command.main(["dpm/explore", str(stored / "dpm/explore"), "--out", str(tmp_path)]) == 0
    assert [Path(line).suffix for line in capsys.readouterr().out.splitlines()] == [".png", ".svg", ".pdf"]
    assert (tmp_path / "explore.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "explore.pdf").read_bytes().startswith(b"%PDF")


def test_the_same_results_give_the_same_files(stored, tmp_path):
    result = str(stored / "octopus/motivation")
    for name in ("a", "b"):
        command.main(["octopus/motivation", result, "--out", str(tmp_path / name), "--format", "png,svg,pdf"])
    for kind in ("png", "svg", "pdf"):
        one, other = (tmp_path / name / f"fig2-delay.{kind}" for name in ("a", "b"))
        assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        (["irred"], 2, "no figures of a paper `irred`; there are: aqm, codelpp, dpm, ired, newcwv, octopus, value"),
        (["ired/mixed", "--check"], 2, "`mixed`; there are: dash-cdn, ingress-vs-egress"),
        (["ired", "nowhere"], 2, "nowhere is not a folder; `jettison reproduce ired` creates out/ired"),
        (["ired", "--format", "gif"], 2, "--format must be of png, svg, pdf, got `gif`"),
        (["ired", "."], 1, "missing results of ired/ingress-vs-egress"),
        (["ired", "--check"], 0, ""),
    ],
)
def test_errors_have_a_message_and_a_status(tmp_path, monkeypatch, capsys, arguments, status, said):
    monkeypatch.chdir(tmp_path)
    assert command.main(arguments) == status
    captured = capsys.readouterr()
    assert said in captured.err
    assert captured.out == ""
    assert list(tmp_path.iterdir()) == []


def test_the_message_about_an_unknown_figure_lists_the_known_ones():
    with pytest.raises(plot.PlotError, match=r"no figure `ired/fig1`; there are: .*ired/rtt"):
        figures.draw("ired/fig1", {})
