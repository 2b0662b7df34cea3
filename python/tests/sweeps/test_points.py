"""Axes, ranges and the selection of points."""

from __future__ import annotations

import itertools
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jettison.errors import SweepError
from jettison.sweeps.axes import Range, read_axes, read_values
from jettison.sweeps.samples import Grid, LatinHypercube, Points, choose

UNITS = ["ns", "us", "ms", "s", "bit/s", "kbit/s", "Mbit/s", "bytes", "kB", "packets"]
seeds = st.integers(0, 2**40)


@given(n=st.integers(1, 60), seed=seeds, dimensions=st.integers(1, 4))
def test_each_stratum_of_each_axis_of_a_latin_hypercube_is_hit_once(n: int, seed: int, dimensions: int):
    axes = read_axes({f"a{d}": Range(0.0, 1.0) for d in range(dimensions)})
    points = LatinHypercube(n, seed).points(axes)
    assert len(points) == n
    for axis in axes:
        assert sorted(math.floor(float(point[axis.path]) * n) for point in points) == list(range(n))  # type: ignore[arg-type]


@given(n=st.integers(1, 60), seed=seeds, count=st.integers(1, 9))
def test_a_latin_hypercube_takes_choices_equally_often(n: int, seed: int, count: int):
    points = LatinHypercube(n, seed).points(read_axes({"x": [f"v{k}" for k in range(count)], "y": Range(0.0, 1.0)}))
    taken = [sum(point["x"] == f"v{k}" for point in points) for k in range(count)]
    assert max(taken) - min(taken) <= 1


@given(n=st.integers(1, 40), seed=seeds)
def test_a_latin_hypercube_is_the_same_again_and_axes_draw_for_themselves(n: int, seed: int):
    one = LatinHypercube(n, seed).points(read_axes({"x": Range(0.0, 1.0)}))
    two = LatinHypercube(n, seed).points(read_axes({"y": Range("1 ms", "2 ms"), "x": Range(0.0, 1.0)}))
    assert [point["x"] for point in one] == [point["x"] for point in two]


def test_a_latin_hypercube_does_not_change_from_version_to_version():
    # A sweep resumed with a later Python must find its points again.
    points = LatinHypercube(4, 7).points(read_axes({"x": Range(0, 999), "y": Range("1 ms", "9 ms")}))
    assert points == [
        {"x": 82, "y": "8.184596 ms"},
        {"x": 488, "y": "3.037879 ms"},
        {"x": 884, "y": "5.77529 ms"},
        {"x": 583, "y": "1.27745 ms"},
    ]


@given(
    low=st.integers(1, 10**6),
    width=st.integers(1, 10**6),
    unit=st.sampled_from(UNITS),
    share=st.floats(0, 1),
    log=st.booleans(),
)
def test_values_of_a_range_lie_in_it_and_are_whole_steps_of_their_unit(
    low: int, width: int, unit: str, share: float, log: bool
):
    span = Range(f"{low} {unit}", f"{low + width} {unit}", log=log)
    number, own = str(span.at(share)).split(" ", 1)
    assert own == unit
    assert low <= Decimal(number) <= low + width
    steps = {"us": 3, "ms": 6, "s": 9, "kbit/s": 3, "Mbit/s": 6, "kB": 3}.get(unit, 0)
    assert Decimal(number) * 10**steps % 1 == 0


@given(low=st.integers(-1000, 1000), width=st.integers(1, 1000), share=st.floats(0, 1))
def test_whole_numbers_stay_whole_and_both_ends_can_be_reached(low: int, width: int, share: float):
    span = Range(low, low + width)
    value = span.at(share)
    assert isinstance(value, int) and low <= value <= low + width
    assert (span.at(0.0), span.at(1.0)) == (low, low + width)


@given(points=st.integers(2, 30), low=st.integers(1, 500), width=st.integers(50, 5000), log=st.booleans())
def test_a_grid_of_a_range_begins_and_ends_at_its_ends(points: int, low: int, width: int, log: bool):
    values = Range(float(low), float(low + width), log=log, points=points).grid()
    assert (values[0], values[-1], len(values)) == (low, low + width, points)
    steps = [(math.log(b / a) if log else b - a) for a, b in itertools.pairwise(values)]  # type: ignore[operator]
    assert max(steps) - min(steps) < 1e-6


def test_steps_of_a_range_are_counted_from_its_low_end():
    assert Range("1 ms", "2 ms", step="0.25 ms").grid() == ["1 ms", "1.25 ms", "1.5 ms", "1.75 ms", "2 ms"]
    assert Range("1 ms", "2 ms", step="300 us").at(1.0) == "1.9 ms"
    assert Range(1, 9, step=4).grid() == [1, 5, 9]
    assert Range("1 ms", "1 s", log=True, points=4).grid() == ["1 ms", "10 ms", "100 ms", "1000 ms"]
    assert Range("16 packets", "64 packets", log=True, points=3).grid() == [
        "16 packets",
        "32 packets",
        "64 packets",
    ]


def test_a_grid_turns_its_last_axis_fastest():
    _, points = choose({"a": [1, 2], "b": ["x", "y"]}, "grid")
    assert points == [{"a": 1, "b": "x"}, {"a": 1, "b": "y"}, {"a": 2, "b": "x"}, {"a": 2, "b": "y"}]


def test_points_may_be_named_and_give_the_axes():
    axes, points = choose(None, [{"a": 1, "b": True}, {"b": False, "a": 1}])
    assert [(axis.path, axis.choices) for axis in axes] == [("a", (1,)), ("b", (True, False))]
    assert points[1] == {"a": 1, "b": False}


@pytest.mark.parametrize(
    ("axes", "sample", "message"),
    [
        ({}, "grid", "requires at least one axis"),
        ({"a": []}, "grid", "axis `a` has no values"),
        ({"a": "1 ms"}, "grid", "values must be a list"),
        ({"a": [1, 1]}, "grid", "got 1 twice"),
        ({"a": [object()]}, "grid", "values must be text, numbers, lists or tables"),
        ({"a": [math.nan]}, "grid", "values must be text, numbers, lists or tables"),
        ({"a": Range(0.0, 1.0)}, "grid", "axis `a`: Range(0.0, 1.0) is continuous: a grid requires `points` or `step`"),
        ({"a": range(1001), "b": range(1000)}, "grid", "at most 1,000,000 points"),
        ({"a": [1]}, "random", "got 'random'"),
        ({"a": [1]}, [{"a": 1}, {"b": 1}], "point 1 must set a, like all points, got b"),
        ({"a": [1]}, [], "the list of points must not be empty"),
    ],
)
def test_invalid_sweeps_are_refused(axes: object, sample: object, message: str):
    with pytest.raises(SweepError) as refused:
        choose(axes, sample)  # type: ignore[arg-type]
    assert message in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"low": 2, "high": 1}, "`low` must be below `high`"),
        ({"low": "1 ms", "high": "1 Mbit/s"}, "units of a range must have one dimension"),
        ({"low": "1 ms", "high": 5}, "units of a range must have one dimension"),
        ({"low": "fast", "high": 5}, "an end must be a number"),
        ({"low": 0.0, "high": 1.0, "log": True}, "must begin above 0"),
        ({"low": 1.0, "high": 2.0, "log": True, "step": 0.5}, "`log` and `step` cannot be combined"),
        ({"low": 1.0, "high": 2.0, "step": 0.0}, "`step` must be > 0"),
        ({"low": 1.0, "high": 2.0, "points": 1}, "`points` must be at least 2"),
        ({"low": 1.0, "high": math.inf}, "`low` must be below `high`"),
    ],
)
def test_an_invalid_range_is_refused(arguments: dict[str, object], message: str):
    with pytest.raises(SweepError) as refused:
        Range(**arguments)  # type: ignore[arg-type]
    assert message in str(refused.value)


def test_commas_in_brackets_and_quotes_separate_no_values():
    text = "1 ms, {kind='red', w=[1,2]},\"a,b\",[1, 2]"
    assert list(read_values(text)) == ["1 ms", "{kind='red', w=[1,2]}", '"a,b"', "[1, 2]"]


def test_classes_and_sample_agree():
    axes = {"a": [1, 2]}
    assert choose(axes, Grid()) == choose(axes, "grid")
    assert choose(axes, Points([{"a": 2}]))[1] == [{"a": 2}]


def test_packets_a_second_are_whole_and_steps_are_written_as_one_would():
    rates = LatinHypercube(20, 1).points(read_axes({"x": Range("100 packets/s", "900 packets/s")}))
    assert all(float(str(point["x"]).split()[0]).is_integer() for point in rates)
    assert Range(0.1, 0.5, step=0.1).grid() == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_named_points_are_not_compared_with_all_others():
    compared = 0

    class Counted(int):
        __hash__ = int.__hash__

        def __eq__(self, other: object) -> bool:
            nonlocal compared
            compared += 1
            return int(self) == other

    listed = [{"x": Counted(n), "y": [Counted(n), "a"]} for n in range(1000)]
    axes, points = choose(None, listed)
    assert len(points) == 1000 and [len(axis.choices) for axis in axes] == [1000] * 2
    assert compared < 20 * len(listed)


def test_named_points_may_come_from_numpy_and_set_what_is_run():
    np = pytest.importorskip("numpy")
    axes, points = choose(None, [{"x": np.int64(n), "y": np.float64(0.5)} for n in (3, 4)])
    assert points == [{"x": 3, "y": 0.5}, {"x": 4, "y": 0.5}]
    assert [axis.choices for axis in axes] == [(3, 4), (0.5,)]
    with pytest.raises(SweepError, match="axis `seeds`: this key is not part of a run"):
        choose(None, [{"seeds": 1}])
