from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import jettison
from jettison import Scenario, ScenarioError
from jettison.errors import JettisonError


def in_code(**more: Any) -> Scenario:
    keys: dict[str, Any] = {
        "name": "code",
        "duration": "1 s",
        "nodes": {"a": {"kind": "host"}, "b": {"kind": "host"}},
        "links": {"link": {"between": ["a", "b"], "rate": "10 Mbit/s", "delay": "5 ms", "queue": "codel"}},
        "flows": {"bulk": {"from": "a", "to": "b", "transport": "tcp", "app": "bulk"}},
    }
    return Scenario(**{**keys, **more})


def test_a_file_and_its_text_are_the_same_scenario(file: Path, text: str) -> None:
    loaded = jettison.load(file)
    assert (loaded.name, loaded.variants, loaded.seeds) == ("small", ["default"], [1, 2])
    assert loaded.to_dict() == Scenario.from_toml(text).to_dict()
    assert 'duration = "4 s"' in loaded.to_toml()
    assert 'kind = "cubic"' in loaded.effective_toml()
    assert loaded.inputs[0][0] == str(file)


def test_quick_applies_its_table(file: Path) -> None:
    assert jettison.load(file, quick=True).to_dict()["duration"] == "2 s"
    assert "quick" not in jettison.load(file, quick=True).to_dict()


def test_an_experiment_is_loaded_by_its_name() -> None:
    scenario = jettison.load("ired/ingress-vs-egress", quick=True)
    assert scenario.name == "ired/ingress-vs-egress"
    assert set(scenario.axes) == {"queue", "congestion"}
    with pytest.raises(ScenarioError, match="ired/ingress-vs-egress"):
        jettison.load("irred/ingress-vs-egress")
    with pytest.raises(ScenarioError, match="must name one experiment, got several"):
        jettison.load("ired")


def test_errors_in_a_file_have_a_place_as_in_the_command(file: Path, text: str) -> None:
    file.write_text(text.replace('delay = "9 ms"', 'dellay = "9 ms"').replace('rate = "10 Mbit/s"', 'rate = "10"'))
    with pytest.raises(ScenarioError) as caught:
        jettison.load(file)
    error = caught.value
    lines = text.splitlines()
    assert (error.file, error.line, error.column) == (str(file), lines.index('rate = "10 Mbit/s"') + 1, 8)
    assert str(error).startswith(f"{file}:{error.line}:8: ")
    assert len(error.problems) == len(str(error).splitlines()) >= 2
    assert any("did you mean `delay`" in problem.text for problem in error.problems)
    assert isinstance(error, JettisonError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.line, again.problems) == (str(error), error.line, error.problems)


def test_the_message_is_the_commands(file: Path, text: str, command: Path) -> None:
    import subprocess

    file.write_text(text.replace('kind = "ping"', 'kind = "pign"'))
    with pytest.raises(ScenarioError) as caught:
        jettison.load(file)
    printed = subprocess.run([command, "check", file], capture_output=True, text=True, check=False)
    assert printed.returncode == 2
    assert str(caught.value) in printed.stdout + printed.stderr


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ScenarioError, match=r"none\.toml: cannot be read: No such file"):
        jettison.load("none.toml")


def test_a_scenario_in_code_has_the_names_of_the_file() -> None:
    scenario = in_code(warm_up=None, seeds=range(2, 5))
    assert scenario.seeds == [2, 3, 4]
    assert Scenario.from_toml(scenario.to_toml()).to_dict() == scenario.to_dict()
    assert Scenario(**scenario.to_dict()).to_dict() == scenario.to_dict()
    with pytest.raises(ScenarioError, match=r"<code>:\d+:\d+: .*did you mean `rate`"):
        in_code(links={"link": {"between": ["a", "b"], "raet": "10 Mbit/s"}}).check()


@pytest.mark.parametrize("value", [object(), float("nan"), {"kind": object()}, b"bytes"])
def test_values_without_a_toml_form_are_refused(value: Any) -> None:
    with pytest.raises(ScenarioError):
        in_code(description=value).check()


def test_set_gives_another_scenario(small: Scenario) -> None:
    changed = small.set("links.bottleneck.rate", "5 Mbit/s").set(
        {"links.bottleneck.queue": {"kind": "codel"}, "seeds": [7]}
    )
    assert small.to_dict()["links"]["bottleneck"]["rate"] == "10 Mbit/s"
    bottleneck = changed.to_dict()["links"]["bottleneck"]
    assert (bottleneck["rate"], bottleneck["queue"], changed.seeds) == ("5 Mbit/s", {"kind": "codel"}, [7])
    assert Scenario.from_toml(changed.to_toml()).to_dict() == changed.to_dict()


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("links.botleneck.rate", "links.bottleneck.rate"),
        ("links.bottleneck.rat", "links.bottleneck.rate"),
        ("links.bottleneck.queue.limt", "links.bottleneck.queue.limit"),
        ("flow.bulk.transport.congestion", "flows.bulk.transport.congestion"),
        ("duratoin", "duration"),
    ],
)
def test_a_wrong_path_names_the_nearest_right_one(small: Scenario, path: str, near: str) -> None:
    with pytest.raises(ScenarioError) as caught:
        small.set(path, "5 ms")
    assert f"did you mean `{near}`?" in str(caught.value)


def test_the_message_about_an_invalid_value_shows_a_valid_one(small: Scenario) -> None:
    with pytest.raises(ScenarioError, match="no unit"):
        small.set("links.bottleneck.delay", "5")
    with pytest.raises(ScenarioError):
        small.set("links.bottleneck.delay", 5)


def test_axes_multiply(small: Scenario) -> None:
    both = small.vary("links.bottleneck.queue", ["codel", {"kind": "red", "label": "RED"}]).vary(
        "flows.bulk.transport.congestion", ["cubic", "newreno"], name="cc"
    )
    assert both.variants == [
        "queue=codel,cc=cubic",
        "queue=codel,cc=newreno",
        "queue=RED,cc=cubic",
        "queue=RED,cc=newreno",
    ]
    assert both.labels["queue=RED,cc=cubic"] == {"queue": "RED", "cc": "cubic"}
    assert both.axes == {"queue": ["codel", "RED"], "cc": ["cubic", "newreno"]}
    assert small.variants == ["default"]
    assert Scenario.from_toml(both.to_toml()).variants == both.variants


def test_an_axis_may_be_alternatives_or_the_name_of_one_key(small: Scenario) -> None:
    alternatives = {"slow": {"links.bottleneck.rate": "1 Mbit/s"}, "far": {"links.bottleneck.delay": "90 ms"}}
    assert small.vary(values=alternatives, name="path").variants == ["path=slow", "path=far"]
    assert small.vary(queue=["codel", "pi2"]).variants == ["queue=codel", "queue=pi2"]
    with pytest.raises(ScenarioError, match=r"links\.access\.rate, links\.bottleneck\.rate"):
        small.vary(rate=["1 Mbit/s", "2 Mbit/s"])
    with pytest.raises(ScenarioError, match="unknown key `ratte`"):
        small.vary(ratte=["1 Mbit/s"])


def test_an_axis_of_the_same_path_gives_way(small: Scenario) -> None:
    two = small.vary("links.bottleneck.queue", ["codel", "pi2"], name="aqm").vary("links.bottleneck.delay", ["5 ms"])
    other = two.vary(queue=["red"])
    assert other.axes == {"aqm": ["red"], "delay": ["5 ms"]}
    assert two.vary("links.bottleneck.queue", ["red"], name="queue").axes == {"queue": ["red"], "delay": ["5 ms"]}
    with pytest.raises(ScenarioError, match="was set before"):
        two.set("links.bottleneck.queue", "codel").vary(queue=["red", "pi2"])


def test_some_arms_of_axes_are_picked() -> None:
    whole = jettison.load("octopus/spatial", quick=True)
    some = whole.only(scheme=["pdrop", "octopus"], rtt="60ms").only(operator="b")
    assert some.variants == ["scheme=octopus,operator=b,rtt=60ms", "scheme=pdrop,operator=b,rtt=60ms"]
    for variant in some.variants:
        assert some.effective_toml(variant) == whole.effective_toml(variant)
    for wrong, says in (
        ({"shceme": "octopus"}, "unknown axis `shceme`; did you mean `scheme`"),
        ({"rtt": "61ms"}, "unknown label `61ms` of axis `rtt`; did you mean `60ms`"),
        ({"rtt": []}, "requires at least one label"),
    ):
        with pytest.raises(ScenarioError, match=says):
            whole.only(**wrong)


def test_values_other_than_lists_and_missing_values_are_refused(small: Scenario) -> None:
    with pytest.raises(ScenarioError, match="requires a list of values, got"):
        small.vary("links.bottleneck.queue", "codel")
    with pytest.raises(ScenarioError, match="requires a list of values, got"):
        small.vary(queue=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ScenarioError, match="requires a list of values, got None"):
        small.vary("links.bottleneck.queue")
    with pytest.raises(ScenarioError, match="requires a value, got None"):
        small.set("links.bottleneck.queue")


def test_two_axes_of_one_path_are_refused(small: Scenario) -> None:
    one = small.vary("links.bottleneck.queue", ["codel", "pi2"], name="one")
    other = {"a": {"links.bottleneck.queue": "red"}, "b": {"links.bottleneck.delay": "9 ms"}}
    with pytest.raises(ScenarioError, match=r"axes `one` and `other` both set `links\.bottleneck\.queue`"):
        one.vary(values=other, name="other")


def test_a_key_with_a_dot_is_varied_by_its_name() -> None:
    scenario = in_code(
        queues={"my.queue": {"kind": "codel", "target": "5 ms"}},
        links={"link": {"between": ["a", "b"], "rate": "10 Mbit/s", "delay": "5 ms", "queue": "my.queue"}},
    )
    assert scenario.vary(target=["1 ms", "2 ms"]).variants == ["target=1 ms", "target=2 ms"]


def test_a_folder_of_an_experiments_name_is_not_in_its_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ired" / "ingress-vs-egress").mkdir(parents=True)
    assert jettison.load("ired/ingress-vs-egress").name == "ired/ingress-vs-egress"


def test_files_named_in_quick_are_pickled(tmp_path: Path) -> None:
    for name in ("one.trace", "two.trace"):
        (tmp_path / name).write_text("1\n2\n3\n")
    scenario = in_code(
        links={
            "link": {"between": ["a", "b"], "cell": "one.trace", "delay": "5 ms", "reverse": {"rate": "9 Mbit/s"}},
        },
    )
    text = scenario._source.text + '\n[quick]\nlinks.link.cell = "two.trace"\n'
    whole = Scenario.from_toml(text, folder=tmp_path)
    carried = pickle.dumps(whole.check())
    (tmp_path / "one.trace").unlink()
    (tmp_path / "two.trace").unlink()
    assert pickle.loads(carried).check().name == "code"


def test_set_values_do_not_vary(small: Scenario) -> None:
    with pytest.raises(ScenarioError, match="was set before"):
        small.set("links.bottleneck.queue", "codel").vary("links.bottleneck.queue", ["red", "pi2"])
    varied = small.vary("links.bottleneck.queue", ["red", "pi2"])
    assert varied.set("links.bottleneck.queue", "codel").variants == ["default"]


def test_values_set_within_a_varied_table_are_in_its_text(small: Scenario) -> None:
    limits = {"kind": "red", "limit": "9 packets"}, {"kind": "codel", "limit": "8 packets"}
    varied = small.vary("links.bottleneck.queue", list(limits)).set("links.bottleneck.queue.limit", "7 packets")
    again = Scenario.from_toml(varied.to_toml())
    assert again.variants == varied.variants == ["queue=red", "queue=codel"]
    for variant in varied.variants:
        assert again.effective_toml(variant) == varied.effective_toml(variant)
        assert "7 packets" in varied.effective_toml(variant)


def test_a_scenario_pickles_with_the_files_that_it_names(tmp_path: Path, small: Scenario) -> None:
    (tmp_path / "up.trace").write_text("1\n2\n3\n4\n")
    (tmp_path / "traced.toml").write_text(
        small.set({"links.bottleneck.rate": "9 Mbit/s", "warm_up": "0 s"})
        .to_toml()
        .replace('rate = "9 Mbit/s"', 'trace = "up.trace"')
    )
    scenario = jettison.load(tmp_path / "traced.toml").set("duration", "1 s")
    pickled = pickle.dumps(scenario)
    expected = jettison.run(scenario, seeds=1).flows.arrow
    (tmp_path / "up.trace").unlink()
    (tmp_path / "traced.toml").unlink()
    restored: Scenario = pickle.loads(pickled)
    assert restored.inputs == scenario.inputs
    assert restored.variants == scenario.variants
    assert jettison.run(restored, seeds=1).flows.arrow.equals(expected)


NAMES = st.from_regex(r"[A-Za-z0-9 _.=\"'\[\]#é-]{0,12}", fullmatch=True)
VALUES = st.recursive(
    NAMES | st.integers(-(2**63), 2**63 - 1) | st.booleans() | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_reaches_the_toml_as_it_is(value: Any) -> None:
    from jettison import _jettison

    text = _jettison.toml_of(json.dumps({"value": value}))
    assert text.startswith(("value", "[value", "[[value"))
    # Through the option's text and the scenario's own parser and printer.
    description = value if isinstance(value, str) else str(value)
    assert in_code(description="x").set("description", description).to_dict()["description"] == description
