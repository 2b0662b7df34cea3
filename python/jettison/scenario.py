"""Scenarios: what is simulated.

A :class:`Scenario` is a value: its methods give another one and leave it as it is. What is in it is the text of a TOML file and
what was laid over it, so that what Python and the command say of it is the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Union

from jettison import _jettison
from jettison.errors import ScenarioError
from jettison.queues import Registered

Value = Union[str, int, float, bool, Mapping[str, "Value"], Sequence["Value"], range]  # noqa: UP007 (recursive)
"""What a key of a scenario can be: a TOML value. Times, rates and sizes are strings with their unit (``"5 ms"``)."""


@dataclass(frozen=True)
class Source:
    """What a scenario is made of, before it is checked: what the native part reads, and what is pickled."""

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
    """A scenario, built in code with the names that its TOML has.

    Args:
        keys: The keys of the scenario's file: ``name``, ``duration``, ``warm_up``, ``seeds``, ``nodes``, ``queues``, ``links``,
            ``flows``, ``vary``, ``quick``, …: tables are dictionaries; times, rates and sizes are strings with their unit. A key
            that is ``None`` is left out.

    Files that the scenario names are read from the current folder. :meth:`check` says what is wrong in it, and so does
    whatever needs it to be right.

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
        """A scenario from the text of a file.

        Args:
            text: TOML.
            folder: Where files that it names are.
            data: Where they are if not there, as with ``--data``.
            label: What messages call it.
        """
        path = Path(folder) / "scenario.toml"
        return cls._of(Source(text, label, path=path, data=None if data is None else Path(data)))

    # What it says

    @property
    def name(self) -> str:
        """Its name."""
        return self.checked.name

    @property
    def description(self) -> str | None:
        """What it is about."""
        return self.checked.description

    @property
    def seeds(self) -> list[int]:
        """The seeds of the runs of each variant, unless :func:`run` is told others."""
        return self.checked.seeds

    @property
    def variants(self) -> list[str]:
        """The names of its variants: all combinations of its axes, the last axis turning fastest."""
        return self.checked.variants

    @property
    def labels(self) -> dict[str, dict[str, str]]:
        """For each variant, the label of its arm by axis."""
        return self.checked.labels

    @property
    def axes(self) -> dict[str, list[str]]:
        """Its axes of comparison, and the labels of their arms."""
        return self.checked.axes

    @property
    def inputs(self) -> list[tuple[str, str, int]]:
        """Name, SHA-256 in hexadecimal and length in bytes of its own text and of each file that it names."""
        return self.checked.inputs

    def to_toml(self) -> str:
        """A TOML file of its own that gives the same variants, with everything that was set in its place."""
        return self.checked.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The same as a dictionary: ``Scenario(**s.to_dict())`` is this scenario again."""
        return json.loads(self.checked.to_json())

    def effective_toml(self, variant: str | None = None) -> str:
        """The whole configuration of a variant (the first one), all defaults included, as TOML.

        Raises:
            KeyError: There is no such variant.
        """
        return self.checked.effective_toml(self.variants[0] if variant is None else variant)

    # Checking

    def check(self) -> Scenario:
        """Checks every variant as a whole; gives this scenario.

        Raises:
            ScenarioError: All that is wrong in it, each with its place and what would be right.
        """
        _ = self.checked
        return self

    @property
    def checked(self) -> _jettison.Checked:
        """The checked scenario of the native part."""
        if self._checked is None:
            self._checked = _jettison.check(self._source)
        return self._checked

    # Changing

    def set(self, path: str | Mapping[str, Value], value: Value | None = None) -> Scenario:
        """The scenario with a value laid over it, as ``--set`` does. An axis that varies nothing else is left out.

        Args:
            path: Where, such as ``"queues.bottleneck.target"``; or a dictionary of paths and their values.
            value: What: a TOML value. Times, rates and sizes are strings with their unit.

        Raises:
            ScenarioError: There is no such place (the message names the nearest one), or the value is wrong there.
        """
        values = path if isinstance(path, Mapping) else {path: value}
        if missing := [path for path, value in values.items() if value is None]:
            raise ScenarioError(f"`{missing[0]}` is set to nothing: give a value")
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
        """The scenario with one more axis of comparison: its variants multiply.

        An axis of the scenario that varies the same path gives way to it.

        Args:
            path: What varies, such as ``"links.bottleneck.queue"``.
            values: Its values; a table may have a ``label``. Or, without a path, the alternatives: for each label a
                dictionary of paths and values.
            name: What results call the axis; by default the last key of the path.
            axes: Instead of a path the last key of one that occurs once in the scenario: ``vary(queue=["codel", "red"])``.

        Raises:
            ScenarioError: The axis is wrong, or varies only what :meth:`set` has set.
        """
        scenario = self
        for what, given in {str(path): values, **axes}.items():
            if isinstance(given, (str, bytes)) or not (given is None or isinstance(given, Iterable)):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise ScenarioError(f"`{what}` varies over {given!r}, which is one value: give a list")
        if path is not None and values is None:
            raise ScenarioError(f"`{path}` varies over nothing: give a list of values")
        if values is not None:
            entry: dict[str, Any] = {} if name is None else {"name": name}
            if isinstance(values, Mapping):
                if path is not None:
                    raise ScenarioError("alternatives with a label each set paths of their own: leave out `path`")
                entry["variants"] = [{"name": label, "set": changes} for label, changes in values.items()]
            elif path is None:
                raise ScenarioError("write the path of what varies, such as `links.bottleneck.queue`")
            else:
                entry |= {"path": path, "values": list(values)}
            scenario = scenario._with_axis(entry)
        for key, list_of_values in axes.items():
            scenario = scenario._with_axis({"path": self._place_of(key), "values": list(list_of_values)})
        return scenario

    def only(self, **arms: str | Sequence[str]) -> Scenario:
        """The scenario with fewer variants: of each axis named only the arm of that label, or those of these labels.

        >>> load("octopus/spatial").only(scheme=["octopus", "pdrop"], operator="b", rtt="60ms").variants
        ['scheme=octopus,operator=b,rtt=60ms', 'scheme=pdrop,operator=b,rtt=60ms']

        Args:
            arms: The labels, as :attr:`axes` has them.

        Raises:
            ScenarioError: There is no such axis, or no arm of that label; the message says what there is.
        """
        text, known = self._source.text, self.axes
        for axis, labels in arms.items():
            if axis not in known:
                there = f"there are {', '.join(known)}" if known else "it has none"
                raise ScenarioError(f"the scenario has no axis `{axis}`; {there}")
            wanted = [labels] if isinstance(labels, str) else list(labels)
            if wrong := [label for label in wanted if label not in known[axis]]:
                raise ScenarioError(f"axis `{axis}` has no `{wrong[0]}`; there are {', '.join(known[axis])}")
            if not wanted:
                raise ScenarioError(f"nothing of axis `{axis}` is left: name at least one of {', '.join(known[axis])}")
            text = _jettison.with_some_arms(text, axis, [n for n, arm in enumerate(known[axis]) if arm in wanted])
        return self._of(replace(self._source, text=text)).check()

    def discipline(self, factory: Callable[..., Any], name: str | None = None) -> Scenario:
        """The scenario with a queue discipline written in Python beside the others (see :mod:`jettison.queues`).

        Args:
            factory: The class, or another callable that gives an object with ``enqueue`` and ``dequeue``. It is called with the
                parameters that the scenario gives, by their names, for each queue of each run.
            name: What the scenario calls it: ``{"kind": name}``. By default the class's attribute ``name``, or its own
                name (``MyQueue`` becomes ``my-queue``).

        Raises:
            ScenarioError: It cannot be called so, or is no discipline.
        """
        added = Registered(factory, name)
        others = tuple(other for other in self._source.disciplines if other.name != added.name)
        return self._of(replace(self._source, disciplines=(*others, added)))

    def _with_axis(self, entry: Mapping[str, Any]) -> Scenario:
        text, replaced = _jettison.with_axis(self._source.text, _json(entry))
        varied = self._of(replace(self._source, text=text)).check()
        # An axis of which everything is set is left out.
        if len(varied.axes) == len(self.axes) and replaced not in self.axes:
            what = entry.get("path", "all that the alternatives set")
            raise ScenarioError(f"`{what}` was set before, and what is set does not vary: vary it alone")
        return varied

    def _place_of(self, key: str) -> str:
        """The only path in the scenario, as it is written, whose last key is that."""
        found = [path for path, last in _paths(self.to_dict()) if last == key]
        if len(found) == 1:
            return found[0]
        if not found:
            raise ScenarioError(f"nothing in the scenario is called `{key}`: write its path, and then the values")
        raise ScenarioError(f"`{key}` is the name of several: {', '.join(found)}; write the path of one")

    def __getstate__(self) -> Source:
        """What is pickled: the text, what was laid over it, and what stands in the files that it names."""
        return replace(self._source, contents={**self._source.contents, **self.checked.contents()})

    def __setstate__(self, source: Source) -> None:
        self._source = source
        self._checked = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Scenario) and self.__getstate__() == other.__getstate__()

    def __hash__(self) -> int:
        return hash((self._source.text, self._source.set, self._source.quick))

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
        name: A TOML file; or an experiment of a paper, as ``jettison reproduce`` names it (``"ired/ingress-vs-egress"``).
        quick: Whether its ``[quick]`` table applies, as with ``--quick``.
        data: A folder for files that are not beside the scenario, as with ``--data``.
        disciplines: Queue disciplines written in Python that it names, as for :meth:`Scenario.discipline`.

    Raises:
        ScenarioError: It cannot be found or read, or something in it is wrong.
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
        raise ScenarioError(f"`{value!r}` is no TOML value: {error}") from error


def _plain(value: Any) -> Any:
    """The value as JSON knows it: what has no value is left out, and numbers of other libraries become Python's."""
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
    """The paths of all keys but those of ``vary`` and ``quick``, each with the last key."""
    for key, value in table.items():
        if not path and key in ("vary", "quick"):
            continue
        name = key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)
        here = f"{path}.{name}" if path else name
        yield here, key
        if hasattr(value, "items"):
            yield from _paths(value, here)
