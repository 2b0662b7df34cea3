//! Retransmission policy.

use jettison_core::{Rate, Time};

use super::in_progress::ActiveMessage;
use super::parameters::{Repair, Settings};
use super::streams::Streams;

/// The retransmission policy at one instant.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepairPolicy {
    pub now: Time,
    /// The controller's bandwidth estimate.
    pub bandwidth: Option<Rate>,
}

impl RepairPolicy {
    /// Whether to retransmit a packet of `message` after its loss number `attempts`.
    ///
    /// Always on a reliable stream. On others, not if the verdict has made the message obsolete: routers would drop it
    /// again.
    pub fn wants(
        &self,
        message: &ActiveMessage,
        attempts: u32,
        settings: &Settings,
        streams: &Streams,
    ) -> bool {
        if message.is_reliable {
            return true;
        }
        let waited = self.now.since(message.accepted_at);
        let is_in_time = match settings.repair {
            Repair::None => false,
            Repair::Retransmit => true,
            Repair::WhileFresh => waited < settings.fresh,
        };
        is_in_time
            && attempts <= settings.max_retransmissions
            && !(settings.adapt && streams.verdict(&message.asked, self.bandwidth, waited).is_some())
    }
}
