"""Overhead of a sweep over the bare runner, with 1,000 short runs through both.

The runner runs them as the variants of one file, as `jettison run --jobs 2` and in memory, of which the faster counts; `jettison.sweep` as the points of a sweep, in two
processes of this machine and on a Dask cluster of two worker processes on loopback. `make bench ARGS=sweep` runs this and
checks the requirement of 85 % of the runner's throughput.

Each way's time is from its begin to its end, everything included: checking, starting processes, writing. Python's imports
and the starting of the cluster, which its user has running, are left out. On a machine with other work the times say little;
`cpu` is what the processes used, and their ratio still says what a sweep costs.

Prints one record per line.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jettison
from jettison import LocalExecutor, Scenario

PATH = "queues.bottleneck.target"
# A NewReno flow and a load of 20 Mbit/s through 100 Mbit/s with CoDel: a quarter of a second of CPU time per run.
SCENARIO = """
name = "bench/sweep"
duration = "{seconds} s"
warm_up = "1 s"
sample_interval = "1 s"
[nodes]
a = {{ kind = "host" }}
r = {{ kind = "router" }}
b = {{ kind = "host" }}
[queues.bottleneck]
kind = "codel"
target = "5 ms"
[links.access]
between = ["a", "r"]
rate = "1 Gbit/s"
delay = "1 ms"
[links.bottleneck]
between = ["r", "b"]
rate = "100 Mbit/s"
delay = "9 ms"
queue = "bottleneck"
[flows.bulk]
from = "a"
to = "b"
app = "bulk"
start_jitter = "100 ms"
[flows.load]
from = "a"
to = "b"
app = {{ kind = "cbr", rate = "20 Mbit/s" }}
"""


@dataclass(frozen=True)
class Took:
    """Durations of one way in seconds."""

    wall: float
    cpu: float


def main() -> None:
    """Measures, prints, compares."""
    parser = argparse.ArgumentParser(description="What a sweep costs over the bare runner.")
    parser.add_argument("--command", default="target/release/jettison", help="the command that is compared with")
    parser.add_argument("--points", type=int, default=1000, help="how many runs there are")
    parser.add_argument("--seconds", type=int, default=60, help="how long a run is, in simulated seconds")
    given = parser.parse_args()
    values = [f"{1000 + 10 * n} us" for n in range(given.points)]
    text = SCENARIO.format(seconds=given.seconds)
    scratch = Path(tempfile.mkdtemp(prefix="jettison-bench-"))
    try:
        command, run_cpu = bare_runner(given.command, text, values, scratch)
        memory = in_memory(text, values)
        # Use the faster one: the command also writes distributions and a report of a thousand variants.
        bare = min(command, memory, key=lambda took: took.wall)
        walls = {"command": command.wall, "in_memory": memory.wall}
        show("sweep-bare", given.points / bare.wall, runs=given.points, cpu=bare.cpu, cpu_a_run=run_cpu, **walls)
        for name, way in (("sweep-local", local), ("sweep-dask", dask)):
            took = way(text, values, scratch)
            show(name, bare.wall / took.wall, wall=took.wall, cpu=took.cpu, cpu_ratio=bare.cpu / took.cpu)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def show(name: str, value: float, **more: float) -> None:
    """Prints a record."""
    print(json.dumps({"name": name, "value": value, **more}), flush=True)


def bare_runner(command: str, text: str, values: list[str], scratch: Path) -> tuple[Took, float]:
    """The whole command, and the CPU time of the simulation alone, for one run."""
    file, out = scratch / "bench.toml", scratch / "bare"
    file.write_text(with_variants(text, values))
    arguments = [command, "run", str(file), "--jobs", "2", "--out", str(out)]
    took = measured(lambda: subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL), used)
    runs = json.loads((out / "timing.json").read_text())["runs"]
    return took, sum(run["cpu_seconds"] for run in runs) / len(runs)


def with_variants(text: str, values: list[str]) -> str:
    """The scenario with the points as its variants."""
    return f"{text}\n[[vary]]\npath = '{PATH}'\nvalues = {json.dumps(values)}\n"


def in_memory(text: str, values: list[str]) -> Took:
    """The same runner, without a folder."""
    scenario = Scenario.from_toml(with_variants(text, values))
    return measured(lambda: jettison.run(scenario, jobs=2), used)


def local(text: str, values: list[str], scratch: Path) -> Took:
    """Two local processes."""
    return measured(lambda: swept(text, values, LocalExecutor(2), scratch / "local"), used)


def dask(text: str, values: list[str], scratch: Path) -> Took:
    """A scheduler in this process and two worker processes on loopback."""
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        client.run(__import__, "jettison")
        return measured(
            lambda: swept(text, values, client, scratch / "dask"),
            lambda: used() + sum(client.run(time.process_time).values()),
        )


def swept(text: str, values: list[str], executor: Any, out: Path) -> None:
    """The sweep itself."""
    result = jettison.sweep(Scenario.from_toml(text), {PATH: values}, seeds=1, executor=executor, out=out)
    assert result.status == "complete"


def used() -> float:
    """CPU time of this process and of its ended children in seconds."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def measured(work: Callable[[], object], cpu: Callable[[], float]) -> Took:
    """Calls the function; returns its durations."""
    used_before, begin = cpu(), time.perf_counter()
    work()
    wall = time.perf_counter() - begin
    return Took(wall, cpu() - used_before)


if __name__ == "__main__":
    main()
