"""Small pieces of HTML for notebooks. All text is escaped, and colours are the notebook's own."""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["ROWS", "Records", "fields", "paragraph", "table"]

ROWS = 10
"""Number of rows of a table that are shown."""
_COLUMNS = 16
_LETTERS = 200


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], count: int | None = None, *, caption: str = ""
) -> str:
    """A table of some rows, and the number of all rows, if there are more.

    Args:
        columns: Names of the columns.
        rows: The first rows; no more than :data:`ROWS` of them are shown.
        count: Number of all rows; by default of those given.
        caption: Name of the table.
    """
    given = list(rows)
    count = len(given) if count is None else count
    given, places = given[:ROWS], range(len(columns))[:_COLUMNS]
    head = "".join(f"<th>{html.escape(columns[place])}</th>" for place in places)
    body = "".join("<tr>" + "".join(_cell(row[place]) for place in places) + "</tr>" for row in given)
    notes = [f"<b>{html.escape(caption)}</b>"] * bool(caption)
    notes.append(
        f"{count:,} {'row' if count == 1 else 'rows'}" + (f", the first {len(given)}" if count > len(given) else "")
    )
    if len(columns) > _COLUMNS:
        notes.append(f"the first {_COLUMNS} of {len(columns)} columns")
    shown = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" if given else ""
    return f"<div>{shown}<p>{': '.join(notes[:2])}{''.join(f'; {note}' for note in notes[2:])}</p></div>"


def fields(title: str, values: Mapping[str, object]) -> str:
    """A title and a table of names with their values."""
    rows = "".join(f"<tr><th>{html.escape(name)}</th>{_cell(value, 'left')}</tr>" for name, value in values.items())
    return f"<div>{paragraph(title)}<table><tbody>{rows}</tbody></table></div>"


def paragraph(title: str) -> str:
    """A line in bold."""
    return f"<p><b>{html.escape(title)}</b></p>"


def _cell(value: object, align: str = "") -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    align = align or ("right" if is_number else "left")
    return f'<td style="text-align: {align}">{html.escape(written(value))}</td>'


def written(value: object) -> str:
    """A value for people: numbers with six digits, long text cut."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.6g}"
    text = str(value)
    return text if len(text) <= _LETTERS else f"{text[: _LETTERS - 1]}…"


class Records(list[dict[str, Any]]):
    """A list of dictionaries that notebooks show as a table."""

    def _repr_html_(self) -> str:
        return self.html()

    def html(self) -> str:
        """The first records as a table."""
        columns = list(dict.fromkeys(name for record in self for name in record))
        return table(columns, [[record.get(name) for name in columns] for record in self])
