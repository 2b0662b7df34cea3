//! Results on disk, as a folder that is created atomically.

#[cfg(feature = "arrow")]
mod arrow;
mod claim;
mod column;
#[cfg(feature = "arrow")]
mod conversion;
mod folder;
mod folder_name;
mod gathered;
mod logs;
#[cfg(feature = "arrow")]
mod memory;
mod reader;
mod rows;
mod schema;
mod series;
#[cfg(feature = "arrow")]
mod summarise;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod writer;

pub use claim::{Claim, ClaimedFolder};
#[cfg(feature = "arrow")]
pub use memory::{MemoryResults, MemoryWriter};
pub use reader::Results;
#[cfg(feature = "arrow")]
pub use summarise::summarise;
pub use writer::{Captures, Closing, Writer, WriterOptions};

pub(crate) use folder::write_atomically;
pub(crate) use logs::stored_logs;
pub(crate) use series::{SeriesRun, read_distributions, read_series};
