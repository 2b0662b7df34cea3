#!/usr/bin/env python3
"""Judges `octopus/beyond` cell by cell: a cell is a trace, a video and an RTT.

`select` sweeps the values over one half of the inputs, `report` runs the scenario's own schemes over the other half. The halves
share no recording, no seed of a synthetic trace and no generated video. Needs Python's standard library alone.

    cargo build --release -p jettison-cli
    scripts/octopus-beyond.py select --data $DATA
    scripts/octopus-beyond.py report --data $DATA

Without `--data` only our own traces and videos are used. `docs/src/appendix/octopus-beyond.md` has the results.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SCENARIO = ROOT / "scenarios/octopus/beyond.toml"
SHIPPED = ROOT / "scenarios/octopus/traces"

#: Recorded traces. Verizon's and AT&T's base-station traces are of the same rides as their Mahimahi traces, so an operator's
#: rides are in one half.
RECORDED = {
    "select": [
        "lte/Verizon-LTE-driving-470s.down",
        "lte/ATT-LTE-driving.down",
        "srsran/verizon-srsran-pdu-10ms.trace",
        "srsran/att-srsran-pdu-10ms.trace",
    ],
    "report": [
        "lte/TMobile-LTE-short.down",
        "lte/Verizon-LTE-short.down",
        "srsran/tmobile-srsran-pdu-10ms.trace",
        "5g/B_2020.01.16_09.56.56.csv",
    ],
}
VIDEOS = {"select": ["mot17-10", "mot17-12"], "report": ["mot17-10", "mot17-11", "mot17-12"]}
OWN = {"select": ["lte-4.down", "lte-8.trace"], "report": ["lte-12.trace", "lte-16.trace"]}
SEEDS = {"select": [101], "report": [201, 202, 203]}
#: Seeds of generated videos, where there are no recorded ones.
GENERATED = {"select": [11, 12], "report": [21, 22, 23]}
#: The models of the shipped traces (scenarios/octopus/traces/README.md), to be drawn with other seeds.
MODELS = {
    "lte-4": ["--mean", "4 Mbit/s", "--volatility", "1.5 Mbit/s", "--outage", "300 ms"],
    "lte-8": [
        "--mean",
        "8 Mbit/s",
        "--max",
        "30 Mbit/s",
        "--volatility",
        "3 Mbit/s",
        "--outage",
        "500 ms",
        "--pull",
        "6 s",
    ],
    "lte-12": [
        "--mean",
        "12 Mbit/s",
        "--max",
        "40 Mbit/s",
        "--volatility",
        "6 Mbit/s",
        "--outage",
        "300 ms",
        "--pull",
        "5 s",
    ],
    "lte-16": [
        "--mean",
        "16 Mbit/s",
        "--max",
        "60 Mbit/s",
        "--volatility",
        "10 Mbit/s",
        "--outage",
        "200 ms",
        "--pull",
        "3 s",
    ],
}
BASELINES = ("authors", "text")
#: Permitted loss of SQI-SSIM.
LOSS = 0.01

#: The values of the sweep: slack of the three layers in ms, and the router's window in ms. All have both mechanisms.
VALUES = [
    ((300, 150, 80), 100),
    ((300, 150, 80), 50),
    ((300, 150, 80), 200),
    ((300, 150, 60), 100),
    ((300, 150, 100), 100),
    ((300, 120, 80), 100),
    ((300, 200, 80), 100),
    ((250, 150, 80), 100),
    ((400, 150, 80), 100),
    ((400, 150, 80), 50),
    ((400, 150, 100), 100),
    ((500, 150, 100), 100),
]


def main() -> int:
    """Runs one half and prints its tables."""
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    results = options.out / options.half
    if not options.reuse:
        run(options, results)
    cells = read(results / "summary.json")
    print(f"{len(cells)} cells\n")
    for baseline in BASELINES:
        if any(baseline in of for of in cells.values()):
            print(table(cells, baseline))
    return 0


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("half", choices=["select", "report"])
    parser.add_argument("--data", type=Path, help="folder of the recordings (networks/, video/)")
    parser.add_argument("--jettison", default=str(ROOT / "target/release/jettison"), help="the command")
    parser.add_argument("--out", type=Path, default=Path("octopus-beyond"), help="folder for traces and results")
    parser.add_argument("--duration", help="duration of a run [default: the scenario's, 120 s]")
    parser.add_argument("--reuse", action="store_true", help="only print the tables of the results in --out")
    return parser.parse_args()


def run(options: argparse.Namespace, results: Path) -> None:
    """Runs one half."""
    half = options.half
    traces = [(Path(name).stem, SHIPPED / name) for name in OWN[half]]
    for seed in SEEDS[half]:
        for model, values in MODELS.items():
            path = (options.out / f"{model}-{seed}.trace").absolute()
            call(
                [options.jettison, "trace", "synthesize", path, "--seed", seed, *values, "--to", "srsran", "--force"],
                quiet=True,
            )
            traces.append((f"{model} seed {seed}", path))
    if options.data:
        networks = options.data.absolute() / "networks"
        traces += [(Path(name).stem.replace(".", "-"), networks / name) for name in RECORDED[half]]
        folder = options.data.absolute() / "video/svc-quality"
        videos = [(name, {"file": str(folder / f"{name}.trace")}) for name in VIDEOS[half]]
    else:
        videos = [(f"generated {seed}", {"generator": {"seed": seed}}) for seed in GENERATED[half]]
    settings = {
        "vary[1].values": [{"file": str(path), "label": label} for label, path in traces],
        "vary[2].variants": [{"name": name, "set": {"flows.video.app.content": content}} for name, content in videos],
    }
    if half == "select":
        settings["vary[0].variants"] = sweep()
    sets = [word for key, value in settings.items() for word in ("--set", f"{key}={toml(value)}")]
    if options.duration:
        sets += ["--set", f'duration="{options.duration}"']
    call([options.jettison, "run", SCENARIO, *sets, "--out", results, "--force"], quiet=True)


def sweep() -> list[dict[str, object]]:
    """The schemes of the selection: the authors' choices, and each of the values."""
    schemes: list[dict[str, object]] = [{"name": "authors", "set": {}}]
    for slack, window in VALUES:
        changes: dict[str, object] = {
            "flows.video.app.encoder.slack": [f"{ms} ms" for ms in slack],
            "queues.octopus.window": f"{window} ms",
            "flows.video.transport.bitrate_slack": False,
            "flows.video.transport.overtake": True,
        }
        schemes.append({"name": "-".join(map(str, slack)) + f" w{window}", "set": changes})
    return schemes


def call(command: list[object], *, quiet: bool = False) -> None:
    """Runs a command and says which."""
    words = [str(word) for word in command]
    print(" ".join(words[:4]), "…", file=sys.stderr)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL if quiet else None)


def toml(value: object) -> str:
    """A value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(of)}" for key, of in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


Cells = dict[tuple[str, str, str], dict[str, dict[str, float]]]


def read(summary: Path) -> Cells:
    """Values of each scheme by cell: by metric, percentiles behind a space."""
    cells: Cells = defaultdict(lambda: defaultdict(dict))
    for row in json.loads(summary.read_text()):
        if row.get("type") != "summary" or row["object"] != "video":
            continue
        labels = dict(pair.split("=", 1) for pair in re.split(r",(?=[a-z]+=)", row["variant"]))
        values = cells[labels["trace"], labels["video"], labels["rtt"]][labels["scheme"]]
        values[row["metric"]] = row["mean"]
        if row.get("p99") is not None:
            values[row["metric"] + " p99"] = row["p99"]
    return cells


def table(cells: Cells, baseline: str) -> str:
    """The comparison of all schemes with one, as Markdown."""
    schemes = list(dict.fromkeys(scheme for of in cells.values() for scheme in of))
    lines = [
        f"Against {baseline}:",
        "",
        "| scheme | in time at 200 ms | cells | at 300 ms | cells | SQI-SSIM | cells | all three | freezes/min | "
        "SQI at 300 ms | p99 (shown) |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for scheme in schemes:
        pairs = [(of[baseline], of[scheme]) for of in cells.values() if baseline in of and scheme in of]
        if not pairs or scheme == baseline:
            continue
        count = len(pairs)
        gains = [[after[key] - before[key] for before, after in pairs] for key in IN_TIME]
        quality = [after["sqi_ssim"] / before["sqi_ssim"] - 1 for before, after in pairs]
        good = [[gain >= 0 for gain in of] for of in gains] + [[change >= -LOSS for change in quality]]
        all_three = sum(map(all, zip(*good, strict=True)))
        ratio = mean([math.log(after["frame_latency p99"] / before["frame_latency p99"]) for before, after in pairs])
        freezes = " → ".join(f"{mean([of[place].get('freeze_rate', 0.0) for of in pairs]):.2f}" for place in (0, 1))
        at_deadline = mean([after[AT_300] / before[AT_300] - 1 for before, after in pairs])
        lines.append(
            f"| {scheme} | {mean(gains[0]):+.2f} | {sum(good[0])} of {count} | {mean(gains[1]):+.2f} | {sum(good[1])} of {count} "
            f"| {100 * mean(quality):+.2f} % | {sum(good[2])} of {count} | {all_three} of {count} | {freezes} "
            f"| {100 * at_deadline:+.1f} % | {math.exp(ratio):.2f} |"
        )
    return "\n".join(lines) + "\n"


IN_TIME = ("frames_in_time:200 ms", "frames_in_time:300 ms")
AT_300 = "sqi_at_deadline:300 ms"


def mean(values: list[float]) -> float:
    """The arithmetic mean."""
    return sum(values) / len(values)


if __name__ == "__main__":
    sys.exit(main())
