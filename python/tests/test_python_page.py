"""The examples of the book's page on Python print what the page shows."""

# pyright: basic
from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

pytest.importorskip("xarray", reason="left out: xarray is not installed")
PAGE = Path(__file__).parents[2] / "docs" / "src" / "python.md"


def examples() -> list[tuple[str, str]]:
    """The pairs of code and output before the section on the catalogue."""
    text = PAGE.read_text(encoding="utf-8").partition("\n## Catalogue")[0]
    return re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.S)


def printed(codes: list[str]) -> list[str]:
    """What each of the examples prints, one after another in one namespace."""
    found: list[str] = []
    names: dict[str, object] = {}
    for code in codes:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(code, str(PAGE), "exec"), names)
        found.append(out.getvalue())
    return found


def test_the_examples_print_what_the_page_shows():
    pairs = examples()
    assert len(pairs) == 5
    assert printed([code for code, _ in pairs]) == [output for _, output in pairs]
