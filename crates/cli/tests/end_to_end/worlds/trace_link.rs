//! A Mahimahi trace as a link.

use serde_json::Value;

use super::super::support::{Folder, assert_near, mean};

/// One opportunity of 1,504 bytes every 2 ms, in a round of 10 ms that repeats, and UDP that offers too much.
const SCENARIO: &str = r#"name = "trace"
duration = "5 s"
warm_up = "1 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.cell]
between = ["a", "b"]
trace = "even.down"
delay = "10 ms"
reverse = { rate = "100 Mbit/s" }
queue = { kind = "tail-drop", limit = "10 packets" }

[flows.cbr]
from = "a"
to = "b"
app = { kind = "cbr", payload = "1472 bytes", interval = "1 ms" }
"#;

fn run(trace: &str, set: &[&str]) -> Vec<Value> {
    let folder = Folder::new();
    folder.write("even.down", trace);
    folder.write("trace.toml", SCENARIO);
    let set = set.iter().flat_map(|option| ["--set", option]);
    let records = folder
        .jettison(&["run", "trace.toml", "--json"].into_iter().chain(set).collect::<Vec<_>>())
        .records();
    let inputs = &folder.json("out/trace/manifest.json")["inputs"];
    assert_eq!(inputs[1]["path"], "even.down");
    records
}

const EVEN: &str = "2\n4\n6\n8\n10\n";

#[track_caller]
fn loss(records: &[Value], expected: f64) {
    // A packet or two at the ends of the measured time.
    let sent = mean(records, "default", "cbr", "sent");
    assert_near("loss", mean(records, "default", "cbr", "loss"), expected, 200.0 / sent);
}

#[test]
fn a_full_packet_takes_one_opportunity() {
    // 1,472 + 28 + Mahimahi's 4 bytes: one of the two that come in 2 ms.
    let records = run(EVEN, &[]);
    loss(&records, 50.0);
    // 1,504 bytes every 2 ms.
    assert_near("throughput", mean(&records, "default", "cell.forward", "throughput"), 6.016, 0.004);
}

#[test]
fn small_packets_share_an_opportunity() {
    // 344 + 28 + 4 bytes: four of the five that come in 2 ms.
    loss(&run(EVEN, &["flows.cbr.app.payload=344 bytes", "flows.cbr.app.interval=400 us"]), 20.0);
}

#[test]
fn a_large_packet_spans_opportunities() {
    // 2,976 + 28 + 4 bytes: two opportunities, 4 ms, where one comes every 2 ms.
    loss(&run(EVEN, &["flows.cbr.app.payload=2976 bytes", "flows.cbr.app.interval=2 ms"]), 50.0);
}

#[test]
fn several_opportunities_may_share_a_millisecond() {
    // Five at once every 10 ms carry as much as one every 2 ms.
    let records = run("10\n10\n10\n10\n10\n", &[]);
    // Ten packets arrive between two rounds, 4,000 in all.
    assert_near("loss", mean(&records, "default", "cbr", "loss"), 50.0, 100.0 * 10.0 / 4000.0);
    assert_near("throughput", mean(&records, "default", "cell.forward", "throughput"), 6.016, 0.016);
}

#[test]
fn a_lone_packet_waits_for_its_opportunity() {
    // Sent 1 ms after each opportunity but the first: it waits 1 ms, whatever its size, and travels 10 ms.
    let set = ["flows.cbr.start=1 ms", "flows.cbr.app.interval=20 ms", "flows.cbr.app.payload=100 bytes"];
    assert_eq!(mean(&run(EVEN, &set), "default", "cbr", "owd"), 11.0);
}

#[test]
fn tcp_fills_it() {
    let records = run(EVEN, &["flows.cbr.app=bulk", "links.cell.queue=codel"]);
    let carried = mean(&records, "default", "cell.forward", "throughput");
    assert!((5.5..=6.02).contains(&carried), "{carried} Mbit/s");
}
