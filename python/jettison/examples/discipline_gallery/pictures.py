"""The pictures: which variants of which scenario each shows, and in which panels."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PICTURES", "Picture"]

BASELINE = "tail-drop"


@dataclass(frozen=True)
class Picture:
    """One picture."""

    #: The page, and the file's stem.
    name: str
    #: The discipline's variant; others are drawn before it, after the baseline.
    scheme: str
    panels: tuple[str, ...]
    others: tuple[str, ...] = ()
    scenario: str = "gallery/queues"
    #: The variant that the others are compared with.
    baseline: str = BASELINE

    @property
    def page(self) -> str:
        """Path of its page in the book."""
        return f"{self.name}.md" if self.name in ("ired", "codelpp") else f"disciplines/{self.name}.md"

    @property
    def schemes(self) -> tuple[str, ...]:
        """The variants, the baseline first."""
        return (self.baseline, *self.others, self.scheme)


# One queue for all: how long packets wait, what is signalled, and who gets what.
_QUEUE = ("sojourn", "drops", "rates")
# Flows apart: the call has a delay of its own.
_FLOWS = ("call", "drops", "rates")
# Classes: the rates are those of the classes, since each has one kind of flow.
_CLASSES = ("call", "rates")
_VIDEO = ("latency", "layers")

PICTURES = (
    *(Picture(name, name, _QUEUE) for name in ("red", "codel", "pi2", "pie", "fred", "blue", "bmv2")),
    Picture("tail-drop", "tail-drop-50", _QUEUE),
    Picture("packet-rate", "packet-rate-codel", _QUEUE, baseline="packet-rate"),
    Picture("ired", "ired", _QUEUE, others=("egress-red",)),
    Picture("codelpp", "codel++", _FLOWS),
    *(Picture(name, name, _FLOWS) for name in ("fq-codel", "fq-pie", "cake", "sfq", "fq", "tbf")),
    Picture("dualpi2", "dualpi2", ("rtt", "drops", "rates")),
    Picture("red-dpm", "red-dpm", ("call", "frames", "rates"), others=("red-10-30",)),
    *(Picture(name, name, _CLASSES) for name in ("priority", "ets", "drr", "htb", "policer")),
    Picture("abc", "abc", _QUEUE, others=("codel",), scenario="gallery/dip"),
    Picture("octopus", "octopus", _VIDEO, scenario="gallery/video"),
    Picture("pdrop", "pdrop", _VIDEO, scenario="gallery/video", baseline="tail-drop-30"),
)
