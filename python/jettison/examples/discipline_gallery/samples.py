"""What the panels draw: series of one run, in seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...result import Result
from ...table import Table

__all__ = ["PROPAGATION", "Points", "Run"]

Floats = NDArray[np.float64]
Points = tuple[Floats, Floats]
"""Times in seconds, and values."""

#: One-way propagation of the scenarios' lines in ms.
PROPAGATION = 15.0
#: Duration of a run in seconds.
DURATION = 25.0
#: Reasons of drops that are no packets of flows.
CLONES = ("clone-consumed", "clone-lost")


def _column(table: Table, name: str) -> Floats:
    found: Any = table[name].to_numpy()
    return np.asarray(found, dtype=np.float64)


class Run:
    """The run of a variant with one seed."""

    def __init__(self, result: Result, variant: str, seed: int) -> None:
        self._result = result
        self._of = {"variant": variant, "seed": seed}

    def _series(self, table: Table, metric: str, **more: str) -> Points:
        rows = table.filter(metric=metric, **self._of, **more)
        return _column(rows, "time_ns") / 1e9, _column(rows, "value")

    def sojourn(self) -> Points:
        """Mean time in the queues of both links in ms: a shaper's and the modem's."""
        times, line = self._series(self._result.queues, "sojourn", object="line.forward")
        if "feed.forward" in self._result.objects:
            at, feed = self._series(self._result.queues, "sojourn", object="feed.forward")
            line = line + np.interp(times, at, feed) if len(at) else line
        return times, line

    def signals(self, metric: str, width: float) -> Points:
        """Drops or marks of both links' queues per interval of `width` seconds; the series have a row where there are any."""
        edges = np.arange(0.0, DURATION + width, width)
        counts = np.zeros(len(edges) - 1)
        for link in ("line.forward", "feed.forward"):
            if link in self._result.objects:
                rows = self._result.queues.filter(metric=metric, object=link, **self._of)
                lost = [part not in CLONES for part in rows["part"].to_pylist()]
                times, values = _column(rows, "time_ns") / 1e9, _column(rows, "value")
                # A sample is the end of its interval.
                counts += np.histogram(times - 1e-6, edges, weights=np.where(lost, values, 0.0))[0]
        return edges[1:], counts

    def flow(self, flow: str, metric: str) -> Points:
        """A series of a flow."""
        return self._series(self._result.flows, metric, object=flow)

    def waits(self, flow: str) -> Points:
        """One-way delay of datagrams beyond the propagation in ms."""
        times, delays = self.flow(flow, "owd")
        return times, delays - PROPAGATION

    def frames(self, flow: str) -> Points:
        """Frames of a conference by their sending: the delay in ms, infinite if they never came whole."""
        rows = self._result.accounts.filter(flow=flow, unit="frame", **self._of)
        _, first = np.unique(_column(rows, "number"), return_index=True)
        starts, ends = _column(rows, "start_ns")[first], _column(rows, "end_ns")[first]
        shown = np.array(rows["status"].to_pylist())[first] == "shown"
        return starts / 1e9, np.where(shown, (ends - starts) / 1e6, np.inf)

    def video(self, flow: str) -> tuple[Floats, Floats, Floats]:
        """Frames of a video: capture in seconds, layers decoded, latency in ms (infinite if not shown)."""
        rows = self._result.frames.filter(flow=flow, **self._of)
        latencies = _column(rows, "latency_ms")
        return (
            _column(rows, "captured_ns") / 1e9,
            _column(rows, "layers"),
            np.where(np.isnan(latencies), np.inf, latencies),
        )


def binned(points: Points, width: float, combine: Callable[[list[float]], Any]) -> Points:
    """Values of intervals of `width` seconds, at their ends."""
    times, values = points
    if not len(times):
        return times, values
    bins: list[int] = np.ceil(np.round(times / width, 6)).astype(int).tolist()
    grouped: dict[int, list[float]] = {}
    for place, value in zip(bins, values.tolist(), strict=True):
        grouped.setdefault(place, []).append(value)
    places = range(1, max(bins) + 1)
    combined = [float(combine(grouped[place])) if place in grouped else 0.0 for place in places]
    return np.array(places, dtype=np.float64) * width, np.array(combined, dtype=np.float64)
