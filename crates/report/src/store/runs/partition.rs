//! The summary values of one run as a Parquet file with a seal.
//!
//! Parquet has no checksum of a whole file. Its metadata are stored as they are, so a seal among them works as in JSON.

use crate::error::ReportError;
use crate::model::Mode;
use crate::store::schema;
use crate::store::seal::{self, BLANK};
use crate::store::table::TableWriter;
use crate::store::tables::write_runs;
use crate::summary::RunSummary;

/// Name of the seal among the metadata; the last of them.
const SEAL: &str = "jettison.seal";

/// What a partition says about its run, in the file's metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About<'a> {
    /// The run's key.
    pub key: &'a str,
    /// Git commit of the program, if known.
    pub commit: Option<&'a str>,
}

/// The summary values of the runs of one key, with the columns of `runs.parquet`.
///
/// # Errors
/// If the table cannot be written.
pub fn partition(about: &About<'_>, runs: &[RunSummary], mode: Mode) -> Result<Vec<u8>, ReportError> {
    let version = ("jettison.version", Some(env!("CARGO_PKG_VERSION")));
    let about =
        [version, ("jettison.commit", about.commit), ("jettison.key", Some(about.key)), (SEAL, Some(BLANK))];
    let about: Vec<(&str, &str)> = about.iter().filter_map(|(name, text)| Some((*name, (*text)?))).collect();
    let mut table = TableWriter::in_memory(&schema::RUNS, &about)?;
    write_runs(&mut table, runs, mode)?;
    let mut bytes = table.into_bytes()?;
    match place(&bytes) {
        Some(place) => seal::seal(&mut bytes, place),
        None => {
            return Err(ReportError::Table(
                "the metadata of a Parquet file are not where they were".to_owned(),
            ));
        }
    }
    Ok(bytes)
}

/// Whether the bytes of a partition are those that were written.
pub fn is_whole_partition(bytes: &[u8]) -> bool {
    place(bytes).is_some_and(|place| seal::is_intact(bytes, place))
}

/// The place of the seal: behind its name, and the type and length of a text in Thrift's compact protocol.
fn place(bytes: &[u8]) -> Option<usize> {
    let name = bytes.windows(SEAL.len()).rposition(|window| window == SEAL.as_bytes())?;
    let place = name + SEAL.len() + 2;
    (bytes.get(place - 2..place)? == [0x18, 0x40]).then_some(place)
}
