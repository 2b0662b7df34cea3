"""Counterfactuals: a stored run goes on from an instant with one thing changed, beside itself."""

from __future__ import annotations

import html
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jettison import _jettison
from jettison._arrow import pa
from jettison.result import Result, open_folder
from jettison.table import Table

_ROWS = pa.schema(
    [
        ("flow", pa.string()),
        ("viewer", pa.bool_()),
        ("metric", pa.string()),
        ("part", pa.string()),
        ("statistic", pa.string()),
        ("unit", pa.string()),
        ("original", pa.float64()),
        ("changed", pa.float64()),
        ("difference", pa.float64()),
        ("ci95_low", pa.float64()),
        ("ci95_high", pa.float64()),
    ]
)


@dataclass(frozen=True)
class WhatIf:
    """The answer to a question about a stored run."""

    text: str
    """What was decided, and the viewers' values beside each other, as ``jettison whatif`` prints them."""
    question: dict[str, Any]
    """The run, the question, the instants, and what the change did."""
    reverted: list[dict[str, Any]]
    """The first decisions that were reverted: id, time_ns, queue, flow, outcome, reason, packet, length."""
    differences: Table
    """Values of both.

    Columns: flow, viewer, metric, part, statistic, unit, original, changed, difference, ci95_low, ci95_high.
    """
    result: Result | None
    """Both as results with the variants ``original`` and ``changed``, if they were written to a folder."""

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


@dataclass(frozen=True)
class _Asked:
    folder: Path
    variant: str | None
    seed: int | None
    data: Path | None
    flip: int | None
    rule: str | None
    queue_name: str | None
    start: str | None
    end: str | None
    queue: str | None
    at: str | None
    until: str | None
    horizon: str | None
    draws: int
    out: Path | None
    force: bool
    image: Path = Path(_jettison.__file__)


def _span(value: str | float | None) -> str | None:
    """A time with its unit; numbers are seconds."""
    return value if value is None or isinstance(value, str) else f"{value:.9f} s"


def _path(value: str | Path | None) -> Path | None:
    return None if value is None else Path(value)


def ask(folder: Path, options: dict[str, Any]) -> WhatIf:
    """Answers a question about a stored run; the options are those of :meth:`jettison.Result.whatif`."""
    times = {name: _span(options.pop(name)) for name in ("start", "end", "at", "until", "horizon")}
    places = {name: _path(options.pop(name)) for name in ("data", "out")}
    asked: dict[str, Any] = {**options, **times, **places}
    text, lines = _jettison.whatif(_Asked(folder=folder, **asked))
    records = [json.loads(line) for line in lines]

    def of(kind: str) -> list[dict[str, Any]]:
        return [{k: v for k, v in record.items() if k != "type"} for record in records if record["type"] == kind]

    rows = of("difference")
    for row in rows:
        row["ci95_low"], row["ci95_high"] = row.pop("ci95") or (None, None)
    table = Table.of("differences", pa.Table.from_pylist(rows, schema=_ROWS))
    out = places["out"]
    return WhatIf(text, of("whatif")[0], of("reverted"), table, None if out is None else open_folder(out))
