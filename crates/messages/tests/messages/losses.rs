//! Loss detection (RFC 9002) and its effect on unreliable streams.

use jettison_core::Time;
use jettison_messages::{MessageEvent, OctopusParameters};
use jettison_wire::MessageNumber;

use super::harness::*;

fn lost(number: u32) -> MessageEvent {
    MessageEvent::Lost { stream: 1, number: MessageNumber::new(number) }
}

#[test]
fn losses_are_not_repaired_on_an_unreliable_stream() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 1 { Fate::Drop } else { Fate::Pass });
    net.send(2_940);
    net.send(2_940);
    net.run_to_end(at(1000));
    assert_eq!(net.delivered(), [1]);
    assert_eq!(net.data().len(), 6, "nothing is retransmitted");
    assert_eq!(net.events[0][0], (at(20), lost(0)), "three later packets have arrived by then");
    let statistics = net.statistics(0);
    assert_eq!((statistics.lost.bytes, statistics.acknowledged.bytes), (2_940, 2_940));
    assert_eq!((statistics.packets_lost, statistics.in_flight), (1, 0));
}

#[test]
fn rfc9002_6_1_2_fewer_later_packets_show_a_loss_after_nine_eighths_of_an_rtt() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 0 { Fate::Drop } else { Fate::Pass });
    net.send(980);
    net.send(980);
    net.run_to_end(at(1000));
    assert_eq!(net.events[0].last(), Some(&(Time::from_micros(22_500), lost(0))));
}

#[test]
fn rfc9002_6_2_a_probe_is_sent_without_feedback() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth < 2 { Fate::Drop } else { Fate::Pass });
    net.send(1_960);
    net.run_to_end(at(10_000));
    let data = net.data();
    // RFC 9002 §6.2.2: 999 ms by the initial RTT; two probes, the newest content first.
    assert_eq!((data[2].at, data[2].place()), (at(999), Some((0, 1))));
    assert_eq!((data[3].at, data[3].place()), (at(999), Some((0, 0))));
    assert!(data[2].is_retransmission());
    assert_eq!(net.delivered(), [0], "the probes themselves completed it");
    assert_eq!(net.statistics(0).timeouts, 1);
    assert_eq!(net.statistics(0).acknowledged.messages, 1);
}

#[test]
fn rfc9002_6_2_1_the_probe_timeout_doubles_and_has_a_ceiling() {
    let parameters = OctopusParameters { max_pto: ms(4000), probe_packets: 1, ..parameters() };
    let mut net = Net::new(ms(10), &parameters);
    net.script(|seen| if seen.at < at(20_000) { Fate::Drop } else { Fate::Pass });
    net.send(980);
    net.run_to_end(at(60_000));
    let times: Vec<_> = net.data().iter().map(|seen| seen.at.as_micros() / 1000).collect();
    // Every other probe, at 2997, 10993 and 18993 ms, is empty.
    assert_eq!(times, [0, 999, 6993, 14_993, 22_993]);
    assert_eq!(net.statistics(0).timeouts, 7);
    assert_eq!(net.delivered(), [0]);
}

#[test]
fn a_minimum_delays_probes() {
    let mut net = Net::new(ms(10), &OctopusParameters { min_pto: ms(2000), ..parameters() });
    net.script(|seen| if seen.at < at(1_000) { Fate::Drop } else { Fate::Pass });
    net.send(980);
    net.run_to_end(at(60_000));
    assert_eq!(net.data().iter().map(|seen| seen.at).collect::<Vec<_>>(), [at(0), at(2000), at(2000)]);
}

#[test]
fn an_empty_probe_settles_packets_dropped_by_a_router() {
    let mut net = Net::new(ms(10), &parameters());
    // A router with a verdict on all data drops everything in flight, and every probe that carries data.
    net.script(|seen| if seen.is_data() && seen.at < at(60_000) { Fate::Drop } else { Fate::Pass });
    for _ in 0..40 {
        net.send(980);
    }
    net.run_until(at(10_000));
    let lost = net.statistics(0).lost.messages;
    assert!(lost > 10, "the window opens again and again: {lost} are known to be lost");
}

#[test]
fn the_rest_of_a_message_that_cannot_be_completed_is_not_sent() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.nth == 0 { Fate::Drop } else { Fate::Pass });
    net.send(980 * 200);
    net.send(980);
    net.run_to_end(at(10_000));
    assert_eq!(net.delivered(), [1]);
    let of_first =
        net.data().iter().filter(|seen| seen.place().is_some_and(|(number, _)| number == 0)).count();
    assert!(of_first < 100, "its first packet was lost, and {of_first} of its 200 left");
    assert_eq!(net.statistics(0).lost.messages, 1);
    assert_eq!(net.statistics(0).backlog, 0);
}

#[test]
fn a_probe_sends_new_data_if_available() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth < 10 { Fate::Drop } else { Fate::Pass });
    for _ in 0..12 {
        net.send(980);
    }
    net.run_to_end(at(10_000));
    let data = net.data();
    assert_eq!((data[10].place(), data[11].place()), (Some((10, 0)), Some((11, 0))));
    assert_eq!((data.len(), net.delivered()), (12, vec![10, 11]), "and the ten are known to be lost then");
    assert_eq!(net.statistics(0).lost.messages, 10);
}

#[test]
fn rfc9002_7_6_losing_everything_for_long_is_persistent_congestion() {
    let mut net = Net::new(ms(10), &parameters());
    net.send(980);
    net.run_until(at(100));
    net.script(|seen| {
        if seen.is_data() && seen.at >= at(100) && seen.at < at(2000) { Fate::Drop } else { Fate::Pass }
    });
    for i in 0..40 {
        net.run_until(at(100 + 50 * i));
        net.send(980);
    }
    net.run_to_end(at(60_000));
    assert_eq!(net.statistics(0).persistent_congestions, 1);
    let statistics = net.statistics(0);
    let settled = statistics.acknowledged.messages + statistics.lost.messages;
    assert_eq!(settled, statistics.accepted.messages);
}

#[test]
fn reordering_below_the_threshold_is_not_a_loss() {
    let mut net = Net::new(ms(10), &parameters());
    net.script(|seen| if seen.is_data() && seen.nth == 2 { Fate::Late(ms(2)) } else { Fate::Pass });
    net.send(4_900);
    net.run_to_end(at(1000));
    assert_eq!((net.statistics(0).packets_lost, net.delivered()), (0, vec![0]));
}
