//! Each rule of RFC 8033.

use super::*;
use crate::testing::{build_error, packet, packet_with};
use jettison_core::Seed;
use jettison_measure::{NoOutcomes, Tally};
use jettison_wire::Ecn;
use serde_json::{Value, json};

fn pie(parameters: PieParameters) -> Pie {
    Pie::new(parameters, Seed(1).stream(&["pie"])).unwrap_or_else(|error| panic!("{error}"))
}

/// A congested queue with a spent burst allowance and a constant drop probability.
fn congested(parameters: PieParameters, drop_prob: f64) -> Pie {
    let mut queue = pie(PieParameters { limit: Limit::UNLIMITED, ..parameters });
    for id in 0..3 {
        queue.enqueue(packet(id, 1500), Time::ZERO, &mut NoOutcomes);
    }
    queue.state.drop_prob = drop_prob;
    queue.state.burst_allowance = Duration::ZERO;
    queue.state.qdelay_old = Duration::from_millis(20);
    queue.updates = UpdateTimer::new(Duration::from_secs(200));
    queue
}

/// Sends `arrivals` packets through a queue that holds three more.
fn through(mut queue: Pie, ecn: Ecn, arrivals: u32) -> Tally {
    let mut tally = Tally::default();
    for id in 0..arrivals {
        let before = queue.backlog().packets;
        queue.enqueue(packet_with(id, 1500, ecn), Time::ZERO, &mut tally);
        if queue.backlog().packets > before {
            queue.dequeue(Time::ZERO, &mut tally);
        }
    }
    tally
}

/// Whether the next arrival is dropped or marked.
fn drops(queue: &mut Pie) -> bool {
    queue.state.drop_early(&queue.settings, queue.fifo.backlog().bytes, &mut queue.random)
}

/// Runs `count` updates with a head sojourn time of `delay`.
fn updates(queue: &mut Pie, delay: Duration, count: u32) {
    for _ in 0..count {
        let now = queue.updates.next();
        while queue.dequeue(now, &mut NoOutcomes).is_some() {}
        if !delay.is_zero() {
            let since = Time::from_nanos(now.as_nanos().saturating_sub(delay.as_nanos()));
            queue.fifo.push(packet(1, 1500), since);
        }
        queue.handle_wakeup(now, &mut NoOutcomes);
    }
}

#[test]
fn the_probability_follows_both_gains() {
    // RFC 8033 §4.2: p = alpha * (qdelay - QDELAY_REF) + beta * (qdelay - qdelay_old)
    let mut queue = congested(PieParameters { cap_adjustment: false, ..Default::default() }, 0.2);
    updates(&mut queue, Duration::from_millis(30), 1);
    let expected = 0.2 + 0.125 * (0.030 - 0.015) + 1.25 * (0.030 - 0.020);
    assert!((queue.drop_prob() - expected).abs() < 1e-12, "{}", queue.drop_prob());
    assert_eq!(queue.state.qdelay_old, Duration::from_millis(30));
}

#[test]
fn a_small_probability_moves_in_small_steps() {
    // RFC 8033 §4.2: auto-tuning
    let step = 0.125 * 0.015;
    for (from, divisor) in [
        (0.000_000_5, 2048.0),
        (0.000_005, 512.0),
        (0.000_05, 128.0),
        (0.000_5, 32.0),
        (0.005, 8.0),
        (0.05, 2.0),
        (0.5, 1.0),
    ] {
        let mut queue = congested(PieParameters::default(), from);
        queue.state.qdelay_old = Duration::from_millis(30);
        updates(&mut queue, Duration::from_millis(30), 1);
        let moved = queue.drop_prob() - from;
        assert!((moved - step / divisor).abs() < 1e-12, "{from}: {moved} for {}", step / divisor);
    }
}

#[test]
fn the_probability_decays_exponentially_once_the_queue_is_empty() {
    // RFC 8033 §4.2: 2 % an update on top of the controller's own fall
    let mut queue = congested(PieParameters::default(), 0.5);
    queue.state.qdelay_old = Duration::ZERO;
    updates(&mut queue, Duration::ZERO, 1);
    let expected = (0.5 - 0.125 * 0.015) * 0.98;
    assert!((queue.drop_prob() - expected).abs() < 1e-12, "{}", queue.drop_prob());
    let mut queue = congested(PieParameters::default(), 0.5);
    queue.state.qdelay_old = Duration::from_millis(1);
    updates(&mut queue, Duration::from_millis(1), 1);
    assert!((queue.drop_prob() - (0.5 - 0.125 * 0.014)).abs() < 1e-12, "no decay: {}", queue.drop_prob());
}

#[test]
fn the_probability_stays_within_bounds() {
    // RFC 8033 §4.2
    let mut queue = congested(PieParameters::default(), 0.000_001);
    updates(&mut queue, Duration::from_millis(1), 1);
    assert_eq!(queue.drop_prob(), 0.0);
    updates(&mut queue, Duration::from_secs(100), 200);
    assert_eq!(queue.drop_prob(), 1.0);
}

#[test]
fn a_high_probability_rises_by_two_per_cent_at_most() {
    // RFC 8033 §5.5
    let risen = |cap_adjustment, from| {
        let mut queue = congested(PieParameters { cap_adjustment, ..Default::default() }, from);
        updates(&mut queue, Duration::from_millis(500), 1);
        queue.drop_prob() - from
    };
    assert!((risen(true, 0.1) - 0.02).abs() < 1e-12);
    assert!(risen(false, 0.1) > 0.6);
    assert!(risen(true, 0.09) > 0.3);
}

#[test]
fn a_burst_is_let_through_until_its_allowance_is_spent() {
    // RFC 8033 §4.4: 150 ms are ten updates
    let mut queue = pie(PieParameters::default());
    queue.state.drop_prob = 1.0;
    updates(&mut queue, Duration::from_millis(100), 9);
    assert_eq!(queue.burst_allowance(), Duration::from_millis(15));
    let mut tally = Tally::default();
    for id in 0..5 {
        queue.enqueue(packet(id, 1500), queue.updates.next(), &mut tally);
    }
    assert!(tally.drops.is_empty());
    queue.handle_wakeup(queue.updates.next(), &mut tally);
    assert!(queue.burst_allowance().is_zero());
    queue.enqueue(packet(9, 1500), queue.updates.next(), &mut tally);
    assert_eq!(tally.drops.len(), 1);
}

#[test]
fn the_allowance_is_given_again_when_congestion_is_over() {
    // RFC 8033 §4.4, appendix A: on an arrival, with probability 0 and both delays below half the target
    let after_arrival = |old_ms: u64, now_ms: u64, drop_prob: f64| {
        let mut queue = pie(PieParameters::default());
        queue.enqueue(packet(1, 1500), Time::ZERO, &mut NoOutcomes);
        queue.state.burst_allowance = Duration::ZERO;
        queue.state.qdelay_old = Duration::from_millis(old_ms);
        queue.state.drop_prob = drop_prob;
        queue.enqueue(packet(2, 1500), Time::from_millis(now_ms), &mut NoOutcomes);
        queue.burst_allowance()
    };
    assert_eq!(after_arrival(7, 7, 0.0), Duration::from_millis(150));
    assert_eq!(after_arrival(8, 7, 0.0), Duration::ZERO);
    assert_eq!(after_arrival(7, 8, 0.0), Duration::ZERO);
    assert_eq!(after_arrival(7, 7, 1e-9), Duration::ZERO);
}

#[test]
fn the_allowance_falls_at_updates_even_when_congestion_is_over() {
    // RFC 8033 §4.4, appendix A: calculate_drop_prob only takes from it.
    let mut queue = pie(PieParameters::default());
    updates(&mut queue, Duration::from_millis(1), 3);
    assert_eq!(queue.burst_allowance(), Duration::from_millis(105));
}

#[test]
fn nothing_is_dropped_below_half_the_target_at_a_low_probability() {
    // RFC 8033 §4.1
    let queue = |drop_prob, qdelay_old| {
        let mut queue = congested(PieParameters { derandomise: false, ..Default::default() }, drop_prob);
        queue.state.qdelay_old = Duration::from_micros(qdelay_old);
        through(queue, Ecn::NotEct, 1000).drops.len()
    };
    assert_eq!(queue(0.19, 7_499), 0);
    assert!(queue(0.19, 7_500) > 100);
    assert!(queue(0.20, 7_499) > 100);
}

#[test]
fn nothing_is_dropped_while_two_packets_wait() {
    // RFC 8033 §4.1: queue_.byte_length() <= 2 * MEAN_PKTSIZE
    let mut queue = congested(PieParameters::default(), 1.0);
    while queue.dequeue(Time::ZERO, &mut NoOutcomes).is_some() {}
    let mut tally = Tally::default();
    queue.enqueue(packet(1, 1024), Time::ZERO, &mut tally);
    queue.enqueue(packet(2, 1024), Time::ZERO, &mut tally);
    queue.enqueue(packet(3, 1024), Time::ZERO, &mut tally);
    assert!(tally.drops.is_empty());
    queue.enqueue(packet(4, 1024), Time::ZERO, &mut tally);
    assert_eq!(tally.drops, [(4, DropReason::Pie, Time::ZERO)]);
}

#[test]
fn arrivals_are_dropped_with_the_probability() {
    // RFC 8033 §4.1
    let parameters = PieParameters { derandomise: false, ..Default::default() };
    let drops = through(congested(parameters, 0.1), Ecn::NotEct, 100_000).drops.len();
    assert!((9_700..10_300).contains(&drops), "{drops}");
}

#[test]
fn derandomised_drops_are_neither_close_nor_far() {
    // RFC 8033 §5.4: not before 0.85 / p packets, not after 8.5 / p
    let drops = through(congested(PieParameters::default(), 0.05), Ecn::NotEct, 100_000).drops;
    let gaps: Vec<u32> = drops.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    // 0.85 / 0.05 = 17 and 8.5 / 0.05 = 170; sums of 0.05 round.
    assert!(gaps.iter().all(|gap| (17..=171).contains(gap)), "{:?}", (gaps.iter().min(), gaps.iter().max()));
    assert!(gaps.iter().min() <= Some(&18));
    let plain = through(
        congested(PieParameters { derandomise: false, ..Default::default() }, 0.05),
        Ecn::NotEct,
        100_000,
    )
    .drops;
    assert!(plain.windows(2).any(|pair| pair[1].0 - pair[0].0 == 1));
}

#[test]
fn a_drop_is_certain_at_8_5() {
    // RFC 8033 §5.4
    let mut queue = congested(PieParameters::default(), 1e-9);
    queue.state.accu_prob = 8.5;
    assert!(drops(&mut queue));
    assert_eq!(queue.state.accu_prob, 0.0);
    queue.state.accu_prob = 5.0;
    queue.state.drop_prob = 0.0;
    assert!(!drops(&mut queue));
    assert_eq!(queue.state.accu_prob, 0.0);
}

#[test]
fn a_full_buffer_resets_the_accumulated_probability() {
    // RFC 8033 §5.4, appendix B: accu_prob is 0 after a drop, whatever the packet was dropped for.
    let mut queue = congested(PieParameters::default(), 0.1);
    (queue.limit, queue.state.accu_prob) = (Limit::packets(3), 0.8);
    let mut tally = Tally::default();
    queue.enqueue(packet(9, 1500), Time::ZERO, &mut tally);
    assert_eq!(tally.drops, [(9, DropReason::BufferFull, Time::ZERO)]);
    assert_eq!(queue.state.accu_prob, 0.0);
}

#[test]
fn capable_packets_are_marked_up_to_mark_ecnth_and_dropped_above() {
    // RFC 8033 §5.1
    let with_ecn = || PieParameters { ecn: true, ..Default::default() };
    let low = through(congested(with_ecn(), 0.1), Ecn::Ect0, 1000);
    assert!(low.drops.is_empty() && low.marks.len() > 30);
    assert!(low.marks.iter().all(|mark| mark.1 == MarkReason::Pie));
    let high = through(congested(with_ecn(), 0.11), Ecn::Ect0, 1000);
    assert!(high.marks.is_empty() && high.drops.len() > 30);
    let incapable = through(congested(with_ecn(), 0.1), Ecn::NotEct, 1000);
    assert!(incapable.marks.is_empty() && incapable.drops.len() > 30);
    let off = through(congested(PieParameters::default(), 0.1), Ecn::Ect0, 1000);
    assert!(off.marks.is_empty() && off.drops.len() > 30);
}

#[test]
fn the_delay_may_come_from_the_departure_rate() {
    // RFC 8033 §5.2: 20 packets of 1,000 bytes at 8 Mbit/s are 20 ms.
    let mut queue = pie(PieParameters { delay: DelayFrom::Rate, ..Default::default() });
    for id in 0..60 {
        queue.enqueue(packet(id, 1000), Time::ZERO, &mut NoOutcomes);
    }
    for t in 1..=40 {
        queue.dequeue(Time::from_millis(t), &mut NoOutcomes);
    }
    assert_eq!(queue.queueing_delay(Time::from_millis(40)), Duration::from_millis(20));
}

#[test]
fn it_turns_on_at_a_third_of_the_buffer_and_off_when_congestion_is_over() {
    // RFC 8033 §5.3: off when the probability is 0 and both delays are below half the target
    let mut queue = pie(PieParameters { on_off: true, limit: Limit::packets(30), ..Default::default() });
    for id in 0..9 {
        queue.enqueue(packet(id, 1500), Time::ZERO, &mut NoOutcomes);
    }
    assert!(!queue.active);
    queue.handle_wakeup(Time::from_secs(1), &mut NoOutcomes);
    assert_eq!(queue.drop_prob(), 0.0);
    queue.state.burst_allowance = Duration::ZERO;
    queue.enqueue(packet(9, 1500), Time::from_secs(1), &mut NoOutcomes);
    assert!(queue.active);
    assert_eq!(queue.burst_allowance(), Duration::from_millis(150));
    queue.state.qdelay_old = Duration::from_millis(8);
    updates(&mut queue, Duration::from_millis(7), 1);
    assert!(queue.active && queue.drop_prob() == 0.0);
    updates(&mut queue, Duration::from_millis(7), 1);
    assert!(!queue.active);
}

#[test]
fn it_does_not_turn_off_for_a_delay_that_is_not_measured_yet() {
    // RFC 8033 §5.3 with the rate of §5.2
    let parameters = PieParameters { on_off: true, limit: Limit::packets(30), ..Default::default() };
    let mut queue = pie(PieParameters { delay: DelayFrom::Rate, ..parameters });
    for id in 0..20 {
        queue.enqueue(packet(id, 1500), Time::ZERO, &mut NoOutcomes);
    }
    queue.handle_wakeup(queue.updates.next(), &mut NoOutcomes);
    assert!(queue.active);
}

#[test]
fn updates_come_every_t_update() {
    let mut queue = pie(PieParameters::default());
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(15)));
    queue.handle_wakeup(Time::from_millis(15), &mut NoOutcomes);
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(30)));
    queue.handle_wakeup(Time::from_secs(1), &mut NoOutcomes);
    assert_eq!(queue.next_wakeup(), Some(Time::from_millis(1015)));
}

#[test]
fn under_overload_the_delay_settles_at_the_target() {
    // Packets of 1,500 bytes arrive at 12 Mbit/s and depart at 10 Mbit/s: one sixth is dropped.
    let mut queue = pie(PieParameters::default());
    let mut tally = Tally::default();
    let (mut arrival, mut departure) = (Time::ZERO, Time::ZERO);
    let (mut delay, mut departures) = (0.0, 0);
    for id in 0..60_000 {
        arrival += Duration::from_micros(1000);
        while departure <= arrival {
            departure += Duration::from_micros(1200);
            if queue.updates.next() <= departure {
                queue.handle_wakeup(departure, &mut tally);
            }
            if let Some(packet) = queue.dequeue(departure, &mut tally).filter(|_| id > 30_000) {
                delay += departure.since(packet.meta.enqueued_at).as_secs_f64();
                departures += 1;
            }
        }
        queue.enqueue(packet(id, 1500), arrival, &mut tally);
    }
    let mean = delay / f64::from(departures) * 1e3;
    assert!((13.0..17.0).contains(&mean), "{mean} ms");
}

#[test]
fn defaults_are_those_of_the_rfc() {
    let defaults = PieParameters::default();
    assert_eq!((defaults.target, defaults.t_update), (Duration::from_millis(15), Duration::from_millis(15)));
    assert_eq!((defaults.alpha.get(), defaults.beta.get()), (1.0 / 8.0, 1.0 + 1.0 / 4.0));
    assert_eq!((defaults.max_burst, defaults.mark_ecnth), (Duration::from_millis(150), 0.1));
}

#[test]
fn parameters_out_of_range_are_refused_with_their_key() {
    let error = |key: &str, value: Value| build_error(json!({ "kind": "pie", key: value })).0;
    assert_eq!(error("t_update", json!("0 ms")), "t_update");
    assert_eq!(error("mark_ecnth", json!(1.01)), "mark_ecnth");
    assert_eq!(error("alpha", json!(0.125)), "alpha");
    assert_eq!(error("delay", json!("guess")), "delay");
    assert_eq!(build_error(json!({ "kind": "pie", "on_off": true, "limit": "unlimited" })).0, "on_off");
}
