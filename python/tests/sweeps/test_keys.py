"""Equal runs have equal keys, and different runs different ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scenarios import TEXT

from jettison import Scenario, ScenarioError
from jettison.sweeps import core
from jettison.sweeps.keys import Described, Keys, Variant, canonical
from jettison.sweeps.samples import Values

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


def key(
    text: str = TEXT, seed: int = 1, version: str = "1.0.0", folder: Path | str = ".", at: Values | None = None
) -> str:
    scenario = Scenario.from_toml(text, folder=folder)
    described = core.describe(scenario, [at or {}]).points
    return Keys(described[0], version).of(seed)


def test_a_key_changes_with_scenario_version_and_seed():
    keys = {
        key(),
        key(seed=2),
        key(version="1.0.1"),
        key(at={"queues.bottleneck.target": "7 ms"}),
        key(TEXT.replace("10 Mbit/s", "11 Mbit/s")),
        key(TEXT + "\n[[vary]]\npath = 'links.bottleneck.delay'\nvalues = ['1 ms']\n"),
    }
    assert len(keys) == 6 and all(len(each) == 64 for each in keys)


def test_comments_spaces_and_the_order_of_keys_change_no_key():
    assert key("# about it\n" + TEXT.replace(" = ", "   =   ")) == key()
    assert key(TEXT.replace('rate = "10 Mbit/s"\ndelay = "4 ms"', 'delay = "4 ms"\nrate = "10 Mbit/s"')) == key()
    assert key(TEXT.replace('interval = "100 ms"\n', "")) == key(), "a default that is written out is the default"


def test_the_name_the_description_and_the_list_of_seeds_change_no_key():
    assert key('description = "words"\n' + TEXT.replace('"tests/short"', '"other"')) == key()
    assert key(TEXT.replace("seeds = 2", "seeds = [7, 9]")) == key()


def test_setting_what_the_file_says_anyway_changes_no_key():
    assert key(at={"queues.bottleneck.target": "5 ms"}) == key()


def test_the_order_of_links_counts_because_it_decides_what_happens_first():
    link = TEXT[TEXT.index("[links.access]") : TEXT.index("[links.bottleneck]")]
    moved = TEXT.replace(link, "").replace("[flows.bulk]", f"{link}[flows.bulk]")
    assert key(moved) != key()


def test_a_key_changes_with_the_content_of_an_input_file(tmp_path: Path):
    text = TEXT.replace('rate = "10 Mbit/s"', 'trace = "link.trace"')
    trace = tmp_path / "link.trace"
    trace.write_text("1\n2\n3\n")
    one = key(text, folder=tmp_path)
    assert key(text, folder=tmp_path) == one
    trace.write_text("1\n2\n4\n")
    assert key(text, folder=tmp_path) != one


def test_parts_of_keys_are_delimited():
    def made(inputs: dict[str, str], sources: dict[str, str], name: str = "default") -> str:
        return Keys(Described((Variant(name, "{}"),), inputs, sources), "1").of(1)

    described = [made({"a": "bc"}, {}), made({"ab": "c"}, {}), made({}, {"a": "bc"}), made({}, {}, "a")]
    assert len(set(described)) == 4


@given(st.dictionaries(st.text(max_size=3), values, max_size=4))
def test_the_canonical_form_does_not_depend_on_the_order_of_keys(tree: dict[str, object]):
    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(each) for each in value] if isinstance(value, list) else value

    assert canonical({"x": tree}) == canonical({"x": turned(tree)})  # type: ignore[dict-item]
    assert json.loads(canonical({"x": tree})) == [["x", json.loads(json.dumps(tree))]]


def test_a_wrong_path_names_the_point_and_the_nearest_right_one():
    with pytest.raises(ScenarioError) as refused:
        key(at={"queues.bottleneck.targt": "5 ms"})
    assert "at point 0 (queues.bottleneck.targt = 5 ms)" in str(refused.value)
    assert "did you mean `queues.bottleneck.target`?" in str(refused.value)
