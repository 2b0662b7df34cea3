//! Names and columns of the tables.

/// Type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnType {
    /// Dictionary-encoded text.
    Text,
    /// Unsigned integers.
    Unsigned,
    /// Unsigned integers, which may be missing.
    Optional,
    /// Signed integers: times, which other programs map to their own time types.
    Signed,
    /// Floating-point numbers, which may be missing.
    Float,
}

/// A table in the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TableSchema {
    /// Name; the file is `<name>.parquet`.
    pub(super) name: &'static str,
    /// Names and types of the columns.
    pub(super) columns: &'static [(&'static str, ColumnType)],
}

use ColumnType::{Float, Optional, Signed, Text, Unsigned};

/// The last column of every table: the execution mode. Tables of older results do not have it.
pub(super) const MODE: &str = "mode";

const SERIES: &[(&str, ColumnType)] = &[
    ("variant", Text),
    ("seed", Unsigned),
    ("time_ns", Signed),
    ("object", Text),
    ("metric", Text),
    ("part", Text),
    ("value", Float),
    (MODE, Text),
];

/// Series of queues.
pub(super) const QUEUES: TableSchema = TableSchema { name: "queues", columns: SERIES };
/// Series of flows.
pub(super) const FLOWS: TableSchema = TableSchema { name: "flows", columns: SERIES };
/// Drops and marks.
pub(super) const DROPS: TableSchema = TableSchema {
    name: "drops",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("time_ns", Signed),
        ("queue", Text),
        ("flow", Text),
        ("reason", Text),
        ("length", Unsigned),
        ("id", Unsigned),
        ("outcome", Text),
        ("packet", Optional),
        ("instance", Text),
        ("unit", Text),
        ("number", Optional),
        ("part", Optional),
        ("offset", Optional),
        ("retransmission", Optional),
        ("previous", Optional),
        ("waited_ns", Optional),
        ("backlog_packets", Optional),
        ("backlog_bytes", Optional),
        ("holders", Text),
        ("gauges", Text),
        (MODE, Text),
    ],
};
/// Drops in results of versions that did not record what packets carry.
pub(super) const DROPS_WITHOUT_IDENTITIES: TableSchema = TableSchema {
    name: DROPS.name,
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("time_ns", Signed),
        ("queue", Text),
        ("flow", Text),
        ("reason", Text),
        ("length", Unsigned),
        (MODE, Text),
    ],
};
/// Cumulative distributions.
pub(super) const DISTRIBUTIONS: TableSchema = TableSchema {
    name: "distributions",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("object", Text),
        ("metric", Text),
        ("value_ms", Float),
        ("share", Float),
        (MODE, Text),
    ],
};
/// The outcome of each frame of real-time video.
pub(super) const FRAMES: TableSchema = TableSchema {
    name: "frames",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("flow", Text),
        ("frame", Unsigned),
        ("captured_ns", Signed),
        ("layers", Unsigned),
        ("latency_ms", Float),
        ("sqi_ssim", Float),
        ("ssim", Float),
        (MODE, Text),
    ],
};
/// Viewers' events. Without a unit, its kind is empty.
pub(super) const EVENTS: TableSchema = TableSchema {
    name: "events",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("flow", Text),
        ("id", Unsigned),
        ("kind", Text),
        ("since_ns", Signed),
        ("at_ns", Signed),
        ("duration_ns", Signed),
        ("cost", Float),
        ("unit", Text),
        ("number", Unsigned),
        ("part", Unsigned),
        (MODE, Text),
    ],
};
/// Parts of the delays of units, in the order of time for each unit.
pub(super) const ACCOUNTS: TableSchema = TableSchema {
    name: "accounts",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("flow", Text),
        ("unit", Text),
        ("number", Unsigned),
        ("part", Unsigned),
        ("start_ns", Signed),
        ("end_ns", Signed),
        ("status", Text),
        ("reason", Text),
        ("component", Text),
        ("place", Text),
        ("ns", Signed),
        ("drop", Optional),
        (MODE, Text),
    ],
};
/// Summary values of each run.
pub(super) const RUNS: TableSchema = TableSchema {
    name: "runs",
    columns: &[
        ("variant", Text),
        ("seed", Unsigned),
        ("object", Text),
        ("metric", Text),
        ("part", Text),
        ("unit", Text),
        ("mean", Float),
        ("p50", Float),
        ("p95", Float),
        ("p99", Float),
        (MODE, Text),
    ],
};
/// Means and confidence intervals over seeds.
pub(super) const SUMMARY: TableSchema = TableSchema {
    name: "summary",
    columns: &[
        ("variant", Text),
        ("object", Text),
        ("metric", Text),
        ("part", Text),
        ("unit", Text),
        ("mean", Float),
        ("p50", Float),
        ("p95", Float),
        ("p99", Float),
        ("ci95_low", Float),
        ("ci95_high", Float),
        ("n", Unsigned),
        (MODE, Text),
    ],
};

/// Differences from the baseline, paired by seed.
pub(super) const DIFFERENCES: TableSchema = TableSchema {
    name: "differences",
    columns: &[
        ("variant", Text),
        ("baseline", Text),
        ("object", Text),
        ("metric", Text),
        ("part", Text),
        ("unit", Text),
        ("mean", Float),
        ("percent", Float),
        ("ci95_low", Float),
        ("ci95_high", Float),
        ("n", Unsigned),
        (MODE, Text),
    ],
};

impl TableSchema {
    /// Rows that are written at a time: enough for small metadata, few enough for those in memory to take a few megabytes.
    pub(super) fn group_rows(&self) -> usize {
        // Drops have texts that do not repeat.
        if self.name == DROPS.name { 16 * 1024 } else { 128 * 1024 }
    }

    /// Name of the table's file.
    pub(super) fn file(&self) -> String {
        format!("{}.parquet", self.name)
    }

    /// The table in older results, without [`MODE`].
    pub(super) fn without_mode(&self) -> TableSchema {
        let columns = self.columns.strip_suffix(&[(MODE, Text)]).unwrap_or(self.columns);
        TableSchema { columns, ..*self }
    }
}
