"""How schemes and metrics are written for readers."""

from __future__ import annotations

from collections.abc import Mapping

from .. import _jettison
from .palette import sized

__all__ = ["METRICS", "PRETTY", "axis_label", "metric_name", "pretty"]

#: How names are written for readers.
PRETTY: Mapping[str, str] = {
    "tail-drop": "tail drop", "red": "RED", "codel": "CoDel", "codel-head": "CoDel in the queue",
    "pi2": "PI2", "dualpi2": "DualPI2", "pie": "PIE", "fq-codel": "FQ-CoDel", "fred": "FRED",
    "cake": "CAKE", "blue": "BLUE", "sfq": "SFQ", "ired": "iRED", "red-dpm": "RED-DPM",
    "red-dpm-share": "RED-DPM, shares", "codel++": "CoDel++", "fifo": "FIFO", "abc": "ABC",
    "newreno": "NewReno", "cubic": "CUBIC", "bbr": "BBR", "newcwv": "newCWV",
    "newcwv paced": "newCWV paced", "newcwv-paced": "newCWV paced",
    "newcwv paced as Linux": "newCWV paced, as Linux", "cubic+codel": "CUBIC, CoDel", "sprout": "Sprout",
    "stale oracle": "oracle, 5 ms stale", "octopus": "Octopus", "octopus-authors": "Octopus, authors' code",
    "octobbr": "OctoBBR", "pdrop": "PDrop", "awstream-cubic": "AWStream, CUBIC",
    "awstream-bbr": "AWStream, BBR", "octopus-options": "Octopus, options", "salsify-idle": "Salsify, idle",
    "salsify-send-gap": "Salsify, send-gap", "salsify": "Salsify", "gcc-nack": "GCC, NACK",
    "gcc-fec": "GCC, FEC", "scream": "SCReAM", "vivo-cubic": "ViVo, CUBIC", "vivo-bbr": "ViVo, BBR",
    "slice1": "slice 1", "slice2": "slice 2", "slice3": "slice 3",
}  # fmt: skip

#: What metrics are called on an axis, where their own name is not what one would say.
METRICS: Mapping[str, str] = {name: title for name, _, _, title, _ in _jettison.metrics() if title is not None}


def pretty(name: str) -> str:
    """A name as a reader would write it: `ired-64` is iRED 64."""
    known = PRETTY.get(name)
    if known is not None:
        return known
    family = sized(name)
    return name if family is None else f"{PRETTY.get(family[0], family[0])} {family[1]:,}"


def metric_name(metric: str) -> str:
    """A metric's name in words."""
    return METRICS.get(metric) or metric.replace("_", " ")


def axis_label(metric: str, unit: str, *, before: str = "") -> str:
    """What an axis says: the metric in words with its unit. `before` stands in front, such as `p99`.

    Bytes are written in kB, as :func:`jettison.plot.ticks.thousands` writes the ticks.
    """
    words = f"{before} of {metric_name(metric)}" if before else metric_name(metric)
    if not before and words[:1].islower():
        words = words[:1].upper() + words[1:]
    unit = "kB" if unit == "bytes" else unit
    return words if unit in ("", "1") else f"{words} ({unit})"
