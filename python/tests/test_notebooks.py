"""The notebooks run, are short, and keep the outputs that they give; the book's pages show these."""

# pyright: basic
from __future__ import annotations

import copy
import importlib
import sys
from pathlib import Path
from typing import Any

import pytest

for needed in ("nbformat", "nbclient", "PIL"):
    pytest.importorskip(needed, reason="left out: the notebooks need `pip install '.[notebooks]'`")

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "python" / "book"))

notebooks: Any = importlib.import_module("notebook_pages")

PAPERS = ["codelpp", "dpm", "ired", "newcwv", "octopus"]


def pictures(book) -> list[int]:
    """The number of pictures of each cell."""
    return [sum("image/png" in o.get("data", {}) for o in cell.get("outputs", [])) for cell in book.cells]


def texts(book) -> list[list[str]]:
    """The text of each cell's outputs."""
    return [
        [o.get("text") or o["data"].get("text/plain", "") for o in cell.get("outputs", []) if o.output_type != "error"]
        for cell in book.cells
    ]


def test_there_is_one_for_each_paper():
    assert sorted(path.stem for path in notebooks.NOTEBOOKS.glob("*.ipynb")) == PAPERS
    assert sorted(path.stem for path in notebooks.PAGES.glob("*.md")) == PAPERS


@pytest.mark.parametrize("paper", PAPERS)
def test_a_notebook_runs_and_gives_what_it_keeps(paper):
    kept = notebooks.read(notebooks.NOTEBOOKS / f"{paper}.ipynb")
    now = notebooks.executed(copy.deepcopy(kept))
    assert texts(now) == texts(kept), "run `make notebooks`"
    assert pictures(now) == pictures(kept)
    assert sum(pictures(kept)) >= 4
    kinds = {output.output_type for cell in kept.cells for output in cell.get("outputs", [])}
    assert "error" not in kinds


@pytest.mark.parametrize("paper", PAPERS)
def test_the_page_of_a_notebook_shows_its_outputs(paper):
    page, images = notebooks.rendered(notebooks.read(notebooks.NOTEBOOKS / f"{paper}.ipynb"), paper)
    assert (notebooks.PAGES / f"{paper}.md").read_text(encoding="utf-8") == page, "run `make notebooks`"
    assert sorted(path.name for path in notebooks.PAGES.glob(f"{paper}-*.png")) == sorted(images)
    for name, data in images.items():
        assert (notebooks.PAGES / name).read_bytes() == data
        assert len(data) <= notebooks.LARGEST
        assert f"]({name})" in page
