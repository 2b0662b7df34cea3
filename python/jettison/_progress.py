"""Bars of progress: those of tqdm if it is installed, otherwise plain text. No escape sequences are written."""

from __future__ import annotations

import importlib.util
import sys
import warnings
from typing import Any, Protocol

__all__ = ["Bar", "bar", "is_shown", "span"]


class Bar(Protocol):
    """A bar that is updated with what is complete."""

    def update(self, share: float, notes: str, seconds_left: float | None) -> None:
        """Shows the completed share, 0 to 1, notes such as the number of runs, and the remaining time if it is known."""
        ...

    def close(self) -> None:
        """Ends the bar."""
        ...


def bar(title: str) -> Bar:
    """A bar on standard error: of tqdm in a terminal or a notebook, otherwise plain text."""
    shown = is_shown()
    if shown and importlib.util.find_spec("tqdm") is not None:
        return _Tqdm(title)
    return _Line(title) if sys.stderr.isatty() else _Lines(title)


def is_shown() -> bool:
    """Whether somebody sees a bar move: standard error is a terminal or the output of a notebook's cell."""
    return sys.stderr.isatty() or _is_notebook()


def _is_notebook() -> bool:
    ipython: Any = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _Tqdm:
    """A bar of `tqdm.auto`: a widget in notebooks that have widgets."""

    def __init__(self, title: str) -> None:
        with warnings.catch_warnings():
            # In a notebook without ipywidgets it falls back to text, and warns about that.
            warnings.simplefilter("ignore")
            import tqdm.auto  # pyright: ignore[reportMissingModuleSource, reportMissingTypeStubs]
        made: Any = tqdm.auto.tqdm  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        # The remaining time is ours: tqdm would count runs that were found as made now.
        layout = "{desc}: {percentage:3.0f}%|{bar}| {elapsed}{postfix}"
        self._bar: Any = made(desc=title, total=1.0, bar_format=layout)

    def update(self, share: float, notes: str, seconds_left: float | None) -> None:
        self._bar.n = share
        self._bar.set_postfix_str(_with_left(notes, seconds_left))

    def close(self) -> None:
        self._bar.close()


class _Line:
    """One line of plain text that is written over itself."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._length = 0

    def update(self, share: float, notes: str, seconds_left: float | None) -> None:
        line = f"{self._title}: {100 * share:.0f} %, {_with_left(notes, seconds_left)}"
        sys.stderr.write("\r" + line.ljust(self._length))
        sys.stderr.flush()
        self._length = len(line)

    def close(self) -> None:
        if self._length:
            sys.stderr.write("\n")


class _Lines:
    """Lines of plain text for a file or a pipe: one each tenth."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._tenths = 0

    def update(self, share: float, notes: str, seconds_left: float | None) -> None:
        if (tenths := int(10 * share)) > self._tenths:
            self._tenths = tenths
            sys.stderr.write(f"{self._title}: {100 * share:.0f} %, {_with_left(notes, seconds_left)}\n")

    def close(self) -> None:
        sys.stderr.flush()


def _with_left(notes: str, seconds_left: float | None) -> str:
    return notes + (f", {span(seconds_left)} left" if seconds_left else "")


def span(seconds: float) -> str:
    """Formats a time for people: `42 s`, `3 min 5 s`, `2 h 10 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
