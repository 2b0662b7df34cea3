"""Numeric labels: `20ms`, `10 Mbit/s`, `1,024 packets`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..sweeps.quantity import Unit
from .source import Floats

__all__ = ["number", "numbers", "ordered", "written"]

# Commas are accepted only between thousands: `0,5` could be a half or a list, and is not a number.
_NUMBER = re.compile(
    r"([-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ%][A-Za-zµ%/]*)?"
)


def number(label: str) -> tuple[float, str] | None:
    """Parses a numeric label into number and unit: `20ms` is 20 and ms; `5-15` is not a number."""
    match = _NUMBER.fullmatch(label.strip())
    return (float(match[1].replace(",", "")), match[2] or "") if match else None


def numbers(labels: Sequence[str]) -> tuple[Floats | None, str]:
    """The labels as numbers in the first one's unit; None if one is not a number or has another dimension."""
    parsed = [number(label) for label in labels]
    known = [p for p in parsed if p is not None]
    if len(known) < len(labels) or not known:
        return None, ""
    first = Unit.of(known[0][1])
    try:
        return np.array([Unit.of(unit).convert(value, first) for value, unit in known]), known[0][1]
    except ValueError:  # another dimension
        return None, ""


def ordered(labels: list[str]) -> list[str] | None:
    """The labels in the order of their values; None if they are not numbers of one dimension."""
    found, _ = numbers(labels)
    return None if found is None else [labels[place] for place in np.argsort(found, kind="stable").tolist()]


def written(values: Sequence[float]) -> list[str]:
    """Formats numbers for ticks: with four digits, or as many as distinguish them."""
    least = max((len(str(int(abs(value)))) for value in values), default=1)
    for digits in range(max(4, least) if least <= 6 else 4, 17):
        words = [f"{value:,.{digits}g}" for value in values]
        if len(set(words)) == len(set(values)):
            return words
    return [f"{value:,}" for value in values]
