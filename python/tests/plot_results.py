"""A small result with known numbers for the tests of plots, without simulation and files."""

# pyright: basic, reportIndexIssue=false, reportAttributeAccessIssue=false, reportCallIssue=false
# pyright: reportOptionalMemberAccess=false, reportArgumentType=false
# matplotlib's types are unions of all possible artists.
from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.compute as pc

UNITS = {
    "backlog": "packets", "sojourn": "ms", "rtt": "ms", "cwnd": "bytes", "in_flight": "bytes",
    "ssthresh": "bytes", "pacing_rate": "Mbit/s", "goodput": "Mbit/s", "representation_rate": "kbit/s",
    "frames_per_second": "1/s", "frame_latency": "ms", "sqi_ssim": "dB", "drops": "packets",
    "utilisation": "%", "jain_index": "1",
}  # fmt: skip
QUEUES = ("codel", "ired-64", "mine")
RATES = ("5 Mbit/s", "10 Mbit/s")
SEEDS = (1, 2, 3)
QUEUE = "bottleneck.forward"


class Table:
    """A table like those of results, with `.arrow` and `.filter(column=value)`. It counts passes over its rows."""

    def __init__(self, arrow: pa.Table) -> None:
        self.arrow = arrow
        self.looks = 0

    def select(self, columns: Iterable[str]) -> pa.Table:
        self.looks += 1
        return self.arrow.select(list(columns))

    def filter(self, **columns: Any) -> Table:
        self.looks += 1
        mask = None
        for name, value in columns.items():
            equal = pc.is_in(self.arrow[name], pa.array(value if isinstance(value, list) else [value]))
            mask = equal if mask is None else pc.and_(mask, equal)
        return Table(self.arrow.filter(mask))


def variant(queue: str, rate: str) -> str:
    return f"queue={queue},rate={rate}"


def rtt(queue: str, rate: str, seed: int) -> float:
    """The mean RTT of one run, in ms."""
    return 20.0 + 10.0 * QUEUES.index(queue) + 5.0 * RATES.index(rate) + seed


def sample(queue: str, seed: int, second: int) -> float:
    """The backlog in a second, in packets."""
    return float(10 * QUEUES.index(queue) + seed + second % 3)


def series_rows() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The rows of `queues` and `flows`: ten seconds of which the first is the warm-up."""
    queues: list[dict[str, Any]] = []
    flows: list[dict[str, Any]] = []
    for queue in QUEUES:
        for rate in RATES:
            for seed in SEEDS:
                run = {"variant": variant(queue, rate), "seed": seed, "part": "", "mode": "sim"}

                def row(
                    second: float, name: str, metric: str, value: float, run: dict[str, Any] = run
                ) -> dict[str, Any]:
                    return {
                        **run,
                        "time_ns": int(second * 1e9),
                        "object": name,
                        "metric": metric,
                        "value": value,
                    }

                for second in range(1, 11):
                    queues.append(row(second, QUEUE, "backlog", sample(queue, seed, second)))
                    queues.append(row(second, "access.forward", "backlog", 0.0))
                    flows.append(row(second, "bulk", "cwnd", 14_480.0 + 1448 * second))
                    flows.append(row(second, "bulk", "in_flight", 14_480.0))
                    flows.append(row(second, "tcp.1", "goodput", 1.0 * second))
                    flows.append(row(second, "tcp.2", "goodput", 2.0 * second))
                    # A stall from 4.5 to 7.5 s: half a second of frames on both sides.
                    frames = {1: 0.0, 5: 12.0, 6: 0.0, 7: 0.0, 8: 12.0}.get(second, 24.0)
                    flows.append(row(second, "video", "frames_per_second", frames))
                    latency, quality = 100.0 + 10 * (second % 4) + 50 * QUEUES.index(queue), 15.0 + second % 3
                    flows.append(row(second, "video", "frame_latency", latency))
                    flows.append(row(second, "video", "sqi_ssim", quality))
                    if queue == "mine":
                        flows.append(row(second, "bulk", "pacing_rate", 3.0))
                for second, kbits in ((1.2, 300.0), (3.4, 700.0), (8.0, 300.0)):
                    flows.append(row(second, "video", "representation_rate", kbits))
    return queues, flows


class SmallResult:
    """Three disciplines, two rates, three seeds."""

    name = "test/small"
    manifest: ClassVar[dict[str, Any]] = {
        "name": "test/small",
        "duration": "10 s",
        "warm_up": "1 s",
        "bottleneck": None,
    }

    def __init__(self) -> None:
        self.seeds = list(SEEDS)
        self.units = dict(UNITS)
        self.variants = [variant(queue, rate) for queue in QUEUES for rate in RATES]
        self.labels = {variant(q, r): {"queue": q, "rate": r} for q in QUEUES for r in RATES}
        queues, flows = series_rows()
        self.queues, self.flows = Table(pa.Table.from_pylist(queues)), Table(pa.Table.from_pylist(flows))
        self.distributions = Table(pa.Table.from_pylist(_distributions()))
        self.frames = Table(pa.Table.from_pylist(_frames()))
        runs, summary = _summary()
        self.runs, self.summary = Table(pa.Table.from_pylist(runs)), Table(pa.Table.from_pylist(summary))


def _distributions() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for queue in QUEUES:
        for rate in RATES:
            for seed in SEEDS:
                run = {
                    "variant": variant(queue, rate),
                    "seed": seed,
                    "object": "ping",
                    "metric": "rtt",
                    "mode": "sim",
                }
                # Half of the values are the seed's number of ms, the rest ten times as many.
                rows += [
                    {**run, "value_ms": 1.0 * seed, "share": 0.5},
                    {**run, "value_ms": 10.0 * seed, "share": 1.0},
                ]
    return rows


def _frames() -> list[dict[str, Any]]:
    """Two frames per second of each run; every third was never shown."""
    rows: list[dict[str, Any]] = []
    for queue in QUEUES:
        for rate in RATES:
            for seed in SEEDS:
                run = {"variant": variant(queue, rate), "seed": seed, "flow": "video", "mode": "sim"}
                for frame in range(20):
                    late = None if frame % 3 == 2 else 80.0 + frame + 50 * QUEUES.index(queue)
                    shown = {
                        "layers": 0 if late is None else 3,
                        "latency_ms": late,
                        "sqi_ssim": 14.0 + frame % 5,
                        "ssim": 0.9,
                    }
                    rows.append({**run, "frame": frame, "captured_ns": frame * 500_000_000, **shown})
    return rows


def _summary() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    runs: list[dict[str, Any]] = []
    summary: list[dict[str, Any]] = []

    def take(name: str, of: dict[str, Any], metric: str, values: list[float], part: str = "") -> None:
        mean = sum(values) / len(values)
        deviation = (sum((v - mean) ** 2 for v in values) / (len(values) - 1)) ** 0.5
        half = 4.302652729911275 * deviation / len(values) ** 0.5  # Student's t, 95 %, two degrees of freedom
        common = {**of, "object": name, "metric": metric, "part": part, "unit": UNITS[metric], "mode": "sim"}
        for seed, value in zip(SEEDS, values, strict=True):
            runs.append({**common, "seed": seed, "mean": value, "p50": value, "p95": 2 * value, "p99": 3 * value})
        summary.append({**common, "mean": mean, "p50": mean, "p95": 2 * mean, "p99": 3 * mean,
                        "ci95_low": mean - half, "ci95_high": mean + half, "n": len(values)})  # fmt: skip

    for queue in QUEUES:
        for rate in RATES:
            of = {"variant": variant(queue, rate)}
            take("ping", of, "rtt", [rtt(queue, rate, seed) for seed in SEEDS])
            take(QUEUE, of, "utilisation", [95.0, 96.0, 97.0])
            take("access.forward", of, "utilisation", [9.0, 9.0, 9.0])
            take(QUEUE, of, "drops", [30.0, 30.0, 30.0])
            for part, n in (("codel", 10.0), ("buffer-full", 20.0), ("clone-consumed", 99.0)):
                take(QUEUE, of, "drops", [n] * 3, part)
            take("video", of, "frame_latency", [100.0 + seed + 50 * QUEUES.index(queue) for seed in SEEDS])
            take("video", of, "sqi_ssim", [15.0 + (seed % 2) for seed in SEEDS])
    return runs, summary


class BigResult:
    """A sweep of two numbers with one variant per pair, five seeds and one metric of five."""

    name = "test/big"
    units: ClassVar[dict[str, str]] = {"rtt": "ms"}
    manifest: ClassVar[dict[str, Any]] = {"name": "test/big", "warm_up": "0 s"}

    def __init__(self, across: int, up: int, seeds: int = 5) -> None:
        self.seeds = list(range(1, seeds + 1))
        self._labels = {f"x={x},y={y}": {"x": f"{x} ms", "y": f"{y} Mbit/s"} for x in range(across) for y in range(up)}
        self.variants = list(self._labels)
        self.runs, self.summary = self._table(seeds), self._table(1)
        samples = self._table(seeds).arrow.rename_columns({"mean": "value"})
        self.flows = Table(samples.append_column("time_ns", pa.array([10**9] * samples.num_rows)))
        self.queues = Table(self.flows.arrow.slice(0, 0))
        self.distributions = Table(
            self.flows.arrow.rename_columns({"value": "value_ms"}).append_column(
                "share", pa.array([1.0] * samples.num_rows)
            )
        )

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """Created on each call, as in a result."""
        return {variant: dict(of) for variant, of in self._labels.items()}

    def _table(self, seeds: int) -> Table:
        metrics = ["rtt", "owd", "goodput", "loss", "utilisation"]
        places = [v for v in range(len(self.variants)) for _ in range(seeds * len(metrics))]
        rows = len(places)
        text = {"object": ["ping"] * rows, "metric": metrics * (rows // len(metrics)), "part": [""] * rows}
        means = [float(v) for v in places]
        return Table(
            pa.table(
                {
                    "variant": pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(self.variants)),
                    "seed": pa.array(
                        [s for _ in self.variants for s in self.seeds[:seeds] for _ in metrics], pa.uint64()
                    ),
                    **{name: pa.array(values).dictionary_encode() for name, values in text.items()},
                    "unit": pa.array(["ms"] * rows).dictionary_encode(),
                    **dict.fromkeys(("mean", "p50", "p95", "p99"), pa.array(means)),
                    "ci95_low": pa.array([mean - 1 for mean in means]),
                    "ci95_high": pa.array([mean + 1 for mean in means]),
                    "n": pa.array([len(self.seeds)] * rows, pa.uint64()),
                }
            )
        )
