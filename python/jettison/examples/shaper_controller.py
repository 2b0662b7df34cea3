"""A shaper in front of an uplink whose rate varies: fixed, at the link's minimum, controlled, and none.

Prints the table of the page "A shaper controller" of the book::

    python -m jettison.examples.shaper_controller --traces scenarios/octopus/traces --seeds 5

Topology: client, router with the shaper (a token bucket around FQ-CoDel), modem with a deep buffer, link with a varying rate, server.
Load: two bulk uploads (CUBIC) and a ping every 50 ms, which the controller observes.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import jettison
from jettison.examples.autorate import Autorate, Direction
from jettison.result import Result
from jettison.scenario import Value

MBIT = 1e6


@dataclass(frozen=True)
class Uplink:
    """A link with a varying rate. Rates are Mbit/s over 1 s."""

    name: str
    mean: float
    low: float
    high: float
    cell: str | None = None
    """A trace of ``scenarios/octopus/traces``."""
    steps: Sequence[int] = ()
    """Rates of a satellite's uplink, one per 15 s: a handover to another satellite changes the rate."""

    def link(self, traces: Path) -> dict[str, Value]:
        """The link's keys in a scenario."""
        if self.cell is not None:
            return {"cell": str(traces / self.cell)}
        changes: list[Value] = [
            {"at": f"{15 * number} s", "rate": f"{rate} Mbit/s"} for number, rate in enumerate(self.steps) if number > 0
        ]
        return {"rate": f"{self.steps[0]} Mbit/s", "changes": changes}


UPLINKS = [
    Uplink("LTE, lte-12", mean=12.0, low=0.5, high=26.3, cell="lte-12.trace"),
    Uplink("LTE, lte-16", mean=15.9, low=0.5, high=35.6, cell="lte-16.trace"),
    Uplink("satellite", mean=36.9, low=15, high=60, steps=(40, 25, 60, 15, 50, 30, 20, 55)),
]
"""Mean, 5th and 95th percentile of the traces are those of their README; the satellite's are its least and greatest step."""


def scenario(uplink: Uplink, shaper: float, traces: Path, duration: str = "120 s") -> jettison.Scenario:
    """The scenario with a shaper of ``shaper`` Mbit/s."""
    host = {"kind": "host"}
    router = {"kind": "router"}
    return jettison.Scenario(
        name="shaper-controller",
        duration=duration,
        warm_up="5 s",
        gauges=["tbf_rate"],
        nodes={"client": host, "router": router, "modem": router, "server": host},
        links={
            "lan": {"between": ["client", "router"], "rate": "1 Gbit/s"},
            "access": {
                "between": ["router", "modem"],
                "rate": "1 Gbit/s",
                "queue": {"kind": "tbf", "rate": f"{round(shaper * 1000)} kbit/s", "queue": "fq-codel"},
                "reverse": {"queue": "tail-drop"},
            },
            "uplink": {
                "between": ["modem", "server"],
                "delay": "25 ms",
                "queue": {"kind": "tail-drop", "limit": "1000 packets"},
                "reverse": {"rate": "100 Mbit/s", "changes": []},
                **uplink.link(traces),
            },
        },
        flows={
            "upload": {
                "from": "client",
                "to": "server",
                "app": "bulk",
                "transport": {"kind": "tcp", "congestion": "cubic"},
                "count": 2,
                "start_jitter": "100 ms",
            },
            "ping": {"from": "client", "to": "server", "app": {"kind": "ping", "interval": "50 ms"}},
        },
    )


def controller(uplink: Uplink) -> Autorate:
    """Autorate between the link's low and high rate, with the fixed shaper's rate as its base."""
    upload = Direction("access.forward", uplink.low * MBIT, 0.8 * uplink.mean * MBIT, uplink.high * MBIT)
    return Autorate("ping", upload=upload)


def results(uplink: Uplink, traces: Path, seeds: int, duration: str = "120 s") -> dict[str, Result]:
    """Runs of one uplink, by the shaper."""
    fixed, least = 0.8 * uplink.mean, uplink.low
    run = jettison.run
    return {
        "none": run(scenario(uplink, 1000, traces, duration), seeds=seeds),
        "fixed, 80 % of the mean": run(scenario(uplink, fixed, traces, duration), seeds=seeds),
        "fixed, the low rate": run(scenario(uplink, least, traces, duration), seeds=seeds),
        "controller": run(
            scenario(uplink, fixed, traces, duration), seeds=seeds, controllers={"autorate": controller(uplink)}
        ),
    }


def rows(uplink: Uplink, found: dict[str, Result]) -> list[str]:
    """Rows of the table: goodput of both uploads, percentiles of the ping."""
    lines: list[str] = []
    for shaper, result in found.items():
        goodput = result.mean("goodput", "all flows")
        rtt = [result.value("rtt", "ping", statistic=which) for which in ("p50", "p95", "p99")]
        figures = " | ".join(f"{value:.0f} ms" for value in rtt)
        lines.append(f"| {uplink.name} | {shaper} | {goodput:.2f} Mbit/s | {figures} |")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="A shaper controller on links whose rate varies")
    parser.add_argument("--traces", type=Path, default=Path("scenarios/octopus/traces"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--duration", default="120 s")
    arguments = parser.parse_args()
    print("| uplink | shaper | goodput | RTT p50 | p95 | p99 |\n| --- | --- | --- | --- | --- | --- |")
    for uplink in UPLINKS:
        found = results(uplink, arguments.traces.resolve(), arguments.seeds, arguments.duration)
        print("\n".join(rows(uplink, found)))


if __name__ == "__main__":
    main()
