"""Local worker processes."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from dataclasses import replace
from pathlib import Path

import pytest
from helpers import do, fake_job, runs_of, works

from jettison.errors import SweepError
from jettison.sweeps.engine import LOSSES, Engine
from jettison.sweeps.executors import LocalExecutor
from jettison.sweeps.executors.local import LocalSession
from jettison.sweeps.store import Store
from jettison.sweeps.work import Outcome, Work


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "out")


def test_every_run_is_done_once_and_one_that_fails_is_recorded(store: Store, tmp_path: Path):
    runs, log = works(20, seeds=(1, 2)), tmp_path / "log"
    over = do(LocalExecutor(2), store, runs, log=str(log), fails=[7])
    assert sorted(runs_of(log)) == sorted(work.key for work in runs)
    failed = [work for work in runs if over[work.key].status == "failed"]
    assert [(dict(work.settings)["x"], work.seed) for work in failed] == [(7, 1), (7, 2)]
    record = store.read_failure(failed[0].key)
    assert record is not None
    assert (record["kind"], record["error"], record["seed"]) == ("ValueError", "x is 7", 1)
    assert "fake.py" in record["trace"], "it says where it was raised"
    assert store.finished(work.key for work in runs) == {work.key for work in runs} - {work.key for work in failed}


def test_the_runs_of_a_killed_worker_are_done_by_another(store: Store, tmp_path: Path):
    runs, log = works(40), tmp_path / "log"
    session = LocalExecutor(2).start(fake_job(store, log=str(log), seconds=0.02))
    assert isinstance(session, LocalSession)
    over: dict[str, Outcome] = {}

    def finished(work: Work, outcome: Outcome) -> None:
        over[work.key] = outcome
        if len(over) == 10:
            os.kill(session.processes[0], signal.SIGKILL)

    engine = Engine(session, store, 5, finished)
    engine.add(runs)
    try:
        engine.run()
        assert len(session.processes) == 2, "the lost one was replaced"
    finally:
        session.close()
    assert {outcome.status for outcome in over.values()} <= {"done", "found"}
    assert store.finished(work.key for work in runs) == {work.key for work in runs}
    assert len(runs_of(log)) <= len(runs) + 1, "only what was under way was begun again"


def test_a_run_that_ends_every_worker_fails_alone(store: Store, tmp_path: Path):
    (tmp_path / "marks").mkdir()
    runs = works(8)
    over = do(LocalExecutor(2), store, runs, batch=4, dies=[2], marks=str(tmp_path / "marks"), deaths=99)
    assert [key for key, outcome in over.items() if outcome.status == "failed"] == [runs[2].key]
    kind, message, _ = over[runs[2].key].error or ("", "", "")
    assert kind == "LostWorker" and "SIGKILL" in message
    assert len(list((tmp_path / "marks").iterdir())) == LOSSES


def test_a_worker_that_dies_once_loses_nothing(store: Store, tmp_path: Path):
    (tmp_path / "marks").mkdir()
    over = do(LocalExecutor(1), store, works(6), batch=3, dies=[1], marks=str(tmp_path / "marks"), deaths=1)
    assert {outcome.status for outcome in over.values()} <= {"done", "found"} and len(over) == 6


def test_a_worker_of_another_version_is_refused_before_anything_starts(store: Store):
    job = replace(fake_job(store), version="0.0.1-other")
    with pytest.raises(
        SweepError, match=r"versions of Jettison must be equal, got .* on this worker and 0\.0\.1-other on the caller"
    ):
        LocalExecutor(1).start(job)


def test_a_scenario_that_workers_cannot_read_is_refused_before_anything_starts(store: Store):
    data = pickle.dumps(Path).replace(b"pathlib", b"pathlob")
    with pytest.raises(SweepError, match="cannot read the scenario: ModuleNotFoundError"):
        LocalExecutor(1).start(replace(fake_job(store), scenario=data, digest="other"))


def test_a_number_of_workers_below_one_is_refused():
    with pytest.raises(SweepError, match="at least one worker"):
        LocalExecutor(0)


def test_workers_end_with_their_parent(store: Store, tmp_path: Path):
    script = tmp_path / "asks.py"
    # No `if __name__ == "__main__"`: workers do not import the caller's script.
    script.write_text(
        textwrap.dedent(
            """
            import sys
            from pathlib import Path
            from helpers import fake_job, works
            from jettison.sweeps.executors import LocalExecutor
            from jettison.sweeps.store import Store

            session = LocalExecutor(2).start(fake_job(Store.open(sys.argv[1]), seconds=0.05))
            session.submit(0, works(10_000))
            session.events(10)
            print(*session.processes, flush=True)
            sys.stdin.read()
            """
        )
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    asker = subprocess.Popen(
        [sys.executable, str(script), str(store.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment,
        text=True,
    )
    assert asker.stdout is not None
    workers = [int(number) for number in asker.stdout.readline().split()]
    assert workers
    asker.kill()
    asker.wait()
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{worker}").exists() for worker in workers):
        assert time.monotonic() < deadline, "a worker is left over"
        time.sleep(0.05)
    asker.stdout.close()
