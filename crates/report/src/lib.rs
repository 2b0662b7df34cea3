#![forbid(unsafe_code)]
//! Results on disk, tables, plots and the HTML page.
//!
//! An [`Experiment`] says what is run. A [`Writer`] takes the [`RunRecord`](jettison_measure::RunRecord) of each run as
//! it finishes, in any order, and in the end puts a folder in place, all at once: Parquet tables, a summary, a manifest
//! and `report.html`. The bytes depend on the experiment and its runs only, not on the order in which runs finished or
//! on the time they took (that is in `timing.json`). [`Results::load`] reads such a folder back, to print its table or
//! to make its page again.
//!
//! Nothing here runs anything, and nothing here knows scenarios: what it is given is plain data.

mod columns;
mod error;
pub mod html;
mod matrix;
mod matrix_layout;
mod matrix_table;
mod model;
mod number;
mod pcapng;
mod reproduction;
mod side_by_side;
mod side_by_side_table;
mod store;
mod style;
mod summary;
mod table;
mod viewers;

#[cfg(test)]
mod testing;

pub use columns::{Column, ColumnValue, Statistic, bottleneck, comparison_columns};
pub use error::ReportError;
pub use model::{
    Combine, Experiment, Failure, FailureEntry, Figure, Input, LiveEntry, LiveFacts, Manifest, Mode,
    RunEntry, RunKey, RunTiming, Status, Timing, Variant, View, names_object,
};
pub use pcapng::PortCapture;
pub use reproduction::{ReproductionRow, Verdict};
pub use side_by_side::{OneSided, PairRow, Side, SideBySide, SideRecord, Warning};
pub use side_by_side_table::side_by_side_table;
pub use store::{Captures, ClaimedFolder, Closing, Mates, Results, Writer, WriterOptions};
#[cfg(feature = "arrow")]
pub use store::{MemoryResults, MemoryWriter, summarise};
pub use style::{Line, SCHEME_AXES, Style};
pub use summary::{Estimate, RunSummary, RunValue, Summary, SummaryRecord, SummaryRow};
pub use table::{comparison_table, reproduction_table};
