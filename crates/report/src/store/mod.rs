//! Results on disk: a folder that appears whole or not at all.

mod claim;
mod folder;
mod logs;
mod reader;
mod schema;
mod series;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use claim::{ClaimedFolder, Mates};
pub use reader::Results;
pub use writer::{Captures, Closing, Writer, WriterOptions};

pub(crate) use folder::write_atomically;
pub(crate) use logs::stored_logs;
pub(crate) use series::{SeriesRun, read_distributions, read_series};
