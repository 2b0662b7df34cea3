//! A video conference over UDP: frames of several packets, back to back, at a fixed frame rate; if wanted, with a sender
//! that backs off when its receiver reports loss.

mod adaptation;
mod packet;
mod receiver;
mod report;
mod sender;

use jettison_core::{BuildError, Bytes, Duration, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use packet::PacketHead;
pub use receiver::ConferenceReceiver;
pub use report::ReceiverReport;
pub use sender::ConferenceSender;

/// Parameters of `conference`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConferenceParameters {
    /// Payload bits a second; the most, for a sender that adapts.
    pub rate: Rate,
    /// Frames a second, to a thousandth.
    pub frame_rate: f64,
    /// UDP payload of a packet at most, 24 bytes at least. A frame is cut into as few as that allows, evenly.
    pub packet: Bytes,
    /// Coefficient of variation of the sizes of frames, from 0 to 0.3: they are drawn from a normal distribution, cut at
    /// three standard deviations.
    pub frame_spread: f64,
    /// What the sender does about loss.
    pub adapt: Adapt,
    /// With `adapt`: time between two of the receiver's reports.
    pub report: Duration,
    /// With `adapt`: a share lost since the last report above this one is congestion.
    pub loss_threshold: f64,
    /// With `adapt`: congestion multiplies the rate by this.
    pub decrease: f64,
    /// With `adapt`: so long without congestion, the sender adds `increase` to its rate, and again after as long.
    pub hold: Duration,
    /// With `adapt`: what is added, up to `rate`. At 0 the sender does not probe for what has become free.
    pub increase: Rate,
    /// With `adapt`: the rate does not fall below this.
    pub min_rate: Rate,
}

/// Whether a sender backs off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Adapt {
    /// It sends at its rate, whatever happens to it.
    None,
    /// It backs off when its receiver reports loss.
    OnLoss,
}

impl Default for ConferenceParameters {
    fn default() -> ConferenceParameters {
        ConferenceParameters {
            rate: Rate::from_kbit(200),
            // Our assumptions: what a desktop conference of the 1990s looks like at that rate. Packets of 500 bytes fit
            // into the 576 that every host must take (RFC 1122 §3.3.2), and make a frame four of them.
            frame_rate: 15.0,
            packet: Bytes::new(500),
            frame_spread: 0.1,
            adapt: Adapt::None,
            // RFC 3550 §6.2 lets the interval fall to 360 / (session bandwidth in kbit/s) seconds, 1.8 s here, and RFC
            // 4585 below that; one second keeps up with a run of a minute.
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
    /// Whether they make sense together.
    ///
    /// # Errors
    /// With the key that does not.
    pub fn validate(&self) -> Result<(), BuildError> {
        let check = |holds: bool, key: &str, what: &str| BuildError::unless(holds, key, || what.to_owned());
        check(!self.rate.is_zero(), "rate", "must be above zero")?;
        check(
            (0.001..=1_000.0).contains(&self.frame_rate),
            "frame_rate",
            "must be from 0.001 to 1000 frames a second",
        )?;
        check(
            (PacketHead::LENGTH as u64..=65_000).contains(&self.packet.get()),
            "packet",
            "must be from 24 bytes (sequence number, time, place in the frame) to 65000 bytes",
        )?;
        check((0.0..=MOST_SPREAD).contains(&self.frame_spread), "frame_spread", "must be from 0 to 0.3")?;
        let largest = self.rate.as_bits() as f64 / 8.0 / self.frame_rate * (1.0 + CUT * self.frame_spread);
        check(
            largest / (self.packet.get() as f64) < f64::from(u16::MAX),
            "frame_rate",
            "makes frames of more than 65534 packets: write a higher one, a lower `rate` or a larger `packet`",
        )?;
        check(!self.report.is_zero(), "report", "must be above zero")?;
        check((0.0..1.0).contains(&self.loss_threshold), "loss_threshold", "must be from 0 to below 1")?;
        check(self.decrease > 0.0 && self.decrease < 1.0, "decrease", "must be above 0 and below 1")?;
        check(!self.hold.is_zero(), "hold", "must be above zero")?;
        let adapts = self.adapt != Adapt::None;
        check(
            !adapts || !self.min_rate.is_zero() && self.min_rate <= self.rate,
            "min_rate",
            "must be above zero and at most `rate`",
        )
    }
}

/// Frame sizes are cut at so many standard deviations, to either side so that the mean stays.
const CUT: f64 = 3.0;
/// So the smallest frame is a tenth of the mean.
const MOST_SPREAD: f64 = 0.3;

#[cfg(test)]
mod tests;
