"""Running scenarios."""

from __future__ import annotations

import operator
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from jettison import _jettison
from jettison.errors import ScenarioError
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
) -> Result:
    """Runs all variants of a scenario with all seeds.

    The interpreter's lock is released during the runs. Ctrl-C ends them and raises :class:`KeyboardInterrupt`; with ``out``,
    completed runs are kept there, as with the command.

    Args:
        scenario: A scenario, or the name of one to load.
        seeds: A number of runs per variant, with the seeds 1, 2, …; or seeds, such as ``range(20)``; by default the scenario's.
        jobs: Number of parallel runs; by default one per core. It affects only the duration.
        out: A folder to write the results to, as with ``jettison run --out``; tables are then read from it on demand. By default
            the results are only in memory.
        force: Whether to replace a folder that holds something else.
        progress: ``True`` for a line on standard error; or a function, called about ten times per second.

    Raises:
        ScenarioError: The scenario is invalid.
        RunError: It could not be run, or the results could not be written.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    checked = scenario.checked
    chosen = None if seeds is None else seed_list(seeds)
    if jobs is not None and jobs < 1:
        raise ValueError(f"`jobs` must be at least 1, got {jobs}")
    line = ProgressLine(scenario.name) if progress is True else None
    callback = line if progress is True else (progress or None)
    try:
        tables = _jettison.run(checked, chosen, jobs, out, force, callback)
    finally:
        if line is not None:
            line.close()
    if tables is None:
        assert out is not None
        return open_folder(Path(out))
    return Result.of_tables(tables)


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


class ProgressLine:
    """A progress line with the remaining time on standard error."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._begun = time.monotonic()
        self._shown = False

    def __call__(self, share: float, finished: int, runs: int) -> None:
        """Updates the line."""
        taken = time.monotonic() - self._begun
        left = f", {taken / share - taken:.0f} s left" if share > 0.01 else ""
        sys.stderr.write(f"\r\x1b[K{self._title}: {100 * share:.0f} %, {finished} of {runs} runs{left}")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        """Ends the line."""
        if self._shown:
            sys.stderr.write("\n")
