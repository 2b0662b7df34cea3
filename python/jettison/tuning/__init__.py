"""Search for a discipline's parameters."""

from .api import tune
from .objective import Floor, Objective
from .study import Trial, TuneResult

__all__ = ["Floor", "Objective", "Trial", "TuneResult", "tune"]
