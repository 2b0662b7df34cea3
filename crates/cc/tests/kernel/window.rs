//! Congestion window of a sender that pauses.

use std::thread;
use std::time::Duration;

use jettison_cc::NewCwv;

use crate::admit_sharing;
use crate::network::Network;
use crate::socket::Sender;

const ONE_WAY: Duration = Duration::from_millis(20);
/// Packets that open the window well beyond the initial one.
const BURST: usize = 150;

#[test]
fn the_window_survives_idleness_and_small_writes_unlike_renos() {
    let Some(_turn) = admit_sharing("the_window_survives_idleness_and_small_writes_unlike_renos") else {
        return;
    };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let names = ["reno", "newcwv", "newcwv_paced"];
    let senders = names.map(|name| Sender::connect(&network, name));
    for sender in &senders {
        sender.send(BURST);
    }
    let before = senders.each_ref().map(|sender| sender.info().window);
    assert!(before.iter().all(|window| *window >= 60), "the windows have not opened: {before:?}");

    // Longer than the RTO and than the pipeACK sampling period of 1 s.
    thread::sleep(Duration::from_millis(1500));
    for sender in &senders {
        sender.send(1);
    }
    let after = senders.each_ref().map(|sender| sender.info().window);
    assert!(after[0] <= 12, "reno restarts from the initial window: {after:?}");
    assert_eq!(after[1..], before[1..], "RFC 7661 §4.4: the window is kept");

    // Small writes limit the application, for which the kernel would shrink the window towards the used part at each RTO. An
    // unused window must not grow either.
    for _ in 0..12 {
        for sender in &senders {
            sender.send(3);
        }
        thread::sleep(Duration::from_millis(20));
    }
    let after = senders.each_ref().map(|sender| sender.info().window);
    assert_eq!(after[1..], before[1..], "RFC 7661 §4.4: neither reduced nor grown");

    // A write leaves without another slow start: as a burst of ten packets and what the duration of the write adds, or paced.
    for (sender, window, in_flight) in [(&senders[1], before[1], 10..=20), (&senders[2], before[2], 13..=200)]
    {
        sender.write(window as usize);
        thread::sleep(Duration::from_millis(10));
        let found = sender.info().unacknowledged;
        assert!(in_flight.contains(&found), "{found} of {window} in flight, not {in_flight:?}");
        sender.finish();
    }
}

#[test]
fn a_window_that_is_used_again_is_validated_and_grows() {
    let Some(_turn) = admit_sharing("a_window_that_is_used_again_is_validated_and_grows") else { return };
    let _held = jettison_cc::hold(NewCwv::default()).unwrap();
    let network = Network::new(ONE_WAY);
    let sender = Sender::connect(&network, "newcwv");
    sender.send(BURST);
    thread::sleep(Duration::from_millis(1200));
    sender.send(1);
    let before = sender.info().window;
    // Three windows of data: the first is limited by cwnd, and its acknowledgements validate the window.
    sender.send(3 * before as usize);
    let after = sender.info().window;
    assert!(after > before, "{before}, then {after}");
}
