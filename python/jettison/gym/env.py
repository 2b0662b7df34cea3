"""The environments, one at a time."""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Generic, TypeVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from jettison.errors import ScenarioError
from jettison.gym import defaults
from jettison.gym.tasks import Episodes, Setup, flow_of, kind_of, loaded, span
from jettison.scenario import Scenario

Action = TypeVar("Action")
Observation = NDArray[np.float32]


class Env(gymnasium.Env[Observation, Action], Generic[Action]):
    """What the three environments have in common: an episode is one run of a scenario.

    `reset` draws a variant of the scenario and a seed; the options ``variant`` (name or index) and ``seed`` choose them instead. The
    same variant, seed and actions give the same episode on every machine. An observation is a vector of float32, whose
    numbers `observed` names with their units; `info` has raw measures by name, with the units of `units`, and after a reset the
    ``variant`` and ``seed`` of the run. `truncated` says that the scenario's duration is over, `terminated` that there is nothing
    left to decide.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 (gymnasium has it so)
    """What gymnasium asks of an environment: its ways to render, and frames a second."""

    def __init__(self, setup: Setup, render_mode: str | None = None) -> None:
        if render_mode not in (None, "ansi"):
            raise ValueError(f'`render_mode` must be None or "ansi", got {render_mode!r}')
        self.render_mode = render_mode
        """None or ``"ansi"``."""
        self.setup = setup
        """The scenario and the task in it; a :class:`Fleet` makes its worlds from it."""
        self.scenario = setup.scenario
        """The scenario."""
        self._worlds = setup.worlds(1, 1)
        self._episodes = Episodes(setup.scenario.variants)
        observed, choices, levels, measures = self._worlds.spaces()
        self.observed: list[tuple[str, str]] = [(name, unit) for name, unit, _, _ in observed]
        """Name and unit of each number of an observation."""
        self.units: dict[str, str] = {name: unit for name, unit, _, _ in measures}
        """Unit of each measure in `info`."""
        observation, action = spaces_of(observed, choices, levels)
        self.observation_space = observation
        """The space of observations."""
        self.action_space = action
        """The space of actions."""
        self._choices = choices is not None
        self._names = list(self.units)
        self._info: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begins an episode.

        Args:
            seed: Seeds the draws of variants and runs, of this episode and the following ones.
            options: ``variant``, a name or an index, and ``seed``, that of the run, in place of those drawn.
        """
        super().reset(seed=seed)
        variant, run = self._episodes.draw(self.np_random, options)
        observation, measures = self._worlds.reset(variant, run)
        self._info = dict(zip(self._names, measures, strict=True))
        self._info |= {"variant": self._episodes.name(variant), "seed": run}
        return np.frombuffer(observation, np.float32), self._info

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Takes a decision, and runs to the next one."""
        numbers: Any = (action,) if self._choices else action
        reward, terminated, truncated, (observation, measures) = self._worlds.step(numbers)
        self._info = info = dict(zip(self._names, measures, strict=True))
        return np.frombuffer(observation, np.float32), reward, terminated, truncated, info

    def render(self) -> str | None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The measures in words, with ``render_mode="ansi"``."""
        return rendered(self._info, self.units) if self.render_mode == "ansi" else None


class AbrEnv(Env[int]):
    """Adaptive streaming: choose the representation of each video segment of one player.

    The player is one of the application ``dash`` with its buffer, connections and pauses; where it would ask its rule for video, the
    action answers, and no download is abandoned. Audio follows the scenario's rule.

    Action: ``Discrete(R)``, the representation of the next segment in ascending order of bitrate.

    Observation: throughput (Mbit/s) and time (s) of the last `history` downloads, the newest last, zero before; media in the buffer
    (s); bitrate of the last segment (Mbit/s); share of segments that are left; media time of the next segment (s); its size in
    each representation (MB).

    Reward: the linear quality of experience (Yin et al. 2015) of one segment in Mbit/s: its bitrate, less the change from the
    segment before, less 3 for each second of stalling, and of start-up delay, until the next decision. The weights are those of the
    scenario's player (``qoe``). So the return of an episode that is played to its end is ``linear_qoe`` times its segments.

    Args:
        scenario: A file, the name of a paper's experiment, or a scenario; by default :func:`jettison.gym.adaptation`.
        flow: The flow of ``dash``; by default the only one.
        history: Number of past segments in the observation.
        render_mode: None or ``"ansi"``.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path | None = None,
        *,
        flow: str | None = None,
        history: int = 8,
        render_mode: str | None = None,
    ) -> None:
        own = defaults.adaptation() if scenario is None else loaded(scenario)
        flows = own.to_dict().get("flows", {})
        fits = {name: kind_of(entry.get("app")) == "dash" for name, entry in flows.items()}
        name, _ = flow_of(own, flow, fits, "`dash`")
        super().__init__(Setup(own, {"kind": "abr", "flow": name, "history": history}), render_mode)


class CongestionEnv(Env[NDArray[np.float32]]):
    """Congestion control: set the pacing rate or the window of a TCP flow, at intervals.

    The flow gets the congestion controller ``constant``, whose rate or window the actions change. Loss detection and
    retransmission stay those of the transport. If the flow has several connections, all have the same values.

    Action: ``Box(-1, 1, (1,))``. The rate (or the window) is multiplied by ``factor ** action``, within its bounds.

    Observation, of the last interval: delivered (Mbit/s); mean and least RTT, and the least of the episode (ms); share of bytes lost,
    and marked; bytes in flight (kB); present rate (Mbit/s) or window (kB).

    Reward: share of the bottleneck's capacity that the flow delivered, less the queueing delay (mean RTT less the least) over
    `delay_cost`, less `loss_cost` times the share lost.

    Args:
        scenario: A file, the name of a paper's experiment, or a scenario; by default :func:`jettison.gym.path`.
        flow: The flow, over TCP; by default the only one of ``bulk``.
        control: ``"rate"`` or ``"window"``.
        interval: Time between two decisions.
        bottleneck: The direction of a link, such as ``"access.forward"``; by default the slowest on the flow's path.
        rate: Rate at the start (bit/s), with ``control="rate"``.
        rates: Least and highest rate (bit/s).
        window: Window at the start (bytes); with ``control="rate"`` a limit.
        windows: Least and highest window (bytes).
        factor: By how much an action of 1 multiplies.
        delay_cost: The queueing delay that takes away the reward of a full link.
        loss_cost: What the loss of everything takes away.
        render_mode: None or ``"ansi"``.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path | None = None,
        *,
        flow: str | None = None,
        control: str = "rate",
        interval: str = "50 ms",
        bottleneck: str | None = None,
        rate: float = 2e6,
        rates: tuple[float, float] = (1e5, 1e9),
        window: int | None = None,
        windows: tuple[int, int] = (3000, 20_000_000),
        factor: float = 2.0,
        delay_cost: str = "50 ms",
        loss_cost: float = 1.0,
        render_mode: str | None = None,
    ) -> None:
        if control not in ("rate", "window"):
            raise ValueError(f'`control` must be "rate" or "window", got {control!r}')
        own = defaults.path() if scenario is None else loaded(scenario)
        flows = own.to_dict().get("flows", {})
        fits = {name: kind_of(entry.get("app")) == "bulk" for name, entry in flows.items()}
        name, entry = flow_of(own, flow, fits, "`bulk`")
        transport: Any = flows[entry].get("transport", "tcp")
        if kind_of(transport) != "tcp":
            raise ScenarioError(f"the transport of flow `{name}` must be tcp, got `{kind_of(transport)}`")
        if window is None:
            window = 20_000_000 if control == "rate" else 15_000
        start: dict[str, Any] = {"kind": "constant", "window": f"{int(window)} bytes"}
        if control == "rate":
            start["rate"] = f"{int(rate)} bit/s"
        table = dict(transport) if isinstance(transport, Mapping) else {"kind": "tcp"}  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        own = own.set(f"flows.{entry}.transport", {**table, "congestion": start})
        task = {
            "kind": "congestion",
            "flow": name,
            "control": control,
            "interval": span("interval", interval),
            "bottleneck": bottleneck,
            "factor": factor,
            "window": start["window"],
            "rate": start.get("rate"),
            "rates": [f"{int(bound)} bit/s" for bound in rates],
            "windows": [f"{int(bound)} bytes" for bound in windows],
            "delay_cost": span("delay_cost", delay_cost),
            "loss_cost": loss_cost,
        }
        super().__init__(Setup(own, task), render_mode)


class AqmEnv(Env[NDArray[np.float32]]):
    """Active queue management: set the parameters of a queue discipline, at intervals.

    Disciplines and their parameters: ``target`` and ``interval`` of ``codel`` and ``fq-codel``; ``target`` of ``pie``, ``fq-pie``,
    ``pi2`` and ``dualpi2``; ``max_p`` of ``red`` that is not adaptive. A shaper (``tbf``, ``policer``, ``packet-rate``) has those of the
    discipline in it.

    Action: ``Box(-1, 1, (P,))``, a number for each parameter, which is multiplied by ``factor ** action`` and stays between its value
    in the scenario divided and multiplied by `range`.

    Observation, of the last interval: utilisation of the link; mean sojourn time of the packets that left (ms); packets and bytes (kB)
    that wait; share of packets dropped, and marked; present value of each parameter (ms, or a probability).

    Reward: utilisation less the mean sojourn time over `delay_cost`.

    Args:
        scenario: A file, the name of a paper's experiment, or a scenario; by default :func:`jettison.gym.bottleneck`.
        queue: The direction of a link, such as ``"access.forward"``; by default the slowest on the flows' paths whose discipline has
            such parameters.
        parameters: The parameters to set; by default all that the discipline has.
        interval: Time between two decisions.
        factor: By how much an action of 1 multiplies.
        range: How far a parameter may move from its value in the scenario, as a factor.
        delay_cost: The sojourn time that takes away the reward of a full link.
        render_mode: None or ``"ansi"``.
    """

    def __init__(
        self,
        scenario: Scenario | str | Path | None = None,
        *,
        queue: str | None = None,
        parameters: Sequence[str] = (),
        interval: str = "100 ms",
        factor: float = 2.0,
        range: float = 16.0,  # noqa: A002 (as its documentation says it)
        delay_cost: str = "50 ms",
        render_mode: str | None = None,
    ) -> None:
        own = defaults.bottleneck() if scenario is None else loaded(scenario)
        task = {
            "kind": "aqm",
            "queue": queue,
            "parameters": list(parameters),
            "interval": span("interval", interval),
            "factor": factor,
            "range": range,
            "delay_cost": span("delay_cost", delay_cost),
        }
        super().__init__(Setup(own, task), render_mode)


def spaces_of(
    observed: Sequence[tuple[str, str, float, float]], choices: int | None, levels: Sequence[str]
) -> tuple[Any, Any]:
    """Gymnasium's spaces of observations and actions."""
    low = np.array([axis[2] for axis in observed], np.float32)
    high = np.array([axis[3] for axis in observed], np.float32)
    if choices is not None:
        return spaces.Box(low, high, dtype=np.float32), spaces.Discrete(choices)
    return spaces.Box(low, high, dtype=np.float32), spaces.Box(-1.0, 1.0, (len(levels),), np.float32)


def rendered(info: Mapping[str, Any], units: Mapping[str, str]) -> str:
    """Measures in words."""
    return "  ".join(
        f"{name} {info[name]:.4g} {unit}".removesuffix(" 1") for name, unit in units.items() if name in info
    )
