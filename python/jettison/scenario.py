"""Scenarios: descriptions of simulations.

A :class:`Scenario` is immutable: its methods return a new one. It consists of the text of a TOML file and of changes applied
to it, so Python and the command interpret it equally.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

from jettison import _html, _jettison
from jettison.errors import ScenarioError, advice
from jettison.queues import Registered

Value = Union[str, int, float, bool, Mapping[str, "Value"], Sequence["Value"], range]  # noqa: UP007 (recursive)
"""A value in a scenario: a TOML value. Times, rates and sizes are strings with a unit (``"5 ms"``)."""


@dataclass(frozen=True)
class Source:
    """The unchecked parts of a scenario, as passed to the native part and pickled."""

    text: str
    label: str
    path: Path | None = None
    embedded: bool = False
    experiment: tuple[str, str] | None = None
    data: Path | None = None
    contents: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    set: tuple[str, ...] = ()
    quick: bool = False
    disciplines: tuple[Registered, ...] = ()


class Scenario:
    """A scenario, built in code with the keys of its TOML form.

    Args:
        keys: The keys of a scenario file: ``name``, ``duration``, ``warm_up``, ``seeds``, ``nodes``, ``queues``, ``links``,
            ``flows``, ``vary``, ``quick``, …: tables are dictionaries; times, rates and sizes are strings with a unit. Keys with
            the value ``None`` are left out.

    Files that the scenario names are read from the current folder. :meth:`check` validates it, and so does every method that
    needs a valid scenario.

    >>> s = Scenario(
    ...     name="two-hosts",
    ...     duration="10 s",
    ...     nodes={"a": {"kind": "host"}, "b": {"kind": "host"}},
    ...     links={"link": {"between": ["a", "b"], "rate": "10 Mbit/s", "delay": "5 ms", "queue": "codel"}},
    ...     flows={"bulk": {"from": "a", "to": "b", "transport": "tcp", "app": "bulk"}},
    ... )
    >>> s.variants
    ['default']
    """

    __slots__ = ("_checked", "_source")

    _source: Source
    _checked: _jettison.Checked | None

    def __init__(self, **keys: Value | None) -> None:
        text = _jettison.toml_of(_json(keys))
        name = keys.get("name")
        label = f"<{name}>" if isinstance(name, str) else "<scenario>"
        self._source = Source(text, label, path=Path("scenario.toml"))
        self._checked = None

    @classmethod
    def _of(cls, source: Source) -> Scenario:
        scenario = cls.__new__(cls)
        scenario._source = source
        scenario._checked = None
        return scenario

    @classmethod
    def from_toml(
        cls, text: str, *, folder: str | Path = ".", data: str | Path | None = None, label: str = "<text>"
    ) -> Scenario:
        """Creates a scenario from the text of a file.

        Args:
            text: TOML.
            folder: Folder of the files that it names.
            data: Folder for files that are not there, as with ``--data``.
            label: Name in messages.
        """
        path = Path(folder) / "scenario.toml"
        return cls._of(Source(text, label, path=path, data=None if data is None else Path(data)))

    # Contents

    @property
    def name(self) -> str:
        """Name."""
        return self.checked.name

    @property
    def description(self) -> str | None:
        """Description."""
        return self.checked.description

    @property
    def seeds(self) -> list[int]:
        """Seeds of each variant, unless :func:`run` is given others."""
        return self.checked.seeds

    @property
    def variants(self) -> list[str]:
        """Names of the variants: all combinations of the axes, the last axis varying fastest."""
        return self.checked.variants

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """Labels of each variant by axis."""
        return self.checked.labels

    @property
    def axes(self) -> dict[str, list[str]]:
        """Axes of the comparison with their labels."""
        return self.checked.axes

    @property
    def inputs(self) -> list[tuple[str, str, int]]:
        """Name, SHA-256 in hexadecimal and length in bytes of the text and of each file that it names."""
        return self.checked.inputs

    def to_toml(self) -> str:
        """A self-contained TOML file with the same variants and with all changes applied."""
        return self.checked.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The scenario as a dictionary: ``Scenario(**s.to_dict())`` equals this scenario."""
        return json.loads(self.checked.to_json())

    def effective_toml(self, variant: str | None = None) -> str:
        """The effective configuration of a variant (by default the first) as TOML, with all defaults.

        Raises:
            KeyError: The variant does not exist.
        """
        return self.checked.effective_toml(self.variants[0] if variant is None else variant)

    # Checks

    def check(self) -> Scenario:
        """Checks all variants; returns this scenario.

        Raises:
            ScenarioError: All errors, each with its place and a remedy.
        """
        _ = self.checked
        return self

    @property
    def checked(self) -> _jettison.Checked:
        """The checked scenario of the native part."""
        if self._checked is None:
            self._checked = _jettison.check(self._source)
        return self._checked

    # Changes

    def set(self, path: str | Mapping[str, Value], value: Value | None = None) -> Scenario:
        """Sets a value, as ``--set`` does. An axis that varies nothing else is removed.

        Args:
            path: The key, such as ``"queues.bottleneck.target"``; or a dictionary of paths and values.
            value: A TOML value. Times, rates and sizes are strings with a unit.

        Raises:
            ScenarioError: The key does not exist (the message names the nearest one), or the value is invalid.
        """
        values = path if isinstance(path, Mapping) else {path: value}
        if missing := [path for path, value in values.items() if value is None]:
            raise ScenarioError(f"`{missing[0]}` requires a value, got None")
        added = tuple(f"{path}={_jettison.toml_value(_json(value))}" for path, value in values.items())
        return self._of(replace(self._source, set=self._source.set + added)).check()

    def vary(
        self,
        path: str | None = None,
        values: Sequence[Value] | Mapping[str, Mapping[str, Value]] | None = None,
        *,
        name: str | None = None,
        **axes: Sequence[Value],
    ) -> Scenario:
        """Adds an axis of comparison, which multiplies the variants.

        It replaces an axis of the scenario that varies the same path.

        Args:
            path: The key to vary, such as ``"links.bottleneck.queue"``.
            values: Its values; a table may have a ``label``. Or, without a path, alternatives: a dictionary of paths and values
                for each label.
            name: Name of the axis in results; by default the last key of the path.
            axes: Alternatively, values by the last key of a path that is unique in the scenario: ``vary(queue=["codel", "red"])``.

        Raises:
            ScenarioError: The axis is invalid, or :meth:`set` has set everything that it varies.
        """
        scenario = self
        for key, given in {str(path): values, **axes}.items():
            if isinstance(given, (str, bytes)) or not (given is None or isinstance(given, Iterable)):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ScenarioError(f"`{key}` requires a list of values, got {given!r}")
        if path is not None and values is None:
            raise ScenarioError(f"`{path}` requires a list of values, got None")
        if values is not None:
            entry: dict[str, Any] = {} if name is None else {"name": name}
            if isinstance(values, Mapping):
                if path is not None:
                    raise ScenarioError("alternatives have their own paths; leave out `path`")
                entry["variants"] = [{"name": label, "set": changes} for label, changes in values.items()]
            elif path is None:
                raise ScenarioError("`path` must name the key to vary, such as `links.bottleneck.queue`")
            else:
                entry |= {"path": path, "values": list(values)}
            scenario = scenario._with_axis(entry)
        for key, list_of_values in axes.items():
            scenario = scenario._with_axis({"path": self._place_of(key), "values": list(list_of_values)})
        return scenario

    def only(self, **arms: str | Sequence[str]) -> Scenario:
        """Restricts axes to the arms with these labels, which reduces the variants.

        >>> load("octopus/spatial").only(scheme=["octopus", "pdrop"], operator="b", rtt="60ms").variants
        ['scheme=octopus,operator=b,rtt=60ms', 'scheme=pdrop,operator=b,rtt=60ms']

        Args:
            arms: A label or a list of labels by axis, as in :attr:`axes`.

        Raises:
            ScenarioError: An axis or label does not exist; the message lists the known ones.
        """
        text, known = self._source.text, self.axes
        for axis, labels in arms.items():
            if axis not in known:
                there = advice(axis, known) if known else "the scenario has no axes"
                raise ScenarioError(f"unknown axis `{axis}`; {there}")
            wanted = [labels] if isinstance(labels, str) else list(labels)
            if wrong := [label for label in wanted if label not in known[axis]]:
                raise ScenarioError(f"unknown label `{wrong[0]}` of axis `{axis}`; {advice(wrong[0], known[axis])}")
            if not wanted:
                raise ScenarioError(f"axis `{axis}` requires at least one label of {', '.join(known[axis])}")
            text = _jettison.with_some_arms(text, axis, [n for n, arm in enumerate(known[axis]) if arm in wanted])
        return self._of(replace(self._source, text=text)).check()

    def discipline(self, factory: Callable[..., Any], name: str | None = None) -> Scenario:
        """Adds a queue discipline written in Python (see :mod:`jettison.queues`).

        Args:
            factory: The class, or another callable that returns an object with ``enqueue`` and ``dequeue``. It is called with the
                scenario's parameters by name, for each queue of each run.
            name: Name in the scenario: ``{"kind": name}``. By default the class's attribute ``name``, or the class's name
                (``MyQueue`` becomes ``my-queue``).

        Raises:
            ScenarioError: The name is invalid, or the factory is not a discipline.
        """
        added = Registered(factory, name)
        others = tuple(other for other in self._source.disciplines if other.name != added.name)
        return self._of(replace(self._source, disciplines=(*others, added)))

    def _with_axis(self, entry: Mapping[str, Any]) -> Scenario:
        text, replaced = _jettison.with_axis(self._source.text, _json(entry))
        varied = self._of(replace(self._source, text=text)).check()
        # An axis is removed if all its paths are set.
        if len(varied.axes) == len(self.axes) and replaced not in self.axes:
            varied_key = entry.get("path", "all paths of the alternatives")
            raise ScenarioError(f"`{varied_key}` was set before, and a set value does not vary; do not set it")
        return varied

    def _place_of(self, key: str) -> str:
        """The unique path in the scenario with this last key."""
        paths = list(_paths(self.to_dict()))
        found = [path for path, last in paths if last == key]
        if len(found) == 1:
            return found[0]
        if not found:
            near = difflib.get_close_matches(key, [last for _, last in paths], 1)
            meant = f"did you mean `{near[0]}`? A key that is not in the scenario requires" if near else "pass"
            raise ScenarioError(f"unknown key `{key}` in the scenario; {meant} its path and its values")
        raise ScenarioError(f"`{key}` must be unique, got several: {', '.join(found)}; pass the path of one")

    def __getstate__(self) -> Source:
        """The pickled state: the text, the changes, and the contents of the files that it names."""
        return replace(self._source, contents={**self._source.contents, **self.checked.contents()})

    def __setstate__(self, source: Source) -> None:
        self._source = source
        self._checked = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self._source.text, self._source.set, self._source.quick))

    def _repr_html_(self) -> str:
        try:
            axes = self.axes
        except ScenarioError as error:  # a scenario in code is not checked before it is used
            return _html.fields(repr(self), {"error": str(error)})
        shown = {
            "description": self.description,
            "variants": len(self.variants),
            **{f"axis {axis}": ", ".join(labels) for axis, labels in axes.items()},
            "seeds": ", ".join(map(str, self.seeds)),
            **{table: ", ".join(self.to_dict().get(table, {})) for table in ("links", "flows")},
        }
        return _html.fields(self.name, {name: value for name, value in shown.items() if value})

    def __repr__(self) -> str:
        laid = "".join(f" --set {option}" for option in self._source.set) + " --quick" * self._source.quick
        return f"<Scenario {self._source.label}{laid}>"


def load(
    name: str | Path,
    *,
    quick: bool = False,
    data: str | Path | None = None,
    disciplines: Iterable[Callable[..., Any]] = (),
) -> Scenario:
    """Reads and checks a scenario.

    Args:
        name: A TOML file; or an experiment of a paper, as with ``jettison reproduce`` (``"ired/ingress-vs-egress"``).
        quick: Whether to apply its ``[quick]`` table, as with ``--quick``.
        data: A folder for files that are not beside the scenario, as with ``--data``.
        disciplines: Queue disciplines written in Python that it names, as for :meth:`Scenario.discipline`.

    Raises:
        ScenarioError: It cannot be found or read, or it is invalid.
    """
    path = Path(name)
    folder = None if data is None else Path(data)
    own = tuple(Registered(factory) for factory in disciplines)
    if path.suffix == ".toml" or path.is_file():
        try:
            text = path.read_bytes().decode("utf-8")
        except OSError as error:
            reason = error.strerror or str(error)
            raise ScenarioError(f"{path}: cannot be read: {reason}; name an existing scenario file") from error
        except UnicodeDecodeError as error:
            raise ScenarioError(f"{path}: must be UTF-8 text: {error}; save it as UTF-8") from error
        source = Source(text, str(path), path=path, data=folder, quick=quick, disciplines=own)
        return Scenario._of(source).check()  # pyright: ignore[reportPrivateUsage]
    text, place, embedded, paper, experiment = _jettison.find(str(name))
    source = Source(text, str(place), place, embedded, (paper, experiment), folder, quick=quick, disciplines=own)
    return Scenario._of(source).check()  # pyright: ignore[reportPrivateUsage]


def _json(value: object) -> str:
    try:
        return json.dumps(_plain(value), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"a value must be representable in TOML, got `{value!r}`: {error}") from error


def _plain(value: Any) -> Any:
    """The value as plain JSON: keys without a value are left out, and numbers of other libraries are converted."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    items: Callable[[], Iterable[tuple[Any, Any]]] | None = getattr(value, "items", None)
    if items is not None:
        return {str(key): _plain(inner) for key, inner in items() if inner is not None}
    item = getattr(value, "item", None)
    if callable(item) and getattr(value, "ndim", 0) == 0:
        return item()
    if isinstance(value, Path):
        return str(value)
    return [_plain(inner) for inner in value]


def _paths(table: Mapping[str, Any], path: str = "") -> Iterable[tuple[str, str]]:
    """The paths of all keys except those in ``vary`` and ``quick``, each with its last key."""
    for key, value in table.items():
        if not path and key in ("vary", "quick"):
            continue
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
        here = f"{path}.{name}" if path else name
        yield here, key
        if hasattr(value, "items"):
            yield from _paths(value, here)
