"""Errors of plots."""

from __future__ import annotations

from collections.abc import Iterable

from ..errors import JettisonError

__all__ = ["PlotError", "unknown"]


class PlotError(JettisonError, ValueError):
    """A result lacks data for a plot; the message names the available data."""


def unknown(
    kind: str, asked: object, known: Iterable[object], where: str = "this result", *, within: str = ""
) -> PlotError:
    """The error for an unknown name: its kind, the name, the known names, and the scope (`within`)."""
    names = sorted({str(name) for name in known})
    there = ", ".join(names) if names else "none"
    return PlotError(f"{where} has no {kind} `{asked}`{f' in {within}' if within else ''}; there are: {there}")
