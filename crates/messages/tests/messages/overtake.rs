//! Droppers that overtake a full window (`overtake`).

use jettison_core::DropReason;
use jettison_messages::{MessageEvent, MessageParams, OctopusParameters};
use jettison_tcp::Payload;

use super::harness::*;

/// Messages that a dropper of threshold 1 makes obsolete.
const USUAL: MessageParams =
    MessageParams { priority: 1, drop_flag: false, threshold: 0, bitrate_threshold: 0, slack: 0 };

/// An outage from the start: the window is full, two messages wait, and a dropper of `packets` is sent.
fn outage(overtake: bool, threshold: u8, packets: u64) -> Net {
    outage_with(OctopusParameters { overtake, ..parameters() }, threshold, packets, 0)
}

fn outage_with(parameters: OctopusParameters, threshold: u8, packets: u64, slack: u16) -> Net {
    let usual = MessageParams { slack, ..USUAL };
    let mut net = Net::new(ms(10), &parameters);
    net.script(|_| Fate::Drop);
    let mut sent = 0;
    while net.statistics(0).backlog == 0 {
        net.send_with(1, Payload::Zeros(980).into(), usual).expect("there is room");
        net.run_until(net.now + ms(1));
        sent += 1;
    }
    net.send_with(1, Payload::Zeros(980).into(), usual).expect("there is room");
    assert_eq!(net.data().len(), sent - 1, "the window holds the others back");
    let dropper = MessageParams { drop_flag: true, threshold, ..USUAL };
    net.send_with(1, Payload::Zeros(980 * packets).into(), dropper).expect("there is room");
    net.run_until(net.now + ms(5));
    net
}

fn stale(net: &Net) -> usize {
    let is_stale = |event: &MessageEvent| {
        matches!(event, MessageEvent::Dropped { reason: DropReason::StaleMessage, .. })
    };
    net.events[0].iter().filter(|(_, event)| is_stale(event)).count()
}

#[test]
fn a_dropper_overtakes_obsolete_messages_and_a_full_window() {
    let (waits, passes) = (outage(false, 1, 2), outage(true, 1, 2));
    assert_eq!(passes.data().len(), waits.data().len() + 2);
    let last = passes.data().last().and_then(|seen| seen.place());
    assert_eq!(last.map(|(_, index)| index), Some(1), "its second packet");
    assert_eq!((stale(&waits), stale(&passes)), (0, 2), "the two that waited are dropped immediately");
}

#[test]
fn no_more_than_two_windows_are_in_flight() {
    let net = outage(true, 1, 100);
    let statistics = net.statistics(0);
    assert!(statistics.in_flight > statistics.window, "{statistics:?}");
    assert!(statistics.in_flight <= 2 * statistics.window, "{statistics:?}");
}

#[test]
fn a_dropper_without_effect_at_a_router_waits() {
    // Its threshold exceeds the priority number of the data in flight.
    let (waits, same) = (outage(false, 2, 2), outage(true, 2, 2));
    assert_eq!(same.data().len(), waits.data().len());
    assert_eq!(stale(&same), 0);
}

#[test]
fn a_second_dropper_has_nothing_left_to_free() {
    let mut net = outage(true, 1, 1);
    let before = net.data().len();
    let dropper = MessageParams { drop_flag: true, threshold: 2, priority: 2, ..USUAL };
    net.send_with(1, Payload::Zeros(980).into(), dropper).expect("there is room");
    net.run_until(net.now + ms(5));
    assert_eq!(net.data().len(), before, "what is in flight is of priority 1, and already obsolete");
}

#[test]
fn with_slack_messages_are_overtaken_once_they_have_waited_it() {
    let of = |slack| {
        let with = OctopusParameters { overtake: true, slack, ..parameters() };
        outage_with(with, 1, 2, 40)
    };
    let (without, mut with) = (of(false), of(true));
    assert_eq!((stale(&without), stale(&with)), (2, 0), "at first they are spared");
    assert!(with.data().len() < without.data().len(), "and the dropper waits behind them");
    with.run_until(with.now + ms(60));
    with.send_with(1, Payload::Zeros(980).into(), USUAL).expect("there is room");
    with.run_until(with.now + ms(5));
    assert_eq!(stale(&with), 2, "with the next message");
    assert_eq!(with.data().len(), without.data().len(), "and the dropper leaves");
}
