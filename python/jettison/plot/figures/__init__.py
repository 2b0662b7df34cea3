"""The papers' own figures, drawn from results: which axes, which kind of plot, which arms.

>>> import jettison
>>> from jettison.plot import figures
>>> figures.draw("ired/rtt", jettison.open("out/ired/ingress-vs-egress"))

`python -m jettison.figures PAPER` and `jettison reproduce PAPER --figures` write all of a paper's to files.
Nothing here sets a parameter: what a paper leaves out is the scenario's, and the figure shows what came of
it.
"""

# pyright: reportUnknownMemberType=false
# The types of matplotlib leave its keyword arguments open.
from __future__ import annotations

from . import codelpp, dpm, ired, newcwv, octopus
from .registry import PaperFigure, Results, all_figures, draw, figures_of, papers

__all__ = ["PaperFigure", "Results", "all_figures", "draw", "figures_of", "papers"]
_ = ired, newcwv, codelpp, dpm, octopus  # importing registers their figures, in this order
