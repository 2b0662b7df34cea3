"""Gymnasium environments: the checker, determinism, vectors, and what is refused."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import SyncVectorEnv

import jettison
from jettison import _jettison
from jettison.errors import ScenarioError
from jettison.examples import learned_abr
from jettison.gym import AbrEnv, AqmEnv, CongestionEnv, Env, Fleet, adaptation, bottleneck, path

IDS = ["jettison/Abr-v0", "jettison/Congestion-v0", "jettison/Aqm-v0"]
SMALL: dict[str, Callable[[], jettison.Scenario]] = {
    IDS[0]: lambda: adaptation(range(2), duration="20 s"),
    IDS[1]: lambda: path(range(2), duration="2 s"),
    IDS[2]: lambda: bottleneck(range(2), duration="4 s"),
}


def made(name: str, **arguments: Any) -> Env[Any]:
    return gymnasium.make(name, scenario=SMALL[name](), **arguments).unwrapped  # pyright: ignore[reportReturnType]


def episode(env: gymnasium.Env[Any, Any], seed: int, most: int = 50) -> list[tuple[bytes, float, bool, bool]]:
    """Observations and rewards under random actions, which are the same each time."""
    env.action_space.seed(5)
    env.reset(seed=seed)
    steps: list[tuple[bytes, float, bool, bool]] = []
    for _ in range(most):
        observation, reward, terminated, truncated, _ = env.step(env.action_space.sample())
        steps.append((observation.tobytes(), float(reward), terminated, truncated))
        if terminated or truncated:
            break
    return steps


@pytest.mark.parametrize("name", IDS)
def test_gymnasium_finds_nothing_wrong(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(made(name, render_mode="ansi"))


@pytest.mark.parametrize("name", IDS)
def test_an_episode_runs_to_its_end_within_its_spaces(name: str) -> None:
    env = gymnasium.make(name, scenario=SMALL[name](), render_mode="ansi")
    observation, info = env.reset(seed=1)
    own: Env[Any] = env.unwrapped  # pyright: ignore[reportAssignmentType]
    assert info["variant"] in own.scenario.variants
    assert info["seed"] > 0
    assert len(own.observed) == len(observation)
    ended, steps = False, 0
    while not ended:
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert observation in env.observation_space
        assert np.isfinite(float(reward))
        assert set(own.units) == set(info)
        assert "time" in str(env.render())
        ended, steps = terminated or truncated, steps + 1
        # A title ends; a path and a queue do not, but the scenario does.
        assert not (terminated and name != IDS[0])
        assert not (truncated and name == IDS[0])
    assert steps > 3
    with pytest.raises(ValueError, match=r"the episode is over; call reset\(\)"):
        own.step(env.action_space.sample())
    env.close()


@pytest.mark.parametrize("name", IDS)
def test_the_same_seed_and_actions_give_the_same_episode(name: str) -> None:
    first, second = made(name), made(name)
    assert episode(first, 3) == episode(second, 3)
    assert episode(first, 3) != episode(second, 4)


@pytest.mark.parametrize(
    ("make", "changes", "action"),
    [
        (AbrEnv, {"flows.video.app.player": {"abr": {"kind": "fixed", "representation": 2}}}, [2.0]),
        (AqmEnv, {}, [0.0, 0.0]),
    ],
)
def test_steps_of_a_constant_rule_are_the_run_with_that_rule(
    make: Callable[..., Env[Any]], changes: dict[str, Any], action: list[float]
) -> None:
    scenario = adaptation([7], duration="20 s") if make is AbrEnv else bottleneck([7], duration="4 s")
    scenario = scenario.set(changes) if changes else scenario
    env = make(scenario)
    env.reset(seed=1, options={"seed": 11})
    _, _, plain = getattr(_jettison, "plain_run")(scenario.checked, 0, 11)  # noqa: B009 (only built for tests)
    assert env._worlds.record(action) == plain


def test_a_constant_rate_is_the_run_with_the_controller_constant() -> None:
    env = CongestionEnv(path([3], duration="2 s"), rate=3e6)
    env.reset(seed=1, options={"seed": 5})
    _, _, plain = getattr(_jettison, "plain_run")(env.scenario.checked, 0, 5)  # noqa: B009
    assert env._worlds.record([0.0]) == plain


@pytest.mark.parametrize("name", IDS)
def test_a_fleet_is_the_same_environments_one_by_one(name: str) -> None:
    scenario = SMALL[name]()
    fleet = gymnasium.make_vec(name, num_envs=3, scenario=scenario, jobs=2)
    assert isinstance(fleet.unwrapped, Fleet)
    single = SyncVectorEnv([lambda: gymnasium.make(name, scenario=scenario) for _ in range(3)])
    assert fleet.observation_space == single.observation_space
    assert fleet.action_space == single.action_space
    fleet.action_space.seed(2)
    together, alone = fleet.reset(seed=9), single.reset(seed=9)
    assert np.array_equal(together[0], alone[0])
    # Enough steps for new episodes.
    ended = 0
    for _ in range(90):
        actions = fleet.action_space.sample()
        ours, theirs = fleet.step(actions), single.step(actions)
        for mine, other in zip(ours[:4], theirs[:4], strict=True):
            assert np.array_equal(mine, other)
        assert np.array_equal(ours[4]["time"], theirs[4]["time"])
        ended += int(np.sum(ours[2] | ours[3]))
    assert ended > 0
    fleet.close()
    single.close()


def test_a_fleet_on_one_thread_and_on_several_is_the_same() -> None:
    fleets = [Fleet(AqmEnv, 4, jobs=jobs, scenario=bottleneck(range(2), duration="4 s")) for jobs in (1, 3)]
    for fleet in fleets:
        fleet.action_space.seed(1)
    first, second = (fleet.reset(seed=[4, 3, 2, 1])[0] for fleet in fleets)
    assert np.array_equal(first, second)
    for _ in range(10):
        first, second = (fleet.step(fleet.action_space.sample()) for fleet in fleets)
        assert np.array_equal(first[0], second[0])
        assert np.array_equal(first[1], second[1])


def test_resets_choose_networks_by_seed_or_as_told() -> None:
    env = made(IDS[1])
    seen = {env.reset(seed=seed)[1]["variant"] for seed in range(12)}
    assert seen == set(env.scenario.variants)
    told = env.reset(seed=1, options={"variant": "network=1", "seed": 77})[1]
    assert (told["variant"], told["seed"]) == ("network=1", 77)
    assert env.reset(options={"variant": 0})[1]["variant"] == "network=0"
    with pytest.raises(ValueError, match="option `variant` must be one of network=0, network=1 or its index, got 'x'"):
        env.reset(options={"variant": "x"})
    with pytest.raises(ValueError, match="unknown option `network`; known are variant, seed"):
        env.reset(options={"network": 1})
    with pytest.raises(ValueError, match="option `seed` must be an integer >= 0, got -1"):
        env.reset(options={"seed": -1})


def test_wrong_actions_are_refused_in_words() -> None:
    abr, congestion = made(IDS[0]), made(IDS[1])
    with pytest.raises(ValueError, match=r"there is no episode yet; call reset\(\)"):
        abr.step(0)
    abr.reset(seed=1)
    for action in (6, -1, 0.5, float("nan")):
        with pytest.raises(ValueError, match=r"an action must be an integer in 0\.\.5, got"):
            abr.step(action)
    congestion.reset(seed=1)
    for wrong in ([1.5], [0.0, 0.0], [float("nan")]):
        with pytest.raises(ValueError, match=r"an action must be 1 number in \[-1, 1\], got"):
            congestion.step(np.array(wrong))
    fleet = Fleet(AqmEnv, 2, scenario=bottleneck([0], duration="4 s"))
    fleet.reset(seed=1)
    with pytest.raises(ValueError, match=r"actions must have the shape \(2, 2\), got \(2,\)"):
        fleet.step(np.zeros(2))


def test_scenarios_that_do_not_fit_are_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="the scenario has no flow of `dash`"):
        AbrEnv(path([0]))
    with pytest.raises(ScenarioError, match="unknown flow `vidio`; the scenario has video"):
        AbrEnv(adaptation([0]), flow="vidio")
    with pytest.raises(ScenarioError, match="the scenario has no flow of `bulk`"):
        CongestionEnv(adaptation([0]))
    with pytest.raises(ScenarioError, match=r"no queue discipline of `bottleneck\.forward` has a parameter"):
        AqmEnv(path([0]), queue="bottleneck.forward")
    with pytest.raises(ScenarioError, match="no queue discipline of a link that a flow crosses has a parameter"):
        AqmEnv(path([0]))
    with pytest.raises(ScenarioError, match=r"has no parameter `targett` .*; known are target, interval"):
        AqmEnv(bottleneck([0]), parameters=["targett"])
    with pytest.raises(ScenarioError, match='`interval` must be a time > 0 such as "50 ms"'):
        AqmEnv(bottleneck([0]), interval="5 parsecs")
    with pytest.raises(ValueError, match='`control` must be "rate" or "window"'):
        CongestionEnv(control="cwnd")
    with pytest.raises(ValueError, match="`render_mode` must be None"):
        AbrEnv(render_mode="human")
    file = tmp_path / "own.toml"
    file.write_text(bottleneck([0], duration="3 s").to_toml())
    assert AqmEnv(file).reset(seed=1)[0].shape == (8,)


def test_environments_of_other_disciplines_and_players() -> None:
    for queue, names in {"pi2": ["target"], "red": ["max_p"], "fq-codel": ["target", "interval"]}.items():
        env = AqmEnv(bottleneck([1], duration="3 s").set("links.bottleneck.queue", {"kind": queue}))
        assert [name for name, _ in env.observed[6:]] == names
        before = env.reset(seed=1)[1][names[0]]
        after = env.step(np.ones(len(names), np.float32))[4][names[0]]
        assert after == pytest.approx(2 * before)
    env = AbrEnv(adaptation([1], duration="20 s").set("flows.video.app.player", "shaka"), history=2)
    env.reset(seed=1)
    chosen = [env.step(choice)[4]["representation"] for choice in (1, 3)]
    assert chosen == [1.0, 3.0]


def test_a_discipline_in_python_that_fails_ends_the_step_with_its_error() -> None:
    class Broken:
        def __init__(self) -> None:
            self.waiting: list[Any] = []

        def enqueue(self, packet: Any, now: int) -> bool:
            if now > 1_500_000_000:
                raise RuntimeError("it broke")
            self.waiting.append(packet)
            return True

        def dequeue(self, now: int) -> Any:
            return self.waiting.pop(0) if self.waiting else None

    scenario = path([0], duration="4 s").discipline(Broken, "broken").set("links.lan.queue", {"kind": "broken"})
    env = CongestionEnv(scenario)
    env.reset(seed=1)

    def play() -> None:
        for _ in range(60):
            env.step(np.zeros(1, np.float32))

    with pytest.raises(RuntimeError, match="it broke"):
        play()


def test_the_example_of_the_page_prints_what_the_page_shows(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs/src/gym.md").read_text()
    found = re.search(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
    assert found
    exec(found[1], {})
    assert capsys.readouterr().out == found[2]


def test_the_agent_learns_and_is_compared_on_other_networks() -> None:
    said: list[str] = []
    weights = learned_abr.train(
        generations=2, population=6, episodes=2, networks=range(2), duration="20 s", jobs=2, say=said.append
    )
    assert len(said) == 2
    assert np.isfinite(weights).all()
    assert np.any(weights != 0)
    found = learned_abr.judge(weights, networks=[5, 6, 7], duration="20 s")
    assert set(found) == {"learned", "simple rule", *learned_abr.RULES}
    # A rule of a player in a run, and the same choices in an environment, are worth the same.
    env = AbrEnv(adaptation([5, 6, 7], duration="20 s"))
    fixed = jettison.run(env.scenario.set("flows.video.app.player", {"abr": "fixed"}), seeds=[1]).summary.to_pylist()
    scores = {row["variant"]: row["mean"] for row in fixed if row["metric"] == "linear_qoe"}
    for variant in env.scenario.variants:
        env.reset(options={"variant": variant, "seed": 1})
        total = sum(env.step(0)[1] for _ in range(5))
        assert total == pytest.approx(5 * scores[variant] / 1e3)
    table = learned_abr.compared(found)
    assert table.count("\n") == 6
    assert "learned minus it" in table
