"""The reference of the package in the book is current and complete."""

# pyright: basic
from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

import jettison

pytest.importorskip("griffe", reason="left out: griffe is not installed")
ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "book"))

api: Any = importlib.import_module("api")


@pytest.fixture(scope="module")
def package():
    return api.load()


def test_every_public_name_has_a_docstring(package):
    assert api.undocumented(package) == []


def test_the_pages_are_current(package):
    there = {path.name: path.read_text(encoding="utf-8") for path in api.PAGES.glob("*.md")}
    wanted = api.pages(package)
    assert there.keys() == wanted.keys(), "run `make api`"
    assert [name for name in wanted if there[name] != wanted[name]] == [], "run `make api`"


def test_every_name_of_the_package_is_on_a_page(package):
    text = "".join(api.pages(package).values())
    names = [name for name in jettison.__all__ if not name.startswith("__")]
    assert [name for name in names if f"## jettison.{name}\n" not in text] == []
    from jettison import plot

    assert [name for name in plot.__all__ if f"## jettison.plot.{name}\n" not in text and name != "figures"] == []


def test_links_of_the_index_lead_to_headings(package):
    import re

    pages = api.pages(package)
    links = re.findall(r"\]\((\w+\.md)#([^)]+)\)", pages["index.md"])
    assert len(links) > 60
    for file, anchor in links:
        anchors = {api._anchor(heading) for heading in re.findall(r"^## (.+)$", pages[file], re.M)}
        assert anchor in anchors, (file, anchor)
