//! Units under way.

use jettison_core::Time;

use super::chain::Chain;
use super::channel::{Channel, ChannelId};
use super::{Component, Reason, Status};
use crate::provenance::Unit;

/// A transmission of a part of a unit as a datagram.
#[derive(Debug, Clone, Copy)]
pub(super) struct SentPart {
    pub offset: u64,
    pub packet: u32,
    pub at: Time,
    pub repair: Option<Component>,
}

/// The account of a unit that has not ended.
#[derive(Debug, Clone)]
pub(super) struct Open {
    pub unit: Unit,
    /// Up to the last write, or the first one of the present leg's beginning.
    pub base: Chain,
    /// Up to the arrival that completed what has been written so far.
    pub done: Option<Chain>,
    /// Up to the last loss of a part of it that was sent as a datagram.
    pub lost: Option<Chain>,
    /// Whether it was asked for.
    pub has_request: bool,
    /// The channel of its last bytes, and the offset after them.
    pub channel: Option<(ChannelId, u64)>,
    /// Its datagrams.
    pub sent: Vec<SentPart>,
    /// Datagrams of it that have come.
    pub came: u16,
    /// What its sender made of it.
    pub fate: Option<(Status, Reason, Time)>,
}

impl Open {
    /// The account of a unit whose delay begins at `start`.
    pub fn new(unit: Unit, start: Time) -> Open {
        Open {
            unit,
            base: Chain::new(start),
            done: None,
            lost: None,
            has_request: false,
            channel: None,
            sent: Vec::new(),
            came: 0,
            fate: None,
        }
    }

    /// Bytes of it are written to a channel: `start..end` of its stream.
    pub fn written(&mut self, id: ChannelId, channel: &Channel, bytes: std::ops::Range<u64>, now: Time) {
        match self.channel {
            Some((own, end)) if own == id => self.continued(channel, end, &bytes, now),
            before => {
                match (self.done.take(), before) {
                    (Some(done), _) => self.base = done,
                    // What was written to another channel has not come through: that attempt was given up.
                    (None, Some(_)) => self.base.extend(now, Component::Attempt, channel.sender(), None),
                    (None, None) => {}
                }
                self.base.extend(now, Component::Application, channel.sender(), None);
            }
        }
        self.done = None;
        self.channel = Some((id, bytes.end));
    }

    /// Further bytes in the same channel: what was written by others in between had its turn.
    fn continued(&mut self, channel: &Channel, end: u64, bytes: &std::ops::Range<u64>, now: Time) {
        let others = bytes.start.saturating_sub(end);
        let own = bytes.end.saturating_sub(bytes.start);
        let waited = now.since(self.base.cursor).as_nanos();
        let turn = u128::from(waited) * u128::from(others) / u128::from((others + own).max(1));
        let turn = jettison_core::Duration::from_nanos(turn as u64);
        let until = self.base.cursor.saturating_add(turn);
        self.base.extend(until, Component::HeadOfLine, channel.sender(), None);
        channel.limits.split(&mut self.base, now, channel.sender());
    }
}
