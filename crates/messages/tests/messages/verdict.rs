//! The drop verdict in the send buffer: that of routers, on messages that have not begun to leave.

use jettison_core::{DropReason, Rate};
use jettison_messages::{EstimateRule, MessageEvent, MessageParams, OctopusParameters, SendVerdict};
use jettison_tcp::Payload;

use super::harness::*;

const PLAIN: MessageParams =
    MessageParams { priority: 0, drop_flag: false, threshold: 0, bitrate_threshold: 0, slack: 0 };

/// Ten packets fill the window; later messages wait 100 ms.
fn filled(parameters: &OctopusParameters) -> Net {
    let mut net = Net::new(ms(50), parameters);
    net.send(9_800);
    net
}

fn send(net: &mut Net, bytes: u64, params: MessageParams) -> u32 {
    net.send_with(1, Payload::Zeros(bytes).into(), params).expect("there is room").get()
}

fn drops(net: &Net) -> Vec<(u32, DropReason)> {
    let dropped = |event: &MessageEvent| match event {
        MessageEvent::Dropped { number, reason, .. } => Some((number.get(), *reason)),
        _ => None,
    };
    net.events[0].iter().filter_map(|(_, event)| dropped(event)).collect()
}

#[test]
fn a_newer_dropper_makes_earlier_messages_obsolete() {
    let mut net = filled(&parameters());
    let important = send(&mut net, 500, MessageParams { priority: 1, ..PLAIN });
    let other = send(&mut net, 500, MessageParams { priority: 2, ..PLAIN });
    let dropper = send(&mut net, 500, MessageParams { drop_flag: true, threshold: 2, priority: 1, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), [(other, DropReason::StaleMessage)], "those of priority 2 or above");
    assert_eq!(net.delivered(), [0, important, dropper]);
    assert_eq!(net.statistics(0).dropped_stale.bytes, 500);
}

#[test]
fn a_message_that_has_begun_to_leave_is_never_dropped() {
    let mut net = Net::new(ms(50), &parameters());
    // Ten of twenty packets are sent.
    let begun = send(&mut net, 19_600, MessageParams { priority: 3, ..PLAIN });
    let dropper = send(&mut net, 500, MessageParams { drop_flag: true, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), []);
    assert_eq!(net.delivered(), [begun, dropper]);
}

#[test]
fn messages_above_the_estimated_bandwidth_are_dropped() {
    let mut net = filled(&parameters());
    // After the first ACK, a window of eleven packets in 100 ms is 880 kbit/s.
    let low = send(&mut net, 500, MessageParams { bitrate_threshold: 800, ..PLAIN });
    let high = send(&mut net, 500, MessageParams { bitrate_threshold: 2000, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), [(high, DropReason::OverBitrate)]);
    assert_eq!(net.delivered(), [0, low]);
    assert!(net.ends[0].estimate(net.now).bandwidth.is_some_and(|rate| rate < Rate::from_mbit(2)));
}

#[test]
fn nothing_is_over_bitrate_before_an_estimate() {
    let mut net = Net::new(ms(50), &parameters());
    send(&mut net, 500, MessageParams { bitrate_threshold: 16_000_000, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!(net.delivered(), [0]);
}

#[test]
fn slack_keeps_messages_that_have_not_waited_long_enough() {
    let with = |slack| {
        let mut net = filled(&OctopusParameters { slack: true, ..parameters() });
        let label = MessageParams { bitrate_threshold: 2000, slack, ..PLAIN };
        send(&mut net, 500, label);
        net.run_to_end(at(5000));
        drops(&net).len()
    };
    assert_eq!((with(100), with(101)), (1, 0), "it waits 100 ms");
}

#[test]
fn without_bitrate_slack_only_stale_messages_are_spared() {
    let with = |slack, bitrate_slack| {
        let mut net = filled(&OctopusParameters { slack, bitrate_slack, ..parameters() });
        let over = send(&mut net, 500, MessageParams { bitrate_threshold: 2000, slack: 200, ..PLAIN });
        let stale = send(&mut net, 500, MessageParams { priority: 2, slack: 200, ..PLAIN });
        // Stale and over bitrate: spared as stale, dropped as over bitrate.
        let both = MessageParams { priority: 2, bitrate_threshold: 2000, slack: 200, ..PLAIN };
        let both = send(&mut net, 500, both);
        send(&mut net, 500, MessageParams { drop_flag: true, threshold: 2, priority: 1, ..PLAIN });
        net.run_to_end(at(5000));
        let drops = drops(&net);
        [over, stale, both].map(|number| drops.iter().any(|(dropped, _)| *dropped == number))
    };
    assert_eq!(with(true, true), [false, false, false]);
    assert_eq!(with(true, false), [true, false, true]);
    assert_eq!(with(false, true), [true, true, true], "without slack it changes nothing");
    assert_eq!(with(false, false), [true, true, true]);
}

#[test]
fn adapt_off_drops_nothing_here() {
    let mut net = filled(&OctopusParameters { adapt: false, ..parameters() });
    send(&mut net, 500, MessageParams { priority: 7, bitrate_threshold: 16_000_000, ..PLAIN });
    send(&mut net, 500, MessageParams { drop_flag: true, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!((drops(&net), net.delivered()), (vec![], vec![0, 1, 2]));
}

#[test]
fn all_parameters_zero_mean_no_adaptation() {
    let mut net = filled(&parameters());
    for _ in 0..50 {
        send(&mut net, 5_000, PLAIN);
    }
    net.run_to_end(at(20_000));
    assert_eq!((drops(&net), net.delivered().len()), (vec![], 51));
}

#[test]
fn streams_do_not_drop_each_others_messages() {
    let mut net = filled(&parameters());
    send(&mut net, 500, MessageParams { priority: 7, ..PLAIN });
    let dropper = MessageParams { drop_flag: true, ..PLAIN };
    net.send_with(2, Payload::Zeros(500).into(), dropper).expect("there is room");
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), []);
}

/// The rule of the authors' code, with slack.
fn authors() -> OctopusParameters {
    OctopusParameters { send_verdict: SendVerdict::Authors, slack: true, ..parameters() }
}

#[test]
fn by_the_authors_rule_a_dropper_judges_what_waits_when_it_is_accepted() {
    let mut net = filled(&authors());
    let label = MessageParams { priority: 2, slack: 30, ..PLAIN };
    let old = send(&mut net, 2_000, label);
    let single = send(&mut net, 500, label);
    net.run_until(at(20));
    let young = send(&mut net, 2_000, label);
    net.run_until(at(31));
    let dropper = send(&mut net, 500, MessageParams { drop_flag: true, threshold: 2, ..PLAIN });
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), [(old, DropReason::StaleMessage)]);
    assert_eq!(
        net.delivered(),
        [0, single, young, dropper],
        "the young one has waited 11 ms by then, and 80 ms when it leaves"
    );
}

#[test]
fn by_the_authors_rule_the_newest_message_and_those_of_one_packet_have_any_bitrate() {
    let high = MessageParams { bitrate_threshold: 2000, ..PLAIN };
    let mut net = filled(&authors());
    let dropped = send(&mut net, 2_000, high);
    let single = send(&mut net, 500, high);
    let newest = send(&mut net, 2_000, high);
    net.run_to_end(at(5000));
    assert_eq!(drops(&net), [(dropped, DropReason::OverBitrate)]);
    assert_eq!(net.delivered(), [0, single, newest]);
}

#[test]
fn half_the_lowest_rtt_is_taken_off_the_slack_if_it_covers_the_path() {
    let with = |slack_covers_path, slack| {
        let mut net = filled(&OctopusParameters { slack_covers_path, ..authors() });
        send(&mut net, 2_000, MessageParams { bitrate_threshold: 2000, slack, ..PLAIN });
        send(&mut net, 500, PLAIN);
        net.run_to_end(at(5000));
        let seen =
            net.data().into_iter().filter_map(|seen| seen.label).find(|label| label.message.get() == 1);
        seen.map(|label| label.slack)
    };
    // It waits 100 ms, and half the RTT is 50 ms.
    assert_eq!([with(false, 100), with(false, 160)], [None, Some(60)]);
    assert_eq!([with(true, 150), with(true, 160)], [None, Some(10)]);
}

#[test]
fn the_estimate_may_be_the_pacing_rate_where_that_is_higher() {
    let told = |estimate| {
        let bbr = serde_json::json!({"congestion": "bbr", "mss": 980});
        let parameters = OctopusParameters { estimate, ..serde_json::from_value(bbr).expect("it is valid") };
        let mut net = Net::new(ms(10), &parameters);
        net.send(20_000);
        net.run_until(at(30));
        (net.ends[0].estimate(net.now).bandwidth, net.statistics(0).pacing_rate)
    };
    let (bandwidth, pacing) = told(EstimateRule::Bandwidth);
    assert!(bandwidth < pacing, "Startup paces at a multiple: {bandwidth:?}, {pacing:?}");
    assert_eq!(told(EstimateRule::PacingRate), (pacing, pacing));
}
