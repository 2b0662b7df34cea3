"""A P4 switch and its objects, by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jettison.errors import ControllerError
from jettison.p4.values import Criterion, Value, criteria, datum, read_criteria, read_datum, text
from jettison.queues import nanoseconds

if TYPE_CHECKING:
    from jettison.p4.network import Channel, Line


@dataclass(frozen=True)
class CounterValue:
    """A counter's cell."""

    packets: int
    """Packets."""
    bytes: int
    """Bytes."""


@dataclass(frozen=True)
class Rates:
    """Rates of a meter, in bytes or packets (per second), as the program's meter counts."""

    committed: int
    """Committed rate, up to which packets are green."""
    committed_burst: int
    """Committed burst."""
    peak: int
    """Peak rate, above which packets are red."""
    peak_burst: int
    """Peak burst."""


@dataclass(frozen=True)
class Entry:
    """An entry of a table."""

    table: str
    """The table."""
    match: Mapping[str, int | tuple[int, int]]
    """By field: a number; value and length of a prefix; value and mask; least and greatest value of a range."""
    priority: int
    """Its priority; 0 in tables whose keys are all exact or prefixes."""
    action: str | None
    """Its action; ``None`` if it uses a member or a group."""
    params: Mapping[str, int]
    """Parameters of the action."""
    member: int | None
    """The member of the action profile that it uses."""
    group: int | None
    """The group that it uses."""
    idle_timeout: int
    """Time without a hit, in nanoseconds, after which the controller is told; 0 for never."""
    cookie: int
    """The controller's own number."""
    counter: CounterValue | None
    """Its direct counter."""
    rates: Rates | None
    """Rates of its direct meter."""
    idle: int | None
    """Time since the last hit in nanoseconds, in tables with idle timeouts."""


class Switch:
    """A P4 switch of the scenario."""

    def __init__(self, line: Line, index: int, name: str, ports: Mapping[str, int], cpu_port: int | None) -> None:
        self._line = line
        self.index = index
        """Its place among the switches."""
        self.name = name
        """Name of its node."""
        self.ports: dict[str, int] = dict(ports)
        """Port numbers by the link's name."""
        self.cpu_port = cpu_port
        """Number of the CPU port."""

    def __repr__(self) -> str:
        return f"<Switch {self.name}>"

    @property
    def _channel(self) -> Channel:
        return self._line.open

    def _write(self, change: str, **entity: object) -> None:
        self._channel.write(self.index, change, json.dumps(entity))

    def _read(self, **entity: object) -> list[dict[str, Any]]:
        return json.loads(self._channel.read(self.index, json.dumps(entity)))

    def _check(self, kind: str, name: str) -> None:
        self._channel.check(self.index, kind, name)

    def table(self, name: str) -> MatchTable:
        """A table.

        Raises:
            ControllerError: There is none; the text has the nearest name. So for the other objects.
        """
        self._check("table", name)
        return MatchTable(self, name)

    def profile(self, name: str) -> Profile:
        """An action profile or selector."""
        self._check("profile", name)
        return Profile(self, name)

    def counter(self, name: str) -> Counter:
        """A counter; direct counters are part of their entries."""
        self._check("counter", name)
        return Counter(self, name)

    def meter(self, name: str) -> Meter:
        """A meter; direct meters are part of their entries."""
        self._check("meter", name)
        return Meter(self, name)

    def register(self, name: str) -> Register:
        """A register."""
        self._check("register", name)
        return Register(self, name)

    def value_set(self, name: str) -> ValueSet:
        """A value set of the parser."""
        self._check("value set", name)
        return ValueSet(self, name)

    def digest(self, name: str) -> DigestSettings:
        """A digest, by the name of its messages' type."""
        self._check("digest", name)
        return DigestSettings(self, name)

    def multicast(self, group: int, ports: Iterable[int | tuple[int, int]]) -> None:
        """Sets the members of a multicast group, which is made if needed: ports, or pairs of port and ``egress_rid``."""
        change = "modify" if self._read(kind="multicast", group=group) else "insert"
        self._write(change, kind="multicast", group=group, replicas=_replicas(ports))

    def delete_multicast(self, group: int) -> None:
        """Removes a multicast group."""
        self._write("delete", kind="multicast", group=group)

    def multicast_groups(self) -> dict[int, list[tuple[int, int]]]:
        """Ports and ``egress_rid`` of the members of each group that the controller has made."""
        return {each["group"]: [tuple(copy) for copy in each["replicas"]] for each in self._read(kind="multicast")}

    def clone_session(
        self, session: int, ports: Iterable[int | tuple[int, int]], *, priority: int = 0, max_length: int = 0
    ) -> None:
        """Sets a clone session, which is made if needed.

        Args:
            session: Its number.
            ports: Ports of the clones, or pairs of port and ``egress_rid``.
            priority: Priority of the clones; 0 is the lowest.
            max_length: Bytes to which a clone is cut; 0 for no limit.
        """
        change = "modify" if self._read(kind="clone", session=session) else "insert"
        self._write(
            change,
            kind="clone",
            session=session,
            replicas=_replicas(ports),
            class_of_service=priority,
            max_length=max_length,
        )

    def delete_clone_session(self, session: int) -> None:
        """Removes a clone session."""
        self._write("delete", kind="clone", session=session)

    def packet_out(self, payload: bytes, **fields: Value) -> None:
        """Sends a packet into the switch at its CPU port, when the controller's method returns.

        Args:
            payload: The packet, from its Ethernet header. One whose bytes are those of a packet-in is that packet: it keeps its flow
                and its time of sending in the results.
            fields: All fields of the header ``packet_out``, but those with ``@padding``.
        """
        values = {name: text(value) for name, value in fields.items()}
        self._channel.packet_out(self.index, bytes(payload), values)


@dataclass(frozen=True)
class MatchTable:
    """A table of a switch."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def _entity(self, match: Mapping[str, Criterion | None] | Entry, priority: int) -> dict[str, Any]:
        if isinstance(match, Entry):
            return {"table": self.name, "match": criteria(match.match), "priority": match.priority}
        return {"table": self.name, "match": criteria(match), "priority": priority}

    def insert(
        self,
        match: Mapping[str, Criterion | None],
        action: str | None = None,
        params: Mapping[str, Value] | None = None,
        *,
        priority: int = 0,
        idle_timeout: str | int = 0,
        cookie: int = 0,
        member: int | None = None,
        group: int | None = None,
        action_set: Sequence[tuple[int, str, Mapping[str, Value]]] | None = None,
        rates: Rates | None = None,
        **named: Value,
    ) -> None:
        """Adds an entry.

        Args:
            match: What each field must be; a field that is left out matches any value, which exact fields do not allow. A field may be
                named by the last part of its name: ``dst`` for ``hdr.ipv4.dst``.
            action: The action.
            params: Its parameters; those whose names are not arguments of this function may also be given by name.
            priority: > 0 in tables with ternary, range or optional fields, where the highest wins.
            idle_timeout: Time without a hit after which :meth:`on_idle_timeout` is called, in tables with ``support_timeout``.
            cookie: A number of the controller's own.
            member: Instead of an action, a member of the table's action profile.
            group: Instead of an action, a group of it.
            action_set: Instead of an action, a weighted choice: weight, action and parameters of each.
            rates: Rates of the direct meter.
            named: Parameters of the action.

        Raises:
            ControllerError: The switch refuses it; ``code`` says why: ``ALREADY_EXISTS``, ``RESOURCE_EXHAUSTED``, …
        """
        chosen = _action(action, {**(params or {}), **named}, member, group, action_set)
        self._change("insert", self._entity(match, priority), chosen, idle_timeout, cookie, rates)

    def modify(
        self,
        match: Mapping[str, Criterion | None] | Entry,
        action: str | None = None,
        params: Mapping[str, Value] | None = None,
        *,
        priority: int = 0,
        idle_timeout: str | int = 0,
        cookie: int = 0,
        member: int | None = None,
        group: int | None = None,
        action_set: Sequence[tuple[int, str, Mapping[str, Value]]] | None = None,
        rates: Rates | None = None,
        **named: Value,
    ) -> None:
        """Changes an entry; the arguments are those of :meth:`insert`."""
        chosen = _action(action, {**(params or {}), **named}, member, group, action_set)
        self._change("modify", self._entity(match, priority), chosen, idle_timeout, cookie, rates)

    def _change(
        self,
        change: str,
        entity: dict[str, Any],
        action: dict[str, Any] | None,
        idle_timeout: str | int,
        cookie: int,
        rates: Rates | None,
    ) -> None:
        timeout = idle_timeout if isinstance(idle_timeout, int) else nanoseconds(idle_timeout)
        if action is not None:
            entity["action"] = action
        if rates is not None:
            entity["meter"] = _rates(rates)
        self.switch._write(change, kind="table", idle_timeout=timeout, cookie=cookie, **entity)  # pyright: ignore[reportPrivateUsage]

    def delete(self, match: Mapping[str, Criterion | None] | Entry, *, priority: int = 0) -> None:
        """Removes the entry with this key."""
        self.switch._write("delete", kind="table", **self._entity(match, priority))  # pyright: ignore[reportPrivateUsage]

    def clear(self) -> None:
        """Removes all entries."""
        for entry in self.entries():
            self.delete(entry)

    def entries(self) -> list[Entry]:
        """All entries."""
        return [_entry(each) for each in self.switch._read(kind="table", table=self.name)]  # pyright: ignore[reportPrivateUsage]

    def find(self, match: Mapping[str, Criterion | None], *, priority: int = 0) -> Entry | None:
        """The entry with this key."""
        found = self.switch._read(kind="table", **self._entity(match, priority))  # pyright: ignore[reportPrivateUsage]
        return _entry(found[0]) if found else None

    def default(self) -> Entry:
        """The default action."""
        return _entry(self.switch._read(kind="table", table=self.name, default=True)[0])  # pyright: ignore[reportPrivateUsage]

    def set_default(self, action: str, **params: Value) -> None:
        """Sets the default action."""
        chosen = _action(action, params, None, None, None)
        self.switch._write("modify", kind="table", table=self.name, default=True, action=chosen)  # pyright: ignore[reportPrivateUsage]

    def reset_default(self) -> None:
        """Returns to the program's default action."""
        self.switch._write("modify", kind="table", table=self.name, default=True)  # pyright: ignore[reportPrivateUsage]

    def set_counter(
        self, match: Mapping[str, Criterion | None] | Entry, value: CounterValue, *, priority: int = 0
    ) -> None:
        """Sets the direct counter of an entry."""
        entry = self._entity(match, priority)
        self.switch._write(  # pyright: ignore[reportPrivateUsage]
            "modify", kind="direct-counter", entry=entry, packets=value.packets, bytes=value.bytes
        )

    def set_rates(
        self, match: Mapping[str, Criterion | None] | Entry, rates: Rates | None, *, priority: int = 0
    ) -> None:
        """Sets the rates of an entry's direct meter; with ``None`` all its packets are green."""
        entry = self._entity(match, priority)
        given = None if rates is None else _rates(rates)
        self.switch._write("modify", kind="direct-meter", entry=entry, rates=given)  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Profile:
    """An action profile or selector."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def add(self, member: int, action: str, **params: Value) -> None:
        """Adds a member, with a number of the controller's choice, from 1."""
        self._member("insert", member, action, params)

    def modify(self, member: int, action: str, **params: Value) -> None:
        """Changes the action of a member."""
        self._member("modify", member, action, params)

    def remove(self, member: int) -> None:
        """Removes a member."""
        self.switch._write("delete", kind="member", profile=self.name, member=member)  # pyright: ignore[reportPrivateUsage]

    def _member(self, change: str, member: int, action: str, params: Mapping[str, Value]) -> None:
        chosen = _action(action, params, None, None, None)
        self.switch._write(change, kind="member", profile=self.name, member=member, action=chosen)  # pyright: ignore[reportPrivateUsage]

    def set_group(self, group: int, members: Iterable[int] | Mapping[int, int], *, max_size: int = 0) -> None:
        """Sets the members of a group, which is made if needed; a mapping gives their weights."""
        weights: dict[int, int] = dict(members) if isinstance(members, Mapping) else dict.fromkeys(members, 1)  # pyright: ignore[reportUnknownArgumentType]
        known = self.switch._read(kind="group", profile=self.name, group=group)  # pyright: ignore[reportPrivateUsage]
        change = "modify" if known else "insert"
        self.switch._write(  # pyright: ignore[reportPrivateUsage]
            change,
            kind="group",
            profile=self.name,
            group=group,
            members=list(weights.items()),
            max_size=max_size,
        )

    def remove_group(self, group: int) -> None:
        """Removes a group."""
        self.switch._write("delete", kind="group", profile=self.name, group=group)  # pyright: ignore[reportPrivateUsage]

    def members(self) -> dict[int, tuple[str, dict[str, int]]]:
        """Action and parameters of each member."""
        found = self.switch._read(kind="member", profile=self.name)  # pyright: ignore[reportPrivateUsage]
        return {each["member"]: _call(each["action"]["call"]) for each in found}

    def groups(self) -> dict[int, dict[int, int]]:
        """Members of each group with their weights."""
        found = self.switch._read(kind="group", profile=self.name)  # pyright: ignore[reportPrivateUsage]
        return {each["group"]: dict(each["members"]) for each in found}


@dataclass(frozen=True)
class Counter:
    """An array of counters."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def read(self, index: int) -> CounterValue:
        """One cell."""
        found = self.switch._read(kind="counter", counter=self.name, index=index)[0]  # pyright: ignore[reportPrivateUsage]
        return CounterValue(found["packets"], found["bytes"])

    def read_all(self) -> list[CounterValue]:
        """All cells."""
        found = self.switch._read(kind="counter", counter=self.name)  # pyright: ignore[reportPrivateUsage]
        return [CounterValue(each["packets"], each["bytes"]) for each in found]

    def write(self, index: int, packets: int, bytes: int) -> None:  # noqa: A002
        """Sets one cell."""
        self.switch._write(  # pyright: ignore[reportPrivateUsage]
            "modify", kind="counter", counter=self.name, index=index, packets=packets, bytes=bytes
        )

    def reset(self) -> None:
        """Sets all cells to 0."""
        self.switch._write("modify", kind="counter", counter=self.name)  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Meter:
    """An array of meters."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def read(self, index: int) -> Rates | None:
        """Rates of one cell; ``None`` if all its packets are green."""
        found = self.switch._read(kind="meter", meter=self.name, index=index)[0]["rates"]  # pyright: ignore[reportPrivateUsage]
        return None if found is None else Rates(*found)

    def set(self, rates: Rates | None, index: int | None = None) -> None:
        """Sets the rates of one cell, or of all; with ``None`` all packets are green."""
        given = None if rates is None else _rates(rates)
        self.switch._write("modify", kind="meter", meter=self.name, index=index, rates=given)  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class Register:
    """An array of registers. Values are integers, ``bool``, or dictionaries for structs."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def read(self, index: int = 0) -> Any:
        """One cell."""
        return read_datum(self.switch._read(kind="register", register=self.name, index=index)[0]["value"])  # pyright: ignore[reportPrivateUsage]

    def read_all(self) -> list[Any]:
        """All cells."""
        return [read_datum(each["value"]) for each in self.switch._read(kind="register", register=self.name)]  # pyright: ignore[reportPrivateUsage]

    def write(self, index: int, value: Any) -> None:
        """Sets one cell."""
        self.switch._write("modify", kind="register", register=self.name, index=index, value=datum(value))  # pyright: ignore[reportPrivateUsage]

    def fill(self, value: Any) -> None:
        """Sets all cells."""
        self.switch._write("modify", kind="register", register=self.name, value=datum(value))  # pyright: ignore[reportPrivateUsage]


@dataclass(frozen=True)
class ValueSet:
    """A value set of the parser."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def set(self, members: Iterable[Mapping[str, Criterion]]) -> None:
        """Replaces the members, each by its fields."""
        given = [criteria(member) for member in members]
        self.switch._write("modify", kind="value-set", value_set=self.name, members=given)  # pyright: ignore[reportPrivateUsage]

    def members(self) -> list[dict[str, int | tuple[int, int]]]:
        """The members."""
        found = self.switch._read(kind="value-set", value_set=self.name)  # pyright: ignore[reportPrivateUsage]
        return [read_criteria(member) for member in found[0]["members"]] if found else []


@dataclass(frozen=True)
class DigestSettings:
    """A digest of a switch."""

    switch: Switch
    """Its switch."""
    name: str
    """Its name."""

    def enable(self, *, max_timeout: str | int = 0, max_list: int = 1, ack_timeout: str | int = 0) -> None:
        """Has the switch send the digest's messages, in lists.

        Args:
            max_timeout: Longest wait of a message for its list.
            max_list: Maximum number of messages in a list.
            ack_timeout: Time for which a message is not repeated, unless its list is acknowledged.
        """
        known = self.switch._read(kind="digest", digest=self.name)  # pyright: ignore[reportPrivateUsage]
        self.switch._write(  # pyright: ignore[reportPrivateUsage]
            "modify" if known else "insert",
            kind="digest",
            digest=self.name,
            max_timeout=max_timeout if isinstance(max_timeout, int) else nanoseconds(max_timeout),
            max_list=max_list,
            ack_timeout=ack_timeout if isinstance(ack_timeout, int) else nanoseconds(ack_timeout),
        )

    def disable(self) -> None:
        """Ends the messages."""
        self.switch._write("delete", kind="digest", digest=self.name)  # pyright: ignore[reportPrivateUsage]


def _replicas(ports: Iterable[int | tuple[int, int]]) -> list[tuple[int, int]]:
    return [(each, 0) if isinstance(each, int) else each for each in ports]


def _rates(rates: Rates) -> list[int]:
    return [rates.committed, rates.committed_burst, rates.peak, rates.peak_burst]


def _action(
    action: str | None,
    params: Mapping[str, Value],
    member: int | None,
    group: int | None,
    action_set: Sequence[tuple[int, str, Mapping[str, Value]]] | None,
) -> dict[str, Any] | None:
    given = [each for each in (action, member, group, action_set) if each is not None]
    if len(given) > 1:
        raise ControllerError(
            "`action`, `member`, `group` and `action_set` exclude each other; parameters of an action with these names go to `params`"
        )
    if params and action is None:
        raise ControllerError(f"parameters require an `action`, got {', '.join(params)}")
    if action is not None:
        return {"call": [action, {name: text(value) for name, value in params.items()}]}
    if member is not None:
        return {"member": member}
    if group is not None:
        return {"group": group}
    if action_set is not None:
        return {
            "set": [
                {"name": name, "params": {key: text(value) for key, value in own.items()}, "weight": weight}
                for weight, name, own in action_set
            ]
        }
    return None


def _call(call: Sequence[Any]) -> tuple[str, dict[str, int]]:
    return call[0], {name: int(value, 16) for name, value in call[1].items()}


def _entry(given: Mapping[str, Any]) -> Entry:
    action: Mapping[str, Any] = given.get("action") or {}
    name, params = _call(action["call"]) if "call" in action else (None, {})
    counter, meter = given.get("counter"), given.get("meter")
    return Entry(
        table=given["table"],
        match=read_criteria(given["match"]),
        priority=given["priority"],
        action=name,
        params=params,
        member=action.get("member"),
        group=action.get("group"),
        idle_timeout=given["idle_timeout"],
        cookie=given["cookie"],
        counter=None if counter is None else CounterValue(*counter),
        rates=None if meter is None else Rates(*meter),
        idle=given.get("idle"),
    )
