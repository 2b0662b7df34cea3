//! Losses in the non-validated phase (RFC 7661 §4.4.1) and in the validated phase.

use std::thread;
use std::time::Duration;

use jettison_cc::NewCwv;

use crate::admit_sharing;
use crate::network::Network;
use crate::socket::Sender;

const ONE_WAY: Duration = Duration::from_millis(20);

/// Creates a sender with an open window that is no longer validated.
fn rested(network: &Network) -> Sender {
    let sender = Sender::connect(network, "newcwv");
    sender.send(150);
    thread::sleep(Duration::from_millis(1200));
    sender.send(1);
    assert!(sender.info().window >= 60, "{:?}", sender.info());
    sender
}

#[test]
fn a_loss_in_the_non_validated_phase_leaves_half_of_the_used_window() {
    let Some(_turn) = admit_sharing("a_loss_in_the_non_validated_phase_leaves_half_of_the_used_window")
    else {
        return;
    };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    // (max(pipeACK, LossFlightSize) - R) / 2, with 16 packets in flight and R retransmitted.
    for (lost, window) in [(1, 7), (4, 6)] {
        let sender = rested(&network);
        network.drop_next(lost);
        sender.send(16);
        let after = sender.info();
        assert_eq!(after.retransmitted, lost);
        assert_eq!((after.ssthresh, after.window), (window, window), "{lost} lost: RFC 7661 §4.4.1");
    }
}

#[test]
fn a_timeout_in_the_non_validated_phase_halves_the_flight_size() {
    let Some(_turn) = admit_sharing("a_timeout_in_the_non_validated_phase_halves_the_flight_size") else {
        return;
    };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = rested(&network);
    // All packets, and the tail loss probe (RFC 8985 §7).
    network.drop_next(9);
    sender.send(8);
    let after = sender.info();
    assert!(after.retransmitted >= 8, "{after:?}");
    assert_eq!(after.ssthresh, 4, "RFC 5681 §3.1: half of 8 in flight");
    assert!(after.window <= 12, "{after:?}");
}

#[test]
fn a_loss_in_the_validated_phase_halves_the_window() {
    let Some(_turn) = admit_sharing("a_loss_in_the_validated_phase_halves_the_window") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = Sender::connect(&network, "newcwv");
    sender.send(150);
    let before = sender.info().window;
    network.drop_next(1);
    sender.send(20);
    let after = sender.info();
    assert_eq!(after.retransmitted, 1);
    assert!(after.ssthresh >= before / 2 && after.ssthresh < before * 3 / 4, "{before}, then {after:?}");
    assert!(after.window >= before / 2, "{before}, then {after:?}");
}
