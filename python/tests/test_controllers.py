"""Controllers: what they see, what they set, and how they fail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

import jettison
from jettison.controllers import Link, Probe
from jettison.examples import autorate, shaper_controller
from jettison.examples.autorate import Autorate, Direction, Rules, between

TRACES = Path(__file__).parents[2] / "scenarios" / "octopus" / "traces"
SATELLITE = shaper_controller.UPLINKS[2]


def short() -> jettison.Scenario:
    """The satellite's uplink for 4 s, behind a shaper of 8 Mbit/s."""
    return shaper_controller.scenario(SATELLITE, 8, TRACES, "6 s")


class Listed:
    """Sets the rates of a list, one a second."""

    links: Sequence[str] = ("access.forward",)
    probes: Sequence[str] = ("ping",)
    period = "1 s"

    def __init__(self, *rates: object) -> None:
        self.rates = list(rates)
        self.seen: list[tuple[int, float, float | None, int]] = []

    def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> Mapping[str, float] | None:
        """Sets the next rate."""
        link = links["access.forward"]
        self.seen.append((now, link.throughput, link.rate, len(probes)))
        if now >= 6 * 10**9:
            seen.append(self.seen)
        return {"access.forward": self.rates.pop(0)} if self.rates else None  # pyright: ignore[reportReturnType]


seen: list[list[tuple[int, float, float | None, int]]] = []


def test_a_controller_sees_what_the_shaper_lets_through_and_runs_are_independent() -> None:
    seen.clear()
    result = jettison.run(short(), seeds=2, jobs=1, controllers={"listed": Listed(4e6, 12e6)})
    assert [len(one) for one in seen] == [6, 6]
    for run in seen:
        assert [rate for _, _, rate, _ in run] == [None, 4e6, 12e6, 12e6, 12e6, 12e6]
        # The shaper counts IP lengths, the link 14 bytes more.
        assert run[1][1] == pytest.approx(4e6 * 1514 / 1500, rel=0.05)
        assert all(4e6 < throughput < 12.3e6 for _, throughput, _, _ in run[2:])
        assert all(10 <= replies <= 30 for _, _, _, replies in run[1:])
    gauge = result.queues.filter(metric="tbf_rate", object="access.forward", seed=1)
    assert set(gauge["value"].to_pylist()) == {8.0, 4.0, 12.0}


@pytest.mark.parametrize("rate", [0, -1.0, float("nan"), float("inf"), "5 Mbit/s", None])
def test_a_rate_that_is_none_is_refused(rate: object) -> None:
    with pytest.raises(
        jettison.ControllerError, match=r"the rate of `access.forward` must be a number of bit/s >= 1, got"
    ):
        jettison.run(short(), seeds=1, controllers={"listed": Listed(rate)})


def test_an_exception_has_its_traceback_and_its_place() -> None:
    class Broken(Listed):
        def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> Mapping[str, float] | None:
            raise ZeroDivisionError("of its own")

    with pytest.raises(ZeroDivisionError, match="of its own") as caught:
        jettison.run(short(), seeds=1, controllers={"broken": Broken()})
    assert any(entry.name == "observe" for entry in caught.traceback)
    notes: list[str] = getattr(caught.value, "__notes__", ["in controller `broken`, 1.000 s"])
    assert notes[0].startswith("in controller `broken`, 1.000 s")


def test_what_does_not_exist_is_refused() -> None:
    def run(controller: Listed, **keys: object) -> None:
        for key, value in keys.items():
            setattr(controller, key, value)
        jettison.run(short(), seeds=1, controllers={"listed": controller})

    with pytest.raises(
        jettison.RunError, match=r"unknown link direction `acess.forward`; did you mean `access.forward`"
    ):
        run(Listed(), links=["acess.forward"])
    with pytest.raises(jettison.RunError, match=r"unknown probe `pin`; did you mean `ping`"):
        run(Listed(), probes=["pin"])

    class Elsewhere(Listed):
        links = ("uplink.forward",)

        def observe(self, now: int, links: Mapping[str, Link], probes: Sequence[Probe]) -> Mapping[str, float] | None:
            return {"uplink.forward": 1e6}

    with pytest.raises(jettison.RunError, match=r"the queue of `uplink.forward` has no shaper"):
        run(Elsewhere())
    with pytest.raises(jettison.ControllerError, match=r"`period` must be > 0"):
        run(Listed(), period="0 s")
    with pytest.raises(jettison.ControllerError, match=r'`period` must be a time such as "100 ms", got None'):
        run(Listed(), period=None)
    with pytest.raises(jettison.ControllerError, match=r"`links` must be a list of names, got 'access.forward'"):
        run(Listed(), links="access.forward")
    with pytest.raises(ValueError, match="exclude each other"):
        jettison.run(short(), seeds=1, out="nowhere", controllers={"listed": Listed()})


def direction() -> Direction:
    """An upload between 1 and 20 Mbit/s, with 10 Mbit/s as its base."""
    return Direction("access.forward", 1e6, 10e6, 20e6)


def replies(one: Direction, *delays: float, load: float = 0.0, start: float = 0.0) -> list[float]:
    """Rates after replies every 50 ms with these delays, at a constant load."""
    rates: list[float] = []
    for number, delay in enumerate(delays):
        one.throughput = load * one.rate
        one.reply(delay, start + 50.0 * number, Rules())
        rates.append(one.rate / 1e6)
    return rates


def test_load_raises_the_rate_until_delays_lower_it() -> None:
    upload = direction()
    risen = replies(upload, *[20.0] * 10, load=0.9)
    assert risen[-1] == pytest.approx(10 * 1.04**10)
    # The third delayed reply of six is bufferbloat: mean delta 100 ms x 3 / 6 is beyond the threshold, short of 60 ms.
    fallen = replies(upload, 120.0, 120.0, 120.0, load=0.9, start=500.0)
    assert fallen[1] > fallen[2] > 0.75 * fallen[1]
    # No change for 300 ms, then again.
    later = replies(upload, *[120.0] * 8, load=0.9, start=650.0)
    assert later[:5] == [fallen[2]] * 5 and later[-1] == pytest.approx(0.75 * fallen[2], rel=0.01)


def test_an_idle_link_returns_to_the_base_rate() -> None:
    upload = direction()
    upload.rate = 20e6
    down = replies(upload, *[20.0] * 100)
    assert down[0] == pytest.approx(20 * 0.99) and down[-1] == pytest.approx(20 * 0.99**5, rel=0.001)
    upload.rate, upload.decayed = 9.95e6, float("-inf")
    assert replies(upload, 20.0) == [10.0]


def test_rates_stay_between_their_bounds() -> None:
    upload = direction()
    replies(upload, 20.0)
    assert min(replies(upload, *[500.0] * 400, load=1.0)) == 1.0
    fresh = direction()
    assert max(replies(fresh, *[20.0] * 100, load=1.0)) == 20.0
    with pytest.raises(ValueError, match="in this order"):
        Direction("x", 5e6, 1e6, 9e6)


def test_factors_are_interpolated() -> None:
    assert [between(x, (10, 1.04), (30, 1.0)) for x in (0, 10, 20, 30, 99)] == pytest.approx(
        [1.04, 1.04, 1.02, 1.0, 1.0]
    )
    assert [between(x, (70, 0.99), (60, 0.75)) for x in (50, 65)] == [0.99, 0.75]


def test_autorate_follows_a_satellites_steps() -> None:
    found = shaper_controller.results(SATELLITE, TRACES, 1, "40 s")
    rows = {
        name: (r.mean("goodput", "all flows"), r.value("rtt", "ping", statistic="p95")) for name, r in found.items()
    }
    _, bloat = rows["none"]
    goodput, delay = rows["controller"]
    least, _ = rows["fixed, the low rate"]
    assert delay < 0.7 * bloat and goodput > 1.1 * least
    assert len(shaper_controller.rows(SATELLITE, found)) == 4
    assert autorate.Autorate("ping", download=direction(), one_way=True).links == ["access.forward"]
    with pytest.raises(ValueError, match="must be given"):
        Autorate("ping")
