"""The folder of a sweep."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from jettison._arrow import pa
from jettison.errors import SweepError
from jettison.sweeps.store import Store, to_parquet


def test_sweeps_that_begin_at_once_share_a_new_folder(tmp_path: Path):
    for attempt in range(30):
        folder, tokens, wrong = tmp_path / str(attempt), set[str](), list[Exception]()
        barrier = threading.Barrier(4)

        def begin(folder: Path = folder, tokens: set[str] = tokens, wrong: list[Exception] = wrong) -> None:
            barrier.wait()  # noqa: B023 (waited for within the loop)
            try:
                tokens.add(Store.create(folder).token)
            except Exception as error:
                wrong.append(error)

        threads = [threading.Thread(target=begin) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong and len(tokens) == 1


@pytest.mark.parametrize("name", ["results.csv", ".hidden", "full"])
def test_a_folder_with_something_else_is_refused(tmp_path: Path, name: str):
    (tmp_path / name).touch()
    with pytest.raises(SweepError, match="holds something other"):
        Store.create(tmp_path)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]


def test_temporary_files_of_dead_processes_are_removed(tmp_path: Path):
    store = Store.create(tmp_path / "out")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    host = socket.gethostname()
    mine, theirs = f".a.{host}.{os.getpid()}.0123", f".b.{host}.{gone.pid}.0123"
    elsewhere = ".c.another.machine.1.0123"
    old = ".d.another.machine.1.0123"
    for name in (mine, theirs, elsewhere, old):
        (store.folder / "runs" / name).touch()
    os.utime(store.folder / "runs" / old, (0, 0))
    half = store.folder / "full" / theirs
    half.mkdir(parents=True)
    (half / "queues.parquet").touch()
    Store.create(store.folder)
    assert {entry.name for entry in (store.folder / "runs").iterdir()} == {mine, elsewhere}
    assert not half.exists()


def test_the_index_says_what_it_is_of(tmp_path: Path):
    store = Store.create(tmp_path / "out")
    store.write_index(pa.table({"point": [0]}), {"name": "one"})
    # As if another sweep had written half of its own.
    (store.folder / "sweep.json").write_text('{"name": "another"}')
    assert store.read_index()[1] == {"name": "one"}
    (store.folder / "index.parquet").write_bytes(b"cut off")
    with pytest.raises(SweepError, match="repeat the sweep"):
        store.read_index()


def test_a_truncated_partition_is_not_a_partition(tmp_path: Path):
    store = Store.create(tmp_path / "out")
    data = to_parquet(pa.table({"x": [1]}))
    store.write("a", data)
    store.write("b", data[:20])
    assert store.finished(["a", "b", "c"]) == {"a"}
    with pytest.raises(SweepError, match="repeat the sweep"):
        store.read("b")
