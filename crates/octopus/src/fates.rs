//! Drop decisions on a stream's most recent messages.

use jettison_core::DropReason;
use jettison_wire::MessageNumber;

/// Number of messages remembered per stream.
const REMEMBERED: usize = 8;

/// The decision on a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The message has begun to leave: its packets are no longer dropped.
    Leaving,
    /// The message is dropped, including packets that arrive later.
    Dropped(DropReason),
}

/// The decisions on a stream's newest messages, in constant state.
///
/// It keeps more than one because packets may arrive late (repairs, reordering). A message older than all remembered
/// ones may have begun to leave, so it counts as [`Fate::Leaving`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Fates {
    known: [Option<(MessageNumber, Fate)>; REMEMBERED],
    newest: Option<MessageNumber>,
}

impl Fates {
    /// The decision on a message; `None` if there is none yet.
    #[inline]
    pub fn of(&self, message: MessageNumber) -> Option<Fate> {
        let known = self.known.iter().flatten().find(|(number, _)| *number == message);
        match known {
            Some((_, fate)) => Some(*fate),
            None => self.newest.is_some_and(|newest| message.is_before(newest)).then_some(Fate::Leaving),
        }
    }

    /// Records a decision, in place of the oldest message.
    #[inline]
    pub fn remember(&mut self, message: MessageNumber, fate: Fate) {
        if self.newest.is_none_or(|newest| !message.is_before(newest)) {
            self.newest = Some(message);
        }
        let known =
            |slot: &&mut Option<(MessageNumber, Fate)>| slot.is_some_and(|(number, _)| number == message);
        if let Some(slot) = self.known.iter_mut().find(known) {
            *slot = Some((message, fate));
            return;
        }
        if let Some(free) = self.known.iter_mut().find(|slot| slot.is_none()) {
            *free = Some((message, fate));
            return;
        }
        let mut oldest = 0;
        for at in 1..REMEMBERED {
            if let (Some((number, _)), Some((least, _))) = (self.known[at], self.known[oldest])
                && number.is_before(least)
            {
                oldest = at;
            }
        }
        if self.known[oldest].is_some_and(|(least, _)| !message.is_before(least)) {
            self.known[oldest] = Some((message, fate));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DROPPED: Fate = Fate::Dropped(DropReason::StaleMessage);

    fn number(n: u32) -> MessageNumber {
        MessageNumber::new(n)
    }

    #[test]
    fn the_eight_newest_messages_of_a_stream_are_remembered() {
        // Numbers that wrap around: 2^29 - 4 to 7.
        let mut fates = Fates::default();
        let from = (1u32 << 29) - 4;
        for step in 0..12 {
            assert_eq!(fates.of(number(from + step)), None);
            fates.remember(number(from + step), if step % 2 == 0 { DROPPED } else { Fate::Leaving });
        }
        for step in 4..12 {
            let fate = if step % 2 == 0 { DROPPED } else { Fate::Leaving };
            assert_eq!(fates.of(number(from + step)), Some(fate), "{step}");
        }
        assert_eq!(fates.of(number(from + 12)), None);
    }

    #[test]
    fn a_forgotten_message_counts_as_leaving() {
        let mut fates = Fates::default();
        (0..20).for_each(|n| fates.remember(number(n), DROPPED));
        assert_eq!(fates.of(number(3)), Some(Fate::Leaving));
        fates.remember(number(3), DROPPED);
        assert_eq!(fates.of(number(3)), Some(Fate::Leaving), "it does not replace a newer one");
        assert_eq!(fates.of(number(12)), Some(DROPPED));
    }

    #[test]
    fn a_fate_may_be_decided_again() {
        let mut fates = Fates::default();
        fates.remember(number(1), Fate::Leaving);
        fates.remember(number(1), DROPPED);
        assert_eq!(fates.of(number(1)), Some(DROPPED));
        assert_eq!(fates.known.iter().flatten().count(), 1);
    }
}
