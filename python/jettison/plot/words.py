"""Names of schemes and metrics for readers."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _jettison
from .palette import appearance

__all__ = ["METRICS", "PRETTY", "axis_label", "metric_name", "pretty"]

#: How names that no scheme has are written for readers, and aliases that readers know by other words.
PRETTY: Mapping[str, str] = {"fifo": "FIFO", "slice1": "slice 1", "slice2": "slice 2", "slice3": "slice 3"}

#: Names of metrics on axes, if different from their ids.
METRICS: Mapping[str, str] = {name: title for name, _, _, title, _ in _jettison.metrics() if title is not None}


def pretty(name: str) -> str:
    """A name as a reader would write it: `ired-64` is iRED 64."""
    known = appearance(name)
    return PRETTY.get(name) or (name if known is None else known.name)


def metric_name(metric: str) -> str:
    """A metric's name in words."""
    return METRICS.get(metric) or metric.replace("_", " ")


def axis_label(metric: str, unit: str, *, before: str = "") -> str:
    """The label of an axis: the metric in words with its unit, after the prefix `before`, such as `p99`.

    Bytes are written in kB, as :func:`jettison.plot.ticks.thousands` writes the ticks.
    """
    words = f"{before} of {metric_name(metric)}" if before else metric_name(metric)
    if not before and words[:1].islower():
        words = words[:1].upper() + words[1:]
    unit = "kB" if unit == "bytes" else unit
    return words if unit in ("", "1") else f"{words} ({unit})"
