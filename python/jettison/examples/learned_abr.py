"""A small agent that learns to choose segments, without a deep-learning framework.

The policy scores each representation by a linear function of six features and takes the best; the cross-entropy method searches the
weights: it draws candidates from a normal distribution, plays each on the same networks, and fits the distribution to the best.

Run ``python -m jettison.examples.learned_abr``; with ``--help`` it says what can be changed. It needs ``jettison[gym]``.
"""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

import jettison
from jettison.gym import AbrEnv, Fleet, adaptation

Floats = NDArray[np.float64]
Policy = Callable[[Floats], NDArray[np.int64]]

HISTORY = 5
FEATURES = ["bitrate", "change", "stall", "drain", "share of the buffer", "bitrate by buffer"]
# Networks to learn on, and others to judge on.
TRAINING = range(24)
HELD_OUT = range(1000, 1048)
# The rules of players that are compared.
RULES = ["throughput", "bola", "dynamic", "bba"]


def parts(observations: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Of each observation: throughput (Mbit/s), buffer (s), bitrate of the last segment and of each choice (Mbit/s)."""
    past = observations[:, :HISTORY]
    known = past > 0
    # The harmonic mean, which a burst does not deceive; a cautious guess before the first segment.
    inverse = np.where(known, 1 / np.where(known, past, 1), 0).sum(1)
    throughput = np.where(known.any(1), known.sum(1) / np.maximum(inverse, 1e-9), 0.5)
    buffer, last, _, media = observations[:, 2 * HISTORY : 2 * HISTORY + 4].T
    bitrates = 8 * observations[:, 2 * HISTORY + 4 :] / np.maximum(media, 1e-3)[:, None]
    return throughput, buffer, last, bitrates


def features(observations: Floats) -> Floats:
    """The features of each choice, an array of observations by choices by features."""
    throughput, buffer, last, bitrates = parts(observations)
    media = observations[:, 2 * HISTORY + 3]
    takes = bitrates * media[:, None] / throughput[:, None]
    return np.stack(
        [
            bitrates,
            np.abs(bitrates - last[:, None]),
            np.maximum(takes - buffer[:, None], 0),
            np.maximum(takes - media[:, None], 0),
            takes / np.maximum(buffer, 1)[:, None],
            bitrates * buffer[:, None] / 30,
        ],
        axis=2,
    )


def linear(weights: Floats) -> Policy:
    """The policy of weights: one row for each observation, or one for all."""
    return lambda observations: (features(observations) * weights[:, None, :]).sum(2).argmax(1)


def simple(observations: Floats) -> NDArray[np.int64]:
    """The stated simple rule: the highest representation of at most 0.9 of the mean throughput."""
    throughput, _, _, bitrates = parts(observations)
    return np.maximum((bitrates <= 0.9 * throughput[:, None]).sum(1) - 1, 0)


def returns(fleet: Fleet, policy: Policy, seeds: Sequence[int]) -> Floats:
    """The return of one episode with each seed."""
    observations, _ = fleet.reset(seed=list(seeds))
    total, running = np.zeros(fleet.num_envs), np.ones(fleet.num_envs, bool)
    while running.any():
        observations, rewards, terminated, truncated, _ = fleet.step(policy(observations.astype(np.float64)))
        total += np.where(running, rewards, 0)
        running &= ~(terminated | truncated)
    return total


def train(
    *,
    generations: int = 12,
    population: int = 24,
    episodes: int = 16,
    networks: Sequence[int] = TRAINING,
    duration: str = "160 s",
    seed: int = 0,
    jobs: int | None = None,
    say: Callable[[str], None] = print,
) -> Floats:
    """Searches weights by the cross-entropy method; returns their mean after the last generation."""
    random = np.random.default_rng(seed)
    scenario = adaptation(networks, duration=duration)
    fleet = Fleet(AbrEnv, population * episodes, jobs=jobs, scenario=scenario, history=HISTORY)
    mean, spread = np.zeros(len(FEATURES)), np.ones(len(FEATURES))
    begun = time.perf_counter()
    for generation in range(1, generations + 1):
        candidates = mean + spread * random.standard_normal((population, len(FEATURES)))
        # All candidates play the same episodes, other ones in each generation.
        seeds = [1000 * generation + number for number in range(episodes)] * population
        each = returns(fleet, linear(np.repeat(candidates, episodes, 0)), seeds).reshape(population, episodes).mean(1)
        best = candidates[np.argsort(each)[-max(population // 4, 2) :]]
        # A floor under the spread, which shrinks, keeps the search from ending early.
        mean, spread = best.mean(0), best.std(0) + 0.3 / generation
        took = time.perf_counter() - begun
        say(f"generation {generation:2}: mean return {each.mean():8.1f}, best {each.max():7.1f}; {took:5.0f} s")
    fleet.close()
    return mean


def judge(weights: Floats, networks: Sequence[int] = HELD_OUT, duration: str = "160 s") -> dict[str, Floats]:
    """The return on each of other networks: of the learned policy, the simple rule, and the rules of players."""
    scenario = adaptation(networks, duration=duration)
    found: dict[str, Floats] = {"learned": np.zeros(len(networks)), "simple rule": np.zeros(len(networks))}
    env = AbrEnv(scenario, history=HISTORY)
    for name, policy in (("learned", linear(weights[None, :])), ("simple rule", simple)):
        for place, variant in enumerate(scenario.variants):
            observation, _ = env.reset(seed=1, options={"variant": variant, "seed": 1})
            ended = False
            while not ended:
                choice = int(policy(observation[None, :].astype(np.float64))[0])
                observation, reward, terminated, truncated, _ = env.step(choice)
                found[name][place] += reward
                ended = terminated or truncated
    for rule in RULES:
        # Runs as always: what a rule does in a player.
        runs = jettison.run(scenario.set("flows.video.app.player", {"abr": rule}), seeds=[1])
        rows = {row["variant"]: row["mean"] for row in runs.summary.to_pylist() if row["metric"] == "linear_qoe"}
        segments = math.ceil(float(duration.split()[0]) / 4)
        found[rule] = np.array([segments * rows[variant] / 1e3 for variant in scenario.variants])
    return found


def compared(found: dict[str, Floats]) -> str:
    """A table of mean returns, and of the learned policy's paired differences with 95 % intervals."""
    lines = [f"{'policy':12} {'mean return':>11}   learned minus it (95 %)"]
    for name, own in found.items():
        difference = found["learned"] - own
        half = 1.96 * difference.std(ddof=1) / math.sqrt(len(difference))
        paired = "" if name == "learned" else f"   {difference.mean():+8.1f} ± {half:.1f}"
        lines.append(f"{name:12} {own.mean():11.1f}{paired}")
    return "\n".join(lines)


def main() -> None:
    """Trains, and compares on networks that the training did not see."""
    parser = argparse.ArgumentParser(description="Learns to choose segments, and compares with rules.")
    for name, value, what in (
        ("generations", 12, "generations of the search"),
        ("population", 24, "candidates in each"),
        ("episodes", 16, "episodes that each candidate plays"),
        ("seed", 0, "seed of the search"),
    ):
        parser.add_argument(f"--{name}", type=int, default=value, help=f"{what} ({value})")
    given = parser.parse_args()
    weights = train(
        generations=given.generations, population=given.population, episodes=given.episodes, seed=given.seed
    )
    print("weights:", ", ".join(f"{name} {weight:+.2f}" for name, weight in zip(FEATURES, weights, strict=True)))
    print(f"\n{len(HELD_OUT)} networks that were not trained on:")
    print(compared(judge(weights)))


if __name__ == "__main__":
    main()
