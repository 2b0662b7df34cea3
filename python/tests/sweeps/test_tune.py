"""`jettison.tune` with real runs."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scenarios import TEXT

import jettison
from jettison import Floor, LocalExecutor, Objective, Range, Scenario, TuneResult
from jettison.errors import ScenarioError, SweepError
from jettison.sweeps import core

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


def test_the_table_has_one_row_per_trial(found: TuneResult):
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


def test_a_search_is_resumed(found: TuneResult, scenario: Scenario, tmp_path: Path):
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


def test_a_killed_search_resumes_with_the_same_trials(found: TuneResult, scenario: Scenario, tmp_path: Path):
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
    with pytest.raises(
        SweepError, match=r"no trial of 2 has a value.*\n.*no run has measured `frame_latency`; known are"
    ):
        _ = missing.best


class Idle(LocalExecutor):
    """An executor for searches without missing runs: it fails if it is given one."""

    def start(self, job: Any) -> Any:
        return self

    def close(self) -> None:
        pass


def append_logs(monkeypatch: pytest.MonkeyPatch, around: Callable[[Callable[[], None]], None]) -> None:
    """Wraps each write to Optuna's journal."""
    journal = pytest.importorskip("optuna").storages.journal.JournalFileBackend
    write = journal.append_logs
    monkeypatch.setattr(journal, "append_logs", lambda self, logs: around(lambda: write(self, logs)))


def test_a_search_interrupted_at_any_write_resumes_with_the_same_trials(scenario: Scenario, tmp_path: Path):
    begun, whole = tmp_path / "begun", tmp_path / "whole"
    # More than the ten random trials, so that proposals depend on outcomes.
    more: dict[str, Any] = {"together": 2, "seeds": 1, "floors": Floor("goodput", at_least=9.54, object="all flows")}
    tune(scenario, begun, trials=12, **more)
    shutil.copytree(begun, whole)
    expected = steps(tune(scenario, whole, trials=16, **more))
    shutil.copytree(whole / "runs", begun / "runs", dirs_exist_ok=True)
    assert len({feasible for *_, feasible in expected}) == 2

    left = 0

    def some(write: Callable[[], None]) -> None:
        nonlocal left
        if left == 0:
            raise KeyboardInterrupt
        left -= 1
        write()

    # Two batches of two: each trial is created with its parameter, and the batch is stored; then each gets its
    # constraint, its measures, its error and its state.
    for writes in range(2 * (2 * (2 + 4) + 1)):
        out, left = tmp_path / f"cut-off-{writes}", writes
        shutil.copytree(begun, out)
        with pytest.MonkeyPatch.context() as patch:
            append_logs(patch, some)
            with pytest.raises(KeyboardInterrupt):
                tune(scenario, out, trials=16, executor=Idle(1), **more)
        assert steps(tune(scenario, out, trials=16, executor=Idle(1), **more)) == expected, f"write {writes}"


def test_a_search_that_ends_within_a_batch_is_the_beginning_of_a_longer_one(scenario: Scenario, tmp_path: Path):
    # Optuna sorts the trials again once it knows 11.
    more: dict[str, Any] = {"together": 5, "seeds": 1}
    whole = tune(scenario, tmp_path / "whole", trials=15, **more)
    part = tune(scenario, tmp_path / "part", trials=11, **more)
    assert steps(part) == steps(whole)[:11]
    assert steps(tune(scenario, tmp_path / "part", trials=15, **more)) == steps(whole)


def test_another_search_does_not_go_on_in_its_folder(scenario: Scenario, tmp_path: Path):
    tune(scenario, tmp_path / "out", trials=1)
    with pytest.raises(SweepError, match="holds a search with different floors"):
        tune(scenario, tmp_path / "out", trials=2, floors=Floor("goodput", at_least=1.0))
    with pytest.raises(SweepError, match="holds a search with different scenario"):
        tune(scenario.set("duration", "3 s"), tmp_path / "out", trials=2)
    with pytest.raises(SweepError, match="holds a search with different together"):
        tune(scenario, tmp_path / "out", trials=2, together=2)


def test_different_choices_of_one_label_are_another_search(scenario: Scenario, tmp_path: Path):
    def search(limit: str, trials: int) -> TuneResult:
        short = {"label": "short", "kind": "tail-drop", "limit": limit}
        more: dict[str, Any] = {"executor": LocalExecutor(1), "storage": tmp_path / "out"}
        return jettison.tune(scenario, {KIND: [short, {"kind": "codel"}]}, GOAL, trials=trials, seeds=1, **more)

    search("5 packets", 1)
    with pytest.raises(SweepError, match="holds a search with different parameters"):
        search("500 packets", 2)
    assert len(search("5 packets", 2).trials) == 2


def test_a_choice_whose_file_has_changed_is_another_search(tmp_path: Path):
    one, other = tmp_path / "one.trace", tmp_path / "other.trace"
    one.write_text("1\n2\n3\n")
    other.write_text("2\n4\n6\n")
    text = TEXT.replace('rate = "10 Mbit/s"', 'trace = "one.trace"')
    scenario = Scenario.from_toml(text, folder=tmp_path)

    def search(trials: int) -> TuneResult:
        traces = {"links.bottleneck.trace": ["one.trace", "other.trace"]}
        more: dict[str, Any] = {"executor": LocalExecutor(1), "storage": tmp_path / "out"}
        return jettison.tune(scenario, traces, GOAL, trials=trials, seeds=1, **more)

    assert search(1).best
    other.write_text("5\n10\n15\n")
    with pytest.raises(SweepError, match="holds a search with different files of the parameters"):
        search(2)


def test_a_search_without_trials_leaves_its_folder_to_a_corrected_one(scenario: Scenario, tmp_path: Path):
    for wrong in ({"queues.bottleneck.targe": Range("1 ms", "2 ms")}, {TARGET: ["fast", "slow"]}):
        with pytest.raises(ScenarioError):
            jettison.tune(scenario, wrong, GOAL, storage=tmp_path / "out")
    assert len(tune(scenario, tmp_path / "out", trials=1).trials) == 1


def test_the_bound_of_optuna_is_one_that_has_named_constraints():
    pytest.importorskip("optuna")
    text = (Path(__file__).parents[3] / "pyproject.toml").read_text()
    bound = re.search(r'"optuna>=(\d+)', text)
    assert bound and int(bound[1]) >= 5  # 4 has no `Trial.set_constraint`, and 5 warns of `constraints_func`


def summary(*rows: tuple[str, int, str, float | None]) -> Any:
    """A summary of runs, each given as variant, seed, object and frame latency."""
    pa: Any = pytest.importorskip("pyarrow")
    kept = [row for row in rows if row[3] is not None]
    columns: dict[str, Any] = {
        "variant": [row[0] for row in kept],
        "seed": pa.array([row[1] for row in kept], pa.uint64()),
        "object": [row[2] for row in kept],
        "metric": ["frame_latency"] * len(kept),
        "part": [""] * len(kept),
        "unit": ["ms"] * len(kept),
        **{name: [row[3] for row in kept] for name in ("mean", "p50", "p95", "p99")},
        "mode": ["sim"] * len(kept),
    }
    return core.summarise(pa.table(columns))


def test_a_mean_is_not_taken_over_remaining_values():
    def pick(table: Any, variants: list[str], of: str | None = "v", statistic: str = "p99") -> float:
        return core.pick(table, "frame_latency", of, statistic, "", variants, 2)

    whole = summary(("a", 1, "v", 5.0), ("a", 2, "v", 7.0), ("b", 1, "v", 10.0), ("b", 2, "v", 10.0))
    assert pick(whole, ["a"]) == 6.0
    assert pick(whole, ["a", "b"]) == 8.0
    seed_lost = summary(("a", 1, "v", 5.0), ("a", 2, "v", None), ("b", 1, "v", 10.0), ("b", 2, "v", 10.0))
    with pytest.raises(SweepError, match="`frame_latency` of `v` was measured with 1 of 2 seeds at `a`"):
        pick(seed_lost, ["a", "b"])
    assert pick(seed_lost, ["b"]) == 10.0
    variant_lost = summary(("a", 1, "v", 5.0), ("a", 2, "v", 7.0), ("b", 1, "v", None), ("b", 2, "v", None))
    with pytest.raises(SweepError, match="measured with 0 of 2 seeds at `b`"):
        pick(variant_lost, ["a", "b"])
    with pytest.raises(SweepError, match="was not measured for `w`, only for v"):
        pick(whole, ["a"], of="w")


def test_a_trial_with_a_missing_seed_has_no_value_but_an_error(tmp_path: Path):
    # So few transfers that with seed 1 none ends in these two seconds, and with 3 and 4 some do.
    few = TEXT[: TEXT.index("[flows.bulk]")]
    few += '[flows.pages]\nfrom = "a"\nto = "b"\napp = { kind = "web", transfers_per_second = 0.5 }\n'

    def search(storage: str, seeds: list[int], goal: Objective, *floors: Floor) -> TuneResult:
        more: dict[str, Any] = {"executor": LocalExecutor(1), "storage": tmp_path / storage}
        return jettison.tune(
            Scenario.from_toml(few), {TARGET: Range("1 ms", "5 ms")}, goal, floors=floors, trials=1, seeds=seeds, **more
        )

    goal = Objective("completion_time", object="pages")
    assert search("a", [3, 4], goal).best.value
    lost = search("b", [1, 3, 4], goal)
    assert lost.trials[0].value is None
    assert "`completion_time` of `pages` was measured with 2 of 3 seeds at `target=" in str(lost.trials[0].error)
    # A constraint on a missing value is violated.
    floor = search("c", [1, 3, 4], Objective("goodput", object="pages"), Floor("completion_time", at_most=1e9))
    assert floor.trials[0].value is None and not floor.feasible


def test_a_variant_may_be_named_and_one_that_is_not_there_is_refused(scenario: Scenario, tmp_path: Path):
    both = scenario.vary("links.bottleneck.rate", ["10 Mbit/s", "5 Mbit/s"])
    slow = "rate=5 Mbit/s"

    def search(storage: str, variant: str | None) -> TuneResult:
        goal = Objective("goodput", object="all flows", minimise=False, variant=variant)
        more: dict[str, Any] = {"executor": LocalExecutor(1), "storage": tmp_path / storage}
        return jettison.tune(both, {TARGET: Range("1 ms", "50 ms")}, goal, trials=1, seeds=1, **more)

    run = jettison.run(both.set(search("one", slow).best.values), seeds=1)
    means = [run.mean("goodput", "all flows", name) for name in run.variants]
    assert search("one", slow).best.value == run.mean("goodput", "all flows", slow) == means[1]
    assert search("two", None).best.value == sum(means) / 2
    with pytest.raises(SweepError, match="unknown variant `rate=6 Mbit/s`; known are rate=10 Mbit/s, rate=5 Mbit/s"):
        search("three", "rate=6 Mbit/s")


def test_values_of_sweeps_are_selected_like_those_of_results(scenario: Scenario, tmp_path: Path):
    axes = {"links.bottleneck.rate": ["5 Mbit/s", "20 Mbit/s"]}
    swept = jettison.sweep(scenario, axes, seeds=2, executor=LocalExecutor(1), out=tmp_path / "out", progress=False)
    one = swept.value("goodput", "all flows", swept.variants[0])
    assert 4 < one < 6
    low = swept.value("goodput", "all flows", swept.variants[0], statistic="ci95_low")
    assert low <= one
    with pytest.raises(KeyError, match="must match one value, got 2"):
        swept.value("goodput", "all flows")
    with pytest.raises(KeyError, match=r"`statistic` must be mean, p50.*got `p42`"):
        swept.value("goodput", "all flows", swept.variants[0], statistic="p42")


def test_invalid_searches_are_refused(scenario: Scenario, tmp_path: Path):
    with pytest.raises(ScenarioError, match="did you mean"):
        jettison.tune(scenario, {"queues.bottleneck.targe": Range("1 ms", "2 ms")}, GOAL, storage=tmp_path / "a")
    with pytest.raises(SweepError, match="requires at least one parameter"):
        jettison.tune(scenario, {}, GOAL, storage=tmp_path / "b")
    with pytest.raises(SweepError, match="`statistic` must be one of mean, p50"):
        Objective("goodput", statistic="p42")
    with pytest.raises(SweepError, match="either `at_least` or `at_most`"):
        Floor("goodput")
