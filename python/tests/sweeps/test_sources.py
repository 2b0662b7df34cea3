"""Digests of Python disciplines in keys of runs."""

from __future__ import annotations

import abc
import functools
import importlib
import subprocess
import sys
from collections import deque
from pathlib import Path
from typing import Any

import pytest

from jettison.sweeps.sources import source_digest

LIMIT = 3


class Discipline:
    def __init__(self, limit: Any = 100):
        self.waiting: deque[Any] = deque()

    def enqueue(self, packet: Any, now: int) -> bool:
        return len(self.waiting) < LIMIT

    def dequeue(self, now: int) -> None:
        return None


def factory_of(limit: int) -> Any:
    class Made(Discipline):
        def enqueue(self, packet: Any, now: int) -> bool:
            return limit > 3

    return Made


class Setting:
    def __init__(self, x: int):
        self.x = x


class Abstract(abc.ABC):
    @functools.cached_property
    def large(self) -> int:
        return 3

    @abc.abstractmethod
    def enqueue(self) -> None: ...


def made(limit: Any = 3) -> Any:
    return Discipline(limit)


def test_it_is_the_same_for_the_same():
    for one in (Discipline, factory_of(3), Abstract, made, functools.partial(Discipline, limit=Setting(1))):
        assert source_digest(one) == source_digest(one)
    assert source_digest(factory_of(3)) == source_digest(factory_of(3))
    assert source_digest(functools.partial(made, Setting(1))) == source_digest(functools.partial(made, Setting(1)))


def test_it_covers_captured_values_and_globals(monkeypatch: pytest.MonkeyPatch):
    assert source_digest(factory_of(3)) != source_digest(factory_of(300)), "captured variables"
    assert source_digest(functools.partial(made, Setting(1))) != source_digest(functools.partial(made, Setting(2)))
    of_class, of_function = source_digest(Discipline), source_digest(made)
    monkeypatch.setitem(globals(), "LIMIT", 4)
    assert source_digest(Discipline) != of_class, "a global that a method reads"
    assert source_digest(made) != of_function, "and one that what it calls reads"
    assert source_digest(lambda: 1) != source_digest(lambda: 2)


def test_it_knows_the_module_that_a_class_is_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.syspath_prepend(tmp_path)
    file = tmp_path / "own_queue.py"
    digests: list[str] = []
    for helper in ("return 1", "return 2", "return 1"):
        file.write_text(
            f"def helper():\n    {helper}\n\nclass Queue:\n    def enqueue(self, p, now): return helper()\n"
        )
        sys.modules.pop("own_queue", None)
        importlib.invalidate_caches()
        __import__("linecache").clearcache()
        digests.append(source_digest(__import__("own_queue").Queue))
    assert digests[0] == digests[2] != digests[1]


def test_indistinguishable_objects_have_different_digests(tmp_path: Path):
    with (tmp_path / "log").open("w") as log:
        discipline = functools.partial(Discipline, log)
        assert source_digest(discipline) != source_digest(discipline)


def test_it_is_the_same_in_another_process():
    text = "from jettison.sweeps.sources import source_digest as d; import test_sources as t; print(d(t.Discipline), d(t.made))"
    folder = str(Path(__file__).parent)
    seen = {
        subprocess.run(
            [sys.executable, "-c", f"import sys; sys.path.insert(0, {folder!r}); {text}"],
            env={**__import__("os").environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(seen) == 1
