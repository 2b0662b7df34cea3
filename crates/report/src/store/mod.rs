//! Results on disk: a folder that appears whole or not at all.

mod folder;
mod reader;
mod schema;
mod series;
mod table;
#[cfg(test)]
mod tests;
mod writer;

pub use reader::Results;
pub use writer::{Captures, Closing, Writer, WriterOptions};

pub(crate) use series::{SeriesRun, read_distributions, read_series};
