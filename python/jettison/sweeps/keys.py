"""Keys of runs, derived from their contents.

Equal runs have equal keys on any machine, at any time.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# Part of every key; increment it when the derivation of keys or the format of partitions changes.
_FORM = "jettison run 1"
# Keys that do not affect a run: texts about it, and selections of runs.
_ABOUT = {"name", "description", "seeds", "vary", "quick"}
# Tables with significant order: it decides between equal links and between simultaneous events.
_ORDERED = {"nodes", "queues", "links", "flows"}


@dataclass(frozen=True)
class Variant:
    """A variant of a point.

    Its name in results, and its effective configuration as JSON.
    """

    name: str
    effective: str


@dataclass(frozen=True)
class Described:
    """Description of a point as seen by a run.

    Attributes:
        variants: The variants, in the scenario's order: one if the scenario has no axes.
        inputs: SHA-256 of each input file, by name.
        sources: Digests of the Python queue disciplines that it names, by name.
    """

    variants: tuple[Variant, ...]
    inputs: Mapping[str, str]
    sources: Mapping[str, str]


def canonical(effective: Mapping[str, Any]) -> str:
    """A variant's configuration in canonical form.

    Keys are sorted, except in tables with significant order; texts about the scenario are removed.
    """
    parts: list[tuple[str, Any]] = []
    for key in sorted(set(effective) - _ABOUT):
        value = effective[key]
        if key in _ORDERED and isinstance(value, Mapping):
            # A list of pairs preserves the entries' order where everything else is sorted.
            parts.append((key, [[name, entry] for name, entry in value.items()]))  # pyright: ignore[reportUnknownVariableType]
        else:
            parts.append((key, value))
    return json.dumps(parts, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


class Keys:
    """Derives the keys of a point's runs; their common part is hashed once."""

    def __init__(self, point: Described, version: str) -> None:
        common = hashlib.sha256()
        for part in self._parts(point, version):
            data = part.encode()
            # The length prefix delimits the parts unambiguously.
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
        """The key of the run with a seed: 64 hexadecimal digits."""
        key = self._common.copy()
        key.update(f"seed {seed}".encode())
        return key.hexdigest()
