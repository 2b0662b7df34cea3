//! Constant bit rate over a link that is too slow for it.

use super::super::support::assert_near;
use super::{mean, measure};

/// 1,000 bytes per packet on the wire (958 of payload, 8 of UDP, 20 of IP, 14 of Ethernet), 8 Mbit/s offered.
const OVERLOAD: &str = r#"name = "overload"
duration = "5 s"
warm_up = "1 s"

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"

[links.bottleneck]
between = ["r", "b"]
rate = "5 Mbit/s"
delay = "1 ms"
queue = { kind = "tail-drop", limit = "50 packets" }

[flows.cbr]
from = "a"
to = "b"
app = { kind = "cbr", payload = "958 bytes", interval = "1 ms" }
"#;

#[test]
fn loss_is_what_the_link_cannot_carry() {
    let records = measure(OVERLOAD, &[]);
    assert_eq!(mean(&records, "cbr", "sent"), 4000.0);
    // A packet that straddles an end of the measured time is 1/4,000 of those sent.
    let packet = 100.0 / 4000.0;
    assert_near("loss", mean(&records, "cbr", "loss"), 100.0 * (1.0 - 5.0 / 8.0), packet);
    assert_near("drop rate", mean(&records, "bottleneck.forward", "drop_rate"), 37.5, packet);
    assert_near("throughput", mean(&records, "bottleneck.forward", "throughput"), 5.0, 0.002);
    assert_near("goodput", mean(&records, "cbr", "goodput"), 5.0 * 0.958, 0.002);
}

#[test]
fn a_full_buffer_is_the_delay() {
    let records = measure(OVERLOAD, &[]);
    // A packet finds the buffer full, or one short of it, and one on the link: 1.6 ms each, with 80 µs of access and
    // 1 ms of propagation beside it.
    let owd = mean(&records, "cbr", "owd");
    assert!((50.0 * 1.6 + 1.08..=52.0 * 1.6 + 1.08).contains(&owd), "{owd} ms");
}

#[test]
fn a_link_that_is_just_fast_enough_loses_nothing() {
    let records = measure(OVERLOAD, &["links.bottleneck.rate=8 Mbit/s"]);
    assert_eq!(mean(&records, "cbr", "loss"), 0.0);
    assert_eq!(mean(&records, "cbr", "jitter"), 0.0);
    assert_eq!(mean(&records, "cbr", "owd"), 0.08 + 1.0 + 1.0);
}

#[test]
fn certain_and_random_loss_are_on_top() {
    let records = measure(OVERLOAD, &["links.bottleneck.rate=8 Mbit/s", "links.access.loss=25 %"]);
    // 4,000 coins: four standard deviations are 2.7 %.
    assert_near("loss", mean(&records, "cbr", "loss"), 25.0, 2.7);
    assert_eq!(mean(&records, "bottleneck.forward", "drops"), 0.0);
}
