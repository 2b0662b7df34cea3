//! The drop verdict of Octopus, common to router and send buffer (Algorithm 1 of Chen, Tahir, Mittal).
//!
//! A message is obsolete if a newer one of its stream (a *dropper*) makes it so, or if its stream has less bandwidth
//! than its bitrate threshold. The caller reports arrivals ([`Droppers::observe`]), the bandwidth, and how long a
//! message has waited; it carries out the verdict for the whole message, and never on one that has begun to leave.

use jettison_core::{DropReason, Duration, Rate};
use jettison_wire::{MessageNumber, OctopusHeader};

/// The effect of a stream's newer messages on its older ones, in constant state.
#[derive(Debug, Clone, Copy, Default)]
pub struct Droppers {
    /// The newest dropper of each threshold whose tail has arrived.
    newest: [Option<MessageNumber>; OctopusHeader::LEVELS],
    /// The newest message whose tail has arrived.
    newest_tail: Option<MessageNumber>,
}

/// Variants of the algorithm, where the authors' code differs from the paper. All off: the paper.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VerdictOptions {
    /// Drop a message only after it has waited its slack.
    pub slack: bool,
    /// Drop a message only after its tail has arrived.
    pub whole_message_only: bool,
}

impl Droppers {
    /// Records the arrival of a packet.
    #[inline]
    pub fn observe(&mut self, header: &OctopusHeader) {
        if !header.position.is_tail() {
            return;
        }
        raise(&mut self.newest_tail, header.message);
        if header.drop_flag {
            raise(&mut self.newest[level(header.threshold)], header.message);
        }
    }

    /// The reason to drop the message whose head has this `header`; `None` to keep it.
    ///
    /// `bandwidth` is that of its stream (`None`: unknown or unlimited); `waited` is the time since the head arrived.
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

    /// Whether a newer dropper with a threshold up to the message's priority number has arrived.
    #[inline]
    pub fn is_stale(&self, header: &OctopusHeader) -> bool {
        self.newest[..=level(header.priority)]
            .iter()
            .any(|dropper| dropper.is_some_and(|dropper| header.message.is_before(dropper)))
    }

    /// Whether the message's tail has arrived: messages of a stream arrive in sequence.
    #[inline]
    fn has_tail(&self, header: &OctopusHeader) -> bool {
        self.newest_tail.is_some_and(|tail| !tail.is_before(header.message))
    }
}

/// Whether the message's bitrate threshold exceeds the bandwidth of its stream.
#[inline]
fn is_beyond(header: &OctopusHeader, bandwidth: Rate) -> bool {
    u64::from(header.bitrate_threshold) * 1000 > bandwidth.as_bits()
}

#[inline]
fn level(value: u8) -> usize {
    usize::from(value).min(OctopusHeader::LEVELS - 1)
}

/// Replaces `newest` by `message` if that is newer.
fn raise(newest: &mut Option<MessageNumber>, message: MessageNumber) {
    if newest.is_none_or(|known| known.is_before(message)) {
        *newest = Some(message);
    }
}

#[cfg(test)]
mod tests {
    use jettison_wire::Position;

    use super::*;
    use crate::testing::solo;

    const PAPER: VerdictOptions = VerdictOptions { slack: false, whole_message_only: false };

    fn dropper(message: u32, threshold: u8) -> OctopusHeader {
        OctopusHeader { drop_flag: true, threshold, ..solo(message) }
    }

    fn of_priority(message: u32, priority: u8) -> OctopusHeader {
        OctopusHeader { priority, ..solo(message) }
    }

    fn after(headers: &[OctopusHeader]) -> Droppers {
        let mut droppers = Droppers::default();
        headers.iter().for_each(|header| droppers.observe(header));
        droppers
    }

    fn verdict(droppers: &Droppers, header: &OctopusHeader) -> Option<DropReason> {
        droppers.verdict(header, None, Duration::ZERO, PAPER)
    }

    #[test]
    fn a_message_is_stale_if_its_number_is_below_the_newest_dropper_of_a_threshold_up_to_its_priority() {
        for threshold in 0..8 {
            let droppers = after(&[dropper(10, threshold)]);
            for priority in 0..8 {
                let expected = (threshold <= priority).then_some(DropReason::StaleMessage);
                assert_eq!(
                    verdict(&droppers, &of_priority(9, priority)),
                    expected,
                    "{threshold}, {priority}"
                );
                assert_eq!(verdict(&droppers, &of_priority(10, priority)), None, "itself is not below");
                assert_eq!(verdict(&droppers, &of_priority(11, priority)), None, "a newer one");
            }
        }
    }

    #[test]
    fn the_table_keeps_the_newest_dropper_of_each_threshold() {
        let droppers = after(&[dropper(10, 3), dropper(20, 5), dropper(7, 3), dropper(12, 3)]);
        assert_eq!(verdict(&droppers, &of_priority(11, 3)), Some(DropReason::StaleMessage));
        assert_eq!(verdict(&droppers, &of_priority(12, 4)), None);
        assert_eq!(verdict(&droppers, &of_priority(12, 5)), Some(DropReason::StaleMessage));
    }

    #[test]
    fn only_a_message_with_the_drop_flag_is_a_dropper() {
        let droppers = after(&[OctopusHeader { threshold: 0, ..solo(10) }]);
        assert_eq!(verdict(&droppers, &of_priority(9, 7)), None);
    }

    #[test]
    fn a_dropper_takes_effect_with_its_tail() {
        let mut droppers = Droppers::default();
        for position in [Position::First, Position::Middle] {
            droppers.observe(&OctopusHeader { position, ..dropper(10, 0) });
            assert_eq!(verdict(&droppers, &of_priority(9, 7)), None, "{position:?}");
        }
        droppers.observe(&OctopusHeader { position: Position::Last, ..dropper(10, 0) });
        assert_eq!(verdict(&droppers, &of_priority(9, 7)), Some(DropReason::StaleMessage));
    }

    #[test]
    fn numbers_are_compared_by_serial_arithmetic() {
        // RFC 1982: 2 comes after 2^29 - 3.
        let droppers = after(&[dropper(2, 0)]);
        assert_eq!(verdict(&droppers, &of_priority((1 << 29) - 3, 0)), Some(DropReason::StaleMessage));
        let mut droppers = after(&[dropper((1 << 29) - 3, 0)]);
        assert_eq!(verdict(&droppers, &of_priority(2, 0)), None);
        droppers.observe(&dropper(3, 0));
        assert_eq!(verdict(&droppers, &of_priority(2, 0)), Some(DropReason::StaleMessage), "3 is newer");
    }

    #[test]
    fn a_message_is_dropped_if_its_bitrate_threshold_is_above_its_streams_bandwidth() {
        let header = OctopusHeader { bitrate_threshold: 700, ..solo(1) };
        let verdict = |bandwidth| Droppers::default().verdict(&header, bandwidth, Duration::ZERO, PAPER);
        assert_eq!(verdict(Some(Rate::from_bits(699_999))), Some(DropReason::OverBitrate));
        assert_eq!(verdict(Some(Rate::from_kbit(700))), None);
        assert_eq!(verdict(None), None, "unlimited");
        let at_most = OctopusHeader { bitrate_threshold: OctopusHeader::MAX_BITRATE, ..solo(1) };
        let verdict =
            Droppers::default().verdict(&at_most, Some(Rate::from_mbit(16_000)), Duration::ZERO, PAPER);
        assert_eq!(verdict, Some(DropReason::OverBitrate));
    }

    #[test]
    fn parameters_of_zero_disable_adaptation() {
        let droppers = after(&[solo(1), solo(2)]);
        assert_eq!(droppers.verdict(&solo(1), Some(Rate::ZERO), Duration::MAX, PAPER), None);
    }

    #[test]
    fn slack_drops_only_a_message_that_has_waited_its_slack() {
        let option = VerdictOptions { slack: true, ..PAPER };
        let droppers = after(&[dropper(10, 0)]);
        let stale = OctopusHeader { slack: 200, ..solo(9) };
        let beyond = OctopusHeader { slack: 200, bitrate_threshold: 1, ..solo(11) };
        for (header, reason) in [(stale, DropReason::StaleMessage), (beyond, DropReason::OverBitrate)] {
            let verdict = |waited, option| droppers.verdict(&header, Some(Rate::ZERO), waited, option);
            assert_eq!(verdict(Duration::from_micros(199_999), option), None);
            assert_eq!(verdict(Duration::from_millis(200), option), Some(reason));
            assert_eq!(verdict(Duration::ZERO, PAPER), Some(reason), "off: as in the paper");
        }
        assert_eq!(droppers.verdict(&solo(9), None, Duration::ZERO, option), Some(DropReason::StaleMessage));
    }

    #[test]
    fn whole_message_only_drops_only_when_the_tail_is_in_too() {
        let option = VerdictOptions { whole_message_only: true, ..PAPER };
        let head = OctopusHeader { position: Position::First, bitrate_threshold: 1, ..solo(11) };
        let mut droppers = after(&[dropper(10, 0), head]);
        let verdict =
            |droppers: &Droppers, option| droppers.verdict(&head, Some(Rate::ZERO), Duration::ZERO, option);
        assert_eq!(verdict(&droppers, option), None);
        assert_eq!(verdict(&droppers, PAPER), Some(DropReason::OverBitrate), "off: as in the paper");
        droppers.observe(&OctopusHeader { position: Position::Last, ..head });
        assert_eq!(verdict(&droppers, option), Some(DropReason::OverBitrate));
    }
}
