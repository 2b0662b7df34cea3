"""`python -m jettison.figures`: draws a paper's figures from stored results into files.

    python -m jettison.figures PAPER[/EXPERIMENT] [DIR...] [--out DIR] [--format png,svg,pdf]

DIR is a folder that `jettison reproduce` wrote, or a folder of such folders; by default `out/PAPER`.
Paths of the files go to standard output, figures that could not be drawn and the reasons to standard error.
The exit status is 0 if any figure was drawn, 1 if none was, and 2 for invalid arguments.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import JettisonError

if TYPE_CHECKING:
    from .plot.figures import PaperFigure
    from .plot.reading import Source

__all__ = ["main"]

FORMATS = ("png", "svg", "pdf")


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws the figures that the command line selects; returns the exit status."""
    given = _parser().parse_args(arguments)
    try:
        from .plot.figures import figures_of  # raises an error with installation advice if matplotlib is missing

        chosen = figures_of(given.name)
        if given.check:
            return 0
        formats = [name.strip() for name in given.format.split(",") if name.strip()]
        for name in formats:
            if name not in FORMATS:
                raise JettisonError(f"--format must be of {', '.join(FORMATS)}, got `{name}`")
        paper = given.name.partition("/")[0]
        results = _results(paper, [Path(folder) for folder in given.folders] or [Path("out") / paper])
    except (JettisonError, ModuleNotFoundError) as error:
        print(f"jettison: {error}", file=sys.stderr)
        return 2
    try:
        return _write(chosen, results, Path(given.out or Path("out") / paper / "figures"), formats, given.json)
    except KeyboardInterrupt:
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jettison.figures", description="Draws a paper's figures from stored results."
    )
    parser.add_argument("name", metavar="PAPER[/EXPERIMENT]", help="the paper, or one of its experiments")
    parser.add_argument(
        "folders", metavar="DIR", nargs="*", help="folders of results, or folders of such folders [default: out/PAPER]"
    )
    parser.add_argument("--out", metavar="DIR", help="write the files to this folder [default: out/PAPER/figures]")
    parser.add_argument(
        "--format", default="png,svg,pdf", metavar="LIST", help="file formats, of png, svg and pdf [default: all]"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON record per file instead of its path")
    parser.add_argument("--check", action="store_true", help="only check whether the figures can be drawn")
    return parser


def _results(paper: str, folders: Sequence[Path]) -> dict[str, Source]:
    """The paper's results in these folders or one level below, by the experiment's name."""
    from . import open as open_result

    found: dict[str, Source] = {}
    for folder in folders:
        if not folder.is_dir():
            raise JettisonError(f"{folder} is not a folder; `jettison reproduce {paper}` creates out/{paper}")
        inside = (
            [folder]
            if (folder / "manifest.json").is_file()
            else sorted(p.parent for p in folder.glob("*/manifest.json"))
        )
        for each in inside:
            result = open_result(str(each))
            of, _, experiment = result.name.rpartition("/")
            if of in ("", paper):
                found.setdefault(experiment, result)
    return found


def _write(
    chosen: Sequence[PaperFigure],
    results: dict[str, Source],
    out: Path,
    formats: Sequence[str],
    records: bool,
) -> int:
    import matplotlib.pyplot as plt

    plt.switch_backend("Agg")  # without windows
    from .plot import style

    drawn = 0
    for each in chosen:
        try:
            figure = each.draw(results)
        except JettisonError as error:
            print(f"jettison: {each.paper}/{each.slug} ({each.of}) cannot be drawn: {error}", file=sys.stderr)
            continue
        out.mkdir(parents=True, exist_ok=True)
        for extension in formats:
            path = out / f"{each.slug}.{extension}"
            # Omit dates, so the same results give the same files.
            metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None, "ModDate": None}}.get(extension)
            with style.context():
                figure.savefig(path, metadata=metadata)
            if records:
                record = {
                    "type": "figure",
                    "paper": each.paper,
                    "figure": each.slug,
                    "of": each.of,
                    "path": str(path),
                }
                print(json.dumps(record, ensure_ascii=False))
            else:
                print(path)
        plt.close(figure)
        drawn += 1
    return 0 if drawn else 1


if __name__ == "__main__":
    sys.exit(main())
