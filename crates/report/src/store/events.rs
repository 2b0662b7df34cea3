//! Viewers' events from stored tables.

use std::collections::BTreeMap;
use std::path::Path;

use jettison_core::{Duration, Time};
use jettison_measure::{EventKind, Unit, UnitKind};

use super::rows::Rows;
use super::schema;
use super::table::TableReader;
use crate::error::ReportError;
use crate::explain::Event;
use crate::model::RunKey;

/// The events of all runs in a folder of results; `None` if its runs did not record any.
///
/// # Errors
/// If the table cannot be read.
pub fn stored_events(folder: &Path) -> Result<Option<BTreeMap<RunKey, Vec<Event>>>, ReportError> {
    // Results of earlier versions have no such file.
    if !folder.join(schema::EVENTS.file()).exists() {
        return Ok(None);
    }
    let mut events: BTreeMap<RunKey, Vec<Event>> = BTreeMap::new();
    for rows in TableReader::open(&schema::EVENTS, folder)? {
        let rows = rows?;
        for row in 0..rows.len() {
            let key = RunKey { variant: rows.text(0, row).to_owned(), seed: rows.unsigned(1, row) };
            if let Some(event) = event_of(&rows, row) {
                events.entry(key).or_default().push(event);
            }
        }
    }
    Ok(Some(events))
}

fn event_of(rows: &Rows, row: usize) -> Option<Event> {
    let time = |column| Time::from_nanos(u64::try_from(rows.signed(column, row)).unwrap_or(0));
    let part = u32::try_from(rows.unsigned(11, row)).ok()?;
    Some(Event {
        id: rows.unsigned(3, row),
        flow: rows.text(2, row).to_owned(),
        kind: EventKind::from_name(rows.text(4, row))?,
        since: time(5),
        at: time(6),
        duration: Duration::from_nanos(u64::try_from(rows.signed(7, row)).unwrap_or(0)),
        cost: rows.float(8, row).unwrap_or(0.0),
        unit: UnitKind::from_name(rows.text(9, row))
            .map(|kind| Unit::new(kind, rows.unsigned(10, row), part)),
    })
}
