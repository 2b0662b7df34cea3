//! The dropping verdict of Octopus, which router and send buffer share (Algorithm 1 of Chen, Tahir, Mittal).
//!
//! A message is superfluous if a newer one of its stream says so (a *dropper*), or if its stream has less bandwidth than
//! the message asks for. The caller says what has come (`take_in`), what bandwidth there is and how long a message has
//! waited; it carries the verdict out, for the whole message, and never on one that has begun to leave.

use jettison_core::{DropReason, Duration, Rate};
use jettison_wire::{MessageNumber, OctopusHeader};

/// What a stream's newer messages say of its older ones: constant state, whatever waits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Droppers {
    /// The newest dropper of each threshold whose tail has come in.
    newest: [Option<MessageNumber>; OctopusHeader::LEVELS],
    /// The newest message of any kind whose tail has come in.
    newest_tail: Option<MessageNumber>,
}

/// How the algorithm is read where the authors' code differs from the paper. All off: the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerdictOptions {
    /// A message is dropped only once it has waited its slack.
    pub slack: bool,
    /// A message is dropped only if its tail has come in too.
    pub whole_message_only: bool,
}

impl Droppers {
    /// A packet has come in.
    #[inline]
    pub fn take_in(&mut self, header: &OctopusHeader) {
        if !header.position.is_tail() {
            return;
        }
        raise(&mut self.newest_tail, header.message);
        if header.drop_flag {
            raise(&mut self.newest[level(header.threshold)], header.message);
        }
    }

    /// Why the message that `header` is the head of should be dropped; `None` if it should go.
    ///
    /// `bandwidth` is what its stream has (`None`: not known, or unlimited); `waited` is how long the head has been here.
    #[inline]
    pub fn verdict(
        &self,
        header: &OctopusHeader,
        bandwidth: Option<Rate>,
        waited: Duration,
        options: VerdictOptions,
    ) -> Option<DropReason> {
        let reason = if self.is_stale(header) {
            DropReason::StaleMessage
        } else if is_beyond(header, bandwidth?) {
            DropReason::OverBitrate
        } else {
            return None;
        };
        if options.slack && waited < Duration::from_millis(u64::from(header.slack)) {
            return None;
        }
        if options.whole_message_only && !self.has_tail(header) {
            return None;
        }
        Some(reason)
    }

    /// Whether a newer dropper of a threshold up to the message's own priority has come in.
    #[inline]
    pub fn is_stale(&self, header: &OctopusHeader) -> bool {
        self.newest[..=level(header.priority)]
            .iter()
            .any(|dropper| dropper.is_some_and(|dropper| header.message.is_before(dropper)))
    }

    /// Whether the message's tail has come in: messages of a stream come one after the other.
    #[inline]
    fn has_tail(&self, header: &OctopusHeader) -> bool {
        self.newest_tail.is_some_and(|tail| !tail.is_before(header.message))
    }
}

/// Whether the message asks for more than its stream has.
#[inline]
fn is_beyond(header: &OctopusHeader, bandwidth: Rate) -> bool {
    u64::from(header.bitrate_threshold) * 1000 > bandwidth.as_bits()
}

#[inline]
fn level(value: u8) -> usize {
    usize::from(value).min(OctopusHeader::LEVELS - 1)
}

/// Remembers `message` if nothing newer is remembered.
fn raise(newest: &mut Option<MessageNumber>, message: MessageNumber) {
    if newest.is_none_or(|known| known.is_before(message)) {
        *newest = Some(message);
    }
}
