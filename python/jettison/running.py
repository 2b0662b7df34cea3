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
"""Told the share of all simulated time that is done (0 to 1), the runs that have ended, and all of them."""


def run(
    scenario: Scenario | str | Path,
    *,
    seeds: int | Iterable[int] | None = None,
    jobs: int | None = None,
    out: str | Path | None = None,
    force: bool = False,
    progress: bool | Progress | None = None,
) -> Result:
    """Runs every variant of a scenario under every seed.

    The interpreter's lock is released while the runs go. Ctrl-C ends them and raises :class:`KeyboardInterrupt`; with ``out``,
    the runs that have finished are kept there, as the command does.

    Args:
        scenario: What; a name is loaded.
        seeds: So many runs a variant, with the seeds 1, 2, …; or these seeds, such as ``range(20)``; by default the scenario's.
        jobs: How many runs go at once; by default one a core. It changes nothing but the time.
        out: A folder to write the results to, as ``jettison run --out`` does; they are then read from there when they are
            asked for. By default they are in memory alone.
        force: Whether a folder is replaced that holds something else.
        progress: ``True`` for a line on standard error; or a function, called about ten times a second.

    Raises:
        ScenarioError: Something in the scenario is wrong.
        RunError: It could not be run, or the results could not be written.
    """
    if not isinstance(scenario, Scenario):
        scenario = load(scenario)
    checked = scenario.checked
    chosen = None if seeds is None else seed_list(seeds)
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs}, and at least one run must go at a time")
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
    """The seeds that a number or a list of them means.

    Raises:
        ScenarioError: There are none, one is there twice, or one is no unsigned integer of 64 bits.
    """
    try:
        if isinstance(seeds, (str, bytes, bool)):
            raise TypeError
        chosen = [_whole(seed) for seed in seeds] if isinstance(seeds, Iterable) else list(range(1, _whole(seeds) + 1))
    except TypeError:
        raise ScenarioError(
            f"seeds: {seeds!r} is neither how many there are nor which; write 5, or range(20)"
        ) from None
    if not chosen:
        raise ScenarioError("seeds: there are none; write at least one")
    if len(set(chosen)) != len(chosen):
        raise ScenarioError("seeds: one is there twice; a seed gives the same run again")
    if wrong := [seed for seed in chosen if not 0 <= seed < 2**64]:
        raise ScenarioError(f"seeds: {wrong[0]} is not between 0 and {2**64 - 1}")
    return chosen


def _whole(number: object) -> int:
    """Whole numbers of any library; a truth value is none."""
    if isinstance(number, bool):
        raise TypeError
    return operator.index(number)  # pyright: ignore[reportArgumentType]


class ProgressLine:
    """A line on standard error that says how far it is and how long it will take."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begun = time.monotonic()
        self._shown = False

    def __call__(self, share: float, finished: int, runs: int) -> None:
        """Shows it."""
        taken = time.monotonic() - self._begun
        left = f", {taken / share - taken:.0f} s left" if share > 0.01 else ""
        sys.stderr.write(f"\r\x1b[K{self._what}: {100 * share:.0f} %, {finished} of {runs} runs{left}")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        """Ends the line."""
        if self._shown:
            sys.stderr.write("\n")
