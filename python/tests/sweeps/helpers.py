"""Helpers for the tests of sweeps."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import jettison
from jettison.sweeps.engine import Engine
from jettison.sweeps.executors.base import Executor
from jettison.sweeps.store import Store
from jettison.sweeps.work import Job, Outcome, Work


def works(count: int, seeds: Iterable[int] = (1,)) -> list[Work]:
    return [Work(f"{seed:04x}{x:060x}", (("x", x),), seed) for x in range(count) for seed in seeds]


def fake_job(store: Store, **scenario: Any) -> Job:
    data = pickle.dumps(scenario)
    return Job(data, str(hash(data)), jettison.__version__, str(store.folder), store.token, runner="fake:run")


def do(executor: Executor, store: Store, runs: list[Work], batch: Any = "auto", **scenario: Any) -> dict[str, Outcome]:
    """Executes runs; returns their outcomes."""
    over: dict[str, Outcome] = {}

    def finished(work: Work, outcome: Outcome) -> None:
        assert work.key not in over, "a run came to two ends"
        over[work.key] = outcome

    session = executor.start(fake_job(store, **scenario))
    try:
        engine = Engine(session, store, batch, finished)
        engine.add(runs)
        engine.run()
    finally:
        session.close()
    return over


def runs_of(log: Path) -> list[str]:
    """The keys of the started runs, in order."""
    return [line.split()[0] for line in log.read_text().splitlines()] if log.exists() else []


def same_partitions(one: Store, other: Store) -> bool:
    """Whether two folders hold identical runs."""
    files = {path.name: path.read_bytes() for path in (one.folder / "runs").iterdir()}
    return bool(files) and files == {path.name: path.read_bytes() for path in (other.folder / "runs").iterdir()}
