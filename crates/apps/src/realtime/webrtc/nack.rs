//! What the receiver misses: which packets to ask for, when, and how often.
//!
//! WebRTC's documented behaviour: a gap is asked for at once, then again after each round trip, ten times at most; with more than
//! a thousand packets missing it gives up and asks for a key frame.

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};

use super::packet::extend;

const TRIES: u8 = 10;
const MOST: usize = 1000;
/// Round-trip time before one was measured.
const FIRST_RTT: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy)]
struct Missing {
    tries: u8,
    asked_at: Option<Time>,
}

/// The missing packets of a media stream.
#[derive(Debug, Clone)]
pub(super) struct NackList {
    next: Option<u64>,
    missing: BTreeMap<u64, Missing>,
    rtt: Duration,
}

impl NackList {
    pub(super) fn new() -> NackList {
        NackList { next: None, missing: BTreeMap::new(), rtt: FIRST_RTT }
    }

    /// The number whose low bits are these, near the newest one.
    pub(super) fn extend(&self, low: u16) -> u64 {
        extend(low, self.next.unwrap_or(u64::from(low) + (1 << 16)))
    }

    /// Records a media packet. False if there are too many gaps: all are forgotten, and a key frame is needed.
    pub(super) fn arrived(&mut self, number: u64, now: Time) -> bool {
        let next = self.next.unwrap_or(number);
        if number < next {
            self.repaired(number, now, false);
            return true;
        }
        for gap in next..number {
            if self.missing.len() == MOST {
                self.missing.clear();
                self.next = Some(number + 1);
                return false;
            }
            self.missing.insert(gap, Missing { tries: 0, asked_at: None });
        }
        self.next = Some(number + 1);
        true
    }

    /// A missing packet is there; a retransmission that was asked for once measures the round trip.
    pub(super) fn repaired(&mut self, number: u64, now: Time, is_retransmission: bool) {
        let Some(missing) = self.missing.remove(&number) else { return };
        if let (true, 1, Some(at)) = (is_retransmission, missing.tries, missing.asked_at) {
            let sample = now.since(at).as_nanos();
            self.rtt = Duration::from_nanos((7 * self.rtt.as_nanos() + sample) / 8);
        }
    }

    /// Forgets what is older than a number: its frames are no longer needed.
    pub(super) fn forget_before(&mut self, number: u64) {
        self.missing = self.missing.split_off(&number);
    }

    /// Packets to ask for now, ascending.
    pub(super) fn due(&mut self, now: Time, out: &mut Vec<u64>) {
        let rtt = self.rtt;
        self.missing.retain(|number, missing| {
            if missing.asked_at.is_some_and(|at| now.since(at) < rtt) {
                return true;
            }
            if missing.tries == TRIES {
                return false;
            }
            missing.tries += 1;
            missing.asked_at = Some(now);
            out.push(*number);
            true
        });
    }

    /// Whether anything is missing.
    pub(super) fn is_empty(&self) -> bool {
        self.missing.is_empty()
    }

    /// The round-trip time, by retransmissions.
    #[cfg(test)]
    pub(super) fn rtt(&self) -> Duration {
        self.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(list: &mut NackList, ms: u64) -> Vec<u64> {
        let mut out = Vec::new();
        list.due(Time::from_millis(ms), &mut out);
        out
    }

    #[test]
    fn a_gap_is_asked_for_at_once_and_again_after_each_round_trip() {
        let mut list = NackList::new();
        assert!(list.arrived(10, Time::ZERO) && list.arrived(13, Time::ZERO));
        assert_eq!(due(&mut list, 0), [11, 12]);
        assert_eq!(due(&mut list, 99), [0; 0]);
        assert_eq!(due(&mut list, 100), [11, 12]);
    }

    #[test]
    fn it_gives_up_after_ten_tries() {
        let mut list = NackList::new();
        list.arrived(0, Time::ZERO);
        list.arrived(2, Time::ZERO);
        let tries = (0..20).filter(|n| !due(&mut list, 100 * n).is_empty()).count();
        assert_eq!((tries, list.is_empty()), (10, true));
    }

    #[test]
    fn retransmissions_measure_the_round_trip() {
        let mut list = NackList::new();
        list.arrived(0, Time::ZERO);
        for n in 1..100 {
            list.arrived(2 * n, Time::from_millis(1000 * n));
            due(&mut list, 1000 * n);
            list.repaired(2 * n - 1, Time::from_millis(1000 * n + 40), true);
        }
        assert!(list.rtt().as_millis() <= 41 && list.is_empty());
    }

    #[test]
    fn reordered_packets_and_those_of_old_frames_are_not_missing() {
        let mut list = NackList::new();
        list.arrived(0, Time::ZERO);
        list.arrived(5, Time::ZERO);
        list.arrived(2, Time::ZERO);
        list.forget_before(4);
        assert_eq!(due(&mut list, 0), [4]);
    }

    #[test]
    fn too_many_gaps_need_a_key_frame() {
        let mut list = NackList::new();
        assert!(list.arrived(0, Time::ZERO));
        assert!(!list.arrived(1002, Time::ZERO));
        assert!(list.is_empty() && list.arrived(1003, Time::ZERO));
    }
}
