"""Plan of a sweep: its points, their names, and the key of each run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from .axes import Axis, Value, label, without_label
from .samples import Values
from .work import Work

# Columns of a sweep's tables beside its axes; an axis with such a name uses its full path.
_TAKEN = {
    "point", "variant", "seed", "key", "status", "seconds", "error", "kind", "object", "metric", "part",
    "unit", "mean", "p50", "p95", "p99", "ci95_low", "ci95_high", "n", "mode",
}  # fmt: skip


class KeysBySeed(Protocol):
    """The keys of a point's runs."""

    def of_seed(self, seed: int) -> str:
        """The key of the run with a seed."""
        ...


class DescribedPoint(Protocol):
    """What the plan needs to know of a point."""

    @property
    def keys(self) -> KeysBySeed:
        """The keys of its runs."""
        ...

    @property
    def inputs(self) -> Mapping[str, str]:
        """SHA-256 of each input file, by name."""
        ...


@dataclass(frozen=True)
class Plan:
    """The runs of a sweep.

    Attributes:
        name: The scenario's name.
        version: Version of Jettison.
        axes: The path of each axis by its name in results: the last key if unique.
        points: The value of each axis (by name) at each point.
        seeds: The seeds, the same at every point.
        labels: The labels of the scenario's own variants, by variant; without axes, the variant is `default`.
        keys: The key of each run: `keys[point][n]` is for `seeds[n]`.
        inputs: Name and SHA-256 of the input files of each point.
        contents: Contents of the input files of all points.
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
        """Settings of a point as path and value."""
        return tuple((self.axes[axis], without_label(value)) for axis, value in self.points[point].items())

    def work(self) -> list[Work]:
        """All distinct runs.

        All points with the first seed come first, so early results cover the entire space.
        """
        runs: dict[str, Work] = {}
        for n, seed in enumerate(self.seeds):
            for point, keys in enumerate(self.keys):
                inputs = self.inputs[point] if self.inputs else ()
                runs.setdefault(keys[n], Work(keys[n], self.settings(point), seed, inputs))
        return list(runs.values())

    def variant(self, point: int, own: str) -> str:
        """The name in results of a scenario's variant at a point."""
        if list(self.labels) == ["default"]:
            return self.names[point]
        return ",".join(part for part in (self.names[point], own) if part)

    def describe(self) -> dict[str, Any]:
        """The parts stored in sweep.json; the keys are in the index."""
        return {
            "name": self.name,
            "version": self.version,
            "axes": self.axes,
            "points": self.points,
            "seeds": self.seeds,
            "labels": self.labels,
        }


def axis_names(axes: Sequence[Axis], own: Mapping[str, Any]) -> dict[str, str]:
    """The path of each axis by a short, unique name.

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
    described: Sequence[DescribedPoint],
    contents: Mapping[str, bytes],
) -> Plan:
    """Creates the plan with all names and keys."""
    own: Mapping[str, str] = next(iter(labels.values()), dict[str, str]())
    names = axis_names(axes, own)
    named = [{axis: point[path] for axis, path in names.items()} for point in points]
    keys = [[point.keys.of_seed(seed) for seed in seeds] for point in described]
    inputs = [tuple(sorted(point.inputs.items())) for point in described]
    return Plan(name, version, names, named, list(seeds), labels, keys, inputs, contents)
