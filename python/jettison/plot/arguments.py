"""What the functions were given, looked at before anything is drawn: what cannot be meant is told what can."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real

from .errors import PlotError

__all__ = ["check_choice", "check_count", "check_result", "check_times"]


def check_result(result: object) -> None:
    """Refuses what is no result, such as the path of one."""
    if isinstance(result, (str, os.PathLike)):
        raise PlotError(f'"{os.fspath(result)}" is a path and no result: give jettison.open("{os.fspath(result)}")')
    lacking = [name for name in ("name", "variants", "labels", "summary") if not hasattr(type(result), name)]
    if lacking and any(not hasattr(result, name) for name in lacking):
        raise PlotError(
            f"a {type(result).__name__} is no result: give what jettison.run, jettison.sweep or jettison.open returns"
        )


def check_times(start: object, stop: object) -> None:
    """Refuses times between which there is none."""
    for name, value in (("start", start), ("stop", stop)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value)):
            raise PlotError(f"{name}={value!r}: give a number of seconds")
    if isinstance(start, Real) and isinstance(stop, Real) and not start < stop:
        raise PlotError(f"start={start} and stop={stop}: the start must be before the stop (both are in seconds)")


def check_count(name: str, value: object) -> None:
    """Refuses what is no number of things."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise PlotError(f"{name}={value!r}: give a whole number from 1")


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Refuses a word that is none of those known."""
    if value not in known:
        written = [f'"{word}"' for word in known]
        raise PlotError(f"{name}={value!r}: give {', '.join(written[:-1])} or {written[-1]}")
