//! What a run records beside its series.

use jettison_core::Duration;
use jettison_measure::{EventLimits, Identities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a run records beside its series.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Record {
    /// What `drops` says of each packet: all that is known (`true`), only flow, reason and length (`false`), or
    /// `{ sample = 0.1 }` for that share of its rows.
    pub identities: IdentitySettings,
    /// Whether to record where each segment, frame and message spent its time (table `accounts`). Implies `identities`.
    pub accounts: bool,
    /// Thresholds of viewers' events (table `events`), which are recorded with `accounts`.
    pub events: EventSettings,
}

/// Thresholds of viewers' events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct EventSettings {
    /// Time from capture to decoding after which a frame is late. A video with a `playout_deadline` has that one.
    pub late_frame: Duration,
    /// Time from the start of a session to its first picture above which the start is long.
    pub long_start: Duration,
    /// Load time above which a page, or a transfer of `web`, is slow.
    pub slow_page: Duration,
}

impl Default for EventSettings {
    fn default() -> EventSettings {
        let EventLimits { late_frame, long_start, slow_page } = EventLimits::default();
        EventSettings { late_frame, long_start, slow_page }
    }
}

/// What `drops` says of packets.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum IdentitySettings {
    /// All that is known, or only flow, reason and length.
    All(bool),
    /// A share of the rows.
    Sample(IdentitySample),
}

/// A share of the rows of `drops`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IdentitySample {
    /// The share, in (0, 1], chosen by a hash of the row's `id`.
    pub sample: f64,
}

impl Default for IdentitySettings {
    fn default() -> IdentitySettings {
        IdentitySettings::All(true)
    }
}

impl Record {
    pub(crate) fn is_default(&self) -> bool {
        *self == Record::default()
    }

    /// The thresholds of viewers' events; `None` if they are not recorded.
    pub fn events(&self) -> Option<EventLimits> {
        let EventSettings { late_frame, long_start, slow_page } = self.events;
        self.accounts.then_some(EventLimits { late_frame, long_start, slow_page })
    }

    /// What to record of packets.
    pub fn identities(&self) -> Identities {
        match self.identities {
            IdentitySettings::Sample(IdentitySample { sample }) => Identities::Sample(sample),
            IdentitySettings::All(true) => Identities::All,
            IdentitySettings::All(false) if self.accounts => Identities::All,
            IdentitySettings::All(false) => Identities::Off,
        }
    }
}
