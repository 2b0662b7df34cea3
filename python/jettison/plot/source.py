"""Protocols of results for plots, which :class:`jettison.Result` and `SweepResult` implement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Floats", "Source", "Summarised", "Table", "Variants", "Wanted"]

Floats: TypeAlias = NDArray[np.float64]
#: A selection of variants: all, a list of names, parts of their names, or values of their labels.
Variants: TypeAlias = str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
#: A required value of a column, or several alternatives.
Wanted: TypeAlias = str | int | list[str] | list[int]


class Table(Protocol):
    """A table of a result."""

    @property
    def arrow(self) -> Any:
        """The complete table as a `pyarrow.Table`, which has no type information."""
        ...

    def select(self, columns: Iterable[str]) -> Any:
        """Selects columns, as a `pyarrow.Table`; only these are read from a stored table."""
        ...

    def filter(self, **columns: Wanted) -> Table:
        """Selects the rows in which these columns have the given value or one of the given values."""
        ...


class Summarised(Protocol):
    """Variants with summary values: the common interface of :class:`jettison.Result` and `SweepResult`."""

    @property
    def name(self) -> str:
        """Name of the scenario."""
        ...

    @property
    def variants(self) -> list[str]:
        """Names of the variants, in the order of the experiment."""
        ...

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """Labels of each variant by axis."""
        ...

    @property
    def seeds(self) -> list[int]:
        """Seeds of each variant."""
        ...

    @property
    def units(self) -> dict[str, str]:
        """Unit of each metric."""
        ...

    @property
    def summary(self) -> Table:
        """Means over seeds with 95 % confidence intervals."""
        ...

    @property
    def runs(self) -> Table:
        """Summary values per run."""
        ...


class Source(Summarised, Protocol):
    """The interface of :class:`jettison.Result` for plots of series and distributions."""

    @property
    def manifest(self) -> dict[str, Any]:
        """Description of the experiment."""
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
        """One row per frame of real-time video."""
        ...
