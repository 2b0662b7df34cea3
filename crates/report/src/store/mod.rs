//! Results on disk: a folder that appears whole or not at all.

mod claim;
mod column;
mod conversion;
mod folder;
mod gathered;
mod logs;
mod memory;
mod reader;
mod schema;
mod series;
mod summarise;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use claim::{ClaimedFolder, Mates};
pub use memory::{MemoryResults, MemoryWriter};
pub use reader::Results;
pub use summarise::summarise;
pub use writer::{Captures, Closing, Writer, WriterOptions};

pub(crate) use folder::write_atomically;
pub(crate) use logs::stored_logs;
pub(crate) use series::{SeriesRun, read_distributions, read_series};
