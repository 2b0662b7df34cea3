"""`python -m jettison.plot`: draws one plot of stored results into a file.

    python -m jettison.plot KIND DIR [METRIC] [OBJECT...] [--PARAMETER VALUE...] --out FILE

KIND is a function of `jettison.plot`, such as `bars`, and the parameters are that function's, such as `--statistic p99`; one
that is true or false needs no value, and one that is given again makes a list. The end of FILE says whether it becomes SVG, PNG or PDF. The exit status is 0 if the plot
was drawn, and 2 otherwise.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import argparse
import inspect
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..errors import JettisonError

__all__ = ["main"]

FORMATS = (".svg", ".png", ".pdf")
#: Parameters that a command line cannot give.
NOT_HERE = {"result", "ax", "reference", "reference_label"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Draws what the command line asks for; returns the exit status."""
    try:
        given, rest = _parser().parse_known_args(arguments)
        return _draw(given, rest)
    except (JettisonError, ModuleNotFoundError) as error:
        print(f"jettison: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m jettison.plot", description="Draws one plot of stored results.", allow_abbrev=False
    )
    parser.add_argument("kind", metavar="KIND", help="a function of jettison.plot: bars, time_series, cdf, …")
    parser.add_argument("folder", metavar="DIR", help="results of `jettison run`")
    parser.add_argument("what", metavar="METRIC OBJECT", nargs="*", help="the metric, if KIND has one, and objects")
    parser.add_argument("--out", metavar="FILE", required=True, help="the file, .svg, .png or .pdf")
    parser.add_argument("--size", metavar="WxH", help="size in inches, such as 7x3.5")
    parser.add_argument("--dpi", metavar="N", help="dots per inch of a PNG [default: 150]")
    parser.add_argument("--title", metavar="TEXT", help="text above the axes")
    return parser


def _draw(given: argparse.Namespace, rest: Sequence[str]) -> int:
    import matplotlib.pyplot as plt

    from .. import open as open_result
    from .. import plot
    from . import style

    plt.switch_backend("Agg")  # without windows
    kinds = [name for name in plot.__all__ if name not in ("PlotError", "colour", "figures")]
    if given.kind not in kinds:
        raise JettisonError(f"no plot `{given.kind}`; there are: {', '.join(kinds)}")
    draw: Callable[..., Any] = getattr(plot, given.kind)
    path = Path(given.out)
    if path.suffix not in FORMATS:
        raise JettisonError(f"--out must end in {', '.join(FORMATS)}, got `{path.name}`")
    drawn: Any = draw(open_result(given.folder), **_what(draw, given.what), **_parameters(draw, rest))
    axes: Any = drawn if hasattr(drawn, "figure") else drawn[0]
    figure = axes.figure
    with style.context():
        if given.title:
            axes.set_title(given.title)
        if given.size:
            width, _, height = given.size.partition("x")
            wanted = "WxH in inches, such as 7x3.5"
            figure.set_size_inches(_number(width, "--size", wanted), _number(height, "--size", wanted))
        path.parent.mkdir(parents=True, exist_ok=True)
        # Without a date, the same results give the same file.
        dpi = _number(given.dpi, "--dpi", "a number") if given.dpi else "figure" if path.suffix == ".svg" else 150.0
        figure.savefig(path, dpi=dpi, metadata={"Date": None} if path.suffix == ".svg" else None)
    print(path)
    return 0


def _what(draw: Callable[..., Any], words: Sequence[str]) -> dict[str, Any]:
    """The positional words: metrics first, the rest are objects."""
    left, found = list(words), dict[str, Any]()
    for name, parameter in inspect.signature(draw).parameters.items():
        if parameter.kind is parameter.KEYWORD_ONLY or not left or name == "result":
            continue
        if name == "objects":
            found[name], left = (left if len(left) > 1 else left[0]), []
        else:
            found[name] = left.pop(0)
    if left:
        raise JettisonError(f"{draw.__name__} takes no further words: {' '.join(left)}")
    return found


def _parameters(draw: Callable[..., Any], rest: Sequence[str]) -> dict[str, Any]:
    """`--name value` and `--name` of the function's own parameters."""
    known = {name: each for name, each in inspect.signature(draw).parameters.items() if name not in NOT_HERE}
    found, left = dict[str, Any](), list(rest)
    while left:
        word = left.pop(0)
        option, equals, value = word.removeprefix("--").partition("=")
        name = option.replace("-", "_")
        if not word.startswith("--") or name not in known:
            raise JettisonError(f"{draw.__name__} has no parameter `{word}`; there are: {', '.join(sorted(known))}")
        if not equals and left and not left[0].startswith("--"):
            equals, value = "=", left.pop(0)
        each = _value(value) if equals else True
        # An option that is given again makes a list.
        found[name] = (
            [*(found[name] if isinstance(found[name], list) else [found[name]]), each] if name in found else each
        )
    return found


def _value(text: str) -> Any:
    """A truth value, a number, or the text; `a,b` is a list."""
    if text in ("true", "false"):
        return text == "true"
    if "," in text and "=" not in text:
        return [_value(part) for part in text.split(",")]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text


def _number(text: str, of: str, wanted: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise JettisonError(f"{of} must be {wanted}, got `{text}`") from None


if __name__ == "__main__":
    sys.exit(main())
