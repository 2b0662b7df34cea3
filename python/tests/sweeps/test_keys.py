"""Equal runs have equal keys, and different runs different ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from scenarios import TEXT

from jettison import Scenario, ScenarioError, run, sweep
from jettison.sweeps import core
from jettison.sweeps.samples import Values


def key(
    text: str = TEXT, seed: int = 1, program: str = "1.0.0 abc", folder: Path | str = ".", at: Values | None = None
) -> str:
    scenario = Scenario.from_toml(text, folder=folder)
    described = core.describe(scenario, [at or {}], program).points
    return described[0].keys.of_seed(seed)


def test_a_key_changes_with_scenario_program_and_seed():
    keys = {
        key(),
        key(seed=2),
        key(program="1.0.0 abd"),
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


def test_a_run_of_the_command_has_the_key_of_a_sweep(tmp_path: Path):
    scenario = Scenario.from_toml(TEXT)
    run(scenario, seeds=[3], out=tmp_path / "out", store=tmp_path / "store")
    described = core.describe(scenario, [{}]).points[0]
    assert (tmp_path / "store" / "runs" / f"{described.keys.of_seed(3)}.parquet").is_file()
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert [entry["key"] for entry in manifest["runs"]] == [described.keys.of_seed(3)]
    result = sweep(scenario, {"queues.bottleneck.target": ["5 ms"]}, seeds=[3, 4], out=tmp_path / "store")
    assert result.status == "complete" and result.runs.arrow.num_rows > 0
    # The sweep has found the one and run the other.
    assert len(list((tmp_path / "store" / "runs").iterdir())) == 2
    assert len(list((tmp_path / "store" / "records").iterdir())) == 1


def test_a_wrong_path_names_the_point_and_the_nearest_right_one():
    with pytest.raises(ScenarioError) as refused:
        key(at={"queues.bottleneck.targt": "5 ms"})
    assert "at point 0 (queues.bottleneck.targt = 5 ms)" in str(refused.value)
    assert "did you mean `queues.bottleneck.target`?" in str(refused.value)
