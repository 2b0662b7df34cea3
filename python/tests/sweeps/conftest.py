from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = str(Path(__file__).parent)
if HERE not in sys.path:
    sys.path.insert(0, HERE)


@pytest.fixture(scope="session")
def cluster() -> Iterator[object]:
    """A real scheduler and two worker processes on loopback."""
    import distributed

    LocalCluster: Any = distributed.LocalCluster  # noqa: N806

    os.environ["PYTHONPATH"] = os.pathsep.join(path for path in sys.path if path)
    with LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=50,
    ) as made:
        made.wait_for_workers(2, timeout=30)
        yield made
