"""The papers' own figures, drawn from results with the axes, kinds of plots and arms of the originals.

>>> import jettison
>>> from jettison.plot import figures
>>> figures.draw("ired/rtt", jettison.open("out/ired/ingress-vs-egress"))

`python -m jettison.figures PAPER` and `jettison reproduce PAPER --figures` write all figures of a paper to files.
This module sets no parameters: the scenario chooses those that a paper omits, and the figure shows the
outcome.
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from . import aqm, codelpp, dpm, ired, l4s, newcwv, octopus, value
from .registry import PaperFigure, Results, all_figures, draw, figures_of, papers

__all__ = ["PaperFigure", "Results", "all_figures", "draw", "figures_of", "papers"]
_ = ired, newcwv, codelpp, dpm, octopus, aqm, l4s, value  # importing registers their figures, in this order
