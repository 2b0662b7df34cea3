"""Sweeps: runs of a scenario at many points, locally or on a cluster."""

from .api import sweep
from .axes import Axis, Range
from .executors import DaskExecutor, Executor, LocalExecutor
from .progress import Progress
from .result import FailedRun, SweepResult
from .samples import Grid, LatinHypercube, Points

__all__ = [
    "Axis",
    "DaskExecutor",
    "Executor",
    "FailedRun",
    "Grid",
    "LatinHypercube",
    "LocalExecutor",
    "Points",
    "Progress",
    "Range",
    "SweepResult",
    "sweep",
]
