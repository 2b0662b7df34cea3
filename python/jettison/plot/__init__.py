"""Pictures of results.

Each function draws one kind, on `ax` or on a figure of its own, and returns the axes. Units stand on the
axes, and a scheme has the same colour wherever it is drawn (:mod:`jettison.plot.palette`). What is not there is
an error that names what is. The papers' own figures are in :mod:`jettison.plot.figures`.
"""

from __future__ import annotations

try:
    __import__("matplotlib")
    __import__("numpy")
except ModuleNotFoundError as missing:
    raise ModuleNotFoundError(f"plots need {missing.name}: pip install 'jettison[plot]'", name=missing.name) from None

from . import figures
from .congestion import window
from .distribution import cdf
from .errors import PlotError
from .heat import backlog
from .intervals import bars, boxes
from .palette import colour
from .reasons import drop_reasons
from .representations import ladder
from .series import time_series
from .sweeps import lines, surface
from .trade import ellipses

__all__ = [
    "PlotError", "backlog", "bars", "boxes", "cdf", "colour", "drop_reasons", "ellipses", "figures", "ladder",
    "lines", "surface", "time_series", "window",
]  # fmt: skip
