"""Jettison: which packets of a media stream should a congested network drop?

>>> import jettison
>>> scenario = jettison.load("ired/ingress-vs-egress").set("duration", "20 s")
>>> result = jettison.run(scenario, seeds=range(1, 6))
>>> result.queues.to_polars()  # doctest: +SKIP

A scenario describes a simulation (:func:`load`, :class:`Scenario`), :func:`run` simulates it, and a :class:`Result` holds
the measurements as Arrow tables. :func:`open` reads a folder that ``jettison run`` wrote.
"""

from jettison._jettison import __commit__, __version__
from jettison.catalogue import Component, Gauge, Parameter, catalogue
from jettison.errors import (
    ControllerError,
    DisciplineError,
    JettisonError,
    RunError,
    ScenarioError,
    SweepError,
    UnknownNameError,
)
from jettison.result import Result, open  # noqa: A004
from jettison.running import run
from jettison.scenario import Scenario, load
from jettison.sweeps import (
    DaskExecutor,
    Grid,
    LatinHypercube,
    LocalExecutor,
    Points,
    Progress,
    Range,
    SweepResult,
    sweep,
)
from jettison.table import Table
from jettison.tuning import Floor, Objective, TuneResult, tune

__all__ = [
    "Component",
    "ControllerError",
    "DaskExecutor",
    "DisciplineError",
    "Floor",
    "Gauge",
    "Grid",
    "JettisonError",
    "LatinHypercube",
    "LocalExecutor",
    "Objective",
    "Parameter",
    "Points",
    "Progress",
    "Range",
    "Result",
    "RunError",
    "Scenario",
    "ScenarioError",
    "SweepError",
    "SweepResult",
    "Table",
    "TuneResult",
    "UnknownNameError",
    "__commit__",
    "__version__",
    "catalogue",
    "load",
    "open",
    "run",
    "sweep",
    "tune",
]
