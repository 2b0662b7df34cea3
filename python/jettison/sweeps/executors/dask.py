"""Workers of a Dask cluster: `LocalCluster`, SSH, SLURM, Kubernetes, whatever a `Client` reaches.

Workers that see the sweep's folder (shared storage) write their partitions there. What a worker that does not
see it has run comes back to whoever asked, who writes it.
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

# An unreachable scheduler is given up after that many seconds: with the interpreter's start below ten.
_CONNECT_SECONDS = 4
# How often the number of workers is asked for.
_COUNT_SECONDS = 2.0
# So many batches that a worker could not even begin may come back; more, and it is the batches.
_RETURNS = 100
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

    def probe(self) -> None:
        """Asks the scheduler whether it is one."""
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
    """The scheduler's address, where that is all that is known of it."""
    if isinstance(target, _distributed().Client):
        return None
    address = target if isinstance(target, str) else getattr(target, "scheduler_address", None)
    if not isinstance(address, str) or not address:
        raise SweepError(f"executor: {target!r} is no Dask client, cluster or address such as tcp://head:8786")
    if not re.fullmatch(r"([a-z]+://)?(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):[0-9]{1,5}|inproc://\S+", address):
        raise SweepError(f"`{address}` is no address of a Dask scheduler: write one such as tcp://head:8786")
    return address


def _connect(target: Any) -> tuple[Any, bool]:
    """The client, and whether it is ours to close."""
    address = _address(target)
    if address is None:
        if target.status != "running":
            raise SweepError(f"this Dask client is {target.status}, not connected to a scheduler")
        return target, False
    # A client that does not come to be is slow to be given up, and prints its own trouble: first it is asked plainly.
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
    """Asks what listens there who it is; raises `SweepError` if it is no scheduler, or says nothing for some seconds."""
    distributed = _distributed()
    if address.startswith("inproc:"):
        return
    if address.startswith(("tcp://", "tls://")) or "://" not in address:
        host, _, port = address.rpartition("://")[2].rpartition(":")
        try:
            # Dask itself would try again and again where nobody listens.
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

    # In a thread: in a notebook this one has an event loop already.
    with _quiet():
        threading.Thread(target=ask, daemon=True).start()
        try:
            found = answer.get(timeout=_CONNECT_SECONDS + 1)
        except queue.Empty:
            found = TimeoutError()
    if isinstance(found, TimeoutError):
        raise _unreachable(address, f"nothing has come in {_CONNECT_SECONDS} s of what a scheduler says")
    if isinstance(found, BaseException):
        raise _unreachable(address, found)
    if not isinstance(found, dict) or cast("dict[str, Any]", found).get("type") != "Scheduler":
        raise _unreachable(address, "something else does")


def _why_not(answer: Any) -> str:
    """Why a worker cannot do the job that it was asked about; empty if it can."""
    if isinstance(answer, ModuleNotFoundError):
        return f"{answer}: install Jettison there, of the same version"
    return f"{type(answer).__name__}: {answer}" if isinstance(answer, BaseException) else answer


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
        # Why workers cannot do this job, by address; those that can have an empty text.
        self._asked: dict[str, str] = {}
        self._limits: dict[int, list[str]] = {}
        self._returned = 0
        self._wait_for_workers()
        refused = self._ask_new()
        if refused:
            raise SweepError(refused)

    def _wait_for_workers(self) -> None:
        """Waits for the first worker: those of a batch system come when it is their turn."""
        if self._client.nthreads():
            return
        sys.stderr.write(
            f"jettison: the cluster at {self._client.scheduler.address} has no workers yet: waiting for the first "
            "(Ctrl-C gives up)\n"
        )
        while not self._client.nthreads():
            time.sleep(0.2)

    def _ask_new(self) -> str:
        """Asks workers that came since whether they can do the job; gives why the first of those cannot that cannot."""
        threads: dict[str, int] = self._client.nthreads()
        self._asked = {address: why for address, why in self._asked.items() if address in threads}
        new = [address for address in threads if address not in self._asked]
        refused = ""
        if new:
            try:
                answers: dict[str, Any] = self._client.run(check, self._job, workers=new, on_error="return")
            except Exception as error:
                # One that has gone meanwhile; if it has not, it is asked again.
                logging.getLogger("jettison").debug("asking workers: %s", error)
                answers = {}
            for address, answer in answers.items():
                why = _why_not(answer)
                self._asked[address] = why
                if why:
                    refused = refused or f"worker {address}: {why}"
        self._slots = max(1, sum(number for address, number in threads.items() if not self._asked.get(address)))
        self._counted = time.monotonic()
        return refused

    @property
    def slots(self) -> int:
        """Threads of the workers that can do the job."""
        if time.monotonic() - self._counted > _COUNT_SECONDS:
            with contextlib.suppress(Exception):  # the number that it was before serves as well
                if refused := self._ask_new():
                    sys.stderr.write(f"jettison: {refused}: it is left out\n")
                self._free()
        return self._slots

    def _free(self) -> None:
        """Takes back what waits for workers that are gone."""
        for number, allowed in list(self._limits.items()):
            if not any(address in self._asked for address in allowed) and number in self._futures:
                self._client.cancel([self._futures[number]])

    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Hands the batch to the scheduler as a task."""
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
        """The workers that may have the batch, if there are some that may not."""
        able = [address for address, why in self._asked.items() if not why]
        if len(able) == len(self._asked):
            return None
        if not able:
            raise SweepError(next(f"worker {address}: {why}" for address, why in self._asked.items() if why))
        self._limits[number] = able
        return able

    def _payload(self) -> Any:
        """The job, or where the workers have it."""
        if len(self._job.scenario) < _LARGE_JOB:
            return self._job
        if self._sent is None or self._sent.status != "finished":
            try:
                self._sent = self._client.scatter(self._job, broadcast=True, hash=False)
            except TimeoutError:
                return self._job  # all workers have gone: it goes with the batch to those that come
        return self._sent

    def _over(self, number: int, future: Any) -> None:
        """Called by the client's own thread when a task is over."""
        try:
            outcomes: list[Outcome] = future.result()
        except _distributed().scheduler.KilledWorker as error:
            self._events.put(Lost(number, f"KilledWorker: {error}", final=True))
            return
        except (asyncio.CancelledError, concurrent.futures.CancelledError) as error:
            # What the task needed is gone with a worker, or it waited for workers that are gone.
            self._events.put(Lost(number, f"{type(error).__name__}: {error}", counts=False))
            return
        except BaseException as error:
            # A worker that came late and can do no batch: whoever comes is asked again before the next one goes out.
            self._counted = 0.0
            self._returned += 1
            counts = self._returned > _RETURNS
            self._events.put(Lost(number, f"{type(error).__name__}: {error}", counts))
            return
        for outcome in outcomes:
            self._events.put(Finished(number, outcome))
        self._events.put(Ended(number))

    def events(self, timeout: float) -> list[Event]:
        """What the tasks that are over have come to."""
        found = drained(self._events, timeout)
        for event in found:
            if isinstance(event, (Ended, Lost)):
                self._futures.pop(event.batch, None)
                self._limits.pop(event.batch, None)
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
