"""Queue disciplines written in Python, for prototyping.

A discipline is a class with ``enqueue`` and ``dequeue``. It is given views of packets, keeps them as it likes, and gives them back::

    from collections import deque
    from jettison.queues import Drop

    class Alternating:
        \"\"\"Drops every second packet when more than `limit` wait.\"\"\"

        def __init__(self, limit: int = 10):
            self.limit, self.waiting, self.count = limit, deque(), 0

        def enqueue(self, packet, now):
            self.count += 1
            if len(self.waiting) >= self.limit and self.count % 2:
                raise Drop("buffer-full")  # or `return False`
            self.waiting.append(packet)
            return True

        def dequeue(self, now):
            return self.waiting.popleft() if self.waiting else None

    scenario = jettison.load("mine.toml").discipline(Alternating).set("links.bottleneck.queue", {"kind": "alternating", "limit": 5})

Times are nanoseconds since the run began, as integers. A discipline of this kind is slow: some microseconds a packet, and one
run at a time may ask it, however many cores there are.

The packets stay with the simulator. A packet that is sent twice, of another queue, or to which nothing refers any more although it
was neither sent nor dropped, ends the run with a :class:`DisciplineError`; an exception of the class ends it too. Either is
raised by :func:`jettison.run`.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from typing import Any, Protocol, runtime_checkable

from jettison import _jettison
from jettison._jettison import Message, Packet
from jettison.errors import DisciplineError, ScenarioError

__all__ = ["DROP_REASONS", "Discipline", "DisciplineError", "Drop", "Message", "Packet", "nanoseconds"]

DROP_REASONS: tuple[str, ...] = tuple(name for kind, name, *_ in _jettison.reasons() if kind == "drop")
"""What a drop may be called in results."""


class Drop(Exception):  # noqa: N818
    """Raised by ``enqueue``: the packet that arrives is dropped.

    Args:
        reason: What results call it: one of :data:`DROP_REASONS`.
    """

    def __init__(self, reason: str = "python") -> None:
        super().__init__(reason)
        self.reason = reason


@runtime_checkable
class Discipline(Protocol):
    """What every discipline has.

    It may have more:

    - ``next_wakeup() -> int | None``: when it wants to be woken next, in ns; asked after every call. A queue that gives ``None``
      from ``dequeue`` while packets wait is asked again then.
    - ``handle_wakeup(now: int) -> None``: that time has come. After it ``next_wakeup`` must name a later one, or ``None``.
    - ``capacity_changed(rate: int, now: int) -> None``: the link's rate is now ``rate`` bit/s.
    - ``gauges() -> dict[str, float | tuple[float, str]]``: values of its state, by name, or pairs of a value and its unit. A
      scenario that asks for gauges has them as series: ``level`` of the discipline ``my-queue`` is ``my_queue_level``.
    - an argument ``random`` of its constructor: it is given a ``random.Random`` seeded by the run and the queue's place. Use no
      other randomness and no clock, so that a seed gives the same run again.

    The other arguments of the constructor are the parameters that scenarios may give, by their names.
    """

    def enqueue(self, packet: Packet, now: int) -> bool:
        """Takes a packet in (``True``) or not (``False``, or :class:`Drop` raised: it is dropped)."""
        ...

    def dequeue(self, now: int) -> Packet | None:
        """Gives the next packet to send, one of those that it took in, or ``None``."""
        ...


class Registered:
    """A discipline under the name that scenarios give it."""

    def __init__(self, factory: Callable[..., Any], name: str | None = None) -> None:
        if not callable(factory):
            raise ScenarioError(f"`{factory!r}` makes no queue discipline: give a class")
        self.factory = factory
        self.name = name or getattr(factory, "name", None) or _kebab(getattr(factory, "__name__", ""))
        if not isinstance(self.name, str) or not re.fullmatch(r"[a-z][a-z0-9+_-]*", self.name):
            raise ScenarioError(
                f"a queue discipline cannot be called `{self.name}`: write small letters, digits and hyphens, such as `my-queue`"
            )
        document = inspect.getdoc(factory) or ""
        self.summary = document.split("\n", 1)[0] or "Written in Python"
        schema, self.wants_random = _schema(factory)
        self.schema = json.dumps(schema)

    def __reduce__(self) -> tuple[type[Registered], tuple[Callable[..., Any], str]]:
        return Registered, (self.factory, self.name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Registered) and (self.factory, self.name) == (other.factory, other.name)

    def __hash__(self) -> int:
        return hash(self.name)


_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "ms": 10**6, "s": 10**9, "min": 60 * 10**9}


def nanoseconds(duration: str | float) -> int:
    """The nanoseconds of a duration as scenarios write it (``"5 ms"``); a number is one of seconds.

    Raises:
        ValueError: It is no duration.
    """
    if isinstance(duration, (int, float)):
        return round(duration * 10**9)
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s|min)\s*", duration)
    if match is None:
        raise ValueError(f"`{duration}` is no duration: write a number and its unit, such as `5 ms`")
    return round(float(match[1]) * _UNITS[match[2]])


def _kebab(name: str) -> str:
    """``MyQueue`` as scenarios would write it: ``my-queue``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).replace("_", "-").lower()


_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean"}
_TYPES_BY_NAME = {kind.__name__: word for kind, word in _TYPES.items()}


def _schema(factory: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """The JSON Schema of what a factory is called with, and whether it takes `random`."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"what `{factory!r}` takes is not known: {error}") from error
    properties: dict[str, Any] = {}
    required: list[str] = []
    schema: dict[str, Any] = {"type": "object", "properties": properties, "additionalProperties": False}
    wants_random = False
    for parameter in parameters:
        if parameter.kind is inspect.Parameter.VAR_KEYWORD:
            schema["additionalProperties"] = {}
            continue
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.POSITIONAL_ONLY):
            if parameter.default is inspect.Parameter.empty and parameter.kind is inspect.Parameter.POSITIONAL_ONLY:
                raise ScenarioError(f"`{parameter.name}` cannot be given by name: parameters are")
            continue
        if parameter.name == "random":
            wants_random = True
            continue
        described: dict[str, Any] = {"description": f"{parameter.name} of the class"}
        annotation: Any = parameter.annotation
        kind = _TYPES_BY_NAME.get(annotation) if isinstance(annotation, str) else _TYPES.get(annotation)
        if kind is not None:
            described["type"] = kind
        if parameter.default is inspect.Parameter.empty:
            required.append(parameter.name)
        elif parameter.default is not None:
            try:
                described["default"] = json.loads(json.dumps(parameter.default, allow_nan=False))
            except (TypeError, ValueError):
                described.pop("type", None)
        properties[parameter.name] = described
    if required:
        schema["required"] = required
    return schema, wants_random
