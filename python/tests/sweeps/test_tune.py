"""`jettison.tune` with real runs."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from scenarios import TEXT

import jettison
from jettison import Floor, LocalExecutor, Objective, Range, Scenario, TuneResult
from jettison.errors import ScenarioError, SweepError

TARGET, KIND = "queues.bottleneck.target", "links.bottleneck.queue"
GOAL = Objective("sojourn", "p99", "bottleneck.forward")


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_toml(TEXT)


def tune(scenario: Scenario, storage: Path, trials: int = 14, **more: Any) -> TuneResult:
    more = {"executor": LocalExecutor(2), "seeds": 2, **more}
    return jettison.tune(
        scenario, {TARGET: Range("1 ms", "50 ms", log=True)}, GOAL, trials=trials, storage=storage, **more
    )


def steps(found: TuneResult) -> list[Any]:
    return [(trial.values, trial.value, trial.feasible) for trial in found.trials]


@pytest.fixture(scope="module")
def found(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> TuneResult:
    return tune(
        scenario,
        tmp_path_factory.mktemp("tune") / "out",
        floors=Floor("goodput", at_least=8.5, object="all flows"),
    )


def test_it_finds_what_is_best_above_the_floor(found: TuneResult, scenario: Scenario):
    assert len(found.trials) == 14 and found.feasible
    best = found.best
    assert best.value == min(trial.value for trial in found.trials if trial.feasible and trial.value is not None)
    assert all(trial.constraints["mean goodput of all flows >= 8.5"] >= 8.5 for trial in found.feasible)
    # A trial's value is that of a run with its values.
    apart = jettison.run(scenario.set(best.values), seeds=2)
    assert best.value == apart.value("sojourn", "bottleneck.forward", statistic="p99")


def test_the_table_has_a_row_a_trial(found: TuneResult):
    table = found.table
    assert table.column_names == [
        "trial",
        TARGET,
        "value",
        "mean goodput of all flows >= 8.5",
        "feasible",
        "error",
    ]
    assert table.num_rows == len(found.to_pandas()) == 14


def test_on_one_worker_it_is_the_same_again_and_another_seed_is_another_search(
    found: TuneResult, scenario: Scenario, tmp_path: Path
):
    floor = Floor("goodput", at_least=8.5, object="all flows")
    again = tune(scenario, tmp_path / "again", floors=floor, executor=LocalExecutor(1))
    assert steps(again) == steps(found)
    other = tune(scenario, tmp_path / "other", trials=3, seed=1, executor=LocalExecutor(1))
    assert steps(other)[0][0] != steps(found)[0][0]


def test_trials_asked_for_together_do_not_depend_on_where_they_run(scenario: Scenario, cluster: Any, tmp_path: Path):
    here = tune(scenario, tmp_path / "here", trials=8, together=4)
    far = tune(scenario, tmp_path / "far", trials=8, together=4, executor=cluster)
    assert steps(here) == steps(far)


def test_a_search_goes_on_where_it_was(found: TuneResult, scenario: Scenario, tmp_path: Path):
    floor = Floor("goodput", at_least=8.5, object="all flows")
    tune(scenario, tmp_path / "out", trials=6, floors=floor)
    grown = tune(scenario, tmp_path / "out", trials=14, floors=floor)
    assert steps(grown) == steps(found)
    nothing = LocalExecutor(1)
    nothing.start = None  # type: ignore[method-assign, assignment]
    assert steps(tune(scenario, tmp_path / "out", trials=14, floors=floor, executor=nothing)) == steps(found)


SCRIPT = """
import sys
import jettison
from scenarios import TEXT

found = jettison.tune(
    jettison.Scenario.from_toml(TEXT),
    {"queues.bottleneck.target": jettison.Range("1 ms", "50 ms", log=True)},
    jettison.Objective("sojourn", "p99", "bottleneck.forward"),
    floors=jettison.Floor("goodput", at_least=8.5, object="all flows"),
    seeds=2, trials=14, executor=jettison.LocalExecutor(2), storage=sys.argv[1],
)
"""


def test_a_search_that_was_killed_goes_on_as_if_it_had_not_been(found: TuneResult, scenario: Scenario, tmp_path: Path):
    script, out = tmp_path / "asks.py", tmp_path / "out"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    process = subprocess.Popen([sys.executable, str(script), str(out)], env=environment, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(out.glob("runs/*.parquet"))) < 9:
        assert time.monotonic() < deadline and process.poll() is None
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    again = tune(scenario, out, floors=Floor("goodput", at_least=8.5, object="all flows"))
    assert steps(again) == steps(found)


def test_a_list_of_values_is_searched_too_and_a_trial_without_a_value_stops_nothing(scenario: Scenario, tmp_path: Path):
    found = jettison.tune(
        scenario,
        {KIND: ["bottleneck", {"kind": "tail-drop", "limit": "20 packets"}]},
        Objective("goodput", object="all flows", minimise=False),
        trials=4,
        executor=LocalExecutor(1),
        storage=tmp_path / "out",
    )
    assert found.best.value == max(trial.value for trial in found.trials if trial.value is not None)
    missing = jettison.tune(
        scenario,
        {TARGET: Range("1 ms", "5 ms")},
        "frame_latency",
        trials=2,
        executor=LocalExecutor(1),
        storage=tmp_path / "two",
    )
    assert [trial.value for trial in missing.trials] == [None, None]
    assert "no run has measured `frame_latency`" in str(missing.trials[0].error)
    with pytest.raises(SweepError, match="no trial of 2 has a value"):
        _ = missing.best


def test_another_search_does_not_go_on_in_its_folder(scenario: Scenario, tmp_path: Path):
    tune(scenario, tmp_path / "out", trials=1)
    with pytest.raises(SweepError, match="holds a search with another floors"):
        tune(scenario, tmp_path / "out", trials=2, floors=Floor("goodput", at_least=1.0))
    with pytest.raises(SweepError, match="holds a search with another scenario"):
        tune(scenario.set("duration", "3 s"), tmp_path / "out", trials=2)


def test_what_cannot_be_searched_is_refused(scenario: Scenario, tmp_path: Path):
    with pytest.raises(ScenarioError, match="did you mean"):
        jettison.tune(scenario, {"queues.bottleneck.targe": Range("1 ms", "2 ms")}, GOAL, storage=tmp_path / "a")
    with pytest.raises(SweepError, match="nothing is searched"):
        jettison.tune(scenario, {}, GOAL, storage=tmp_path / "b")
    with pytest.raises(SweepError, match="give one of mean, p50"):
        Objective("goodput", statistic="p42")
    with pytest.raises(SweepError, match="either `at_least` or `at_most`"):
        Floor("goodput")
