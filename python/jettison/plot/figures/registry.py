"""Registry of the papers' figures and the results they are drawn from."""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from matplotlib.figure import Figure

from .. import style
from ..arguments import check_result
from ..errors import PlotError, unknown
from ..source import Source

__all__ = ["PaperFigure", "Results", "all_figures", "draw", "figure", "figures_of", "papers", "reproduced"]

Results = Mapping[str, Source]
"""Results by the experiment's name without the paper's: `{"ingress-vs-egress": result}`."""

#: Function that draws a figure.
Maker: TypeAlias = Callable[[Results], Figure]


@dataclass(frozen=True)
class PaperFigure:
    """A figure of a paper.

    Attributes:
        paper: The paper.
        slug: The name in files and on the command line.
        of: The figure or table of the paper or, if its number is unknown here, its subject.
        title: The title.
        experiments: The experiments whose results it is drawn from.
        make: The function that draws it.
    """

    paper: str
    slug: str
    of: str
    title: str
    experiments: tuple[str, ...]
    make: Maker

    def draw(self, results: Results) -> Figure:
        """Draws the figure. A :class:`PlotError` names missing results."""
        missing = [name for name in self.experiments if name not in results]
        if missing:
            needed = ", ".join(f"{self.paper}/{name}" for name in missing)
            raise PlotError(f"missing results of {needed}; `jettison reproduce {self.paper}/{missing[0]}` creates them")
        with style.context():
            made = self.make(results)
            # About thirteen characters of this size per inch.
            title = re.sub(r"(\d) (?=[a-zA-Z])", "\\1\u00a0", self.title)  # keep a number and its unit together
            lines = textwrap.fill(title, int(13 * made.get_figwidth()))
            made.suptitle(lines, fontsize=10, x=0.01, ha="left")
            return made


_FIGURES: dict[tuple[str, str], PaperFigure] = {}


def figure(paper: str, slug: str, *, of: str, experiments: Sequence[str]) -> Callable[[Maker], Maker]:
    """Registers a function that draws a paper's figure; its docstring is the figure's title."""

    def register(make: Maker) -> Maker:
        assert (paper, slug) not in _FIGURES, f"{paper}/{slug} is registered twice"
        title = " ".join((make.__doc__ or "").split()).removesuffix(".")
        _FIGURES[paper, slug] = PaperFigure(paper, slug, of, title, tuple(experiments), make)
        return make

    return register


def all_figures() -> list[PaperFigure]:
    """All figures, in the order of the papers' files."""
    return list(_FIGURES.values())


def papers() -> list[str]:
    """The papers with figures."""
    return list(dict.fromkeys(paper for paper, _ in _FIGURES))


def figures_of(name: str) -> list[PaperFigure]:
    """The figures of `PAPER` or `PAPER/EXPERIMENT`.

    For an experiment, these are the figures that need no other one.
    """
    paper, _, experiment = name.partition("/")
    if paper not in papers():
        raise unknown("figures of a paper", paper, papers(), "jettison.plot")
    own = [each for each in _FIGURES.values() if each.paper == paper]
    if not experiment:
        return own
    found = [each for each in own if set(each.experiments) == {experiment}]
    if not found:
        raise unknown(
            f"figures of an experiment of {paper}",
            experiment,
            {e for each in own for e in each.experiments},
            "jettison.plot",
        )
    return found


def draw(name: str, results: Source | Results) -> Figure:
    """Draws one figure, such as `draw("ired/rtt", result)`.

    A figure that needs several experiments takes their results by name.
    """
    paper, _, slug = name.partition("/")
    if not isinstance(results, Mapping):
        check_result(results)
    chosen = _FIGURES.get((paper, slug))
    if chosen is None:
        raise unknown("figure", name, [f"{p}/{s}" for p, s in _FIGURES], "jettison.plot.figures")
    if isinstance(results, Mapping):
        return chosen.draw(results)
    return chosen.draw({str(results.name).rpartition("/")[2]: results})


def reproduced(result: Source) -> list[dict[str, Any]]:
    """Rows of the comparison with the paper's values; empty if the scenario is not a paper's experiment."""
    return cast("list[dict[str, Any]]", getattr(result, "reproduction", []))
