//! SCReAM through DualPI2's low-latency queue, beside a bulk flow of Prague.

use crate::support;

use jettison_measure::{RunRecord, metrics};

/// A conference of at most 10 Mbit/s and a bulk flow through 20 Mbit/s with a base RTT of 20 ms.
fn beside_bulk(queue: &str, conference: &str, ecn: &str, bulk: &str) -> RunRecord {
    let text = format!(
        r#"
        name = "scream"
        duration = "40 s"
        warm_up = "15 s"
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
        rate = "20 Mbit/s"
        delay = "10 ms"
        queue = "{queue}"
        reverse = {{ queue = "tail-drop" }}
        [flows.conference]
        from = "s"
        to = "d"
        transport = {{ kind = "udp", ecn = "{ecn}" }}
        app = {{ kind = "conference", rate = "10 Mbit/s", min_rate = "500 kbit/s", frame_rate = 30.0, packet = "1200 B", adapt = "{conference}" }}
        [flows.bulk]
        from = "s"
        to = "d"
        app = "bulk"
        transport = {{ kind = "tcp", congestion = "{bulk}" }}
        "#
    );
    support::run(&text)
}

fn mean(record: &RunRecord, metric: jettison_measure::Metric, flow: &str) -> f64 {
    record.summary_value(flow, metric).expect("it has one").mean
}

#[test]
fn beside_prague_it_has_a_share_and_waits_for_milliseconds() {
    let record = beside_bulk("dualpi2", "scream", "ect1", "prague");
    let conference = mean(&record, metrics::GOODPUT, "conference");
    let bulk = mean(&record, metrics::GOODPUT, "bulk");
    // It leaves slack to the encoder (1.2) and to headers, and its window reacts twice as often as a round trip is long.
    assert!((2.0..10.0).contains(&conference), "{conference} Mbit/s");
    assert!(conference + bulk > 17.0, "{bulk} Mbit/s");
    assert_eq!(mean(&record, metrics::LOSS, "conference"), 0.0);
    // 10 ms of path; a frame's packets are spread over two thirds of the time between two frames.
    let frames = record.summary_value("conference", metrics::FRAME_DELAY).expect("frames came");
    let [median, _, high] = frames.percentiles.expect("of a distribution");
    assert!(median < 36.0 && high < 45.0, "{median} ms, 99 %: {high} ms");
    let rtt = record.summary_value("bulk", metrics::RTT).expect("TCP measures its RTT");
    let [median, _, high] = rtt.percentiles.expect("of a distribution");
    assert!(median < 23.0 && high < 25.0, "Prague's queue: {median} ms, 99 %: {high} ms");
}

#[test]
fn beside_cubic_in_a_long_queue_it_holds_back_and_marks_would_have_helped() {
    // The delay that CUBIC makes is congestion, too: without the compensation for competing flows the rate is low.
    let tail = beside_bulk("tail-drop", "scream", "not-ect", "cubic");
    let dual = beside_bulk("dualpi2", "scream", "ect1", "cubic");
    let rate = |record| mean(record, metrics::GOODPUT, "conference");
    assert!(rate(&tail) < 2.0, "{} Mbit/s", rate(&tail));
    assert!(rate(&dual) > 2.0 * rate(&tail), "{} Mbit/s", rate(&dual));
    let delay = |record| mean(record, metrics::FRAME_DELAY, "conference");
    assert!(delay(&dual) < 0.7 * delay(&tail), "{} and {} ms", delay(&dual), delay(&tail));
}
