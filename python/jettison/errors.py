"""What can go wrong. Every exception of this package is a :class:`JettisonError`."""

from __future__ import annotations

from dataclasses import dataclass


class JettisonError(Exception):
    """Anything that Jettison refuses or cannot do."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a scenario."""

    text: str
    """The whole message, with its place: what ``jettison check`` prints."""
    file: str | None
    """The file, as it was named; ``None`` for what ``set`` asked for."""
    line: int | None
    """Its line, from 1."""
    column: int | None
    """Its column in characters, from 1."""
    message: str
    """What is wrong."""
    help: str | None
    """What would be right, where the message does not say so itself."""


class ScenarioError(JettisonError):
    """A scenario that cannot be found or in which something is wrong.

    The text is the one that the command prints, a line a problem: ``file.toml:12:7: unknown key …``. ``file``, ``line`` and
    ``column`` are those of the first problem that has them.
    """

    def __init__(
        self,
        text: str,
        problems: list[tuple[str, str | None, int | None, int | None, str, str | None]] | None = None,
    ) -> None:
        super().__init__(text, problems)
        self.problems = [Problem(*problem) for problem in problems or []]
        placed = [problem for problem in self.problems if problem.line is not None]
        first = (placed or self.problems or [Problem(text, None, None, None, text, None)])[0]
        self.file, self.line, self.column = first.file, first.line, first.column

    def __str__(self) -> str:
        return str(self.args[0])


class DisciplineError(JettisonError):
    """A queue discipline written in Python does what none may do: it sends a packet twice, or loses one."""


class RunError(JettisonError):
    """A scenario that is right and still could not be run, or results that cannot be written or read."""


class SweepError(JettisonError):
    """A sweep or a search that cannot be done: nothing varies, workers cannot be had, a folder holds something else."""
