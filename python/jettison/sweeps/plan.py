"""A sweep laid out: its points, their names, and the key of each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .axes import Axis, Value, label, without_label
from .keys import Described, Keys
from .samples import Values
from .work import Work

# What tables of a sweep have beside its axes: an axis of that name goes by its whole path.
_TAKEN = {
    "point", "variant", "seed", "key", "status", "seconds", "error", "kind", "object", "metric", "part",
    "unit", "mean", "p50", "p95", "p99", "ci95_low", "ci95_high", "n", "mode",
}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """Which runs make a sweep.

    Attributes:
        name: The scenario's name.
        version: Version of Jettison that the keys are made with.
        axes: The path of each axis by the name that results give it: its last key where that is unique.
        points: The value of each axis (by its name) at each point.
        seeds: The seeds, the same at every point.
        labels: The labels of the scenario's own variants, by variant; that of a scenario without axes is
            `default`.
        keys: The key of each point's run under each seed: `keys[point][n]` is that under `seeds[n]`.
        inputs: Of each point, name and SHA-256 of each file that it reads.
        contents: What stands in the files that any of the points reads.
    """

    name: str
    version: str
    axes: dict[str, str]
    points: list[Values]
    seeds: list[int]
    labels: dict[str, dict[str, str]]
    keys: list[list[str]]
    inputs: list[tuple[tuple[str, str], ...]] = field(default_factory=list[tuple[tuple[str, str], ...]])
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    names: list[str] = field(init=False)

    def __post_init__(self) -> None:
        names = [",".join(f"{axis}={label(value)}" for axis, value in point.items()) for point in self.points]
        counts = Counter(names)
        unique = [f"{name}#{number}" if counts[name] > 1 else name for number, name in enumerate(names)]
        object.__setattr__(self, "names", unique)

    def settings(self, point: int) -> tuple[tuple[str, Value], ...]:
        """What a point sets, as path and value."""
        return tuple((self.axes[axis], without_label(value)) for axis, value in self.points[point].items())

    def work(self) -> list[Work]:
        """All runs, each once.

        All points under the first seed come first: an early look sees the whole space.
        """
        runs: dict[str, Work] = {}
        for n, seed in enumerate(self.seeds):
            for point, keys in enumerate(self.keys):
                inputs = self.inputs[point] if self.inputs else ()
                runs.setdefault(keys[n], Work(keys[n], self.settings(point), seed, inputs))
        return list(runs.values())

    def variant(self, point: int, own: str) -> str:
        """What results call a variant of the scenario at a point."""
        if list(self.labels) == ["default"]:
            return self.names[point]
        return ",".join(part for part in (self.names[point], own) if part)

    def describe(self) -> dict[str, Any]:
        """What of it is kept in sweep.json; the keys stand in the index."""
        return {
            "name": self.name,
            "version": self.version,
            "axes": self.axes,
            "points": self.points,
            "seeds": self.seeds,
            "labels": self.labels,
        }


def axis_names(axes: Sequence[Axis], own: Mapping[str, Any]) -> dict[str, str]:
    """The path of each axis by a short name that nothing else has.

    `own` are the names of the scenario's own axes.
    """
    last = [axis.path.rsplit(".", 1)[-1].strip("\"'") for axis in axes]
    names: dict[str, str] = {}
    for axis, name in zip(axes, last, strict=True):
        plain = last.count(name) == 1 and name not in _TAKEN and name not in own
        names[name if plain else axis.path] = axis.path
    return names


def lay_out(
    name: str,
    version: str,
    axes: Sequence[Axis],
    points: Sequence[Values],
    seeds: Sequence[int],
    labels: dict[str, dict[str, str]],
    described: Sequence[Described],
    contents: Mapping[str, bytes],
) -> Plan:
    """Names everything, and makes the keys."""
    own: Mapping[str, str] = next(iter(labels.values()), dict[str, str]())
    names = axis_names(axes, own)
    named = [{axis: point[path] for axis, path in names.items()} for point in points]
    keys = [[made.of(seed) for seed in seeds] for made in (Keys(point, version) for point in described)]
    inputs = [tuple(sorted(point.inputs.items())) for point in described]
    return Plan(name, version, names, named, list(seeds), labels, keys, inputs, contents)
