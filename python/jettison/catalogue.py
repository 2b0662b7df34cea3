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

    name: str
    """The key in a scenario."""
    unit: str
    """`duration`, `rate`, `size`, `integer`, `number`, `boolean`, or the choices."""
    default: str | None
    """The default as a scenario writes it; `None` if the key is required or unset."""
    description: str
    """What it sets."""


@dataclass(frozen=True)
class Gauge:
    """One series of a component's internal state."""

    name: str
    """The metric of the series, such as `red_average`."""
    unit: str
    """The unit of its values."""
    description: str
    """What it is."""


@dataclass(frozen=True)
class Component:
    """A queue discipline, a congestion controller, an adaptation rule, or another component."""

    id: str
    """The id in a scenario: `fq-codel`."""
    kind: str
    """`queue`, `transport`, `controller`, `path-controller`, `application`, `abr`, `encoder` or `link`."""
    name: str
    """The name in legends: `FQ-CoDel`."""
    aliases: tuple[str, ...]
    """Other names of it in results."""
    colour: str | None
    """The colour in plots, `#rrggbb`."""
    line: str | None
    """The line in plots: `solid`, `dashed`, `dotted` or `dash-dot`."""
    marker: str | None
    """The marker in plots: `circle`, `square`, `triangle` or `diamond`."""
    summary: str
    """What it does, in a line."""
    source: str
    """The document that it implements."""
    page: str | None
    """Its page of the book, below `docs/src`."""
    parameters: tuple[Parameter, ...]
    """Its parameters, in the order of the book."""
    gauges: tuple[Gauge, ...]
    """Its series of internal state."""


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
