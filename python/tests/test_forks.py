"""Forks of runs: what is copied of queue disciplines and controllers in Python, and what refuses."""

from __future__ import annotations

import random as randomness
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest

from jettison import _jettison
from jettison.controllers import Link, Probe, prepare
from jettison.errors import JettisonError
from jettison.queues import Packet, Registered

SCENARIO = """
name = "forked"
duration = "2 s"
warm_up = "500 ms"
gauges = true

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.narrow]
between = ["a", "b"]
rate = "8 Mbit/s"
delay = "5 ms"
queue = { kind = "tbf", rate = "6 Mbit/s", queue = "moody" }

[flows.bulk]
from = "a"
to = "b"
app = "bulk"
count = 2

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "50 ms" }
"""


class Moody:
    """Takes packets from either end, and marks and drops some."""

    def __init__(self, random: randomness.Random) -> None:
        self.random = random
        self.waiting: list[Packet] = []
        self.newest: Packet | None = None

    def enqueue(self, packet: Packet, now: int) -> bool:
        if len(self.waiting) >= 30 or self.random.random() < 0.005:
            return False
        packet.mark()
        self.waiting.append(packet)
        self.newest = packet
        return True

    def dequeue(self, now: int) -> Packet | None:
        if not self.waiting:
            return None
        taken = self.waiting.pop(-1 if self.random.random() < 0.1 else 0)
        if taken is self.newest:
            self.newest = None
        return taken

    def gauges(self) -> dict[str, float]:
        return {"drawn": self.random.getstate()[1][-1], "newest": -1 if self.newest is None else self.newest.id}


class Halve:
    """Sets two rates in turn, and counts its observations."""

    links: Sequence[str] = ("narrow.forward",)
    probes: Sequence[str] = ("echo",)
    period = "70 ms"

    def __init__(self) -> None:
        self.seen = 0

    def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> Mapping[str, float]:
        self.seen += 1
        return {"narrow.forward": 6e6 if self.seen % 5 else 3e6 + 1e3 * len(probes)}


def forked(discipline: type, controller: Any, at: int, draw: int = 0) -> list[bytes]:
    """The record of a run, of one that was forked, and of the fork."""
    run: Callable[..., list[list[int]]] | None = getattr(_jettison, "forked", None)
    if run is None:
        pytest.skip(
            "left out: the module was built without its feature `testing` (scripts/python.sh builds it with it)"
        )
    records = run([Registered(discipline, "moody")], prepare({"halve": controller}), SCENARIO, at, draw)
    return [bytes(record) for record in records]


@pytest.mark.parametrize("at", [1, 700_000_000, 1_234_567_891])
def test_a_fork_has_copies_of_the_discipline_its_packets_and_the_controller(at: int) -> None:
    whole, parent, fork = forked(Moody, Halve(), at)
    assert parent == whole
    assert fork == whole


def test_a_fork_with_fresh_draws_seeds_the_generator_anew() -> None:
    at = 700_000_000
    whole, parent, fresh = forked(Moody, Halve(), at, draw=1)
    assert parent == whole
    assert fresh != whole
    assert forked(Moody, Halve(), at, draw=1)[2] == fresh
    assert forked(Moody, Halve(), at, draw=2)[2] not in (fresh, whole)


def test_what_cannot_be_copied_says_so() -> None:
    class Stubborn(Moody):
        forkable = False

    class Streaming(Moody):
        def __init__(self, random: randomness.Random) -> None:
            super().__init__(random)
            self.numbers = (number for number in range(10))

    class Alone(Halve):
        forkable = False

    place = r"^cannot fork: queue `narrow.forward`: queue discipline `moody` cannot be copied: "
    with pytest.raises(JettisonError, match=place + "TypeError: its class sets `forkable = False`"):
        forked(Stubborn, Halve(), 10**9)
    with pytest.raises(JettisonError, match=place + "TypeError: cannot pickle 'generator' object"):
        forked(Streaming, Halve(), 10**9)
    place = r"^cannot fork: controller `halve`: the object cannot be copied: "
    with pytest.raises(JettisonError, match=place + "TypeError: its class sets `forkable = False`"):
        forked(Moody, Alone(), 10**9)


def test_a_packet_cannot_be_copied_apart_from_its_queue() -> None:
    import copy

    class Copier(Moody):
        def enqueue(self, packet: Packet, now: int) -> bool:
            copy.deepcopy(packet)
            return super().enqueue(packet, now)

    with pytest.raises(TypeError, match="a packet cannot be copied apart from its queue"):
        forked(Copier, Halve(), 10**9)
