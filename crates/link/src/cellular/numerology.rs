//! Numerologies of NR: the length of a slot (TS 38.211 §4.2, §4.3.2).

use jettison_core::{Duration, Time};

/// Subframes have 1 ms, whatever the numerology (TS 38.211 §4.3.1).
const SUBFRAME_NANOS: u64 = 1_000_000;

/// The subcarrier spacing configuration μ, with 2^μ slots of 14 symbols in a subframe. LTE's subframe is that of μ = 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Numerology(u8);

impl Numerology {
    /// The largest: of 120 kHz. 240 kHz (μ = 4) carries no data (TS 38.211 table 4.2-1).
    pub const LARGEST: u8 = 3;

    /// The numerology μ; `None` if user data has no such.
    pub fn new(mu: u8) -> Option<Numerology> {
        (mu <= Numerology::LARGEST).then_some(Numerology(mu))
    }

    /// Length of a slot: 1, 0.5, 0.25 or 0.125 ms.
    pub fn slot(self) -> Duration {
        Duration::from_nanos(SUBFRAME_NANOS >> self.0)
    }

    /// Number of the first slot that begins at or after `at`.
    pub(super) fn from(self, at: Time) -> u64 {
        at.as_nanos().div_ceil(self.slot().as_nanos())
    }

    /// Start of a slot.
    pub(super) fn start(self, slot: u64) -> Time {
        Time::from_nanos(slot.saturating_mul(self.slot().as_nanos()))
    }

    /// Start of the subframe in which a slot is.
    pub(super) fn subframe(self, slot: u64) -> Time {
        Time::from_nanos((slot >> self.0).saturating_mul(SUBFRAME_NANOS))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_a_power_of_two_of_a_subframe() {
        let slots = [1_000, 500, 250, 125].map(Duration::from_micros);
        assert_eq!([0, 1, 2, 3].map(|mu| Numerology::new(mu).unwrap().slot()), slots);
        assert_eq!(Numerology::new(4), None, "240 kHz carries no data");
    }

    #[test]
    fn slots_are_found_by_time() {
        let half = Numerology::new(1).unwrap();
        let at = Time::from_micros(1_700);
        assert_eq!(half.from(at), 4);
        assert_eq!(half.start(3), Time::from_micros(1_500));
        assert_eq!(half.subframe(3), Time::from_millis(1));
    }
}
