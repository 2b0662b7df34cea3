from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import jettison
from jettison import Result, RunError

TEXT = """
name = "small"
duration = "3 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
queue = "codel"
[flows.bulk]
from = "a"
to = "b"
app = "bulk"
"""


@pytest.fixture
def stored(tmp_path: Path) -> Result:
    file = tmp_path / "small.toml"
    file.write_text(TEXT)
    return jettison.run(file, out=tmp_path / "out")


def test_a_drop_is_reverted(stored: Result, tmp_path: Path) -> None:
    answer = stored.whatif(flip=1, horizon="1 s", out=tmp_path / "both")
    assert answer.question["kept"] == 1
    assert answer.question["until_ns"] == answer.question["from_ns"] + 1_000_000_000
    assert [decision["id"] for decision in answer.reverted] == [1]
    assert answer.reverted[0]["reason"] == "codel"
    rows = answer.differences.filter(flow="bulk", metric="goodput").to_pylist()
    assert rows[0]["difference"] == pytest.approx(rows[0]["changed"] - rows[0]["original"])
    assert "What if decision 1 were reverted?" in str(answer)
    assert answer.result is not None
    assert answer.result.variants == ["original", "changed"]


def test_a_rule_is_off_and_a_queue_is_exchanged(stored: Result) -> None:
    off = stored.whatif(rule="codel", start=1.0, end="2 s", draws=2)
    assert off.question["draws"] == 2
    assert off.question["kept"] > 0
    assert off.result is None
    other = stored.whatif(queue="links.bottleneck.queue=fq-codel", at=1.5)
    assert other.question["replaced"] > 0


def test_a_wrong_question_says_what_is_wrong(stored: Result) -> None:
    questions: list[tuple[dict[str, Any], str]] = [
        ({}, "give one of `flip`, `rule` and `queue`"),
        ({"flip": 10**9}, "unknown drop id"),
        ({"rule": "codle"}, "did you mean `codel`"),
        ({"queue": "links.bottleneck.queue=fq-codel"}, "needs `at`"),
        ({"flip": 0, "until": "soon"}, "`until`"),
        ({"flip": 0, "variant": "other"}, "unknown variant"),
    ]
    for options, wanted in questions:
        with pytest.raises(RunError, match=wanted):
            stored.whatif(**options)
    memory = jettison.run(jettison.load(Path(stored.folder or "").parent / "small.toml"))
    with pytest.raises(RunError, match="needs a stored result"):
        memory.whatif(flip=0)
