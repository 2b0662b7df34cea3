"""Controllers of P4 switches in a run."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from jettison.errors import ControllerError, add_note, advice
from jettison.p4.network import Channel, Line, Network
from jettison.p4.notices import Digest, PacketIn
from jettison.p4.switch import Switch, _entry  # pyright: ignore[reportPrivateUsage]
from jettison.p4.values import read_datum
from jettison.queues import nanoseconds

_METHODS = ("start", "on_digest", "on_packet_in", "on_idle_timeout", "on_timer")


class P4Controller(Protocol):
    """What :func:`jettison.run` takes as ``controller``.

    An object with any of the methods ``start``, ``on_digest``, ``on_packet_in``, ``on_idle_timeout`` and ``on_timer``, which
    :mod:`jettison.p4` describes.
    """


SwitchFacts = tuple[str, Mapping[str, int], int | None]
"""Name, ports by link, and CPU port of a switch."""

Event = tuple[str, int, Any, Any, Any]
"""Kind, switch, and up to three values."""


@dataclass(frozen=True)
class Prepared:
    """A controller, as the native module takes it."""

    name: str
    latency: int
    make: Callable[[Sequence[SwitchFacts], Mapping[str, str]], object]


def prepare(controller: object) -> Prepared:
    """Checks what a controller says about itself.

    Raises:
        ControllerError: It has none of the methods, an unknown one, or a wrong attribute.
    """
    name = type(controller).__name__
    if isinstance(controller, type):
        raise ControllerError(f"`controller` must be an object, got the class `{controller.__name__}`; call it")
    for method in dir(controller):
        if method.startswith("on_") and callable(getattr(controller, method)) and method not in _METHODS:
            raise ControllerError(f"controller `{name}`: unknown method `{method}`; {advice(method, _METHODS)}")
    if not any(callable(getattr(controller, method, None)) for method in _METHODS):
        raise ControllerError(f"controller `{name}` must have one of the methods {', '.join(_METHODS)}")
    latency = _time(controller, name, "latency") or 0
    period = _time(controller, name, "period")
    has_timer = callable(getattr(controller, "on_timer", None))
    if has_timer != (period is not None):
        raise ControllerError(f"controller `{name}`: `on_timer` and `period` require each other")
    if latency < 0 or (period is not None and period <= 0):
        raise ControllerError(f"controller `{name}`: `latency` must be >= 0 and `period` > 0")
    return Prepared(
        name, latency, lambda switches, nodes: _Run(name, copy.deepcopy(controller), period, switches, nodes)
    )


def _time(controller: object, name: str, attribute: str) -> int | None:
    given: object = getattr(controller, attribute, None)
    if given is None:
        return None
    try:
        return nanoseconds(given)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError) as error:
        raise ControllerError(
            f'controller `{name}`: `{attribute}` must be a time such as "1 ms", got {given!r}'
        ) from error


class _Run:
    """A controller in a run."""

    def __init__(
        self,
        name: str,
        controller: Any,
        period: int | None,
        switches: Sequence[SwitchFacts],
        nodes: Mapping[str, str],
    ) -> None:
        self._name = name
        self._controller = controller
        self._line = Line()
        self._switches = [
            Switch(self._line, index, name, ports, cpu_port) for index, (name, ports, cpu_port) in enumerate(switches)
        ]
        self._network = Network({switch.name: switch for switch in self._switches}, nodes)
        self._period = period

    @property
    def forkable(self) -> bool:
        """Whether the controller may be copied with its run."""
        return bool(getattr(self._controller, "forkable", True))

    def __call__(self, channel: Channel, now: int, events: list[Event]) -> int | None:
        """Tells the controller what has happened, and calls its timers; returns the time of the next one."""
        self._network.now = now
        self._line.channel = channel
        try:
            for event in events:
                self._tell(event)
            self._network._run_due()  # pyright: ignore[reportPrivateUsage]
        except Exception as error:
            add_note(error, f"in controller `{self._name}`, {now / 1e9:.6f} s after the start of the run")
            raise
        finally:
            self._line.channel = None
        return self._network._next()  # pyright: ignore[reportPrivateUsage]

    def _tell(self, event: Event) -> None:
        kind, at, first, second, third = event
        if kind == "start":
            self._call("start", self._network)
            if self._period is not None:
                self._network.every(self._period, self._on_timer)
            return
        switch = self._switches[at]
        if kind == "packet-in":
            fields = {name: int(value, 16) for name, value in second.items()}
            self._call("on_packet_in", switch, PacketIn(first, fields))
        elif kind == "digest":
            self._call("on_digest", switch, Digest(first, _read(third), second, switch))
        else:
            self._call("on_idle_timeout", switch, [_entry(each) for each in json.loads(first)])

    def _call(self, method: str, *arguments: object) -> None:
        found = getattr(self._controller, method, None)
        if found is not None:
            found(*arguments)

    def _on_timer(self) -> None:
        self._controller.on_timer(self._network, self._network.now)


def _read(messages: str) -> list[Any]:
    return [read_datum(message) for message in json.loads(messages)]
