"""The native part of the package. Its names are not part of the package's interface."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Protocol, final

__version__: str
__commit__: str | None

class Source(Protocol):
    @property
    def text(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def path(self) -> PathLike[str] | None: ...
    @property
    def embedded(self) -> bool: ...
    @property
    def experiment(self) -> tuple[str, str] | None: ...
    @property
    def data(self) -> PathLike[str] | None: ...
    @property
    def contents(self) -> Mapping[str, bytes]: ...
    @property
    def set(self) -> Sequence[str]: ...
    @property
    def quick(self) -> bool: ...
    @property
    def disciplines(self) -> Sequence[Discipline]: ...

class Discipline(Protocol):
    name: str
    factory: Callable[..., Any]
    schema: str
    summary: str
    wants_random: bool

@final
class Packet:
    """A packet in the queue, as its discipline sees it. This is a handle; the packet itself stays in the simulator."""

    size: int
    """IP length in bytes."""
    id: int
    """Number of the packet within the run."""
    flow: int | None
    """Number of the scenario's flow, from 0; ``None`` without a flow."""
    arrived: int
    """Time of arrival at the queue, in ns since the start of the run."""
    sent: int
    """Time at which the sending host emitted the packet, in ns since the start of the run."""
    dscp: int
    """Differentiated-services code point, 0 to 63."""
    traffic_class: int
    """Traffic class assigned by a switch; 0 is the highest priority."""
    ecn: int
    """The ECN field: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE."""
    five_tuple: tuple[str, str, int, int, int] | None
    """Source and destination address, protocol number, source and destination port."""
    flow_hash: int
    """A 64-bit hash of the five-tuple."""
    message: Message | None
    """The label of its message; ``None`` if it is not Octopus traffic."""
    def mark(self) -> bool:
        """Marks the packet CE. Returns ``False`` without effect if its transport is not ECN-capable."""
    def drop(self, reason: str = "python") -> None:
        """Drops the packet, whether queued or arriving."""

@final
class Message:
    """The label of the message that a packet is part of (the Octopus header)."""

    number: int
    """Number of the message in its stream, modulo 2^29."""
    stream: int
    """Stream of the flow."""
    priority: int
    """Priority, 0 to 7; higher values are less important."""
    drop_flag: bool
    """Whether it makes earlier messages of priority ``threshold`` or above obsolete."""
    threshold: int
    """0 to 7; see ``drop_flag``."""
    bitrate_threshold: int
    """The message is obsolete while its stream has less than this bandwidth, in kbit/s; 0 for never."""
    slack: int
    """Maximum waiting time in ms, after which it may be dropped."""
    is_first: bool
    """Whether the packet is the first of the message."""
    is_last: bool
    """Whether the packet is the last of the message."""

@final
class Checked:
    name: str
    description: str | None
    seeds: list[int]
    variants: list[str]
    labels: dict[str, dict[str, str]]
    axes: dict[str, list[str]]
    inputs: list[tuple[str, str, int]]
    def contents(self) -> dict[str, bytes]: ...
    def to_toml(self) -> str: ...
    def to_json(self) -> str: ...
    def effective(self) -> list[tuple[str, str]]: ...
    def effective_toml(self, variant: str) -> str: ...

@final
class Stream:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Tables:
    def names(self) -> list[str]: ...
    def table(self, name: str) -> Stream: ...
    def manifest(self) -> str: ...
    def timing(self) -> str: ...
    def reproduction(self) -> str: ...
    def warnings(self) -> str: ...
    def address(self, table: str, column: str) -> int: ...

def check(source: Source) -> Checked: ...
def find(name: str) -> tuple[str, Path, bool, str, str]: ...
def toml_of(json: str) -> str: ...
def toml_value(json: str) -> str: ...
def with_axis(text: str, json: str) -> tuple[str, str | None]: ...
def with_some_arms(text: str, axis: str, places: Sequence[int]) -> str: ...
def appearance(scheme: str) -> tuple[str, str, str, str] | None: ...
def schemes() -> list[str]: ...
def catalogue() -> str: ...
def metrics() -> list[tuple[str, str, str, str | None, str]]: ...
def reasons() -> list[tuple[str, str, str, bool, str]]: ...
def default_jobs() -> int: ...
def option_value(text: str) -> str: ...
def summarise(runs: object) -> Stream: ...
def run(
    checked: Checked,
    seeds: Sequence[int] | None = None,
    jobs: int | None = None,
    out: str | PathLike[str] | None = None,
    force: bool = False,
    progress: Callable[[float, int, int], object] | None = None,
) -> Tables | None: ...
