"""`jettison.sweep` from end to end, with real runs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from helpers import same_partitions
from scenarios import TEXT

import jettison
from jettison import LatinHypercube, LocalExecutor, Progress, Range, Scenario, ScenarioError, SweepResult
from jettison._arrow import pc, pq
from jettison.errors import SweepError
from jettison.sweeps.store import Store

TARGET, RATE = "queues.bottleneck.target", "links.bottleneck.rate"
AXES: dict[str, Any] = {TARGET: ["2 ms", "5 ms"], RATE: ["5 Mbit/s", "10 Mbit/s", "20 Mbit/s"]}


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return Scenario.from_toml(TEXT)


@pytest.fixture(scope="module")
def swept(scenario: Scenario, tmp_path_factory: pytest.TempPathFactory) -> SweepResult:
    return jettison.sweep(
        scenario, AXES, seeds=3, executor=LocalExecutor(2), out=tmp_path_factory.mktemp("sweep") / "out"
    )


def test_a_sweep_equals_runs_of_its_points(scenario: Scenario, swept: SweepResult):
    assert (swept.status, len(swept.points), swept.seeds, swept.failed) == ("complete", 6, [1, 2, 3], [])
    assert swept.axes == {"target": TARGET, "rate": RATE}
    apart = jettison.run(scenario.set({TARGET: "5 ms", RATE: "20 Mbit/s"}), seeds=3).summary.arrow
    mine = swept.table.filter(pc.equal(swept.table["point"], 5))
    assert set(mine["target"].to_pylist()) == {"5 ms"} and set(mine["rate"].to_pylist()) == {"20 Mbit/s"}
    columns = [name for name in apart.column_names if name != "variant"]
    assert mine.select(columns).to_pylist() == apart.select(columns).to_pylist(), "to the last bit"


def test_common_random_numbers_every_point_has_the_same_seeds(swept: SweepResult):
    runs = swept.runs.arrow.group_by("variant").aggregate([("seed", "distinct")]).to_pylist()
    assert len(runs) == 6 and all(sorted(row["seed_distinct"]) == [1, 2, 3] for row in runs)


def test_a_sweep_is_a_result_to_whatever_draws_one(swept: SweepResult):
    variant = "target=2 ms,rate=5 Mbit/s"
    assert swept.labels[variant] == {"target": "2 ms", "rate": "5 Mbit/s"}
    assert swept.variants[0] == variant and swept.units["goodput"] == "Mbit/s"
    assert swept.value("goodput", "all flows", variant=variant) < 5
    assert swept.value("sojourn", "bottleneck.forward", variant=variant, statistic="p99") > 2
    assert swept.numbers("rate") == ([5.0, 10.0, 20.0] * 2, "Mbit/s")
    assert len(swept.to_pandas()) == len(swept.to_polars()) == swept.table.num_rows


def test_pictures_of_a_sweep_show_its_values(swept: SweepResult):
    pytest.importorskip("matplotlib", reason="left out: matplotlib is not installed").use("Agg")
    np = pytest.importorskip("numpy")
    from jettison import plot

    def mean(target: str, rate: str) -> float:
        return swept.value("sojourn", "bottleneck.forward", f"target={target},rate={rate}")

    rates = ["5 Mbit/s", "10 Mbit/s", "20 Mbit/s"]
    bars = plot.bars(swept, "sojourn", "bottleneck.forward", variants={"target": "2 ms"})
    assert [bar.get_height() for bar in bars.patches] == pytest.approx([mean("2 ms", rate) for rate in rates])  # pyright: ignore[reportAttributeAccessIssue]
    lines = plot.lines(swept, "sojourn", "bottleneck.forward", x="rate")
    assert [np.asarray(line.get_xdata()).tolist() for line in lines.lines[:2]] == [[5.0, 10.0, 20.0]] * 2
    found = [np.asarray(line.get_ydata()).tolist() for line in lines.lines[:2]]
    assert found == [pytest.approx([mean(target, rate) for rate in rates]) for target in ("2 ms", "5 ms")]
    surface = plot.surface(swept, "sojourn", "bottleneck.forward", x="rate", y="target")
    assert (surface.get_xlabel(), surface.get_ylabel()) == ("rate (Mbit/s)", "target (ms)")
    reasons = plot.drop_reasons(swept)
    assert len(reasons.get_yticklabels()) == 6
    with pytest.raises(plot.PlotError, match=r'keep="all"'):
        plot.time_series(swept, "sojourn")
    import matplotlib.pyplot as plt

    plt.close("all")


def test_opened_again_it_is_the_same(swept: SweepResult):
    again = SweepResult.open(swept.folder)
    assert again.table.equals(swept.table) and again.index.equals(swept.index)
    assert (again.name, again.axes, again.points, again.status) == (
        swept.name,
        swept.axes,
        swept.points,
        "complete",
    )


def test_partitions_are_plain_parquet_that_the_index_tells_apart(swept: SweepResult):
    for row in swept.index.to_pylist():
        table = pq.read_table(Path(swept.folder) / "runs" / f"{row['key']}.parquet")
        assert table.schema.metadata[b"jettison.key"].decode() == row["key"]
        assert table.schema.metadata[b"jettison.version"].decode() == jettison.__version__
        assert table.schema.metadata.get(b"jettison.commit", b"").decode() == (jettison.__commit__ or "")
        assert set(table["seed"].to_pylist()) == {row["seed"]}


def test_a_repeated_sweep_runs_nothing_and_a_larger_one_only_missing_runs(scenario: Scenario, swept: SweepResult):
    told: list[Progress] = []
    executor = LocalExecutor(1)
    executor.start = None  # type: ignore[method-assign, assignment]
    again = jettison.sweep(scenario, AXES, seeds=3, executor=executor, out=swept.folder, progress=told.append)
    assert (told[-1].found, told[-1].done) == (18, 0) and again.table.equals(swept.table)
    # One more value and one more seed: existing runs are found, although it is another sweep.
    wider = {TARGET: ["2 ms"], RATE: ["5 Mbit/s", "8 Mbit/s"]}
    more = jettison.sweep(scenario, wider, seeds=4, executor=LocalExecutor(1), out=swept.folder, progress=told.append)
    assert (told[-1].found, told[-1].done, told[-1].total) == (3, 5, 8) and more.status == "complete"
    SweepResult.open(swept.folder)
    jettison.sweep(scenario, AXES, seeds=3, executor=executor, out=swept.folder)


def test_on_dask_the_partitions_are_those_of_local_processes_bit_for_bit(
    scenario: Scenario, swept: SweepResult, cluster: Any, tmp_path: Path
):
    far = jettison.sweep(scenario, AXES, seeds=3, executor=cluster, out=tmp_path / "far")
    fresh = jettison.sweep(scenario, AXES, seeds=3, executor=LocalExecutor(1), out=tmp_path / "fresh")
    assert same_partitions(Store.open(far.folder), Store.open(fresh.folder))
    assert far.table.equals(swept.table)


def test_the_scenarios_own_axes_are_run_at_each_point(tmp_path: Path):
    text = TEXT + '\n[[vary]]\npath = "links.bottleneck.queue"\nvalues = ["bottleneck", "tail-drop"]\n'
    result = jettison.sweep(
        Scenario.from_toml(text),
        {RATE: ["5 Mbit/s", "10 Mbit/s"]},
        seeds=1,
        executor=LocalExecutor(1),
        out=tmp_path / "out",
    )
    assert result.variants[1] == "rate=5 Mbit/s,queue=tail-drop"
    assert result.labels["rate=10 Mbit/s,queue=bottleneck"] == {"rate": "10 Mbit/s", "queue": "bottleneck"}
    table = result.table
    assert set(zip(table["rate"].to_pylist(), table["queue"].to_pylist(), strict=True)) == {
        (rate, queue) for rate in ("5 Mbit/s", "10 Mbit/s") for queue in ("bottleneck", "tail-drop")
    }


def test_full_results_are_kept_on_request(scenario: Scenario, tmp_path: Path):
    axes = {RATE: ["5 Mbit/s"]}
    small = jettison.sweep(scenario, axes, seeds=1, executor=LocalExecutor(1), out=tmp_path / "out")
    with pytest.raises(SweepError, match='keep="all"'):
        small.result(0, 1)
    whole = jettison.sweep(scenario, axes, seeds=1, executor=LocalExecutor(1), out=tmp_path / "out", keep="all")
    apart = jettison.run(scenario.set(RATE, "5 Mbit/s"), seeds=[1])
    assert whole.result(0, 1).queues.arrow.to_pylist() == apart.queues.arrow.to_pylist()
    assert not list((tmp_path / "out" / "full").glob(".*")), "nothing half-made is left"


def test_tables_lists_and_samples_are_points_too(scenario: Scenario, tmp_path: Path):
    queue = "links.bottleneck.queue"
    points = [{queue: {"kind": "codel", "target": "1 ms", "label": "tight"}}, {queue: "tail-drop"}]
    result = jettison.sweep(scenario, sample=points, seeds=1, executor=LocalExecutor(1), out=tmp_path / "out")
    assert result.variants == ["queue=tight", "queue=tail-drop"]
    drawn = jettison.sweep(
        scenario,
        {TARGET: Range("1 ms", "20 ms", log=True)},
        sample=LatinHypercube(4, seed=1),
        seeds=1,
        executor=LocalExecutor(1),
        out=tmp_path / "out",
    )
    assert len({str(point["target"]) for point in drawn.points}) == 4 and drawn.status == "complete"


def test_a_wrong_point_is_refused_before_anything_runs(scenario: Scenario, tmp_path: Path):
    with pytest.raises(ScenarioError, match="at point 1 "):
        jettison.sweep(scenario, {TARGET: ["1 ms", "1 parsec"]}, out=tmp_path / "out")
    with pytest.raises(ScenarioError, match=r"did you mean `queues\.bottleneck\.target`"):
        jettison.sweep(scenario, {"queues.bottleneck.targe": ["1 ms"]}, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_holds_something_else_is_refused(scenario: Scenario, tmp_path: Path):
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(SweepError, match="holds something other than runs"):
        jettison.sweep(scenario, {TARGET: ["1 ms"]}, out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


SCRIPT = """
import sys
import jettison
from scenarios import TEXT

# No `if __name__ == "__main__"`: workers do not import the caller's script.
told = []
result = jettison.sweep(
    jettison.Scenario.from_toml(TEXT).set("duration", "20 s"),
    {"queues.bottleneck.target": [f"{n} ms" for n in range(1, 21)]},
    seeds=2, executor=jettison.LocalExecutor(2), out=sys.argv[1], progress=told.append,
)
print(told[-1].found, told[-1].done, result.status)
"""


def test_an_interrupted_sweep_keeps_completed_runs_and_repeats_none(tmp_path: Path):
    script, out = tmp_path / "asks.py", tmp_path / "out"
    script.write_text(SCRIPT)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, str(script), str(out)]
    first = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while len(list(out.glob("runs/*.parquet"))) < 5:
        assert time.monotonic() < deadline and first.poll() is None
        time.sleep(0.01)
    first.send_signal(signal.SIGINT)
    _, errors = first.communicate(timeout=30)
    assert first.returncode == -signal.SIGINT and "KeyboardInterrupt" in errors
    kept = {path.name: path.stat().st_mtime_ns for path in out.glob("runs/*.parquet")}
    assert 5 <= len(kept) < 40
    assert SweepResult.open(out).status == "interrupted"
    again = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60)
    assert again.stdout.split() == [str(len(kept)), str(40 - len(kept)), "complete"]
    assert {path: (out / "runs" / path).stat().st_mtime_ns for path in kept} == kept, "a finished run was written again"


def test_an_interrupted_sweep_leaves_no_worker_and_an_index(scenario: Scenario, tmp_path: Path):
    def interrupt(progress: Progress) -> None:
        if progress.done >= 1:
            raise KeyboardInterrupt

    before = threading.active_count()
    # Long enough for a progress report before the end.
    long = scenario.set("duration", "60 s")
    with pytest.raises(KeyboardInterrupt):
        jettison.sweep(long, AXES, seeds=3, executor=LocalExecutor(2), out=tmp_path / "out", progress=interrupt)
    assert threading.active_count() == before
    assert json.loads((tmp_path / "out" / "sweep.json").read_text())["status"] == "interrupted"


class Held:
    """A FIFO with an object that cannot be pickled."""

    lock: Any = None

    def __init__(self) -> None:
        self.waiting: list[Any] = []

    def enqueue(self, packet: Any, now: int) -> bool:
        self.waiting.append(packet)
        return True

    def dequeue(self, now: int) -> Any:
        return self.waiting.pop(0) if self.waiting else None


def test_a_discipline_that_does_not_pickle_is_refused_before_anything_starts(cluster: Any, tmp_path: Path):
    opened = (tmp_path / "open").open("w")

    def closing(limit: int = 9) -> Held:
        assert opened and limit
        return Held()

    closing.name = "closing"  # type: ignore[attr-defined]
    scenario = Scenario.from_toml(TEXT).discipline(closing)
    for executor in (LocalExecutor(1), cluster):
        with pytest.raises(SweepError, match=r"the queue discipline `closing`: .*annot pickle"):
            jettison.sweep(scenario, {TARGET: ["1 ms"]}, executor=executor, out=tmp_path / "out")
    assert not (tmp_path / "out").exists()
    opened.close()


def test_a_discipline_in_python_goes_to_workers_and_its_source_into_keys(cluster: Any, tmp_path: Path):
    made = type("Local", (Held,), {"name": "local-queue"})
    scenario = Scenario.from_toml(TEXT).discipline(made)
    axes = {"links.bottleneck.queue": ["local-queue", "tail-drop"]}
    here = jettison.sweep(scenario, axes, seeds=1, executor=LocalExecutor(1), out=tmp_path / "here")
    far = jettison.sweep(scenario, axes, seeds=1, executor=cluster, out=tmp_path / "far")
    assert (here.failed, far.failed) == ([], [])
    assert same_partitions(Store.open(here.folder), Store.open(far.folder))


def test_files_that_only_points_name_go_along_and_are_those_of_the_keys(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    here, elsewhere = tmp_path / "here", tmp_path / "elsewhere"
    here.mkdir()
    elsewhere.mkdir()
    (here / "one.trace").write_text("".join(f"{n}\n" for n in range(1, 50)))
    (here / "two.trace").write_text("".join(f"{2 * n}\n" for n in range(1, 50)))
    text = TEXT.replace(
        'rate = "10 Mbit/s"\ndelay = "4 ms"', 'cell = "one.trace"\nreverse = { rate = "5 Mbit/s" }\ndelay = "4 ms"'
    )
    scenario = Scenario.from_toml(text, folder=here)
    axes = {"links.bottleneck.cell": ["one.trace", "two.trace"]}
    whole = jettison.sweep(scenario, axes, seeds=1, out=tmp_path / "whole")
    assert whole.status == "complete"

    class Changing(LocalExecutor):
        """Changes the files after all checks, and moves the workers elsewhere."""

        def start(self, job: Any) -> Any:
            (here / "two.trace").unlink()
            (here / "one.trace").write_text("1\n")
            monkeypatch.chdir(elsewhere)
            return super().start(job)

    again = jettison.sweep(scenario, axes, seeds=1, out=tmp_path / "again", executor=Changing(2))
    assert again.status == "complete", again.failed
    assert same_partitions(Store.open(tmp_path / "whole"), Store.open(tmp_path / "again"))


def test_a_damaged_partition_is_run_again(scenario: Scenario, tmp_path: Path):
    first = jettison.sweep(scenario, AXES, seeds=1, out=tmp_path / "out")
    table, keys = first.table, first.index["key"].to_pylist()
    damaged = tmp_path / "out" / "runs" / f"{keys[2]}.parquet"
    damaged.write_bytes(damaged.read_bytes()[:100])
    opened = SweepResult.open(tmp_path / "out")
    assert opened.index["status"].to_pylist().count("missing") == 1
    assert jettison.sweep(scenario, AXES, seeds=1, out=tmp_path / "out").table.equals(table)


def test_an_unreachable_cluster_leaves_a_folder_as_it_was(scenario: Scenario, tmp_path: Path):
    jettison.sweep(scenario, AXES, seeds=1, out=tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()}
    with pytest.raises(SweepError, match="no Dask scheduler answers"):
        jettison.sweep(scenario, AXES, seeds=2, out=tmp_path / "out", executor="tcp://127.0.0.1:9")
    assert {path: path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()} == before


def test_keeping_all_after_a_summary_only_runs_again(scenario: Scenario, tmp_path: Path):
    some = {TARGET: ["2 ms", "5 ms"]}
    jettison.sweep(scenario, some, seeds=1, out=tmp_path / "out")
    kept = jettison.sweep(scenario, some, seeds=1, out=tmp_path / "out", keep="all")
    assert kept.status == "complete" and len(kept.result(1, 1).queues) > 0
    with pytest.raises(SweepError, match="`point` must be 0 to 1, got 2"):
        kept.result(2, 1)
    with pytest.raises(SweepError, match="`seed` must be one of 1, got 99"):
        kept.result(0, 99)
    with pytest.raises(jettison.RunError, match="SweepResult"):
        jettison.open(tmp_path / "out")


@pytest.mark.parametrize("path", ["seeds", "name", "vary"])
def test_keys_that_are_not_part_of_a_run_are_refused_as_axes(scenario: Scenario, tmp_path: Path, path: str):
    with pytest.raises(SweepError, match=f"axis `{path}`: this key is not part of a run"):
        jettison.sweep(scenario, {path: [1, 2]}, out=tmp_path / "out")
