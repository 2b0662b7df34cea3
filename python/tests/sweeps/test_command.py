"""`jettison sweep` from the command's arguments on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scenarios import TEXT

import jettison
from jettison import LatinHypercube, Range
from jettison.errors import SweepError
from jettison.sweeps.__main__ import main, read_axis, read_sample, read_seeds
from jettison.sweeps.overview import _aligned, _fitting

TARGET = "queues.bottleneck.target"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "short.toml"
    path.write_text(TEXT)
    return str(path)


def test_axes_are_values_or_ranges():
    assert read_axis("a.b=1ms, 5 ms,20ms") == ("a.b", ["1ms", "5 ms", "20ms"])
    assert read_axis("a=1,2.5,true") == ("a", [1, 2.5, True])
    assert read_axis('a={kind="red", weight=[1, 2]},"x"') == ("a", [{"kind": "red", "weight": [1, 2]}, "x"])
    assert read_axis("a=1ms..20ms") == ("a", Range("1ms", "20ms"))
    assert read_axis("a=1..9:step=2") == ("a", Range(1, 9, step=2))
    assert read_axis("a=0.5..2:log:points=5") == ("a", Range(0.5, 2, log=True, points=5))
    assert read_axis('nodes."x=y".address=1') == ('nodes."x=y".address', [1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("target", "must be PATH=VALUE"),
        ("=1", "must be PATH=VALUE"),
        ("a=1..x", "an end must be a number"),
        ("a=1..2:fast", "got `:fast`"),
        ("a=20ms..1ms", "`low` must be below `high`"),
    ],
)
def test_the_message_about_an_invalid_axis_shows_valid_syntax(text: str, message: str):
    with pytest.raises(SweepError) as refused:
        read_axis(text)
    assert message in str(refused.value)


def test_seeds_are_a_number_or_a_list():
    assert (read_seeds(None), read_seeds("5"), read_seeds("1-4"), read_seeds("3,7-8")) == (
        None,
        5,
        [1, 2, 3, 4],
        [3, 7, 8],
    )
    for wrong in ("", "a", "4-1", "1,,2", "1-999999"):
        with pytest.raises(SweepError):
            read_seeds(wrong)


def test_samples_are_read():
    assert (read_sample("grid"), read_sample("lhs:50"), read_sample("lhs:9:4")) == (
        "grid",
        LatinHypercube(50),
        LatinHypercube(9, 4),
    )
    with pytest.raises(SweepError, match="must be grid, lhs:N"):
        read_sample("random")


def test_it_prints_one_row_per_variant_and_the_folder(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    out = str(tmp_path / "out")
    assert main([file, f"--axis={TARGET}=1ms,10ms", "--seeds=2", "--jobs=1", f"--out={out}"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "tests/short: 2 points, 2 seeds, queue bottleneck.forward"
    # The answer, then the table.
    assert lines[1].startswith("The lowest RTT: ") and "paired by seed" in " ".join(lines[1:4])
    head = next(at for at, line in enumerate(lines) if line.split()[:2] == ["target", "utilisation"])
    assert lines[head + 1].split()[:2] == ["%", "ms"]
    assert [line.split()[0] for line in lines[head + 2 : head + 4]] == ["1ms", "10ms"]
    assert lines[-1] == f"Results: {out}"


def test_columns_that_do_not_fit_are_named():
    rows = [["target", *(f"a metric {n}" for n in range(20))]]
    shown = _fitting(rows, 1)
    assert shown == 8 and len(_aligned([rows[0][:shown]], 1)[0]) <= 100 < len(_aligned([rows[0][: shown + 1]], 1)[0])
    assert _fitting([["x" * 200, "y"]], 1) == 2


def test_records_are_those_of_run_with_point_and_axes(file: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([file, f"--axis={TARGET}=5ms", "--seeds=2", "--jobs=1", "--json", f"--out={tmp_path / 'out'}"]) == 0
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(record["type"] == "summary" and record["axes"] == {"target": "5ms"} for record in records)
    goodput = next(r for r in records if (r["object"], r["metric"]) == ("all flows", "goodput"))
    assert goodput["n"] == 2 and goodput["unit"] == "Mbit/s"
    apart = jettison.run(jettison.load(file), seeds=2)
    assert goodput["mean"] == apart.mean("goodput", "all flows")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--axis=queues.bottleneck.targe=1ms"], "did you mean `queues.bottleneck.target`?"),
        ([f"--axis={TARGET}=1 parsec"], "parsec"),
        ([f"--axis={TARGET}=1ms..5ms"], "is continuous: a grid requires"),
        (["--sample=lhs:3"], "requires at least one axis"),
        (
            [f"--axis={TARGET}=1ms", "--scheduler=tcp://127.0.0.1:9"],
            "no Dask scheduler answers at tcp://127.0.0.1:9",
        ),
        ([f"--axis={TARGET}=1ms", "--command-version=0.0.1"], "must be equal; install the same"),
        ([f"--axis={TARGET}=1ms", f"--axis={TARGET}=2ms"], f"got `{TARGET}` twice"),
    ],
)
def test_bad_input_is_one_message_and_status_2(
    file: str, tmp_path: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main([file, f"--out={tmp_path / 'out'}", *arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and not printed.out


def test_a_missing_file_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main([str(tmp_path / "none.toml"), f"--axis={TARGET}=1ms"]) == 2
    assert "none.toml: cannot be read" in capsys.readouterr().err


def test_file_names_with_dots_are_not_ranges():
    assert read_axis("a=../one.trace,../two.trace") == ("a", ["../one.trace", "../two.trace"])
    assert read_axis("a=x/../one.trace") == ("a", ["x/../one.trace"])


def test_the_command_calls_the_package(command: Path, file: str, tmp_path: Path):
    out = tmp_path / "out"
    done = subprocess.run(
        [command, "sweep", file, "--axes", f"{TARGET}=1ms,10ms", "--seeds", "2", "--jobs", "1", "--out", out],
        env={**os.environ, "JETTISON_PYTHON": sys.executable},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Results: {out}" in done.stdout
    assert jettison.SweepResult.open(out).status == "complete"
