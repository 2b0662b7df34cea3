"""Functions of the rest of the package for sweeps."""

from __future__ import annotations

import dataclasses
import functools
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from jettison import _jettison
from jettison.errors import ScenarioError, SweepError
from jettison.result import Result, open_folder
from jettison.running import run_once, seed_list
from jettison.scenario import Scenario, load

from .._arrow import pa, pc
from .axes import Value, label, without_label
from .executors.local import cores
from .samples import Values
from .sources import source_digest
from .work import Work

# Number of points that are checked together.
_PIECE = 64


def version() -> str:
    """The version of Jettison."""
    return _jettison.__version__


def identity() -> str:
    """What distinguishes this build of Jettison in keys: version and commit, and where these leave it open, a digest."""
    return _jettison.identity(_jettison.__file__)


def as_scenario(scenario: Scenario | str | os.PathLike[str]) -> Scenario:
    """Converts to a scenario, reading a file or an experiment; refuses an invalid one."""
    return scenario.check() if isinstance(scenario, Scenario) else load(Path(scenario))


def read_seeds(scenario: Scenario, seeds: int | Iterable[int] | None) -> list[int]:
    """The seeds of all points."""
    return list(scenario.seeds) if seeds is None else seed_list(seeds)


def read_value(text: str) -> Value:
    """Parses a value as `--set` does: TOML, or else a string."""
    return json.loads(_jettison.option_value(text))


class Felt(NamedTuple):
    """A metric that answers judge by.

    Attributes:
        metric: Its name.
        statistic: `mean` or `p99`.
        superlative: As in "the lowest RTT".
        noun: As in "RTT".
        is_high_better: Whether high values are better.
    """

    metric: str
    statistic: str
    superlative: str
    noun: str
    is_high_better: bool


def felt_metrics() -> list[Felt]:
    """What answers judge by, the most important first."""
    return [Felt(*row) for row in _jettison.felt_metrics()]


def mean_interval(values: Sequence[float]) -> tuple[float, tuple[float, float] | None] | None:
    """Mean and 95 % interval; no interval for fewer than two values, `None` without values."""
    return _jettison.mean_interval(values)


@dataclass(frozen=True)
class Described:
    """Description of a point as seen by a run.

    Attributes:
        keys: The keys of its runs, by seed.
        inputs: SHA-256 of each input file, by name.
    """

    keys: _jettison.RunKeys
    inputs: Mapping[str, str]


@dataclass(frozen=True)
class Description:
    """Description of the points of a scenario.

    Attributes:
        points: The points.
        labels: The labels of the scenario's own variants.
        contents: Contents of the files that the points name.
    """

    points: list[Described]
    labels: dict[str, dict[str, str]]
    contents: dict[str, bytes]


def describe(scenario: Scenario, points: Sequence[Values], program: str | None = None) -> Description:
    """Checks and describes all points, for runs by a build of Jettison; by default this one.

    Raises:
        ScenarioError: The scenario is invalid at a point, which the message names.
    """
    program = identity() if program is None else program
    digests = {
        name: functools.cache(functools.partial(source_digest, made)) for name, made in disciplines(scenario).items()
    }
    contents: dict[str, bytes] = {}
    labels: dict[str, dict[str, str]] = scenario.labels
    described: list[Described] = []
    for number, checked in enumerate(_checked(scenario, points)):
        if number == 0:
            # A point's settings may remove an axis of the scenario, the same one at all points.
            labels = checked.labels
        elif list(labels) != checked.variants:
            raise SweepError(
                f"point {number} ({_words(points[number])}) has different variants from the first one: "
                "vary all paths of an axis of the scenario, or none"
            )
        # The first input is the scenario's own text, which may differ without effect.
        inputs = {name: digest for name, digest, _ in checked.inputs[1:]}
        if not inputs.keys() <= contents.keys():
            contents.update(checked.contents())
        described.append(Described(checked.run_keys(_sources(digests, checked), program), inputs))
    return Description(described, labels, contents)


def carrying(scenario: Scenario, contents: Mapping[str, bytes]) -> Scenario:
    """The scenario with the contents of its files, so that later changes to the files have no effect."""
    source = scenario._source  # pyright: ignore[reportPrivateUsage]
    carried = {**contents, **source.contents}
    return Scenario._of(dataclasses.replace(source, contents=carried))  # pyright: ignore[reportPrivateUsage]


def contents_of(scenario: Scenario, axes: Iterable[tuple[str, Value]]) -> dict[str, bytes]:
    """The contents of the files that the scenario names with any one of these values."""
    contents = scenario.checked.contents()
    for path, value in axes:
        try:
            contents.update(_at(scenario, {path: value}, 0).checked.contents())
        except ScenarioError:
            continue  # valid only with other values; runs report missing files themselves
    return contents


def _checked(scenario: Scenario, points: Sequence[Values]) -> Iterator[_jettison.Checked]:
    """Checks the points in parallel: each takes some milliseconds, without the interpreter's lock."""
    at = functools.partial(_at, scenario)
    with ThreadPoolExecutor(cores()) as pool:
        # In pieces, to limit the memory for their files.
        for begin in range(0, len(points), _PIECE):
            numbers = range(begin, min(begin + _PIECE, len(points)))
            yield from (each.checked for each in pool.map(at, points[begin : begin + _PIECE], numbers))


def _at(scenario: Scenario, point: Values, number: int) -> Scenario:
    try:
        return scenario.set({path: without_label(value) for path, value in point.items()})
    except ScenarioError as error:
        where = f"at point {number} ({_words(point)}):"
        problems = [(p.text, p.file, p.line, p.column, p.message, p.help) for p in error.problems]
        raise ScenarioError(f"{where}\n{error}", problems) from None


def _words(point: Mapping[str, Value]) -> str:
    return ", ".join(f"{path} = {label(value)}" for path, value in point.items())


def disciplines(scenario: Scenario) -> dict[str, Any]:
    """The classes of a scenario's Python disciplines, by name."""
    registered = scenario._source.disciplines  # pyright: ignore[reportPrivateUsage]
    return {each.name: each.factory for each in registered}


def _sources(digests: Mapping[str, Callable[[], str]], checked: _jettison.Checked) -> dict[str, str]:
    """A digest of the source of each Python discipline that the variants name."""
    texts = [effective for _, effective in checked.effective()] if digests else []
    return {name: digest() for name, digest in digests.items() if any(f'"{name}"' in text for text in texts)}


def fingerprint(scenario: Scenario) -> str:
    """A digest of the scenario's contents, except texts about it."""
    (described,) = describe(scenario, [{}], program="").points
    return described.keys.fingerprint()


def simulate(scenario: Scenario, work: Work, full: Path | None) -> bytes:
    """Executes a run; returns its summary values as a Parquet file, and leaves its full results in `full`."""
    here = scenario.set(dict(work.settings))
    wanted, found = dict(work.inputs), {name: digest for name, digest, _ in here.inputs[1:]}
    if wrong := [name for name in wanted if found.get(name) != wanted[name]]:
        raise SweepError(f"`{wrong[0]}` differs from the file on the machine that started the sweep")
    return _jettison.partition(run_once(here, work.seed, full).runs.arrow, work.key)


def summarise(runs: Any) -> Any:
    """Means and confidence intervals over seeds, as of a run with all seeds."""
    with pa.RecordBatchReader.from_stream(_jettison.summarise(runs)) as reader:
        return reader.read_all()


def pick(
    summary: Any, metric: str, of: str | None, statistic: str, part: str, variants: Sequence[str], seeds: int
) -> float:
    """Selects a value of a summary: the mean over variants that all have it with all seeds.

    A value that was not measured in a run (no frame arrived) has no row. A mean over the remaining runs would make a
    setting look good because of its losses.

    Raises:
        SweepError: A variant or seed lacks the value, or several objects have it and `object` is missing.
    """
    name = f"{metric}:{part}" if part else metric
    there: list[dict[str, Any]] = summary.filter(pc.equal(summary["metric"], metric)).to_pylist()
    rows = [row for row in there if row["part"] == part and row["variant"] in variants]
    if not rows:
        parts = {f"{metric}:{row['part']}" if row["part"] else metric for row in there}
        known = ", ".join(sorted(parts or set(summary["metric"].to_pylist())))
        raise SweepError(f"no run has measured `{name}`; known are {known}")
    objects = list(dict.fromkeys(row["object"] for row in rows))
    if of is None and len(objects) > 1:
        raise SweepError(f"several objects have `{name}`; `object` must be one of {', '.join(objects)}")
    if of not in (None, *objects):
        raise SweepError(f"`{name}` was not measured for `{of}`, only for {', '.join(objects)}")
    found = {row["variant"]: row for row in rows if of in (None, row["object"])}
    what = f"`{name}` of `{of or objects[0]}`"
    for variant in variants:
        count = found[variant]["n"] if variant in found else 0
        if count < seeds:
            raise SweepError(f"{what} was measured with {count} of {seeds} seeds at `{variant}`")
    values: list[float | None] = [found[variant][statistic] for variant in variants]
    usable = [value for value in values if value is not None and not math.isnan(value)]
    if len(usable) < len(values):
        raise SweepError(f"{what} has no {statistic}")
    return sum(usable) / len(usable)


def open_result(folder: Path) -> Result:
    """The full results of a run."""
    return open_folder(folder)
