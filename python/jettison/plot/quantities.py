"""Labels that are numbers: `20ms`, `10 Mbit/s`, `1,024 packets`."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ..sweeps.quantity import Unit
from .source import Floats

__all__ = ["number", "numbers", "ordered", "written"]

# Commas stand between thousands, and only there: `0,5` may be half of one or a list of two, and is no number.
_NUMBER = re.compile(
    r"([-+]?(?:[1-9][0-9]{0,2}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?)\s*([A-Za-zµ%][A-Za-zµ%/]*)?"
)


def number(label: str) -> tuple[float, str] | None:
    """A label that is a number, and its unit: `20ms` is 20 and ms; `5-15` is no number."""
    match = _NUMBER.fullmatch(label.strip())
    return (float(match[1].replace(",", "")), match[2] or "") if match else None


def numbers(labels: Sequence[str]) -> tuple[Floats | None, str]:
    """The labels as numbers in the first one's unit; None if one is no number, or of another kind."""
    parsed = [number(label) for label in labels]
    known = [p for p in parsed if p is not None]
    if len(known) < len(labels) or not known:
        return None, ""
    first = Unit.of(known[0][1])
    try:
        return np.array([Unit.of(unit).convert(value, first) for value, unit in known]), known[0][1]
    except ValueError:  # of another kind
        return None, ""


def ordered(labels: list[str]) -> list[str] | None:
    """The labels in the order of their values; None if they are no numbers of one kind."""
    found, _ = numbers(labels)
    return None if found is None else [labels[place] for place in np.argsort(found, kind="stable").tolist()]


def written(values: Sequence[float]) -> list[str]:
    """Numbers as they stand beside ticks: with four digits, or as many as tell them apart."""
    least = max((len(str(int(abs(value)))) for value in values), default=1)
    for digits in range(max(4, least) if least <= 6 else 4, 17):
        words = [f"{value:,.{digits}g}" for value in values]
        if len(set(words)) == len(set(values)):
            return words
    return [f"{value:,}" for value in values]
