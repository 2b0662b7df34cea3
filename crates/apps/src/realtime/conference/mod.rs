//! Video conference over UDP: frames of several packets at a fixed frame rate, sent back to back, optionally by a sender that
//! backs off when its receiver reports loss; or paced by SCReAM, which chooses the bitrate.

mod adaptation;
mod packet;
mod receiver;
mod report;
mod scream;
mod sender;

use jettison_core::{Bytes, Duration, Rate};
use jettison_registry::style::{FOREST, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_sockets::{FlowApplication, FlowApplications, FlowContext, FlowFacts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use packet::PacketHead;
pub use receiver::ConferenceReceiver;
pub use report::ReceiverReport;
pub(super) use scream::{MOST_REPORTED, Report};
use scream::{ScreamReceiver, ScreamSender};
pub use sender::ConferenceSender;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("conference", "conference", build)
        .style(FOREST, Solid)
        .summary("a video conference: frames at a fixed rate, backing off on loss, or by SCReAM")
        .source("RFC 3550 §6.4 (receiver reports, jitter), draft-ietf-ccwg-rfc8298bis-screamv2 (SCReAM)")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
}

fn build(
    parameters: ConferenceParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    parameters.validate()?;
    let sizes = (context.random)("frames");
    if parameters.adapt == Adapt::Scream {
        return Ok(FlowApplications {
            from: Box::new(ScreamSender::new(&parameters, context.remote, traffic_class, sizes)),
            to: Some(Box::new(ScreamReceiver::new(context.remote.port))),
        });
    }
    Ok(FlowApplications {
        from: Box::new(ConferenceSender::new(&parameters, context.remote, traffic_class, sizes)),
        to: Some(Box::new(ConferenceReceiver::new(&parameters, context.remote.port))),
    })
}

/// Parameters of `conference`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConferenceParameters {
    /// Payload bits per second; the maximum rate of a sender that adapts.
    pub rate: Rate,
    /// Frames per second, with a resolution of a thousandth.
    pub frame_rate: f64,
    /// Maximum UDP payload of a packet, >= 24 bytes. A frame is divided evenly into the minimum number of packets.
    pub packet: Bytes,
    /// Coefficient of variation of frame sizes, 0 to 0.3. Sizes have a normal distribution truncated at three standard
    /// deviations.
    pub frame_spread: f64,
    /// Response of the sender to congestion.
    pub adapt: Adapt,
    /// With `on-loss`: interval of the receiver's reports.
    pub report: Duration,
    /// With `on-loss`: share of packets lost since the last report above which the sender detects congestion.
    pub loss_threshold: f64,
    /// With `on-loss`: factor of the rate on congestion.
    pub decrease: f64,
    /// With `on-loss`: time without congestion after which the rate rises by `increase`, repeatedly.
    pub hold: Duration,
    /// With `on-loss`: additive increase, up to `rate`. With 0 the sender never increases its rate.
    pub increase: Rate,
    /// With `on-loss` and `scream`: minimum rate, with which `scream` begins.
    pub min_rate: Rate,
}

/// Response of a sender to congestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adapt {
    /// Constant rate.
    None,
    /// Backs off when its receiver reports loss.
    OnLoss,
    /// SCReAM version 2: by loss, queue delay, and marks if the transport's `ecn` makes packets ECN-capable (`ect1`: L4S).
    Scream,
}

impl Default for ConferenceParameters {
    fn default() -> ConferenceParameters {
        ConferenceParameters {
            rate: Rate::from_kbit(200),
            // Our assumptions: a desktop conference of the 1990s at that rate. Packets of 500 bytes fit into the 576
            // that every host must accept (RFC 1122 §3.3.2), and a frame has four of them.
            frame_rate: 15.0,
            packet: Bytes::new(500),
            frame_spread: 0.1,
            adapt: Adapt::None,
            // RFC 3550 §6.2 lets the interval fall to 360 / (session bandwidth in kbit/s) seconds, 1.8 s here, and RFC
            // 4585 below that; one second suits runs of one minute.
            report: Duration::from_secs(1),
            loss_threshold: 0.0,
            decrease: 0.75,
            hold: Duration::from_secs(10),
            increase: Rate::ZERO,
            min_rate: Rate::from_kbit(50),
        }
    }
}

impl ConferenceParameters {
    /// Checks the ranges and their combination.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let check = |holds: bool, key: &str, required: &str, found: &dyn std::fmt::Display| {
            ParameterError::unless(holds, key, || format!("must be {required}, got {found}"))
        };
        check(!self.rate.is_zero(), "rate", "> 0", &self.rate)?;
        check(
            (0.001..=1_000.0).contains(&self.frame_rate),
            "frame_rate",
            "in [0.001, 1000] frames/s",
            &self.frame_rate,
        )?;
        check(
            (PacketHead::LENGTH as u64..=65_000).contains(&self.packet.get()),
            "packet",
            "in [24, 65000] bytes (24 for sequence number, time and position in the frame)",
            &self.packet,
        )?;
        check(
            (0.0..=MOST_SPREAD).contains(&self.frame_spread),
            "frame_spread",
            "in [0, 0.3]",
            &self.frame_spread,
        )?;
        let largest = self.rate.as_bits() as f64 / 8.0 / self.frame_rate * (1.0 + CUT * self.frame_spread);
        ParameterError::unless(
            largest / (self.packet.get() as f64) < f64::from(u16::MAX),
            "frame_rate",
            || {
                let packets = libm::ceil(largest / self.packet.get() as f64);
                format!(
                    "must make frames of at most 65534 packets, got {packets}; use a higher `frame_rate`, a lower `rate` or \
                 a larger `packet`"
                )
            },
        )?;
        check(!self.report.is_zero(), "report", "> 0", &self.report)?;
        check(
            (0.0..1.0).contains(&self.loss_threshold),
            "loss_threshold",
            "in [0, 1)",
            &self.loss_threshold,
        )?;
        check(self.decrease > 0.0 && self.decrease < 1.0, "decrease", "in (0, 1)", &self.decrease)?;
        check(!self.hold.is_zero(), "hold", "> 0", &self.hold)?;
        let adapts = self.adapt != Adapt::None;
        check(
            !adapts || !self.min_rate.is_zero() && self.min_rate <= self.rate,
            "min_rate",
            "> 0 and <= `rate`",
            &self.min_rate,
        )
    }
}

/// Standard deviations at which frame sizes are truncated, on both sides so that the mean is unchanged.
const CUT: f64 = 3.0;
/// Maximum coefficient of variation: the smallest frame is then a tenth of the mean.
const MOST_SPREAD: f64 = 0.3;

#[cfg(test)]
mod tests;
