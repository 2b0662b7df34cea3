"""A closed loop around an AQM in P4: iRED's thresholds follow the rate of its link.

iRED (``p4/ired.p4``) has thresholds in packets. On a link whose rate changes, fixed thresholds are a long delay while the link is
slow, and too little of a queue while it is fast. The switch reports its queue by digests (``WITH_REPORTS``); the controller sets the
thresholds to what the link sends in the delays that it wants::

    python -m jettison.examples.threshold_loop --seeds 5

prints the table of the page "Controllers of P4 switches" of the book.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

import jettison
from jettison.p4 import Digest, Network, Switch
from jettison.queues import nanoseconds
from jettison.result import Result
from jettison.scenario import Value

STEPS = (20, 5, 40, 10)
"""Rates of the bottleneck in Mbit/s, one per 15 s."""

PAPER = {"min": 280, "max": 560}
"""iRED's thresholds in tenths of a packet for the paper's buffer of 64 packets."""


class ThresholdLoop:
    """Sets iRED's thresholds of one port from its reports.

    Args:
        link: The link whose port is controlled.
        low: Delay at the lower threshold; the upper threshold is at twice the delay.
        latency: Latency of the control channel, each way.
    """

    def __init__(self, link: str, low: str = "20 ms", latency: str = "1 ms") -> None:
        self.link = link
        self.low = nanoseconds(low) / 1e9
        self.latency = latency
        self.rate = 0.0

    def start(self, network: Network) -> None:
        """Asks for the reports, and begins with the paper's thresholds."""
        switch = network["s1"]
        self.port = switch.ports[self.link]
        switch.digest("queue_report_t").enable(max_list=1)
        switch.table("ired").insert({"egress_port": self.port}, "set_ired", _parameters(PAPER))

    def on_digest(self, switch: Switch, digest: Digest) -> None:
        """Measures the rate of the link, and sets the thresholds by it.

        What a port sends is its link's rate only while packets wait; a report without a queue says no more than that the rate is
        at least that.
        """
        for report in digest.messages:
            if report["port"] != self.port:
                continue
            rate = report["packets"] / (report["span"] / 1e6)
            busy = report["waited"] / report["packets"] / 1e6 > self.low / 2
            if busy or rate > self.rate:
                self.rate = rate
        if self.rate:
            low = max(10, round(10 * self.rate * self.low))
            thresholds = {"min": low, "max": 2 * low}
            switch.table("ired").modify({"egress_port": self.port}, "set_ired", _parameters(thresholds))
        digest.acknowledge()


def _parameters(thresholds: Mapping[str, int]) -> dict[str, int]:
    """Parameters of ``set_ired``: the thresholds, and the paper's constant probability of 2/512."""
    return {**thresholds, "is_ewma": 0, "is_squared": 0, "first": 2, "largest": 511}


def scenario(duration: str = "60 s", steps: tuple[int, ...] = STEPS) -> jettison.Scenario:
    """Four downloads (CUBIC) and a ping through a switch with iRED, in front of a link whose rate changes."""
    changes: list[Value] = [
        {"at": f"{15 * number} s", "rate": f"{rate} Mbit/s"} for number, rate in enumerate(steps) if number > 0
    ]
    return jettison.Scenario(
        name="threshold-loop",
        duration=duration,
        warm_up="5 s",
        nodes={
            "server": {"kind": "host"},
            "s1": {
                "kind": "p4",
                "program": "<ired.p4>",
                "define": ["WITH_REPORTS"],
                "route": "table_add ipv4_lpm send ${address}/32 => ${port}",
                "control": [
                    "mirroring_add 100 0",
                    "mirroring_add 101 1",
                    f"table_set_default ired set_ired {PAPER['min']} {PAPER['max']} 0 0 2 511",
                ],
                "stream": "ired",
            },
            "client": {"kind": "host"},
        },
        links={
            "access": {"between": ["server", "s1"], "rate": "1 Gbit/s", "delay": "1 ms"},
            "bottleneck": {
                "between": ["s1", "client"],
                "rate": f"{steps[0]} Mbit/s",
                "delay": "19 ms",
                "changes": changes,
                "queue": {"kind": "tail-drop", "limit": "400 packets"},
                "reverse": {"rate": "100 Mbit/s", "changes": []},
            },
        },
        flows={
            "download": {
                "from": "server",
                "to": "client",
                "app": "bulk",
                "transport": {"kind": "tcp", "congestion": "cubic"},
                "count": 4,
                "start_jitter": "100 ms",
            },
            "ping": {"from": "server", "to": "client", "app": {"kind": "ping", "interval": "20 ms"}},
        },
    )


def results(seeds: int, duration: str = "60 s") -> dict[str, Result]:
    """Runs with fixed thresholds, and with the loop."""
    network = scenario(duration)
    return {
        "the paper's thresholds": jettison.run(network, seeds=seeds),
        "loop, 20 ms": jettison.run(network, seeds=seeds, controller=ThresholdLoop("bottleneck")),
    }


def rows(found: Mapping[str, Result]) -> list[str]:
    """Rows of the table: goodput of the downloads, percentiles of the ping."""
    lines: list[str] = []
    for name, result in found.items():
        goodput = result.mean("goodput", "all flows")
        delays = [result.value("rtt", "ping", statistic=which) for which in ("p50", "p95", "p99")]
        figures = " | ".join(f"{value:.0f} ms" for value in delays)
        lines.append(f"| {name} | {goodput:.2f} Mbit/s | {figures} |")
    return lines


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description="iRED's thresholds in a closed loop")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--duration", default="60 s")
    arguments = parser.parse_args()
    print("| thresholds | goodput | RTT p50 | p95 | p99 |\n| --- | --- | --- | --- | --- |")
    print("\n".join(rows(results(arguments.seeds, arguments.duration))))


if __name__ == "__main__":
    main()
