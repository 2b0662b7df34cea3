"""The line that a page has on what was measured, and where it stands in the page."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np

from ...result import Result
from .panels import CALL_DEADLINE, LAYERS, VIDEO_DEADLINE
from .pictures import PICTURES, Picture
from .samples import PROPAGATION, Run

__all__ = ["OVERVIEW", "overview", "replace", "sentence"]

#: The page that compares all disciplines.
OVERVIEW = "appendix/disciplines/pictures.md"


def sentence(picture: Picture, result: Result, warm_up: float = 2.0) -> str:
    """What was measured under the discipline, and in brackets under tail drop: means over the seeds, without the warm-up."""
    values = _video if picture.scenario == "gallery/video" else _queue
    own, base = values(result, picture.scheme, warm_up), values(result, picture.baseline, warm_up)
    parts = [f"{name} {value:{form}}{unit} ({base[name][0]:{form}})" for name, (value, form, unit) in own.items()]
    return f"Measured (tail drop): {', '.join(parts)}."


_Value = tuple[float, str, str]
"""A value, how it is written, and its unit."""


@cache
def _queue(result: Result, scheme: str, warm_up: float) -> dict[str, _Value]:
    variant = f"queue={scheme}"
    links = [link for link in ("line.forward", "feed.forward") if link in result.objects]
    waits = [result.mean("rtt", flow, variant) - 2.0 * PROPAGATION for flow in ("first", "second")]
    found = {"downloads wait": (float(np.mean(waits)), ".1f", " ms")}
    if "call" in result.objects:
        found["the call"] = (result.mean("owd", "call", variant) - PROPAGATION, ".1f", " ms")
        shares: list[float] = []
        for seed in result.seeds:
            starts, delays = Run(result, variant, seed).frames("call")
            shares.append(100.0 * float(np.mean(delays[starts >= warm_up] <= CALL_DEADLINE)))
        found[f"frames within {CALL_DEADLINE:g} ms"] = (float(np.mean(shares)), ".1f", " %")
    goodput = sum(result.mean("goodput", flow, variant) for flow in ("first", "second"))
    found["downloads get"] = (goodput, ".1f", " Mbit/s")
    found["drops"] = (sum(result.mean("drops", link, variant) for link in links), ".0f", "")
    return found


@cache
def _video(result: Result, scheme: str, warm_up: float) -> dict[str, _Value]:
    variant = f"queue={scheme}"
    in_time: list[float] = []
    whole: list[float] = []
    for seed in result.seeds:
        captured, layers, latencies = Run(result, variant, seed).video("video")
        counted = captured >= warm_up
        shown = latencies[counted] <= VIDEO_DEADLINE
        in_time.append(100.0 * float(np.mean(shown)))
        whole.append(100.0 * float(np.logical_and(shown, layers[counted] == LAYERS).mean()))
    return {
        "sojourn time": (result.mean("sojourn", "line.forward", variant), ".1f", " ms"),
        f"frames within {VIDEO_DEADLINE:g} ms": (float(np.mean(in_time)), ".1f", " %"),
        "with all layers": (float(np.mean(whole)), ".1f", " %"),
    }


def overview(book: Path) -> list[str]:
    """A table of what the pages say was measured in the common scenario, tail drop first."""
    rows: list[str] = []
    for picture in PICTURES:
        first = PICTURES[0]
        text = (book / picture.page).read_text(encoding="utf-8")
        found = re.search(rf"<!-- measured {re.escape(picture.name)} -->\nMeasured \(tail drop\): (.*)\.\n", text)
        if found is None or (picture.scenario, picture.baseline) != (first.scenario, first.baseline):
            continue
        # A part is a name, a value with its unit, and tail drop's value in brackets.
        parts = [re.fullmatch(r"(.*) ([\d.]+)([^\d()]*) \(([\d.]+)\)", part) for part in found.group(1).split(", ")]
        figures = [part.groups() for part in parts if part]
        if not rows:
            heads = [f"{name}{',' if unit else ''}{unit}" for name, _, unit, _ in figures]
            rows = [f"| | {' | '.join(heads)} |", f"| --- |{' ---: |' * len(heads)}"]
            rows.append(f"| `tail-drop`, 250 packets | {' | '.join(base for *_, base in figures)} |")
        name = "`tail-drop`, 50 packets" if picture.scheme == "tail-drop-50" else f"`{picture.scheme}`"
        rows.append(f"| {name} | {' | '.join(value for _, value, _, _ in figures)} |")
    return rows


def replace(page: Path, name: str, line: str) -> bool:
    """Writes the line between a page's `<!-- measured NAME -->` and `<!-- end -->`; returns whether the page has that place."""
    text = page.read_text(encoding="utf-8")
    start = f"<!-- measured {name} -->\n"
    begin = text.find(start)
    if begin < 0:
        return False
    begin += len(start)
    end = text.index("<!-- end -->", begin)
    page.write_text(f"{text[:begin]}{line}\n{text[end:]}", encoding="utf-8")
    return True
