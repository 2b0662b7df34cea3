#![forbid(unsafe_code)]
//! Histograms, counters, time series, and the sinks that worlds fill.
//!
//! Disciplines, links and switches report drops and marks through [`Outcomes`]; a world (`sim`, `live`) owns one
//! [`Recorder`] and reports queues, flows and samples to it. When a run has ended, [`Recorder::finish`] gives its
//! [`RunRecord`]: series, points, drop log, distributions and summary values, all under stable names.
//!
//! A run that goes on in a process of its own hands its record over as bytes ([`RunRecord::to_bytes`]); one whose hosts
//! measure apart from its router puts the two together before that ([`Recorder::adopt_flows`]).
//!
//! Everything is keyed by an object's name in the scenario (`queues` by `<link>.forward`, flows by their key), so
//! that two runs of one scenario can be laid side by side.

mod by_metric;
mod distribution;
mod flow;
mod frames;
mod metric;
mod outcomes;
mod queue;
mod recorder;
pub mod statistics;
mod streaming;
mod timeliness;
mod transfer;
mod video;

pub use distribution::Distribution;
pub use flow::FlowMeter;
pub use frames::{FrameMeter, FramePart};
pub use metric::{Declared, Kept, Metric, Owner, metrics};
pub use outcomes::{NoOutcomes, Outcomes, Tally};
pub use queue::QueueMeter;
pub use recorder::{
    DropRecord, GaugeChoice, GaugeSampler, Kind, ObjectId, ObjectRecord, Recorder, RecorderSettings,
    RunRecord, Series, SummaryValue, VideoFrames,
};
pub use streaming::{SessionScore, StreamingMeter};
pub use timeliness::Timeliness;
pub use transfer::TransferError;
pub use video::{FrameScore, VideoMeter};
