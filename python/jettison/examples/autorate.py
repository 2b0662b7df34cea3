"""Autorate: a controller that follows a link whose rate varies, by the rules of cake-autorate.

The rules and their constants are those that cake-autorate documents (its README, "Theory of Operation", and the comments of its
``defaults.sh``); the code is our own. For each direction, at each reply of a probe:

- Baseline: an average of the one-way delay that follows a lower delay at once (``alpha_decrease``) and a higher one slowly
  (``alpha_increase``). The delta is the delay above the baseline.
- Bufferbloat: at least ``detection`` of the last ``window`` deltas exceed ``threshold``, plus the time that a full-size packet
  takes at the shaper's rate. The rate falls by a factor from ``down_least`` (mean delta at the threshold) to ``down_most`` (at
  ``down_at``).
- High load: the link carries more than ``high_load`` of the shaper's rate. The rate rises by a factor from ``up_most`` (mean delta up to
  ``up_at``) to ``up_least`` (at the threshold).
- Low load: the rate returns to ``base``, by ``decay_down`` or ``decay_up`` a step.
- Refractory periods: after a fall, no change for ``after_bufferbloat``; after a step towards the base, none for ``after_decay``.

What the documents leave open is stated here: the mean delta is that of the window; and a rise waits for the refractory period after a
fall too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from jettison.controllers import Link, Probe

MILLISECOND = 1_000_000
"""Nanoseconds in a millisecond."""

FULL_PACKET = 1500
"""Bytes of a full-size packet."""


@dataclass
class Rules:
    """Constants of the rules, with cake-autorate's defaults. Times are milliseconds."""

    alpha_increase: float = 0.001
    alpha_decrease: float = 0.9
    window: int = 6
    detection: int = 3
    threshold: float = 30.0
    up_at: float = 10.0
    down_at: float = 60.0
    down_least: float = 0.99
    down_most: float = 0.75
    up_least: float = 1.0
    up_most: float = 1.04
    decay_down: float = 0.99
    decay_up: float = 1.01
    high_load: float = 0.75
    load_interval: float = 200.0
    after_bufferbloat: float = 300.0
    after_decay: float = 1000.0


@dataclass
class Direction:
    """One direction: the shaper's rates in bit/s, and what was seen."""

    link: str
    minimum: float
    base: float
    maximum: float
    rate: float = 0.0
    baseline: float | None = None
    deltas: deque[tuple[float, bool]] = field(default_factory=lambda: deque[tuple[float, bool]]())
    fell: float = float("-inf")
    decayed: float = float("-inf")
    carried: int = 0
    measured: float = 0.0
    throughput: float = 0.0

    def __post_init__(self) -> None:
        """Starts at the base rate."""
        if not 0 < self.minimum <= self.base <= self.maximum:
            raise ValueError(
                f"`minimum`, `base` and `maximum` must be > 0 and in this order, got {self.minimum}, {self.base} and {self.maximum}"
            )
        self.rate = self.base

    def carry(self, link: Link, now: float, rules: Rules) -> None:
        """Measures the throughput over intervals of ``load_interval``."""
        self.carried += link.carried
        if now - self.measured >= rules.load_interval:
            self.throughput = 8e3 * self.carried / (now - self.measured)
            self.carried, self.measured = 0, now

    def reply(self, delay: float, now: float, rules: Rules) -> None:
        """Takes the one-way delay of a reply, in ms; sets :attr:`rate`."""
        if self.baseline is None:
            self.baseline = delay
        alpha = rules.alpha_decrease if delay < self.baseline else rules.alpha_increase
        self.baseline += alpha * (delay - self.baseline)
        delta = delay - self.baseline
        threshold = rules.threshold + 8e3 * FULL_PACKET / self.rate
        self.deltas.append((delta, delta > threshold))
        while len(self.deltas) > rules.window:
            self.deltas.popleft()
        mean = sum(delta for delta, _ in self.deltas) / len(self.deltas)
        if sum(delayed for _, delayed in self.deltas) >= rules.detection:
            if now - self.fell > rules.after_bufferbloat:
                self.rate *= between(mean, (threshold, rules.down_least), (rules.down_at, rules.down_most))
                self.fell = now
        elif now - self.fell <= rules.after_bufferbloat:
            pass
        elif self.throughput > rules.high_load * self.rate:
            self.rate *= between(mean, (rules.up_at, rules.up_most), (threshold, rules.up_least))
        elif now - self.decayed > rules.after_decay:
            if self.rate > self.base:
                self.rate = max(self.base, self.rate * rules.decay_down)
            elif self.rate < self.base:
                self.rate = min(self.base, self.rate * rules.decay_up)
            self.decayed = now
        self.rate = min(max(self.rate, self.minimum), self.maximum)


def between(value: float, low: tuple[float, float], high: tuple[float, float]) -> float:
    """Interpolates between two points, and is constant beyond them."""
    (x, y), (x_high, y_high) = low, high
    if x_high <= x:
        return y_high if value >= x_high else y
    share = min(max((value - x) / (x_high - x), 0.0), 1.0)
    return y + share * (y_high - y)


class Autorate:
    """A controller for :func:`jettison.run`: sets the shapers of an upload, a download, or both.

    Args:
        probe: The flow of ``ping``; its requests go in the direction of the upload.
        upload: The upload's shaper.
        download: The download's shaper.
        one_way: Whether probes measure the delay of each direction (ICMP timestamps); if not, it is half of the round trip.
        rules: The constants.
        period: Time between two observations.
    """

    def __init__(
        self,
        probe: str,
        upload: Direction | None = None,
        download: Direction | None = None,
        *,
        one_way: bool = False,
        rules: Rules | None = None,
        period: str = "50 ms",
    ) -> None:
        self.upload, self.download, self.one_way = upload, download, one_way
        self.rules = rules or Rules()
        self.links: Sequence[str] = [each.link for each in (upload, download) if each is not None]
        if not self.links:
            raise ValueError("`upload` or `download` must be given")
        self.probes: Sequence[str] = [probe]
        self.period = period

    def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> dict[str, float]:
        """Applies the rules to each direction at each reply."""
        rates: dict[str, float] = {}
        for direction in (self.upload, self.download):
            if direction is None:
                continue
            direction.carry(links[direction.link], now / MILLISECOND, self.rules)
            for probe in probes:
                own = probe.out if direction is self.upload else probe.back
                delay = own if self.one_way else probe.rtt / 2
                direction.reply(delay / MILLISECOND, probe.at / MILLISECOND, self.rules)
            if direction.rate != links[direction.link].rate:
                rates[direction.link] = direction.rate
        return rates
