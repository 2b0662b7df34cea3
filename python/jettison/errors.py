"""Exceptions of this package. All are subclasses of :class:`JettisonError`."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass


class JettisonError(Exception):
    """Base class of the package's exceptions."""


@dataclass(frozen=True)
class Problem:
    """An error in a scenario."""

    text: str
    """The complete message with its place, as printed by ``jettison check``."""
    file: str | None
    """The file, as it was named; ``None`` for values given to ``set``."""
    line: int | None
    """Line in the file, from 1."""
    column: int | None
    """Column in characters, from 1."""
    message: str
    """The error."""
    help: str | None
    """A remedy, unless the message contains it."""


class ScenarioError(JettisonError):
    """A scenario that cannot be found or is invalid.

    The text is that of the command, one line per problem: ``file.toml:12:7: unknown key …``. ``file``, ``line`` and
    ``column`` belong to the first problem that has them.
    """

    def __init__(
        self,
        text: str,
        problems: list[tuple[str, str | None, int | None, int | None, str, str | None]] | None = None,
    ) -> None:
        super().__init__(text, problems)
        self.problems = [Problem(*problem) for problem in problems or []]
        """All errors with their places."""
        placed = [problem for problem in self.problems if problem.line is not None]
        first = (placed or self.problems or [Problem(text, None, None, None, text, None)])[0]
        self.file, self.line, self.column = first.file, first.line, first.column

    def __str__(self) -> str:
        return str(self.args[0])


class DisciplineError(JettisonError):
    """A queue discipline written in Python violates the rules: for example, it sends a packet twice or loses one."""


class ControllerError(JettisonError):
    """A controller that cannot be used, or that sets what it cannot set: an unknown link or table, or a rate that is none."""

    def __init__(self, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        """P4Runtime's name of the reason if a switch refused a request: ``ALREADY_EXISTS``, ``NOT_FOUND``, …"""


class RunError(JettisonError):
    """A valid scenario that could not be run, or results that cannot be written or read."""


class SweepError(JettisonError):
    """A sweep or search that cannot run: no axis varies, workers are unavailable, or a folder holds other data."""


class UnknownNameError(JettisonError, KeyError):
    """A name that does not exist: of a table, column, metric, object, variant, … The text has the nearest name."""

    def __str__(self) -> str:
        return str(self.args[0])


def unknown_name(kind: str, name: object, known: Iterable[object], where: str = "") -> UnknownNameError:
    """The error for a name that does not exist, with the nearest of the known names, or with all of them.

    Args:
        kind: What has the name: ``metric``, ``column``, …
        name: The name.
        known: The known names.
        where: Where they are known, such as "of `queues`".
    """
    return UnknownNameError(f"unknown {kind} `{name}`{where and f' {where}'}; {advice(name, known)}")


def advice(name: object, known: Iterable[object]) -> str:
    """The nearest of the known names as a question; all of them if none is near."""
    names = list(dict.fromkeys(str(each) for each in known))
    if near := difflib.get_close_matches(str(name), names, 1):
        return f"did you mean `{near[0]}`?"
    shown = ", ".join(names[:_SHOWN]) + (f", … ({len(names)} in all)" if len(names) > _SHOWN else "")
    return f"known are {shown}" if names else "none is known"


def add_note(error: Exception, note: str) -> None:
    """Adds a note to an exception, where Python has notes (3.11)."""
    add: object = getattr(error, "add_note", None)
    if callable(add):
        add(note)


_SHOWN = 20
