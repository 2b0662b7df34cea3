//! Results on disk, as a folder that is created atomically.

#[cfg(feature = "arrow")]
mod arrow;
mod claim;
mod column;
#[cfg(feature = "arrow")]
mod conversion;
mod drops;
mod events;
mod evidence;
mod folder;
mod folder_name;
mod gathered;
mod hashes;
mod logs;
#[cfg(feature = "arrow")]
mod memory;
mod reader;
mod rows;
mod runs;
mod schema;
mod seal;
mod series;
#[cfg(feature = "arrow")]
mod summarise;
mod table;
mod tables;
#[cfg(test)]
mod tests;
mod verify;
mod writer;

pub use claim::{Claim, ClaimedFolder};
pub use drops::DropRow;
pub use events::stored_events;
pub use evidence::stored_evidence;
pub use folder::store_beside;
#[cfg(feature = "arrow")]
pub use memory::{MemoryResults, MemoryWriter};
pub use reader::{Results, check, stored_manifest, stored_timing};
pub use runs::{
    About, CaptureFolder, RunStore, Search, StoredCapture, StoredRun, is_whole_partition, partition,
};
#[cfg(feature = "arrow")]
pub use summarise::{partition_of, summarise};
pub use verify::{Fault, FaultKind, Verification, verify};
pub use writer::{Captures, Closing, SCENARIO, Writer, WriterOptions, capture_port};

pub(crate) use folder::write_atomically;
pub(crate) use logs::stored_logs;
pub use series::SeriesRun;
pub(crate) use series::{read_distributions, read_series};
