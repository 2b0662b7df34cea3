"""Checks of arguments before anything is drawn. Errors name the valid values."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real

from .errors import PlotError

__all__ = ["check_choice", "check_count", "check_result", "check_times"]


def check_result(result: object) -> None:
    """Refuses values that are not results, such as the path of one."""
    if isinstance(result, (str, os.PathLike)):
        raise PlotError(
            f'`result` must be a result, got the path "{os.fspath(result)}"; pass jettison.open("{os.fspath(result)}")'
        )
    lacking = [name for name in ("name", "variants", "labels", "summary") if not hasattr(type(result), name)]
    if lacking and any(not hasattr(result, name) for name in lacking):
        raise PlotError(
            f"`result` must be a result of jettison.run, jettison.sweep or jettison.open, got a {type(result).__name__}"
        )


def check_times(start: object, stop: object) -> None:
    """Refuses an empty interval of time."""
    for name, value in (("start", start), ("stop", stop)):
        if value is not None and (isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value)):
            raise PlotError(f"`{name}` must be a number of seconds, got {value!r}")
    if isinstance(start, Real) and isinstance(stop, Real) and not start < stop:
        raise PlotError(f"`start` must be before `stop` (both in seconds), got {start} and {stop}")


def check_count(name: str, value: object) -> None:
    """Refuses values that are not positive integers."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise PlotError(f"`{name}` must be a whole number from 1, got {value!r}")


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Refuses words other than the known ones."""
    if value not in known:
        written = [f'"{word}"' for word in known]
        raise PlotError(f"`{name}` must be {', '.join(written[:-1])} or {written[-1]}, got {value!r}")
