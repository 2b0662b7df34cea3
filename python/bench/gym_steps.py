"""Overhead of a step of each environment; `make bench ARGS=gym` runs it and checks the requirement.

The episode of a constant action is the run with the rule that always decides so, to the bit, so what the episode takes beyond that
run is overhead: of the step in Python and in Rust, of observations, rewards and measures. The networks carry little, so that the
simulation does not hide it. Times are those of the thread's processor, since all of an environment runs on the thread that calls it.
Prints one record per line: `name` and `value`, the median of several episodes; the environments are those that
`gymnasium.make` returns, with its wrappers.
"""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

import gymnasium
import numpy as np

from jettison import Scenario, _jettison

# It registers the environments.
from jettison.gym import adaptation, bottleneck, path

EPISODES = 15


def show(name: str, value: float) -> None:
    """Prints a record."""
    print(json.dumps({"name": name, "value": value}), flush=True)


def overhead(name: str, scenario: Scenario, action: Any, **arguments: Any) -> float:
    """What a step takes beyond the simulation, in µs."""
    env = gymnasium.make(f"jettison/{name}-v0", scenario=scenario, **arguments)
    own: Any = env.unwrapped
    plain: Any = getattr(_jettison, "plain_run")  # noqa: B009 (only built for measuring)
    found: list[float] = []
    for seed in range(1, EPISODES + 1):
        env.reset(seed=1, options={"seed": seed})
        # What was simulated before the first decision is not part of the steps.
        before, _ = own._worlds.progress()
        ended, steps = False, 0
        begun = time.thread_time()
        while not ended:
            _, _, terminated, truncated, _ = env.step(action)
            ended, steps = terminated or truncated, steps + 1
        taken = time.thread_time() - begun
        after, _ = own._worlds.progress()
        seconds, events, _ = plain(own.scenario.checked, 0, seed)
        found.append(1e6 * (taken - seconds * (after - before) / events) / steps)
    env.close()
    return statistics.median(found)


def main() -> None:
    """Measures all."""
    video = [{"width": 426, "height": 240, "frame_rate": 30.0, "bitrate": f"{kbit} kbit/s"} for kbit in (20, 40, 80)]
    content = {"ladder": {"video": video}, "duration": "600 s", "segment_duration": "1 s"}
    player = {"abr": {"kind": "fixed", "representation": 0}}
    abr = adaptation([0]).set(
        {
            "flows.video.app": {"kind": "dash", "content": content, "player": player},
            "duration": "640 s",
            "sample_interval": "10 s",
        }
    )
    show("gym-step/abr", overhead("Abr", abr, 0))
    still = np.zeros(1, np.float32)
    slow = path([0]).set({"links.bottleneck.rate": "2 Mbit/s", "sample_interval": "10 s"})
    show("gym-step/congestion", overhead("Congestion", slow, still, rate=1e6, interval="10 ms"))
    slow = bottleneck([0]).set({"links.bottleneck.rate": "1 Mbit/s", "flows.bulk.count": 1, "sample_interval": "10 s"})
    show("gym-step/aqm", overhead("Aqm", slow, np.zeros(2, np.float32), interval="10 ms"))


main()
