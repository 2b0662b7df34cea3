"""Conversion of rows of tables to numpy arrays, with a single pass for selection and grouping.

A sweep has thousands of variants, so their rows are never searched one variant after another: :func:`grouped` makes one
pass over a table and returns a dictionary.
"""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyarrow has no type information.
from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeAlias, cast

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from .source import Table, Wanted

__all__ = ["Rows", "columns", "distinct", "grouped"]

#: Columns of some rows, each of shape (rows,).
Rows: TypeAlias = dict[str, NDArray[Any]]


def columns(table: Table, names: Sequence[str], **equal: Wanted) -> Rows:
    """Columns of the rows in which others have the given values."""
    arrow = _select(table, names, equal)
    return {name: _numpy(arrow.column(name)) for name in arrow.column_names}


def grouped(table: Table, by: Sequence[str], names: Sequence[str], **equal: Wanted) -> dict[tuple[Any, ...], Rows]:
    """Columns of the rows in which others have the given values, grouped by the columns `by`.

    Rows of a group keep their order. The table is read in one pass, however many groups there are.
    """
    arrow = _select(table, [*by, *names], equal)
    if not arrow.num_rows:
        return {}
    key = np.zeros(arrow.num_rows, dtype=np.int64)
    known: list[list[Any]] = []
    for name in by:
        codes, values = _coded(arrow.column(name))
        key = key * len(values) + codes
        known.append(values)
    order = np.argsort(key, kind="stable")
    key = key[order]
    sorted_rows = {name: _numpy(arrow.column(name))[order] for name in dict.fromkeys(names)}
    edges = np.concatenate([[0], np.flatnonzero(np.diff(key)) + 1, [len(key)]]).tolist()
    found: dict[tuple[Any, ...], Rows] = {}
    for begin, end in pairwise(edges):
        code, own = int(key[begin]), list[Any]()
        for values in reversed(known):
            code, place = divmod(code, len(values))
            own.append(values[place])
        found[tuple(reversed(own))] = {name: of[begin:end] for name, of in sorted_rows.items()}
    return found


def distinct(table: Table, names: Sequence[str]) -> set[tuple[str, ...]]:
    """The distinct combinations of values in these columns."""
    arrow = table.select(names).unify_dictionaries()
    groups = arrow.group_by(list(names)).aggregate([])
    return set(zip(*(cast(list[str], groups.column(name).to_pylist()) for name in names), strict=True))


def _select(table: Table, names: Sequence[str], equal: dict[str, Wanted]) -> Any:
    """The columns of these rows, as an Arrow table of few chunks: a sweep's tables have one per run."""
    wanted = list(dict.fromkeys(names))
    arrow = (table.filter(**equal) if equal else table).select(wanted)
    return arrow.unify_dictionaries().combine_chunks()


def _numpy(column: Any) -> NDArray[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return cast(NDArray[Any], column.to_numpy(zero_copy_only=False))


def _coded(column: Any) -> tuple[NDArray[np.int64], list[Any]]:
    """For each row the index of its value in the distinct values, and these values."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    array = coded.unify_dictionaries().combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0)
    return array.indices.to_numpy(zero_copy_only=False).astype(np.int64), array.dictionary.to_pylist()
