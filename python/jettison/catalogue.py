"""The catalogue: every component that a scenario may name."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

from . import _jettison
from .errors import JettisonError

__all__ = ["Component", "Gauge", "Parameter", "catalogue"]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a component."""

    #: The key in a scenario.
    name: str
    #: `duration`, `rate`, `size`, `integer`, `number`, `boolean`, or the choices.
    unit: str
    #: The default as a scenario writes it; `None` if the key is required or unset.
    default: str | None
    description: str


@dataclass(frozen=True)
class Gauge:
    """One series of a component's internal state."""

    name: str
    unit: str
    description: str


@dataclass(frozen=True)
class Component:
    """A queue discipline, a congestion controller, an adaptation rule, or another component."""

    #: The id in a scenario: `fq-codel`.
    id: str
    #: `queue`, `transport`, `controller`, `path-controller`, `application`, `abr`, `encoder` or `link`.
    kind: str
    #: The name in legends: `FQ-CoDel`.
    name: str
    #: Other names of it in results.
    aliases: tuple[str, ...]
    #: The colour in plots, `#rrggbb`.
    colour: str | None
    #: The line in plots: `solid`, `dashed`, `dotted` or `dash-dot`.
    line: str | None
    #: The marker in plots: `circle`, `square`, `triangle` or `diamond`.
    marker: str | None
    summary: str
    #: The document that it implements.
    source: str
    #: Its page of the book, below `docs/src`.
    page: str | None
    parameters: tuple[Parameter, ...]
    gauges: tuple[Gauge, ...]


def catalogue(kind: str | None = None) -> list[Component]:
    """All components, or those of one kind, as `jettison list --json` prints them.

    >>> import jettison
    >>> [rule.id for rule in jettison.catalogue("abr") if rule.source.startswith("Spiteri")]
    ['bola', 'dynamic']

    Raises:
        JettisonError: If there are no components of that kind.
    """
    kinds = list(dict.fromkeys(component.kind for component in _all()))
    if kind is not None and kind not in kinds:
        raise JettisonError(f"unknown kind of component {kind!r}; known: {', '.join(kinds)}")
    return [component for component in _all() if kind is None or component.kind == kind]


@cache
def _all() -> tuple[Component, ...]:
    records: list[dict[str, Any]] = json.loads(_jettison.catalogue())
    return tuple(_component(**record) for record in records)


def _component(
    aliases: list[str], parameters: list[dict[str, Any]], gauges: list[dict[str, str]], **own: Any
) -> Component:
    return Component(
        **own,
        aliases=tuple(aliases),
        parameters=tuple(Parameter(**parameter) for parameter in parameters),
        gauges=tuple(Gauge(**gauge) for gauge in gauges),
    )
