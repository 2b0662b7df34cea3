"""What a worker is given, what it does, and what it gives back.

The same for a process here and for a worker of Dask.
"""

from __future__ import annotations

import hashlib
import importlib
import pickle
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import SweepError
from .axes import Value
from .store import Store

Keep = Literal["summary", "all"]


@dataclass(frozen=True)
class Work:
    """One run: a point's settings under one seed.

    Attributes:
        key: The run's key.
        settings: What the point sets, as path and value.
        seed: The seed.
        inputs: Name and SHA-256 of each file that it reads, as the key has them.
    """

    key: str
    settings: tuple[tuple[str, Value], ...]
    seed: int
    inputs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """What became of a run.

    Attributes:
        key: The run's key.
        status: `done`; `found`, if it stood in the folder already; or `failed`.
        seconds: Wall time that it took.
        error: What went wrong: the exception's type, its message, and where it was raised.
        partition: The partition's bytes, where the worker does not see the folder and whoever asked has to
            write it.
    """

    key: str
    status: Literal["done", "found", "failed"]
    seconds: float = 0.0
    error: tuple[str, str, str] | None = None
    partition: bytes | None = None


@dataclass(frozen=True)
class Job:
    """What all runs of a sweep have in common.

    Attributes:
        scenario: The scenario, pickled.
        digest: Names it: a worker unpickles it once.
        version: Version of Jettison that keys are made with; a worker of another one must not run it.
        folder: Where partitions go.
        token: By which a worker knows the folder.
        keep: Whether the whole results of a run are kept beside its summary.
        runner: `module:function` of what runs a scenario.
    """

    scenario: bytes
    digest: str
    version: str
    folder: str
    token: str
    keep: Keep = "summary"
    runner: str = "jettison.sweeps.core:simulate"

    @property
    def store(self) -> Store:
        """The folder, as this process sees it."""
        return Store(Path(self.folder), self.token)


class Runner(Protocol):
    """Runs a scenario with some settings under a seed.

    Gives a partition's bytes, and leaves its whole results in `full`.
    """

    def __call__(self, scenario: Any, work: Work, full: Path | None) -> bytes:
        """Does the run."""
        ...


class Refused(Exception):  # noqa: N818
    """A worker cannot do any run of this job."""


def pack(scenario: Any, disciplines: Mapping[str, Any]) -> tuple[bytes, str]:
    """The scenario as bytes that another process can read, and their digest.

    cloudpickle, where it is installed (Dask brings it), also carries classes that were written in a notebook
    or a script.
    """
    try:
        import cloudpickle  # pyright: ignore[reportMissingTypeStubs]

        dumps: Callable[..., bytes] = cloudpickle.dumps  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        carries_main = True
    except ImportError:
        dumps, carries_main = pickle.dumps, False
    try:
        data = dumps(scenario)
    except Exception as error:
        raise SweepError(
            f"this scenario cannot be sent to another process: {_of_whom(disciplines, _fails(dumps))}"
            f"{type(error).__name__}: {error}\n"
            "  = help: a Python queue discipline goes to workers by pickle: keep open files, locks, sockets "
            "and generators out of what it is made with"
        ) from error
    if not carries_main and (whom := _of_whom(disciplines, lambda each: each.__module__ == "__main__")):
        raise SweepError(
            f"this scenario cannot be sent to another process: {whom}it is defined in a script or notebook\n"
            "  = help: move the class to a module of its own, or `pip install cloudpickle`"
        )
    return data, hashlib.sha256(data).hexdigest()


def _of_whom(disciplines: Mapping[str, Any], wrong: Callable[[Any], bool]) -> str:
    """Names the Python disciplines that something is wrong with, or nothing."""
    names = [f"`{name}`" for name, each in disciplines.items() if wrong(each)]
    return f"the queue discipline {', '.join(names)}: " if names else ""


def _fails(dumps: Callable[[Any], bytes]) -> Callable[[Any], bool]:
    def fails(value: Any) -> bool:
        try:
            dumps(value)
        except Exception:
            return True
        return False

    return fails


_scenarios: dict[str, Any] = {}
_lock = threading.Lock()


def prepare(job: Job) -> tuple[Any, Runner]:
    """The job's scenario and what runs it; raises `Refused` if this worker can do none of its runs."""
    import jettison

    if jettison.__version__ != job.version:
        raise Refused(
            f"this worker has Jettison {jettison.__version__}, and whoever asks has {job.version}: install the same"
        )
    try:
        with _lock:  # a worker of Dask may have several threads
            if job.digest not in _scenarios:
                _scenarios.clear()  # of one sweep after another only the newest is wanted
                _scenarios[job.digest] = pickle.loads(job.scenario)
            scenario = _scenarios[job.digest]
        module, function = job.runner.split(":")
        return scenario, getattr(importlib.import_module(module), function)
    except Exception as error:
        raise Refused(
            f"this worker cannot read the scenario: {type(error).__name__}: {error}\n"
            "  = help: a Python queue discipline's module must be importable by workers too"
        ) from error


def check(job: Job) -> str:
    """Why this worker can do none of a job's runs; empty if it can."""
    try:
        prepare(job)
        if job.keep == "all" and not job.store.is_visible():
            return _unseen(job)
        return ""
    except Refused as refused:
        return str(refused)


def _unseen(job: Job) -> str:
    return f'this worker does not see {job.folder}, which keep="all" needs: name a folder that all workers share'


def run_batch(job: Job, batch: Sequence[Work]) -> Iterator[Outcome]:
    """Does the runs of a batch, one after the other. One that fails does not keep the others from running."""
    scenario, runner = prepare(job)
    store = job.store
    visible = store.is_visible()
    for work in batch:
        begin = time.perf_counter()
        if visible and store.has(work.key, job.keep == "all"):
            yield Outcome(work.key, "found")
            continue
        try:
            partition = _one(job, store if visible else None, scenario, runner, work)
            yield Outcome(work.key, "done", time.perf_counter() - begin, partition=partition)
        except Exception as error:
            text = (type(error).__name__, str(error), "".join(traceback.format_exception(error)))
            yield Outcome(work.key, "failed", time.perf_counter() - begin, error=text)


def _one(job: Job, store: Store | None, scenario: Any, runner: Runner, work: Work) -> bytes | None:
    """Does one run; gives its partition if there is no folder to write it to."""
    if job.keep == "summary":
        partition = runner(scenario, work, None)
    else:
        if store is None:
            raise SweepError(_unseen(job))
        made = store.scratch(work.key)
        partition = runner(scenario, work, made)
        # First the folder, then the partition, which says that the run is finished.
        store.keep_full(work.key, made)
    if store is None:
        return partition
    store.write(work.key, partition)
    return None


def run_batch_whole(job: Job, batch: Sequence[Work]) -> list[Outcome]:
    """The same at once: what a task of Dask does."""
    try:
        return list(run_batch(job, batch))
    finally:
        sys.stdout.flush()
