"""A real scheduler and two worker processes on loopback."""

from __future__ import annotations

import contextlib
import http.server
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import distributed
import pytest
from distributed import Client
from helpers import do, fake_job, runs_of, same_partitions, works
from scenarios import TEXT

import jettison
from jettison.errors import SweepError
from jettison.sweeps.engine import Engine
from jettison.sweeps.executors import DaskExecutor, LocalExecutor
from jettison.sweeps.store import Store
from jettison.sweeps.work import Outcome, Work


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "out")


def test_runs_equal_those_of_local_processes(cluster: Any, store: Store, tmp_path: Path):
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


def test_workers_without_the_folder_return_their_partitions(cluster: Any, store: Store):
    # A worker takes a folder with another token for another machine's.
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
                # Kill it by its own process id: a lost worker sends nothing before.
                os.kill(int(log.read_text().splitlines()[-1].split()[1]), signal.SIGKILL)

        engine = Engine(session, store, 3, finished)
        engine.add(runs)
        engine.run()
        session.close()
        client.wait_for_workers(2, timeout=30)  # its nanny starts another for the following tests
    assert {outcome.status for outcome in over.values()} <= {"done", "found"}
    assert store.finished(work.key for work in runs) == {work.key for work in runs}
    begun = runs_of(log)
    assert len(begun) <= len(runs) + 1, "what the lost worker had written was not run again"


def test_workers_of_another_version_are_refused_before_anything_starts(cluster: Any, store: Store):
    with pytest.raises(SweepError, match=r"worker tcp://127\.0\.0\.1:\d+: versions of Jettison must be equal"):
        DaskExecutor(cluster).start(replace(fake_job(store), version="0.0.1-other"))


def test_whole_results_need_a_folder_that_workers_see(cluster: Any, store: Store):
    with pytest.raises(
        SweepError, match=r'keep="all" requires a folder shared by all workers; this worker does not see'
    ):
        DaskExecutor(cluster).start(replace(fake_job(store), token="another machine's", keep="all"))


def test_an_unsuitable_late_worker_is_not_used(store: Store, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
    other = tmp_path / "other" / "jettison"
    other.mkdir(parents=True)
    ours = Path(jettison.__file__)
    (other / "__init__.py").write_text(
        f"__path__ = [{str(ours.parent)!r}]\nexec(open({str(ours)!r}).read())\n__version__ = '9.9.9'\n"
    )
    cluster: Any = distributed.LocalCluster
    runs, late = works(40), None
    with (
        cluster(n_workers=1, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, silence_logs=50) as made,
        Client(made) as client,
    ):
        session = DaskExecutor(client).start(fake_job(store, seconds=0.1))
        over: dict[str, Outcome] = {}

        def finished(work: Work, outcome: Outcome) -> None:
            over[work.key] = outcome
            deadline = time.monotonic() + 30
            connected: Any = client
            while len(over) == 3 and len(connected.nthreads()) < 2 and time.monotonic() < deadline:
                time.sleep(0.05)

        try:
            late = subprocess.Popen(
                [
                    *(sys.executable, "-m", "distributed.cli.dask_worker", made.scheduler_address),
                    *("--nthreads", "1", "--no-nanny", "--no-dashboard"),
                ],
                env={**os.environ, "PYTHONPATH": str(other.parent)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            engine = Engine(session, store, 1, finished)
            engine.add(runs)
            engine.run()
        finally:
            session.close()
            if late is not None:
                late.kill()
                late.wait()
    assert len(over) == len(runs) and {outcome.status for outcome in over.values()} == {"done"}
    assert "; it is not used" in capfd.readouterr().err


def test_a_cluster_without_workers_is_waited_for(store: Store, capfd: pytest.CaptureFixture[str]):
    cluster: Any = distributed.LocalCluster
    with cluster(n_workers=0, host="127.0.0.1", dashboard_address=None, silence_logs=50) as made:
        timer = threading.Timer(1.0, lambda: made.scale(1))
        timer.start()
        over = do(DaskExecutor(made), store, works(4), trace="x" * 500_000)
        timer.join()
    assert {outcome.status for outcome in over.values()} == {"done"}
    assert "has no workers yet" in capfd.readouterr().err


class _Web(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_error(400)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        pass


@pytest.mark.parametrize("what", ["nothing listens", "it accepts and never answers", "a web server"])
def test_an_unreachable_scheduler_is_given_up_and_named(tmp_path: Path, what: str, capfd: pytest.CaptureFixture[str]):
    with contextlib.ExitStack() as open_:
        if what == "a web server":
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Web)
            threading.Thread(target=server.serve_forever, daemon=True).start()
            open_.callback(server.server_close)
            open_.callback(server.shutdown)
            port = server.server_address[1]
        else:
            listener = open_.enter_context(socket.socket())
            listener.bind(("127.0.0.1", 0))
            if what != "nothing listens":
                listener.listen()
            port = listener.getsockname()[1]
        file, out = tmp_path / "short.toml", tmp_path / "out"
        file.write_text(TEXT)
        # A command that waits for the scheduler for good does not end.
        done = subprocess.run(
            [
                *(sys.executable, "-m", "jettison.sweeps", "--axis=queues.bottleneck.target=1ms,2ms"),
                *(f"--scheduler=tcp://127.0.0.1:{port}", f"--out={out}", str(file)),
            ],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
    assert done.returncode == 2 and f"no Dask scheduler answers at tcp://127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists(), "nothing was touched"


@pytest.mark.parametrize("target", [3.5, object(), "tcp:/nowhere", "localhost", "gopher://there:70"])
def test_targets_other_than_schedulers_are_refused(store: Store, target: object):
    with pytest.raises(SweepError):
        DaskExecutor(target).start(fake_job(store))
