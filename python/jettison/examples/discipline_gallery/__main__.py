"""Runs the scenarios, draws the pictures and writes the measured lines."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import jettison

from ...result import Result
from .drawing import draw
from .measured import OVERVIEW, overview, replace, sentence
from .pictures import PICTURES, Picture


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws what the command line names; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m jettison.examples.discipline_gallery", description=__doc__)
    parser.add_argument("names", metavar="NAME", nargs="*", help="names of pictures, such as codel; by default all")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/src/pictures/disciplines"), help="folder of the pictures"
    )
    parser.add_argument("--book", type=Path, help="folder of the book's pages, to write the measured lines into")
    parser.add_argument("--results", type=Path, help="folder of stored results, SCENARIO/ each, in place of runs")
    parser.add_argument("--seeds", type=int, help="number of seeds, by default the scenarios'; the first one is drawn")
    given = parser.parse_args(arguments)
    known = [picture.name for picture in PICTURES]
    if unknown := [name for name in given.names if name not in known]:
        print(f"unknown picture `{unknown[0]}`; known are {', '.join(sorted(known))}", file=sys.stderr)
        return 2
    chosen = [picture for picture in PICTURES if not given.names or picture.name in given.names]
    given.out.mkdir(parents=True, exist_ok=True)
    for scenario in dict.fromkeys(picture.scenario for picture in chosen):
        pictures = [picture for picture in chosen if picture.scenario == scenario]
        result = _result(scenario, pictures, given.results, given.seeds)
        for picture in pictures:
            path = given.out / f"{picture.name}.svg"
            path.write_text(draw(picture, result, result.seeds[0]), encoding="utf-8")
            print(path)
            line = sentence(picture, result)
            if not given.book or not replace(given.book / picture.page, picture.name, line):
                print(line)
    if given.book and (given.book / OVERVIEW).exists():
        replace(given.book / OVERVIEW, "all", "\n".join(overview(given.book)))
    return 0


def _result(scenario: str, pictures: Sequence[Picture], stored: Path | None, seeds: int | None) -> Result:
    if stored is not None:
        result = jettison.open(stored / scenario)
        for name in ("queues", "flows", "accounts", "frames", "summary"):
            assert result.table(name).arrow is not None, "columns that were read together stay in memory"
        return result
    schemes = list(dict.fromkeys(scheme for picture in pictures for scheme in picture.schemes))
    return jettison.run(jettison.load(scenario).only(queue=schemes), seeds=seeds)


if __name__ == "__main__":
    sys.exit(main())
