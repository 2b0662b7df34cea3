"""Queue disciplines written in Python, for prototyping.

A discipline is a class with ``enqueue`` and ``dequeue``. It receives views of packets, stores them, and returns them::

    from collections import deque
    from jettison.queues import Drop

    class Alternating:
        \"\"\"Drops every second packet while at least `limit` wait.\"\"\"

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

Times are integers, in nanoseconds since the start of the run. A discipline in Python is slow: some microseconds per packet,
and only one run at a time executes Python code, regardless of the number of cores.

The packets stay in the simulator. Returning a packet twice or a packet of another queue, or losing the last reference to a
queued packet, ends the run with a :class:`DisciplineError`; so does an exception of the class. Both are raised by
:func:`jettison.run`.
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
"""Names of reasons for drops in results."""


class Drop(Exception):  # noqa: N818
    """Exception for ``enqueue``: drops the arriving packet.

    Args:
        reason: Name of the reason in results: one of :data:`DROP_REASONS`.
    """

    def __init__(self, reason: str = "python") -> None:
        super().__init__(reason)
        self.reason = reason


@runtime_checkable
class Discipline(Protocol):
    """Interface of disciplines.

    Optional members:

    - ``next_wakeup() -> int | None``: time of the next wakeup in ns, asked after every call. It is also the time of the next
      ``dequeue`` after one that returned ``None`` while packets wait.
    - ``handle_wakeup(now: int) -> None``: called at that time. Afterwards ``next_wakeup`` must return a later one or ``None``.
    - ``capacity_changed(rate: int, now: int) -> None``: the link's rate is now ``rate`` bit/s.
    - ``gauges() -> dict[str, float | tuple[float, str]]``: internal state by name, as values or as pairs of a value and its
      unit. A scenario that requests gauges records them as series: ``level`` of ``my-queue`` is ``my_queue_level``.
    - ``forkable``: ``False`` if a copy of the object could not continue as it does, for example because it shares state with
      other objects. Otherwise a fork of a run copies the object and all that it refers to by ``copy.deepcopy``.
    - a constructor argument ``random``: a ``random.Random`` seeded by the run and the queue's place. Use no other randomness
      and no clock, so that equal seeds give equal runs.

    The other constructor arguments are the parameters in scenarios, with the same names.
    """

    def enqueue(self, packet: Packet, now: int) -> bool:
        """Accepts a packet (returns ``True``) or drops it (returns ``False`` or raises :class:`Drop`)."""
        ...

    def dequeue(self, now: int) -> Packet | None:
        """Returns the next packet to send, which must have been accepted before, or ``None``."""
        ...


class Registered:
    """A discipline with its name in scenarios."""

    def __init__(self, factory: Callable[..., Any], name: str | None = None) -> None:
        if not callable(factory):
            raise ScenarioError(f"a queue discipline must be a class or another callable, got `{factory!r}`")
        self.factory = factory
        self.name = name or getattr(factory, "name", None) or _kebab(getattr(factory, "__name__", ""))
        if not isinstance(self.name, str) or not re.fullmatch(r"[a-z][a-z0-9+_-]*", self.name):
            raise ScenarioError(
                f"a discipline's name must be of small letters, digits and hyphens, such as `my-queue`, got `{self.name}`"
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
    """Converts a duration as in scenarios (``"5 ms"``) to nanoseconds; a plain number is in seconds.

    Raises:
        ValueError: The text is not a duration.
    """
    if isinstance(duration, (int, float)):
        return round(duration * 10**9)
    match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(ns|us|µs|ms|s|min)\s*", duration)
    if match is None:
        raise ValueError(f"a duration must be a number with a unit, such as `5 ms`, got `{duration}`")
    return round(float(match[1]) * _UNITS[match[2]])


def _kebab(name: str) -> str:
    """Converts ``MyQueue`` to the form of names in scenarios: ``my-queue``."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).replace("_", "-").lower()


_TYPES = {int: "integer", float: "number", str: "string", bool: "boolean"}
_TYPES_BY_NAME = {kind.__name__: word for kind, word in _TYPES.items()}


def _schema(factory: Callable[..., Any]) -> tuple[dict[str, Any], bool]:
    """The JSON Schema of a factory's arguments, and whether it takes `random`."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"cannot determine the parameters of `{factory!r}`: {error}") from error
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
                raise ScenarioError(f"parameters must accept names, got positional-only `{parameter.name}`")
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
