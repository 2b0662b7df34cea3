from __future__ import annotations

import gc
import json
import os
import pickle
import random as randomness
import signal
import sys
import threading
import time
import traceback
from collections import deque
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import jettison
from jettison import DisciplineError, Scenario, ScenarioError, _jettison
from jettison.errors import JettisonError
from jettison.queues import DROP_REASONS, Discipline, Drop, Packet, Registered, nanoseconds


class Fifo:
    """A FIFO with a limit in packets."""

    def __init__(self, limit: int = 40) -> None:
        self.limit = limit
        self.waiting: deque[Packet] = deque()

    def enqueue(self, packet: Packet, now: int) -> bool:
        if len(self.waiting) >= self.limit:
            raise Drop("buffer-full")
        self.waiting.append(packet)
        return True

    def dequeue(self, now: int) -> Packet | None:
        return self.waiting.popleft() if self.waiting else None


class Whimsical(Fifo):
    """Marks, drops at any position, and waits, at random."""

    def __init__(self, random: randomness.Random, limit: int = 9, wait: str = "50 us") -> None:
        super().__init__(limit)
        self.random = random
        self.wait = nanoseconds(wait)
        self.due: int | None = None

    def enqueue(self, packet: Packet, now: int) -> bool:
        if self.random.random() < 0.1:
            return False
        if self.random.random() < 0.2:
            packet.mark()
        if len(self.waiting) >= self.limit:
            victim = self.random.randrange(len(self.waiting))
            self.waiting[victim].drop("red-early")
            del self.waiting[victim]
        self.waiting.append(packet)
        if self.random.random() < 0.1:
            self.waiting.pop().drop()
        return True

    def dequeue(self, now: int) -> Packet | None:
        while self.waiting and self.random.random() < 0.1:
            self.waiting.popleft().drop("codel")
        if self.due is None and self.waiting and self.random.random() < 0.3:
            self.due = now + self.wait
        if self.due is not None:
            return None
        return self.waiting.popleft() if self.waiting else None

    def next_wakeup(self) -> int | None:
        return self.due

    def handle_wakeup(self, now: int) -> None:
        self.due = None


class Lifo:
    """Serves the flow of the newest packet, oldest packet first."""

    def __init__(self, **options: Any) -> None:
        self.flows: dict[int, deque[Packet]] = {}
        self.options = options

    def enqueue(self, packet: Packet, now: int) -> bool:
        assert packet.five_tuple is not None
        queue = self.flows.pop(packet.flow_hash, deque())
        queue.append(packet)
        self.flows[packet.flow_hash] = queue
        return True

    def dequeue(self, now: int) -> Packet | None:
        if not self.flows:
            return None
        newest = next(reversed(self.flows))
        packet = self.flows[newest].popleft()
        if not self.flows[newest]:
            del self.flows[newest]
        return packet


def drive(
    classes: list[Any], value: Any, operations: list[tuple[str, list[int]]], seed: int = 1
) -> tuple[list[tuple[int, int]], list[tuple[int, str, int]], list[tuple[int, str, int]]]:
    """The operations of `crates/queue/tests/driver`, which checks invariants after each."""
    run = getattr(_jettison, "drive", None)
    if run is None:
        pytest.skip(
            "left out: the module was built without its feature `testing` (scripts/python.sh builds it with it)"
        )
    return run([Registered(one) for one in classes], json.dumps(value), operations, seed)


U8 = st.integers(0, 255)
LABELLED = st.tuples(
    st.integers(0, 3), st.integers(0, 2), U8, U8, st.integers(0, 7), U8, st.just(0) | st.integers(0, 2999), st.integers(0, 39),
    st.integers(48, 1599),
)  # fmt: skip
OPERATION = st.one_of(
    LABELLED.map(lambda fields: ("message", list(fields))),
    st.tuples(st.integers(0, 11), st.integers(20, 1599), st.integers(0, 3)).map(
        lambda fields: ("enqueue", list(fields))
    ),
    st.integers(1, 3).map(lambda count: ("dequeue", [count])),
    st.integers(0, 3_000_000).map(lambda nanos: ("advance", [nanos])),
    st.integers(0, 20_000_000).map(lambda bits: ("capacity", [bits])),
)
OPERATIONS = st.lists(OPERATION, min_size=1, max_size=150)


@pytest.mark.parametrize(
    "value",
    [
        {"kind": "fifo", "limit": 5},
        {"kind": "whimsical"},
        {"kind": "whimsical", "limit": 3, "wait": "1 ms"},
        {"kind": "lifo", "colour": "blue"},
        {"kind": "priority", "bands": ["fifo", "codel", {"kind": "whimsical"}]},
        {"kind": "packet-rate", "rate": "900 packets/s", "queue": "fifo"},
    ],
    ids=str,
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(operations=OPERATIONS, seed=st.integers(0, 999))
def test_nothing_is_lost_invented_or_reordered_and_runs_repeat(
    value: Any, operations: list[tuple[str, list[int]]], seed: int
) -> None:
    classes = [Fifo, Whimsical, Lifo]
    assert drive(classes, value, operations, seed) == drive(classes, value, operations, seed)


def test_the_driver_sees_drops_marks_and_waits() -> None:
    generator = randomness.Random(1)
    operations: list[tuple[str, list[int]]] = []
    for _ in range(400):
        operations += [("enqueue", [generator.randrange(12), 1000, generator.randrange(4)]), ("dequeue", [1])]
        operations += [("advance", [100_000])] * generator.randrange(2)
    sent, drops, marks = drive([Whimsical], "whimsical", operations)
    assert len(sent) > 50
    assert {reason for _, reason, _ in drops} == {"python", "red-early", "codel"}
    assert {reason for _, reason, _ in marks} == {"python"}


def with_queue(small: Scenario, factory: Any, **parameters: Any) -> Scenario:
    registered = Registered(factory)
    return small.discipline(factory).set("links.bottleneck.queue", {"kind": registered.name, **parameters})


def plain(table: Any) -> list[dict[str, Any]]:
    return table.to_pylist()


def test_tail_drop_in_python_is_tail_drop(small: Scenario) -> None:
    ours = jettison.run(small, seeds=2)
    python = jettison.run(with_queue(small, Fifo, limit=40), seeds=2, jobs=2)
    for table in ("queues", "flows", "drops", "distributions", "runs"):
        assert plain(python.table(table)) == plain(ours.table(table)), table
    assert len(ours.drops) > 10


def test_runs_in_several_threads_do_not_deadlock(small: Scenario) -> None:
    scenario = with_queue(small, Whimsical).vary("flows.bulk.transport.congestion", ["cubic", "newreno"])
    told: list[int] = []
    one = jettison.run(scenario, seeds=3, jobs=4, progress=lambda _, finished, __: told.append(finished))
    other = jettison.run(scenario, seeds=3, jobs=1)
    assert plain(one.queues) == plain(other.queues)
    assert told[-1] == 6


def test_parameters_are_the_constructors_arguments(small: Scenario) -> None:
    scenario = small.discipline(Fifo)
    assert "limit = 40" in scenario.set("links.bottleneck.queue", "fifo").effective_toml()
    with pytest.raises(ScenarioError, match="did you mean `limit`"):
        scenario.set("links.bottleneck.queue", {"kind": "fifo", "limt": 3})
    with pytest.raises(ScenarioError, match="integer"):
        scenario.set("links.bottleneck.queue", {"kind": "fifo", "limit": "3 packets"})
    with pytest.raises(ScenarioError, match="did you mean `fifo`"):
        scenario.set("links.bottleneck.queue", "fiffo")
    with pytest.raises(ScenarioError, match="a duration must be a number with a unit"):
        small.discipline(Whimsical).set("links.bottleneck.queue", {"kind": "whimsical", "wait": "long"})


def test_names_are_checked(small: Scenario) -> None:
    with pytest.raises(ScenarioError, match="a queue discipline `codel` already exists"):
        small.discipline(Fifo, "codel").check()
    with pytest.raises(ScenarioError, match=r"a discipline's name must be .* got `Not This`"):
        small.discipline(Fifo, "Not This")
    with pytest.raises(ScenarioError, match="must be a class or another callable"):
        small.discipline(3)  # type: ignore[arg-type]

    class NoDequeue:
        def enqueue(self, packet: Packet, now: int) -> bool:
            return True

    with pytest.raises(ScenarioError, match="`NoDequeue` has no method `dequeue`"):
        with_queue(small, NoDequeue)
    assert Registered(Whimsical).summary.startswith("Marks, drops")
    assert isinstance(Fifo(), Discipline)


def test_a_scenario_with_a_discipline_pickles(small: Scenario) -> None:
    scenario = with_queue(small, Fifo, limit=7).set("duration", "1500 ms")
    again: Scenario = pickle.loads(pickle.dumps(scenario))
    assert again == scenario
    assert plain(jettison.run(again, seeds=1).queues) == plain(jettison.run(scenario, seeds=1).queues)


def test_attributes_of_a_packet(small: Scenario) -> None:
    seen: list[dict[str, Any]] = []

    class Looking(Fifo):
        def enqueue(self, packet: Packet, now: int) -> bool:
            names = ("size", "id", "flow", "arrived", "sent", "dscp", "traffic_class", "ecn", "five_tuple", "message")
            seen.append({name: getattr(packet, name) for name in names} | {"now": now, "text": repr(packet)})
            return super().enqueue(packet, now)

    jettison.run(with_queue(small, Looking).set("flows.bulk.transport.ecn", True), seeds=1)
    assert {packet["flow"] for packet in seen} == {0, 1}
    assert all(packet["arrived"] == packet["now"] >= packet["sent"] for packet in seen)
    largest = max(seen, key=lambda packet: packet["size"])
    assert largest["size"] == 1500
    assert largest["five_tuple"][2] == 6
    assert largest["ecn"] == 2
    assert largest["message"] is None
    assert f"packet {largest['id']} (1500 bytes of flow 0)" in largest["text"]


def test_marks_reach_the_sender(small: Scenario) -> None:
    class Marking(Fifo):
        def enqueue(self, packet: Packet, now: int) -> bool:
            if len(self.waiting) > 10:
                assert packet.mark() == (packet.ecn != 0)
            return super().enqueue(packet, now)

    result = jettison.run(with_queue(small, Marking, limit=400).set("flows.bulk.transport.ecn", True), seeds=1)
    assert result.mean("marks", "bottleneck.forward", part="python") > 0
    assert set(result.drops["outcome"].to_pylist()) == {"mark"}


def test_messages_show_their_labels() -> None:
    scenario = jettison.load("octopus/temporal", quick=True)
    seen: set[tuple[int, bool]] = set()

    class Looking(Fifo):
        def enqueue(self, packet: Packet, now: int) -> bool:
            if packet.message is not None:
                seen.add((packet.message.priority, packet.message.is_first))
            return super().enqueue(packet, now)

    link = scenario.to_dict()["links"]
    name = next(iter(link))
    changed = scenario.discipline(Looking).set({f"links.{name}.queue": "looking", "duration": "2 s", "warm_up": "0 s"})
    jettison.run(changed, seeds=1)
    assert {first for _, first in seen} == {True, False}


class Misbehaving(Fifo):
    """Violates one rule with the twentieth packet."""

    def __init__(self, what: str) -> None:
        super().__init__(40)
        self.what = what
        self.count = 0
        self.kept: list[Packet] = []

    def enqueue(self, packet: Packet, now: int) -> Any:
        self.count += 1
        if self.count != 20:
            return super().enqueue(packet, now)
        match self.what:
            case "raises":
                raise ZeroDivisionError("in the class")
            case "gives nothing":
                self.waiting.append(packet)
                return None
            case "loses":
                return True
            case "wrong reason":
                raise Drop("bufer-full")
            case "sends twice":
                self.waiting += [packet, packet]
                return True
            case "drops and sends":
                self.waiting.append(packet)
                packet.drop()
                return True
            case "drops twice":
                packet.drop()
                packet.drop()
            case "wakes in the past":
                self.next = now - 1
            case "wakes for ever":
                self.next = now
            case _:
                pass
        return super().enqueue(packet, now)

    def dequeue(self, now: int) -> Any:
        if self.count >= 20 and self.what == "gives a number":
            return 3
        return super().dequeue(now)


class Waking(Misbehaving):
    """The same with wakeups."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.next: Any = None

    def next_wakeup(self) -> Any:
        return "soon" if self.count >= 20 and self.what == "wakes soon" else self.next

    def handle_wakeup(self, now: int) -> None:
        pass


@pytest.mark.parametrize(
    ("what", "error", "message"),
    [
        ("raises", ZeroDivisionError, "in the class"),
        (
            "gives nothing",
            DisciplineError,
            r"`misbehaving`: enqueue\(\) must return True \(accepted\) or False \(dropped\), got None",
        ),
        ("loses", DisciplineError, r"packet \d+ \(\d+ bytes\) is lost: it was neither sent nor dropped"),
        ("wrong reason", ValueError, "did you mean `buffer-full`"),
        ("sends twice", DisciplineError, r"packet \d+ .*, which was already sent or dropped"),
        ("drops and sends", DisciplineError, r"packet \d+ .*, which was already sent or dropped"),
        ("drops twice", DisciplineError, r"cannot be dropped: it was already sent or dropped"),
        ("gives a number", DisciplineError, r"dequeue\(\) must return a packet or None, got 3"),
    ],
)
def test_violations_end_the_run(small: Scenario, what: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        jettison.run(with_queue(small, Misbehaving, what=what), seeds=4, jobs=2)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("wakes in the past", r"next_wakeup\(\) must return a time from now \(\d+ ns\) on, got \d+ ns"),
        ("wakes for ever", r"after the wakeup at \d+ ns, next_wakeup\(\) must return a later time"),
        ("wakes soon", r"next_wakeup\(\) must return nanoseconds or None, got 'soon'"),
    ],
)
def test_a_wakeup_must_be_ahead(small: Scenario, what: str, message: str) -> None:
    with pytest.raises(DisciplineError, match=message):
        jettison.run(with_queue(small, Waking, what=what), seeds=1)


def test_a_packet_of_another_queue_is_refused(small: Scenario) -> None:
    taken: list[Packet] = []

    class Swapping(Fifo):
        def dequeue(self, now: int) -> Packet | None:
            packet = super().dequeue(now)
            if packet is None:
                return None
            taken.append(packet)
            return taken[0]

    scenario = with_queue(small, Swapping).set("links.access.queue", "swapping")
    with pytest.raises(DisciplineError, match=r"which is in another queue|which was already sent or dropped"):
        jettison.run(scenario, seeds=1)


def test_an_exception_keeps_its_traceback(small: Scenario) -> None:
    with pytest.raises(ZeroDivisionError) as caught:
        jettison.run(with_queue(small, Misbehaving, what="raises"), seeds=1)
    lines = traceback.format_tb(caught.value.__traceback__)
    assert any("test_queues.py" in line and "in enqueue" in line for line in lines)


def test_the_driver_detects_violations_too() -> None:
    operations: list[tuple[str, list[int]]] = [("enqueue", [1, 1000, 0]), ("dequeue", [1])] * 30
    for what in ("sends twice", "loses", "raises", "drops twice"):
        with pytest.raises((DisciplineError, ZeroDivisionError)):
            drive([Misbehaving], {"kind": "misbehaving", "what": what}, operations)


def test_reasons_and_durations() -> None:
    assert {"python", "buffer-full", "stale-message"} <= set(DROP_REASONS)
    assert [nanoseconds(text) for text in ("5 ms", "1.5 us", "2s", 0.25)] == [5_000_000, 1500, 2 * 10**9, 250_000_000]
    with pytest.raises(ValueError, match="a duration must be a number with a unit"):
        nanoseconds("5")


class Hanging(Fifo):
    """Hangs one second into the run."""

    def enqueue(self, packet: Packet, now: int) -> bool:
        while now > 1_000_000_000:
            pass
        return super().enqueue(packet, now)


def test_ctrl_c_ends_a_discipline_that_hangs(small: Scenario) -> None:
    over = threading.Event()
    # Python ignores the signal where its parent did, as a shell does for what it starts in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)

    def interrupt() -> None:
        # Again and again: a signal that comes before the run has begun may be taken by what prepares it.
        while not over.wait(0.5):
            os.kill(os.getpid(), signal.SIGINT)

    def run() -> None:
        # A second signal may come while the first one ends the run: it ends inside the block that expects one.
        try:
            jettison.run(with_queue(small, Hanging), seeds=2, jobs=2)
        finally:
            over.set()

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        # A run that is not ended hangs here for good.
        with pytest.raises(KeyboardInterrupt):
            run()
    finally:
        over.set()
        thread.join()
        signal.signal(signal.SIGINT, before)


def test_exceptions_of_progress_are_raised_while_a_discipline_hangs(small: Scenario) -> None:
    def progress(*_: object) -> None:
        raise ValueError("enough")

    with pytest.raises(ValueError, match="enough"):
        jettison.run(with_queue(small, Hanging), seeds=1, progress=progress)


class InCycles(Fifo):
    """Loses a packet in a reference cycle, which only the garbage collector finds."""

    def enqueue(self, packet: Packet, now: int) -> bool:
        if packet.id == 30:
            cycle: list[Any] = [packet]
            cycle.append(cycle)
            return True
        return super().enqueue(packet, now)


def test_a_packet_lost_in_a_cycle_is_found_at_the_end(small: Scenario) -> None:
    gc.disable()
    try:
        with pytest.raises(DisciplineError, match=r"packet 30 .* is lost"):
            jettison.run(with_queue(small, InCycles), seeds=1)
    finally:
        gc.enable()


def test_a_queue_that_names_a_time_must_take_it(small: Scenario) -> None:
    class Half(Fifo):
        def next_wakeup(self) -> int | None:
            return None

    with pytest.raises(JettisonError, match="`Half` has no method `handle_wakeup`"):
        jettison.run(with_queue(small, Half), seeds=1)


class Bomb:
    """Lets other threads run while it is finalized."""

    def __del__(self) -> None:
        time.sleep(0.02)


class Failing(Fifo):
    """Fails with an exception that is slow to finalize."""

    def enqueue(self, packet: Packet, now: int) -> bool:
        if now > 20_000_000:
            bomb = Bomb()
            raise ValueError(f"at {now} with {type(bomb).__name__}")
        return super().enqueue(packet, now)


def test_runs_that_fail_together_do_not_deadlock(small: Scenario) -> None:
    for _ in range(5):
        with pytest.raises(ValueError, match="with Bomb") as caught:
            jettison.run(with_queue(small, Failing), seeds=8, jobs=8)
    if sys.version_info >= (3, 11):
        (note,) = caught.value.__notes__
        assert note.startswith("in queue discipline `failing`, 0.02")


def test_an_exception_of_a_constructor_is_the_cause(small: Scenario) -> None:
    class Broken(Fifo):
        def __init__(self, limit: int = 100) -> None:
            raise KeyError("deep in the constructor")

    with pytest.raises(ScenarioError, match="deep in the constructor") as caught:
        with_queue(small, Broken)
    assert isinstance(caught.value.__cause__, KeyError)


def test_each_check_of_a_scenario_constructs_a_discipline_as_often(small: Scenario) -> None:
    constructed = 0

    class Counted(Fifo):
        def __init__(self, limit: int = 100) -> None:
            nonlocal constructed
            constructed += 1
            super().__init__(limit)

    own = with_queue(small, Counted)
    each = []
    for n in range(1, 21):
        before = constructed
        own.set("links.bottleneck.delay", f"{n} ms")
        each.append(constructed - before)
    # Not once more for each check before it.
    assert len(set(each)) == 1 and each[0] <= 6, each


class Counting(Fifo):
    """Counts packets."""

    def __init__(self, limit: int = 40) -> None:
        super().__init__(limit)
        self.seen = 0

    def enqueue(self, packet: Packet, now: int) -> bool:
        self.seen += 1
        return super().enqueue(packet, now)

    def gauges(self) -> dict[str, Any]:
        return {"seen": float(self.seen), "waiting": (len(self.waiting), "packets")}


def test_a_discipline_reports_gauges(small: Scenario) -> None:
    counting = small.discipline(Counting).set("links.bottleneck.queue", "counting")
    result = jettison.run(counting.set("gauges", True), seeds=1)
    queue = result.queues.filter(object="bottleneck.forward")
    seen = queue.filter(metric="counting_seen")["value"].to_pylist()
    assert seen == sorted(seen)
    assert seen[-1] > 1000
    waiting = queue.filter(metric="counting_waiting")["value"].to_pylist()
    assert waiting == queue.filter(metric="backlog")["value"].to_pylist()
    assert (result.units["counting_seen"], result.units["counting_waiting"]) == ("1", "packets")
    assert result.gauges["counting_seen"] == "Reported by queue discipline `counting`."
    assert jettison.run(counting, seeds=1).gauges == {}
    named = jettison.run(counting.set("gauges", ["counting_waiting"]), seeds=1)
    assert list(named.gauges) == ["counting_waiting"]


def test_invalid_gauges_end_the_run(small: Scenario) -> None:
    class Wrong(Fifo):
        def gauges(self) -> Any:
            return {"level": "high"}

    wrong = small.discipline(Wrong).set("links.bottleneck.queue", "wrong").set("gauges", True)
    with pytest.raises(DisciplineError, match="must return a dict of numbers"):
        jettison.run(wrong, seeds=1)
