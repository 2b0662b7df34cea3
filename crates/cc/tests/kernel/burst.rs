//! Start of sending after a pause: the kept window, and the limit of bursts (RFC 7661 §4.4.2).

use std::thread;
use std::time::{Duration, Instant};

use jettison_cc::NewCwv;

use crate::network::Network;
use crate::socket::{Info, Sender};
use crate::{admit, admit_sharing};

/// One-way delay for an RTT of 100 ms, which separates bursts on a busy machine.
const ONE_WAY: Duration = Duration::from_millis(50);
/// Packets that open the window well beyond the initial one.
const OPENING: usize = 150;

/// Creates a sender whose window is open, non-validated, and was idle for longer than the RTO.
fn rested(network: &Network, control: &str) -> (Sender, u32) {
    let sender = Sender::connect(network, control);
    sender.send(OPENING);
    let window = sender.info().window;
    assert!(window >= 60, "{control}: {window}");
    thread::sleep(Duration::from_millis(1500));
    network.take_seen();
    (sender, window)
}

fn limited_to(packets: u32) -> NewCwv {
    NewCwv { validity: None, burst: Some(packets) }
}

/// Numbers of packets in each 50 ms, which divide bursts of different RTTs.
fn bursts(times: &[Instant]) -> Vec<usize> {
    let mut bursts = Vec::new();
    let mut last = None;
    for time in times {
        if last.is_none_or(|last| time.duration_since(last) > Duration::from_millis(50)) {
            bursts.push(0);
        }
        *bursts.last_mut().expect("the first packet begins a burst") += 1;
        last = Some(*time);
    }
    bursts
}

#[test]
fn one_write_or_ack_releases_at_most_the_limit() {
    let Some(_turn) = admit("one_write_or_ack_releases_at_most_the_limit") else { return };
    let _held = jettison_cc::hold(limited_to(4)).unwrap();
    let network = Network::new(ONE_WAY);
    let (sender, window) = rested(&network, "newcwv");
    let start = Instant::now();
    sender.write(100);
    // A write that takes long on a busy machine releases more, at the rate of the window per RTT of 100 ms.
    let more = start.elapsed().as_secs_f64() / 0.1 * f64::from(window);
    sender.finish();
    let bursts = bursts(&network.take_seen());
    assert_eq!(bursts.iter().sum::<usize>(), 100, "{bursts:?}");
    assert!((4..=4 + more.ceil() as usize).contains(&bursts[0]), "{bursts:?}, {more}: RFC 7661 §4.4.2");
    // The receiver acknowledges every second packet, or each one, and each ACK releases a burst.
    assert!((8..=40).contains(&bursts[1]), "{bursts:?}");
    assert!(sender.info().window >= window, "the window is kept: {window}, then {:?}", sender.info());
}

#[test]
fn a_paced_window_is_kept_when_sending_starts() {
    let Some(_turn) = admit_sharing("a_paced_window_is_kept_when_sending_starts") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let (sender, window) = rested(&network, "newcwv_paced");
    sender.write(window as usize);
    // Before the first ACK. The kernel alone would restart from the initial window of ten packets.
    thread::sleep(Duration::from_millis(60));
    let in_flight = sender.info().unacknowledged;
    assert!(in_flight > 20, "{in_flight} of {window}: RFC 7661 §4.4");
}

#[test]
fn small_writes_are_not_held_back() {
    let Some(_turn) = admit_sharing("small_writes_are_not_held_back") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let (sender, _) = rested(&network, "newcwv");
    // Before the first ACK, like a camera that sends a picture every 25 ms.
    let start = Instant::now();
    for write in 1..=3 {
        sender.write(8);
        thread::sleep((start + write * Duration::from_millis(25)).saturating_duration_since(Instant::now()));
    }
    let late = start.elapsed() > Duration::from_millis(95);
    let in_flight = sender.info().unacknowledged;
    assert!(in_flight == 24 || late, "{in_flight} of 24 packets in flight");
}

#[test]
fn a_full_burst_does_not_grow_the_window() {
    let Some(_turn) = admit_sharing("a_full_burst_does_not_grow_the_window") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let (sender, window) = rested(&network, "newcwv");
    // Ten packets fill the permitted burst, not the window.
    for _ in 0..3 {
        sender.send(10);
    }
    assert_eq!(sender.info().window, window, "RFC 7661 §4.4");
}

#[test]
fn a_validated_window_has_no_limit() {
    let Some(_turn) = admit_sharing("a_validated_window_has_no_limit") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = Sender::connect(&network, "newcwv");
    sender.send(OPENING);
    // More than half of the window was acknowledged in one RTT within the sampling period.
    network.take_seen();
    sender.write(60);
    thread::sleep(Duration::from_millis(60));
    let in_flight = sender.info().unacknowledged;
    assert!(in_flight > 40, "{in_flight} of 60 packets in flight");
}

/// Packets of 300 kB.
const LARGE: usize = 207;

/// A path of 10 Mbit/s with a queue of 100 packets, and a sender on it whose kept window is larger than that, with its state.
fn before_a_large_write() -> (Network, Sender, Info) {
    let network = Network::with_bottleneck(ONE_WAY, Duration::from_micros(1200), 100);
    let sender = Sender::connect(&network, "newcwv");
    sender.send(LARGE);
    let before = sender.info();
    assert!(before.window > 180, "{before:?}");
    thread::sleep(Duration::from_millis(1500));
    (network, sender, before)
}

#[test]
fn without_a_limit_a_kept_window_leaves_at_once() {
    let Some(_turn) = admit("without_a_limit_a_kept_window_leaves_at_once") else { return };
    let _held = jettison_cc::hold(limited_to(0)).unwrap();
    let (_network, sender, before) = before_a_large_write();
    sender.write(LARGE);
    thread::sleep(Duration::from_millis(60));
    // The kernel defers a remainder that is smaller than its usual packet of several segments.
    let in_flight = sender.info().unacknowledged;
    let used = before.window * 9 / 10..=before.window;
    assert!(used.contains(&in_flight), "{in_flight} of {before:?}: RFC 7661 §4.4");
    sender.finish();
    let retransmitted = sender.info().retransmitted - before.retransmitted;
    println!("retransmitted without a limit: {retransmitted}");
    assert!((80..=125).contains(&retransmitted), "{retransmitted}");
}

#[test]
fn the_limit_protects_a_queue_from_a_kept_window() {
    let Some(_turn) = admit_sharing("the_limit_protects_a_queue_from_a_kept_window") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let (_network, sender, before) = before_a_large_write();
    sender.send(LARGE);
    let retransmitted = sender.info().retransmitted - before.retransmitted;
    println!("retransmitted with a limit of ten packets: {retransmitted}");
    assert!(retransmitted <= 40, "{retransmitted}");
}
