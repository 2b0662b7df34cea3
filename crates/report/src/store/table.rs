//! Writing and reading one Parquet table.
//!
//! Rows are gathered into batches of a fixed size, so that the bytes of a file depend on its rows only and not on how
//! they were handed over. Text is dictionary-encoded and the Arrow schema is left out of the file: other programs see
//! plain strings.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::Compression;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::column::{Cell, Column, RowSink};
use super::schema::{MODE, TableSchema};
use crate::error::ReportError;

const BATCH_ROWS: usize = 8192;
const ROW_GROUP_ROWS: usize = 256 * 1024;

/// How files are opened for writing: another way in tests that simulate a full disk.
#[derive(Debug, Clone, Copy)]
pub(super) struct OpenFile(pub(super) fn(&Path) -> io::Result<File>);

/// A table being written.
pub(super) struct TableWriter {
    writer: ArrowWriter<File>,
    schema: SchemaRef,
    columns: Vec<Column>,
    rows: usize,
    shown_path: PathBuf,
}

impl TableWriter {
    /// Starts the table's file in `folder`. Messages name it in `shown`, where it will be in the end.
    pub(super) fn create(
        table: &TableSchema,
        folder: &Path,
        shown: &Path,
        open: OpenFile,
    ) -> Result<TableWriter, ReportError> {
        let shown_path = shown.join(table.file());
        let file = (open.0)(&folder.join(table.file())).map_err(ReportError::write(&shown_path))?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
            .set_created_by(concat!("jettison ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let options = ArrowWriterOptions::new().with_properties(properties).with_skip_arrow_metadata(true);
        let schema = table.arrow();
        let writer = ArrowWriter::try_new_with_options(file, schema.clone(), options)
            .map_err(|error| write_error(&shown_path, error))?;
        let columns = table.columns.iter().map(|(_, column)| Column::new(*column)).collect();
        Ok(TableWriter { writer, schema, columns, rows: 0, shown_path })
    }

    fn flush(&mut self) -> Result<(), ReportError> {
        self.rows = 0;
        let arrays = self.columns.iter_mut().map(Column::take).collect();
        let batch = RecordBatch::try_new(self.schema.clone(), arrays)
            .map_err(|error| ReportError::write(&self.shown_path)(io::Error::other(error)))?;
        self.writer.write(&batch).map_err(|error| write_error(&self.shown_path, error))
    }

    /// Writes what is left and the footer.
    pub(super) fn finish(mut self) -> Result<(), ReportError> {
        if self.rows > 0 {
            self.flush()?;
        }
        self.writer.close().map_err(|error| write_error(&self.shown_path, error))?;
        Ok(())
    }

    /// Appends all rows of another file of this table.
    pub(super) fn append(&mut self, table: &TableSchema, folder: &Path) -> Result<(), ReportError> {
        for rows in TableReader::open(table, folder)? {
            let rows = rows?;
            let mut cells = Vec::with_capacity(table.columns.len());
            for row in 0..rows.len() {
                cells.clear();
                cells.extend((0..table.columns.len()).map(|column| rows.cell(column, row)));
                self.row(&cells)?;
            }
        }
        Ok(())
    }
}

impl RowSink for TableWriter {
    fn row(&mut self, cells: &[Cell]) -> Result<(), ReportError> {
        debug_assert_eq!(cells.len(), self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            column.push(*cell);
        }
        self.rows += 1;
        if self.rows == BATCH_ROWS { self.flush() } else { Ok(()) }
    }
}

/// The rows of a table, batch by batch.
pub(super) struct TableReader {
    reader: ParquetRecordBatchReader,
    path: PathBuf,
}

impl TableReader {
    /// Opens the table's file in `folder` and checks its columns.
    pub(super) fn open(table: &TableSchema, folder: &Path) -> Result<TableReader, ReportError> {
        let path = folder.join(table.file());
        let file = File::open(&path).map_err(|error| ReportError::read(&path, error))?;
        let open = || {
            let found = ArrowReaderMetadata::load(&file, ArrowReaderOptions::new())?;
            let has_mode = found.schema().column_with_name(MODE).is_some();
            let schema = if has_mode { table.arrow() } else { table.without_mode().arrow() };
            let options = ArrowReaderOptions::new().with_schema(schema);
            let metadata = ArrowReaderMetadata::try_new(Arc::clone(found.metadata()), options)?;
            let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata);
            builder.with_batch_size(BATCH_ROWS).build()
        };
        let reader = open().map_err(|error: ParquetError| ReportError::read(&path, error))?;
        Ok(TableReader { reader, path })
    }
}

impl Iterator for TableReader {
    type Item = Result<Rows, ReportError>;
    fn next(&mut self) -> Option<Self::Item> {
        let batch = self.reader.next()?;
        Some(batch.map(|batch| Rows { batch }).map_err(|error| ReportError::read(&self.path, error)))
    }
}

/// A batch of rows.
pub(super) struct Rows {
    batch: RecordBatch,
}

impl Rows {
    /// Those of a batch whose columns are as [`TableSchema::arrow`] has them.
    pub(super) fn of(batch: RecordBatch) -> Rows {
        Rows { batch }
    }

    pub(super) fn len(&self) -> usize {
        self.batch.num_rows()
    }

    /// A value of any column.
    pub(super) fn cell(&self, column: usize, row: usize) -> Cell<'_> {
        let array = self.batch.column(column);
        match array.data_type() {
            DataType::UInt64 => Cell::Unsigned(array.as_primitive::<UInt64Type>().value(row)),
            DataType::Int64 => Cell::Signed(array.as_primitive::<Int64Type>().value(row)),
            DataType::Float64 => Cell::Float(self.float(column, row)),
            _ => Cell::Text(self.text(column, row)),
        }
    }

    /// Text of a dictionary column.
    pub(super) fn text(&self, column: usize, row: usize) -> &str {
        let dictionary = self.batch.column(column).as_dictionary::<Int32Type>();
        dictionary.key(row).map_or("", |key| dictionary.values().as_string::<i32>().value(key))
    }

    /// Whether two rows have the same text in a dictionary column.
    pub(super) fn same_text(&self, column: usize, a: usize, b: usize) -> bool {
        let dictionary = self.batch.column(column).as_dictionary::<Int32Type>();
        dictionary.key(a) == dictionary.key(b) || self.text(column, a) == self.text(column, b)
    }

    pub(super) fn unsigned(&self, column: usize, row: usize) -> u64 {
        self.batch.column(column).as_primitive::<UInt64Type>().value(row)
    }

    pub(super) fn signed(&self, column: usize, row: usize) -> i64 {
        self.batch.column(column).as_primitive::<Int64Type>().value(row)
    }

    pub(super) fn float(&self, column: usize, row: usize) -> Option<f64> {
        let array = self.batch.column(column).as_primitive::<Float64Type>();
        array.is_valid(row).then(|| array.value(row))
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
