"""Many environments of one kind, whose worlds run in threads of their own without the interpreter's lock."""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from jettison import _jettison
from jettison.gym.env import Env, rendered
from jettison.gym.tasks import Episodes


class Fleet(VectorEnv[Any, Any, Any]):
    """Many environments of one kind, stepped at once.

    It does what ``gymnasium.vector.SyncVectorEnv`` of the same environments does, with the same seeds, but a step of all takes the cores
    that there are: the worlds are stepped in Rust. A finished episode is followed by a reset in the next step
    (``AutoresetMode.NEXT_STEP``).

    Args:
        kind: The class of the environments.
        num_envs: How many.
        jobs: Number of threads; by default one for each core.
        arguments: As for `kind`.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1, "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012
    """What gymnasium asks of environments: their ways to render, and when an ended episode begins anew."""

    def __init__(
        self, kind: Callable[..., Env[Any]], num_envs: int = 1, *, jobs: int | None = None, **arguments: Any
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"`num_envs` must be >= 1, got {num_envs}")
        one = kind(**arguments)
        self.num_envs = num_envs
        self.render_mode = one.render_mode
        """None or ``"ansi"``."""
        self.scenario = one.scenario
        """The scenario of all environments."""
        self.observed = one.observed
        """Name and unit of each number of an observation."""
        self.units = one.units
        """Unit of each measure in `infos`."""
        self.single_observation_space, self.single_action_space = one.observation_space, one.action_space
        self.observation_space = batch_space(one.observation_space, num_envs)
        """The space of observations of all environments, one row each."""
        self.action_space = batch_space(one.action_space, num_envs)
        """The space of actions of all environments, one row each."""
        self._worlds = one.setup.worlds(num_envs, _jettison.default_jobs() if jobs is None else jobs)
        self._episodes = Episodes(one.scenario.variants)
        self._randoms: list[np.random.Generator | None] = [None] * num_envs
        self._done = np.zeros(num_envs, bool)
        self._infos: dict[str, Any] = {}

    @staticmethod
    def of(kind: Callable[..., Env[Any]]) -> Callable[..., Fleet]:
        """The maker of fleets of a kind, as ``gymnasium.make_vec`` takes it."""

        def make(num_envs: int = 1, **arguments: Any) -> Fleet:
            return Fleet(kind, num_envs, **arguments)

        return make

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins all episodes; a seed n seeds the environments with n, n + 1 and so on."""
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + place for place in range(self.num_envs)]
        else:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"`seed` must have {self.num_envs} values, got {len(seeds)}")
        for place, own in enumerate(seeds):
            if own is not None or self._randoms[place] is None:
                self._randoms[place] = seeding.np_random(own)[0]
        resets = [self._drawn(place, options) for place in range(self.num_envs)]
        observations, _, _, _, infos = self._round(b"", resets)
        return observations, infos

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Steps all episodes; those that have ended begin anew, whatever their action."""
        numbers = np.ascontiguousarray(actions, np.float64)
        if numbers.shape != self.action_space.shape:
            raise ValueError(f"actions must have the shape {self.action_space.shape}, got {numbers.shape}")
        resets = [self._drawn(int(place), None) for place in np.flatnonzero(self._done)]
        return self._round(numbers.tobytes(), resets)

    def render(self) -> tuple[str, ...] | None:
        """The measures of each in words, with ``render_mode="ansi"``."""
        if self.render_mode != "ansi":
            return None
        each = ({name: self._infos[name][place] for name in self.units} for place in range(self.num_envs))
        return tuple(rendered(info, self.units) for info in each)

    def _drawn(self, place: int, options: dict[str, Any] | None) -> tuple[int, int, int]:
        random = self._randoms[place]
        if random is None:
            random = self._randoms[place] = seeding.np_random(None)[0]
        return (place, *self._episodes.draw(random, options))

    def _round(self, actions: bytes, resets: list[tuple[int, int, int]]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        observations, rewards, terminated, truncated, measures = self._worlds.round(actions, resets)
        count = self.num_envs
        over, cut = np.frombuffer(terminated, bool), np.frombuffer(truncated, bool)
        self._done = over | cut
        table = np.frombuffer(measures, np.float64).reshape(count, -1)
        every = np.ones(count, bool)
        infos: dict[str, Any] = {}
        for place, name in enumerate(self.units):
            infos[name], infos[f"_{name}"] = table[:, place], every
        if resets:
            variants, seeds, begun = np.full(count, None, object), np.zeros(count, np.int64), np.zeros(count, bool)
            for place, variant, seed in resets:
                variants[place], seeds[place], begun[place] = self._episodes.name(variant), seed, True
            infos |= {"variant": variants, "_variant": begun, "seed": seeds, "_seed": begun}
        self._infos = infos
        return np.frombuffer(observations, np.float32).reshape(count, -1), np.frombuffer(rewards), over, cut, infos
