"""What a switch tells its controller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jettison.p4.switch import Switch


@dataclass(frozen=True)
class PacketIn:
    """A packet that the program sent to the CPU port."""

    payload: bytes
    """The packet, without the header ``packet_in``."""
    fields: Mapping[str, int]
    """The header's fields."""

    def __getitem__(self, field: str) -> int:
        """A field of the header ``packet_in``."""
        return self.fields[field]


@dataclass(frozen=True)
class Digest:
    """A list of messages of a digest."""

    name: str
    """The digest."""
    messages: list[Any]
    """Contents of the messages, in order: a dictionary by field for a struct, a list for a tuple, else a number."""
    number: int
    """Number of the list."""
    _switch: Switch = field(repr=False)

    def acknowledge(self) -> None:
        """Tells the switch that the list has arrived: its messages may be sent again."""
        self._switch._channel.acknowledge(self._switch.index, self.name, self.number)  # pyright: ignore[reportPrivateUsage]
