"""Controllers: programs that observe a run and set the rates of its shapers.

A controller has the attributes ``links``, ``probes`` and ``period``, and a method ``observe``::

    class Halve:
        links = ["access.forward"]
        probes = ["ping"]
        period = "100 ms"

        def observe(self, now, links, probes):
            if any(probe.rtt > 50_000_000 for probe in probes):
                return {"access.forward": links["access.forward"].rate / 2}

    jettison.run(scenario, controllers={"halve": Halve()})

Every run gets a deep copy of the object, so runs do not depend on each other. A fork of a run gets a deep copy of the run's; a
class with ``forkable = False`` forbids it.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from jettison.errors import ControllerError, add_note
from jettison.queues import nanoseconds


@dataclass(frozen=True)
class Link:
    """One direction of a link."""

    carried: int
    """Bytes that the link carried since the previous observation, its overhead included."""
    throughput: float
    """The same as a rate in bit/s."""
    backlog_packets: int
    """Packets that wait in its queue."""
    backlog_bytes: int
    """Bytes (IP length) that wait in its queue."""
    rate: float | None
    """The rate in bit/s that the controller has set; ``None`` before the first."""


@dataclass(frozen=True)
class Probe:
    """A reply to an echo request. Times are nanoseconds."""

    flow: str
    """The flow of ``ping``."""
    at: int
    """Time of its arrival, since the run began."""
    out: int
    """One-way delay of the request."""
    back: int
    """One-way delay of the reply."""

    @property
    def rtt(self) -> int:
        """Round-trip time."""
        return self.out + self.back


class Controller(Protocol):
    """What :func:`jettison.run` takes as a controller."""

    links: Sequence[str]
    """Directions of links that it observes and whose shapers it may set: ``access.forward``."""
    probes: Sequence[str]
    """Flows of ``ping`` whose replies it gets."""
    period: str
    """Time between two observations: ``"100 ms"``."""

    def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> Mapping[str, float] | None:
        """Takes what was observed since the last call; returns new rates in bit/s by link, or ``None`` for none."""
        ...


@dataclass(frozen=True)
class Prepared:
    """A controller, as the native module takes it."""

    name: str
    links: list[str]
    probes: list[str]
    period: int
    make: Callable[[], object]


def prepare(controllers: Mapping[str, Controller]) -> list[Prepared]:
    """Checks what controllers say about themselves.

    Raises:
        ControllerError: An attribute is missing or wrong.
    """
    return [_prepared(name, controller) for name, controller in controllers.items()]


def _prepared(name: str, controller: Controller) -> Prepared:
    def names(key: str) -> list[str]:
        given: object = getattr(controller, key, ())
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise ControllerError(f"controller `{name}`: `{key}` must be a list of names, got {given!r}")
        return [str(each) for each in given]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    if not callable(getattr(controller, "observe", None)):
        raise ControllerError(f"controller `{name}`: `{type(controller).__name__}` has no method `observe`")
    given: object = getattr(controller, "period", None)
    try:
        period = nanoseconds(given)  # pyright: ignore[reportArgumentType]
    except (TypeError, ValueError) as error:
        raise ControllerError(
            f'controller `{name}`: `period` must be a time such as "100 ms", got {given!r}'
        ) from error
    if period <= 0:
        raise ControllerError(f"controller `{name}`: `period` must be > 0, got {given!r}")
    links = names("links")
    if repeated := [link for link in links if links.count(link) > 1]:
        raise ControllerError(f"controller `{name}`: `links` must be distinct, got `{repeated[0]}` twice")
    return Prepared(name, links, names("probes"), period, lambda: _Run(name, copy.deepcopy(controller), links))


class _Run:
    """A controller in a run."""

    def __init__(self, name: str, controller: Controller, links: list[str]) -> None:
        self._name = name
        self._controller = controller
        self._links = links
        self._probes = [str(probe) for probe in controller.probes]
        self._rates: dict[str, float] = {}

    @property
    def forkable(self) -> bool:
        """Whether the controller may be copied with its run."""
        return bool(getattr(self._controller, "forkable", True))

    def __call__(
        self,
        now: int,
        since: int,
        links: list[tuple[int, int, int]],
        probes: list[tuple[int, int, int, int]],
    ) -> list[tuple[int, int]]:
        """Asks the controller; returns rates by the link's index."""
        seconds = max(now - since, 1) / 1e9
        seen = {
            name: Link(carried, 8 * carried / seconds, packets, waiting, self._rates.get(name))
            for name, (carried, packets, waiting) in zip(self._links, links, strict=True)
        }
        replies = [Probe(self._probes[flow], at, out, back) for flow, at, out, back in probes]
        try:
            rates = self._controller.observe(now, seen, replies)
            return [] if rates is None else [self._checked(link, rate) for link, rate in rates.items()]
        except Exception as error:
            add_note(error, f"in controller `{self._name}`, {now / 1e9:.3f} s after the start of the run")
            raise

    def _checked(self, link: str, rate: float) -> tuple[int, int]:
        if link not in self._links:
            known = ", ".join(self._links)
            raise ControllerError(f"controller `{self._name}`: unknown link `{link}`; its `links` are {known}")
        try:
            sound = math.isfinite(rate) and 1 <= rate < 2**63
        except TypeError:
            sound = False
        if not sound:
            raise ControllerError(
                f"controller `{self._name}`: the rate of `{link}` must be a number of bit/s >= 1, got {rate!r}"
            )
        self._rates[link] = float(rate)
        return self._links.index(link), int(rate)
