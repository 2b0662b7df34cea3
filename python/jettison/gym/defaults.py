"""The scenarios that the environments take if they are given none."""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from jettison.scenario import Scenario

# Bitrates in kbit/s and pictures of the default title.
LADDER = [(300, 426, 240), (750, 640, 360), (1200, 854, 480), (1850, 1024, 576), (2850, 1280, 720), (4300, 1920, 1080)]
# Rates in Mbit/s that the default networks go through.
RATES = [0.5, 0.8, 1.2, 1.8, 2.7, 4.0, 6.0]


def adaptation(networks: Iterable[int] = range(16), *, duration: str = "160 s") -> Scenario:
    """The scenario of :class:`jettison.gym.AbrEnv`: one viewer behind a link whose rate changes every eight seconds.

    Args:
        networks: Numbers of networks; each has its own sequence of rates between 0.5 and 6 Mbit/s, a random walk. An agent that was
            trained on some should be judged on others.
        duration: Length of the title. The scenario is a minute longer, for stalls.
    """
    seconds = _seconds(duration)
    variants: dict[str, dict[str, Any]] = {
        str(number): {"links.access.changes": _walk(number, seconds + 60)} for number in networks
    }
    video: list[Any] = [
        {"width": width, "height": height, "frame_rate": 30.0, "bitrate": f"{kbit} kbit/s"}
        for kbit, width, height in LADDER
    ]
    content: dict[str, Any] = {"ladder": {"video": video}, "duration": duration, "segment_duration": "4 s"}
    scenario = Scenario(
        name="gym-abr",
        duration=f"{seconds + 60} s",
        sample_interval="1 s",
        nodes={"server": {"kind": "host"}, "isp": {"kind": "router"}, "viewer": {"kind": "host"}},
        links={
            "core": {"between": ["server", "isp"], "rate": "1 Gbit/s", "delay": "15 ms"},
            "access": {
                "between": ["isp", "viewer"],
                "rate": "2 Mbit/s",
                "delay": "5 ms",
                "queue": {"kind": "fq-codel"},
                "reverse": {"rate": "10 Mbit/s"},
            },
        },
        flows={"video": {"from": "server", "to": "viewer", "app": {"kind": "dash", "content": content}}},
    )
    return scenario.vary(values=variants, name="network")


def path(networks: Iterable[int] = range(16), *, duration: str = "20 s") -> Scenario:
    """The scenario of :class:`jettison.gym.CongestionEnv`: one sender on a path with a tail-drop buffer.

    Args:
        networks: Numbers of networks. Each has its rate (2 to 50 Mbit/s), base RTT (10 to 100 ms) and buffer (0.5 to 4
            times the product of both).
        duration: Length of an episode.
    """
    variants: dict[str, dict[str, Any]] = {}
    for number in networks:
        random = np.random.default_rng([1, number])
        mbit = 2.0 * 25.0 ** random.random()
        rtt = 10.0 * 10.0 ** random.random()
        buffer = max(int(mbit * rtt * 125 * 0.5 * 8.0 ** random.random()), 6000)
        variants[str(number)] = {
            "links.bottleneck.rate": f"{mbit:.3f} Mbit/s",
            "links.bottleneck.delay": f"{rtt / 2:.3f} ms",
            "links.bottleneck.queue": {"kind": "tail-drop", "limit": f"{buffer} bytes"},
        }
    scenario = Scenario(
        name="gym-congestion",
        duration=duration,
        sample_interval="1 s",
        nodes={"sender": {"kind": "host"}, "router": {"kind": "router"}, "receiver": {"kind": "host"}},
        links={
            "lan": {"between": ["sender", "router"], "rate": "1 Gbit/s"},
            "bottleneck": {"between": ["router", "receiver"], "rate": "10 Mbit/s", "delay": "20 ms"},
        },
        flows={
            "bulk": {
                "from": "sender",
                "to": "receiver",
                "transport": "tcp",
                "app": "bulk",
                "start_jitter": "100 ms",
            }
        },
    )
    return scenario.vary(values=variants, name="network")


def bottleneck(networks: Iterable[int] = range(16), *, duration: str = "30 s") -> Scenario:
    """The scenario of :class:`jettison.gym.AqmEnv`: TCP flows of different RTTs through CoDel.

    Args:
        networks: Numbers of networks. Each has its rate (5 to 100 Mbit/s), base RTT (10 to 150 ms) and number of flows (1 to 16).
        duration: Length of an episode, of which the first two seconds are its warm-up.
    """
    variants: dict[str, dict[str, Any]] = {}
    for number in networks:
        random = np.random.default_rng([2, number])
        variants[str(number)] = {
            "links.bottleneck.rate": f"{5.0 * 20.0 ** random.random():.3f} Mbit/s",
            "links.bottleneck.delay": f"{5.0 * 15.0 ** random.random():.3f} ms",
            "flows.bulk.count": int(2 ** random.integers(0, 5)),
        }
    scenario = Scenario(
        name="gym-aqm",
        duration=duration,
        warm_up="2 s",
        sample_interval="1 s",
        nodes={"sender": {"kind": "host"}, "router": {"kind": "router"}, "receiver": {"kind": "host"}},
        links={
            "lan": {"between": ["sender", "router"], "rate": "1 Gbit/s"},
            "bottleneck": {
                "between": ["router", "receiver"],
                "rate": "20 Mbit/s",
                "delay": "20 ms",
                "queue": {"kind": "codel", "limit": "1000 packets"},
            },
        },
        flows={
            "bulk": {
                "from": "sender",
                "to": "receiver",
                "transport": "tcp",
                "app": "bulk",
                "count": 4,
                "start_jitter": "1 s",
            }
        },
    )
    return scenario.vary(values=variants, name="network")


def _walk(number: int, seconds: int) -> list[dict[str, str]]:
    """Rates of a network over time: a random walk over `RATES`, a step of at most two every eight seconds."""
    random = np.random.default_rng([0, number])
    place = int(random.integers(len(RATES)))
    changes: list[dict[str, str]] = []
    for at in range(1, seconds, 8):
        changes.append({"at": f"{at} s", "rate": f"{RATES[place]} Mbit/s"})
        place = int(np.clip(place + random.integers(-2, 3), 0, len(RATES) - 1))
    return changes


def _seconds(duration: str) -> int:
    from jettison.queues import nanoseconds

    return int(nanoseconds(duration)) // 1_000_000_000
