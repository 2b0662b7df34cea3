//! Google's congestion control as WebRTC runs it at the sender: what a call's sender and the message transport share.
//!
//! Sources: draft-ietf-rmcat-gcc-02; Carlucci et al., *Analysis and Design of the Google Congestion Control for WebRTC*, MMSys
//! 2016; for what neither has (the trendline, probes, application-limited regions, losses by likelihood, bursts of the pacer, the
//! congestion window), rules and constants that are facts of WebRTC's sources, of July 2026. One file has one part:
//!
//! | part | file |
//! | --- | --- |
//! | groups of packets, delay variation, the draft's Kalman filter | `arrival.rs` |
//! | the slope of the delay | `trendline.rs` |
//! | over-use, with an adaptive threshold | `overuse.rs` |
//! | acknowledged bitrate | `acknowledged.rs`, `throughput.rs` |
//! | rate by delay: AIMD, and the capacity seen at over-use | `aimd.rs`, `capacity.rs` |
//! | rate by losses | `loss.rs`, `likelihood.rs` |
//! | data in flight push back on the encoder | `window.rs` |
//! | very long round trips | `backoff.rs` |
//! | application-limited regions | `alr.rs` |
//! | probes: when, and what they tell | `probe.rs`, `cluster.rs` |
//! | departures | `pacer.rs` |
//! | response to ECN marks (L4S), not in WebRTC | `marks.rs` |
//!
//! [`Estimator`] joins all but the pacer. The message transport's controller ([`crate::path::Gcc`]) has the draft's rates, on the
//! same filters and detector: a transport of messages has no padding to probe with.

mod acknowledged;
mod aimd;
mod alr;
pub(crate) mod arrival;
mod backoff;
mod capacity;
mod cluster;
mod estimator;
mod likelihood;
mod loss;
mod marks;
pub(crate) mod overuse;
mod pacer;
mod probe;
mod throughput;
pub(crate) mod trendline;
mod window;

pub use acknowledged::Throughput;
pub use cluster::Cluster;
pub use estimator::{Estimator, EstimatorParameters, PacketResult};
pub use pacer::Pacer;
pub use probe::AfterDrop;
pub use window::EncoderTarget;
