//! Scheduled changes of a link's rate, delay and loss.

use super::super::support::assert_near;
use super::{mean, measure};

/// 8 Mbit/s offered to a link whose rate changes every second, and a ping beside it on a path of its own.
const CHANGES: &str = r#"name = "changes"
duration = "5 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }
c = { kind = "host" }

[links.steps]
between = ["a", "b"]
rate = "5 Mbit/s"
queue = { kind = "tail-drop", limit = "1 packet" }
changes = [
  { at = "1 s", rate = "2 Mbit/s" },
  { at = "2 s", rate = "0 bit/s" },
  { at = "3 s", rate = "10 Mbit/s" },
  { at = "4 s", loss = "100 %" },
]

[links.moving]
between = ["a", "c"]
rate = "100 Mbit/s"
delay = "1 ms"
changes = [{ at = "1 s", delay = "10 ms" }, { at = "2 s", delay = "2 ms", rate = "10 Mbit/s" }]

[flows.cbr]
from = "a"
to = "b"
app = { kind = "cbr", payload = "958 bytes", interval = "1 ms" }

[flows.echo]
from = "a"
to = "c"
app = { kind = "ping", interval = "100 ms" }
"#;

/// The value of an object's metric in the second that starts at `second`.
fn during(second: u32, object: &str, metric: &str) -> f64 {
    let (start, end) = (format!("warm_up={second} s"), format!("duration={} s", second + 1));
    mean(&measure(CHANGES, &[&start, &end]), object, metric)
}

#[test]
fn the_rate_is_that_of_the_time() {
    // A packet of 1,000 bytes across the boundary is 0.008 Mbit/s.
    for (second, expected) in [(0, 5.0), (1, 2.0), (2, 0.0), (3, 8.0)] {
        let carried = during(second, "steps.forward", "throughput");
        assert_near(format!("throughput in second {second}"), carried, expected, 0.017);
    }
}

#[test]
fn nothing_is_lost_on_the_way_before_its_time_and_everything_after() {
    assert_near("goodput before", during(3, "cbr", "goodput"), 8.0 * 0.958, 0.017);
    assert_eq!(during(4, "cbr", "loss"), 100.0);
}

#[test]
fn the_delay_is_that_of_the_time() {
    // 784 bits each way: 7.84 µs at 100 Mbit/s, 78.4 µs at 10.
    assert_eq!(during(0, "echo", "rtt"), 2.01568);
    assert_eq!(during(1, "echo", "rtt"), 20.01568);
    assert_eq!(during(2, "echo", "rtt"), 4.1568);
}
