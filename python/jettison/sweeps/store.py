"""The folder of a sweep, with one Parquet partition per run, named by the run's key.

| | |
| --- | --- |
| `store.json` | identifies the folder, with a token by which workers recognise that they share it |
| `runs/<key>.parquet` | summary values of a completed run |
| `full/<key>/` | with `keep="all"`, the run's folder as `jettison run` writes it |
| `failed/<key>.json` | the failure of a run |
| `index.parquet` | point, seed and values of the axes for each key; written at the end of a sweep |
| `sweep.json` | the plan, which `index.parquet` also holds |

Files are written under temporary names and renamed, so they are never incomplete. Names are derived from contents, so
several sweeps may share a folder, even at the same time.
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
# Age in seconds after which temporary files of another machine's process are considered abandoned.
_ABANDONED = 7 * 86400


class Store:
    """A folder of runs, as seen by the caller of a sweep or by a worker."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.token = token

    @classmethod
    def create(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens or creates the folder; refuses one that holds something else."""
        path = Path(folder).absolute()
        sign = path / "store.json"
        if not sign.is_file():
            if path.exists() and (not path.is_dir() or not _is_being_made(path)):
                raise SweepError(f"{path} holds something other than a sweep; choose another folder for `out`")
            try:
                for name in ("runs", "failed"):
                    (path / name).mkdir(parents=True, exist_ok=True)
                _create(sign, json.dumps({"format": _FORMAT, "token": secrets.token_hex(16)}).encode())
            except OSError as error:
                raise SweepError(f"cannot create the folder {path}: {error.strerror or error}") from None
        store = cls.open(path)
        store.tidy()
        return store

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens the folder of a sweep."""
        path = Path(folder).absolute()
        try:
            sign = json.loads((path / "store.json").read_text())
            if sign["format"] != _FORMAT:
                raise ValueError
            return cls(path, str(sign["token"]))
        except FileNotFoundError:
            raise SweepError(f"{path} is not the folder of a sweep: it has no store.json") from None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise SweepError(f"cannot read {path / 'store.json'}: {error}") from None

    def is_visible(self) -> bool:
        """Whether this process sees the folder with the token."""
        try:
            return json.loads((self.folder / "store.json").read_text()).get("token") == self.token
        except (OSError, ValueError):
            return False

    def partition(self, key: str) -> Path:
        """Path of a run's partition."""
        return self.folder / "runs" / f"{key}.parquet"

    def full(self, key: str) -> Path:
        """Path of a run's full results, if kept."""
        return self.folder / "full" / key

    def has(self, key: str, full: bool = False) -> bool:
        """Whether a run is completed and its partition readable."""
        try:
            pq.read_metadata(self.partition(key))
        except (OSError, pa.ArrowInvalid):
            # A power failure may leave a truncated file; the run is repeated.
            return False
        return not full or (self.full(key) / "manifest.json").is_file()

    def finished(self, keys: Iterable[str], full: bool = False) -> set[str]:
        """The completed runs among these."""
        return {key for key in keys if self.has(key, full)}

    def tidy(self) -> None:
        """Removes temporary files of dead processes on this machine, and any that are a week old."""
        for folder in ("runs", "failed", "full"):
            try:
                entries = [entry for entry in os.scandir(self.folder / folder) if entry.name.startswith(".")]
            except OSError:
                continue
            for entry in entries:
                if _is_abandoned(entry):
                    shutil.rmtree(entry.path, ignore_errors=True) if entry.is_dir() else Path(entry.path).unlink(True)

    def write(self, key: str, partition: bytes) -> None:
        """Writes a run's partition."""
        _replace(self.partition(key), partition)
        (self.folder / "failed" / f"{key}.json").unlink(missing_ok=True)

    def read(self, key: str) -> Any:
        """The summary values of a completed run."""
        try:
            return pq.read_table(self.partition(key), partitioning=None)
        except (OSError, pa.ArrowInvalid) as error:
            raise SweepError(
                f"cannot read {self.partition(key)}: {error}; repeat the sweep to repeat the run"
            ) from None

    def keep_full(self, key: str, made: Path) -> None:
        """Moves a run's full results into the folder."""
        place = self.full(key)
        try:
            made.rename(place)
        except OSError:
            if not (place / "manifest.json").is_file():
                raise
            shutil.rmtree(made)  # another worker was faster

    def scratch(self, key: str) -> Path:
        """A new temporary path on the same file system for a run's full results."""
        (self.folder / "full").mkdir(exist_ok=True)
        return self.folder / "full" / _beside(key)

    def write_failure(self, key: str, record: dict[str, Any]) -> None:
        """Records the failure of a run."""
        _replace(self.folder / "failed" / f"{key}.json", json.dumps(record, indent=1).encode())

    def read_failure(self, key: str) -> dict[str, Any] | None:
        """The failure of a run, if any."""
        try:
            return json.loads((self.folder / "failed" / f"{key}.json").read_text())
        except FileNotFoundError:
            return None

    def write_index(self, index: Any, description: dict[str, Any]) -> None:
        """Writes the index and the plan."""
        text = json.dumps(description, indent=1)
        # In one file, so that they never belong to different sweeps.
        _replace(self.folder / "index.parquet", to_parquet(index.replace_schema_metadata({_DESCRIPTION: text})))
        _replace(self.folder / "sweep.json", text.encode())

    def read_index(self) -> tuple[Any, dict[str, Any]]:
        """Reads the data of `write_index`."""
        try:
            index = pq.read_table(self.folder / "index.parquet", partitioning=None)
            return index, json.loads(index.schema.metadata[_DESCRIPTION])
        except FileNotFoundError:
            raise SweepError(f"{self.folder}: no completed sweep; repeat the sweep to resume it") from None
        except (OSError, pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
            raise SweepError(
                f"cannot read {self.folder / 'index.parquet'}: {error}; repeat the sweep to write it again"
            ) from None


def to_parquet(table: Any) -> bytes:
    """A table as the bytes of a Parquet file."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="zstd")
    return sink.getvalue().to_pybytes()


def _beside(name: str) -> str:
    """Temporary name of a file, with its creator."""
    return f".{name}.{socket.gethostname()}.{os.getpid()}.{secrets.token_hex(4)}"


def _replace(path: Path, data: bytes) -> None:
    """Writes a file under a temporary name and renames it."""
    beside = path.with_name(_beside(path.name))
    try:
        beside.write_bytes(data)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink(missing_ok=True)
        advice = (
            "; free some space and repeat the sweep: completed runs are kept" if error.errno == errno.ENOSPC else ""
        )
        raise SweepError(f"cannot write {path}: {error.strerror or error}{advice}") from None
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _create(path: Path, data: bytes) -> None:
    """Writes a file unless another process has already created it."""
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
    """Whether a folder contains only the initial files of another sweep."""
    return all(
        entry.name in ("runs", "failed", "store.json") or entry.name.startswith(".store.json.")
        for entry in os.scandir(path)
    )


def _is_abandoned(entry: os.DirEntry[str]) -> bool:
    """Whether the creator of a temporary file is gone."""
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
