"""What a plot cannot be made of."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import JettisonError

__all__ = ["PlotError", "unknown"]


class PlotError(JettisonError, ValueError):
    """A result lacks what a plot needs; the message names what it has."""


def unknown(
    what: str, asked: object, known: Iterable[object], where: str = "this result", *, within: str = ""
) -> PlotError:
    """The error for something that is not there: what was asked for, `within` what, and what there is."""
    names = sorted({str(name) for name in known})
    there = ", ".join(names) if names else "none"
    return PlotError(f"{where} has no {what} `{asked}`{f' in {within}' if within else ''}; there are: {there}")
