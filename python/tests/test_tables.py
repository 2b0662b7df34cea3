"""Tables are Arrow tables, with views, checked names and short HTML."""

# pyright: basic, reportArgumentType=false
from __future__ import annotations

import math
import pickle
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from small import TEXT

import jettison
from jettison import Scenario, Table, UnknownNameError
from jettison._arrow import pa, pq


@pytest.fixture(scope="module")
def result() -> jettison.Result:
    scenario = Scenario.from_toml(TEXT, label="small.toml").vary("links.bottleneck.queue", ["tail-drop", "codel"])
    return jettison.run(scenario, seeds=2)


@pytest.fixture(scope="module")
def sojourn(result: jettison.Result) -> Table:
    return result.queues.filter(object="bottleneck.forward", metric="sojourn", seed=1)


def test_a_table_has_the_names_of_arrow_tables(sojourn: Table) -> None:
    whole = sojourn.arrow
    assert (sojourn.num_rows, sojourn.num_columns) == (whole.num_rows, whole.num_columns) == sojourn.shape
    assert sojourn.column_names == sojourn.columns == whole.column_names
    assert sojourn.schema == whole.schema
    assert len(sojourn) == whole.num_rows > 100
    assert pa.table(sojourn).equals(whole)
    assert pa.schema(sojourn) == whole.schema
    assert sojourn.to_arrow(["value"]).equals(whole.select(["value"]))


def test_rows_are_dictionaries_and_slices_are_tables(sojourn: Table) -> None:
    rows = list(sojourn)
    assert rows == sojourn.to_pylist()
    assert sojourn[0] == rows[0]
    assert sojourn[-1] == rows[-1]
    for part in (slice(10, 20), slice(None, 3), slice(-3, None), slice(None, None, 7), slice(5, 2)):
        assert isinstance(sojourn[part], Table)
        assert list(sojourn[part]) == rows[part]
    assert list(sojourn.head(3)) == rows[:3]
    assert list(sojourn.slice(4, 2)) == rows[4:6]
    assert list(sojourn.slice(len(rows) + 5)) == []
    with pytest.raises(IndexError):
        sojourn[len(rows)]
    with pytest.raises(IndexError, match="`offset` must be at least 0, got -1"):
        sojourn.slice(-1)
    assert sojourn["value"].to_pylist() == [row["value"] for row in rows]


def test_pandas_and_the_interchange_protocol_take_a_table(sojourn: Table) -> None:
    pd = pytest.importorskip("pandas", reason="left out: pandas is not installed")
    frame = pd.DataFrame(sojourn)
    assert list(frame.columns) == sojourn.columns
    assert frame["value"].tolist() == sojourn["value"].to_pylist()
    assert frame["variant"].tolist() == sojourn["variant"].to_pylist()
    interchange = sojourn.__dataframe__()
    assert (interchange.num_rows(), interchange.num_columns()) == sojourn.shape
    assert list(interchange.column_names()) == sojourn.columns
    from pyarrow.interchange import from_dataframe

    plain = [pa.string() if pa.types.is_dictionary(kind) else kind for kind in sojourn.schema.types]
    there, here = from_dataframe(sojourn), sojourn.arrow
    for name, kind in zip(sojourn.columns, plain, strict=True):
        assert there[name].cast(kind).to_pylist() == here[name].cast(kind).to_pylist()


def test_the_first_rows_of_a_stored_table_are_read_alone(
    tmp_path: Path, small: Scenario, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = jettison.run(small, seeds=1, out=tmp_path / "out")
    whole = jettison.open(tmp_path / "out").queues.arrow

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("read the whole table")

    monkeypatch.setattr(pq, "read_table", refused)
    assert stored.queues.schema == whole.schema
    first = stored.queues.head(4)
    assert first.arrow.schema == whole.schema
    assert list(first) == whole.slice(0, 4).to_pylist()
    assert f"{len(stored.queues):,} rows, the first 10" in stored.queues._repr_html_()


def test_a_wide_table_has_a_column_per_metric(result: jettison.Result) -> None:
    wide = result.runs.wide()
    index = ["variant", "seed", "object"]
    assert wide.columns[:3] == index
    assert "mode" not in wide.columns
    long = {(*(row[name] for name in index), row["metric"], row["part"]): row["mean"] for row in result.runs}
    found: dict[tuple[object, ...], float] = {}
    for row in wide:
        for name, value in row.items():
            if name not in index and value is not None:
                metric, _, part = name.partition(".")
                found[(*(row[name] for name in index), metric, part)] = value
    assert found == {key: value for key, value in long.items() if value is not None}
    assert len({tuple(row[name] for name in index) for row in wide}) == len(wide)
    assert [row["seed"] for row in wide][:2] == [1, 1] and wide[0]["variant"] == result.variants[0]
    field = wide.schema.field("sojourn")
    assert field.metadata == {b"unit": result.units["sojourn"].encode()}


def test_a_wide_series_has_its_rows_in_the_order_of_time(result: jettison.Result) -> None:
    wide = result.queues.wide()
    assert {"sojourn", "backlog"} <= set(wide.columns)
    at = [(row["variant"], row["seed"], row["object"], row["time_ns"]) for row in wide]
    groups = dict.fromkeys(key[:3] for key in at)
    assert at == sorted(at, key=lambda key: ([*groups].index(key[:3]), key[3]))
    one = {
        row["time_ns"]: row["value"]
        for row in result.queues.filter(variant=at[0][0], seed=1, object=at[0][2], metric="backlog")
    }
    mine = {row["time_ns"]: row["backlog"] for row in wide if (row["variant"], row["seed"], row["object"]) == at[0][:3]}
    assert {time: value for time, value in mine.items() if value is not None} == one
    assert result.summary.wide("n").to_arrow(["goodput"])["goodput"].drop_null().unique().to_pylist() == [2]
    with pytest.raises(UnknownNameError, match="column of values `p95s` of `summary`; did you mean `p95`"):
        result.summary.wide("p95s")
    for table in (result.drops, result.distributions):
        with pytest.raises(ValueError, match="has no values by metric"):
            table.wide()


def test_xarray_has_a_dimension_per_index(result: jettison.Result, sojourn: Table) -> None:
    xr = pytest.importorskip("xarray", reason="left out: xarray is not installed")
    data = result.runs.to_xarray()
    assert isinstance(data, xr.Dataset)
    assert dict(data.sizes).keys() == {"variant", "seed", "object"}
    one = result.runs.filter(variant="queue=codel", seed=2, object="bulk", metric="goodput")[0]
    assert float(data["goodput"].sel(variant="queue=codel", seed=2, object="bulk")) == one["mean"]
    assert data["goodput"].attrs["units"] == result.units["goodput"]
    assert math.isnan(float(data["goodput"].sel(variant="queue=codel", seed=2, object="bottleneck.forward")))
    assert data["queue"].values.tolist() == ["tail-drop", "codel"]
    series = sojourn.to_xarray()["sojourn"]
    assert series.dims == ("variant", "seed", "time", "object")
    own = sojourn.filter(variant="queue=codel")
    kept = series.sel(variant="queue=codel", seed=1, object="bottleneck.forward").dropna("time")
    assert kept.values.tolist() == own["value"].to_pylist()
    assert kept["time"].values.tolist() == pytest.approx([time / 1e9 for time in own["time_ns"].to_pylist()])


def test_without_xarray_the_error_says_how_to_install_it(sojourn: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ModuleNotFoundError, match=re.escape("pip install 'jettison[xarray]'")):
        sojourn.to_xarray()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"metric": "sojurn"}, "unknown metric `sojurn`; did you mean `sojourn`?"),
        ({"metric": ["sojourn", "sojurn"]}, "did you mean `sojourn`?"),
        ({"object": "botleneck.forward"}, "unknown object `botleneck.forward`; did you mean `bottleneck.forward`?"),
        ({"variant": "queue=cdel"}, "unknown variant `queue=cdel`; did you mean `queue=codel`?"),
        ({"seed": 7}, "unknown seed `7`; known are 1, 2"),
        ({"seed": range(5, 9)}, "unknown seed `5`"),
        ({"metrics": "sojourn"}, "unknown column `metrics` of `queues`; did you mean `metric`?"),
    ],
)
def test_a_filter_refuses_names_that_no_run_can_have(
    result: jettison.Result, names: dict[str, object], said: str
) -> None:
    with pytest.raises(UnknownNameError) as error:
        result.queues.filter(**names)
    assert said in str(error.value)
    assert isinstance(error.value, KeyError) and isinstance(error.value, jettison.JettisonError)


def test_names_that_exist_without_rows_give_an_empty_table(result: jettison.Result) -> None:
    for names in ({"metric": "sqi_ssim"}, {"metric": "red_average"}, {"object": "ping"}, {"part": "nothing"}):
        empty = result.queues.filter(**names)
        assert (len(empty), empty.to_pylist(), empty.columns) == (0, [], result.queues.columns)
    assert len(result.drops.filter(reason="red-early")) == 0
    assert 0 < len(result.queues.filter(seed=range(2))) < len(result.queues)
    with pytest.raises(UnknownNameError, match="unknown reason `codle`; did you mean `codel`"):
        result.drops.filter(reason="codle")
    with pytest.raises(TypeError, match="column `seed` of `queues` has values of type uint64, got 'one'"):
        result.queues.filter(seed="one")


def test_names_are_checked_after_pickling_and_in_parts_of_a_table(result: jettison.Result) -> None:
    for table in (pickle.loads(pickle.dumps(result)).queues, result.queues[5:50], result.queues.head()):
        with pytest.raises(UnknownNameError, match="did you mean `backlog`"):
            table.filter(metric="backlogs")


def test_other_names_have_advice(result: jettison.Result) -> None:
    with pytest.raises(UnknownNameError, match="unknown table `sumary`; did you mean `summary`"):
        result.table("sumary")
    with pytest.raises(UnknownNameError, match="unknown metric `godput`; did you mean `goodput`"):
        result.mean("godput")
    with pytest.raises(UnknownNameError, match="unknown metric `jiter`; did you mean `jitter`"):
        result.describe("jiter")


class Outline(HTMLParser):
    """Checks that elements are closed in their order, and collects the text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.cells: list[str] = []
        self.rows = 0
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.rows += tag == "tr"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.cells.append(data)


def test_html_is_short_and_escaped(result: jettison.Result) -> None:
    table = Outline(result.queues._repr_html_())
    assert table.rows == 11
    assert any(f"{len(result.queues):,} rows, the first 10" in text for text in table.cells)
    strange = Table.of("<b>", pa.table({"<i>&": ["<script>alert(1)</script>", "x" * 500, None]}))
    text = strange._repr_html_()
    shown = Outline(text)
    assert "<script>alert(1)</script>" in shown.cells and "<script" not in text and "<i>" not in text
    assert len(text) < 1000 and "3 rows" in shown.cells[-1]
    for shown in (result, result.warnings, result.differences, result.summary.wide()):
        assert Outline(shown._repr_html_()).rows > 1
    assert "few-seeds" in Outline(result._repr_html_()).cells
    assert Outline(result.queues.filter(metric="sqi_ssim")._repr_html_()).rows == 0


def test_scenarios_have_html_too() -> None:
    scenario = Scenario.from_toml(TEXT, label="<small>").vary("links.bottleneck.queue", ["tail-drop", "codel"])
    cells = Outline(scenario._repr_html_()).cells
    assert {"small", "axis queue", "tail-drop, codel", "access, bottleneck"} <= set(cells)
    broken = Scenario(name="a<b", duration="10 s", links={})
    text = broken._repr_html_()
    assert "error" in Outline(text).cells and "a<b" not in text


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s: s.vary(queu=["codel"]), "unknown key `queu` in the scenario; did you mean `queue`?"),
        (lambda s: s.vary("links.bottleneck.queu", ["codel"]), "queue"),
        (lambda s: s.vary(rat=["1 Mbit/s"]), "did you mean `rate`?"),
        (
            lambda s: s.vary("links.bottleneck.queue", ["codel"]).only(queu="codel"),
            "unknown axis `queu`; did you mean `queue`?",
        ),
        (
            lambda s: s.vary("links.bottleneck.queue", ["codel", "red"]).only(queue="cdel"),
            "unknown label `cdel` of axis `queue`; did you mean `codel`?",
        ),
        (lambda s: s.vary("links.bottleneck.queue", ["cdel"]), "did you mean `codel`?"),
    ],
)
def test_vary_and_only_name_the_nearest_name(small: Scenario, change, said: str) -> None:
    with pytest.raises(jettison.ScenarioError) as error:
        change(small)
    assert said in str(error.value)
