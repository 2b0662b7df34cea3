"""Columns of tables that results of earlier versions lack."""

from __future__ import annotations

from jettison._arrow import pa

__all__ = ["LATER", "TEXT"]

TEXT = pa.dictionary(pa.int32(), pa.string())
"""The type of text in results."""

_FRAMES = pa.schema(
    [
        ("variant", TEXT),
        ("seed", pa.uint64()),
        ("flow", TEXT),
        ("frame", pa.uint64()),
        ("captured_ns", pa.int64()),
        ("layers", pa.uint64()),
        ("latency_ms", pa.float64()),
        ("sqi_ssim", pa.float64()),
        ("ssim", pa.float64()),
        ("mode", TEXT),
    ]
)
_DIFFERENCES = pa.schema(
    [
        *((name, TEXT) for name in ("variant", "baseline", "object", "metric", "part", "unit")),
        *((name, pa.float64()) for name in ("mean", "percent", "ci95_low", "ci95_high")),
        ("n", pa.uint64()),
        ("mode", TEXT),
    ]
)
_EVENTS = pa.schema(
    [
        ("variant", TEXT),
        ("seed", pa.uint64()),
        ("flow", TEXT),
        ("id", pa.uint64()),
        ("kind", TEXT),
        ("since_ns", pa.int64()),
        ("at_ns", pa.int64()),
        ("duration_ns", pa.int64()),
        ("cost", pa.float64()),
        ("unit", TEXT),
        ("number", pa.uint64()),
        ("part", pa.uint64()),
        ("mode", TEXT),
    ]
)
_ACCOUNTS = pa.schema(
    [
        ("variant", TEXT),
        ("seed", pa.uint64()),
        ("flow", TEXT),
        ("unit", TEXT),
        ("number", pa.uint64()),
        ("part", pa.uint64()),
        ("start_ns", pa.int64()),
        ("end_ns", pa.int64()),
        *((name, TEXT) for name in ("status", "reason", "component", "place")),
        ("ns", pa.int64()),
        ("drop", pa.uint64()),
        ("mode", TEXT),
    ]
)
LATER = {"frames": _FRAMES, "events": _EVENTS, "accounts": _ACCOUNTS, "differences": _DIFFERENCES}
"""The empty table of each, by name."""
