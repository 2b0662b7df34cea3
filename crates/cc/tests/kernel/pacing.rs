//! How packets are spaced when a window is open.

use std::thread;
use std::time::Duration;

use crate::admit;
use crate::network::Network;
use crate::socket::Sender;

/// An RTT of 100 ms, so that pacing shows beyond what a busy machine does.
const ONE_WAY: Duration = Duration::from_millis(50);
const BURST: usize = 120;

/// How long three bursts took to leave, the shortest first.
fn spreads(network: &Network, sender: &Sender) -> [Duration; 3] {
    // Into the open window, which both keep.
    sender.send(150);
    let mut spreads = [(); 3].map(|()| {
        thread::sleep(Duration::from_millis(300));
        network.take_seen();
        sender.send(BURST);
        let seen = network.take_seen();
        assert!(seen.len() >= BURST, "{} packets", seen.len());
        seen[BURST - 1] - seen[0]
    });
    spreads.sort();
    spreads
}

#[test]
fn the_paced_one_spreads_a_burst_and_the_other_sends_it_at_once() {
    let Some(_turn) = admit("the_paced_one_spreads_a_burst_and_the_other_sends_it_at_once") else { return };
    let _held = jettison_cc::hold(None).unwrap();
    let network = Network::new(ONE_WAY);
    let at_once = spreads(&network, &Sender::connect(&network, "newcwv"));
    let paced = spreads(&network, &Sender::connect(&network, "newcwv_paced"));
    // The kernel paces at twice the window an RTT in slow start: 120 packets of some 160 take over 35 ms.
    assert!(at_once[0] < Duration::from_millis(12), "{at_once:?}");
    assert!(paced[1] > Duration::from_millis(20), "{paced:?}");
}

#[test]
fn a_socket_that_another_control_paced_is_paced_no_more() {
    let Some(_turn) = admit("a_socket_that_another_control_paced_is_paced_no_more") else { return };
    let _held = jettison_cc::hold(None).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = Sender::connect(&network, "newcwv_paced");
    let paced = spreads(&network, &sender);
    assert!(paced[1] > Duration::from_millis(20), "{paced:?}");
    sender.switch_to("newcwv");
    let at_once = spreads(&network, &sender);
    assert!(at_once[0] < Duration::from_millis(12), "{at_once:?}");
}
