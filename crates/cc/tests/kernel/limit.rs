//! End of the non-validated period (RFC 7661 §4.4.3), with two seconds instead of five minutes.

use std::thread;
use std::time::{Duration, Instant};

use jettison_cc::NewCwv;

use crate::admit;
use crate::network::Network;
use crate::socket::Sender;

#[test]
fn an_unvalidated_window_is_halved_per_period_down_to_the_initial_window() {
    let Some(_turn) = admit("an_unvalidated_window_is_halved_per_period_down_to_the_initial_window") else {
        return;
    };
    let _held = jettison_cc::hold(NewCwv { validity: Some(Duration::from_secs(2)), burst: None }).unwrap();
    let network = Network::new(Duration::from_millis(10));
    // The second sender wakes only at the end, and applies the reductions of all periods at once.
    let [awake, asleep] = [(); 2].map(|()| Sender::connect(&network, "newcwv"));
    awake.send(150);
    asleep.send(20);
    let start = Instant::now();
    let (full, small) = (awake.info().window, asleep.info().window);
    assert!(full >= 60 && small > 20, "{full} {small}");
    // The sampling period of 1 s ends first: the non-validated periods end 3 s and 5 s after the last sample.
    for (millis, expected) in [(2000, full), (4000, full / 2), (6000, full / 4)] {
        thread::sleep((start + Duration::from_millis(millis)).saturating_duration_since(Instant::now()));
        awake.send(1);
        assert_eq!(awake.info().window, expected, "{millis} ms after {full}: RFC 7661 §4.4.3");
    }
    asleep.send(1);
    assert_eq!(asleep.info().window, 10, "from {small}: RFC 7661 §4.4.3: no lower than IW");
}
