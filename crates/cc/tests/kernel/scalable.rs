//! DCTCP (RFC 8257) and Prague (draft-briscoe-iccrg-prague-congestion-control), over a path that marks.

use std::thread;
use std::time::{Duration, Instant};

use jettison_cc::{Held, Prague, Settings};

use crate::network::Network;
use crate::socket::{Info, Sender};
use crate::{admit_scalable, has_accurate_ecn};

const ONE_WAY: Duration = Duration::from_millis(10);
/// Time to transmit a packet: 12 Mbit/s.
const PER_PACKET: Duration = Duration::from_millis(1);
const MARK_FROM: Duration = Duration::from_millis(5);

fn dctcp() -> Held {
    jettison_cc::hold(Settings::Dctcp).expect("DCTCP is loaded")
}

/// Loads Prague, whose packets of `network` are ECT(1).
fn prague(network: &Network) -> Held {
    let mut held = jettison_cc::hold(Prague::default()).expect("Prague is loaded");
    for namespace in [&network.sender, &network.receiver] {
        held.set_codepoint_on(namespace.fd(), "path").expect("the device exists");
    }
    held
}

/// Opens a connection between two ends with the same control.
fn between(network: &Network, control: &str) -> Sender {
    Sender::connect_to(network, control, Some(control))
}

/// Sends `rounds` windows of ten packets, one per round trip.
fn rounds(sender: &Sender, rounds: usize) {
    for _ in 0..rounds {
        sender.send(10);
    }
}

#[test]
fn dctcp_reduces_by_half_of_the_share_of_marks() {
    let Some(_turn) = admit_scalable("dctcp_reduces_by_half_of_the_share_of_marks", false) else { return };
    let _held = dctcp();
    let network = Network::new(ONE_WAY);
    // Alpha starts at 1, and falls by a sixteenth per unmarked window. The opening takes about five.
    for unmarked in [0, 12, 60] {
        let sender = between(&network, "dctcp");
        sender.send(60);
        rounds(&sender, unmarked);
        let before = sender.info().window;
        network.mark_all(true);
        sender.send(10);
        network.mark_all(false);
        let after = sender.info();
        let alpha = |windows: usize| (15.0_f64 / 16.0).powi(i32::try_from(windows).unwrap());
        let reduced = |alpha: f64| f64::from(before) * (1.0 - alpha / 2.0);
        let (least, most) = (reduced(alpha(unmarked + 3)) - 1.0, reduced(alpha(unmarked + 8)) + 1.0);
        let found = f64::from(after.ssthresh);
        assert!((least..=most).contains(&found), "{unmarked}: {found} of {before}, not {least} to {most}");
        assert_eq!(after.retransmitted, 0);
    }
}

#[test]
fn dctcp_reacts_to_loss_as_reno() {
    let Some(_turn) = admit_scalable("dctcp_reacts_to_loss_as_reno", false) else { return };
    let _held = dctcp();
    let network = Network::new(ONE_WAY);
    let sender = between(&network, "dctcp");
    sender.send(60);
    // Alpha is low by then.
    rounds(&sender, 40);
    let before = sender.info().window;
    network.drop_next(1);
    sender.send(10);
    let after = sender.info();
    assert_eq!(after.retransmitted, 1);
    assert_eq!(after.ssthresh, before / 2, "RFC 8257 §3.5");
}

#[test]
fn dctcps_receiver_echoes_each_mark() {
    let Some(_turn) = admit_scalable("dctcps_receiver_echoes_each_mark", false) else { return };
    let _held = dctcp();
    let network = Network::new(ONE_WAY);
    let sender = between(&network, "dctcp");
    sender.send(20);
    let (mut marked, before) = (0, sender.info().delivered_ce);
    // Odd numbers, so that ACKs are delayed at a change.
    for (packets, marks) in
        [(7, true), (5, false), (3, true), (9, false), (1, true), (8, false), (11, true), (6, false)]
    {
        network.mark_all(marks);
        sender.send(packets);
        marked += network.take_marks().0;
    }
    assert_eq!(marked, 22);
    assert_eq!(sender.info().delivered_ce - before, marked, "RFC 8257 §3.2");
}

/// What a sender did in the second half of some seconds behind a bottleneck.
#[derive(Debug)]
struct Steady {
    /// Mean wait.
    wait: Duration,
    /// Share of the bottleneck that was used.
    used: f64,
    /// Share of marked packets.
    marks: f64,
    /// The greatest share of the window that was lost at once.
    cut: f64,
    end: Info,
}

fn through_a_queue(network: &Network, sender: &Sender) -> Steady {
    const HALF: Duration = Duration::from_secs(3);
    let second = thread::scope(|scope| {
        // More than fits, written by another thread.
        let writer = scope.spawn(|| sender.write(7500));
        thread::sleep(HALF);
        network.take_waits();
        let (begin, first) = (Instant::now(), sender.info());
        let (mut window, mut cut) = (first.window, 0.0_f64);
        while begin.elapsed() < HALF {
            let now = sender.info().window;
            cut = cut.max(1.0 - f64::from(now) / f64::from(window));
            window = now;
            thread::sleep(Duration::from_millis(5));
        }
        let (end, waits, elapsed) = (sender.info(), network.take_waits(), begin.elapsed());
        writer.join().expect("the writer does not panic");
        let delivered = end.delivered - first.delivered;
        Steady {
            wait: waits.total / waits.packets.max(1),
            used: f64::from(delivered) * PER_PACKET.as_secs_f64() / elapsed.as_secs_f64(),
            marks: f64::from(end.delivered_ce - first.delivered_ce) / f64::from(delivered),
            cut,
            end,
        }
    });
    sender.finish();
    second
}

#[test]
fn a_marking_queue_stays_short_and_full_use_goes_on() {
    let Some(_turn) = admit_scalable("a_marking_queue_stays_short_and_full_use_goes_on", false) else {
        return;
    };
    for control in ["dctcp", "prague"] {
        if control == "prague" && !has_accurate_ecn() {
            continue;
        }
        let network = Network::with_marks(ONE_WAY, PER_PACKET, 200, MARK_FROM);
        let _held = if control == "dctcp" { dctcp() } else { prague(&network) };
        let sender = between(&network, control);
        let steady = through_a_queue(&network, &sender);
        println!("{control}: {steady:?}");
        assert!(steady.end.retransmitted == 0, "{control}: {steady:?}");
        assert!(steady.wait < 2 * MARK_FROM, "{control}: {steady:?}");
        assert!(steady.used > 0.9, "{control}: {steady:?}");
        // The simulator has 13 % with DCTCP and 23 % with Prague.
        assert!(steady.marks > 0.02 && steady.marks < 0.6, "{control}: {steady:?}");
        assert!(steady.cut < 0.4, "{control}: alpha has fallen: {steady:?}");
    }
}

#[test]
fn pragues_data_is_ect1_with_accurate_feedback_only() {
    let Some(_turn) = admit_scalable("pragues_data_is_ect1_with_accurate_feedback_only", false) else {
        return;
    };
    if !has_accurate_ecn() {
        return;
    }
    // Not-ECT, ECT(1), ECT(0), CE.
    for (receivers, ecn, codepoint) in [("prague", "2", 1), ("reno", "1", 2), ("reno", "0", 0)] {
        let network = Network::new(ONE_WAY);
        let _held = prague(&network);
        network.receiver.inside(|| std::fs::write("/proc/sys/net/ipv4/tcp_ecn", ecn).unwrap());
        let sender = Sender::connect_to(&network, "prague", Some(receivers));
        sender.send(40);
        let found = network.codepoints();
        assert_eq!(found[codepoint], found.iter().sum::<u32>(), "{receivers}, tcp_ecn {ecn}: {found:?}");
    }
}

#[test]
fn prague_without_accurate_feedback_is_reno() {
    let Some(_turn) = admit_scalable("prague_without_accurate_feedback_is_reno", false) else { return };
    if !has_accurate_ecn() {
        return;
    }
    let network = Network::new(ONE_WAY);
    let _held = prague(&network);
    let sender = Sender::connect_to(&network, "prague", Some("reno"));
    sender.send(60);
    let before = sender.info().window;
    network.mark_all(true);
    sender.send(5);
    network.mark_all(false);
    rounds(&sender, 2);
    let after = sender.info();
    assert_eq!(
        (after.ssthresh, after.retransmitted),
        (before / 2, 0),
        "draft §2.3.1: {before}, then {after:?}"
    );
    assert!(after.window <= before / 2 + 2, "{before}, then {after:?}");
}

#[test]
fn prague_counts_marks_reduces_and_paces() {
    let Some(_turn) = admit_scalable("prague_counts_marks_reduces_and_paces", false) else { return };
    if !has_accurate_ecn() {
        return;
    }
    let network = Network::new(ONE_WAY);
    let _held = prague(&network);
    let sender = between(&network, "prague");
    sender.send(60);
    rounds(&sender, 20);
    let before = sender.info();
    network.take_marks();
    network.mark_all(true);
    sender.send(9);
    network.mark_all(false);
    let after = sender.info();
    let (marked, _) = network.take_marks();
    // AccECN's option makes packets smaller.
    assert!(marked >= 9);
    assert_eq!(after.delivered_ce - before.delivered_ce, marked, "AccECN counts packets");
    assert_eq!(after.ssthresh, before.window / 2, "draft §2.3.2: alpha is 1 with the first mark");
    // §2.5.1: the window over the RTT.
    rounds(&sender, 3);
    let info = sender.info();
    let expected = f64::from(info.window) * 1448.0 * 1e6 / f64::from(info.rtt);
    let ratio = info.pacing_rate as f64 / expected;
    assert!((0.9..1.1).contains(&ratio), "{ratio}: {info:?}");
    // §2.4.1: a loss halves the window.
    let before = sender.info().window;
    network.drop_next(1);
    sender.send(before as usize);
    let after = sender.info();
    assert_eq!(after.retransmitted, 1);
    assert!(after.ssthresh <= before / 2 + 1 && after.ssthresh >= before / 3, "{before}, then {after:?}");
    assert!(after.window <= after.ssthresh + 2, "{after:?}");
}

#[test]
fn a_timeout_halves_pragues_flight_and_restarts() {
    let Some(_turn) = admit_scalable("a_timeout_halves_pragues_flight_and_restarts", false) else { return };
    if !has_accurate_ecn() {
        return;
    }
    let network = Network::new(ONE_WAY);
    let _held = prague(&network);
    let sender = between(&network, "prague");
    sender.send(60);
    // All packets, and the tail loss probe (RFC 8985 §7).
    network.drop_next(9);
    sender.send(8);
    let after = sender.info();
    assert!(after.retransmitted >= 8, "{after:?}");
    // AccECN's option makes packets smaller, so there are nine.
    assert!((4..=5).contains(&after.ssthresh), "draft §2.4.1: half of the flight: {after:?}");
    assert!(after.window <= 12, "{after:?}");
}

#[test]
fn pragues_window_is_halved_per_timeout_of_idleness() {
    let Some(_turn) = admit_scalable("pragues_window_is_halved_per_timeout_of_idleness", false) else {
        return;
    };
    if !has_accurate_ecn() {
        return;
    }
    let network = Network::new(ONE_WAY);
    let _held = prague(&network);
    let sender = between(&network, "prague");
    sender.send(300);
    let before = sender.info().window;
    assert!(before >= 60, "{before}");
    // RTO is the RTT and at least 200 ms.
    thread::sleep(Duration::from_secs(3));
    sender.send(1);
    let after = sender.info();
    assert!((10..=11).contains(&after.window), "RFC 5681 §4.1: {before}, then {after:?}");
    assert!(after.ssthresh >= before / 4 * 3, "{before}, then {after:?}");
}

#[test]
fn prague_grows_by_a_virtual_rtt_after_500_rounds() {
    let Some(_turn) = admit_scalable("prague_grows_by_a_virtual_rtt_after_500_rounds", false) else { return };
    if !has_accurate_ecn() {
        return;
    }
    let network = Network::new(Duration::from_millis(1));
    let _held = prague(&network);
    let sender = between(&network, "prague");
    sender.send(20);
    network.mark_all(true);
    sender.send(1);
    network.mark_all(false);
    // A window of data per round, so that it limits the sender.
    let grow = |rounds: u32| {
        let before = sender.info().window;
        for _ in 0..rounds {
            sender.send(sender.info().window as usize);
        }
        sender.info().window - before
    };
    let early = grow(20);
    assert!((10..=45).contains(&early), "a packet per RTT: {early} in 20");
    // The rest of the first 500 rounds, with one packet each, which leaves most of the window unused.
    for _ in 0..500 {
        sender.send(1);
    }
    let late = grow(20);
    // M is 25 ms over an RTT of 2 ms and more, on a busy machine of up to 8 ms.
    assert!(late <= 4, "draft §2.4.4: 1/M² of a packet per RTT: {late} in 20, RTT {} µs", sender.info().rtt);
}
