//! Each rule of RFC 9332 appendix A.

use super::*;
use crate::testing::{build_error, packet_with};
use crate::{Dscp, Limit};
use jettison_core::Bytes;
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Ecn;
use serde_json::{Value, json};

fn dualpi2(parameters: DualPi2Parameters) -> DualPi2 {
    DualPi2::new(parameters).unwrap_or_else(|error| panic!("{error}"))
}

/// Sends `arrivals` packets through, one at a time and without delay, at a fixed p'.
fn through(p_prime: f64, ecn: Ecn, arrivals: u32) -> (Tally, Vec<Packet>) {
    let (mut queue, mut tally, mut sent) =
        (dualpi2(DualPi2Parameters::default()), Tally::default(), Vec::new());
    queue.p_prime = p_prime;
    for id in 0..arrivals {
        queue.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally);
        sent.extend(queue.dequeue(Time::ZERO, &mut tally));
    }
    (tally, sent)
}

/// Both queues with `each` packets of the given lengths; ids from 0 in L and from 10,000 in C.
fn both_backlogged(parameters: DualPi2Parameters, each: u32, l4s: u16, classic: u16) -> DualPi2 {
    let mut queue = dualpi2(DualPi2Parameters { limit: Limit::UNLIMITED, ..parameters });
    for n in 0..each {
        queue.enqueue(packet_with(n, l4s, Ecn::Ect1), Time::ZERO, &mut NoOutcomes);
        queue.enqueue(packet_with(10_000 + n, classic, Ecn::Ect0), Time::ZERO, &mut NoOutcomes);
    }
    queue
}

#[test]
fn ect1_and_ce_go_to_the_l_queue_all_others_to_the_classic() {
    // RFC 9332 §2.3
    let mut queue = dualpi2(DualPi2Parameters::default());
    for (id, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect0), (2, Ecn::Ect1), (3, Ecn::Ce)] {
        queue.enqueue(packet_with(id, 100, ecn), Time::ZERO, &mut NoOutcomes);
    }
    assert_eq!((queue.l4s.backlog().packets, queue.classic.backlog().packets), (2, 2));
    assert_eq!(queue.l4s.head().map(|packet| packet.meta.id), Some(2));
}

#[test]
fn p_prime_follows_the_greater_delay() {
    // RFC 9332 appendix A.2, dualpi2_update
    let second = Time::from_secs(1);
    let after = |l4s_ms: u64, classic_ms: u64| {
        let mut queue = dualpi2(DualPi2Parameters::default());
        let since = |ms: u64| Time::from_millis(1000 - ms);
        queue.l4s.push(packet_with(0, 1000, Ecn::Ect1), since(l4s_ms));
        queue.classic.push(packet_with(1, 1000, Ecn::Ect0), since(classic_ms));
        queue.p_prime = 0.1;
        queue.last_delay = Duration::from_millis(10);
        queue.handle_wakeup(second, &mut NoOutcomes);
        assert_eq!(queue.last_delay, Duration::from_millis(20));
        queue.p_prime()
    };
    let expected = 0.1 + 0.15 * 0.005 + 3.0 * 0.010;
    assert!((after(1, 20) - expected).abs() < 1e-12, "{}", after(1, 20));
    assert!((after(20, 1) - expected).abs() < 1e-12, "{}", after(20, 1));
}

#[test]
fn p_prime_stays_within_bounds_and_is_updated_every_t_update() {
    let mut queue = dualpi2(DualPi2Parameters::default());
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(15)));
    queue.handle_wakeup(Time::from_millis(15), &mut NoOutcomes);
    assert_eq!((queue.p_prime(), queue.next_wakeup()), (0.0, Some(Time::from_millis(30))));
    queue.enqueue(packet_with(1, 1000, Ecn::Ect0), Time::from_millis(16), &mut NoOutcomes);
    queue.handle_wakeup(Time::from_secs(100), &mut NoOutcomes);
    assert_eq!((queue.p_prime(), queue.next_wakeup()), (1.0, Some(Time::from_millis(100_015))));
}

#[test]
fn classic_packets_are_signalled_with_the_square() {
    // RFC 9332 §2.4 (2), appendix A.1: p_C = p'^2
    let (tally, sent) = through(0.3, Ecn::NotEct, 10_000);
    assert!((899..=901).contains(&tally.drops.len()), "{}", tally.drops.len());
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::DualPi2));
    assert_eq!(sent.len() + tally.drops.len(), 10_000);
    let (tally, sent) = through(0.3, Ecn::Ect0, 10_000);
    assert!((899..=901).contains(&tally.marks.len()), "{}", tally.marks.len());
    assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::DualPi2Classic) && tally.drops.is_empty());
    assert_eq!(sent.iter().filter(|packet| packet.ecn() == Ecn::Ce).count(), tally.marks.len());
}

#[test]
fn l4s_packets_are_marked_with_k_times_p_prime() {
    // RFC 9332 §2.4 (3), appendix A.1: p_CL = k * p'
    let (tally, sent) = through(0.3, Ecn::Ect1, 10_000);
    assert!((5_999..=6_001).contains(&tally.marks.len()), "{}", tally.marks.len());
    assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::DualPi2L4s) && tally.drops.is_empty());
    assert_eq!(sent.iter().filter(|packet| packet.ecn() == Ecn::Ce).count(), tally.marks.len());
}

#[test]
fn signals_are_evenly_spaced() {
    // RFC 9332 appendix A.1, recur
    let (tally, _) = through(0.05, Ecn::Ect1, 1000);
    let gaps: Vec<u32> = tally.marks.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    assert!(gaps.len() > 95 && gaps.iter().all(|gap| (10..=11).contains(gap)), "{gaps:?}");
}

#[test]
fn the_native_ramp_marks_between_min_th_and_its_end() {
    // RFC 9332 appendix A.1, laqm: 0 at 800 us, 1 at 1,200 us
    let mut queue = dualpi2(DualPi2Parameters::default());
    queue.l4s.push(packet_with(1, 1000, Ecn::Ect1), Time::ZERO);
    let ramp = |micros| queue.ramp(Duration::from_micros(micros));
    assert_eq!((ramp(799), ramp(800), ramp(1200), ramp(5000)), (0.0, 0.0, 1.0, 1.0));
    assert!((ramp(900) - 0.25).abs() < 1e-12 && (ramp(1100) - 0.75).abs() < 1e-12);
}

#[test]
fn a_range_of_zero_makes_it_a_step() {
    // RFC 9332 appendix A.1, note c
    let mut queue = dualpi2(DualPi2Parameters { range: Duration::ZERO, ..Default::default() });
    queue.l4s.push(packet_with(1, 1000, Ecn::Ect1), Time::ZERO);
    assert_eq!(queue.ramp(Duration::from_nanos(799_999)), 0.0);
    assert_eq!(queue.ramp(Duration::from_micros(800)), 1.0);
}

#[test]
fn a_lone_packet_is_not_marked_by_the_ramp() {
    // RFC 9332 appendix A.2: "zeroed if the queue is only 1 packet", Th_len = 1
    let mut queue = dualpi2(DualPi2Parameters::default());
    let mut tally = Tally::default();
    for id in 0..4 {
        queue.enqueue(packet_with(id, 1000, Ecn::Ect1), Time::ZERO, &mut tally);
    }
    for _ in 0..4 {
        queue.dequeue(Time::from_millis(2), &mut tally);
    }
    // recur passes 1 at the second certain packet; the fourth leaves nothing behind.
    assert_eq!(tally.marks.iter().map(|mark| mark.0).collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn the_greater_of_coupled_and_native_probability_marks() {
    // RFC 9332 §2.4 (4), appendix A.1: p_L = max(p'_L, p_CL)
    let marks = |p_prime, micros| {
        let mut queue = both_backlogged(DualPi2Parameters::default(), 2000, 1000, 1000);
        let mut tally = Tally::default();
        queue.p_prime = p_prime;
        while queue.l4s.backlog().packets > 1000 {
            queue.dequeue(Time::from_micros(micros), &mut tally);
        }
        tally.marks.iter().filter(|mark| mark.1 == MarkReason::DualPi2L4s).count()
    };
    assert!((249..=251).contains(&marks(0.05, 900)), "{}", marks(0.05, 900));
    assert!((399..=401).contains(&marks(0.2, 900)), "{}", marks(0.2, 900));
}

#[test]
fn overload_drops_from_the_l_queue_with_the_square() {
    // RFC 9332 appendix A.2: p_CL >= p_Lmax = 1
    let (tally, sent) = through(0.6, Ecn::Ect1, 10_000);
    assert!((3_599..=3_601).contains(&tally.drops.len()), "{}", tally.drops.len());
    assert!(tally.drops.iter().all(|drop| drop.1 == DropReason::DualPi2));
    // The first certain mark only fills the count.
    assert!(sent.iter().filter(|packet| packet.ecn() != Ecn::Ce).count() <= 1);
    assert!(through(0.49, Ecn::Ect1, 10_000).0.drops.is_empty());
}

#[test]
fn overload_disables_ecn_in_the_classic_queue() {
    // RFC 9332 appendix A.2: p_C >= p_Cmax = 1/k^2
    assert!(through(0.49, Ecn::Ect0, 10_000).0.drops.is_empty());
    let (tally, _) = through(0.5, Ecn::Ect0, 10_000);
    assert!(tally.marks.is_empty() && (2_499..=2_501).contains(&tally.drops.len()), "{}", tally.drops.len());
}

#[test]
fn the_l_queue_is_served_first_but_the_classic_gets_its_share_of_bytes() {
    // RFC 9332 §4.2.2: conditional priority by weight
    for (l4s, classic) in [(1500, 1500), (100, 1500), (1500, 100)] {
        let mut queue = both_backlogged(DualPi2Parameters::default(), 5000, l4s, classic);
        let mut bytes = [0u64; 2];
        for n in 0..2000 {
            let packet = queue.dequeue(Time::ZERO, &mut NoOutcomes).expect("both have a backlog");
            assert!(n > 0 || packet.meta.id < 10_000, "L is first");
            bytes[usize::from(packet.meta.id >= 10_000)] += u64::from(packet.meta.length);
        }
        let share = bytes[1] as f64 / (bytes[0] + bytes[1]) as f64;
        assert!((share - 1.0 / 16.0).abs() < 0.01, "{share} for {l4s} and {classic} bytes");
    }
}

#[test]
fn unused_credit_of_the_classic_queue_expires() {
    let mut queue = both_backlogged(DualPi2Parameters::default(), 10, 1500, 1500);
    queue.dequeue(Time::ZERO, &mut NoOutcomes);
    assert!(queue.earned > 0.0);
    while queue.classic.pop().is_some() {}
    queue.dequeue(Time::ZERO, &mut NoOutcomes);
    assert_eq!(queue.earned, 0.0);
}

#[test]
fn a_time_shifted_fifo_serves_what_has_waited_longest_with_a_head_start_for_l() {
    // RFC 9332 §4.2.2, appendix B.1, scheduler(): ties go to L
    let parameters = DualPi2Parameters { scheduler: Scheduler::TsFifo, ..Default::default() };
    let first = |classic_ahead_by: u64| {
        let mut queue = dualpi2(parameters.clone());
        queue.enqueue(packet_with(1, 1000, Ecn::Ect0), Time::ZERO, &mut NoOutcomes);
        let later = Time::from_millis(classic_ahead_by);
        queue.enqueue(packet_with(2, 1000, Ecn::Ect1), later, &mut NoOutcomes);
        queue.dequeue(Time::from_millis(200), &mut NoOutcomes).map(|packet| packet.meta.id)
    };
    assert_eq!((first(50), first(51)), (Some(2), Some(1)));
}

#[test]
fn both_queues_share_one_buffer() {
    // RFC 9332 appendix A.1: lq.byt() + cq.byt()
    let mut queue = dualpi2(DualPi2Parameters { limit: Limit::packets(2), ..Default::default() });
    let mut tally = Tally::default();
    for (id, ecn) in [(0, Ecn::Ect1), (1, Ecn::Ect0), (2, Ecn::Ect1), (3, Ecn::Ect0)] {
        queue.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally);
    }
    let full = |id| (id, DropReason::BufferFull, Time::ZERO);
    assert_eq!(tally.drops, [full(2), full(3)]);
}

#[test]
fn a_dropped_packet_gives_way_to_the_next() {
    let mut queue = both_backlogged(DualPi2Parameters::default(), 20, 1000, 1000);
    queue.p_prime = 1.0;
    let mut tally = Tally::default();
    // recur passes 1 at the second packet of each queue: one of each is sent, all others are dropped.
    let sent = std::iter::from_fn(|| queue.dequeue(Time::ZERO, &mut tally)).count();
    assert_eq!((sent, tally.drops.len(), queue.backlog()), (2, 38, Backlog::default()));
}

#[test]
fn defaults_are_those_of_the_rfc() {
    // RFC 9332 appendix A.1, with RTT_max = 100 ms
    let defaults = DualPi2Parameters::default();
    let (t_update, rtt_max) = (0.015, 0.1);
    assert_eq!((defaults.target, defaults.t_update), (Duration::from_millis(15), Duration::from_millis(15)));
    assert!((defaults.alpha.get() - 0.1 * t_update / (rtt_max * rtt_max)).abs() < 1e-12);
    assert!((defaults.beta.get() - 0.3 / rtt_max).abs() < 1e-12);
    assert_eq!((defaults.min_th, defaults.range), (Duration::from_micros(800), Duration::from_micros(400)));
    assert_eq!((defaults.k, defaults.th_len), (2.0, 1));
    // §4.2.2: "e.g., 1/16"; appendix A.2: "a good value for tshift is 50 ms"
    assert_eq!((defaults.classic_share, defaults.t_shift), (1.0 / 16.0, Duration::from_millis(50)));
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: Value| build_error(json!({ "kind": "dualpi2", key: value })).0;
    assert_eq!(error("t_update", json!("0 ms")), "t_update");
    assert_eq!(error("k", json!(0.0)), "k");
    assert_eq!(error("classic_share", json!(0.0)), "classic_share");
    assert_eq!(error("classic_share", json!(1.0)), "classic_share");
    assert_eq!(error("scheduler", json!("fair")), "scheduler");
}

fn read(value: Value) -> DualPi2Parameters {
    serde_json::from_value(value).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_linux_preset_has_the_defaults_of_the_manual_page() {
    // tc-dualpi2(8) of iproute2 7.3; min_backlog: RFC 9332 appendix A.1, what the Linux reference implementation includes.
    let linux = read(json!({ "preset": "linux" }));
    assert_eq!((linux.target, linux.t_update), (Duration::from_millis(15), Duration::from_millis(16)));
    assert_eq!((linux.alpha.get(), linux.beta.get(), linux.k), (0.16, 3.2, 2.0));
    assert_eq!((linux.min_th, linux.range, linux.th_len), (Duration::from_millis(1), Duration::ZERO, 0));
    assert_eq!((linux.overload, linux.aqm_at, linux.ect), (Overload::Drop, AqmAt::Dequeue, Ect::L4s));
    assert_eq!((linux.classic_share, linux.limit), (0.1, Limit::packets(10_000)));
    assert_eq!(linux.min_backlog, Bytes::new(3000));
    assert_eq!(read(json!({})), DualPi2Parameters::default());
    // A key that is given stays as it is given, and a table that was written out reads back.
    let with_target = read(json!({ "preset": "linux", "target": "5 ms" }));
    assert_eq!(with_target, DualPi2Parameters { target: Duration::from_millis(5), ..linux });
    assert_eq!(read(serde_json::to_value(&with_target).unwrap()), with_target);
}

#[test]
fn target_and_gains_follow_from_the_rtts() {
    // RFC 9332 appendix A.1, figure 2; tc-dualpi2(8): max_rtt = 6 typical_rtt where one is missing.
    let of_both = read(json!({ "max_rtt": "100 ms", "typical_rtt": "15 ms" }));
    let rfc = DualPi2Parameters::default();
    assert_eq!((of_both.target, of_both.t_update), (rfc.target, rfc.t_update));
    assert!((of_both.alpha.get() - 0.15).abs() < 1e-12 && (of_both.beta.get() - 3.0).abs() < 1e-12);
    let of_one = read(json!({ "typical_rtt": "1 ms" }));
    assert_eq!((of_one.target, of_one.t_update), (Duration::from_millis(1), Duration::from_millis(1)));
    assert!((of_one.beta.get() - 50.0).abs() < 1e-9, "{}", of_one.beta);
    assert_eq!(read(json!({ "max_rtt": "6 ms" })).target, Duration::from_millis(1));
    dualpi2(of_one);
}

#[test]
fn keys_that_contradict_each_other_are_refused() {
    let error = |mut value: Value| {
        value["kind"] = json!("dualpi2");
        build_error(value)
    };
    let (key, message) = error(json!({ "preset": "linux", "range": "400 us" }));
    assert_eq!(key, "range");
    assert!(message.contains("must be 0 ms with `preset") && message.contains("got 400 us"), "{message}");
    assert_eq!(error(json!({ "preset": "linux", "scheduler": "ts-fifo" })).0, "scheduler");
    let (key, message) = error(json!({ "max_rtt": "60 ms", "alpha": "0.16 Hz" }));
    assert_eq!(key, "alpha");
    assert!(message.contains("must be left out with `max_rtt`"), "{message}");
    assert_eq!(error(json!({ "typical_rtt": "10 ms", "target": "15 ms" })).0, "target");
    assert_eq!(error(json!({ "max_rtt": "0 ms" })).0, "max_rtt");
    assert_eq!(error(json!({ "preset": "kernel" })).0, "preset");
    assert_eq!(error(json!({ "l_dscp": ["NBQ"] })).0, "l_dscp.0");
}

#[test]
fn any_ect_puts_ect0_into_the_l_queue_with_its_marking() {
    // tc-dualpi2(8): any_ect
    let mut queue = dualpi2(DualPi2Parameters { ect: Ect::Any, ..Default::default() });
    queue.p_prime = 0.3;
    let mut tally = Tally::default();
    for id in 0..1000 {
        queue.enqueue(packet_with(id, 1000, Ecn::Ect0), Time::ZERO, &mut tally);
        assert_eq!(queue.l4s.backlog().packets, 1);
        queue.dequeue(Time::ZERO, &mut tally);
    }
    assert!((599..=601).contains(&tally.marks.len()), "{}", tally.marks.len());
    assert!(tally.marks.iter().all(|mark| mark.1 == MarkReason::DualPi2L4s));
}

#[test]
fn overflow_caps_p_prime_and_drops_nothing_capable() {
    // RFC 9332 §4.2.3: "the drop and marking probabilities of both queues could be capped"
    let parameters = DualPi2Parameters { overload: Overload::Overflow, ..Default::default() };
    let mut queue = both_backlogged(parameters, 1000, 1000, 1000);
    queue.handle_wakeup(Time::from_secs(100), &mut NoOutcomes);
    assert_eq!(queue.p_prime(), 0.5);
    let mut tally = Tally::default();
    let sent = std::iter::from_fn(|| queue.dequeue(Time::from_secs(100), &mut tally)).count();
    assert_eq!((sent, tally.drops.len()), (2000, 0));
    let of = |reason| tally.marks.iter().filter(|mark| mark.1 == reason).count();
    assert!(of(MarkReason::DualPi2L4s) >= 999, "{}", of(MarkReason::DualPi2L4s));
    assert!((249..=251).contains(&of(MarkReason::DualPi2Classic)), "{}", of(MarkReason::DualPi2Classic));
}

#[test]
fn aqm_at_enqueue_signals_arrivals_and_leaves_the_ramp_to_departures() {
    // tc-dualpi2(8): drop_enqueue; "the step_thresh based L4S marking is always at dequeue"
    let parameters = DualPi2Parameters { aqm_at: AqmAt::Enqueue, ..Default::default() };
    let arrivals = |ecn| {
        let mut queue = dualpi2(parameters.clone());
        queue.p_prime = 0.3;
        let mut tally = Tally::default();
        for id in 0..1000 {
            queue.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally);
        }
        let signals = (tally.marks.len(), tally.drops.len());
        // Without a delay a departure adds nothing.
        while queue.dequeue(Time::ZERO, &mut tally).is_some() {}
        assert_eq!((tally.marks.len(), tally.drops.len()), signals);
        signals
    };
    assert!((599..=601).contains(&arrivals(Ecn::Ect1).0));
    assert!((89..=91).contains(&arrivals(Ecn::NotEct).1) && (89..=91).contains(&arrivals(Ecn::Ect0).0));
    let mut queue = dualpi2(parameters);
    let mut tally = Tally::default();
    for id in 0..100 {
        queue.enqueue(packet_with(id, 1000, Ecn::Ect1), Time::ZERO, &mut tally);
    }
    assert!(tally.marks.is_empty());
    while queue.dequeue(Time::from_millis(2), &mut tally).is_some() {}
    // All but the first, which only fills the count, and the last, which is alone.
    assert_eq!(tally.marks.len(), 98);
}

#[test]
fn overload_drops_from_both_queues_at_arrivals_too() {
    let parameters =
        DualPi2Parameters { aqm_at: AqmAt::Enqueue, limit: Limit::UNLIMITED, ..Default::default() };
    for ecn in [Ecn::Ect1, Ecn::Ect0] {
        let mut queue = dualpi2(parameters.clone());
        queue.p_prime = 0.6;
        let mut tally = Tally::default();
        (0..10_000).for_each(|id| queue.enqueue(packet_with(id, 1000, ecn), Time::ZERO, &mut tally));
        assert!((3_599..=3_601).contains(&tally.drops.len()), "{ecn:?}: {}", tally.drops.len());
    }
}

#[test]
fn nothing_is_signalled_below_the_least_backlog() {
    // RFC 9332 appendix A.1: "not applied to a packet if the aggregate queue length in bytes is < 2 MTU"
    let signals = |behind: u32, ecn| {
        let mut queue =
            dualpi2(DualPi2Parameters { min_backlog: Bytes::new(3000), ..DualPi2Parameters::default() });
        let mut tally = Tally::default();
        queue.p_prime = 0.49;
        for round in 0..100 {
            for id in 0..=behind {
                queue.enqueue(packet_with(1000 * round + id, 1500, ecn), Time::ZERO, &mut tally);
            }
            queue.dequeue(Time::ZERO, &mut tally);
            while queue.l4s.pop().is_some() || queue.classic.pop().is_some() {}
        }
        tally.marks.len()
    };
    assert_eq!((signals(0, Ecn::Ect1), signals(0, Ecn::Ect0)), (0, 0));
    assert!((97..=99).contains(&signals(1, Ecn::Ect1)) && (23..=25).contains(&signals(1, Ecn::Ect0)));
}

/// A packet of NQB traffic.
fn nqb(id: u32, ecn: Ecn) -> Packet {
    let mut packet = packet_with(id, 200, ecn);
    packet.meta.traffic_class |= Dscp::NQB.get() << 2;
    packet
}

#[test]
fn packets_of_a_listed_dscp_are_in_the_l_queue() {
    // RFC 9331 §5.4.1.1; NQB draft §3.3: NQB and L4S traffic can share the low-latency queue.
    let mut queue = dualpi2(DualPi2Parameters { l_dscp: vec![Dscp::NQB], ..Default::default() });
    for (id, ecn) in [(0, Ecn::NotEct), (1, Ecn::Ect0), (2, Ecn::Ect1), (3, Ecn::Ce)] {
        queue.enqueue(nqb(id, ecn), Time::ZERO, &mut NoOutcomes);
    }
    queue.enqueue(packet_with(4, 200, Ecn::NotEct), Time::ZERO, &mut NoOutcomes);
    assert_eq!((queue.l4s.backlog().packets, queue.classic.backlog().packets), (4, 1));
    let by_default = read(json!({}));
    assert!(by_default.l_dscp.is_empty(), "RFC 9332 classifies by ECN alone");
}

#[test]
fn guests_of_the_l_queue_are_signalled_as_classic_packets() {
    // RFC 9332 §2.5.1.1: ECT(0) marked, Not-ECT dropped, by a probability appropriate to Classic congestion control.
    let signals = |ecn, p_prime, drop| {
        let parameters = json!({ "l_dscp": ["NQB"], "l_dscp_drop": drop });
        let mut queue = dualpi2(read(parameters));
        queue.p_prime = p_prime;
        let mut tally = Tally::default();
        for id in 0..10_000 {
            queue.enqueue(nqb(id, ecn), Time::ZERO, &mut tally);
            queue.dequeue(Time::ZERO, &mut tally);
        }
        (tally.marks.len(), tally.drops.len())
    };
    let near = |found: usize, expected: usize| found.abs_diff(expected) <= 1;
    let (marks, drops) = signals(Ecn::Ect0, 0.3, true);
    assert!(near(marks, 900) && drops == 0, "{marks} {drops}");
    let (marks, drops) = signals(Ecn::NotEct, 0.3, true);
    assert!(marks == 0 && near(drops, 900), "{marks} {drops}");
    // "if separate queue protection is provided, the L AQM SHOULD ignore the packet and forward it unchanged"
    assert_eq!(signals(Ecn::NotEct, 0.3, false), (0, 0));
    // ECT(1) is L4S traffic whatever its DSCP.
    let (marks, drops) = signals(Ecn::Ect1, 0.3, true);
    assert!(near(marks, 6_000) && drops == 0, "{marks} {drops}");
    // Overload drops what is capable as well.
    let (marks, drops) = signals(Ecn::Ect0, 0.6, true);
    assert!(marks == 0 && near(drops, 3_600), "{marks} {drops}");
}

#[test]
fn a_guest_is_signalled_by_the_delay_of_the_l_queue() {
    // With p_L = 1 by the ramp, eq. (1) gives (1 / k)^2.
    let mut queue = dualpi2(DualPi2Parameters { l_dscp: vec![Dscp::NQB], ..Default::default() });
    let mut tally = Tally::default();
    (0..1001).for_each(|id| queue.enqueue(nqb(id, Ecn::NotEct), Time::ZERO, &mut tally));
    while queue.dequeue(Time::from_millis(5), &mut tally).is_some() {}
    assert!((249..=251).contains(&tally.drops.len()), "{}", tally.drops.len());
}
