//! L4S end to end: scalable senders through DualPI2's low-latency queue, beside a Classic sender.

use crate::support;

use jettison_measure::{RunRecord, metrics};

/// A scalable and a CUBIC bulk flow through 40 Mbit/s with DualPI2 and a base RTT of 10 ms.
fn beside_cubic(transport: &str) -> RunRecord {
    let text = format!(
        r#"
        name = "l4s"
        duration = "30 s"
        warm_up = "10 s"
        [nodes]
        s = {{ kind = "host" }}
        r = {{ kind = "router" }}
        d = {{ kind = "host" }}
        [links.access]
        between = ["s", "r"]
        rate = "1 Gbit/s"
        delay = "0 ms"
        [links.bottleneck]
        between = ["r", "d"]
        rate = "40 Mbit/s"
        delay = "5 ms"
        queue = "dualpi2"
        reverse = {{ queue = "tail-drop" }}
        [flows.scalable]
        from = "s"
        to = "d"
        app = "bulk"
        transport = {transport}
        [flows.classic]
        from = "s"
        to = "d"
        app = "bulk"
        transport = {{ kind = "tcp", congestion = "cubic" }}
        "#
    );
    support::run(&text)
}

fn goodput(record: &RunRecord, flow: &str) -> f64 {
    record.summary_value(flow, metrics::GOODPUT).expect("bulk has a goodput").mean
}

/// Median and 99th percentile of the RTT above the base of 10 ms, in ms.
fn queueing(record: &RunRecord, flow: &str) -> [f64; 2] {
    let rtt = record.summary_value(flow, metrics::RTT).expect("TCP measures its RTT");
    let [median, _, high] = rtt.percentiles.expect("RTTs have a distribution");
    [median - 10.0, high - 10.0]
}

#[test]
fn rfc9332_1_prague_waits_a_millisecond_and_takes_as_much_as_cubic() {
    let record = beside_cubic(r#"{ kind = "tcp", congestion = "prague" }"#);
    let ratio = goodput(&record, "scalable") / goodput(&record, "classic");
    assert!((0.5..2.0).contains(&ratio), "goodput of Prague over CUBIC: {ratio}");
    // Serialisation accounts for 0.3 ms.
    let [median, high] = queueing(&record, "scalable");
    assert!(median < 1.5 && high < 2.3, "Prague: {median} ms, 99 %: {high} ms");
    assert!(queueing(&record, "classic")[0] > 10.0, "CUBIC has its own queue");
    let used =
        record.summary_value("bottleneck.forward", metrics::UTILISATION).expect("a queue has one").mean;
    assert!(used > 99.0, "{used} %");
}

#[test]
fn dctcp_takes_as_much_as_cubic_and_its_bursts_wait_longer() {
    let record = beside_cubic(r#"{ kind = "tcp", congestion = "dctcp" }"#);
    let ratio = goodput(&record, "scalable") / goodput(&record, "classic");
    assert!((0.5..2.0).contains(&ratio), "goodput of DCTCP over CUBIC: {ratio}");
    let [median, high] = queueing(&record, "scalable");
    assert!(median < 2.0 && high < 8.0, "DCTCP: {median} ms, 99 %: {high} ms");
}

#[test]
fn without_ecn_prague_is_a_classic_flow_in_the_classic_queue() {
    let record = beside_cubic(r#"{ kind = "tcp", congestion = "prague", ecn = false }"#);
    let [median, _] = queueing(&record, "scalable");
    assert!(median > 10.0, "{median} ms");
    let marks = record.summary_value("bottleneck.forward", metrics::MARKS).map_or(0.0, |marks| marks.mean);
    assert_eq!(marks, 0.0, "nothing is ECN-capable");
}
