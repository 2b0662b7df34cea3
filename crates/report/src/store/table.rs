//! Writing and reading one Parquet table.
//!
//! Row groups have a fixed number of rows, so the bytes of a file depend only on its rows and not on the calls that
//! added them. Text is dictionary-encoded.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_input::file;
use parquet::basic::{Compression, LogicalType, Repetition, Type as PhysicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnDescriptor, Type};

use super::column::{Cell, Cells, Column, RowSink};
use super::rows::Rows;
use super::schema::{self, ColumnType, MODE, TableSchema};
use crate::error::ReportError;

/// Number of values converted at a time between memory and file.
const BATCH_ROWS: usize = 8192;

/// Opens files for writing; tests replace it to simulate a full disk.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenFile(pub(super) fn(&Path) -> io::Result<File>);

/// A table being written, to a file or to memory.
pub(super) struct TableWriter<W: Write + Send = File> {
    writer: SerializedFileWriter<W>,
    /// Rows that are not in a written row group yet.
    columns: Vec<Column>,
    rows: usize,
    /// Rows of a row group.
    group_rows: usize,
    shown_path: PathBuf,
}

impl TableWriter {
    /// Creates the table's file in `folder`. Messages name it in `shown`, its final folder.
    pub(super) fn create(
        table: &TableSchema,
        folder: &Path,
        shown: &Path,
        open: OpenFile,
    ) -> Result<TableWriter, ReportError> {
        let shown_path = shown.join(table.file());
        let file = (open.0)(&folder.join(table.file())).map_err(ReportError::write(&shown_path))?;
        TableWriter::to(file, table, shown_path, &[])
    }

    /// Writes the remaining rows and the footer.
    pub(super) fn finish(mut self) -> Result<(), ReportError> {
        self.flush_rest()?;
        self.writer.close().map_err(|error| write_error(&self.shown_path, error))?;
        Ok(())
    }
}

impl TableWriter<Vec<u8>> {
    /// Creates the table in memory, with these metadata.
    pub(super) fn in_memory(table: &TableSchema, about: &[(&str, &str)]) -> Result<Self, ReportError> {
        TableWriter::to(Vec::new(), table, PathBuf::from(table.file()), about)
    }

    /// Writes the remaining rows and the footer; returns the file's bytes.
    pub(super) fn into_bytes(mut self) -> Result<Vec<u8>, ReportError> {
        self.flush_rest()?;
        self.writer.into_inner().map_err(|error| write_error(&self.shown_path, error))
    }
}

impl<W: Write + Send> TableWriter<W> {
    fn to(
        sink: W,
        table: &TableSchema,
        shown_path: PathBuf,
        about: &[(&str, &str)],
    ) -> Result<Self, ReportError> {
        let about: Vec<KeyValue> =
            about.iter().map(|(name, text)| KeyValue::new((*name).to_owned(), (*text).to_owned())).collect();
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("jettison ", env!("CARGO_PKG_VERSION")).to_owned())
            .set_key_value_metadata((!about.is_empty()).then_some(about));
        // Text has its least and greatest value per row group alone: those per page would take a comparison a row.
        let properties = table
            .columns
            .iter()
            .filter(|(_, kind)| *kind == ColumnType::Text)
            .fold(properties, |properties, (name, _)| {
                properties.set_column_statistics_enabled((*name).into(), EnabledStatistics::Chunk)
            })
            .build();
        let writer = table
            .parquet()
            .and_then(|schema| SerializedFileWriter::new(sink, Arc::new(schema), Arc::new(properties)))
            .map_err(|error| write_error(&shown_path, error))?;
        let columns = table.columns.iter().map(|(_, column)| Column::new(*column)).collect();
        Ok(TableWriter { writer, columns, rows: 0, group_rows: table.group_rows(), shown_path })
    }

    fn flush_rest(&mut self) -> Result<(), ReportError> {
        if self.rows > 0 { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ReportError> {
        self.rows = 0;
        self.write_row_group().map_err(|error| write_error(&self.shown_path, error))
    }

    fn write_row_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        let mut columns = self.columns.iter_mut();
        while let (Some(mut writer), Some(column)) = (group.next_column()?, columns.next()) {
            column.write(&mut writer)?;
            writer.close()?;
            column.clear();
        }
        group.close().map(drop)
    }

    /// Appends all rows of another file with the same table.
    pub(super) fn append(&mut self, table: &TableSchema, folder: &Path) -> Result<(), ReportError> {
        for rows in TableReader::open(table, folder)? {
            let rows = rows?;
            let cells: Vec<Cells> = rows.columns().iter().map(Cells::Rows).collect();
            self.rows(rows.len(), &cells)?;
        }
        Ok(())
    }
}

impl<W: Write + Send> RowSink for TableWriter<W> {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError> {
        debug_assert_eq!(cells.len(), self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(*cell);
        }
        self.rows += 1;
        if self.rows == self.group_rows { self.flush() } else { Ok(()) }
    }

    fn rows(&mut self, count: usize, cells: &[Cells]) -> Result<(), ReportError> {
        debug_assert_eq!(cells.len(), self.columns.len());
        let mut done = 0;
        while done < count {
            let fits = (count - done).min(self.group_rows - self.rows);
            for (column, cells) in self.columns.iter_mut().zip(cells) {
                column.extend(*cells, done..done + fits);
            }
            done += fits;
            self.rows += fits;
            if self.rows == self.group_rows {
                self.flush()?;
            }
        }
        Ok(())
    }
}

/// Reader of a table, row group by row group.
pub(super) struct TableReader {
    reader: SerializedFileReader<File>,
    columns: &'static [(&'static str, ColumnType)],
    /// Index of the next row group.
    group: usize,
    path: PathBuf,
}

impl TableReader {
    /// Opens the table's file in `folder` and checks its columns.
    pub(super) fn open(table: &TableSchema, folder: &Path) -> Result<TableReader, ReportError> {
        let path = folder.join(table.file());
        let file = file::open(&path).map_err(|error| ReportError::read(&path, error))?;
        let reader = SerializedFileReader::new(file).map_err(|error| ReportError::read(&path, error))?;
        let found = reader.metadata().file_metadata().schema_descr().columns();
        let has = |name| found.iter().any(|column| column.name() == name);
        let is_old = table.name == schema::DROPS.name && !has("id");
        let table = if is_old { &schema::DROPS_WITHOUT_IDENTITIES } else { table };
        let table = if has(MODE) { *table } else { table.without_mode() };
        if found.len() != table.columns.len() {
            let message = format!("must have {} columns, got {}", table.columns.len(), found.len());
            return Err(ReportError::read(&path, message));
        }
        for ((name, kind), found) in table.columns.iter().zip(found) {
            check_column(name, *kind, found).map_err(|message| ReportError::read(&path, message))?;
        }
        Ok(TableReader { reader, columns: table.columns, group: 0, path })
    }

    /// Whether the table has a column of that name; older results may lack it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.columns.iter().any(|(own, _)| *own == name)
    }

    fn read_row_group(&self, group: usize) -> Result<Rows, ParquetError> {
        let group = self.reader.get_row_group(group)?;
        let rows = group.metadata().num_rows();
        let read = |(place, (name, kind)): (usize, &(&str, ColumnType))| {
            let column = Column::read(*kind, group.get_column_reader(place)?)?;
            match i64::try_from(column.len()) == Ok(rows) {
                true => Ok(column),
                false => Err(ParquetError::EOF(format!(
                    "column `{name}` must have {rows} values, got {}",
                    column.len()
                ))),
            }
        };
        let columns: Result<Vec<Column>, ParquetError> = self.columns.iter().enumerate().map(read).collect();
        columns.map(Rows::new)
    }
}

impl Iterator for TableReader {
    type Item = Result<Rows, ReportError>;
    fn next(&mut self) -> Option<Self::Item> {
        let groups = self.reader.metadata().num_row_groups();
        if self.group == groups {
            return None;
        }
        let rows = self.read_row_group(self.group);
        // Stop after a damaged row group.
        self.group = if rows.is_ok() { self.group + 1 } else { groups };
        Some(rows.map_err(|error| ReportError::read(&self.path, error)))
    }
}

impl TableSchema {
    /// Parquet's description of the type.
    fn parquet(&self) -> Result<Type, ParquetError> {
        let field = |(name, kind): &(&str, ColumnType)| {
            let logical = match kind {
                ColumnType::Text => Some(LogicalType::String),
                ColumnType::Unsigned | ColumnType::Optional => Some(LogicalType::integer(64, false)),
                ColumnType::Signed | ColumnType::Float => None,
            };
            let repetition = if kind.may_be_missing() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
            Type::primitive_type_builder(name, kind.physical())
                .with_repetition(repetition)
                .with_logical_type(logical)
                .build()
                .map(Arc::new)
        };
        let fields: Result<Vec<_>, ParquetError> = self.columns.iter().map(field).collect();
        Type::group_type_builder(self.name).with_fields(fields?).build()
    }
}

impl ColumnType {
    /// Whether a row may have no value.
    pub(super) fn may_be_missing(self) -> bool {
        matches!(self, ColumnType::Float | ColumnType::Optional)
    }

    fn physical(self) -> PhysicalType {
        match self {
            ColumnType::Text => PhysicalType::BYTE_ARRAY,
            ColumnType::Unsigned | ColumnType::Optional | ColumnType::Signed => PhysicalType::INT64,
            ColumnType::Float => PhysicalType::DOUBLE,
        }
    }
}

fn check_column(name: &str, kind: ColumnType, found: &ColumnDescriptor) -> Result<(), String> {
    let is_optional = found.max_def_level() > 0;
    let is_right = found.name() == name
        && found.physical_type() == kind.physical()
        && is_optional == kind.may_be_missing()
        && found.max_rep_level() == 0;
    if is_right {
        return Ok(());
    }
    let optional = |is_optional| if is_optional { "optional " } else { "" };
    Err(format!(
        "must have a column `{name}` of {}{}, got `{}` of {}{}",
        optional(kind.may_be_missing()),
        kind.physical(),
        found.name(),
        optional(is_optional),
        found.physical_type(),
    ))
}

impl Column {
    /// Writes all values.
    fn write(&self, writer: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        match self {
            Column::Text { names, keys } => {
                let names: Vec<ByteArray> =
                    names.iter().map(|name| ByteArray::from(name.clone().into_bytes())).collect();
                // Each name occurs in the row group.
                let by_bytes = |a: &&ByteArray, b: &&ByteArray| a.data().cmp(b.data());
                let (least, greatest) = (names.iter().min_by(by_bytes), names.iter().max_by(by_bytes));
                for keys in keys.chunks(BATCH_ROWS) {
                    let values: Vec<ByteArray> =
                        keys.iter().map(|key| names[*key as usize].clone()).collect();
                    writer
                        .typed::<ByteArrayType>()
                        .write_batch_with_statistics(&values, None, None, least, greatest, None)?;
                }
            }
            Column::Unsigned(values) => {
                for values in values.chunks(BATCH_ROWS) {
                    let values: Vec<i64> = values.iter().map(|value| value.cast_signed()).collect();
                    writer.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
            }
            Column::Optional(values) => {
                for values in values.chunks(BATCH_ROWS) {
                    let levels: Vec<i16> = values.iter().map(|value| i16::from(value.is_some())).collect();
                    let values: Vec<i64> = values.iter().flatten().map(|value| value.cast_signed()).collect();
                    writer.typed::<Int64Type>().write_batch(&values, Some(&levels), None)?;
                }
            }
            Column::Signed(values) => {
                writer.typed::<Int64Type>().write_batch(values, None, None)?;
            }
            Column::Float(values) => {
                for values in values.chunks(BATCH_ROWS) {
                    let levels: Vec<i16> = values.iter().map(|value| i16::from(!value.is_nan())).collect();
                    let values: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                    writer.typed::<DoubleType>().write_batch(&values, Some(&levels), None)?;
                }
            }
        }
        Ok(())
    }

    /// Reads all values.
    fn read(kind: ColumnType, reader: ColumnReader) -> Result<Column, ParquetError> {
        let mut column = Column::new(kind);
        match (&mut column, reader) {
            (Column::Text { .. }, ColumnReader::ByteArrayColumnReader(reader)) => {
                // Values of a dictionary's entry lie at one place, so that most are known without a look at their bytes.
                let mut last: Option<ByteArray> = None;
                each_batch(reader, |values, _| {
                    values.iter().try_for_each(|value| {
                        match &last {
                            Some(last) if std::ptr::eq(last.data(), value.data()) => column.repeat_last(),
                            _ => {
                                column.push(Cell::Text(value.as_utf8()?));
                                last = Some(value.clone());
                            }
                        }
                        Ok(())
                    })
                })?;
            }
            (Column::Unsigned(all), ColumnReader::Int64ColumnReader(reader)) => {
                each_batch(reader, |values, _| {
                    all.extend(values.iter().map(|value| value.cast_unsigned()));
                    Ok(())
                })?;
            }
            (Column::Optional(all), ColumnReader::Int64ColumnReader(reader)) => {
                each_batch(reader, |values, levels| {
                    let mut values = values.iter().map(|value| value.cast_unsigned());
                    all.extend(levels.iter().map(|level| if *level == 0 { None } else { values.next() }));
                    Ok(())
                })?;
            }
            (Column::Signed(all), ColumnReader::Int64ColumnReader(reader)) => {
                each_batch(reader, |values, _| {
                    all.extend_from_slice(values);
                    Ok(())
                })?;
            }
            (Column::Float(all), ColumnReader::DoubleColumnReader(reader)) => {
                each_batch(reader, |values, levels| {
                    let mut values = values.iter().copied();
                    all.extend(levels.iter().map(|level| match level {
                        0 => f64::NAN,
                        _ => values.next().unwrap_or(f64::NAN),
                    }));
                    Ok(())
                })?;
            }
            _ => {
                return Err(ParquetError::General(
                    "a column is of another type than the schema's".to_owned(),
                ));
            }
        }
        Ok(column)
    }
}

/// Passes all values of a column on in batches: the values present, and for each row whether its value is present (1)
/// or missing (0).
fn each_batch<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    mut take: impl FnMut(&[T::T], &[i16]) -> Result<(), ParquetError>,
) -> Result<(), ParquetError> {
    let (mut values, mut levels) = (Vec::new(), Vec::new());
    loop {
        values.clear();
        levels.clear();
        let (records, ..) = reader.read_records(BATCH_ROWS, Some(&mut levels), None, &mut values)?;
        if records == 0 {
            return Ok(());
        }
        take(&values, &levels)?;
    }
}

fn write_error(path: &Path, error: ParquetError) -> ReportError {
    let source = match error {
        ParquetError::External(error) => match error.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(error) => io::Error::other(error),
        },
        other => io::Error::other(other),
    };
    ReportError::write(path)(source)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: TableSchema = TableSchema {
        name: "table",
        columns: &[
            ("text", ColumnType::Text),
            ("unsigned", ColumnType::Unsigned),
            ("signed", ColumnType::Signed),
            ("float", ColumnType::Float),
            (MODE, ColumnType::Text),
        ],
    };

    fn create(table: &TableSchema, folder: &Path) -> TableWriter {
        let open = OpenFile(|path| File::create(path));
        TableWriter::create(table, folder, folder, open).expect("the folder is there")
    }

    /// A row whose values depend on its number.
    fn row(number: usize) -> [Cell<'static>; 5] {
        const TEXTS: [&str; 3] = ["", "é", "a longer text"];
        let float = (!number.is_multiple_of(7)).then_some(number as f64 / 3.0);
        [
            Cell::Text(TEXTS[number % 3]),
            Cell::Unsigned(u64::MAX - number as u64),
            Cell::Signed(5 - number as i64),
            Cell::Float(float),
            Cell::Text("sim"),
        ]
    }

    #[test]
    fn rows_of_several_row_groups_are_read_back() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let count = TABLE.group_rows() + BATCH_ROWS + 3;
        let mut writer = create(&TABLE, folder.path());
        (0..count).for_each(|number| writer.row(&row(number)).expect("there is room"));
        writer.finish().expect("there is room");
        let mut at = 0;
        for rows in TableReader::open(&TABLE, folder.path()).expect("it was written") {
            let rows = rows.expect("it is whole");
            for number in 0..rows.len() {
                let cells: Vec<Cell> = (0..5).map(|column| rows.cell(column, number)).collect();
                assert_eq!(cells, row(at + number));
            }
            at += rows.len();
        }
        assert_eq!(at, count);
    }

    #[test]
    fn integers_may_be_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let table = TableSchema {
            name: "table",
            columns: &[("number", ColumnType::Optional), (MODE, ColumnType::Text)],
        };
        let value = |number: u64| (!number.is_multiple_of(3)).then_some(u64::MAX - number);
        let mut writer = create(&table, folder.path());
        for number in 0..20_000 {
            let cells = [Cell::Optional(value(number)), Cell::Text("sim")];
            writer.row(&cells).expect("there is room");
        }
        writer.finish().expect("there is room");
        let mut reader = TableReader::open(&table, folder.path()).expect("it was written");
        let rows = reader.next().expect("there is a row group").expect("it is whole");
        assert!((0..20_000).all(|number| rows.optional(0, number) == value(number as u64)));
    }

    #[test]
    fn not_a_number_is_stored_as_missing() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut writer = create(&TABLE, folder.path());
        for value in [f64::NAN, f64::INFINITY, f64::MIN] {
            let [text, unsigned, signed, _, mode] = row(1);
            writer.row(&[text, unsigned, signed, Cell::Float(Some(value)), mode]).expect("there is room");
        }
        writer.finish().expect("there is room");
        let mut reader = TableReader::open(&TABLE, folder.path()).expect("it was written");
        let rows = reader.next().expect("there is a row group").expect("it is whole");
        let floats: Vec<Option<f64>> = (0..3).map(|number| rows.float(3, number)).collect();
        assert_eq!(floats, [None, None, Some(f64::MIN)]);
    }

    #[test]
    fn a_file_with_other_columns_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let refusal = |columns: &'static [(&'static str, ColumnType)]| {
            create(&TableSchema { name: "table", columns }, folder.path()).finish().expect("there is room");
            let error = TableReader::open(&TABLE, folder.path()).err().expect("it is refused");
            error.to_string()
        };
        let fewer = refusal(&[("text", ColumnType::Text)]);
        assert!(fewer.contains("table.parquet") && fewer.contains("must have 4 columns, got 1"), "{fewer}");
        let other = refusal(&[
            ("text", ColumnType::Text),
            ("unsigned", ColumnType::Unsigned),
            ("signed", ColumnType::Float),
            ("float", ColumnType::Float),
        ]);
        let wanted = "must have a column `signed` of INT64, got `signed` of optional DOUBLE";
        assert!(other.contains(wanted), "{other}");
    }

    #[test]
    fn a_file_with_damaged_values_is_read_or_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut writer = create(&TABLE, folder.path());
        (0..50).for_each(|number| writer.row(&row(number)).expect("there is room"));
        writer.finish().expect("there is room");
        let path = folder.path().join(TABLE.file());
        let whole = std::fs::read(&path).expect("it was written");
        // The length of the footer precedes the last four bytes.
        let end = whole.len() - 8;
        let footer = whole[end..].first_chunk::<4>().expect("there are eight bytes");
        let values = end - u32::from_le_bytes(*footer) as usize;
        let mut refused = 0;
        for place in 4..values {
            let mut bytes = whole.clone();
            bytes[place] ^= 0x55;
            std::fs::write(&path, &bytes).expect("there is room");
            let reader = TableReader::open(&TABLE, folder.path()).expect("the footer is whole");
            let results: Vec<Result<Rows, ReportError>> = reader.collect();
            refused += usize::from(results.iter().any(Result::is_err));
        }
        assert!(refused > values / 4, "{refused} of {values}");
    }
}
