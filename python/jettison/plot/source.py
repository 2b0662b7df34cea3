"""What plots read of a result: the protocols that :class:`jettison.Result` and `SweepResult` fulfil."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Source", "Summarised", "Table", "Variants", "Wanted"]

Floats: TypeAlias = NDArray[np.float64]
#: Which variants: all, a list of names, the parts that a name must have, or the values that labels must have.
Variants: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
#: What a column must be: a value, or one of several.
Wanted: TypeAlias = str | int | list[str] | list[int]


class Table(Protocol):
    """A table of a result."""

    @property
    def arrow(self) -> Any:
        """All of it: a `pyarrow.Table`, of which there are no types."""
        ...

    def select(self, columns: Iterable[str]) -> Any:
        """Some columns, as a `pyarrow.Table`: of a stored table no others are read."""
        ...

    def filter(self, **columns: Wanted) -> Table:
        """The rows in which those columns have that value, or one of those values."""
        ...


class Summarised(Protocol):
    """Variants with summary values: what :class:`jettison.Result` and `SweepResult` have in common."""

    @property
    def name(self) -> str:
        """The scenario's name."""
        ...

    @property
    def variants(self) -> list[str]:
        """The names of the variants, in the order of the experiment."""
        ...

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """For each variant the label of its arm by axis."""
        ...

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs of each variant."""
        ...

    @property
    def units(self) -> dict[str, str]:
        """The unit of each metric."""
        ...

    @property
    def summary(self) -> Table:
        """Means over seeds with 95 % intervals."""
        ...

    @property
    def runs(self) -> Table:
        """Summary values of each run."""
        ...


class Source(Summarised, Protocol):
    """What plots of series and distributions read of a :class:`jettison.Result`."""

    @property
    def manifest(self) -> dict[str, Any]:
        """What was run."""
        ...

    @property
    def queues(self) -> Table:
        """Series of queues."""
        ...

    @property
    def flows(self) -> Table:
        """Series of flows."""
        ...

    @property
    def distributions(self) -> Table:
        """Cumulative distributions."""
        ...

    @property
    def frames(self) -> Table:
        """Each frame of a real-time video."""
        ...
