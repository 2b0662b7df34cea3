"""The folder of a sweep: a store of runs, with what a sweep adds to it.

`jettison run --store` writes such stores too; the native module creates them and writes their partitions.

| | |
| --- | --- |
| `store.json` | identifies the folder, with a token by which workers recognise that they share it |
| `runs/<key>.parquet` | summary values of a completed run, with a seal |
| `records/`, `captures/` | all measurements of runs by `jettison run`, which a sweep does not use |
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
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import _jettison
from .._arrow import pa, pq
from ..errors import SweepError

_DESCRIPTION = b"jettison.sweep"
# Name of the seal in a partition.
_SEAL = b"jettison.seal"
# Columns of a partition that are read as dictionaries.
_TEXTS = ["variant", "object", "metric", "part", "unit", "mode"]


class Store:
    """A folder of runs, as seen by the caller of a sweep or by a worker."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.token = token

    @classmethod
    def create(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens or creates the folder; refuses one that holds something else."""
        path = Path(folder).absolute()
        return cls(path, _jettison.create_store(path))

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Store:
        """Opens the folder of a sweep."""
        path = Path(folder).absolute()
        return cls(path, _jettison.open_store(path))

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
            data = self.partition(key).read_bytes()
            pq.read_metadata(pa.BufferReader(data))
        except (OSError, pa.ArrowInvalid):
            # A power failure may leave a truncated file; the run is repeated.
            return False
        if _SEAL in data and not _jettison.is_whole_partition(data):
            return False
        return not full or (self.full(key) / "manifest.json").is_file()

    def finished(self, keys: Iterable[str], full: bool = False) -> set[str]:
        """The completed runs among these."""
        return {key for key in keys if self.has(key, full)}

    def write(self, key: str, partition: bytes) -> None:
        """Writes a run's partition."""
        _jettison.write_partition(self.folder, key, partition)
        (self.folder / "failed" / f"{key}.json").unlink(missing_ok=True)

    def read(self, key: str) -> Any:
        """The summary values of a completed run."""
        try:
            return pq.read_table(self.partition(key), partitioning=None, read_dictionary=_TEXTS)
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
