"""The folder of a sweep: a Parquet partition a run, under the run's key.

    store.json              says that this is such a folder, with a token by which workers know that they see
    the same runs/<key>.parquet      the summary values of a finished run full/<key>/             with
    keep="all", the run's folder as `jettison run` writes it failed/<key>.json       what went wrong with a
    run index.parquet           which point and seed each key is, with the axes' values: written at the end of
    a sweep sweep.json              what was asked for

Everything is written beside its place and renamed, so that a file is there as a whole or not at all; and
because its name is made of what is in it, several sweeps may share a folder, at the same time too.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._arrow import pa, pq
from ..errors import SweepError

_FORMAT = "jettison-sweep"


class Store:
    """A folder of runs, seen by whoever asks for a sweep or by a worker."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.token = token

    @classmethod
    def create(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens the folder, or makes it; refuses one that holds something else."""
        path = Path(folder).absolute()
        sign = path / "store.json"
        if not sign.is_file():
            if path.exists() and (not path.is_dir() or any(path.iterdir())):
                raise SweepError(f"{path} holds something else than a sweep: name another folder for `out`")
            try:
                for name in ("runs", "failed"):
                    (path / name).mkdir(parents=True, exist_ok=True)
                _replace(sign, json.dumps({"format": _FORMAT, "token": secrets.token_hex(16)}).encode())
            except OSError as error:
                raise SweepError(f"cannot make the folder {path}: {error.strerror or error}") from None
        return cls.open(path)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens a folder that a sweep has written."""
        path = Path(folder).absolute()
        try:
            sign = json.loads((path / "store.json").read_text())
            if sign["format"] != _FORMAT:
                raise ValueError
            return cls(path, str(sign["token"]))
        except FileNotFoundError:
            raise SweepError(f"{path} is no folder of a sweep: it has no store.json") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SweepError(f"{path / 'store.json'} cannot be read: {error}") from None

    def is_visible(self) -> bool:
        """Whether this process sees the folder that the token is of."""
        try:
            return json.loads((self.folder / "store.json").read_text()).get("token") == self.token
        except (OSError, ValueError):
            return False

    def partition(self, key: str) -> Path:
        """Where the partition of a run stands."""
        return self.folder / "runs" / f"{key}.parquet"

    def full(self, key: str) -> Path:
        """Where a run's whole folder stands, if it is kept."""
        return self.folder / "full" / key

    def has(self, key: str, full: bool = False) -> bool:
        """Whether that run is finished."""
        return self.partition(key).is_file() and (not full or (self.full(key) / "manifest.json").is_file())

    def finished(self, keys: Iterable[str], full: bool = False) -> set[str]:
        """Those of the runs that are finished and whose partition can be read."""
        there = {entry.name for entry in os.scandir(self.folder / "runs")}
        found: set[str] = set()
        for key in keys:
            if f"{key}.parquet" in there and self.has(key, full):
                try:
                    pq.read_metadata(self.partition(key))
                    found.add(key)
                except (OSError, pa.ArrowInvalid):
                    continue  # a machine that lost its power may leave such a file; the run is done again
        return found

    def write(self, key: str, partition: bytes) -> None:
        """Puts a run's partition in its place."""
        _replace(self.partition(key), partition)
        (self.folder / "failed" / f"{key}.json").unlink(missing_ok=True)

    def read(self, key: str) -> Any:
        """The summary values of a finished run."""
        return pq.read_table(self.partition(key), partitioning=None)

    def keep_full(self, key: str, made: Path) -> None:
        """Puts a run's whole folder in its place."""
        place = self.full(key)
        try:
            made.rename(place)
        except OSError:
            if not (place / "manifest.json").is_file():
                raise
            shutil.rmtree(made)  # another worker was faster

    def scratch(self, key: str) -> Path:
        """A folder that does not exist yet, on the same file system, for a run's whole folder."""
        (self.folder / "full").mkdir(exist_ok=True)
        return self.folder / "full" / f".{key}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}"

    def write_failure(self, key: str, record: dict[str, Any]) -> None:
        """Records what went wrong with a run."""
        _replace(self.folder / "failed" / f"{key}.json", json.dumps(record, indent=1).encode())

    def read_failure(self, key: str) -> dict[str, Any] | None:
        """What went wrong with a run, if anything did."""
        try:
            return json.loads((self.folder / "failed" / f"{key}.json").read_text())
        except FileNotFoundError:
            return None

    def write_index(self, index: Any, description: dict[str, Any]) -> None:
        """Writes which run is which, and what was asked for."""
        _replace(self.folder / "index.parquet", to_parquet(index))
        _replace(self.folder / "sweep.json", json.dumps(description, indent=1).encode())

    def read_index(self) -> tuple[Any, dict[str, Any]]:
        """What `write_index` wrote."""
        try:
            description = json.loads((self.folder / "sweep.json").read_text())
            return pq.read_table(self.folder / "index.parquet"), description
        except FileNotFoundError:
            raise SweepError(
                f"{self.folder}: no sweep has come to an end here; ask for it again, and it goes on"
            ) from None


def to_parquet(table: Any) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _replace(path: Path, data: bytes) -> None:
    """Writes a file beside its place and renames it."""
    beside = path.with_name(f".{path.name}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
