"""The notebooks run, are short, and are committed without output."""

# pyright: basic
from __future__ import annotations

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="left out: the notebooks need `pip install '.[notebooks]'`")
nbclient = pytest.importorskip("nbclient", reason="left out: the notebooks need `pip install '.[notebooks]'`")

FOLDER = Path(__file__).parents[1] / "notebooks"
PAPERS = ["codelpp", "dpm", "ired", "newcwv", "octopus"]


def test_there_is_one_for_each_paper():
    assert sorted(path.stem for path in FOLDER.glob("*.ipynb")) == PAPERS


@pytest.mark.parametrize("paper", PAPERS)
def test_a_notebook_runs_and_draws(paper, tmp_path):
    book = nbformat.read(FOLDER / f"{paper}.ipynb", as_version=4)
    code = [cell for cell in book.cells if cell.cell_type == "code"]
    assert all(not cell.outputs and cell.execution_count is None for cell in code), "committed with outputs"
    nbclient.NotebookClient(
        book, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    kinds = [output.output_type for cell in code for output in cell.outputs]
    assert "error" not in kinds
    pictures = [o for cell in code for o in cell.outputs if "image/png" in getattr(o, "data", {})]
    assert len(pictures) >= 4
