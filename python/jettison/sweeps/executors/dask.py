"""Workers of a Dask cluster: `LocalCluster`, SSH, SLURM, Kubernetes or any other that a `Client` reaches.

Workers that share the sweep's folder write their partitions there. Partitions of other workers are returned to the
caller, who writes them.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import functools
import logging
import queue
import re
import secrets
import socket
import sys
import threading
import time
from collections.abc import Generator, Sequence
from typing import Any, cast

from ...errors import SweepError
from ..work import Job, Outcome, Work, check, run_batch_whole
from .base import Ended, Event, Executor, Finished, Lost, Session, drained

# Timeout for an unreachable scheduler in seconds; with the interpreter's start below ten.
_CONNECT_SECONDS = 4
# Interval of queries for the number of workers.
_COUNT_SECONDS = 2.0
# Maximum number of returned batches that workers could not start; beyond it, the batches are the
# cause.
_RETURNS = 100
# A job larger than this is sent to the workers once instead of with each batch.
_LARGE_JOB = 256 * 1024


class DaskExecutor(Executor):
    """A Dask cluster.

    Args:
        client: A `distributed.Client`, a cluster such as `LocalCluster`, or a scheduler's address
            (`"tcp://head:8786"`).
    """

    def __init__(self, client: Any) -> None:
        self.client = client

    def probe(self) -> None:
        """Checks that the address is a scheduler."""
        address = _address(self.client)
        if address is not None:
            _ask(address)

    def start(self, job: Job) -> Session:
        """Connects, and asks the workers whether they can do the job."""
        client, own = _connect(self.client)
        try:
            return DaskSession(client, own, job)
        except BaseException:
            if own:
                _leave(client)
            raise


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise SweepError("Dask is not installed here: `pip install 'jettison[dask]'`") from None
    return distributed


def _address(target: Any) -> str | None:
    """The scheduler's address, if the target is nothing more."""
    if isinstance(target, _distributed().Client):
        return None
    address = target if isinstance(target, str) else getattr(target, "scheduler_address", None)
    if not isinstance(address, str) or not address:
        raise SweepError(
            f"`executor` must be a Dask client, a cluster or an address such as tcp://head:8786, got {target!r}"
        )
    if not re.fullmatch(r"([a-z]+://)?(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}|inproc://\S+", address):
        raise SweepError(f"the address of a Dask scheduler must be like tcp://head:8786, got `{address}`")
    return address


def _connect(target: Any) -> tuple[Any, bool]:
    """The client, and whether to close it."""
    address = _address(target)
    if address is None:
        if target.status != "running":
            raise SweepError(f"this Dask client is {target.status}, not connected to a scheduler")
        return target, False
    # A failing client takes long and prints its own errors, so query the scheduler directly first.
    _ask(address)
    try:
        return _distributed().Client(address, timeout=_CONNECT_SECONDS, set_as_default=False), True
    except Exception as error:
        raise _unreachable(address, error) from None


def _unreachable(address: str, why: object) -> SweepError:
    return SweepError(
        f"no Dask scheduler answers at {address}: {why}\n"
        "  = help: start one with `dask scheduler`, or check the address and the network between"
    )


def _ask(address: str) -> None:
    """Asks the listener for its identity; raises `SweepError` if it is not a scheduler or does not answer in time."""
    distributed = _distributed()
    if address.startswith("inproc:"):
        return
    if address.startswith(("tcp://", "tls://")) or "://" not in address:
        host, _, port = address.rpartition("://")[2].rpartition(":")
        try:
            # Without this, Dask retries for long if nothing listens.
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_SECONDS).close()
        except (OSError, OverflowError) as error:
            raise _unreachable(address, error) from None
    answer: queue.SimpleQueue[Any] = queue.SimpleQueue()

    async def identity() -> Any:
        security = distributed.Security().get_connection_args("client")
        async with distributed.core.rpc(address, timeout=_CONNECT_SECONDS, connection_args=security) as scheduler:
            return await asyncio.wait_for(scheduler.identity(), _CONNECT_SECONDS)

    def ask() -> None:
        try:
            answer.put(asyncio.run(identity()))
        except BaseException as error:
            answer.put(error)

    # In a thread, because a notebook's thread already has an event loop.
    with _quiet():
        threading.Thread(target=ask, daemon=True).start()
        try:
            found = answer.get(timeout=_CONNECT_SECONDS + 1)
        except queue.Empty:
            found = TimeoutError()
    if isinstance(found, TimeoutError):
        raise _unreachable(address, f"no valid answer within {_CONNECT_SECONDS} s")
    if isinstance(found, BaseException):
        raise _unreachable(address, found)
    if not isinstance(found, dict) or cast("dict[str, Any]", found).get("type") != "Scheduler":
        raise _unreachable(address, "another service does")


def _refusal_of(answer: Any) -> str:
    """Reason why a worker cannot do the job; empty if it can."""
    if isinstance(answer, ModuleNotFoundError):
        return f"{answer}; install the same version of Jettison there"
    return f"{type(answer).__name__}: {answer}" if isinstance(answer, BaseException) else answer


@contextlib.contextmanager
def _quiet() -> Generator[None]:
    """Suppresses log lines of errors that are raised anyway."""
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
    """A session with one task per batch.

    Dask itself reassigns the tasks of a lost worker, and gives up tasks that kill several.
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
        # Reasons why workers cannot do this job, by address; empty for those that can.
        self._asked: dict[str, str] = {}
        self._limits: dict[int, list[str]] = {}
        self._returned = 0
        self._wait_for_workers()
        refused = self._ask_new()
        if refused:
            raise SweepError(refused)

    def _wait_for_workers(self) -> None:
        """Waits for the first worker: on a batch system, workers start when their turn comes."""
        if self._client.nthreads():
            return
        sys.stderr.write(
            f"jettison: the cluster at {self._client.scheduler.address} has no workers yet; waiting for the first "
            "(Ctrl-C gives up)\n"
        )
        while not self._client.nthreads():
            time.sleep(0.2)

    def _ask_new(self) -> str:
        """Asks new workers whether they can do the job; returns the reason of the first that cannot."""
        threads: dict[str, int] = self._client.nthreads()
        self._asked = {address: why for address, why in self._asked.items() if address in threads}
        new = [address for address in threads if address not in self._asked]
        refused = ""
        if new:
            try:
                answers: dict[str, Any] = self._client.run(check, self._job, workers=new, on_error="return")
            except Exception as error:
                # A worker that has gone in the meantime; if it has not, it is asked again.
                logging.getLogger("jettison").debug("asking workers: %s", error)
                answers = {}
            for address, answer in answers.items():
                why = _refusal_of(answer)
                self._asked[address] = why
                if why:
                    refused = refused or f"worker {address}: {why}"
        self._slots = max(1, sum(number for address, number in threads.items() if not self._asked.get(address)))
        self._counted = time.monotonic()
        return refused

    @property
    def slots(self) -> int:
        """Number of threads of the workers that can do the job."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            with contextlib.suppress(Exception):  # keep the previous number
                if refused := self._ask_new():
                    sys.stderr.write(f"jettison: {refused}; it is not used\n")
                self._free()
        return self._slots

    def _free(self) -> None:
        """Cancels tasks that wait for lost workers."""
        for number, allowed in list(self._limits.items()):
            if not any(address in self._asked for address in allowed) and number in self._futures:
                self._client.cancel([self._futures[number]])

    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Submits the batch to the scheduler as a task."""
        future = self._client.submit(
            run_batch_whole,
            self._payload(),
            list(batch),
            key=f"{self._name}-{number}",
            pure=False,
            priority=-number,
            workers=self._allowed(number),
        )
        self._futures[number] = future
        future.add_done_callback(functools.partial(self._over, number))

    def _allowed(self, number: int) -> list[str] | None:
        """The workers allowed for the batch, if some are not."""
        able = [address for address, why in self._asked.items() if not why]
        if len(able) == len(self._asked):
            return None
        if not able:
            raise SweepError(next(f"worker {address}: {why}" for address, why in self._asked.items() if why))
        self._limits[number] = able
        return able

    def _payload(self) -> Any:
        """The job, or a reference to its copy on the workers."""
        if len(self._job.scenario) < _LARGE_JOB:
            return self._job
        if self._sent is None or self._sent.status != "finished":
            try:
                self._sent = self._client.scatter(self._job, broadcast=True, hash=False)
            except TimeoutError:
                return self._job  # all workers are gone: send it with the batch to new ones
        return self._sent

    def _over(self, number: int, future: Any) -> None:
        """Callback of the client's thread for a completed task."""
        try:
            outcomes: list[Outcome] = future.result()
        except _distributed().scheduler.KilledWorker as error:
            self._events.put(Lost(number, f"KilledWorker: {error}", final=True))
            return
        except (asyncio.CancelledError, concurrent.futures.CancelledError) as error:
            # Data for the task was lost with a worker, or it waited for workers that are gone.
            self._events.put(Lost(number, f"{type(error).__name__}: {error}", counts=False))
            return
        except BaseException as error:
            # A late worker that can do no batch: new workers are asked before the next batch is
            # submitted.
            self._counted = 0.0
            self._returned += 1
            counts = self._returned > _RETURNS
            self._events.put(Lost(number, f"{type(error).__name__}: {error}", counts))
            return
        for outcome in outcomes:
            self._events.put(Finished(number, outcome))
        self._events.put(Ended(number))

    def events(self, timeout: float) -> list[Event]:
        """Outcomes of the completed tasks."""
        found = drained(self._events, timeout)
        for event in found:
            if isinstance(event, (Ended, Lost)):
                self._futures.pop(event.batch, None)
                self._limits.pop(event.batch, None)
        return found

    def close(self) -> None:
        """Cancels remaining tasks; a client of the caller stays open."""
        futures = list(self._futures.values())
        self._futures.clear()
        with contextlib.suppress(Exception):
            if futures:
                self._client.cancel(futures, force=True)
        self._sent = None
        if self._own:
            _leave(self._client)
