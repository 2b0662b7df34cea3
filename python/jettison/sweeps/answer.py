"""What a sweep says, in a few sentences: which of its variants are best for viewers or users, and by how much."""

from __future__ import annotations

from typing import Any

from . import core
from .result import SweepResult

# Maximum number of metrics with a sentence each.
_SENTENCES = 2


def answer(result: SweepResult, bottleneck: str) -> str:
    """The answer as one paragraph; `bottleneck` is the queue that stands for the network.

    The best and the worst mean over all variants, and their difference paired by seed. Whether the second best is worse
    beyond chance is not said: of many variants, the best mean is partly the luckiest.
    """
    if len(result.variants) < 2:
        return ""
    sentences: list[str] = []
    for felt in core.felt_metrics():
        values, unit = _by_seed(result, felt, bottleneck)
        means = {variant: sum(own.values()) / len(own) for variant, own in values.items()}
        if len(means) < 2 or len(set(means.values())) < 2:
            continue
        low, high = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
        best, worst = (high, low) if felt.is_high_better else (low, high)
        between = _difference(values[best], values[worst], unit)
        sentences.append(
            f"{felt.superlative[0].upper()}{felt.superlative[1:]}: {_quantity(means[best], unit)} at {best}; "
            f"the worst {_quantity(means[worst], unit)} at {worst}{between}."
        )
        if len(sentences) == _SENTENCES:
            break
    return " ".join(sentences)


def _by_seed(result: SweepResult, felt: core.Felt, bottleneck: str) -> tuple[dict[str, dict[int, float]], str]:
    """Values of each variant by seed: of all flows, else the mean over flows, else of the bottleneck; and their unit."""
    rows: list[dict[str, Any]] = (
        result.runs.filter(metric=felt.metric, part="").to_pylist() if _has(result, felt) else []
    )
    rows = [row for row in rows if row[felt.statistic] is not None]
    if felt.metric == "sojourn":
        rows = [row for row in rows if row["object"] == bottleneck]
    elif whole := [row for row in rows if row["object"] == "all flows"]:
        rows = whole
    found: dict[str, dict[int, list[float]]] = {}
    for row in rows:
        found.setdefault(row["variant"], {}).setdefault(row["seed"], []).append(row[felt.statistic])
    values = {
        variant: {seed: sum(all_) / len(all_) for seed, all_ in by_seed.items()} for variant, by_seed in found.items()
    }
    return values, rows[0]["unit"] if rows else ""


def _has(result: SweepResult, felt: core.Felt) -> bool:
    return felt.metric in result.units


def _difference(best: dict[int, float], worst: dict[int, float], unit: str) -> str:
    """The difference of the best from the worst, paired by seed, with its 95 % interval."""
    pairs = [best[seed] - worst[seed] for seed in best if seed in worst]
    estimate = core.mean_interval(pairs)
    if estimate is None:
        return ""
    mean, ends = estimate
    if ends is None:
        return " (one seed, so the difference may be chance)"
    half = (ends[1] - ends[0]) / 2
    if half == 0:
        # Runs that draw nothing: an interval would be one of chance.
        return f" ({mean:+.3g} {unit}, the same in all {len(pairs)} seeds)".replace(" ,", ",")
    chance = ", within chance" if ends[0] <= 0 <= ends[1] else ""
    return f" ({mean:+.3g} ± {half:.2g} {unit}, paired by seed{chance})".replace(" ,", ",")


def _quantity(value: float, unit: str) -> str:
    return f"{value:.4g}" if unit in ("1", "count") else f"{value:.4g} {unit}"
