"""`python -m jettison.figures`: a paper's figures as files, from stored results.

    python -m jettison.figures PAPER[/EXPERIMENT] [DIR...] [--out DIR] [--format png,svg,pdf]

DIR is a folder that `jettison reproduce` wrote, or one with several of them; without one it is `out/PAPER`.
The files' paths go to standard output, what could not be drawn and why to standard error. The exit status
is 0 if any figure was drawn, 1 if none was, and 2 for bad input.
"""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
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
    """Draws what the command line asks for; gives the exit status."""
    given = _parser().parse_args(arguments)
    try:
        from .plot.figures import figures_of  # says what to install if there is no matplotlib

        chosen = figures_of(given.name)
        if given.check:
            return 0
        formats = [name.strip() for name in given.format.split(",") if name.strip()]
        for name in formats:
            if name not in FORMATS:
                raise JettisonError(f"--format knows {', '.join(FORMATS)}, and not `{name}`")
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
    parser.add_argument("name", metavar="PAPER[/EXPERIMENT]", help="the paper, or one experiment of it")
    parser.add_argument(
        "folders", metavar="DIR", nargs="*", help="results, or a folder of results [default: out/PAPER]"
    )
    parser.add_argument("--out", metavar="DIR", help="where the files go [default: out/PAPER/figures]")
    parser.add_argument(
        "--format", default="png,svg,pdf", metavar="LIST", help="png, svg, pdf or several [default: all]"
    )
    parser.add_argument("--json", action="store_true", help="print a record a file in place of its path")
    parser.add_argument("--check", action="store_true", help="only say whether they could be drawn")
    return parser


def _results(paper: str, folders: Sequence[Path]) -> dict[str, Source]:
    """The paper's results in those folders or one level below, by the experiment's name."""
    from . import open as open_result

    found: dict[str, Source] = {}
    for folder in folders:
        if not folder.is_dir():
            raise JettisonError(f"{folder} is no folder: `jettison reproduce {paper}` makes out/{paper}")
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

    plt.switch_backend("Agg")  # no window, wherever this runs
    from .plot import style

    drawn = 0
    for each in chosen:
        try:
            figure = each.draw(results)
        except JettisonError as error:
            print(f"jettison: {each.paper}/{each.slug} ({each.of}) is not drawn: {error}", file=sys.stderr)
            continue
        out.mkdir(parents=True, exist_ok=True)
        for extension in formats:
            path = out / f"{each.slug}.{extension}"
            # Without dates the same results give the same files.
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
