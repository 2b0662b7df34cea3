//! Reproductions: a paper's figures beside ours.
//!
//! A paper's experiment is a scenario with the paper's figures beside it (`<experiment>.paper.toml`). [`rows`] reads
//! our values from a run's summary and sets each beside the paper's. Nothing here changes a model: a difference gets
//! the verdict that it has, and the note that says why.

mod library;
mod paper;
mod verdict;

pub use library::{Experiment, Library, LibraryError};
pub use paper::{Paper, PaperError, Pick, Row};
pub use verdict::rows;
