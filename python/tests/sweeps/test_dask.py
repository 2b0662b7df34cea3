"""A real scheduler and two worker processes on loopback."""

from __future__ import annotations

import os
import signal
import socket
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from distributed import Client
from helpers import do, fake_job, runs_of, same_partitions, works

from jettison.errors import SweepError
from jettison.sweeps.engine import Engine
from jettison.sweeps.executors import DaskExecutor, LocalExecutor
from jettison.sweeps.store import Store
from jettison.sweeps.work import Outcome, Work


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "out")


def test_runs_come_out_as_those_of_local_processes(cluster: Any, store: Store, tmp_path: Path):
    here = Store.create(tmp_path / "here")
    runs, log = works(30, seeds=(1, 2)), tmp_path / "log"
    do(LocalExecutor(2), here, runs)
    over = do(DaskExecutor(cluster.scheduler_address), store, runs, log=str(log))
    assert sorted(runs_of(log)) == sorted(work.key for work in runs)
    assert len({line.split()[1] for line in log.read_text().splitlines()}) == 2, "both workers took part"
    assert all(outcome.partition is None for outcome in over.values()), "the workers wrote their partitions themselves"
    assert same_partitions(here, store)


def test_a_client_serves_and_stays_open(cluster: Any, store: Store):
    with Client(cluster) as client:
        over = do(DaskExecutor(client), store, works(6), fails=[2])
        assert [outcome.status for outcome in over.values()].count("failed") == 1
        assert client.status == "running"


def test_what_a_worker_that_does_not_see_the_folder_has_run_comes_back(cluster: Any, store: Store):
    # For a worker a folder with another token is another machine's.
    with Client(cluster) as client:
        session = DaskExecutor(client).start(replace(fake_job(store), token="another machine's"))
        over: dict[str, Outcome] = {}
        engine = Engine(session, store, "auto", lambda work, outcome: over.update({work.key: outcome}))
        runs = works(5)
        engine.add(runs)
        engine.run()
        session.close()
    assert all(outcome.partition for outcome in over.values())
    assert store.finished(work.key for work in runs) == {work.key for work in runs}


def test_a_job_of_many_bytes_reaches_the_workers(cluster: Any, store: Store):
    over = do(DaskExecutor(cluster), store, works(8), trace="x" * 3_000_000)
    assert {outcome.status for outcome in over.values()} == {"done"}


def test_a_killed_worker_loses_nothing(cluster: Any, store: Store, tmp_path: Path):
    runs, log = works(60), tmp_path / "log"
    with Client(cluster) as client:
        session = DaskExecutor(client).start(fake_job(store, log=str(log), seconds=0.03))
        over: dict[str, Outcome] = {}

        def finished(work: Work, outcome: Outcome) -> None:
            over[work.key] = outcome
            if len(over) == 15:
                # By its own process id: a worker that a machine loses says nothing before.
                os.kill(int(log.read_text().splitlines()[-1].split()[1]), signal.SIGKILL)

        engine = Engine(session, store, 3, finished)
        engine.add(runs)
        engine.run()
        session.close()
        client.wait_for_workers(2, timeout=30)  # its nanny starts another for the tests after this
    assert {outcome.status for outcome in over.values()} <= {"done", "found"}
    assert store.finished(work.key for work in runs) == {work.key for work in runs}
    begun = runs_of(log)
    assert len(begun) <= len(runs) + 1, "what the lost worker had written was not run again"


def test_workers_of_another_version_are_refused_before_anything_starts(cluster: Any, store: Store):
    with pytest.raises(SweepError, match=r"worker tcp://127\.0\.0\.1:\d+: this worker has Jettison"):
        DaskExecutor(cluster).start(replace(fake_job(store), version="0.0.1-other"))


def test_whole_results_need_a_folder_that_workers_see(cluster: Any, store: Store):
    with pytest.raises(SweepError, match=r'does not see .*, which keep="all" needs'):
        DaskExecutor(cluster).start(replace(fake_job(store), token="another machine's", keep="all"))


@pytest.mark.parametrize("answers", [False, True], ids=["nobody listens", "it accepts and says nothing"])
def test_an_unreachable_scheduler_fails_within_ten_seconds_with_its_address(store: Store, answers: bool):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        if answers:
            listener.listen()
        address = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        begin = time.monotonic()
        with pytest.raises(SweepError, match=f"no Dask scheduler answers at {address}"):
            DaskExecutor(address).start(fake_job(store))
        assert time.monotonic() - begin < 10


@pytest.mark.parametrize("target", [3.5, object(), "tcp:/nowhere", "gopher://there:70"])
def test_what_is_no_scheduler_is_refused(store: Store, target: object):
    with pytest.raises(SweepError):
        DaskExecutor(target).start(fake_job(store))
