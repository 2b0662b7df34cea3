"""Running scenarios."""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from jettison import _jettison
from jettison._progress import bar
from jettison.controllers import Controller, prepare
from jettison.errors import ScenarioError
from jettison.p4.controller import P4Controller
from jettison.p4.controller import prepare as prepare_p4
from jettison.result import Result, open_folder
from jettison.scenario import Scenario, load

Progress = Callable[[float, int, int], object]
"""Callback with the completed fraction (0 to 1), the number of completed runs and the number of all runs."""


def run(
    scenario: Scenario | str | Path,
    *,
    seeds: int | Iterable[int] | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: bool | Progress | None = None,
    store: str | Path | None = None,
    precision: str | None = None,
    of: str | None = None,
    max_seeds: int = 100,
    controllers: Mapping[str, Controller] | None = None,
    controller: P4Controller | None = None,
) -> Result:
    """Runs all variants of a scenario with all seeds.

    The interpreter's lock is released during the runs. Ctrl-C ends them and raises :class:`KeyboardInterrupt`; with ``out``,
    completed runs are kept there, and the same call runs only what is missing, as with the command.

    Args:
        scenario: A scenario, or the name of one to load.
        seeds: A number of runs per variant, with the seeds 1, 2, …; or seeds, such as ``range(20)``; by default the scenario's.
        jobs: Number of parallel runs; by default one per core. It affects only the duration.
        out: A folder to write the results to, as with ``jettison run --out``; tables are then read from it on demand. By default
            the results are only in memory.
        force: Whether to replace a folder that holds something else, or the results of exactly these runs.
        progress: ``True`` for a bar on standard error: that of tqdm in a terminal or a notebook if tqdm is installed, otherwise
            plain text; or a function, called about ten times per second.
        store: With ``out``, a folder that keeps finished runs and stays, for other results and sweeps; by default they are
            beside ``out`` until the results are complete.
        precision: With ``out``, adds seeds until the 95 % interval of the metric ``of`` is at most ± this share of the mean for
            every variant, such as ``"2%"``.
        of: The metric of ``precision``, such as ``"all flows:goodput"``.
        max_seeds: The largest number of seeds for ``precision``.
        controllers: Programs that set rates of shapers in each run, by name; see :mod:`jettison.controllers`. Not with ``out``:
            kept runs are named by the scenario alone.
        controller: A program that controls the scenario's P4 switches in each run; see :mod:`jettison.p4`. With ``out``, kept runs
            are those of the same controller: of its class's source and of the object's state.

    Raises:
        ControllerError: A controller cannot be used, or sets what it cannot set.
        ScenarioError: The scenario is invalid.
        RunError: It could not be run, or the results could not be written.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    checked = scenario.checked
    chosen = None if seeds is None else seed_list(seeds)
    if jobs is not None and jobs < 1:
        raise ValueError(f"`jobs` must be at least 1, got {jobs}")
    if out is None and (store is not None or precision is not None):
        raise ValueError("`store` and `precision` require `out`")
    if (precision is None) != (of is None):
        raise ValueError("`precision` and `of` require each other")
    if out is not None and controllers:
        raise ValueError("`controllers` and `out` exclude each other: kept runs are named by the scenario alone")
    prepared = prepare(controllers or {})
    program = None if controller is None else prepare_p4(controller)
    wanted = None if precision is None or of is None else (precision, of, max_seeds)
    keeping = None
    if out is not None:
        sources = _sources(scenario) | _source_of(controller)
        keeping = Keeping(sources, None if store is None else Path(store), precision=wanted)
    line = _Shown(scenario.name) if progress is True else None
    callback = line if progress is True else (progress or None)
    try:
        tables = _jettison.run(checked, chosen, jobs, out, force, callback, keeping, prepared, program)
    finally:
        if line is not None:
            line.close()
    if tables is None:
        assert out is not None
        return open_folder(Path(out))
    return Result.of_tables(tables)


def run_once(scenario: Scenario, seed: int, out: Path | None) -> Result:
    """Runs all variants with one seed for a sweep, which keeps finished runs itself."""
    keeping = None if out is None else Keeping(_sources(scenario), durable=False)
    tables = _jettison.run(scenario.checked, [seed], 1, out, False, None, keeping)
    if tables is None:
        assert out is not None
        return open_folder(out, check=False)
    return Result.of_tables(tables)


@dataclass(frozen=True)
class Keeping:
    """How finished runs are kept until their results are complete."""

    sources: Mapping[str, str]
    store: Path | None = None
    durable: bool = True
    precision: tuple[str, str, int] | None = None
    image: Path = Path(_jettison.__file__)


def _sources(scenario: Scenario) -> dict[str, str]:
    """Digests of the Python queue disciplines of a scenario, by name."""
    registered = scenario._source.disciplines  # pyright: ignore[reportPrivateUsage]
    if not registered:
        return {}
    from jettison.sweeps.sources import source_digest

    return {each.name: source_digest(each.factory) for each in registered}


def _source_of(controller: P4Controller | None) -> dict[str, str]:
    """The digest of a controller of switches, under a name that no discipline can have."""
    if controller is None:
        return {}
    from jettison.sweeps.sources import source_digest

    return {"p4 controller": source_digest(controller)}


def seed_list(seeds: int | Iterable[int]) -> list[int]:
    """Converts a number of seeds or an iterable of seeds to a list.

    Raises:
        ScenarioError: There are no seeds, one is repeated, or one is not an unsigned integer of 64 bits.
    """
    try:
        if isinstance(seeds, (str, bytes, bool)):
            raise TypeError
        chosen = [_whole(seed) for seed in seeds] if isinstance(seeds, Iterable) else list(range(1, _whole(seeds) + 1))
    except TypeError:
        raise ScenarioError(
            f"`seeds` must be a number of seeds or a list of seeds, such as 5 or range(20), got {seeds!r}"
        ) from None
    if not chosen:
        raise ScenarioError("`seeds` must have at least one seed, got none")
    if len(set(chosen)) != len(chosen):
        raise ScenarioError("`seeds` must be distinct, got a repeated seed, which repeats the same run")
    if wrong := [seed for seed in chosen if not 0 <= seed < 2**64]:
        raise ScenarioError(f"`seeds` must be from 0 to {2**64 - 1}, got {wrong[0]}")
    return chosen


def _whole(number: object) -> int:
    """Converts integers of any library; booleans are refused."""
    if isinstance(number, bool):
        raise TypeError
    return operator.index(number)  # pyright: ignore[reportArgumentType]


class _Shown:
    """A bar with the completed runs and the remaining time."""

    def __init__(self, title: str) -> None:
        self._bar = bar(title)
        self._begun = time.monotonic()

    def __call__(self, share: float, finished: int, runs: int) -> None:
        """Updates the bar."""
        taken = time.monotonic() - self._begun
        left = taken / share - taken if share > 0.01 else None
        self._bar.update(share, f"{finished} of {runs} runs", left)

    def close(self) -> None:
        """Ends the bar."""
        self._bar.close()
