"""A runner without simulation, for tests of executors. Workers import it by name."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import Any

from jettison._arrow import pa
from jettison.sweeps.store import to_parquet
from jettison.sweeps.work import Work


def run(scenario: dict[str, Any], work: Work, full: Path | None) -> bytes:
    """Waits, counts, fails or dies, as the scenario (a table) says."""
    settings = dict(work.settings)
    if "log" in scenario:
        with open(scenario["log"], "a") as log:
            log.write(f"{work.key} {os.getpid()}\n")
    time.sleep(scenario.get("seconds", 0.0))
    if settings.get("x") in scenario.get("fails", ()):
        raise ValueError(f"x is {settings['x']}")
    if settings.get("x") in scenario.get("dies", ()) and not _spared(scenario):
        os.kill(os.getpid(), signal.SIGKILL)
    print("what a discipline prints must not disturb the worker's messages")
    return to_parquet(pa.table({"x": [float(str(settings["x"])) * work.seed]}))


def _spared(scenario: dict[str, Any]) -> bool:
    """Whether this number of workers has died."""
    marks = Path(scenario["marks"])
    if len(list(marks.iterdir())) >= scenario["deaths"]:
        return True
    (marks / str(os.getpid())).touch()
    return False
