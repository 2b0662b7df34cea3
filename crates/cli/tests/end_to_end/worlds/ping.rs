//! ICMP echo on an idle path: the sum of propagation and serialisation, to the nanosecond.

use super::{mean, measure};

const IDLE: &str = r#"name = "idle"
duration = "3 s"

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.near]
between = ["a", "r"]
rate = "10 Mbit/s"
delay = "3 ms"

[links.far]
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "7 ms"
reverse = { rate = "1 Mbit/s", delay = "1 ms" }

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "100 ms" }
"#;

#[test]
fn rtt_is_delays_and_serialisation() {
    let records = measure(IDLE, &[]);
    // 56 bytes, 8 of ICMP, 20 of IP and 14 of Ethernet are 784 bits: 78.4 µs twice at 10 Mbit/s, 392 µs there at
    // 2 Mbit/s and 784 µs back at 1 Mbit/s; 3 + 7 + 1 + 3 ms of propagation.
    assert_eq!(mean(&records, "echo", "rtt"), 14.0 + 2.0 * 0.0784 + 0.392 + 0.784);
    // At 0, 100, …, 3,000 ms; the last is still under way at the end, and so not lost.
    assert_eq!(mean(&records, "echo", "sent"), 31.0);
    assert_eq!(mean(&records, "echo", "received"), 30.0);
    assert_eq!(mean(&records, "echo", "loss"), 0.0);
}

#[test]
fn overhead_and_payload_count_by_the_byte() {
    let set =
        ["links.near.overhead=0 bytes", "links.far.overhead=2 bytes", "flows.echo.app.payload=1472 bytes"];
    let records = measure(IDLE, &set);
    // 1,500 bytes: 1.2 ms twice at 10 Mbit/s; 1,502 bytes: 6.008 ms there and 12.016 ms back.
    assert_eq!(mean(&records, "echo", "rtt"), 14.0 + 2.0 * 1.2 + 6.008 + 12.016);
}

#[test]
fn rates_that_do_not_divide_are_exact_to_the_nanosecond() {
    // 784 bits at 3 Mbit/s are 261,333⅓ ns.
    let set = ["links.near.rate=3 Mbit/s", "links.far.rate=3 Mbit/s", "links.far.reverse.rate=3 Mbit/s"];
    let rtt = mean(&measure(IDLE, &set), "echo", "rtt");
    let nanos = (rtt * 1e6).round() as i64 - 14_000_000;
    assert!((4 * 261_333..=4 * 261_334).contains(&nanos), "{nanos} ns of serialisation");
}
