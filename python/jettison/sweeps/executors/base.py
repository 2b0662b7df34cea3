"""Interface between sweeps and executors."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..work import Job, Outcome, Work


@dataclass(frozen=True)
class Finished:
    """A run of a batch is completed."""

    batch: int
    outcome: Outcome


@dataclass(frozen=True)
class Ended:
    """All runs of a batch are completed and reported."""

    batch: int


@dataclass(frozen=True)
class Lost:
    """The worker with a batch is gone, and with it the unreported runs.

    Attributes:
        batch: The batch.
        why: The known cause.
        counts: Whether the batch may be the cause; false if the worker could run no batch at all.
        final: Whether the batch was given up after attempts on several workers.
    """

    batch: int
    why: str
    counts: bool = True
    final: bool = False


@dataclass(frozen=True)
class Broken:
    """No run is possible."""

    why: str


Event = Finished | Ended | Lost | Broken


class Session(ABC):
    """Workers that are ready for the batches of a job."""

    #: Seconds of work per batch that justify its transfer.
    batch_seconds: float

    @property
    @abstractmethod
    def slots(self) -> int:
        """Number of parallel batches; may change as workers come and go."""

    @abstractmethod
    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Submits a batch."""

    @abstractmethod
    def events(self, timeout: float) -> list[Event]:
        """Events since the last call, after waiting at most `timeout` seconds for one."""

    @abstractmethod
    def close(self) -> None:
        """Ends the workers or cancels their remaining work. Called exactly once, also after errors."""


class Executor(ABC):
    """Provider of workers: local processes or a cluster."""

    def probe(self) -> None:
        """Raises `SweepError` if workers are known to be unavailable."""
        return

    @abstractmethod
    def start(self, job: Job) -> Session:
        """Prepares workers; raises `SweepError` if they are unavailable or cannot do this job."""


def drained(events: queue.SimpleQueue[Event], timeout: float) -> list[Event]:
    """All events in the queue, after waiting at most `timeout` seconds for the first."""
    found: list[Event] = []
    try:
        found.append(events.get(timeout=timeout))
        while True:
            found.append(events.get_nowait())
    except queue.Empty:
        return found
