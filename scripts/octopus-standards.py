#!/usr/bin/env python3
"""Tables of `octopus/standards` and `octopus/standards-call`: means over cells and RTTs, differences paired by seed.

A seed's value is the mean over all cells and RTTs; an interval is Student's over the seeds. Needs Python's standard
library alone.

    cargo build --release -p jettison-cli
    scripts/octopus-standards.py layers
    scripts/octopus-standards.py call

`docs/src/appendix/octopus-standards.md` has the results.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

#: Scenario, object, second axis, metrics with their headings, and what the others are compared with.
PARTS = {
    "layers": (
        "standards",
        "video",
        "sender",
        {
            "frames_in_time:100 ms": "in time at 100 ms, %",
            "frames_in_time:200 ms": "200 ms",
            "frames_in_time:300 ms": "300 ms",
            "sqi_at_deadline:200 ms": "SQI at 200 ms, dB",
            "sqi_at_deadline:300 ms": "at 300 ms",
            "freeze_rate": "freezes/min",
            "freeze_ratio": "frozen, %",
        },
    ),
    "call": (
        "standards-call",
        "call",
        "reaction",
        {
            "frames_in_time:100 ms": "in time at 100 ms, %",
            "frames_in_time:200 ms": "200 ms",
            "frames_in_time:300 ms": "300 ms",
            "goodput": "Mbit/s",
            "retransmits": "sent again",
            "key_frame_requests": "key frames asked for",
            "freeze_rate": "freezes/min",
            "freeze_ratio": "frozen, %",
        },
    ),
}
TAIL_DROP, OWN = "tail-drop", "own"
#: Quantiles of Student's t for 95 %, by degrees of freedom.
STUDENT = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 6: 2.45, 7: 2.36, 8: 2.31, 9: 2.26}

#: Values of a cell by place (labels, second axis), metric and seed.
Values = dict[tuple[str, str], dict[str, list[float]]]


def main() -> int:
    """Runs one scenario under each seed and prints its tables."""
    options = arguments()
    scenario, thing, axis, metrics = PARTS[options.part]
    values: Values = defaultdict(lambda: defaultdict(list))
    for seed in range(1, options.seeds + 1):
        results = options.out / f"{options.part}-{seed}"
        if not options.reuse:
            run(options, ROOT / f"scenarios/octopus/{scenario}.toml", seed, results)
        for place, by_metric in read(results / "summary.json", thing, axis, metrics, options.only).items():
            for metric, mean in by_metric.items():
                values[place][metric].append(mean)
    seconds = dict.fromkeys(second for _, second in values)
    if options.part == "call":
        # By reaction, in the order of the labels.
        print(table(values, metrics, sorted(values, key=lambda place: list(seconds).index(place[1]))))
    else:
        for second in seconds:
            print(f"{second}:\n")
            print(table(values, metrics, [place for place in values if place[1] == second]))
    return 0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("part", choices=list(PARTS))
    parser.add_argument("--jettison", default=str(ROOT / "target/release/jettison"), help="the command")
    parser.add_argument("--out", type=Path, default=Path("octopus-standards"), help="folder for results")
    parser.add_argument("--seeds", type=int, default=5, choices=range(2, 11), metavar="N", help="2 to 10 [default: 5]")
    parser.add_argument("--duration", help="duration of a run [default: the scenario's]")
    parser.add_argument("--only", help="tables of one cell or RTT, such as lte-4 or 20ms")
    parser.add_argument("--reuse", action="store_true", help="only print the tables of the results in --out")
    return parser.parse_args()


def run(options: argparse.Namespace, scenario: Path, seed: int, results: Path) -> None:
    """Runs the scenario under one seed."""
    command = [options.jettison, "run", scenario, "--set", f"seeds=[{seed}]", "--out", results, "--force"]
    if options.duration:
        command += ["--set", f'duration="{options.duration}"']
    print(f"seed {seed} …", file=sys.stderr)
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def read(
    summary: Path, thing: str, axis: str, metrics: dict[str, str], only: str | None
) -> dict[tuple[str, str], dict[str, float]]:
    """Means over cells and RTTs, by labels and second axis."""
    found: dict[tuple[str, str], dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in json.loads(summary.read_text()):
        if row.get("type") != "summary" or row["object"] != thing:
            continue
        axes = dict(pair.split("=", 1) for pair in row["variant"].split(","))
        if only in (None, axes["cell"], axes["rtt"]):
            found[axes["labels"], axes[axis]][row["metric"]].append(row["mean"])
    cells = max(len(of) for by_metric in found.values() for of in by_metric.values())
    # A count that no run had, such as of requests, has no row.
    return {
        place: {metric: sum(by_metric[metric]) / cells for metric in metrics} for place, by_metric in found.items()
    }


def table(values: Values, metrics: dict[str, str], places: list[tuple[str, str]]) -> str:
    """Means, and the differences at 200 ms, as Markdown."""
    against = [(TAIL_DROP, "from tail drop")]
    if any(labels == OWN for labels, _ in places):
        against.append((OWN, "from own labels"))
    heads = ["labels", *metrics.values(), *(f"200 ms, {words}" for _, words in against)]
    seconds = {second for _, second in places}
    if len(seconds) > 1:
        heads.insert(1, "reaction")
    lines = ["| " + " | ".join(heads) + " |", "| --- " * len(heads) + "|"]
    for labels, second in places:
        of = values[labels, second]
        words = [labels, *([second] if len(seconds) > 1 else [])]
        words += [shown(mean(of[metric])) for metric in metrics]
        for other, _ in against:
            # Calls are compared with the call as it is.
            base = (other, second) if len(seconds) == 1 else (other, "lost")
            words.append("" if base == (labels, second) else difference(of[AT_200], values[base][AT_200]))
        lines.append("| " + " | ".join(words) + " |")
    return "\n".join(lines) + "\n"


AT_200 = "frames_in_time:200 ms"


def shown(value: float) -> str:
    """A mean with three digits or so."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def difference(after: list[float], before: list[float]) -> str:
    """The mean of the differences by seed, with its 95 % interval."""
    pairs = [one - other for one, other in zip(after, before, strict=True)]
    middle = mean(pairs)
    variance = sum((pair - middle) ** 2 for pair in pairs) / (len(pairs) - 1)
    width = STUDENT[len(pairs) - 1] * math.sqrt(variance / len(pairs))
    return f"{middle:+.1f} ± {width:.1f}"


def mean(values: list[float]) -> float:
    """The arithmetic mean."""
    return sum(values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
