//! The retransmissions that iRED's culprit flag drops do not lock to the round trip.

use crate::support;

use jettison_measure::metrics;

/// RFC 7928's level of medium congestion: 27 NewReno flows, 20 Mbit/s, a round trip of 100 ms, and iRED that drops packets of
/// the flow with the largest backlog. A sender that reduces its window once per recovery loses the retransmission of one
/// segment in each round trip, and remains the flow with the largest backlog for as long.
const MEDIUM: &str = r#"name = "culprit"
duration = "15 s"
warm_up = "5 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "1 Gbit/s"
delay = "40 ms"
[links.bottleneck]
between = ["r", "b"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = { kind = "ired", buffer = "32 packets", n = 4, culprit = true, limit = "165 packets" }
reverse = { queue = "tail-drop" }
[flows.bulk]
from = "a"
to = "b"
transport = { kind = "tcp", congestion = "newreno", initial_window = 3, reduce_again = true }
app = "bulk"
start_jitter = "1 s"
count = 27
"#;

#[test]
fn rfc5681_4_3_a_culprit_that_loses_its_retransmissions_releases_the_queue() {
    let record = support::run(MEDIUM);
    let value = |object, metric| record.summary_value(object, metric).expect("it is measured").mean;
    assert!(value("all flows", metrics::GOODPUT) < 20.0);
    assert!(value("all flows", metrics::FAIRNESS) > 0.95, "{}", value("all flows", metrics::FAIRNESS));
    let sojourn = value("bottleneck.forward", metrics::SOJOURN);
    assert!(sojourn < 25.0, "{sojourn} ms");
}
