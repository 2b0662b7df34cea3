#![forbid(unsafe_code)]
//! Measurement: meters, histograms, time series, and the record of a run.
//!
//! Disciplines, links and switches report drops and marks through [`Outcomes`]. A world (`sim`, `live`) owns a
//! [`Recorder`] and reports queues, flows and samples to it. At the end of a run, [`Recorder::finish`] returns the
//! [`RunRecord`]: series, points, drop log, distributions and summary values, all under stable names.
//!
//! A run in a separate process returns its record as bytes ([`RunRecord::write_to`]). In a live run, router and hosts measure
//! separately; [`Recorder::adopt_flows`] merges the two before that.
//!
//! All data is keyed by an object's name in the scenario (queues by `<link>.forward`, flows by their key), so two runs of a
//! scenario can be compared.

mod accounts;
mod by_metric;
mod counts;
mod decision;
mod distribution;
mod flow;
mod frames;
mod freezes;
mod histogram;
mod metric;
mod order;
mod outcomes;
mod playout;
pub mod provenance;
mod queue;
mod record;
mod recorder;
mod series;
pub mod statistics;
mod streaming;
mod timeliness;
mod transfer;
mod video;
pub mod wire;

pub use accounts::{
    AccountLog, AccountRow, Accounts, Component, Ended, Endings, FrameEnded, Part, Reason, Spot, Status,
};
pub use counts::Counts;
pub use decision::{Decision, DecisionLog, GaugeKey, Identity, Outcome, QueueState, instance_name};
pub use distribution::Distribution;
pub use flow::FlowMeter;
pub use frames::{FrameMeter, FramePart};
pub use metric::{Declared, Domain, Kept, Metric, Owner, metrics};
pub use outcomes::{NoOutcomes, Outcomes, Tally};
pub use provenance::{
    Content, Description, EventKind, EventLimits, EventLog, FrameFate, Identities, Place, Provenance,
    StreamId, Unit, UnitKind, ViewerEvent,
};
pub use queue::QueueMeter;
pub use record::{DropRecord, Kind, ObjectId, ObjectRecord, RunRecord, SummaryValue, VideoFrames};
pub use recorder::{FlowGroup, GaugeChoice, GaugeSampler, Recorder, RecorderSettings, Renumbered};
pub use series::{Piece, Series};
pub use streaming::{SessionScore, StreamingMeter};
pub use timeliness::Timeliness;
pub use transfer::TransferError;
pub use video::{FrameScore, VideoMeter};
