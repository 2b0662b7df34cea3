//! What is known of one run, from stored tables.

use std::path::Path;

use jettison_core::{Duration, Time};
use jettison_measure::{Component, Status, Unit, UnitKind};

use super::column::Cell;
use super::events::stored_events;
use super::rows::Rows;
use super::schema;
use super::table::TableReader;
use crate::error::ReportError;
use crate::explain::{Account, Decision, Evidence, Part};
use crate::model::RunKey;

/// The events, accounts and decisions of a run; `None` if it recorded no accounts.
///
/// # Errors
/// If a table cannot be read.
pub fn stored_evidence(folder: &Path, key: &RunKey) -> Result<Option<Evidence>, ReportError> {
    if !folder.join(schema::ACCOUNTS.file()).exists() {
        return Ok(None);
    }
    let Some(mut events) = stored_events(folder)? else { return Ok(None) };
    let accounts = accounts(folder, key)?;
    if accounts.is_empty() {
        return Ok(None);
    }
    let decisions = decisions(folder, key)?;
    Ok(Some(Evidence::new(events.remove(key).unwrap_or_default(), accounts, decisions)))
}

fn is_of(rows: &Rows, row: usize, key: &RunKey) -> bool {
    rows.unsigned(1, row) == key.seed && rows.text(0, row) == key.variant
}

fn nanos(rows: &Rows, column: usize, row: usize) -> u64 {
    u64::try_from(rows.signed(column, row)).unwrap_or(0)
}

fn optional(rows: &Rows, column: usize, row: usize) -> Option<u64> {
    match rows.cell(column, row) {
        Cell::Optional(value) => value,
        _ => None,
    }
}

fn accounts(folder: &Path, key: &RunKey) -> Result<Vec<Account>, ReportError> {
    let mut accounts: Vec<Account> = Vec::new();
    for rows in TableReader::open(&schema::ACCOUNTS, folder)? {
        let rows = rows?;
        for row in (0..rows.len()).filter(|row| is_of(&rows, *row, key)) {
            let kind = UnitKind::from_name(rows.text(3, row));
            let status = Status::ALL.into_iter().find(|own| own.name() == rows.text(8, row));
            let component = Component::from_name(rows.text(10, row));
            let part = u32::try_from(rows.unsigned(5, row)).ok();
            // Names of later versions are skipped.
            let (Some(kind), Some(status), Some(component), Some(part)) = (kind, status, component, part)
            else {
                continue;
            };
            let (unit, start) =
                (Unit::new(kind, rows.unsigned(4, row), part), Time::from_nanos(nanos(&rows, 6, row)));
            let flow = rows.text(2, row);
            let own = Part {
                component,
                place: rows.text(11, row).to_owned(),
                duration: Duration::from_nanos(nanos(&rows, 12, row)),
                decision: optional(&rows, 13, row),
            };
            let is_same = |last: &&mut Account| (last.unit, last.start) == (unit, start) && last.flow == flow;
            match accounts.last_mut().filter(is_same) {
                Some(last) => last.parts.push(own),
                None => accounts.push(Account {
                    flow: flow.to_owned(),
                    unit,
                    start,
                    end: Time::from_nanos(nanos(&rows, 7, row)),
                    status,
                    reason: rows.text(9, row).to_owned(),
                    parts: vec![own],
                }),
            }
        }
    }
    Ok(accounts)
}

fn decisions(folder: &Path, key: &RunKey) -> Result<Vec<Decision>, ReportError> {
    let mut decisions = Vec::new();
    for rows in TableReader::open(&schema::DROPS, folder)? {
        let rows = rows?;
        for row in (0..rows.len()).filter(|row| is_of(&rows, *row, key)) {
            let outcome = rows.text(8, row);
            if outcome == "kept" || outcome == "unmarked" {
                continue;
            }
            let number = optional(&rows, 12, row);
            let part = optional(&rows, 13, row).and_then(|part| u32::try_from(part).ok());
            let kind = UnitKind::from_name(rows.text(11, row));
            decisions.push(Decision {
                id: rows.unsigned(7, row),
                at: Time::from_nanos(nanos(&rows, 2, row)),
                queue: rows.text(3, row).to_owned(),
                flow: rows.text(4, row).to_owned(),
                outcome: outcome.to_owned(),
                rule: rows.text(5, row).to_owned(),
                packet: optional(&rows, 9, row),
                unit: kind.zip(number).zip(part).map(|((kind, number), part)| Unit::new(kind, number, part)),
                waited: Duration::from_nanos(optional(&rows, 17, row).unwrap_or(0)),
                retransmission: optional(&rows, 15, row) == Some(1),
                backlog: optional(&rows, 18, row),
                holders: rows.text(20, row).to_owned(),
                gauges: rows.text(21, row).to_owned(),
            });
        }
    }
    Ok(decisions)
}
