//! What is sent again.

use jettison_core::{Rate, Time};

use super::parameters::{Repair, Settings};
use super::streams::Streams;
use super::underway::Begun;

/// When losses are repaired.
#[derive(Debug, Clone, Copy)]
pub(super) struct RepairPolicy {
    pub now: Time,
    /// The controller's estimate.
    pub bandwidth: Option<Rate>,
}

impl RepairPolicy {
    /// Whether a packet of `message` that was lost the `attempts`th time should be sent again.
    ///
    /// A reliable stream's always. Of the others, not what the verdict has made superfluous: routers would only drop it again.
    pub fn wants(&self, message: &Begun, attempts: u32, settings: &Settings, streams: &Streams) -> bool {
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
