use super::blue::{FALL, RISE};
use super::*;
use crate::Fifo;
use crate::testing::packet_with;
use jettison_core::Seed;
use jettison_measure::Tally;
use jettison_wire::Ecn;

const AQM: Aqm =
    Aqm { target: Duration::from_millis(5), interval: Duration::from_millis(100), mtu_time: Duration::ZERO };

/// A queue at a link, with everything that a dequeue needs.
struct Bench {
    cobalt: Cobalt,
    aqm: Aqm,
    fifo: Fifo,
    random: RandomStream,
    tally: Tally,
}

impl Bench {
    fn new(cobalt: Cobalt) -> Bench {
        let random = Seed(1).stream(&["blue"]);
        Bench { cobalt, aqm: AQM, fifo: Fifo::default(), random, tally: Tally::default() }
    }

    fn dequeue(&mut self, now: Time) -> Option<Packet> {
        let mut rules =
            Rules { aqm: &self.aqm, least: self.aqm.least(None), ecn: true, dropped: &mut |_: &Packet| {} };
        self.cobalt.dequeue(&mut rules, &mut self.fifo, &mut self.random, now, &mut self.tally)
    }

    /// Marks of a burst of ECN-capable packets of 1,514 bytes that arrive at `rate` packets/s from `from` on for `span`, at a
    /// link of 10 Mbit/s; then the link empties the queue.
    fn burst(&mut self, from: f64, span: f64, rate: f64) -> Vec<f64> {
        let (first, mut next) = (self.tally.marks.len(), from);
        let mut arrivals = (0..(span * rate) as u32).map(|n| from + f64::from(n) / rate).peekable();
        while arrivals.peek().is_some() || !self.fifo.is_empty() {
            match arrivals.next_if(|at| self.fifo.is_empty() || *at <= next) {
                Some(at) => {
                    next = if self.fifo.is_empty() { next.max(at) } else { next };
                    self.fifo.push(packet_with(0, 1500, Ecn::Ect0), seconds(at));
                }
                None => {
                    self.dequeue(seconds(next));
                    next += 1514.0 * 8.0 / 10e6;
                }
            }
        }
        self.tally.marks[first..].iter().map(|mark| mark.2.as_nanos() as f64 / 1e9).collect()
    }
}

fn blue(probability: f64) -> Blue {
    Blue { probability, ..Blue::default() }
}

fn with_blue(blue: Blue) -> Cobalt {
    Cobalt { blue, ..Cobalt::default() }
}

fn seconds(at: f64) -> Time {
    Time::from_nanos((at * 1e9) as u64)
}

#[test]
fn signals_follow_those_of_linux() {
    // Linux 6.1, `cake bandwidth 10mbit besteffort flows`, 1,000 packets/s: times between the first marks, in ms.
    let marks = Bench::new(Cobalt::default()).burst(0.0, 2.5, 1_000.0);
    let gaps: Vec<f64> = marks.windows(2).map(|pair| (pair[1] - pair[0]) * 1e3).collect();
    let linux = [70.2, 58.2, 49.6, 44.8, 40.0, 38.8, 35.1, 32.7, 31.5, 30.3];
    for (gap, linux) in gaps.iter().zip(linux) {
        assert!((gap - linux).abs() < 1.3, "{gap} and {linux}: packets are 1.2 ms apart");
    }
    // The first one came 30.3 ms after the first packet: as soon as a packet waits for more than 5 ms.
    assert!((0.029..0.032).contains(&marks[0]), "{}", marks[0]);
}

#[test]
fn the_count_falls_as_it_rose_and_a_rested_queue_waits_for_an_interval() {
    // Linux 6.1: a burst of 1 s at 850 packets/s, a pause, and a second burst. Time from the start of the second burst to its
    // first mark, and from that to the next, in ms.
    for (pause, first, second) in
        [(0.05, 195.1, 21.8), (0.2, 202.3, 25.4), (0.5, 219.2, 41.2), (1.0, 274.9, 70.3), (6.0, 274.9, 70.3)]
    {
        let mut bench = Bench::new(Cobalt::default());
        let before = bench.burst(0.0, 1.0, 850.0);
        assert!((28..=30).contains(&before.len()), "{}", before.len());
        let start = 1.0077 + pause;
        let marks = bench.burst(start, 0.7, 850.0);
        let (ours, gap) = ((marks[0] - start) * 1e3, (marks[1] - marks[0]) * 1e3);
        assert!((ours - first).abs() < 6.0 && (gap - second).abs() < 4.5, "{pause} s: {ours} then {gap}");
    }
}

#[test]
fn an_overflow_starts_signals_with_the_next_packet() {
    let mut bench = Bench::new(Cobalt::default());
    for id in 0..20 {
        bench.fifo.push(packet_with(id, 1500, Ecn::Ect0), Time::ZERO);
    }
    bench.cobalt.overflowed(&AQM, Time::from_millis(10));
    assert!(bench.cobalt.is_dropping() && bench.cobalt.count() == 1);
    bench.dequeue(Time::from_millis(11));
    bench.dequeue(Time::from_millis(12));
    assert_eq!(bench.tally.marks, [(0, MarkReason::CoDel, Time::from_millis(11))]);
    // The state is left once a packet has waited for less than the target.
    bench.fifo = Fifo::default();
    (0..2).for_each(|id| bench.fifo.push(packet_with(id, 1500, Ecn::Ect0), Time::from_millis(20)));
    bench.dequeue(Time::from_millis(21));
    assert!(!bench.cobalt.is_dropping());
}

#[test]
fn four_packets_are_no_standing_queue_nor_two_of_each_flow() {
    let aqm = Aqm { mtu_time: Duration::from_millis(12), ..AQM };
    assert_eq!(aqm.least(None), Duration::from_millis(48));
    assert_eq!(aqm.least(Some(1)), Duration::from_millis(48));
    assert_eq!(aqm.least(Some(10)), Duration::from_millis(240));
    assert_eq!(AQM.least(Some(10)), AQM.target);
}

#[test]
fn it_comes_to_rest_once_both_parts_have() {
    let mut cobalt = Cobalt::default();
    assert!(cobalt.is_at_rest(&AQM, Time::ZERO));
    cobalt.overflowed(&AQM, Time::ZERO);
    assert!(!cobalt.is_at_rest(&AQM, Time::from_millis(90)));
    // BLUE's probability falls only while the queue is empty, and takes 16 steps of 5 ms.
    cobalt.blue.empty_since = Some(Time::from_millis(100));
    assert!(!cobalt.is_at_rest(&AQM, Time::from_millis(170)));
    assert!(cobalt.is_at_rest(&AQM, Time::from_millis(180)));
}

#[test]
fn blue_rises_at_overflow_at_most_once_per_target() {
    let mut cobalt = Cobalt::default();
    for t in 0..100 {
        cobalt.overflowed(&AQM, Time::from_millis(t));
    }
    assert!((cobalt.blue.probability - 20.0 * RISE).abs() < 1e-12, "{}", cobalt.blue.probability);
}

#[test]
fn blue_falls_while_the_queue_is_empty() {
    let mut bench = Bench::new(with_blue(blue(3.0 * FALL)));
    for t in 0..10 {
        assert!(bench.dequeue(Time::from_millis(t)).is_none());
    }
    assert!((bench.cobalt.blue.probability - FALL).abs() < 1e-12, "{}", bench.cobalt.blue.probability);
    assert!(bench.dequeue(Time::from_millis(10)).is_none());
    assert_eq!(bench.cobalt.blue.probability, 0.0);
}

#[test]
fn blue_falls_as_long_as_the_queue_is_empty() {
    // A single overflow must not cost a flow packets for ever. Its queue is empty most of the time afterwards, but is
    // rarely polled while empty.
    let fallen = |empty_for: u64| {
        let mut bench = Bench::new(with_blue(blue(0.01)));
        assert!(bench.dequeue(Time::from_millis(100)).is_none());
        bench.fifo.push(packet_with(1, 1000, Ecn::Ect0), Time::from_millis(100 + empty_for));
        // The sojourn time of the packet does not count as empty time.
        bench.dequeue(Time::from_millis(100 + empty_for + 50));
        ((0.01 - bench.cobalt.blue.probability) / FALL).round()
    };
    assert_eq!([0, 4, 5, 14, 100, 10_000].map(fallen), [1.0, 1.0, 2.0, 3.0, 21.0, 41.0]);
}

#[test]
fn empty_time_counts_without_polls_of_the_empty_queue() {
    let mut bench = Bench::new(with_blue(Blue { changed: Some(Time::ZERO), ..blue(0.01) }));
    for t in [100, 120] {
        let now = Time::from_millis(t);
        bench.fifo.push(packet_with(1, 1000, Ecn::NotEct), now);
        assert!(bench.dequeue(now).is_some());
    }
    // Every 5 ms from 100 ms to 120 ms, both included.
    assert_eq!(((0.01 - bench.cobalt.blue.probability) / FALL).round(), 5.0);
}

#[test]
fn blue_drops_ecn_capable_packets_too() {
    let mut bench = Bench::new(with_blue(blue(0.25)));
    (0..4000).for_each(|id| bench.fifo.push(packet_with(id, 1000, Ecn::Ect0), Time::ZERO));
    while bench.dequeue(Time::ZERO).is_some() {}
    let drops = &bench.tally.drops;
    assert!((900..1100).contains(&drops.len()), "{}", drops.len());
    assert!(drops.iter().all(|drop| drop.1 == DropReason::Blue) && bench.tally.marks.is_empty());
}

#[test]
fn the_last_packet_of_a_queue_may_be_marked_but_is_not_dropped() {
    for (ecn, marks) in [(Ecn::NotEct, 0), (Ecn::Ect0, 1)] {
        let mut bench = Bench::new(with_blue(blue(1.0)));
        bench.cobalt.ramp.start(Time::ZERO);
        (0..3).for_each(|id| bench.fifo.push(packet_with(id, 1000, ecn), Time::ZERO));
        // By then a signal is due for each of them.
        let sent = bench.dequeue(Time::from_millis(200)).map(|packet| packet.meta.id);
        assert_eq!((sent, bench.tally.drops.len(), bench.tally.marks.len()), (Some(2), 2, marks));
    }
}
