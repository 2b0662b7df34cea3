"""Names of runs that follow from what is run.

The same run has the same key wherever and whenever it is asked for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Goes into every key: a change of what keys or partitions are made of changes it.
_FORM = "jettison run 1"
# What a run does not depend on: texts about it, and what chooses among runs.
_ABOUT = {"name", "description", "seeds", "vary", "quick"}
# Tables whose entries' order counts: which link is the first of two equal ones, and what happens first at one
# instant.
_ORDERED = {"nodes", "queues", "links", "flows"}


@dataclass(frozen=True)
class Variant:
    """One variant of a point.

    What results call it, and all that it says with every default filled in, as JSON.
    """

    name: str
    effective: str


@dataclass(frozen=True)
class Described:
    """A point as a run sees it.

    Attributes:
        variants: Its variants, in the scenario's order: one if the scenario has no axes of its own.
        inputs: SHA-256 of each file that it reads, by the file's name.
        sources: Digests of the Python queue disciplines that it names, by their names.
    """

    variants: tuple[Variant, ...]
    inputs: Mapping[str, str]
    sources: Mapping[str, str]


def canonical(effective: Mapping[str, Any]) -> str:
    """A variant's settings in one form.

    Keys sorted, apart from those whose order counts; nothing that is only text about it.
    """
    parts: list[tuple[str, Any]] = []
    for key in sorted(set(effective) - _ABOUT):
        value = effective[key]
        if key in _ORDERED and isinstance(value, Mapping):
            # A list of pairs keeps the entries' order where everything else is sorted.
            parts.append((key, [[name, entry] for name, entry in value.items()]))  # pyright: ignore[reportUnknownVariableType]
        else:
            parts.append((key, value))
    return json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


class Keys:
    """Makes the keys of one point's runs: what they have in common is hashed once."""

    def __init__(self, point: Described, version: str) -> None:
        common = hashlib.sha256()
        for part in self._parts(point, version):
            data = part.encode()
            # With its length before it no part can pass for the end of another.
            common.update(f"{len(data)}\n".encode())
            common.update(data)
        self._common = common

    @staticmethod
    def _parts(point: Described, version: str) -> Sequence[str]:
        parts = [_FORM, version, str(len(point.variants))]
        for variant in point.variants:
            parts += [variant.name, canonical(json.loads(variant.effective))]
        for kind, files in (("input", point.inputs), ("source", point.sources)):
            for name in sorted(files):
                parts += [kind, name, files[name]]
        return parts

    def of(self, seed: int) -> str:
        """The key of the run under that seed: 64 hexadecimal digits."""
        key = self._common.copy()
        key.update(f"seed {seed}".encode())
        return key.hexdigest()
