"""Distribution, collection and repetition of runs, with simulated workers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from helpers import works

from jettison._arrow import pa
from jettison.errors import SweepError
from jettison.sweeps.engine import LOSSES, Engine
from jettison.sweeps.executors.base import Broken, Ended, Event, Finished, Lost, Session
from jettison.sweeps.store import Store, to_parquet
from jettison.sweeps.work import Outcome, Work


class Played(Session):
    """Executes each batch immediately, unless one of its runs kills workers."""

    batch_seconds = 1.0

    def __init__(self, slots: int = 2, seconds: float = 0.1, deadly: Sequence[str] = (), broken: bool = False) -> None:
        self._slots, self._seconds, self._deadly, self._broken = slots, seconds, deadly, broken
        self.final = False
        self.unfit = 0
        self.batches: list[list[str]] = []
        self._events: list[Event] = []

    @property
    def slots(self) -> int:
        return self._slots

    def submit(self, number: int, batch: Sequence[Work]) -> None:
        self.batches.append([work.key for work in batch])
        if self._broken:
            self._events.append(Broken("no workers are available"))
        if self.unfit:
            self.unfit -= 1
            self._events.append(Lost(number, "it has another version", counts=False))
            return
        for work in batch:
            if work.key in self._deadly:
                self._events.append(Lost(number, "it was ended by SIGKILL", final=self.final))
                return
            self._events.append(Finished(number, Outcome(work.key, "done", self._seconds)))
        self._events.append(Ended(number))

    def events(self, timeout: float) -> list[Event]:
        found, self._events = self._events, []
        return found

    def close(self) -> None:
        pass


def run(session: Played, store: Store, runs: list[Work], batch: object = "auto") -> dict[str, Outcome]:
    over: dict[str, Outcome] = {}
    engine = Engine(session, store, batch, lambda work, outcome: over.update({work.key: outcome}))  # type: ignore[arg-type]
    engine.add(runs)
    engine.run()
    return over


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "out")


def test_batches_grow_to_a_useful_duration_and_shrink_at_the_end(store: Store):
    session = Played(seconds=0.125)
    over = run(session, store, works(200))
    assert len(over) == 200
    sizes = [len(batch) for batch in session.batches]
    assert sizes[0] == 1, "how long a run takes is not known yet"
    assert max(sizes) == 8, "a second at 0.125 s each"
    assert sizes[-1] == 1 and sizes[-8:] == sorted(sizes[-8:], reverse=True)


def test_long_runs_are_sent_one_by_one(store: Store):
    session = Played(seconds=30.0)
    run(session, store, works(20))
    assert {len(batch) for batch in session.batches} == {1}


def test_a_requested_batch_size_is_used(store: Store):
    session = Played()
    run(session, store, works(10), batch=4)
    assert [len(batch) for batch in session.batches] == [4, 4, 2]


def test_a_run_that_kills_its_workers_fails_without_affecting_others(store: Store):
    runs = works(12)
    deadly = runs[3].key
    session = Played(deadly=[deadly])
    over = run(session, store, runs, batch=4)
    assert {key for key, outcome in over.items() if outcome.status == "failed"} == {deadly}
    assert over[deadly].error == (
        "LostWorker",
        f"{LOSSES} workers were lost during this run; the last: it was ended by SIGKILL",
        "",
    )
    assert sum(deadly in batch for batch in session.batches) == LOSSES
    record = store.read_failure(deadly)
    assert record is not None and record["kind"] == "LostWorker" and record["settings"] == {"x": 3}


def test_runs_written_by_a_lost_worker_are_not_repeated(store: Store):
    runs = works(2)
    store.write(runs[0].key, to_parquet(pa.table({"written": ["just before the end"]})))
    session = Played(deadly=[runs[0].key])
    over = run(session, store, runs, batch=2)
    assert (over[runs[0].key].status, over[runs[1].key].status) == ("found", "done")
    assert session.batches == [[runs[0].key, runs[1].key], [runs[1].key]]


def test_truncated_partitions_and_missing_full_results_are_repeated(store: Store):
    runs = works(2)
    whole = to_parquet(pa.table({"x": [1]}))
    store.write(runs[0].key, whole[: len(whole) // 2])
    session = Played(deadly=[runs[0].key])
    assert run(session, store, runs[:1])[runs[0].key].status == "failed"
    # As left by an earlier sweep that kept only summaries.
    store.write(runs[1].key, whole)
    assert run(Played(deadly=[runs[1].key]), store, runs[1:])[runs[1].key].status == "found"
    over: dict[str, Outcome] = {}
    engine = Engine(
        Played(deadly=[runs[1].key]), store, 1, lambda work, outcome: over.update({work.key: outcome}), full=True
    )
    engine.add(runs[1:])
    engine.run()
    assert over[runs[1].key].status == "failed"


def test_unusable_workers_do_not_count_against_runs(store: Store):
    session = Played()
    session.unfit = 25
    over = run(session, store, works(6), batch=3)
    assert {outcome.status for outcome in over.values()} == {"done"} and len(over) == 6


def test_a_run_that_failed_alone_on_several_workers_is_the_cause(store: Store):
    runs = works(4)
    session = Played(deadly=[runs[1].key])
    session.final = True
    over = run(session, store, runs, batch=2)
    assert {key for key, outcome in over.items() if outcome.status == "failed"} == {runs[1].key}
    assert sum(runs[1].key in batch for batch in session.batches) == 2, "once with others, once alone"


def test_without_workers_it_ends_with_the_reason(store: Store):
    with pytest.raises(SweepError, match="no workers are available"):
        run(Played(broken=True), store, works(3))
