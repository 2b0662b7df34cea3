"""Progress of a sweep on standard error."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from .._progress import Bar, bar, is_shown


@dataclass(frozen=True)
class Progress:
    """Progress of a sweep.

    Attributes:
        total: Number of all runs.
        found: Number of runs that were already in the folder.
        done: Number of runs executed now.
        failed: Number of failed runs.
        seconds_left: Estimated remaining time; `None` without an estimate.
    """

    total: int
    found: int
    done: int
    failed: int
    seconds_left: float | None

    @property
    def over(self) -> int:
        """Number of completed runs."""
        return self.found + self.done + self.failed


Show = bool | Callable[[Progress], None] | None


class Reporter:
    """Counts runs, and shows the progress at most five times per second."""

    def __init__(self, name: str, total: int, show: Show, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begin = clock()
        self._shown = float("-inf")
        self._counts = {"found": 0, "done": 0, "failed": 0}
        self._total = total
        self._bar: Bar | None = bar(name) if show is True or (show is None and is_shown()) else None
        self._call = show if callable(show) else None

    @property
    def progress(self) -> Progress:
        """The current progress."""
        counts = self._counts
        tried = counts["done"] + counts["failed"]
        left = self._total - tried - counts["found"]
        seconds = (self._clock() - self._begin) / tried * left if tried else None
        return Progress(self._total, counts["found"], counts["done"], counts["failed"], 0.0 if left == 0 else seconds)

    def add(self, status: str, count: int = 1) -> None:
        """Adds completed runs with a status."""
        self._counts[status] += count
        self.show()

    def grow(self, count: int) -> None:
        """Adds runs to the total."""
        self._total += count

    def show(self, last: bool = False) -> None:
        """Shows the progress if an update is due."""
        if not (self._bar or self._call) or not (last or self._clock() - self._shown >= 0.2):
            return
        self._shown = self._clock()
        if self._call:
            self._call(self.progress)
        if self._bar:
            progress = self.progress
            share = progress.over / progress.total if progress.total else 1.0
            self._bar.update(share, _notes(progress), progress.seconds_left)

    def close(self) -> None:
        """Shows the final progress, and ends the bar."""
        self.show(last=True)
        if self._bar:
            self._bar.close()


def _notes(progress: Progress) -> str:
    notes = [f"{progress.over} of {progress.total} runs"]
    if progress.found:
        notes.append(f"{progress.found} found")
    if progress.failed:
        notes.append(f"{progress.failed} failed")
    return ", ".join(notes)
