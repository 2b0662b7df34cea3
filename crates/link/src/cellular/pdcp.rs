//! The receiving PDCP entity: reordering (TS 38.323 §5.2.2).

use std::collections::BTreeMap;

use jettison_core::{Duration, Time};

/// The receiver of a bearer, with the state variables of TS 38.323 §7.1. Numbers are those of COUNT, which never wrap here.
#[derive(Debug, Clone)]
pub(super) struct Reordering<T> {
    t_reordering: Duration,
    in_order: bool,
    /// RX_NEXT: the number after the highest that came.
    next: u32,
    /// RX_DELIV: the first that was not delivered and is waited for.
    deliver: u32,
    /// RX_REORD: the number after the one that started the timer.
    reorder: u32,
    expires: Option<Time>,
    waiting: BTreeMap<u32, T>,
}

impl<T> Reordering<T> {
    /// A receiver; with `out_of_order_delivery` it waits for nothing.
    pub fn new(t_reordering: Duration, out_of_order_delivery: bool) -> Reordering<T> {
        Reordering {
            t_reordering,
            in_order: !out_of_order_delivery,
            next: 0,
            deliver: 0,
            reorder: 0,
            expires: None,
            waiting: BTreeMap::new(),
        }
    }

    /// Takes an SDU with its COUNT and delivers what is due. Returns it if it comes too late, or twice (§5.2.2.1).
    pub fn receive(&mut self, count: u32, sdu: T, now: Time, delivered: &mut impl FnMut(T)) -> Option<T> {
        if !self.in_order {
            // Duplicates do not come from RLC, so what came need not be known.
            delivered(sdu);
            return None;
        }
        if count < self.deliver || self.waiting.contains_key(&count) {
            return Some(sdu);
        }
        self.next = self.next.max(count + 1);
        if count == self.deliver {
            delivered(sdu);
            self.deliver += 1;
            self.run(delivered);
        } else {
            self.waiting.insert(count, sdu);
        }
        // What the timer waits for is there.
        if self.expires.is_some() && self.deliver >= self.reorder {
            self.expires = None;
        }
        self.start(now);
        None
    }

    /// When t-Reordering expires.
    pub fn expires(&self) -> Option<Time> {
        self.expires
    }

    /// t-Reordering expires: what is before RX_REORD is waited for no longer (§5.2.2.2).
    pub fn expire(&mut self, now: Time, delivered: &mut impl FnMut(T)) {
        self.expires = None;
        while let Some(first) = self.waiting.first_entry().filter(|first| *first.key() < self.reorder) {
            delivered(first.remove());
        }
        self.deliver = self.deliver.max(self.reorder);
        self.run(delivered);
        self.start(now);
    }

    /// Delivers what follows without a gap.
    fn run(&mut self, delivered: &mut impl FnMut(T)) {
        while let Some(sdu) = self.waiting.remove(&self.deliver) {
            delivered(sdu);
            self.deliver += 1;
        }
    }

    /// Starts the timer if something is waited for and it does not run.
    fn start(&mut self, now: Time) {
        if self.expires.is_none() && self.deliver < self.next {
            self.reorder = self.next;
            self.expires = Some(now.saturating_add(self.t_reordering));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn receiver() -> Reordering<u32> {
        Reordering::new(Duration::from_millis(100), false)
    }

    fn receive(receiver: &mut Reordering<u32>, count: u32, ms: u64) -> Vec<u32> {
        let mut delivered = Vec::new();
        let late = receiver.receive(count, count, Time::from_millis(ms), &mut |sdu| delivered.push(sdu));
        assert_eq!(late, None, "{count}");
        delivered
    }

    fn expire(receiver: &mut Reordering<u32>, ms: u64) -> Vec<u32> {
        assert_eq!(receiver.expires(), Some(Time::from_millis(ms)));
        let mut delivered = Vec::new();
        receiver.expire(Time::from_millis(ms), &mut |sdu| delivered.push(sdu));
        delivered
    }

    /// §5.2.2.1: consecutive SDUs are delivered at once, in order of COUNT.
    #[test]
    fn in_sequence_nothing_waits() {
        let mut receiver = receiver();
        assert_eq!(receive(&mut receiver, 0, 1), [0]);
        assert_eq!(receive(&mut receiver, 1, 2), [1]);
        assert_eq!(receiver.expires(), None);
    }

    /// §5.2.2.1: the missing SDU releases those behind it, and stops the timer.
    #[test]
    fn a_filled_gap_delivers_what_waited() {
        let mut receiver = receiver();
        assert!(receive(&mut receiver, 1, 1).is_empty());
        assert!(receive(&mut receiver, 2, 2).is_empty());
        assert_eq!(receiver.expires(), Some(Time::from_millis(101)));
        assert_eq!(receive(&mut receiver, 0, 5), [0, 1, 2]);
        assert_eq!(receiver.expires(), None);
    }

    /// §5.2.2.2: at expiry all below RX_REORD are delivered, and all consecutive from it on.
    #[test]
    fn a_gap_that_stays_is_waited_for_once() {
        let mut receiver = receiver();
        assert!(receive(&mut receiver, 1, 1).is_empty()); // 0 is missing; RX_REORD = 2
        assert!(receive(&mut receiver, 2, 50).is_empty()); // consecutive from RX_REORD on
        assert!(receive(&mut receiver, 4, 60).is_empty()); // 3 is missing, too
        assert_eq!(expire(&mut receiver, 101), [1, 2]);
        // RX_DELIV = 3 < RX_NEXT = 5: the timer starts anew, at the expiry and not when 4 came.
        assert_eq!(expire(&mut receiver, 201), [4]);
        assert_eq!(receiver.expires(), None);
    }

    /// §5.2.2.1: what was delivered, or given up, is discarded when it comes.
    #[test]
    fn what_comes_too_late_is_discarded() {
        let mut receiver = receiver();
        receive(&mut receiver, 1, 1);
        expire(&mut receiver, 101);
        assert_eq!(receiver.receive(0, 0, Time::from_millis(102), &mut |_| panic!("delivered")), Some(0));
        assert_eq!(receive(&mut receiver, 2, 103), [2]);
    }

    /// §5.2.2.1: with outOfOrderDelivery nothing waits.
    #[test]
    fn out_of_order_delivery_waits_for_nothing() {
        let mut receiver = Reordering::new(Duration::from_millis(100), true);
        assert_eq!(receive(&mut receiver, 5, 1), [5]);
        assert_eq!(receive(&mut receiver, 3, 1), [3]);
        assert_eq!(receiver.expires(), None);
    }
}
