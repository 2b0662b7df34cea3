"""The network of a controller: its switches, the time, and timers."""

from __future__ import annotations

import heapq
import ipaddress
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jettison.errors import ControllerError, advice
from jettison.p4.switch import Switch
from jettison.queues import nanoseconds


class Channel(Protocol):
    """The switches of a run during a call of its controller."""

    def write(self, switch: int, change: str, entity: str) -> None:
        """Changes an entity."""

    def read(self, switch: int, entity: str) -> str:
        """Reads what an entity selects."""
        ...

    def packet_out(self, switch: int, payload: bytes, fields: Mapping[str, str]) -> None:
        """Sends a packet into a switch."""

    def acknowledge(self, switch: int, digest: str, number: int) -> None:
        """Acknowledges a digest list."""

    def check(self, switch: int, kind: str, name: str) -> None:
        """Checks that a switch has an object."""


class Line:
    """The way to the switches; open only while the controller is called."""

    def __init__(self) -> None:
        self.channel: Channel | None = None

    @property
    def open(self) -> Channel:
        """The channel.

        Raises:
            ControllerError: The controller is not called by a run.
        """
        if self.channel is None:
            raise ControllerError("a switch can be used only while a run calls its controller")
        return self.channel


@dataclass
class Timer:
    """A timer of a controller."""

    period: int | None
    """Time between two calls in nanoseconds; ``None`` for one call."""
    callback: Callable[..., object]
    """What is called."""
    arguments: tuple[Any, ...]
    """Its arguments."""
    cancelled: bool = False
    """Whether it was cancelled."""

    def cancel(self) -> None:
        """Ends the timer."""
        self.cancelled = True


class Network(Mapping[str, Switch]):
    """The scenario's P4 switches by name, in its order."""

    def __init__(self, switches: Mapping[str, Switch], addresses: Mapping[str, str]) -> None:
        self._switches = dict(switches)
        self._timers: list[tuple[int, int, Timer]] = []
        self._made = 0
        self.addresses: dict[str, ipaddress.IPv4Address | ipaddress.IPv6Address] = {
            node: ipaddress.ip_address(address) for node, address in addresses.items()
        }
        """Addresses of all nodes of the scenario."""
        self.now = 0
        """The present time, in nanoseconds since the start of the run."""

    def __getitem__(self, name: str) -> Switch:
        try:
            return self._switches[name]
        except KeyError:
            raise ControllerError(f"unknown switch `{name}`; {advice(name, self._switches)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._switches)

    def __len__(self) -> int:
        return len(self._switches)

    def at(self, time: str | int, callback: Callable[..., object], *arguments: object) -> Timer:
        """Calls a function at a time of the run.

        Args:
            time: The time, in nanoseconds or as text: ``"1.5 s"``. A past one is now.
            callback: The function; a method of the controller, so that forks of the run call their own.
            arguments: Its arguments.
        """
        when = time if isinstance(time, int) else nanoseconds(time)
        return self._set(max(when, self.now), Timer(None, callback, arguments))

    def after(self, delay: str | int, callback: Callable[..., object], *arguments: object) -> Timer:
        """Calls a function after a delay, in nanoseconds or as text."""
        return self.at(self.now + (delay if isinstance(delay, int) else nanoseconds(delay)), callback, *arguments)

    def every(self, period: str | int, callback: Callable[..., object], *arguments: object) -> Timer:
        """Calls a function once per period, the first time after one.

        Raises:
            ControllerError: The period is not > 0.
        """
        length = period if isinstance(period, int) else nanoseconds(period)
        if length <= 0:
            raise ControllerError(f"a period must be > 0, got {period!r}")
        return self._set(self.now + length, Timer(length, callback, arguments))

    def _set(self, when: int, timer: Timer) -> Timer:
        self._made += 1
        heapq.heappush(self._timers, (when, self._made, timer))
        return timer

    def _run_due(self) -> None:
        """Calls what is due, in order of time."""
        while self._timers and self._timers[0][0] <= self.now:
            when, _, timer = heapq.heappop(self._timers)
            if timer.cancelled:
                continue
            if timer.period is not None:
                self._set(when + timer.period, timer)
            timer.callback(*timer.arguments)

    def _next(self) -> int | None:
        """Time of the next timer."""
        while self._timers and self._timers[0][2].cancelled:
            heapq.heappop(self._timers)
        return self._timers[0][0] if self._timers else None
