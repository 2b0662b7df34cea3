"""The commands of README, quick start and tutorials print what these pages show. `scripts/book.py --update` rewrites them."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def _load() -> ModuleType:
    spec = importlib.util.spec_from_file_location("book", ROOT / "scripts/book.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["book"] = module
    spec.loader.exec_module(module)
    return module


book = _load()


@pytest.mark.parametrize("page", book.pages(False), ids=lambda page: page.stem)
def test_a_page_shows_what_its_commands_print(page: Path, command: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JETTISON", str(command))
    problems = book.run_page(page)
    assert not problems, "\n".join(problems)


def _page(folder: Path, text: str) -> Path:
    page = folder / "page.md"
    page.write_text(text, encoding="utf-8")
    return page


@pytest.fixture
def within(tmp_path: Path, command: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JETTISON", str(command))
    monkeypatch.setattr(book, "ROOT", tmp_path)
    (tmp_path / "scenarios").mkdir()
    return tmp_path


def test_another_output_is_found_and_rewritten(within: Path):
    page = _page(within, "```sh\necho one\n```\n\n```text\ntwo\n```\n")
    assert "another output" in book.run_page(page)[0]
    assert book.run_page(page, update=True) == []
    assert "```text\none\n```" in page.read_text(encoding="utf-8")
    assert book.run_page(page) == []


def test_a_command_that_fails_is_a_problem_with_its_line(within: Path):
    page = _page(within, "text\n\n```sh\nfalse\n```\n")
    assert book.run_page(page)[0].startswith("page.md:4: exit status 1")


def test_blocks_of_a_page_share_files_and_names(within: Path):
    text = "<!-- file: a.txt -->\n```toml\nx = 1\n```\n<!-- run: cp a.txt b.txt -->\n```sh\ncat b.txt\n```\n\n```text\nx = 1\n```\n"
    text += "```python\ny = 2\n```\n\n```python\ny + 1\n```\n```text\n3\n```\n"
    assert book.run_page(_page(within, text)) == []


def test_a_page_leaves_the_environment_as_it_was(within: Path):
    before, folder = dict(os.environ), Path.cwd()
    text = "```python\nimport os\n\nos.environ['OF_THE_PAGE'] = '1'\nos.environ['MPLBACKEND']\n```\n```text\nAgg\n```\n"
    assert book.run_page(_page(within, text)) == []
    assert book.run_page(_page(within, "```python\n1 / 0\n```\n")) != []
    assert (dict(os.environ), Path.cwd()) == (before, folder)


def test_what_is_not_run_is_not_run(within: Path):
    assert book.run_page(_page(within, "<!-- not run: needs root -->\n```sh\nexit 7\n```\n")) == []


def test_only_the_head_of_a_long_output_is_compared(within: Path):
    page = _page(within, "```sh\nseq 5\n```\n\n<!-- head: 2 -->\n```text\n1\n2\n…\n```\n")
    assert book.run_page(page) == []


def test_a_picture_must_be_drawn(within: Path):
    text = "```sh\ntrue\n```\n\n<!-- picture: p.svg -->\n![p](pictures/p.svg)\n"
    assert "no command has drawn p.svg" in book.run_page(_page(within, text))[0]
