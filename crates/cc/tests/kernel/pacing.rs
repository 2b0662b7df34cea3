//! Spacing of packets with an open window.

use std::thread;
use std::time::Duration;

use jettison_cc::NewCwv;

use crate::admit;
use crate::network::Network;
use crate::socket::Sender;

/// One-way delay for an RTT of 100 ms, which makes pacing visible on a busy machine.
const ONE_WAY: Duration = Duration::from_millis(50);
const BURST: usize = 120;

/// Send durations of three bursts in ascending order.
fn spreads(network: &Network, sender: &Sender) -> [Duration; 3] {
    // Opens the window, which both controllers keep.
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
fn only_the_paced_control_spreads_a_burst() {
    let Some(_turn) = admit("only_the_paced_control_spreads_a_burst") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let at_once = spreads(&network, &Sender::connect(&network, "newcwv"));
    let paced = spreads(&network, &Sender::connect(&network, "newcwv_paced"));
    // In slow start the kernel paces at twice the window per RTT: 120 packets of a window of about 160 take over 35 ms.
    assert!(at_once[0] < Duration::from_millis(12), "{at_once:?}");
    assert!(paced[1] > Duration::from_millis(20), "{paced:?}");
}

#[test]
fn switching_to_the_unpaced_control_stops_pacing() {
    let Some(_turn) = admit("switching_to_the_unpaced_control_stops_pacing") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = Sender::connect(&network, "newcwv_paced");
    let paced = spreads(&network, &sender);
    assert!(paced[1] > Duration::from_millis(20), "{paced:?}");
    sender.switch_to("newcwv");
    let at_once = spreads(&network, &sender);
    assert!(at_once[0] < Duration::from_millis(12), "{at_once:?}");
}
