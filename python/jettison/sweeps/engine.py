"""Distributes runs in batches, collects their outcomes, and repeats those of lost workers."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable
from typing import Literal

from ..errors import SweepError
from .executors.base import Broken, Event, Finished, Lost, Session
from .store import Store
from .work import Outcome, Work

# Number of lost workers after which a run is considered the cause.
LOSSES = 3
# Batches per slot: one in progress and one waiting, so that no worker is idle while the next batch
# is in transit.
_AHEAD = 2


class Engine:
    """Executes all added runs.

    Args:
        session: The workers.
        store: The folder for partitions and records of failures.
        batch: Number of runs per batch; `"auto"` adapts it to some seconds of work.
        finished: Callback for each completed run.
        full: Whether completed runs must have full results.
    """

    def __init__(
        self,
        session: Session,
        store: Store,
        batch: int | Literal["auto"],
        finished: Callable[[Work, Outcome], None],
        full: bool = False,
    ) -> None:
        self._session = session
        self._store = store
        self._batch = batch
        self._finished = finished
        self._full = full
        self._waiting: deque[Work] = deque()
        # Runs in progress on a lost worker are repeated one by one, so that a run that kills
        # workers affects no other.
        self._alone: deque[Work] = deque()
        self._running: dict[int, dict[str, Work]] = {}
        # Batches of a single run, for repetitions.
        self._single: set[int] = set()
        self._losses: dict[str, int] = {}
        self._next = 0
        self._seconds: float | None = None

    def add(self, runs: Iterable[Work]) -> None:
        """Adds runs."""
        self._waiting.extend(runs)

    @property
    def is_idle(self) -> bool:
        """Whether all added runs are completed."""
        return not (self._waiting or self._alone or self._running)

    def run(self) -> None:
        """Continues until all runs are completed."""
        while not self.is_idle:
            self.step(1.0)

    def step(self, timeout: float) -> None:
        """Submits batches to free slots, and waits at most `timeout` seconds for an event."""
        self._hand_out()
        for event in self._session.events(timeout):
            self._take(event)

    def _hand_out(self) -> None:
        slots = max(1, self._session.slots)
        while len(self._running) < slots * _AHEAD and (self._alone or self._waiting):
            batch = [self._alone.popleft()] if self._alone else self._next_batch(slots)
            self._running[self._next] = {work.key: work for work in batch}
            if len(batch) == 1:
                self._single.add(self._next)
            self._session.submit(self._next, batch)
            self._next += 1

    def _next_batch(self, slots: int) -> list[Work]:
        if isinstance(self._batch, int):
            size = self._batch
        elif self._seconds is None:
            size = 1  # the duration of runs is still unknown
        else:
            # Smaller batches near the end let all workers finish at about the same time.
            share = math.ceil(len(self._waiting) / (slots * _AHEAD))
            size = min(int(self._session.batch_seconds / max(self._seconds, 1e-4)), share)
        return [self._waiting.popleft() for _ in range(min(max(size, 1), len(self._waiting)))]

    def _take(self, event: Event) -> None:
        if isinstance(event, Broken):
            raise SweepError(event.why)
        batch = self._running.get(event.batch)
        if batch is None:
            return
        if isinstance(event, Finished):
            work = batch.pop(event.outcome.key, None)
            if work is not None:
                self._settle(work, event.outcome)
            return
        del self._running[event.batch]
        lost = event if isinstance(event, Lost) else Lost(event.batch, "a worker omitted it")
        for work in batch.values():
            self._again(work, lost, alone=event.batch in self._single)
        self._single.discard(event.batch)

    def _settle(self, work: Work, outcome: Outcome) -> None:
        if outcome.status == "done":
            # A moving average, because points of one sweep may differ widely.
            self._seconds = outcome.seconds if self._seconds is None else 0.8 * self._seconds + 0.2 * outcome.seconds
        if outcome.partition is not None:
            self._store.write(work.key, outcome.partition)
        if outcome.error is not None:
            kind, message, trace = outcome.error
            self._store.write_failure(
                work.key,
                {
                    "seed": work.seed,
                    "settings": dict(work.settings),
                    "kind": kind,
                    "error": message,
                    "trace": trace,
                },
            )
        self._finished(work, outcome)

    def _again(self, work: Work, lost: Lost, alone: bool) -> None:
        if self._store.has(work.key, self._full):
            self._settle(work, Outcome(work.key, "found"))
            return
        if not lost.counts:
            self._waiting.appendleft(work)
            return
        # A run that kills several workers while it is alone is the cause.
        times = LOSSES if lost.final and alone else 1
        losses = self._losses[work.key] = self._losses.get(work.key, 0) + times
        if losses < LOSSES:
            self._alone.append(work)
            return
        count = "several" if lost.final else LOSSES
        message = f"{count} workers were lost during this run; the last: {lost.why}"
        self._settle(work, Outcome(work.key, "failed", error=("LostWorker", message, "")))
