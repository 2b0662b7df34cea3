"""A flow cache: a controller that adds an entry per flow on demand, and removes the entries that are idle.

The switch runs ``p4/flow_cache.p4``. Prints what the cache costs a ping whose interval is longer than the idle timeout::

    python -m jettison.examples.flow_cache
"""

from __future__ import annotations

from collections.abc import Sequence

import jettison
from jettison.p4 import Entry, Network, PacketIn, Switch

IPV4_SOURCE = 14 + 12
"""Place of the source address in an Ethernet frame."""


class FlowCache:
    """Answers each packet of an unknown flow by an entry, and sends the packet on."""

    def __init__(self, idle_timeout: str = "500 ms", latency: str = "0 ms") -> None:
        self.idle_timeout = idle_timeout
        self.latency = latency
        self.misses = 0
        self.evictions = 0
        self.ports: dict[int, int] = {}

    def start(self, network: Network) -> None:
        """Learns the ports of the hosts, whose links have their names."""
        switch = network["s1"]
        self.ports = {int(network.addresses[host]): port for host, port in switch.ports.items()}

    def on_packet_in(self, switch: Switch, packet: PacketIn) -> None:
        """Adds an entry for the packet's flow, unless one has been added meanwhile."""
        self.misses += 1
        source, destination = (packet.payload[at : at + 4] for at in (IPV4_SOURCE, IPV4_SOURCE + 4))
        protocol = packet.payload[23]
        port = self.ports.get(int.from_bytes(destination, "big"))
        if port is None:
            return
        flow = {"src": source, "dst": destination, "protocol": protocol}
        flows = switch.table("flows")
        if flows.find(flow) is None:
            flows.insert(flow, "send", idle_timeout=self.idle_timeout, port=port)
        switch.packet_out(packet.payload, egress_port=port, again=0)

    def on_idle_timeout(self, switch: Switch, entries: Sequence[Entry]) -> None:
        """Removes idle entries."""
        for entry in entries:
            switch.table("flows").delete(entry)
            self.evictions += 1


def scenario(interval: str = "1 s", duration: str = "20 s") -> jettison.Scenario:
    """Two hosts at a switch; a ping, whose interval decides whether its flow stays in the cache."""
    link = {"rate": "100 Mbit/s", "delay": "1 ms"}
    return jettison.Scenario(
        name="flow-cache",
        duration=duration,
        nodes={
            "a": {"kind": "host"},
            "s1": {"kind": "p4", "program": "<flow_cache.p4>", "cpu_port": 510},
            "b": {"kind": "host"},
        },
        links={"a": {"between": ["a", "s1"], **link}, "b": {"between": ["s1", "b"], **link}},
        flows={"ping": {"from": "a", "to": "b", "app": {"kind": "ping", "interval": interval}}},
    )


def main() -> None:
    """Prints the table."""
    print("| ping every | control channel | RTT p50 | RTT p95 |\n| --- | --- | --- | --- |")
    for interval in ("100 ms", "1 s"):
        for latency in ("0 ms", "5 ms"):
            result = jettison.run(scenario(interval), seeds=1, controller=FlowCache(latency=latency))
            middle, high = (result.value("rtt", "ping", statistic=which) for which in ("p50", "p95"))
            print(f"| {interval} | {latency} each way | {middle:.2f} ms | {high:.2f} ms |")


if __name__ == "__main__":
    main()
