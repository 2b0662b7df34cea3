//! Segments at an interval over one connection, on an idle path and on one that is too slow for them.

use super::{mean, measure};

const PATH: &str = r#"name = "segments"
duration = "20 s"

[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }

[links.near]
between = ["a", "r"]
rate = "1 Gbit/s"

[links.far]
between = ["r", "b"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = { kind = "tail-drop", limit = "unlimited" }

[flows.video]
from = "a"
to = "b"
app = { kind = "segments", size = "250 kB", interval = "2 s" }
"#;

#[test]
fn each_interval_has_its_segment_and_rests_in_between() {
    let records = measure(PATH, &[]);
    // At 0, 2, …, 20 s; the last is under way at the end.
    assert_eq!(mean(&records, "video", "transfers"), 10.0);
    assert_eq!((mean(&records, "video", "goodput") * 1e3).round(), 1000.0); // 250 kB each 2 s: 1 Mbit/s
    // 250 kB and their headers take 208 ms of a link of 10 Mbit/s; slow start and the round trips come on top.
    let completion = mean(&records, "video", "completion_time");
    assert!((208.0..320.0).contains(&completion), "{completion} ms");
}

#[test]
fn segments_that_are_late_queue_up_and_complete_in_order() {
    let records = measure(PATH, &["links.far.rate=800 kbit/s"]);
    // A segment takes 2.6 s where one comes each 2 s: seven fit into 20 s, ever later.
    assert_eq!(mean(&records, "video", "transfers"), 7.0);
    assert!(mean(&records, "video", "completion_time") > 3_500.0);
}
