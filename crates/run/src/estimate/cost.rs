//! What packets, flows, samples and records cost. Measured figures; `cargo run -p xtask -- estimates` compares the estimates made of them
//! with runs, and is what to look at after a change that makes the simulator faster or smaller.

/// CPU nanoseconds per packet and link, with all its events, a native queue and a native router.
pub(super) const HOP: f64 = 110.0;
/// CPU nanoseconds per packet through a P4 router, in addition.
pub(super) const P4: f64 = 350.0;
/// CPU nanoseconds per packet at both of its ends: a TCP segment with its part of an ACK, a packet of messages, a datagram.
pub(super) const TCP_ENDS: f64 = 250.0;
pub(super) const MESSAGE_ENDS: f64 = 700.0;
pub(super) const DATAGRAM_ENDS: f64 = 60.0;
/// CPU seconds to build and summarise one run.
pub(super) const RUN_SECONDS: f64 = 0.004;
/// CPU nanoseconds per point of a series, stored and written.
pub(super) const POINT_NANOS: f64 = 150.0;

/// Resident bytes of the program with its components.
pub(super) const PROGRAM: f64 = 16e6;
/// Resident bytes of a run without flows and queues, and per queue.
pub(super) const RUN: f64 = 1e6;
pub(super) const QUEUE: f64 = 60e3;
/// Resident bytes per flow: its two ends, histograms, and buffers of its series.
pub(super) const FLOW: f64 = 150e3;
/// Resident bytes per packet in a queue or on a link, per point of a series, and per entry of the drop log.
pub(super) const PACKET: f64 = 136.0;
pub(super) const POINT: f64 = 24.0;
pub(super) const DROP: f64 = 24.0;
/// Resident bytes per summary value that is kept until the end.
pub(super) const VALUE: f64 = 160.0;

/// Bytes on disk: of a folder of results, of each run's share of the tables and the report, per point of a series, and per entry
/// of the drop log; of a captured packet.
pub(super) const FOLDER: f64 = 150e3;
pub(super) const RUN_ON_DISK: f64 = 12e3;
pub(super) const POINT_ON_DISK: f64 = 4.0;
pub(super) const DROP_ON_DISK: f64 = 5.0;
pub(super) const CAPTURED: f64 = 130.0;
