"""Workers of a Dask cluster: `LocalCluster`, SSH, SLURM, Kubernetes, whatever a `Client` reaches.

Workers that see the sweep's folder (shared storage) write their partitions there. What a worker that does not
see it has run comes back to whoever asked, who writes it.
"""

from __future__ import annotations

import contextlib
import functools
import logging
import queue
import secrets
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any

from ...errors import SweepError
from ..work import Job, Outcome, Work, check, run_batch_whole
from .base import Ended, Event, Executor, Finished, Lost, Session

# An unreachable scheduler is given up after that many seconds: together with what comes after it is below
# ten.
_CONNECT_SECONDS = 5
# How often the number of workers is asked for.
_COUNT_SECONDS = 2.0
# A job of more bytes than this is sent to the workers once, and not with every batch.
_LARGE_JOB = 256 * 1024


class DaskExecutor(Executor):
    """A Dask cluster.

    Args:
        client: A `distributed.Client`, a cluster such as `LocalCluster`, or a scheduler's address
            (`"tcp://head:8786"`).
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def start(self, job: Job) -> Session:
        """Connects, and asks the workers whether they can do the job."""
        client, own = _connect(self.client)
        try:
            return DaskSession(client, own, job)
        except BaseException:
            if own:
                _leave(client)
            raise


def _connect(target: Any) -> tuple[Any, bool]:
    """The client, and whether it is ours to close."""
    try:
        import distributed
    except ImportError:
        raise SweepError("Dask is not installed here: `pip install 'jettison[dask]'`") from None
    if isinstance(target, distributed.Client):
        if target.status != "running":
            raise SweepError(f"this Dask client is {target.status}, not connected to a scheduler")
        return target, False
    address = target if isinstance(target, str) else getattr(target, "scheduler_address", None)
    if not isinstance(address, str) or not address:
        raise SweepError(f"executor: {target!r} is no Dask client, cluster or address such as tcp://head:8786")
    return _reach(distributed, address), True


def _reach(distributed: Any, address: str) -> Any:
    """A client of that address.

    In a thread, because the client's own timeout does not cover one that accepts and says nothing.
    """
    answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def reach() -> None:
        try:
            answer.put(distributed.Client(address, timeout=_CONNECT_SECONDS, set_as_default=False))
        except Exception as error:
            answer.put(error)

    with _quiet():
        threading.Thread(target=reach, daemon=True).start()
        try:
            found = answer.get(timeout=_CONNECT_SECONDS + 2)
        except queue.Empty:
            found = TimeoutError("something listens there, but it does not answer as a scheduler does")
    if isinstance(found, Exception):
        raise SweepError(
            f"no Dask scheduler answers at {address}: {found}\n"
            "  = help: start one with `dask scheduler`, or check the address and the network between"
        ) from None
    return found


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Without the log lines of what is going to be said as an error."""
    names = [
        "distributed",
        "distributed.client",
        "distributed.comm",
        "distributed.comm.tcp",
        "distributed.core",
    ]
    loggers = [(logging.getLogger(name), logging.getLogger(name).level) for name in names]
    for logger, _ in loggers:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in loggers:
            logger.setLevel(level)


def _leave(client: Any) -> None:
    with _quiet(), contextlib.suppress(Exception):
        client.close(timeout=2)


class DaskSession(Session):
    """A task a batch.

    Dask itself gives the tasks of a lost worker to another one, and gives up on one that ends several.
    """

    batch_seconds = 2.0

    def __init__(self, client: Any, own: bool, job: Job) -> None:
        self._client = client
        self._own = own
        self._job = job
        self._sent: Any = None
        self._name = f"jettison-{secrets.token_hex(4)}"
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._counted = 0.0
        self._slots = 1
        self._refuse_unfit()

    def _refuse_unfit(self) -> None:
        """Asks every worker that is there whether it can do the job.

        Those that come later are asked by their first batch.
        """
        try:
            answers: dict[str, Any] = self._client.run(check, self._job, on_error="return")
        except Exception as error:
            raise SweepError(f"the workers cannot be asked: {type(error).__name__}: {error}") from error
        for address, answer in answers.items():
            if isinstance(answer, ModuleNotFoundError):
                raise SweepError(f"worker {address}: {answer}: install Jettison there, of the same version")
            if isinstance(answer, BaseException):
                raise SweepError(f"worker {address}: {type(answer).__name__}: {answer}")
            if answer:
                raise SweepError(f"worker {address}: {answer}")

    @property
    def slots(self) -> int:
        """Threads of all workers."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            self._counted = time.monotonic()
            with contextlib.suppress(Exception):  # the number that it was before serves as well
                self._slots = max(1, sum(self._client.nthreads().values()))
        return self._slots

    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Hands the batch to the scheduler as a task."""
        future = self._client.submit(
            run_batch_whole,
            self._payload(),
            list(batch),
            key=f"{self._name}-{number}",
            pure=False,
            priority=-number,
        )
        self._futures[number] = future
        future.add_done_callback(functools.partial(self._over, number))

    def _payload(self) -> Any:
        """The job, or where the workers have it."""
        if len(self._job.scenario) < _LARGE_JOB:
            return self._job
        if self._sent is None or self._sent.status != "finished":
            self._sent = self._client.scatter(self._job, broadcast=True, hash=False)
        return self._sent

    def _over(self, number: int, future: Any) -> None:
        """Called by the client's own thread when a task is over."""
        try:
            outcomes: list[Outcome] = future.result()
        except BaseException as error:
            # KilledWorker, or what the task needed is gone with a worker: for the engine to do again. An
            # error of the task itself (a late worker of another version) comes here too and ends as a failure
            # with that text.
            self._events.put(Lost(number, f"{type(error).__name__}: {error}"))
            return
        for outcome in outcomes:
            self._events.put(Finished(number, outcome))
        self._events.put(Ended(number))

    def events(self, timeout: float) -> list[Event]:
        """What the tasks that are over have come to."""
        found: list[Event] = []
        try:
            found.append(self._events.get(timeout=timeout))
            while True:
                found.append(self._events.get_nowait())
        except queue.Empty:
            pass
        for event in found:
            if isinstance(event, (Ended, Lost)):
                self._futures.pop(event.batch, None)
        return found

    def close(self) -> None:
        """Cancels what is under way; a client of the caller's stays open."""
        futures = list(self._futures.values())
        self._futures.clear()
        with contextlib.suppress(Exception):
            if futures:
                self._client.cancel(futures, force=True)
        self._sent = None
        if self._own:
            _leave(self._client)
