from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from small import TEXT

import jettison

ROOT = Path(__file__).parents[2]

# A shell without job control starts background jobs with SIGINT ignored, and children inherit that. Tests of Ctrl-C, and
# the processes that they start, need the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def text() -> str:
    return TEXT


@pytest.fixture
def small() -> jettison.Scenario:
    return jettison.Scenario.from_toml(TEXT, label="small.toml")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def command() -> Path:
    """The `jettison` command of the same version, built by scripts/python.sh."""
    named = os.environ.get("JETTISON")
    found = named or shutil.which(
        "jettison", path=os.pathsep.join(str(ROOT / "target" / kind) for kind in ("debug", "release"))
    )
    if found is None:
        pytest.skip("left out: the command is not built (scripts/python.sh builds it)")
    return Path(found)
