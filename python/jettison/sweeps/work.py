"""Work of a worker: its inputs, its execution and its outcomes.

The same for local processes and workers of Dask.
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
    """A run: a point's settings with a seed.

    Attributes:
        key: The run's key.
        settings: The point's settings, as path and value.
        seed: The seed.
        inputs: Name and SHA-256 of each input file, as in the key.
    """

    key: str
    settings: tuple[tuple[str, Value], ...]
    seed: int
    inputs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Outcome:
    """The outcome of a run.

    Attributes:
        key: The run's key.
        status: `done`; `found`, if it was already in the folder; or `failed`.
        seconds: Wall time of the run.
        error: The exception's type and message, with the traceback.
        partition: The partition's bytes, if the worker does not share the folder and the caller has to write it.
    """

    key: str
    status: Literal["done", "found", "failed"]
    seconds: float = 0.0
    error: tuple[str, str, str] | None = None
    partition: bytes | None = None


@dataclass(frozen=True)
class Job:
    """Common data of a sweep's runs.

    Attributes:
        scenario: The scenario, pickled.
        digest: Digest of the scenario, which a worker unpickles once.
        version: Version of Jettison; workers of other versions are refused.
        folder: The folder for partitions.
        token: Token by which a worker recognises the folder.
        keep: Whether to keep the full results of a run beside its summary.
        runner: `module:function` that runs a scenario.
        identity: Identity of the build in keys; workers of other builds are refused. `None` for any.
    """

    scenario: bytes
    digest: str
    version: str
    folder: str
    token: str
    keep: Keep = "summary"
    runner: str = "jettison.sweeps.core:simulate"
    identity: str | None = None

    @property
    def store(self) -> Store:
        """The folder as this process sees it."""
        return Store(Path(self.folder), self.token)


class Runner(Protocol):
    """Executes a scenario with settings and a seed.

    Returns a partition's bytes, and leaves the full results in `full`.
    """

    def __call__(self, scenario: Any, work: Work, full: Path | None) -> bytes:
        """Executes the run."""
        ...


class Refused(Exception):  # noqa: N818
    """A worker cannot do any run of this job."""


def pack(scenario: Any, disciplines: Mapping[str, Any]) -> tuple[bytes, str]:
    """The scenario as pickled bytes for other processes, and their digest.

    cloudpickle, if installed (Dask includes it), also supports classes defined in a notebook or script.
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
            "  = help: a Python queue discipline is pickled for workers: avoid open files, locks, sockets "
            "and generators in its constructor's arguments"
        ) from error
    if not carries_main and (whom := _of_whom(disciplines, lambda each: each.__module__ == "__main__")):
        raise SweepError(
            f"this scenario cannot be sent to another process: {whom}it is defined in a script or notebook\n"
            "  = help: move the class to a module of its own, or `pip install cloudpickle`"
        )
    return data, hashlib.sha256(data).hexdigest()


def _of_whom(disciplines: Mapping[str, Any], wrong: Callable[[Any], bool]) -> str:
    """Names the affected Python disciplines, or nothing."""
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
    """The job's scenario and its runner; raises `Refused` if this worker can do none of its runs."""
    import jettison

    if jettison.__version__ != job.version:
        raise Refused(
            f"versions of Jettison must be equal, got {jettison.__version__} on this worker and {job.version} on the caller"
        )
    if job.identity is not None:
        from .core import identity

        if (ours := identity()) != job.identity:
            raise Refused(
                f"builds of Jettison must be equal, got {ours} on this worker and {job.identity} on the caller"
            )
    try:
        with _lock:  # a Dask worker may have several threads
            if job.digest not in _scenarios:
                _scenarios.clear()  # keep only the scenario of the latest sweep
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
    """Reason why this worker can do none of a job's runs; empty if it can."""
    try:
        prepare(job)
        if job.keep == "all" and not job.store.is_visible():
            return _unseen(job)
        return ""
    except Refused as refused:
        return str(refused)


def _unseen(job: Job) -> str:
    return f'keep="all" requires a folder shared by all workers; this worker does not see {job.folder}'


def run_batch(job: Job, batch: Sequence[Work]) -> Iterator[Outcome]:
    """Executes the runs of a batch sequentially. A failed run does not stop the others."""
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
    """Executes a run; returns its partition if there is no folder to write it to."""
    if job.keep == "summary":
        partition = runner(scenario, work, None)
    else:
        if store is None:
            raise SweepError(_unseen(job))
        made = store.scratch(work.key)
        partition = runner(scenario, work, made)
        # Write the full results first: the partition marks the run as completed.
        store.keep_full(work.key, made)
    if store is None:
        return partition
    store.write(work.key, partition)
    return None


def run_batch_whole(job: Job, batch: Sequence[Work]) -> list[Outcome]:
    """The same with all outcomes at once: a task of Dask."""
    try:
        return list(run_batch(job, batch))
    finally:
        sys.stdout.flush()
