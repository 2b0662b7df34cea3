//! Drops and marks from stored results.

use std::path::Path;

use super::Results;
use super::rows::Rows;
use super::schema;
use super::table::TableReader;
use crate::error::ReportError;
use crate::model::RunKey;

/// A row of the table `drops`.
#[derive(Debug, Clone, PartialEq)]
pub struct DropRow {
    /// Number of the drop or mark within the run.
    pub id: u64,
    /// Time in the run, in ns.
    pub time_ns: u64,
    /// Name of the queue; empty outside of queues.
    pub queue: String,
    /// Name of the flow; empty outside of the scenario's flows.
    pub flow: String,
    /// `drop`, `eviction`, `mark`, `kept` or `unmarked`.
    pub outcome: String,
    /// Name of the rule.
    pub reason: String,
    /// IP length in bytes.
    pub length: u64,
    /// Id of the packet within the run; without it the run recorded no identities, and all below is missing.
    pub packet: Option<u64>,
    /// `clone`, `recirculated`, …; empty for a normal packet.
    pub instance: String,
    /// Kind, number and part of the unit of its first byte.
    pub unit: Option<(String, u64, u64)>,
    /// Place of its first byte, in the stream or in the unit.
    pub offset: Option<u64>,
    /// Whether its bytes had been sent before.
    pub retransmission: Option<bool>,
    /// Id of the packet that had carried them.
    pub previous: Option<u64>,
    /// Time that it had waited in the queue, in ns; none if it was arriving.
    pub waited_ns: Option<u64>,
    /// Packets and bytes that wait in the queue.
    pub backlog: Option<(u64, u64)>,
    /// Flows with packets in the queue, and how many; those with most packets first.
    pub holders: Vec<(String, u64)>,
    /// Gauges of the queue's discipline, as `name` or `name[part]`.
    pub gauges: Vec<(String, f64)>,
}

impl Results {
    /// Passes the drops and marks of a run to `take`, in the order of their numbers.
    ///
    /// # Errors
    /// If the table cannot be read, or the results are of a version that did not record what packets carry.
    pub fn drops(&self, run: &RunKey, mut take: impl FnMut(DropRow)) -> Result<(), ReportError> {
        each_drop(
            &self.folder,
            |variant, seed| variant == run.variant && seed == run.seed,
            |_, row| take(row),
        )
    }
}

/// Passes the drops and marks of chosen runs to `take`, with their runs.
pub(crate) fn each_drop(
    folder: &Path,
    is_chosen: impl Fn(&str, u64) -> bool,
    mut take: impl FnMut(RunKey, DropRow),
) -> Result<(), ReportError> {
    let reader = TableReader::open(&schema::DROPS, folder)?;
    if !reader.has("id") {
        let message = "must have a column `id`: results of this version do not say what packets carried";
        return Err(ReportError::read(&folder.join(schema::DROPS.file()), message));
    }
    for rows in reader {
        let rows = rows?;
        for row in 0..rows.len() {
            let (variant, seed) = (rows.text(0, row), rows.unsigned(1, row));
            if is_chosen(variant, seed) {
                take(RunKey { variant: variant.to_owned(), seed }, drop_row(&rows, row));
            }
        }
    }
    Ok(())
}

/// A row, by the columns of [`schema::DROPS`].
fn drop_row(rows: &Rows, row: usize) -> DropRow {
    let text = |column| rows.text(column, row).to_owned();
    let number = |column| rows.optional(column, row);
    let unit = number(12).zip(number(13)).map(|(number, part)| (text(11), number, part));
    DropRow {
        time_ns: rows.signed(2, row).cast_unsigned(),
        queue: text(3),
        flow: text(4),
        reason: text(5),
        length: rows.unsigned(6, row),
        id: rows.unsigned(7, row),
        outcome: text(8),
        packet: number(9),
        instance: text(10),
        unit,
        offset: number(14),
        retransmission: number(15).map(|value| value != 0),
        previous: number(16),
        waited_ns: number(17),
        backlog: number(18).zip(number(19)),
        holders: pairs(rows.text(20, row), ", ", ' '),
        gauges: pairs(rows.text(21, row), " ", '='),
    }
}

/// Names with their values, from text.
fn pairs<T: std::str::FromStr>(text: &str, between: &str, before_value: char) -> Vec<(String, T)> {
    let pair = |pair: &str| {
        let (name, value) = pair.rsplit_once(before_value)?;
        Some((name.to_owned(), value.parse().ok()?))
    };
    text.split(between).filter_map(pair).collect()
}
