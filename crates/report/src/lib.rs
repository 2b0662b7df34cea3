#![forbid(unsafe_code)]
//! Results on disk, tables, plots and the HTML page.
//!
//! An [`Experiment`] describes the runs. A [`Writer`] accepts the [`RunRecord`](jettison_measure::RunRecord) of each
//! completed run, in any order, and finally creates a folder atomically: Parquet tables, a summary, a manifest and
//! `report.html`. The bytes depend only on the experiment and its runs, not on the runs' order or duration (which is
//! in `timing.json`). [`Results::load`] reads such a folder, to print its table or to write its page again.
//!
//! This crate runs nothing and does not depend on scenarios: its input is plain data.

mod answer;
mod capture;
mod columns;
mod comparison;
mod difference;
mod error;
mod estimate;
pub mod explain;
mod flent;
mod groups;
pub mod html;
mod load;
mod matrix;
mod matrix_layout;
mod matrix_table;
mod model;
mod number;
mod pcapng;
mod reproduction;
mod reproduction_table;
mod samples;
mod side_by_side;
mod side_by_side_table;
mod store;
mod style;
mod summary;
mod table;
mod viewers;
mod warning;

#[cfg(test)]
mod testing;

pub use answer::{Answer, AnswerRecord, FeltMetric, answer, felt_metrics};
pub use capture::{CaptureError, CapturedFrame, read_capture};
pub use columns::{Column, ColumnValue, Statistic, bottleneck, comparison_columns};
pub use difference::{Difference, DifferenceRecord, differences};
pub use error::ReportError;
pub use estimate::Estimate;
pub use flent::{FlentError, FlentResults};
pub use groups::{FlowGroup, GroupRecord, flow_groups};
pub use model::{
    Combine, Experiment, Failure, FailureEntry, Figure, FileHash, HostSettings, Input, LiveEntry, LiveFacts,
    Manifest, Mode, ReportColumn, ReportSettings, RunEntry, RunKey, RunTiming, Status, ThreadLateness,
    Timeliness, Timing, Variant, View, names_object,
};
pub use number::{plain as plain_number, signed as signed_number};
pub use pcapng::PortCapture;
pub use reproduction::{ClaimRecord, Counts, ReproductionRecord, ReproductionRow, Sentence, Tagged, Verdict};
pub use reproduction_table::{claims_table, reproduction_table, verdicts_legend};
pub use side_by_side::{
    Mismatch, OneSided, PairDifference, PairPercentile, PairRow, PercentileRecord, Side, SideBySide,
    SideRecord,
};
pub use side_by_side_table::side_by_side_table;
pub use store::{
    About, CaptureFolder, Captures, Claim, ClaimedFolder, Closing, DropRow, Fault, FaultKind, Results,
    RunStore, SCENARIO, Search, SeriesRun, StoredCapture, StoredRun, Verification, Writer, WriterOptions,
    capture_port, check, is_whole_partition, partition, store_beside, stored_events, stored_evidence,
    stored_manifest, stored_timing, verify,
};
#[cfg(feature = "arrow")]
pub use store::{MemoryResults, MemoryWriter, partition_of, summarise};
pub use style::{Line, SCHEME_AXES, Style};
pub use summary::{RunSummary, RunValue, Summary, SummaryRecord, SummaryRow};
pub use table::{Fitted, TableOptions, comparison_table, small_table, wrapped, wrapped_line};
pub use warning::{Warning, WarningRecord};
