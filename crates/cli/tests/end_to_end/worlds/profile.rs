//! A network profile as a link.

use super::super::support::{Folder, assert_near, mean};

/// A second of 5 Mbit/s and 40 ms, then one of 2 Mbit/s and 80 ms, and again.
const PROFILE: &str = r#"{
    "changes": [{"time": 0, "bw": 5, "rtt": 40, "loss": 0}, {"time": 1, "bw": 2, "rtt": 80, "loss": 0}],
    "repeat": "True", "pause": 1, "duration": 640
}"#;

/// 8 Mbit/s offered to one such link, and a ping on another.
const SCENARIO: &str = r#"name = "profile"
duration = "4 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }
c = { kind = "host" }

[links.busy]
between = ["a", "b"]
profile = "steps.json"
queue = { kind = "tail-drop", limit = "1 packet" }

[links.idle]
between = ["a", "c"]
profile = "steps.json"

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
    let folder = Folder::new();
    folder.write("steps.json", PROFILE);
    folder.write("profile.toml", SCENARIO);
    let (start, end) = (format!("warm_up={second} s"), format!("duration={} s", second + 1));
    let records =
        folder.jettison(&["run", "profile.toml", "--json", "--set", &start, "--set", &end]).records();
    mean(&records, "default", object, metric)
}

#[test]
fn the_rate_is_that_of_the_time_round_after_round() {
    for (second, expected) in [(0, 5.0), (1, 2.0), (2, 5.0), (3, 2.0)] {
        let carried = during(second, "busy.forward", "throughput");
        // A packet of 1,000 bytes across the boundary is 0.008 Mbit/s.
        assert_near(format!("throughput in second {second}"), carried, expected, 0.017);
    }
}

#[test]
fn the_round_trip_time_is_the_profiles_and_serialisation_comes_on_top() {
    // 784 bits each way: 156.8 µs at 5 Mbit/s, 392 µs at 2 Mbit/s.
    for (second, expected) in [(0, 40.0 + 2.0 * 0.1568), (1, 80.0 + 2.0 * 0.392), (3, 80.0 + 2.0 * 0.392)] {
        assert_near(format!("rtt in second {second}"), during(second, "echo", "rtt"), expected, 1e-6);
    }
}
