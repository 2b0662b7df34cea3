"""The pictures of the book's pages on queue disciplines."""

from pathlib import Path

import pytest

import jettison
from jettison.examples.discipline_gallery.__main__ import main
from jettison.examples.discipline_gallery.measured import overview, replace
from jettison.examples.discipline_gallery.pictures import PICTURES


def test_every_discipline_s_page_has_its_picture():
    pages = {component.page for component in jettison.catalogue("queue")}
    assert {picture.page for picture in PICTURES} == pages


def test_every_picture_shows_variants_of_its_scenario():
    for picture in PICTURES:
        known = jettison.load(picture.scenario).axes["queue"]
        assert set(picture.schemes) <= set(known), picture.name


def test_a_picture_is_drawn_and_what_was_measured_is_written(tmp_path: Path):
    book = tmp_path / "book"
    page = book / "disciplines" / "octopus.md"
    page.parent.mkdir(parents=True)
    page.write_text("before\n<!-- measured octopus -->\nold\n<!-- end -->\nafter\n", encoding="utf-8")
    assert main(["octopus", "--out", str(tmp_path), "--book", str(book), "--seeds", "1"]) == 0
    svg = (tmp_path / "octopus.svg").read_text(encoding="utf-8")
    assert "<svg" in svg
    assert "Octopus" in svg
    assert len(svg) < 50_000
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[2].startswith("Measured (tail drop): sojourn time ")
    assert (lines[0], lines[3], lines[4]) == ("before", "<!-- end -->", "after")


def test_a_page_without_the_place_is_left_alone(tmp_path: Path):
    page = tmp_path / "page.md"
    page.write_text("nothing\n", encoding="utf-8")
    assert not replace(page, "codel", "line")
    assert page.read_text(encoding="utf-8") == "nothing\n"


def test_an_unknown_picture_is_refused(capsys: pytest.CaptureFixture[str]):
    assert main(["nonesuch"]) == 2
    assert "unknown picture `nonesuch`" in capsys.readouterr().err


def test_the_overview_has_what_the_pages_say(tmp_path: Path):
    for picture in PICTURES:
        page = tmp_path / picture.page
        page.parent.mkdir(exist_ok=True)
        line = "downloads wait 7.5 ms (100.9), frames within 100 ms 98.6 % (25.8), drops 172 (548)"
        page.write_text(
            f"<!-- measured {picture.name} -->\nMeasured (tail drop): {line}.\n<!-- end -->\n", encoding="utf-8"
        )
    rows = overview(tmp_path)
    assert rows[0] == "| | downloads wait, ms | frames within 100 ms, % | drops |"
    assert rows[2] == "| `tail-drop`, 250 packets | 100.9 | 25.8 | 548 |"
    assert "| `codel` | 7.5 | 98.6 | 172 |" in rows
    assert not any("octopus" in row for row in rows)
