"""Messages over a pipe: pickled, with a length prefix."""

from __future__ import annotations

import pickle
import struct
from typing import IO, Any

_LENGTH = struct.Struct(">Q")


def send(stream: IO[bytes], message: object) -> None:
    """Writes a message with a length prefix."""
    data = pickle.dumps(message)
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """Reads a message; raises `EOFError` if the other end is closed."""
    head = _read(stream, _LENGTH.size)
    return pickle.loads(_read(stream, _LENGTH.unpack(head)[0]))


def _read(stream: IO[bytes], count: int) -> bytes:
    data = stream.read(count)
    if data is None or len(data) < count:  # pyright: ignore[reportUnnecessaryComparison]
        raise EOFError
    return data
