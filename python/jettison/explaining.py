"""Explanations of viewers' events: why a picture froze, in words, numbers and a picture."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, overload

from jettison import _jettison

__all__ = ["Cause", "Explanation", "Explanations"]


@dataclass(frozen=True)
class Cause:
    """Drops, waits, a link or a sender behind an event."""

    kind: str
    """``drops``, ``waits``, ``link``, ``sender``, ``losses`` or ``unseen``."""
    place: str
    """Queue, link or host."""
    excess_ns: int
    """What it explains of the units' delays beyond the usual, in ns."""
    share: float
    """The same as a share of all causes, 0 to 1."""
    from_ns: int
    """From when it acted, in ns since the start of the run."""
    to_ns: int
    """Until when."""
    rules: tuple[tuple[str, int], ...]
    """Rules that fired, with counts."""
    decisions: tuple[int, ...]
    """The viewer's drops and marks: column ``id`` of the table ``drops``."""
    backlog: int | None
    """Packets that waited then, if known."""
    holders: str
    """Whose packets waited then: ``bulk 41, video 3``."""
    gauges: str
    """State of the discipline then."""


@dataclass(frozen=True)
class Explanation:
    """The chain from a viewer's event to its causes. It follows from the tables; ``jettison explain`` also runs counterfactuals."""

    variant: str
    """The variant of the run."""
    seed: int
    """The seed of the run."""
    event: int
    """Column ``id`` of the table ``events``."""
    flow: str
    """The viewer's flow."""
    kind: str
    """The kind of event: ``stall``, ``freeze``, …, as in the table ``events``."""
    at_ns: int
    """When it began, in ns since the start of the run."""
    duration_ns: int
    """How long it took, in ns."""
    cost: float
    """Seconds of viewing."""
    is_usual: bool
    """Whether the causes are what is usual for this flow, since nothing exceeds it."""
    causes: tuple[Cause, ...]
    """Causes, the largest share first."""
    text: str
    """The chain in words."""
    picture: str
    """The chain as a ladder of packets (SVG)."""

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return _shown(self)

    @staticmethod
    def of(record: dict[str, Any]) -> Explanation:
        """Reads a record of the native part."""
        names = (
            "kind",
            "place",
            "excess_ns",
            "share",
            "from_ns",
            "to_ns",
            "backlog",
            "holders",
            "gauges",
        )
        causes = tuple(
            Cause(
                rules=tuple((str(rule), int(count)) for rule, count in cause["rules"]),
                decisions=tuple(cause["decisions"]),
                **{name: cause[name] for name in names},
            )
            for cause in record["causes"]
        )
        own = ("variant", "seed", "event", "flow", "kind", "at_ns", "duration_ns", "cost", "is_usual", "picture")
        return Explanation(causes=causes, text="\n".join(record["text"]), **{name: record[name] for name in own})


def _shown(own: Explanation) -> str:
    return f"<pre>{html.escape(own.text)}</pre>\n{own.picture}"


class Explanations(Sequence[Explanation]):
    """Explanations, those of the most expensive events first."""

    def __init__(self, explanations: Sequence[Explanation]) -> None:
        self._explanations = tuple(explanations)

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> Explanations: ...
    def __getitem__(self, index: int | slice) -> Explanation | Explanations:
        if isinstance(index, slice):
            return Explanations(self._explanations[index])
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._explanations)

    def __repr__(self) -> str:
        return "\n\n".join(map(repr, self._explanations)) or "no events"

    def _repr_html_(self) -> str:
        return "\n".join(map(_shown, self._explanations)) or "no events"


def explain_folder(
    folder: Path, worst: int, viewer: str | None, event: int | None, variant: str | None, seed: int | None
) -> Explanations:
    """Explains the most expensive events of stored results."""
    records = [json.loads(text) for text in _jettison.explain(folder, worst, viewer, event, variant, seed)]
    explanations = [Explanation.of(record) for record in records]
    return Explanations(sorted(explanations, key=lambda own: -own.cost))
