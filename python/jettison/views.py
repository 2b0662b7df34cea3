"""Wide and multidimensional views of tables with one row per value."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jettison._arrow import pa, pc

if TYPE_CHECKING:
    import xarray as xr

    from jettison.table import Table

__all__ = ["dataset", "wide"]

_VALUES = ("value", "mean", "percent", "p50", "p95", "p99", "ci95_low", "ci95_high", "n")
"""Columns with values."""
_NAMES = ("metric", "part", "unit")
"""Columns that say what a value is."""
_DENSEST = 50_000_000
"""Number of places of a dense array from which on mostly empty ones are refused: 400 MB."""


def wide(table: Table, value: str | None = None) -> tuple[Any, list[str]]:
    """See :meth:`jettison.Table.wide`; also the names of the columns that identify a row."""
    values = _values(table, value)
    index = [name for name in table.columns if name not in (*_VALUES, *_NAMES)]
    has_part = "part" in table.columns
    of = table.select([*index, "metric", *(["part"] if has_part else []), values]).unify_dictionaries().combine_chunks()
    index = [name for name in index if name != "mode" or len(pc.unique(of["mode"])) > 1]
    keys, places = _keys(of, index)
    metrics = _names(of, has_part)
    columns: dict[str, Any] = {name: of[name].take(places) for name in index}
    fields = [of.schema.field(name) for name in index]
    found = pc.unique(keys)
    order = pa.array(range(len(metrics)), pa.int64())
    for name in pc.unique(metrics).to_pylist():
        here = order.filter(pc.equal(metrics, name))
        own = keys.take(here)
        if len(pc.unique(own)) < len(own):
            raise ValueError(f"`{name}` of `{table.name}` has several values for one row; `filter` the table first")
        column = of[values].take(here).take(pc.index_in(found, value_set=own))
        unit = table.about.units.get(name.partition(".")[0], "") if values != "n" else ""
        label = name if name not in columns else f"{name} (metric)"
        columns[label] = column
        fields.append(pa.field(label, column.type, metadata={"unit": unit} if unit else None))
    made = pa.table(list(columns.values()), schema=pa.schema(fields))
    return _sorted(made, index), index


def _values(table: Table, value: str | None) -> str:
    """The column with the values."""
    if "metric" not in table.columns or not any(name in table.columns for name in ("value", "mean")):
        raise ValueError(
            f"`{table.name}` has no values by metric; use `to_pandas()` or `to_polars()`, or a table such as `queues`, "
            "`flows`, `runs` or `summary`"
        )
    if value is None:
        return next(name for name in ("value", "mean") if name in table.columns)
    known = [name for name in table.columns if name in _VALUES]
    if value not in known:
        from jettison.errors import unknown_name

        raise unknown_name("column of values", value, known, f"of `{table.name}`")
    return value


def _keys(of: Any, index: Sequence[str]) -> tuple[Any, Any]:
    """A number for each row, equal for rows with equal values of the index; and the first row with each number."""
    keys = pa.array([0] * of.num_rows, pa.int64())
    for name in index:
        codes = _codes(of[name])
        count = (pc.max(codes).as_py() or 0) + 1
        # Encode again after each column, so that the product never overflows.
        keys = _codes(pc.add(pc.multiply(keys, count), codes))
    first = pc.index_in(pc.unique(keys), value_set=keys)
    return keys, first


def _codes(column: Any) -> Any:
    """The places of a column's values among its distinct values, without null."""
    array = _whole(column)
    if not pa.types.is_dictionary(array.type):
        array = pc.dictionary_encode(array, null_encoding="encode")
    return pc.fill_null(array.indices.cast(pa.int64()), len(array.dictionary))


def _whole(column: Any) -> Any:
    """A column as one array."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):
        return whole.chunk(0) if whole.num_chunks else pa.array([], whole.type)
    return whole


def _names(of: Any, has_part: bool) -> Any:
    """The name of each row's column: ``drops``, or ``drops.buffer-full`` with its part."""
    metric = _whole(of["metric"].cast(pa.string()))
    if not has_part:
        return metric
    part = pc.fill_null(_whole(of["part"].cast(pa.string())), "")
    return pc.if_else(pc.equal(part, ""), metric, pc.binary_join_element_wise(metric, part, "."))


def _sorted(made: Any, index: Sequence[str]) -> Any:
    """Sorts the rows: text in its order of appearance, numbers by value."""
    ranks = {name: _rank(made[name]) for name in index}
    # One object after another, each in the order of time.
    last = [name for name in index if name in ("time_ns", "frame")]
    by = [name for name in index if name not in last] + last
    if not by or not made.num_rows:
        return made
    order = pc.sort_indices(pa.table(ranks), sort_keys=[(name, "ascending") for name in by])
    return made.take(order)


def _rank(column: Any) -> Any:
    is_text = pa.types.is_dictionary(column.type) or pa.types.is_string(column.type)
    return _whole(pc.dictionary_encode(column.cast(pa.string()))).indices if is_text else _whole(column)


def dataset(table: Table, value: str | None = None) -> xr.Dataset:
    """See :meth:`jettison.Table.to_xarray`."""
    try:
        import numpy as np
        import xarray as xr
    except ModuleNotFoundError as missing:
        raise ModuleNotFoundError(
            f"`to_xarray` requires {missing.name}: pip install 'jettison[xarray]'", name=missing.name
        ) from None
    made, index = wide(table, value)
    sizes: list[int] = []
    codes: list[Any] = []
    coordinates: dict[str, Any] = {}
    for name in index:
        distinct = pc.unique(made[name])
        if not pa.types.is_dictionary(distinct.type) and not pa.types.is_string(distinct.type):
            distinct = distinct.take(pc.sort_indices(distinct))
        plain = distinct.cast(pa.string()) if pa.types.is_dictionary(distinct.type) else distinct
        own = made[name].cast(plain.type)
        codes.append(pc.index_in(own, value_set=plain).to_numpy())
        sizes.append(len(plain))
        is_time = name == "time_ns"
        values = plain.to_numpy(zero_copy_only=False)
        if is_time:
            coordinates["time"] = ("time", values / 1e9, {"units": "s", "long_name": "time since the start of the run"})
        else:
            coordinates[name] = (name, values.astype(str) if values.dtype == object else values)
    places = math.prod(sizes)
    if places > _DENSEST and places > 10 * made.num_rows:
        shape = ", ".join(f"{size:,} {name}" for size, name in zip(sizes, index, strict=True))
        raise ValueError(f"`{table.name}` would be mostly empty with {shape}; `filter` it first, or use `wide()`")
    dims = ["time" if name == "time_ns" else name for name in index]
    variables: dict[str, Any] = {}
    for name in made.column_names[len(index) :]:
        dense = np.full(sizes, np.nan)
        dense[tuple(codes)] = made[name].cast(pa.float64()).to_numpy()
        metadata: dict[bytes, bytes] = made.schema.field(name).metadata or {}
        unit = metadata.get(b"unit", b"").decode()
        variables[name] = (dims, dense, {"units": unit} if unit else {})
    for axis in dict.fromkeys(axis for of in table.about.labels.values() for axis in of):
        if "variant" in coordinates and axis not in (*coordinates, *variables):
            own = [table.about.labels.get(variant, {}).get(axis, "") for variant in coordinates["variant"][1]]
            coordinates[axis] = ("variant", own)
    return xr.Dataset(variables, coordinates, {"table": table.name})
