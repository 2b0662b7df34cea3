from __future__ import annotations

import json
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import jettison
from jettison import RunError, Scenario, ScenarioError
from jettison._arrow import pa, pq

TABLES = ["queues", "flows", "drops", "distributions", "frames", "runs", "summary"]


def test_results_are_identical_to_the_commands(file: Path, tmp_path: Path, command: Path) -> None:
    subprocess.run([command, "run", file, "--out", tmp_path / "cli", "--runs", "3"], check=True, capture_output=True)
    scenario = jettison.load(file)
    stored = jettison.run(scenario, seeds=3, out=tmp_path / "python", jobs=2)
    for table in TABLES:
        name = f"{table}.parquet"
        assert (tmp_path / "python" / name).read_bytes() == (tmp_path / "cli" / name).read_bytes(), name
    in_memory = jettison.run(scenario, seeds=3, jobs=1)
    cli = jettison.open(tmp_path / "cli")
    for result in (stored, in_memory):
        for table in TABLES:
            one, other = result.table(table).arrow, cli.table(table).arrow
            assert one.schema == other.schema
            assert one.num_rows == other.num_rows
            plain = pa.schema(
                [(f.name, f.type.value_type if pa.types.is_dictionary(f.type) else f.type) for f in one.schema]
            )
            assert one.cast(plain).equals(other.cast(plain)), table
        assert result.units == cli.units
        assert result.objects == cli.objects
        assert (result.status, result.mode, result.name) == ("complete", "sim", "small")
    configuration = cli.manifest.pop("configuration"), in_memory.manifest.pop("configuration")
    assert len(configuration[0]) == len(configuration[1]) > 100
    # Files have hashes, and stored runs have keys.
    assert {"files", "seal"} == cli.manifest.keys() - in_memory.manifest.keys()
    assert all(len(run.pop("key")) == 64 for run in cli.manifest["runs"])
    assert in_memory.manifest == {key: value for key, value in cli.manifest.items() if key in in_memory.manifest}
    assert in_memory.manifest["version"] == jettison.__version__
    assert in_memory.manifest.get("commit") == jettison.__commit__


def test_seeds_are_a_count_a_range_or_a_list(small: Scenario) -> None:
    short = small.set("duration", "1100 ms")
    assert jettison.run(short).seeds == [1, 2]
    assert jettison.run(short, seeds=3).seeds == [1, 2, 3]
    assert jettison.run(short, seeds=range(4, 6)).seeds == [4, 5]
    assert set(jettison.run(short, seeds=[9]).runs["seed"].to_pylist()) == {9}
    of_numpy: Any = np.int64(2)
    assert jettison.run(short, seeds=of_numpy).seeds == [1, 2]
    wrong: Any
    for wrong in (0, [], [1, 1], [-1], [2**64], [1.5], True, "12", 2.5):
        with pytest.raises(ScenarioError, match="seeds"):
            jettison.run(short, seeds=wrong)
    with pytest.raises(ValueError, match="`jobs` must be at least 1, got 0"):
        jettison.run(short, jobs=0)


def test_results_are_pickled(small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    in_memory = jettison.run(small, seeds=2)
    monkeypatch.chdir(tmp_path)
    stored = jettison.run(small, seeds=2, out="out")
    whole = {table: stored.table(table).arrow for table in TABLES}
    pickled = pickle.dumps([in_memory, stored])
    monkeypatch.chdir("/")
    again, there = pickle.loads(pickled)
    assert again.manifest == in_memory.manifest
    for table in TABLES:
        assert again.table(table).arrow.equals(in_memory.table(table).arrow)
        assert there.table(table).arrow.equals(whole[table])
    some = in_memory.queues.filter(metric="sojourn", seed=1)
    assert pickle.loads(pickle.dumps(some)).arrow.equals(some.arrow)


def test_tables_are_passed_without_copies(small: Scenario) -> None:
    from jettison import _jettison

    tables = _jettison.run(small.set("duration", "1200 ms").checked)
    assert tables is not None
    for name in tables.names():
        table = pa.RecordBatchReader.from_stream(tables.table(name)).read_all()
        for column in table.column_names:
            chunks = table.column(column).chunks
            assert len(chunks) == 1
            values = chunks[0].indices if pa.types.is_dictionary(chunks[0].type) else chunks[0]
            if len(values):
                assert values.buffers()[1].address == tables.address(name, column), (name, column)


def test_the_lock_is_released_during_a_run(small: Scenario) -> None:
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.001):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    begun = time.monotonic()
    jettison.run(small, seeds=range(1, 5), jobs=1)
    ended = time.monotonic()
    stop.set()
    ticker.join()
    # With the lock held, there would be none between the start and the end.
    assert sum(begun < at < ended for at in ticks) >= 5


def test_progress_is_reported_and_its_exceptions_end_the_run(small: Scenario) -> None:
    told: list[tuple[float, int, int]] = []
    jettison.run(small, seeds=4, progress=lambda *now: told.append(now))
    assert told
    assert told == sorted(told)
    assert told[-1][1:] == (4, 4)

    class Enough(Exception):
        pass

    def enough(share: float, finished: int, runs: int) -> None:
        raise Enough(f"{runs} runs")

    with pytest.raises(Enough, match="200 runs"):
        jettison.run(small, seeds=200, progress=enough)


def test_progress_may_be_a_line(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    jettison.run(small.set("duration", "2 s"), progress=True)
    line = capsys.readouterr().err
    assert "small: 100 %, 2 of 2 runs" in line
    assert line.endswith("\n")


CTRL_C = """
import sys, jettison
scenario = jettison.Scenario.from_toml(open(sys.argv[1]).read())
try:
    jettison.run(scenario, seeds=100_000, jobs=2, out=sys.argv[2] if len(sys.argv) > 2 else None,
                 progress=lambda share, finished, runs: finished >= 2 and print("going", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.parametrize("stored", [False, True])
def test_ctrl_c_ends_a_run(file: Path, tmp_path: Path, stored: bool) -> None:
    arguments = [str(file), str(tmp_path / "out")] if stored else [str(file)]
    with subprocess.Popen(
        [sys.executable, "-c", CTRL_C, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "going\n"
        child.send_signal(signal.SIGINT)
        printed, errors = child.communicate(timeout=60)
    assert printed.endswith("interrupted\n"), errors
    assert child.returncode == 0, errors
    if stored:
        kept = jettison.open(tmp_path / "out")
        assert kept.status == "interrupted"
        assert len(kept.manifest["runs"]) >= 2
    else:
        assert not (tmp_path / "out").exists()


def test_a_folder_that_is_not_ours_is_not_replaced(small: Scenario, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("mine")
    with pytest.raises(RunError, match="holds no Jettison results"):
        jettison.run(small, seeds=1, out=tmp_path)
    assert (tmp_path / "precious").read_text() == "mine"


def test_a_run_may_be_named(file: Path) -> None:
    assert jettison.run(str(file), seeds=1).name == "small"
    with pytest.raises(ScenarioError):
        jettison.run("nothing/there")


def test_a_stored_result_is_read_column_by_column(
    small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jettison.run(small, out=tmp_path / "out")
    read: list[list[str]] = []
    original = pq.read_table

    def noting(path: Path, columns: list[str], **more: object) -> object:
        read.append(columns)
        return original(path, columns=columns, **more)

    monkeypatch.setattr(pq, "read_table", noting)
    result = jettison.open(tmp_path / "out")
    assert read == []
    assert len(result.queues) > 100
    assert read == []
    assert result.queues.select(["time_ns", "value"]).column_names == ["time_ns", "value"]
    assert result.queues["value"].null_count == 0
    assert result.queues.select(["value", "metric"]).column_names == ["value", "metric"]
    assert read == [["time_ns", "value"], ["metric"]]
    with pytest.raises(KeyError, match="unknown column `tiem_ns`"):
        result.queues.select(["tiem_ns"])
    with pytest.raises(KeyError, match="unknown table `queue`; did you mean `queues`"):
        result.table("queue")


def test_results_of_a_version_without_frames_have_none(small: Scenario, tmp_path: Path) -> None:
    jettison.run(small, seeds=1, out=tmp_path / "out")
    expected = jettison.open(tmp_path / "out").frames.arrow.schema
    (tmp_path / "out" / "frames.parquet").unlink()
    # Nor have they hashes.
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    older = {key: value for key, value in manifest.items() if key not in ("files", "seal")}
    (tmp_path / "out" / "manifest.json").write_text(json.dumps({**older, "format": 1}))
    with pytest.warns(UserWarning, match="written by an earlier version of Jettison and has no hashes"):
        frames = jettison.open(tmp_path / "out").frames
    assert len(frames) == 0
    assert frames.arrow.schema == expected


def test_folders_without_results_are_refused(tmp_path: Path, small: Scenario) -> None:
    with pytest.raises(RunError, match="holds no Jettison results"):
        jettison.open(tmp_path)
    jettison.run(small, seeds=1, out=tmp_path / "out")
    (tmp_path / "out" / "queues.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(RunError, match=r"queues\.parquet"):
        jettison.open(tmp_path / "out").queues.arrow  # noqa: B018
    manifest = tmp_path / "out" / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"format": 2', '"format": 7'))
    with pytest.raises(RunError, match="layout version must be 1 or 2, got 7"):
        jettison.open(tmp_path / "out")


def test_differences_are_paired_by_seed_and_warnings_are_kept(small: Scenario, tmp_path: Path) -> None:
    scenario = small.vary("links.bottleneck.queue", ["tail-drop", "codel"])
    result = jettison.run(scenario, seeds=2)
    assert result.baselines == {"queue=codel": "queue=tail-drop"}
    rows = result.differences.filter(object="bottleneck.forward", metric="sojourn", part="").to_pylist()
    assert [(row["variant"], row["baseline"], row["n"]) for row in rows] == [("queue=codel", "queue=tail-drop", 2)]
    runs = result.runs.filter(object="bottleneck.forward", metric="sojourn").to_pylist()
    of = {(row["variant"], row["seed"]): row["mean"] for row in runs}
    differences = [of["queue=codel", seed] - of["queue=tail-drop", seed] for seed in result.seeds]
    assert rows[0]["mean"] == pytest.approx(sum(differences) / 2)
    assert rows[0]["ci95_low"] <= rows[0]["mean"] <= rows[0]["ci95_high"]
    assert result.warnings[0]["kind"] == "few-seeds"
    assert repr(result).endswith("warning>") or repr(result).endswith("warnings>")
    jettison.run(scenario, seeds=2, out=tmp_path / "out")
    stored = jettison.open(tmp_path / "out")
    assert stored.differences.to_pylist() == result.differences.to_pylist()
    assert stored.warnings == result.warnings
    assert result.answer.startswith(f"{result.name} compares 2 values of ")
    assert (stored.answer, stored.groups) == (result.answer, result.groups)
    (tmp_path / "out" / "differences.parquet").unlink()
    assert len(jettison.open(tmp_path / "out", check=False).differences) == 0, "results of earlier versions"


def test_damaged_results_are_refused(small: Scenario, tmp_path: Path) -> None:
    out = tmp_path / "out"
    jettison.run(small, seeds=1, out=out)
    for file in sorted(out.iterdir()):
        whole = file.read_bytes()
        file.write_bytes(whole[: len(whole) // 2] + bytes([whole[len(whole) // 2] ^ 4]) + whole[len(whole) // 2 + 1 :])
        if file.name == "report.html":
            with pytest.warns(UserWarning, match=r"report.html was changed after it was written; `jettison report`"):
                jettison.open(out)
        else:
            with pytest.raises(RunError, match=f"{file.name}|holds no Jettison results"):
                jettison.open(out)
        file.write_bytes(whole)
    (out / "drops.parquet").unlink()
    with pytest.raises(RunError, match=r"drops.parquet is missing; run the experiment again"):
        jettison.open(out)
    assert jettison.open(out, check=False).runs.to_pylist()


def test_finished_runs_are_kept_and_seeds_added(small: Scenario, tmp_path: Path) -> None:
    store, seen = tmp_path / "store", list[int]()
    jettison.run(small, seeds=2, out=tmp_path / "one", store=store)
    records = {path.name: path.stat().st_mtime_ns for path in (store / "records").iterdir()}
    assert len(records) == 2 * len(small.variants)
    result = jettison.run(small, seeds=4, out=tmp_path / "two", store=store, progress=lambda *now: seen.append(now[1]))
    assert result.seeds == [1, 2, 3, 4] and seen[-1] == 4 * len(small.variants)
    assert {path.name: path.stat().st_mtime_ns for path in (store / "records").iterdir()}.items() >= records.items()
    precise = jettison.run(
        small, out=tmp_path / "three", store=store, precision="0.001%", of="all flows:goodput", max_seeds=5
    )
    assert len(precise.seeds) in range(3, 6)
    for wrong in ({"store": store}, {"precision": "2%", "of": "a:b"}):
        with pytest.raises(ValueError, match="require `out`"):
            jettison.run(small, **wrong)  # pyright: ignore[reportArgumentType]
    with pytest.raises(RunError, match="must be a percentage"):
        jettison.run(small, out=tmp_path / "four", precision="2", of="a:b")


def test_values_of_the_summary_are_found_by_name(small: Scenario) -> None:
    result = jettison.run(small.vary("links.bottleneck.queue", ["codel", "tail-drop"]), seeds=3)
    mean = result.mean("goodput", "bulk", "queue=codel")
    assert 5 < mean < 10
    low, high = (result.value("goodput", "bulk", "queue=codel", statistic=s) for s in ("ci95_low", "ci95_high"))
    assert low <= mean <= high
    assert result.value("sojourn", "bottleneck.forward", "queue=codel", statistic="p99") > 0
    with pytest.raises(KeyError, match="must match one value, got 2"):
        result.mean("goodput", "bulk")
    with pytest.raises(KeyError, match="unknown metric `godput`; did you mean `goodput`"):
        result.mean("godput")
    with pytest.raises(KeyError, match="ci95_high, got `p98`"):
        result.value("goodput", "bulk", "queue=codel", statistic="p98")


def test_drops_say_what_packets_carried_and_who_held_the_queue(small: Scenario) -> None:
    drops = jettison.run(small, seeds=1).drops
    assert drops["id"].to_pylist() == list(range(len(drops)))
    own = drops.filter(queue="bottleneck.forward", flow="bulk", outcome="drop").to_pylist()
    assert len(own) > 3
    for row in own:
        assert row["offset"] is not None and row["backlog_packets"] > 0
        held = [pair.rsplit(" ", 1) for pair in row["holders"].split(", ")]
        assert sum(int(packets) for _, packets in held) == row["backlog_packets"]
        assert (row["previous"] is not None) == (row["retransmission"] == 1)
    unsampled = jettison.run(small.set("record.identities", False), seeds=1).drops
    assert set(unsampled["packet"].to_pylist()) == {None}
    sampled = jettison.run(small.set("record.identities", {"sample": 0.3}), seeds=1).drops
    assert 0 < len(sampled) < len(drops)


def test_rows_are_filtered_and_handed_to_other_libraries(small: Scenario) -> None:
    pl = pytest.importorskip("polars", reason="left out: polars is not installed")
    pd = pytest.importorskip("pandas", reason="left out: pandas is not installed")
    result = jettison.run(small, seeds=2)
    sojourn = result.queues.filter(object="bottleneck.forward", metric="sojourn", seed=[1, 2])
    assert 0 < len(sojourn) < len(result.queues)
    assert set(sojourn["metric"].to_pylist()) == {"sojourn"}
    frame = sojourn.to_polars(["time_ns", "value"])
    assert isinstance(frame, pl.DataFrame)
    assert pl.DataFrame(sojourn).shape == (len(sojourn), 8)
    assert result.to_polars("queues").height == len(result.queues)
    pandas = result.to_pandas("queues", ["metric", "value"])
    assert isinstance(pandas, pd.DataFrame)
    assert isinstance(pandas["metric"].dtype, pd.CategoricalDtype)
    assert pandas["value"].sum() == pytest.approx(sum(result.queues["value"].to_pylist()))


def test_only_requested_columns_of_a_stored_table_are_read(
    small: Scenario, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = jettison.run(small, seeds=2, out=tmp_path / "out")
    whole = jettison.open(tmp_path / "out").queues.arrow
    read: list[list[str]] = []
    read_table = pq.read_table

    def recorded(path: Path, columns: list[str], **more: object) -> object:
        read.append(columns)
        return read_table(path, columns=columns, **more)

    monkeypatch.setattr(pq, "read_table", recorded)
    sojourn = stored.queues.filter(metric="sojourn", seed=2)
    assert read == [["metric"], ["seed"]]
    expected = [row for row in whole.to_pylist() if (row["metric"], row["seed"]) == ("sojourn", 2)]
    assert len(sojourn) == len(expected) > 0
    assert sojourn["value"].to_pylist() == [row["value"] for row in expected]
    assert read[2:] == [["value"]]
    assert sojourn.to_pylist() == expected
    assert sojourn.filter(object=expected[0]["object"]).columns == stored.queues.columns
    # The complete column `value` is not kept for a few selected rows.
    assert stored.queues["value"].equals(whole["value"])
    assert read[-1] == ["value"]


def test_an_experiment_has_the_papers_figures_beside_ours() -> None:
    result = jettison.run(jettison.load("ired/ingress-vs-egress", quick=True).set("duration", "10 s"), seeds=1)
    assert {row["paper"] for row in result.reproduction} == {"ired"}
    assert {"verdict", "figure"} <= set(result.reproduction[0])


def test_frames_of_a_real_time_video_are_those_of_the_summary() -> None:
    scenario = jettison.load("octopus/temporal", quick=True)
    first = scenario.variants[0]
    result = jettison.run(scenario, seeds=1)
    warm_up = result.manifest["warm_up"]
    frames = result.frames.filter(variant=first).to_pylist()
    assert len(frames) > 50
    assert all((frame["layers"] == 0) == (frame["latency_ms"] is None) for frame in frames)
    assert all(0 <= frame["ssim"] <= 1 for frame in frames)
    flow = frames[0]["flow"]
    of_flow = [frame for frame in frames if frame["flow"] == flow]
    assert [frame["frame"] for frame in of_flow] == sorted(frame["frame"] for frame in of_flow)
    assert warm_up
    measured = [frame for frame in of_flow if frame["captured_ns"] >= _nanoseconds(warm_up)]
    mean = sum(frame["sqi_ssim"] for frame in measured) / len(measured)
    assert result.mean("sqi_ssim", flow, first) == pytest.approx(mean, rel=0.02)


def _nanoseconds(duration: str | int) -> int:
    from jettison.queues import nanoseconds

    return duration if isinstance(duration, int) else nanoseconds(duration)


def test_gauges_are_series_where_a_scenario_asks_for_them(small: Scenario) -> None:
    red = small.set("links.bottleneck.queue", {"kind": "red"})
    plain = jettison.run(red, seeds=1)
    assert plain.gauges == {}
    assert len(plain.queues.filter(metric="red_average")) == 0
    sampled = jettison.run(red.set("gauges", True), seeds=1)
    assert sampled.gauges["red_average"].startswith("Average queue")
    assert sampled.describe("red_average") == sampled.gauges["red_average"]
    assert sampled.describe("jitter") == "Interarrival jitter, smoothed as RFC 3550 §6.4.1 says."
    with pytest.raises(KeyError, match="unknown metric `red_averages`"):
        sampled.describe("red_averages")
    assert sampled.units["red_average"] == "packets"
    average = sampled.queues.filter(object="bottleneck.forward", metric="red_average")
    assert len(average) == 80
    values = average["value"].to_numpy()
    assert values.max() > 1.0
    after_warm_up = values[average["time_ns"].to_numpy() > 1_000_000_000]
    assert sampled.mean("red_average", "bottleneck.forward") == pytest.approx(after_warm_up.mean())
    assert len(sampled.flows.filter(object="bulk", metric="cubic_w_max")) > 0
    # Everything else is unchanged.
    rest = {key: value for key, value in sampled.units.items() if key not in sampled.gauges}
    assert rest == plain.units
    assert sampled.mean("goodput", "bulk") == plain.mean("goodput", "bulk")
    some = jettison.run(red.set("gauges", ["red_average"]), seeds=1)
    assert list(some.gauges) == ["red_average"]
    with pytest.raises(ScenarioError, match="did you mean `red_average`"):
        jettison.run(red.set("gauges", ["red_averag"]), seeds=1)
