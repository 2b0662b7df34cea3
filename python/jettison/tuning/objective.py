"""What a search is for, and what it must not give up for it."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import SweepError

_STATISTICS = ("mean", "p50", "p95", "p99")


@dataclass(frozen=True)
class Objective:
    """A measure of the summary that is to be as small, or as large, as possible.

    Args:
        metric: The metric, such as `"frame_latency"` (units: the table of metrics in the book's chapter on
            results).
        statistic: `"mean"`, or a percentile: `"p50"`, `"p95"`, `"p99"`. It is the mean over the seeds of each
            run's.
        object: The queue or flow; may be left out where only one has the metric.
        part: The metric's subdivision, such as a drop's reason.
        minimise: Whether small is good.
        variant: Which of the scenario's own variants counts; by default their mean.
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
    """A measure that must not fall below a value (or, with `at_most`, not rise above it).

    `Floor("sqi_ssim", at_least=12.0)`: the mean SQI-SSIM is 12 dB or more. The other arguments are those of
    `Objective`.
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
            raise SweepError(f"Floor({self.metric!r}): give either `at_least` or `at_most`")

    def __str__(self) -> str:
        bound = f">= {self.at_least}" if self.at_least is not None else f"<= {self.at_most}"
        return f"{_name(self.metric, self.statistic, self.object, self.part)} {bound}"

    def excess(self, value: float) -> float:
        """By how much a value misses it; zero or below if it does not."""
        if self.at_least is not None:
            return self.at_least - value
        assert self.at_most is not None
        return value - self.at_most


def _check(statistic: str) -> None:
    if statistic not in _STATISTICS:
        raise SweepError(f"statistic={statistic!r}: give one of {', '.join(_STATISTICS)}")


def _name(metric: str, statistic: str, of: str | None, part: str) -> str:
    whole = f"{metric}:{part}" if part else metric
    return f"{statistic} {whole}" + (f" of {of}" if of else "")
