"""What a sweep asks of whatever runs its batches."""

from __future__ import annotations

import queue
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from ..work import Job, Outcome, Work


@dataclass(frozen=True)
class Finished:
    """A run of a batch is over."""

    batch: int
    outcome: Outcome


@dataclass(frozen=True)
class Ended:
    """All runs of a batch are over, and have been reported."""

    batch: int


@dataclass(frozen=True)
class Lost:
    """The worker that had a batch is gone, and with it what was not reported of it.

    Attributes:
        batch: The batch.
        why: What is known of it.
        counts: Whether the batch itself may be the cause; it is not if the worker could do no batch at all.
        final: Whether the batch was tried on several workers before it was given up.
    """

    batch: int
    why: str
    counts: bool = True
    final: bool = False


@dataclass(frozen=True)
class Broken:
    """Nothing can be run at all."""

    why: str


Event = Finished | Ended | Lost | Broken


class Session(ABC):
    """Workers that are ready for the batches of one job."""

    #: How many seconds of work a batch should be, to be worth sending.
    batch_seconds: float

    @property
    @abstractmethod
    def slots(self) -> int:
        """How many batches go at once; may change while workers come and go."""

    @abstractmethod
    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Hands over a batch."""

    @abstractmethod
    def events(self, timeout: float) -> list[Event]:
        """What has happened since, after waiting at most `timeout` seconds for something to happen."""

    @abstractmethod
    def close(self) -> None:
        """Ends the workers, or gives up what they still have to do. Called once, whatever happened."""


class Executor(ABC):
    """Where runs are done: processes of this machine, or a cluster."""

    def probe(self) -> None:
        """Whether workers can be had at all; raises `SweepError` if it is known already that they cannot."""
        return

    @abstractmethod
    def start(self, job: Job) -> Session:
        """Makes workers ready; raises `SweepError` if they cannot be had, or cannot do this job."""


def drained(events: queue.SimpleQueue[Event], timeout: float) -> list[Event]:
    """All that is in the queue, after waiting at most `timeout` seconds for the first."""
    found: list[Event] = []
    try:
        found.append(events.get(timeout=timeout))
        while True:
            found.append(events.get_nowait())
    except queue.Empty:
        return found
