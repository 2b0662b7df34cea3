"""Executors of a sweep's runs."""

from __future__ import annotations

from typing import Any

from ...errors import SweepError
from .base import Executor
from .dask import DaskExecutor
from .local import LocalExecutor

__all__ = ["DaskExecutor", "Executor", "LocalExecutor", "choose"]


def choose(executor: Any) -> Executor:
    """Resolves the argument `executor=` of a sweep.

    None or `"local"`, an executor, an address, or a client or cluster of Dask.
    """
    if executor is None or executor == "local":
        return LocalExecutor()
    if isinstance(executor, Executor):
        return executor
    if isinstance(executor, int) and not isinstance(executor, bool):
        return LocalExecutor(executor)
    if isinstance(executor, str) and "://" not in executor and ":" not in executor:
        raise SweepError(
            f'`executor` must be "local", an address such as "tcp://head:8786", or a Dask client, got {executor!r}'
        )
    return DaskExecutor(executor)
