"""What sweeps need of the rest of the package, in one place."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jettison import _jettison
from jettison.errors import ScenarioError, SweepError
from jettison.result import Result, open_folder
from jettison.running import run, seed_list
from jettison.scenario import Scenario, load

from .._arrow import pa, pc
from .axes import Value, label, without_label
from .executors.local import cores
from .keys import Described, Variant, canonical
from .samples import Values
from .store import to_parquet
from .work import Work

# Points that are checked before the first of them is let go.
_PIECE = 64


def version() -> str:
    """The version that keys are made with."""
    return _jettison.__version__


def as_scenario(scenario: Scenario | str | os.PathLike[str]) -> Scenario:
    """The scenario, read if it is a file or an experiment; refused if it is wrong as it stands."""
    return scenario.check() if isinstance(scenario, Scenario) else load(Path(scenario))


def read_seeds(scenario: Scenario, seeds: int | Iterable[int] | None) -> list[int]:
    """The seeds of every point."""
    return list(scenario.seeds) if seeds is None else seed_list(seeds)


def read_value(text: str) -> Value:
    """A value as `--set` reads it: TOML, or else a string."""
    return json.loads(_jettison.option_value(text))


def describe(scenario: Scenario, points: Sequence[Values]) -> tuple[list[Described], dict[str, dict[str, str]]]:
    """Checks every point; gives what each is, and the labels of the scenario's own variants.

    Raises:
        ScenarioError: If the scenario is wrong at a point. The message says at which one.
    """
    classes = disciplines(scenario)
    labels: dict[str, dict[str, str]] = scenario.labels
    described: list[Described] = []
    for number, checked in enumerate(_checked(scenario, points)):
        if number == 0:
            # What a point sets may leave out an axis of the scenario, the same one at every point.
            labels = checked.labels
        elif list(labels) != checked.variants:
            raise SweepError(
                f"point {number} ({_words(points[number])}) has other variants than the first one: "
                "vary all of an axis of the scenario, or nothing of it"
            )
        variants = tuple(Variant(name, effective) for name, effective in checked.effective())
        # The first input is the scenario's own text, which may differ where what it says does not.
        inputs = {name: digest for name, digest, _ in checked.inputs[1:]}
        described.append(Described(variants, inputs, _sources(classes, variants)))
    return described, labels


def _checked(scenario: Scenario, points: Sequence[Values]) -> Iterator[_jettison.Checked]:
    """Each point, checked. Over the cores: it is some milliseconds a point, and Python's lock is released meanwhile."""
    at = functools.partial(_at, scenario)
    with ThreadPoolExecutor(cores()) as pool:
        # In pieces, so that what was read for them does not pile up.
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


def _sources(classes: Mapping[str, Any], variants: Iterable[Variant]) -> dict[str, str]:
    """A digest of the source of each Python discipline that one of the variants names."""
    texts = [variant.effective for variant in variants]
    return {name: source_digest(made) for name, made in classes.items() if any(f'"{name}"' in text for text in texts)}


def source_digest(factory: Any) -> str:
    """A digest of what a class is written as: it, what it builds on, and the modules that these are in.

    Of a script or notebook it is the classes alone: the rest of it may change without them.
    """
    digest = hashlib.sha256()
    while isinstance(factory, functools.partial):
        digest.update(repr((factory.args, sorted(factory.keywords.items()))).encode())
        factory = factory.func  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    for each in inspect.getmro(factory) if inspect.isclass(factory) else (factory,):
        module = inspect.getmodule(each)
        if module is None or module.__name__.split(".")[0] in ("builtins", "typing", "abc"):
            continue
        for shown in (each,) if module.__name__ == "__main__" else (each, module):
            try:
                digest.update(inspect.getsource(shown).encode())
            except (OSError, TypeError):
                digest.update(str(getattr(shown, "__qualname__", "")).encode())
    return digest.hexdigest()


def fingerprint(scenario: Scenario) -> str:
    """A digest of all that a scenario says, apart from texts about it."""
    described, _ = describe(scenario, [{}])
    parts = [
        [[variant.name, canonical(json.loads(variant.effective))] for variant in described[0].variants],
        sorted(described[0].inputs.items()),
        sorted(described[0].sources.items()),
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def simulate(scenario: Scenario, work: Work, full: Path | None) -> bytes:
    """Does one run; gives its summary values as a Parquet file, and leaves its whole results in `full`."""
    result = run(scenario.set(dict(work.settings)), seeds=[work.seed], jobs=1, out=full)
    runs = result.runs.arrow
    return to_parquet(runs.replace_schema_metadata({"jettison.version": version(), "jettison.key": work.key}))


def summarise(runs: Any) -> Any:
    """Means and intervals over seeds, as a run of all seeds at once would give them."""
    with pa.RecordBatchReader.from_stream(_jettison.summarise(runs)) as reader:
        return reader.read_all()


def pick(summary: Any, metric: str, of: str | None, statistic: str, part: str, variant: str | None) -> float:
    """One value of a summary; without a variant the mean over all of them.

    Raises:
        SweepError: If it is not there, or several objects have it and none was named.
    """
    wanted = pc.and_(pc.equal(summary["metric"], metric), pc.equal(summary["part"], part))
    rows: list[dict[str, Any]] = summary.filter(wanted).to_pylist()
    name = f"{metric}:{part}" if part else metric
    if not rows:
        known = ", ".join(sorted(set(summary["metric"].to_pylist())))
        raise SweepError(f"no run has measured `{name}`; there are {known}")
    objects = list(dict.fromkeys(row["object"] for row in rows))
    if of is None and len(objects) > 1:
        raise SweepError(f"several have `{name}`: give `object`, one of {', '.join(objects)}")
    rows = [row for row in rows if of in (None, row["object"]) and variant in (None, row["variant"])]
    values = [row[statistic] for row in rows]
    if not values:
        raise SweepError(f"`{name}` of `{of or objects[0]}` was not measured{f' under `{variant}`' if variant else ''}")
    if any(value is None or math.isnan(value) for value in values):
        raise SweepError(f"`{name}` has no {statistic}")
    return sum(values) / len(values)


def open_result(folder: Path) -> Result:
    """The whole results of a run."""
    return open_folder(folder)
