"""The folder of a sweep: a Parquet partition a run, under the run's key.

| | |
| --- | --- |
| `store.json` | says that this is such a folder, with a token by which workers know that they see the same |
| `runs/<key>.parquet` | the summary values of a finished run |
| `full/<key>/` | with `keep="all"`, the run's folder as `jettison run` writes it |
| `failed/<key>.json` | what went wrong with a run |
| `index.parquet` | which point and seed each key is, with the axes' values: written at the end of a sweep |
| `sweep.json` | what was asked for; `index.parquet` has it too |

Everything is written beside its place and renamed, so that a file is there as a whole or not at all; and
because its name is made of what is in it, several sweeps may share a folder, at the same time too.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import shutil
import socket
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .._arrow import pa, pq
from ..errors import SweepError

_FORMAT = "jettison-sweep"
_DESCRIPTION = b"jettison.sweep"
# Seconds after which what a process of another machine has begun is taken to be left behind.
_ABANDONED = 7 * 86400


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
            if path.exists() and (not path.is_dir() or not _is_being_made(path)):
                raise SweepError(f"{path} holds something else than a sweep: name another folder for `out`")
            try:
                for name in ("runs", "failed"):
                    (path / name).mkdir(parents=True, exist_ok=True)
                _create(sign, json.dumps({"format": _FORMAT, "token": secrets.token_hex(16)}).encode())
            except OSError as error:
                raise SweepError(f"cannot make the folder {path}: {error.strerror or error}") from None
        store = cls.open(path)
        store.tidy()
        return store

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
        """Whether that run is finished, and its partition can be read."""
        try:
            pq.read_metadata(self.partition(key))
        except (OSError, pa.ArrowInvalid):
            # A machine that lost its power may leave half a file; the run is done again.
            return False
        return not full or (self.full(key) / "manifest.json").is_file()

    def finished(self, keys: Iterable[str], full: bool = False) -> set[str]:
        """Those of the runs that are finished."""
        return {key for key in keys if self.has(key, full)}

    def tidy(self) -> None:
        """Removes what processes left half-made that were ended: those of this machine that are gone, and what is a week old."""
        for folder in ("runs", "failed", "full"):
            try:
                entries = [entry for entry in os.scandir(self.folder / folder) if entry.name.startswith(".")]
            except OSError:
                continue
            for entry in entries:
                if _is_abandoned(entry):
                    shutil.rmtree(entry.path, ignore_errors=True) if entry.is_dir() else Path(entry.path).unlink(True)

    def write(self, key: str, partition: bytes) -> None:
        """Puts a run's partition in its place."""
        _replace(self.partition(key), partition)
        (self.folder / "failed" / f"{key}.json").unlink(missing_ok=True)

    def read(self, key: str) -> Any:
        """The summary values of a finished run."""
        try:
            return pq.read_table(self.partition(key), partitioning=None)
        except (OSError, pa.ArrowInvalid) as error:
            raise SweepError(
                f"{self.partition(key)} cannot be read: {error}; ask for the sweep again, and the run is done again"
            ) from None

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
        return self.folder / "full" / _beside(key)

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
        text = json.dumps(description, indent=1)
        # Together in one file, and so never of two sweeps.
        _replace(self.folder / "index.parquet", to_parquet(index.replace_schema_metadata({_DESCRIPTION: text})))
        _replace(self.folder / "sweep.json", text.encode())

    def read_index(self) -> tuple[Any, dict[str, Any]]:
        """What `write_index` wrote."""
        try:
            index = pq.read_table(self.folder / "index.parquet", partitioning=None)
            return index, json.loads(index.schema.metadata[_DESCRIPTION])
        except FileNotFoundError:
            raise SweepError(
                f"{self.folder}: no sweep has come to an end here; ask for it again, and it goes on"
            ) from None
        except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
            raise SweepError(
                f"{self.folder / 'index.parquet'} cannot be read: {error}; ask for the sweep again, and it is made again"
            ) from None


def to_parquet(table: Any) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _beside(name: str) -> str:
    """What a file is called while it is made, with who makes it."""
    return f".{name}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}"


def _replace(path: Path, data: bytes) -> None:
    """Writes a file beside its place and renames it."""
    beside = path.with_name(_beside(path.name))
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        advice = "; free some space, and ask again: what has finished is kept" if error.errno == errno.ENOSPC else ""
        raise SweepError(f"cannot write {path}: {error.strerror or error}{advice}") from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _create(path: Path, data: bytes) -> None:
    """Writes a file unless another process has it there already."""
    beside = path.with_name(_beside(path.name))
    try:
        beside.write_bytes(data)
        try:
            os.link(beside, path)
        except FileExistsError:
            pass
        except OSError:
            beside.replace(path)  # a file system without links
    finally:
        beside.unlink(missing_ok=True)


def _is_being_made(path: Path) -> bool:
    """Whether a folder has nothing but what another sweep makes first."""
    return all(
        entry.name in ("runs", "failed", "store.json") or entry.name.startswith(".store.json.")
        for entry in os.scandir(path)
    )


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    """Whether whoever was making that is gone."""
    owner, _, pid = entry.name.rpartition(".")[0].rpartition(".")
    try:
        if owner.endswith(f".{socket.gethostname()}") and pid.isdigit():
            os.kill(int(pid), 0)
            return False
        return time.time() - entry.stat().st_mtime > _ABANDONED
    except ProcessLookupError:
        return True
    except OSError:
        return False
