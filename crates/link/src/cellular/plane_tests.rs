//! The user plane as a whole: order, delays, determinism.

use jettison_core::{Bytes, Rate, Seed};
use serde_json::{Value, json};

use super::*;
use crate::FixedRate;

fn plane(parameters: Value) -> UserPlane {
    let parameters: CellularParameters = serde_json::from_value(parameters).unwrap();
    let supply = Box::new(FixedRate::new(Rate::from_mbit(8))); // 1,000 bytes a millisecond
    UserPlane::new(&parameters, supply, &|name| Seed(3).stream(&[name])).unwrap()
}

/// A packet's number, fate, bytes and waits.
type Ended = (u32, Fate, u64, [(Wait, Time); 4]);

/// A queue before a plane: packets of 495 bytes, two a block of 1,000 with their headers.
struct Queue {
    plane: UserPlane,
    waiting: VecDeque<Sdu>,
    ended: Vec<Ended>,
    numbers: u32,
}

impl Queue {
    fn new(parameters: Value) -> Queue {
        Queue { plane: plane(parameters), waiting: VecDeque::new(), ended: Vec::new(), numbers: 0 }
    }

    /// `count` packets come.
    fn come(&mut self, count: u32, now: Time) {
        for _ in 0..count {
            self.numbers += 1;
            self.waiting.push_back(Sdu { key: self.numbers, bytes: 495, number: Some(self.numbers) });
        }
        self.serve(now);
    }

    fn backlog(&self) -> Backlogged {
        Backlogged { packets: self.waiting.len() as u64, bytes: 493 * self.waiting.len() as u64 }
    }

    fn serve(&mut self, now: Time) {
        self.plane.advance(now, self.backlog());
        while self.plane.takes() {
            let Some(sdu) = self.waiting.pop_front() else { break };
            self.plane.submit(sdu, now);
        }
        self.plane.close(now, self.backlog());
        let micros = now.as_micros();
        let passages = self.plane.passages().map(|end| (end.key, end.fate, micros, end.waits));
        self.ended.extend(passages);
    }

    /// Serves the plane until `end`.
    fn run(&mut self, end: Time) {
        loop {
            let next = self.plane.next_wakeup(!self.waiting.is_empty());
            if next > end {
                return;
            }
            self.serve(next);
        }
    }

    fn delivered(&self) -> Vec<(u32, u64)> {
        self.ended.iter().filter(|end| end.1 == Fate::Delivered).map(|(key, _, at, _)| (*key, *at)).collect()
    }
}

#[test]
fn a_packet_leaves_at_the_end_of_its_slot() {
    let mut queue = Queue::new(json!({}));
    queue.come(3, Time::from_micros(1_300));
    queue.run(Time::from_millis(100));
    assert_eq!(queue.delivered(), [(1, 3_000), (2, 3_000), (3, 4_000)]);
}

/// TS 38.211 §4.3.2: with numerology 3 a slot has an eighth of a millisecond, and an eighth of the bytes.
#[test]
fn shorter_slots_carry_less_and_wait_less() {
    let mut queue = Queue::new(json!({ "numerology": 3 }));
    queue.come(1, Time::from_micros(1_300));
    queue.run(Time::from_millis(100));
    // From 1.375 ms on, 125 bytes a slot: 121, then 119 each with an offset.
    assert_eq!(queue.delivered(), [(1, 2_000)]);
}

/// TS 38.323 §5.3 note 2: the receiver waits for what was dropped after it had its number.
#[test]
fn a_drop_after_numbering_holds_up_what_follows() {
    let mut queue = Queue::new(json!({ "pdcp": { "t_reordering": "40 ms" } }));
    queue.come(4, Time::from_micros(1));
    queue.waiting.remove(1);
    queue.run(Time::from_millis(100));
    assert_eq!(queue.delivered(), [(1, 2_000), (3, 42_000), (4, 42_000)]);
    let (.., waits) = queue.ended[1];
    assert_eq!(waits[3], (Wait::Reordering, Time::from_millis(42)));
    assert_eq!(waits[2], (Wait::Harq, Time::from_millis(2)));
}

#[test]
fn a_drop_before_numbering_holds_nothing_up() {
    let numbering = json!({ "pdcp": { "t_reordering": "40 ms", "numbering": "at-transmission" } });
    let mut queue = Queue::new(numbering);
    queue.come(4, Time::from_micros(1));
    queue.waiting.remove(1);
    queue.run(Time::from_millis(100));
    assert_eq!(queue.delivered(), [(1, 2_000), (3, 2_000), (4, 3_000)]);
}

/// TS 38.321 §5.3.2: a block that is not decoded comes a round trip later, and PDCP keeps the order.
#[test]
fn a_retransmitted_block_delays_those_behind_it() {
    let mut queue = Queue::new(json!({ "harq": { "bler": 0.5, "retransmission_bler": 0, "round_trip": 4 } }));
    queue.come(100, Time::from_micros(1));
    queue.run(Time::from_millis(500));
    let keys: Vec<u32> = queue.delivered().iter().map(|(key, _)| *key).collect();
    assert_eq!(keys, (1..=100).collect::<Vec<_>>());
    let waits = |wait| {
        queue.ended.iter().any(|(.., waits)| {
            let at = waits.iter().position(|(own, _)| *own == wait).unwrap();
            waits[at].1 > waits[at - 1].1.max(waits[0].1)
        })
    };
    assert!(waits(Wait::Harq) && waits(Wait::Reordering));
}

/// In unacknowledged mode what HARQ gives up is lost; in acknowledged mode it comes later.
#[test]
fn acknowledged_mode_recovers_what_harq_gives_up() {
    let harq = json!({ "bler": 0.2, "max_transmissions": 1 });
    let count = |mode: &str| {
        let mut queue =
            Queue::new(json!({ "harq": harq, "rlc": { "mode": mode }, "pdcp": { "t_reordering": "3 s" } }));
        queue.come(200, Time::from_micros(1));
        queue.run(Time::from_secs(20));
        assert_eq!(queue.ended.len(), 200, "the way of each packet ends once");
        queue.delivered().len()
    };
    let um = count("um");
    assert!((130..190).contains(&um), "{um}");
    assert_eq!(count("am"), 200);
}

/// TS 38.321 §5.4.4: the wait for a grant is known to accounts.
#[test]
fn an_uplink_waits_for_its_grant() {
    let mut queue =
        Queue::new(json!({ "grants": { "sr_period": "10 ms", "delay": "4 ms", "first": "128 bytes" } }));
    queue.come(1, Time::from_micros(2_500));
    queue.run(Time::from_millis(100));
    // Asked at 10 ms, granted 128 bytes at 14 ms, reported, and granted the rest at 18 ms.
    assert_eq!(queue.delivered(), [(1, 19_000)]);
    let mut waits = Vec::new();
    queue.plane.queue_waits(Time::from_micros(2_500), Time::from_millis(14), &mut waits);
    let (queue, grant) = (Time::from_millis(3), Time::from_millis(14));
    assert_eq!(waits, [(Wait::Queue, queue), (Wait::Grant, grant), (Wait::Queue, grant)]);
}

/// TS 38.321 §5.7: a packet waits for the receiver's next on-duration.
#[test]
fn a_sleeping_receiver_is_reached_in_its_on_duration() {
    let mut queue =
        Queue::new(json!({ "drx": { "cycle": "40 ms", "on_duration": "8 ms", "inactivity": "10 ms" } }));
    queue.come(1, Time::from_millis(10));
    queue.run(Time::from_millis(100));
    assert_eq!(queue.delivered(), [(1, 41_000)]);
    queue.come(1, Time::from_millis(149));
    queue.run(Time::from_millis(300));
    assert_eq!(queue.delivered()[1], (2, 161_000));
    queue.come(1, Time::from_micros(168_500));
    queue.run(Time::from_millis(300));
    assert_eq!(queue.delivered()[2], (3, 170_000), "in the on-duration's inactivity timer");
}

/// Other users take their share of the slots.
#[test]
fn other_users_take_slots() {
    let users =
        json!({ "scheduler": { "users": [{ "rate": "8 Mbit/s", "count": 3 }], "average": "100 ms" } });
    let mut queue = Queue::new(users);
    queue.come(2000, Time::ZERO);
    queue.run(Time::from_secs(1));
    let count = queue.delivered().len();
    assert!((480..530).contains(&count), "a quarter of 2,000 in a second: {count}");
}

/// All parts at once; the way of each packet ends once, and runs are equal.
#[test]
fn runs_are_deterministic_and_lose_nothing_unsaid() {
    let all = json!({
        "numerology": 1,
        "rlc": { "mode": "am" },
        "harq": { "bler": 0.3, "max_transmissions": 2 },
        "scheduler": { "users": [{ "rate": "20 Mbit/s", "load": "4 Mbit/s", "count": 2, "fading": {} }], "fading": {} },
        "drx": {},
    });
    let run = || {
        let mut queue = Queue::new(all.clone());
        for ms in 0..500 {
            queue.run(Time::from_micros(7_300 * ms));
            queue.come(1 + (ms % 5) as u32, Time::from_micros(7_300 * ms));
        }
        queue.run(Time::from_secs(60));
        assert_eq!(queue.ended.len(), queue.numbers as usize);
        queue.ended
    };
    let first = run();
    assert!(first == run());
}

#[test]
fn a_slot_of_a_fixed_rate_is_its_share_of_the_subframe() {
    let mut plane = plane(json!({ "numerology": 2 }));
    assert_eq!((0..4).map(|slot| plane.own_bytes(slot)).collect::<Vec<_>>(), [250; 4]);
    assert_eq!(plane.supply.capacity(Time::ZERO, Time::from_millis(1)), Bytes::new(1000));
}
