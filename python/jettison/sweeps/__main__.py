"""Implementation of `jettison sweep`; also `python3 -m jettison.sweeps`."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import sys
from collections.abc import Sequence
from typing import Any

import jettison
from jettison.errors import JettisonError, SweepError

from . import quantity
from .api import sweep
from .axes import Range, Value, read_values
from .executors import DaskExecutor, Executor, LocalExecutor
from .overview import overview
from .result import SweepResult
from .samples import LatinHypercube, Sample

# Exit statuses as of the command: failed runs; invalid input; Ctrl-C.
_FAILED, _WRONG, _INTERRUPTED = 1, 2, 130
_RANGE = re.compile(r"([^\[{\"',]+?)\.\.([^\[{\"':,]+)((?::[a-z]+(?:=[^:]+)?)*)")


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line; returns the exit status."""
    given = _parser().parse_args(arguments)
    try:
        return _sweep(given)
    except JettisonError as error:
        text = str(error)
        # A scenario's messages start with its file name.
        print(text if not isinstance(error, SweepError) else f"jettison: {text}", file=sys.stderr)
        return _WRONG
    except KeyboardInterrupt:
        print(
            "\njettison: interrupted; completed runs are kept, and the same command resumes the sweep",
            file=sys.stderr,
        )
        return _INTERRUPTED
    except BrokenPipeError:
        # The reader of our output has closed the pipe (`jettison … | head`), which is no error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="jettison sweep", allow_abbrev=False)
    parser.add_argument("file", help="the scenario file, or an experiment name as in `reproduce`")
    parser.add_argument("--axis", action="append", default=[], metavar="PATH=VALUES", help="a parameter to vary")
    parser.add_argument("--sample", default="grid", help="grid, lhs:N or lhs:N:SEED")
    parser.add_argument("--seeds", help="5, 1-20 or 1,4,7")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="a Dask scheduler")
    parser.add_argument("--jobs", type=int, metavar="N", help="number of local worker processes")
    parser.add_argument("--out", metavar="DIR")
    parser.add_argument("--keep", choices=["summary", "all"], default="summary")
    parser.add_argument("--batch", type=int, metavar="N")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE")
    parser.add_argument("--data", metavar="FOLDER")
    parser.add_argument("--command-version", help=argparse.SUPPRESS)
    return parser


def _sweep(given: argparse.Namespace) -> int:
    if given.command_version and given.command_version != jettison.__version__:
        raise SweepError(
            f"the versions of the command ({given.command_version}) and of the Python package ("
            f"{jettison.__version__}) must be equal; install the same version of both"
        )
    axes: dict[str, list[Value] | Range] = {}
    for text in given.axis:
        path, values = read_axis(text)
        if path in axes:
            raise SweepError(f"--axes: paths must be unique, got `{path}` twice; list all its values together")
        axes[path] = values
    sample, seeds = read_sample(given.sample), read_seeds(given.seeds)
    scenario = jettison.load(given.file, quick=given.quick, data=given.data)
    for option in given.set:
        path, value = _option(option, "--set")
        scenario = scenario.set(path, read_value(value))
    executor: Executor = DaskExecutor(given.scheduler) if given.scheduler else LocalExecutor(given.jobs)
    result = sweep(
        scenario,
        axes,
        seeds=seeds,
        sample=sample,
        executor=executor,
        out=given.out,
        keep=given.keep,
        batch=given.batch or "auto",
    )
    if given.json:
        _print_records(result)
    else:
        print(overview(result))
        print(f"Results: {result.folder}")
    for failed in result.failed[:10]:
        where = ", ".join(f"{axis}={value}" for axis, value in failed.values.items())
        print(f"jettison: {where}, seed {failed.seed}: {failed.kind}: {failed.error}", file=sys.stderr)
    if len(result.failed) > 10:
        print(
            f"jettison: and {len(result.failed) - 10} more failures; see {result.folder}/failed",
            file=sys.stderr,
        )
    return _FAILED if result.failed else 0


def _print_records(result: SweepResult) -> None:
    """Prints one line per row of the table, as `run --json` does, with the point and its axes.

    Also prints one line per failed run.
    """
    axes = list(result.axes)
    for row in result.table.to_pylist() if result.has_runs else ():
        record: dict[str, Any] = {
            "type": "summary",
            "scenario": result.name,
            "mode": row["mode"],
            "point": row["point"],
        }
        record["axes"] = {axis: row[axis] for axis in axes}
        record |= {key: row[key] for key in ("variant", "object")}
        record["metric"] = f"{row['metric']}:{row['part']}" if row["part"] else row["metric"]
        record |= {key: row[key] for key in ("unit", "mean", "p50", "p95", "p99")}
        low, high = row["ci95_low"], row["ci95_high"]
        record["ci95"] = None if low is None else [low, high]
        record["n"] = row["n"]
        print(json.dumps(record))
    for failed in result.failed:
        record = {"type": "failure", "scenario": result.name, "point": failed.point, "axes": failed.values}
        print(json.dumps({**record, "seed": failed.seed, "kind": failed.kind, "error": failed.error}))


def read_axis(text: str) -> tuple[str, list[Value] | Range]:
    """Parses `PATH=1ms,5ms` or `PATH=1ms..20ms`, the latter with the options `:log`, `:step=1ms` or `:points=5`."""
    path, values = _option(text, "--axes")
    if (found := _RANGE.fullmatch(values)) and any(
        quantity.read(read_value(end.strip())) for end in (found[1], found[2])
    ):
        return path, _read_range(path, found[1], found[2], found[3])
    return path, [read_value(value) for value in read_values(values)]


def _read_range(path: str, low: str, high: str, options: str) -> Range:
    given: dict[str, Any] = {}
    for option in filter(None, options.split(":")):
        key, _, value = option.partition("=")
        if key == "log" and not value:
            given["log"] = True
        elif key == "step" and value:
            given["step"] = read_value(value)
        elif key == "points" and value.isdigit():
            given["points"] = int(value)
        else:
            raise SweepError(f"--axes {path}: options must be :log, :step=VALUE or :points=N, got `:{option}`")
    ends = read_value(low.strip()), read_value(high.strip())
    for end in ends:
        if isinstance(end, bool) or not isinstance(end, (int, float, str)):
            raise SweepError(
                f"--axes {path}: the end of a range must be a number or quantity, as in PATH=1ms..20ms, got `{end}`"
            )
    try:
        return Range(ends[0], ends[1], **given)  # pyright: ignore[reportArgumentType]
    except SweepError as error:
        raise SweepError(f"--axes {path}: {error}") from None


def read_value(text: str) -> Value:
    """Parses a value as `--set` does: TOML, or else a string."""
    from . import core

    return core.read_value(text)


def read_sample(text: str) -> Sample:
    """Parses `grid`, `lhs:N` or `lhs:N:SEED`."""
    if text == "grid":
        return "grid"
    if found := re.fullmatch(r"lhs:([0-9]+)(?::([0-9]+))?", text):
        return LatinHypercube(int(found[1]), int(found[2] or 0))
    raise SweepError(f"--sample must be grid, lhs:N or lhs:N:SEED, got {text}")


def read_seeds(text: str | None) -> int | list[int] | None:
    """Parses `5` (a number of seeds), `1-20`, `1,4,7` or a mixture of the latter two."""
    if text is None:
        return None
    if re.fullmatch(r"[0-9]+", text):
        return int(text)
    seeds: list[int] = []
    for part in text.split(","):
        found = re.fullmatch(r"\s*([0-9]+)(?:-([0-9]+))?\s*", part)
        if not found or int(found[2] or found[1]) < int(found[1]):
            raise SweepError(
                f"--seeds must be a number of seeds, such as 5, or a list, such as 1-20 or 1,4,7, got {text}"
            )
        if int(found[2] or found[1]) - int(found[1]) >= 100_000:
            raise SweepError(f"--seeds must be at most 100,000 seeds, got {text}")
        seeds += range(int(found[1]), int(found[2] or found[1]) + 1)
    return seeds


def _option(text: str, flag: str) -> tuple[str, str]:
    """Splits at the first unquoted `=`."""
    quote = ""
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char == "=" and at:
            return text[:at].strip(), text[at + 1 :].strip()
    raise SweepError(f'{flag} must be PATH=VALUE, such as {flag} "links.bottleneck.rate=5 Mbit/s", got {text}')


if __name__ == "__main__":
    # A second Ctrl-C while the first is being handled ends the process immediately, as for the
    # command.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
