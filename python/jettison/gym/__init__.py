"""Gymnasium environments over the simulator: choose segments, steer a sender, tune a queue.

Importing this module registers three environments, each for one kind of decision:

* ``jettison/Abr-v0`` (:class:`AbrEnv`): the representation of each video segment;
* ``jettison/Congestion-v0`` (:class:`CongestionEnv`): pacing rate or window of a TCP flow, at intervals;
* ``jettison/Aqm-v0`` (:class:`AqmEnv`): parameters of a queue discipline, at intervals.

::

    import gymnasium
    import jettison.gym

    env = gymnasium.make("jettison/Abr-v0", scenario="my.toml")
    envs = gymnasium.make_vec("jettison/Abr-v0", num_envs=8)

An environment takes any scenario of the project that has what it steers. The scenario's variants are its networks: each reset draws one,
and a seed. ``make_vec`` makes a :class:`Fleet`, whose worlds run in threads without the interpreter's lock. It needs the extra ``gym``:
``pip install 'jettison[gym]'``.
"""

# numpy and gymnasium leave type parameters open.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

try:
    import gymnasium as _gymnasium
except ImportError as error:  # pragma: no cover
    raise ImportError("jettison.gym needs gymnasium: pip install 'jettison[gym]'") from error

from typing import Any as _Any

from jettison.gym.defaults import adaptation, bottleneck, path
from jettison.gym.env import AbrEnv, AqmEnv, CongestionEnv, Env
from jettison.gym.vector import Fleet

__all__ = ["AbrEnv", "AqmEnv", "CongestionEnv", "Env", "Fleet", "adaptation", "bottleneck", "path"]

_kinds: dict[str, _Any] = {"Abr": AbrEnv, "Congestion": CongestionEnv, "Aqm": AqmEnv}
for _name, _entry in _kinds.items():
    _id = f"jettison/{_name}-v0"
    if _id not in _gymnasium.registry:
        _gymnasium.register(id=_id, entry_point=_entry, vector_entry_point=Fleet.of(_entry))
