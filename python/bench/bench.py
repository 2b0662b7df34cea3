"""Benchmarks of the package; `make bench ARGS=python` runs them and checks the requirements.

Prints one record per line: `name` and `value`. Values are the best of several runs, the overhead is the median.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import Any

import jettison
from jettison import _jettison
from jettison._arrow import pa
from jettison.queues import Packet

ROOT = Path(__file__).parents[2]
ROWS = 10_000_000
SIX = ["seed", "time_ns", "object", "metric", "part", "value"]
FOUR = ["time_ns", "object", "metric", "value"]


def show(name: str, value: float) -> None:
    """Prints a record."""
    print(json.dumps({"name": name, "value": value}), flush=True)


def overhead() -> float:
    """Overhead of `jettison.run` on scenario A, in percent of the Rust call within.

    Both are of the same call: `timing` holds how long the simulation took. All else counts: the summary, the tables, the
    threads, and Python. The scenario is checked before, as the one of the Rust call is.
    """
    scenario = jettison.load(ROOT / "scenarios/reference/tcp-codel-a.toml")
    found: list[float] = []
    for _ in range(9):
        begun = time.perf_counter()
        result = jettison.run(scenario, seeds=1, jobs=1)
        assert len(result.queues.arrow) > 0
        taken = time.perf_counter() - begun
        rust = result.timing["wall_seconds"]
        found.append(100 * (taken - rust) / rust)
    return statistics.median(found)


def crossing() -> tuple[float, int]:
    """Time in ms to convert ten million rows of 6 columns to a pyarrow table, and the number of copied columns."""
    tables: Any = getattr(_jettison, "synthetic")(ROWS)  # noqa: B009 (only built for measuring)
    found: list[float] = []
    copied = 0
    for _ in range(5):
        begun = time.perf_counter()
        table = pa.RecordBatchReader.from_stream(tables.table("flows")).read_all().select(SIX)
        found.append(1e3 * (time.perf_counter() - begun))
        assert table.num_rows >= ROWS
        copied = 0
        for name in SIX:
            (chunk,) = table.column(name).chunks
            values = chunk.indices if pa.types.is_dictionary(chunk.type) else chunk
            copied += values.buffers()[1].address != tables.address("flows", name)
    return min(found), copied


def reading_back() -> float:
    """Time in seconds to read four columns of ten million rows from disk."""
    with tempfile.TemporaryDirectory() as folder:
        getattr(_jettison, "synthetic")(ROWS, folder + "/out")  # noqa: B009
        found: list[float] = []
        for _ in range(3):
            begun = time.perf_counter()
            table = jettison.open(folder + "/out").flows.select(FOUR)
            found.append(time.perf_counter() - begun)
            assert table.num_rows >= ROWS
    return min(found)


class Fifo:
    """A FIFO, the minimal discipline."""

    def __init__(self) -> None:
        self.waiting: deque[Packet] = deque()

    def enqueue(self, packet: Packet, now: int) -> bool:
        """Appends the packet."""
        self.waiting.append(packet)
        return True

    def dequeue(self, now: int) -> Packet | None:
        """Returns the first packet."""
        return self.waiting.popleft() if self.waiting else None


def discipline() -> float:
    """Time in µs per packet through a queue in Python, including the rest of the run."""
    scenario = jettison.load(ROOT / "scenarios/reference/tcp-codel-a.toml").discipline(Fifo)
    scenario = scenario.set("links.bottleneck.queue", "fifo").set("duration", "20 s")
    found: list[float] = []
    for _ in range(5):
        begun = time.perf_counter()
        result = jettison.run(scenario, seeds=1, jobs=1)
        taken = time.perf_counter() - begun
        found.append(1e6 * taken / result.mean("packets", "bottleneck.forward"))
    return min(found)


def main() -> None:
    """Runs all benchmarks."""
    show("python-overhead", overhead())
    milliseconds, copied = crossing()
    show("python-crossing", milliseconds)
    show("python-crossing/copied", copied)
    show("python-read-back", reading_back())
    show("python-discipline", discipline())


main()
