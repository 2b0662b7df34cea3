"""Controllers of P4 switches: what they are told, what they change, and how they fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import jettison
from jettison import _jettison
from jettison.examples.flow_cache import FlowCache
from jettison.examples.flow_cache import scenario as cached
from jettison.examples.threshold_loop import ThresholdLoop
from jettison.examples.threshold_loop import scenario as looped
from jettison.p4 import Digest, Network, PacketIn, Rates, Switch
from jettison.p4.controller import prepare
from jettison.p4.values import criterion, number
from jettison.running import _source_of  # pyright: ignore[reportPrivateUsage]
from jettison.scenario import Value

LEARNING = Path(__file__).parents[2] / "crates" / "p4-runtime" / "tests" / "all" / "learning.p4"
SECOND = 10**9

kept: list[Any] = []
"""Copies of controllers after their runs; every run has its own."""


def learning(duration: str = "3 s", **node: Value) -> jettison.Scenario:
    """Three hosts at a learning switch; two pings."""
    link = {"rate": "100 Mbit/s", "delay": "1 ms"}
    return jettison.Scenario(
        name="learning",
        duration=duration,
        nodes={
            **{host: {"kind": "host"} for host in ("spare", "a", "b", "c")},
            "s1": {"kind": "p4", "program": str(LEARNING), "cpu_port": 510, **node},
        },
        links={host: {"between": [host, "s1"], **link} for host in ("spare", "a", "b", "c")},
        flows={
            "ab": {"from": "a", "to": "b", "app": {"kind": "ping", "interval": "100 ms"}},
            "cb": {"from": "c", "to": "b", "app": {"kind": "ping", "interval": "100 ms"}},
        },
    )


class Learning:
    """Learns addresses by digests; floods frames to unknown ones."""

    def __init__(self, latency: str = "0 ms") -> None:
        self.latency = latency
        self.learned: list[tuple[int, str, int]] = []
        self.flooded = 0

    def start(self, network: Network) -> None:
        self.network = network
        self.switch = network["s1"]
        self.switch.digest("learn_t").enable(max_list=1, ack_timeout="1 s")
        network.at(int(2.9 * SECOND), self.finish)

    def on_digest(self, switch: Switch, digest: Digest) -> None:
        for message in digest.messages:
            address, port = message["address"], message["port"]
            self.learned.append((self.network.now, f"{address:012x}", port))
            switch.table("smac").insert({"src": address, "ingress_port": port}, "NoAction")
            switch.table("dmac").insert({"dst": address}, "forward", port=port)
        digest.acknowledge()

    def on_packet_in(self, switch: Switch, packet: PacketIn) -> None:
        self.flooded += 1
        for port in switch.ports.values():
            # Port 0 of this program's packet-outs means its tables.
            if port not in (0, packet["ingress_port"]):
                switch.packet_out(packet.payload, egress_port=port)

    def finish(self) -> None:
        self.entries = self.switch.table("dmac").entries()
        self.counts = self.switch.counter("per_port").read_all()
        kept.append(self)


def run(controller: object, scenario: jettison.Scenario | None = None, **arguments: Any) -> jettison.Result:
    kept.clear()
    return jettison.run(scenario or learning(), seeds=1, controller=controller, **arguments)  # pyright: ignore[reportArgumentType]


def test_a_learning_switch_floods_until_it_has_learned() -> None:
    result = run(Learning())
    switch = kept[0]
    assert sorted(port for _, _, port in switch.learned) == [1, 2, 3]
    # The first request of each ping goes to an address that nobody has sent from.
    assert 1 <= switch.flooded <= 3
    assert {entry.action for entry in switch.entries} == {"forward"} and len(switch.entries) == 3
    for entry in switch.entries:
        assert entry.counter is not None and entry.counter.packets > 20
    assert sum(count.packets for count in switch.counts) > 100
    for flow in ("ab", "cb"):
        replies = result.flows.filter(metric="rtt", object=flow, seed=1)
        assert len(replies) > 0
        assert 4.0 <= result.value("rtt", flow, statistic="p50") < 4.2


def test_equal_seeds_give_equal_runs_and_latency_delays_what_the_controller_learns() -> None:
    run(Learning())
    first = kept[0]
    run(Learning())
    assert kept[0].learned == first.learned
    run(Learning("10 ms"))
    late = kept[0]
    # The request for digests takes 10 ms, and so does each digest; packets are flooded by way of the controller meanwhile.
    assert late.learned[0][0] >= first.learned[0][0] + 20_000_000
    assert sorted(port for _, _, port in late.learned) == [1, 2, 3] and late.flooded > first.flooded


@pytest.mark.parametrize(("interval", "missed"), [("100 ms", 2), ("1 s", 2 * 5)])
def test_a_flow_cache_keeps_flows_only_while_they_send(interval: str, missed: int) -> None:
    class Counting(FlowCache):
        def start(self, network: Network) -> None:
            super().start(network)
            network.at(int(4.99 * SECOND), lambda: kept.append((self.misses, self.evictions)))

    result = run(Counting(latency="1 ms"), cached(interval, "5 s"))
    misses, evictions = kept[0]
    assert abs(misses - missed) <= 2
    assert evictions == (0 if interval == "100 ms" else pytest.approx(misses - 2, abs=2))
    # A packet that the controller sends on is still that of its flow: the ping gets its replies, some 4 ms later.
    rtt = result.value("rtt", "ping", statistic="p50")
    assert rtt == pytest.approx(4.0 if interval == "100 ms" else 8.0, abs=0.3)


def test_thresholds_that_follow_the_rate_keep_the_delay_where_the_papers_do_not() -> None:
    steps = (20, 5)
    network = looped("30 s", steps)
    fixed = jettison.run(network, seeds=1)
    loop = jettison.run(network, seeds=1, controller=ThresholdLoop("bottleneck"))
    slow, fast = (result.value("rtt", "ping", statistic="p95") for result in (fixed, loop))
    assert fast < 0.75 * slow
    assert loop.mean("goodput", "all flows") > 0.85 * fixed.mean("goodput", "all flows")


def test_timers_come_at_their_times_and_in_order() -> None:
    class Timed:
        period = "700 ms"

        def __init__(self) -> None:
            self.calls: list[tuple[str, int]] = []

        def start(self, network: Network) -> None:
            self.network = network
            network.at("1 s", self.note, "at")
            network.after("1.5 s", self.note, "after")
            self.every = network.every("400 ms", self.tick)
            network.at(int(2.9 * SECOND), lambda: kept.append(self.calls))

        def note(self, name: str) -> None:
            self.calls.append((name, self.network.now))

        def tick(self) -> None:
            self.note("every")
            if self.network.now >= 1_200_000_000:
                self.every.cancel()

        def on_timer(self, network: Network, now: int) -> None:
            self.note("period")

    run(Timed())
    ms = 1_000_000
    assert kept[0] == [
        ("every", 400 * ms),
        ("period", 700 * ms),
        ("every", 800 * ms),
        ("at", 1000 * ms),
        ("every", 1200 * ms),
        ("period", 1400 * ms),
        ("after", 1500 * ms),
        ("period", 2100 * ms),
        ("period", 2800 * ms),
    ]


class Once:
    """Does something at the start."""

    def __init__(self, latency: str = "0 ms") -> None:
        self.latency = latency

    def start(self, network: Network) -> None:
        self.do(network["s1"])

    def do(self, switch: Switch) -> None:
        raise NotImplementedError


def test_all_kinds_of_entities_are_written_and_read() -> None:
    class All(Once):
        def do(self, switch: Switch) -> None:
            acl = switch.table("acl")
            acl.insert(
                {
                    "kind": (0x800, 0xFFFF),
                    "ingress_port": (1, 2),
                    "src": "00:00:00:00:00:01",
                    "dst": ("02:00:00:00:00:00", 8),
                },
                "set_port",
                priority=7,
                rates=Rates(1000, 2000, 3000, 4000),
                port=2,
            )
            acl.insert({}, "NoAction", priority=1)
            found, other = sorted(acl.entries(), key=lambda entry: -entry.priority)
            assert found.match["hdr.ethernet.kind"] == (0x800, 0xFFFF) and other.match == {}
            assert found.match["hdr.ethernet.dst"] == (0x020000000000, 8)
            assert found.params == {"port": 2} and found.rates == Rates(1000, 2000, 3000, 4000)
            acl.set_rates(found, None)
            acl.modify(found, "set_port", port=1)
            assert acl.find(
                {"kind": 0x800, "ingress_port": (1, 2), "src": 1, "dst": "0x020000000000/8"}, priority=7
            ).params == {"port": 1}  # pyright: ignore[reportOptionalMemberAccess]
            acl.clear()
            assert acl.entries() == []
            paths = switch.profile("ecmp")
            paths.add(1, "set_port", port=1)
            paths.add(2, "set_port", port=2)
            paths.set_group(5, {1: 3, 2: 1})
            assert paths.members() == {1: ("set_port", {"port": 1}), 2: ("set_port", {"port": 2})}
            assert paths.groups() == {5: {1: 3, 2: 1}}
            switch.table("paths").insert({"kind": 0x86DD}, group=5)
            switch.table("paths").insert(
                {"kind": 0x806}, action_set=[(2, "set_port", {"port": 1}), (1, "NoAction", {})]
            )
            assert next(entry.group for entry in switch.table("paths").entries()) == 5
            switch.counter("per_port").write(3, 4, 400)
            assert switch.counter("per_port").read(3).packets == 4
            switch.counter("per_port").reset()
            assert switch.counter("per_port").read(3).packets == 0
            switch.meter("meters").set(Rates(1, 2, 3, 4), 2)
            assert switch.meter("meters").read(2) == Rates(1, 2, 3, 4) and switch.meter("meters").read(1) is None
            switch.register("last").write(4, "00:00:00:00:00:2a")
            assert switch.register("last").read(4) == 42 and switch.register("last").read_all()[5] == 0
            switch.multicast(1, [0, (1, 9)])
            switch.multicast(1, [2])
            assert switch.multicast_groups() == {1: [(2, 0)]}
            switch.delete_multicast(1)
            switch.clone_session(3, [510], max_length=64)
            switch.delete_clone_session(3)
            dmac = switch.table("dmac")
            dmac.insert({"dst": 5}, "flood", {"group": 1})
            assert [entry.params for entry in dmac.entries()] == [{"group": 1}]
            dmac.set_default("flood", group=1)
            assert dmac.default().action == "flood"
            dmac.reset_default()
            assert dmac.default().action == "to_cpu"
            switch.digest("learn_t").enable()
            switch.digest("learn_t").disable()
            kept.append("done")

    run(All(), learning("100 ms"))
    assert kept == ["done"]


@pytest.mark.parametrize(
    ("do", "message"),
    [
        (lambda switch: switch.table("dmca"), "unknown table `dmca`; did you mean `dmac`?"),
        (lambda switch: switch.digest("learn"), "unknown digest `learn`; did you mean `learn_t`?"),
        (lambda switch: switch.table("dmac").insert({"dst": 1}, "forwrd", port=1), "did you mean `forward`?"),
        (lambda switch: switch.table("dmac").insert({"dst": 1}, "forward", prt=1), "has no parameter `prt`"),
        (lambda switch: switch.table("dmac").insert({"dst": 1 << 48}, "to_cpu"), "must fit in 48 bits"),
        (lambda switch: switch.table("dmac").insert({"dst": "nowhere"}, "to_cpu"), "a value must be an integer"),
        (lambda switch: switch.register("last").write(16, 1), "16"),
        (lambda switch: switch.packet_out(b"", port=1), "the header `packet_out` has no field `port`"),
    ],
)
def test_a_wrong_name_or_value_ends_the_run_with_the_nearest_right_one(do: Any, message: str) -> None:
    class Wrong(Once):
        def do(self, switch: Switch) -> None:
            do(switch)

    with pytest.raises(jettison.ControllerError) as caught:
        run(Wrong(), learning("100 ms"))
    assert message in str(caught.value)


def test_what_a_switch_refuses_can_be_caught_or_ends_the_run() -> None:
    class Twice(Once):
        def do(self, switch: Switch) -> None:
            switch.table("dmac").insert({"dst": 1}, "to_cpu")
            try:
                switch.table("dmac").insert({"dst": 1}, "to_cpu")
            except jettison.ControllerError as error:
                kept.append(error.code)

    run(Twice(), learning("100 ms"))
    assert kept == ["ALREADY_EXISTS"]
    with pytest.raises(
        jettison.ControllerError, match=r"a switch refused a request at 5 ms: .*already exists"
    ) as caught:
        run(Twice("5 ms"), learning("100 ms"))
    assert caught.value.code == "ALREADY_EXISTS"


def test_an_exception_has_its_place_and_a_switch_is_out_of_reach_afterwards() -> None:
    class Broken(Once):
        def do(self, switch: Switch) -> None:
            kept.append(switch)
            raise ZeroDivisionError("of its own")

    with pytest.raises(ZeroDivisionError) as caught:
        run(Broken(), learning("100 ms"))
    notes: list[str] = getattr(caught.value, "__notes__", ["in controller `Broken`"])
    assert notes[0].startswith("in controller `Broken`")
    with pytest.raises(jettison.ControllerError, match="only while a run calls its controller"):
        kept[0].table("dmac")


@pytest.mark.parametrize(
    ("controller", "message"),
    [
        (Learning, "must be an object, got the class `Learning`"),
        (object(), "must have one of the methods"),
        (
            type("Typo", (), {"on_digests": lambda self: None})(),
            "unknown method `on_digests`; did you mean `on_digest`?",
        ),
        (type("Late", (), {"start": lambda self: None, "latency": "soon"})(), "`latency` must be a time"),
        (type("Idle", (), {"on_timer": lambda self: None})(), "`on_timer` and `period` require each other"),
    ],
)
def test_a_controller_that_cannot_be_one_is_refused_before_the_run(controller: object, message: str) -> None:
    with pytest.raises(jettison.ControllerError) as caught:
        run(controller)
    assert message in str(caught.value)


def test_a_network_without_p4_switches_or_a_switch_without_a_cpu_port_is_refused() -> None:
    link = {"rate": "10 Mbit/s", "delay": "1 ms"}
    plain = jettison.Scenario(
        name="plain",
        duration="1 s",
        nodes={"a": {"kind": "host"}, "b": {"kind": "host"}},
        links={"l": {"between": ["a", "b"], **link}},
        flows={"ping": {"from": "a", "to": "b", "app": {"kind": "ping", "interval": "100 ms"}}},
    )
    with pytest.raises(jettison.JettisonError, match='no node of kind "p4"'):
        jettison.run(plain, seeds=1, controller=Learning())

    class Sends(Once):
        def do(self, switch: Switch) -> None:
            switch.packet_out(bytes(60), egress_port=1)

    with pytest.raises(jettison.ControllerError, match="the switch has no CPU port; set `cpu_port` of its node"):
        run(Sends(), without_cpu_port())
    with pytest.raises(jettison.ScenarioError, match="`cpu_port` must be from 4 to 510, got 2"):
        _ = learning(cpu_port=2).checked


def without_cpu_port() -> jettison.Scenario:
    """The learning switch without a CPU port."""
    text = learning("100 ms").to_toml()
    return jettison.Scenario.from_toml("\n".join(line for line in text.splitlines() if not line.startswith("cpu_port")))


def test_finished_runs_are_kept_by_the_controllers_state(tmp_path: Path) -> None:
    scenario = learning("200 ms")
    sources = [
        _source_of(controller)  # pyright: ignore[reportPrivateUsage]
        for controller in (Learning(), Learning(), Learning("1 ms"))
    ]
    assert sources[0] == sources[1] != sources[2]
    first = jettison.run(scenario, seeds=1, controller=Learning(), out=tmp_path / "out")
    again = jettison.run(scenario, seeds=1, controller=Learning(), out=tmp_path / "out")
    assert first.status == again.status == "complete"


def test_a_fork_of_a_run_goes_on_as_its_parent_does() -> None:
    whole, parent, fork = _jettison.forked([], [], cached("1 s", "4 s").to_toml(), 2 * SECOND, 0, prepare(FlowCache()))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownVariableType, reportUnknownMemberType]
    assert whole == parent == fork


def test_values_are_numbers_addresses_and_bytes() -> None:
    assert [number(value) for value in (5, b"\x01\x00", "0x1f", "10.0.0.1", "::1", "00:00:00:00:01:00")] == [
        5,
        256,
        31,
        0x0A000001,
        1,
        256,
    ]
    assert criterion("10.0.0.0/8") == {"prefix": ["0xa000000", 8]}
    assert criterion((1, 3)) == {"pair": ["0x1", "0x3"]}
    for wrong in ("10.0.0.0/x", "a word", 1.5, None):
        with pytest.raises(jettison.ControllerError):
            criterion(wrong)  # pyright: ignore[reportArgumentType]
