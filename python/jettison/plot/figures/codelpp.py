"""CoDel++: Doan et al., WONS 2023.

*Interplay between priority queues and controlled delay in programmable data planes* shows delay, loss and
throughput of three slices with a FIFO ("baseline"), priority queues, CoDel and CoDel++. The paper leaves the
arrangement open; the limit behind the switch and a packet rate for the port are drawn (`docs/src/appendix/codelpp.md`).
"""

# pyright: reportUnknownMemberType=false
# matplotlib's types leave keyword arguments open.
from __future__ import annotations

from matplotlib.figure import Figure

from .. import style
from ..intervals import bars
from .common import paper_values
from .registry import Results, figure

SLICES = "slices"
OWN = {
    "scheme": ["baseline", "priority", "codel", "codel++"],
    "limit": "behind",
    "rate_scope": "port",
}
NAMES = ["slice1", "slice2", "slice3"]


def _by_slice(results: Results, metric: str, paper_metric: str, says: str) -> Figure:
    result = results[SLICES]
    reference = paper_values(result, paper_metric, NAMES, says=says)
    return style.root(bars(result, metric, NAMES, variants=OWN, reference=reference))


@figure(
    "codelpp",
    "delay",
    of="one-way delay of the slices",
    experiments=[SLICES],
)
def delay(results: Results) -> Figure:
    """CoDel++: one-way delay of three slices."""
    made = _by_slice(results, "owd", "owd", "one-way delay")
    made.axes[0].annotate(
        "The paper's baseline: 624 to 2,330 ms, which is 1,477 ± 853 ms.",
        (0, -30),
        xycoords="axes points",
        fontsize=7.5,
        color="#666666",
    )
    return made


@figure("codelpp", "loss", of="loss of the slices", experiments=[SLICES])
def loss(results: Results) -> Figure:
    """CoDel++: loss of three slices."""
    return _by_slice(results, "loss", "loss", "loss, ")


@figure(
    "codelpp",
    "throughput",
    of="throughput of the slices",
    experiments=[SLICES],
)
def throughput(results: Results) -> Figure:
    """CoDel++: throughput of three slices, from the first to the last packet received."""
    return _by_slice(results, "receive_rate", "receive_rate", "throughput, ")


__all__ = ["delay", "loss", "throughput"]
