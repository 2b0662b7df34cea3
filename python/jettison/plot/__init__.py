"""Plots of results.

Each function draws one kind of plot, on `ax` or on a new figure, and returns the axes. Axes are labelled with
units, and a scheme has the same colour in all plots (:mod:`jettison.plot.palette`). Errors about missing data name the
available data. The papers' own figures are in :mod:`jettison.plot.figures`.
"""

from __future__ import annotations

try:
    __import__("matplotlib")
    __import__("numpy")
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(
        f"plots require {missing.name}: pip install 'jettison[plot]'", name=missing.name
    ) from None

from . import figures
from .congestion import window
from .distribution import cdf
from .errors import PlotError
from .heat import backlog
from .intervals import bars, boxes
from .load import response_under_load
from .palette import colour
from .reasons import drop_reasons
from .representations import ladder
from .series import time_series
from .sweeps import lines, surface
from .trade import ellipses

__all__ = [
    "PlotError", "backlog", "bars", "boxes", "cdf", "colour", "drop_reasons", "ellipses", "figures", "ladder",
    "lines", "response_under_load", "surface", "time_series", "window",
]  # fmt: skip
