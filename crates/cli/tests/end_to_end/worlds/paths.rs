//! Policy routes over two routers in parallel.

use super::{mean, measure};

const PARALLEL: &str = r#"name = "parallel"
duration = "2 s"

[nodes]
a1 = { kind = "host" }
a2 = { kind = "host" }
b = { kind = "host" }
out = { kind = "router" }
fast = { kind = "router" }
slow = { kind = "router" }

[nodes.in]
kind = "router"
routes = [
  { from = "a2", to = "b", via = "in-slow" },
  { to = "b", dscp = 46, via = "in-slow" },
]

[links.a1]
between = ["a1", "in"]
rate = "1 Gbit/s"
delay = "1 ms"

[links.a2]
between = ["a2", "in"]
rate = "1 Gbit/s"
delay = "1 ms"

[links.in-fast]
between = ["in", "fast"]
rate = "1 Gbit/s"
delay = "1 ms"

[links.fast-out]
between = ["fast", "out"]
rate = "1 Gbit/s"
delay = "1 ms"

[links.in-slow]
between = ["in", "slow"]
rate = "1 Gbit/s"
delay = "10 ms"

[links.slow-out]
between = ["slow", "out"]
rate = "1 Gbit/s"
delay = "10 ms"

[links.b]
between = ["out", "b"]
rate = "1 Gbit/s"
delay = "1 ms"

[flows.plain]
from = "a1"
to = "b"
app = { kind = "ping", interval = "100 ms" }

[flows.by-sender]
from = "a2"
to = "b"
start = "10 ms"
app = { kind = "ping", interval = "100 ms" }

[flows.by-dscp]
from = "a1"
to = "b"
start = "20 ms"
app = { kind = "ping", interval = "100 ms", dscp = 46 }
"#;

/// Eight hops of 784 bits at 1 Gbit/s, in ms.
const SERIALISATION: f64 = 8.0 * 784e-6;

#[track_caller]
fn assert_rtt(records: &[serde_json::Value], flow: &str, propagation: f64) {
    let rtt = mean(records, flow, "rtt");
    // Equal but for the last bit of the sum.
    assert!((rtt - propagation - SERIALISATION).abs() < 1e-9, "{flow}: {rtt} ms");
}

#[test]
fn the_first_route_that_matches_decides_before_the_shortest_path() {
    let records = measure(PARALLEL, &[]);
    // Four links each way. The replies find no route and come back over the first of the two shortest paths.
    assert_rtt(&records, "plain", 8.0);
    assert_rtt(&records, "by-sender", 8.0 + 18.0);
    // A reply keeps its request's DSCP, but the route is for those to `b`.
    assert_rtt(&records, "by-dscp", 8.0 + 18.0);
    assert_eq!(mean(&records, "in-fast.forward", "packets"), 20.0);
    assert_eq!(mean(&records, "in-slow.forward", "packets"), 40.0);
    assert_eq!(mean(&records, "in-slow.reverse", "packets"), 0.0);
    assert_eq!(mean(&records, "in-fast.reverse", "packets"), 60.0);
}

#[test]
fn without_routes_all_take_the_shortest_path() {
    let records = measure(PARALLEL, &["nodes.in.routes=[]"]);
    for flow in ["plain", "by-sender", "by-dscp"] {
        assert_rtt(&records, flow, 8.0);
    }
    assert_eq!(mean(&records, "in-slow.forward", "packets"), 0.0);
}
