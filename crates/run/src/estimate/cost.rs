//! What packets, flows, samples and records cost: measured figures of the profile `release`.
//!
//! `cargo run -p xtask -- estimates` compares the estimates made of them with runs. Measure again after a change that makes the
//! simulator faster or smaller: CPU time per packet by `reference/udp-f` (two links, datagrams) and `reference/tcp-codel-a` (three
//! links, 4.5 packets per segment with its part of an ACK); the rest by least error over the shipped scenarios in their short form.

/// CPU nanoseconds per packet and link, with all its events, a native queue and a native router.
pub(super) const HOP: f64 = 70.0;
/// CPU nanoseconds per packet through a P4 router, in addition.
pub(super) const P4: f64 = 300.0;
/// CPU nanoseconds per packet at both of its ends: a TCP segment with its part of an ACK, a packet of messages, a datagram.
pub(super) const TCP_ENDS: f64 = 340.0;
pub(super) const MESSAGE_ENDS: f64 = 900.0;
pub(super) const DATAGRAM_ENDS: f64 = 50.0;
/// CPU seconds of the command, and to build, summarise and draw one run.
pub(super) const COMMAND_SECONDS: f64 = 0.015;
pub(super) const RUN_SECONDS: f64 = 0.008;
/// CPU nanoseconds per point of a series: stored, written and drawn.
pub(super) const POINT_NANOS: f64 = 900.0;

/// Resident bytes of the program with its components.
pub(super) const PROGRAM: f64 = 21e6;
/// Resident bytes of a run without flows and queues, and per queue.
pub(super) const RUN: f64 = 1e6;
pub(super) const QUEUE: f64 = 60e3;
/// Resident bytes per flow: its two ends, histograms, and the part of its series that stays in memory.
pub(super) const FLOW: f64 = 12e3;
/// Resident bytes per packet in a queue or on a link, and per entry of the drop log.
pub(super) const PACKET: f64 = 136.0;
pub(super) const DROP: f64 = 24.0;
/// Resident bytes per point of a series, and number of points from which on they wait in a temporary file.
pub(super) const POINT: f64 = 16.0;
pub(super) const POINTS_IN_MEMORY: f64 = 130e3;
/// Resident bytes that are kept until the report is written: per variant, and per summary value of a run.
pub(super) const REPORT_VARIANT: f64 = 300e3;
pub(super) const VALUE: f64 = 160.0;
/// Resident bytes per row that a table gathers before it writes them, and their largest number.
pub(super) const ROW: f64 = 130.0;
pub(super) const ROWS: f64 = 200e3;

/// Bytes on disk of a folder of results, and of a variant's part of the report and the summary.
pub(super) const FOLDER: f64 = 60e3;
pub(super) const VARIANT_ON_DISK: f64 = 110e3;
/// Bytes on disk per summary value of a variant; of a run, per point of its series and per entry of its drop log; per captured
/// packet.
pub(super) const VALUE_ON_DISK: f64 = 250.0;
pub(super) const RUN_ON_DISK: f64 = 8e3;
pub(super) const POINT_ON_DISK: f64 = 3.5;
pub(super) const DROP_ON_DISK: f64 = 5.0;
pub(super) const CAPTURED: f64 = 130.0;
