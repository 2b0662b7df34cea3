"""Tables of results: Arrow tables, in memory or read from a folder on demand, column by column."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from jettison import _html
from jettison._arrow import pa, pc
from jettison.errors import unknown_name

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import xarray as xr

__all__ = ["About", "Reader", "Table"]

Reader = Callable[[Sequence[str]], Any]
"""Returns a :class:`pyarrow.Table` of the given columns."""

_ROWS_AT_ONCE = 4096
"""Number of rows that an iteration converts at once."""


@dataclass(frozen=True)
class About:
    """What is known of a table's result beyond its rows, for errors and views."""

    names: Mapping[str, Collection[object]] = field(default_factory=dict[str, Collection[object]])
    """By column, the values that runs may have. Values in the rows are known as well."""
    units: Mapping[str, str] = field(default_factory=dict[str, str])
    """Unit of each metric."""
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    """Labels of each variant by axis."""


class Table:
    """A table of results. Columns of a stored table are read on demand and then kept.

    Any library that supports Arrow takes it without copies: through the C stream interface (``polars.DataFrame(table)``,
    ``pyarrow.table(table)``) or the data frame interchange protocol. ``len(table)`` is the number of rows, and iteration gives
    the rows as dictionaries, so ``pandas.DataFrame(table)`` works as well; :meth:`to_pandas` is faster.

    ``table["value"]`` is a column (:class:`pyarrow.ChunkedArray`), ``table[3]`` a row, and ``table[10:20]`` a table of some rows.
    """

    __slots__ = ("_about", "_columns", "_first", "_read", "_rows", "_schema", "name")

    def __init__(
        self,
        name: str,
        schema: Any,
        rows: int,
        read: Reader,
        about: About | None = None,
        first: Callable[[int], Any] | None = None,
    ) -> None:
        self.name = name
        """Name of the table."""
        # As columns of a table in memory: files also say which have no nulls.
        self._schema = pa.schema([own.with_nullable(True) for own in schema])
        self._rows = rows
        self._read = read
        self._about = about or About()
        self._first = first
        self._columns: dict[str, Any] = {}

    @classmethod
    def of(cls, name: str, table: Any, about: About | None = None) -> Table:
        """Wraps a :class:`pyarrow.Table`."""
        made = cls(name, table.schema, table.num_rows, lambda _: table, about)
        made._columns = dict(zip(table.column_names, table.columns, strict=True))
        return made

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(self._schema.names)

    @property
    def column_names(self) -> list[str]:
        """Names of the columns, under the name that Arrow tables have for them."""
        return self.columns

    @property
    def num_rows(self) -> int:
        """Number of rows."""
        return self._rows

    @property
    def num_columns(self) -> int:
        """Number of columns."""
        return len(self._schema.names)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and number of columns."""
        return self.num_rows, self.num_columns

    @property
    def schema(self) -> Any:
        """Names and types of the columns, as a :class:`pyarrow.Schema`. It is known without reading the rows."""
        return self._schema

    @property
    def arrow(self) -> Any:
        """The complete table as a :class:`pyarrow.Table`."""
        return self.select(self._schema.names)

    def select(self, columns: Iterable[str]) -> Any:
        """Selects columns, as a :class:`pyarrow.Table`. Only these are read from a stored table.

        Raises:
            UnknownNameError: A column does not exist.
        """
        wanted = [self._column(column) for column in columns]
        if missing := [column for column in dict.fromkeys(wanted) if column not in self._columns]:
            table = self._read(missing)
            self._columns.update({column: table.column(column) for column in missing})
        return self._some_of(wanted)

    def _column(self, name: str) -> str:
        if name not in self._schema.names:
            raise unknown_name("column", name, self._schema.names, f"of `{self.name}`")
        return name

    def _some_of(self, columns: Sequence[str]) -> Any:
        """Selects columns; missing ones are read and not kept."""
        missing = [column for column in dict.fromkeys(columns) if column not in self._columns]
        read: Any = self._read(missing) if missing else None
        found = [self._columns[name] if name in self._columns else read.column(name) for name in columns]
        return (
            pa.table(found, schema=pa.schema([self._schema.field(name) for name in columns])) if found else pa.table({})
        )

    @overload
    def __getitem__(self, key: str) -> Any: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> Table: ...
    def __getitem__(self, key: str | int | slice) -> Any:
        if isinstance(key, str):
            return self.select([key]).column(0)
        places = range(self._rows)[key]  # raises an error if it is out of range
        if isinstance(places, int):
            return self.arrow.slice(places, 1).to_pylist()[0]
        if places.step == 1:
            return self.slice(places.start, len(places))
        return Table.of(self.name, self.arrow.take(pa.array(places, pa.int64())), self._about)

    def slice(self, offset: int = 0, length: int | None = None) -> Table:
        """Some consecutive rows, by default all from ``offset`` on."""
        if offset < 0:
            raise IndexError(f"`offset` must be at least 0, got {offset}")
        left = max(self._rows - offset, 0)
        rows = left if length is None else min(length, left)

        def read(names: Sequence[str]) -> Any:
            return self._some_of(names).slice(offset, rows)

        return Table(self.name, self._schema, rows, read, self._about)

    def head(self, rows: int = 5) -> Table:
        """The first rows. Of a stored table that was not read yet, little more than these are read."""
        unread = len(self._columns) < self.num_columns
        if self._first is not None and unread and 0 < rows < self._rows:
            return Table.of(self.name, self._first(rows), self._about)
        return self.slice(0, rows)

    def filter(self, **columns: object) -> Table:
        """Selects the rows in which each of these columns has the given value or one of the given values.

        For a stored table, only these columns are read now; others are read on demand, for the selected rows. A name that
        exists but has no rows, such as a metric that nothing recorded, gives an empty table.

        >>> result.queues.filter(object="bottleneck.forward", metric="sojourn")  # doctest: +SKIP

        Raises:
            UnknownNameError: A column does not exist, or no run can have the variant, seed, object, metric or reason.
            TypeError: A value has not the type of its column.
        """
        keep: Any = None
        for column, wanted in columns.items():
            values = self[column]
            several = isinstance(wanted, (list, tuple, set, frozenset, range))
            options: list[Any] = list(wanted) if several else [wanted]  # pyright: ignore[reportUnknownArgumentType]
            try:
                allowed = pa.array(options, _value_type(values.type))
            except (pa.ArrowException, OverflowError) as error:
                kind = _value_type(values.type)
                raise TypeError(
                    f"column `{column}` of `{self.name}` has values of type {kind}, got {wanted!r}"
                ) from error
            self._check_names(column, options, several)
            matches = pc.is_in(values, value_set=allowed)
            keep = matches if keep is None else pc.and_(keep, matches)
        if keep is None:
            return self
        rows = pc.sum(keep).as_py() or 0
        # Data read for the selected rows is not kept for the entire table.
        return Table(self.name, self._schema, rows, lambda names: self._some_of(names).filter(keep), self._about)

    def _check_names(self, column: str, wanted: Sequence[object], several: bool) -> None:
        """Refuses names that no run can have; of several seeds, such as a range, one must exist."""
        known = self._about.names.get(column)
        strange = [] if known is None else [name for name in wanted if name is not None and name not in known]
        if known is None or not strange or (several and column == "seed" and len(strange) < len(wanted)):
            return
        there = pc.unique(self[column]).to_pylist()
        if strange := [name for name in strange if name not in there]:
            raise unknown_name(column, strange[0], [*known, *(name for name in there if name not in known)])

    def wide(self, value: str | None = None) -> Table:
        """The same values with one column per metric, and one row per variant, seed, time and object, as far as they are columns.

        A part of a metric has its own column, such as ``drops.buffer-full``. The unit of a column is in the ``metadata`` of its
        field in :attr:`schema`. Columns that identify a row come first, and only ``mode`` is left out if all rows have the same.

        >>> result.runs.wide("p99").to_pandas().set_index(["variant", "seed", "object"])  # doctest: +SKIP

        Args:
            value: The column with the values: by default ``value`` for series and ``mean`` for summary values, which also have
                ``p50``, ``p95``, ``p99``, ``ci95_low``, ``ci95_high`` and ``n``.

        Raises:
            ValueError: The table has no column ``metric``, or several values for one place.
        """
        from jettison.views import wide

        return Table.of(self.name, wide(self, value)[0], self._about)

    def to_xarray(self, value: str | None = None) -> xr.Dataset:
        """The values as an :class:`xarray.Dataset`: a variable per metric over variant, seed, time (in seconds) and object.

        Labels of variants are further coordinates of ``variant``; units are attributes. See :meth:`wide` for ``value`` and
        parts. The data is dense: values that do not exist are NaN, so :meth:`filter` a large table first.

        Raises:
            ModuleNotFoundError: xarray is not installed.
            ValueError: The table has no column ``metric``, several values for one place, or too many empty places.
        """
        from jettison.views import dataset

        return dataset(self, value)

    def to_pandas(self, columns: Iterable[str] | None = None) -> pd.DataFrame:
        """The table, or some of its columns, as a pandas data frame; text is categorical."""
        return self._some(columns).to_pandas()

    def to_polars(self, columns: Iterable[str] | None = None) -> pl.DataFrame:
        """The table, or some of its columns, as a polars data frame; text is categorical."""
        import polars as pl

        return pl.DataFrame(self._some(columns))

    def to_arrow(self, columns: Iterable[str] | None = None) -> Any:
        """The table, or some of its columns, as a :class:`pyarrow.Table`."""
        return self._some(columns)

    def to_pylist(self) -> list[dict[str, Any]]:
        """The rows as dictionaries."""
        return self.arrow.to_pylist()

    def _some(self, columns: Iterable[str] | None) -> Any:
        return self.arrow if columns is None else self.select(columns)

    @property
    def about(self) -> About:
        """What is known of the table's result, for errors and views."""
        return self._about

    def described(self, about: About) -> Table:
        """This table with what is known of its result."""
        self._about = about
        return self

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self.arrow.to_batches(max_chunksize=_ROWS_AT_ONCE):
            yield from batch.to_pylist()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.arrow.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._schema.__arrow_c_schema__()

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        # A column of text in chunks of different dictionaries has no place in the protocol.
        return self.arrow.unify_dictionaries().__dataframe__(nan_as_null, allow_copy)

    def __reduce__(self) -> tuple[Any, ...]:
        return Table.of, (self.name, self.arrow, self._about)

    def __len__(self) -> int:
        return self._rows

    def __repr__(self) -> str:
        return f"<Table {self.name}: {self._rows} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        first = self.head(_html.ROWS).to_pylist()
        return _html.table(self.columns, [list(row.values()) for row in first], self._rows, caption=self.name)


def _value_type(column: Any) -> Any:
    """Type of a column's values; for a dictionary-encoded column, of the dictionary's values."""
    return column.value_type if pa.types.is_dictionary(column) else column
