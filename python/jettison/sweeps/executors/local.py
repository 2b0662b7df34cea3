"""Local worker processes."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from ...errors import SweepError
from ..work import Job, Work
from . import pipe
from .base import Broken, Ended, Event, Executor, Finished, Lost, Session, drained

# Number of restarts of a worker that dies before it is ready.
_STARTS = 3


class LocalExecutor(Executor):
    """Local processes, by default one per core.

    A process that dies (killed, out of memory) is replaced, and its runs are repeated.

    Args:
        workers: Number of processes; by default one per core.
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise SweepError(f"LocalExecutor: `workers` must be at least one worker, got {workers}")
        self.workers = workers or cores()

    def start(self, job: Job) -> Session:
        """Starts one process, asks it whether it can do the job, and then starts the others."""
        return LocalSession(job, self.workers)


def cores() -> int:
    """Number of cores available to this process."""
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class LocalSession(Session):
    """One thread per process, which sends it batches and reads its replies."""

    batch_seconds = 1.0

    def __init__(self, job: Job, workers: int) -> None:
        self._job = job
        self._batches: queue.SimpleQueue[tuple[int, Sequence[Work]] | None] = queue.SimpleQueue()
        self._events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        self._closing = False
        self._lock = threading.Lock()
        self._processes: list[subprocess.Popen[bytes] | None] = [None] * workers
        self._threads = [threading.Thread(target=self._serve, args=(n,), daemon=True) for n in range(workers)]
        # The first worker alone tells whether the job is possible, before any other starts.
        refused = self._launch(0)
        if refused:
            self.close()
            raise SweepError(refused)
        for thread in self._threads:
            thread.start()

    @property
    def slots(self) -> int:
        """Processes."""
        return len(self._processes)

    @property
    def processes(self) -> list[int]:
        """Process ids of the current workers."""
        with self._lock:
            return [process.pid for process in self._processes if process is not None and process.poll() is None]

    def submit(self, number: int, batch: Sequence[Work]) -> None:
        """Queues the batch for the next idle process."""
        self._batches.put((number, batch))

    def events(self, timeout: float) -> list[Event]:
        """Replies of the processes."""
        return drained(self._events, timeout)

    def close(self) -> None:
        """Ends the processes, even if busy."""
        with self._lock:
            self._closing = True
            processes = [process for process in self._processes if process is not None]
        for _ in self._threads:
            self._batches.put(None)
        for process in processes:
            if process.poll() is None:
                process.kill()
        for process in processes:
            process.wait()
        for thread in self._threads:
            if thread.is_alive():
                thread.join()
        for process in processes:
            _close_pipes(process)

    def _launch(self, place: int) -> str:
        """Starts the process with an index; returns the reason why it cannot do the job, empty if it can."""
        with self._lock:
            if self._closing:
                return "closed"
            environment = {
                **os.environ,
                "PYTHONPATH": os.pathsep.join(entry or str(Path.cwd()) for entry in sys.path),
            }
            process = subprocess.Popen(
                [sys.executable, "-m", f"{__package__}.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=environment,
                # Ctrl-C is handled by the parent, which then ends the workers.
                start_new_session=True,
            )
            if (old := self._processes[place]) is not None:
                _close_pipes(old)
            self._processes[place] = process
        requests, replies = _pipes(process)
        try:
            pipe.send(requests, self._job)
            return pipe.receive(replies)
        except (EOFError, OSError):
            return f"a worker process ended before it was ready: {_end(process)}"

    def _serve(self, place: int) -> None:
        if self._processes[place] is None and not self._relaunch(place):
            return
        while (item := self._batches.get()) is not None:
            number, batch = item
            process = self._processes[place]
            assert process is not None, "this thread has started it"
            requests, replies = _pipes(process)
            try:
                pipe.send(requests, batch)
                while (outcome := pipe.receive(replies)) is not None:
                    self._events.put(Finished(number, outcome))
                self._events.put(Ended(number))
            except (EOFError, OSError):
                if self._closing:
                    return
                self._events.put(Lost(number, f"the worker process {process.pid} {_end(process)}"))
                if not self._relaunch(place):
                    return

    def _relaunch(self, place: int) -> bool:
        refused = ""
        for attempt in range(_STARTS):
            time.sleep(0.2 * attempt)
            refused = self._launch(place)
            if not refused:
                return True
            if self._closing:
                return False
        self._events.put(Broken(refused))
        return False


def _end(process: subprocess.Popen[bytes]) -> str:
    """The way in which a process with closed pipes ended."""
    try:
        status = process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        return "closed its pipes"
    if status < 0:
        try:
            return f"was ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"was ended by signal {-status}"
    return f"ended with status {status}"


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes]]:
    """The process's standard input and output."""
    assert process.stdin is not None, "it was started with pipes"
    assert process.stdout is not None, "it was started with pipes"
    return process.stdin, process.stdout


def _close_pipes(process: subprocess.Popen[bytes]) -> None:
    for stream in (process.stdin, process.stdout):
        try:
            if stream is not None:
                stream.close()
        except OSError:
            pass  # remaining output has no reader
