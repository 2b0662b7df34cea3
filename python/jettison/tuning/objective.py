"""Objective and constraints of a search."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SweepError

_STATISTICS = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class Objective:
    """A metric of the summary to be minimised or maximised.

    Args:
        metric: The metric, such as `"frame_latency"` (units: the table of metrics in the book's chapter on
            results).
        statistic: `"mean"`, or a percentile: `"p50"`, `"p95"`, `"p99"`; the mean over seeds of each run's value.
        object: The queue or flow; optional if only one has the metric.
        part: The part of the metric, such as a reason for drops.
        minimise: Whether low values are better.
        variant: The scenario's variant that counts; by default the mean over all.
    """

    metric: str
    statistic: str = "mean"
    object: str | None = None
    part: str = ""
    minimise: bool = True
    variant: str | None = None

    def __post_init__(self) -> None:
        _check(self.statistic)

    def __str__(self) -> str:
        return _name(self.metric, self.statistic, self.object, self.part)


@dataclass(frozen=True)
class Floor:
    """A metric that must not be below a value (or, with `at_most`, above it).

    `Floor("sqi_ssim", at_least=12.0)` requires a mean SQI-SSIM of at least 12 dB.

    Args:
        metric: The metric.
        at_least: The lowest allowed value.
        at_most: The highest allowed value, instead of `at_least`.
        statistic: As for `Objective`.
        object: As for `Objective`.
        part: As for `Objective`.
        variant: As for `Objective`.
    """

    metric: str
    at_least: float | None = None
    at_most: float | None = None
    statistic: str = "mean"
    object: str | None = None
    part: str = ""
    variant: str | None = None

    def __post_init__(self) -> None:
        _check(self.statistic)
        if (self.at_least is None) == (self.at_most is None):
            raise SweepError(f"Floor({self.metric!r}): requires either `at_least` or `at_most`")

    def __str__(self) -> str:
        bound = f">= {self.at_least}" if self.at_least is not None else f"<= {self.at_most}"
        return f"{_name(self.metric, self.statistic, self.object, self.part)} {bound}"

    def excess(self, value: float) -> float:
        """Amount by which a value violates the constraint; zero or negative if it does not."""
        if self.at_least is not None:
            return self.at_least - value
        assert self.at_most is not None
        return value - self.at_most


def _check(statistic: str) -> None:
    if statistic not in _STATISTICS:
        raise SweepError(f"`statistic` must be one of {', '.join(_STATISTICS)}, got {statistic!r}")


def _name(metric: str, statistic: str, of: str | None, part: str) -> str:
    whole = f"{metric}:{part}" if part else metric
    return f"{statistic} {whole}" + (f" of {of}" if of else "")
