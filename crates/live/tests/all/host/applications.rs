//! All registered applications in a live run.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jettison_core::{Duration, Time};
use jettison_measure::metrics;
use serde_json::json;

use super::harness::{At, Pair, Run, V4, V6, newreno, octopus, tcp, udp};

#[test]
fn all_applications_run_together_and_are_measured() {
    let Some(pair) = Pair::new("all_applications_run_together_and_are_measured") else { return };
    let mut run = Run::new(&pair, V4);
    let reno = tcp(newreno());
    run.flow("bulk", "bulk", json!({ "bytes": "300 MB" }), &reno);
    run.flow("messages", "bulk", json!({ "bytes": "2 MB" }), &octopus());
    run.flow("cbr", "cbr", json!({ "rate": "5 Mbit/s" }), &udp());
    run.flow("on-off", "on-off", json!({ "rate": "2 Mbit/s" }), &udp());
    run.flow("ping", "ping", json!({ "interval": "50 ms" }), &udp());
    run.flow("segments", "segments", json!({ "size": "200 kB", "interval": "500 ms" }), &reno);
    run.flow("web", "web", json!({ "transfers_per_second": 50.0, "max_size": "1 MB" }), &reno);
    let content = json!({ "duration": "60 s", "segment_duration": "1 s" });
    run.flow(
        "dash",
        "dash",
        json!({ "content": content, "player": { "start_up": "1 s", "max_buffer": "5 s" } }),
        &reno,
    );
    let load = json!({ "mean": 300.0, "amplitude": 0.0, "content": { "titles": 3, "duration": "8 s" } });
    run.flow("dash-load", "dash-load", load, &reno);
    run.flow("video", "spatial-video", json!({}), &octopus());
    run.flow("video-tcp", "spatial-video", json!({}), &reno);
    run.flow("temporal", "temporal-video", json!({}), &octopus());
    run.flow("volumetric", "volumetric-video", json!({}), &octopus());
    run.flow("conference", "conference", json!({}), &udp());
    run.flow("haptic", "haptic", json!({}), &udp());
    let done = run.go(Duration::from_secs(3));

    assert_eq!(done.notes, Vec::<String>::new());
    let above = |flow: &str, metric, least: f64| {
        let value = done.mean(flow, metric);
        assert!(value > least, "{flow}: {} is {value}", metric.name);
    };
    let with_goodput = [
        "bulk",
        "messages",
        "cbr",
        "on-off",
        "segments",
        "web",
        "dash",
        "dash-load",
        "video",
        "video-tcp",
        "temporal",
        "volumetric",
        "conference",
        "haptic",
    ];
    with_goodput.iter().for_each(|flow| above(flow, metrics::GOODPUT, 0.0));
    for flow in ["bulk", "messages", "ping", "segments", "web", "dash", "video", "video-tcp"] {
        above(flow, metrics::RTT, 0.0);
    }
    for flow in ["cbr", "on-off", "conference", "haptic"] {
        above(flow, metrics::OWD, 0.0);
        assert!(done.mean(flow, metrics::LOSS) < 5.0, "{flow}");
        above(flow, metrics::RECEIVED, 10.0);
    }
    // Transfers that end have a completion time; their congestion window and RTT were observed.
    for flow in ["bulk", "segments", "web"] {
        above(flow, metrics::COMPLETION, 0.0);
        assert!(done.mean(flow, metrics::FAILED_TRANSFERS).is_nan(), "{flow}");
        assert!(done.mean(flow, metrics::RETRANSMITS) >= 0.0, "{flow}");
    }
    above("web", metrics::TRANSFERS, 50.0);
    above("ping", metrics::RECEIVED, 40.0);
    // `bulk` may end before the first sample.
    for flow in ["segments", "dash", "video-tcp"] {
        assert!(done.series(flow, metrics::CWND).iter().all(|cwnd| *cwnd > 0.0), "{flow}");
        assert!(!done.series(flow, metrics::CWND).is_empty(), "{flow}");
        assert!(!done.series(flow, metrics::SRTT).is_empty(), "{flow}");
    }
    for flow in ["video", "video-tcp", "temporal", "volumetric"] {
        above(flow, metrics::FRAMES_DECODED, 50.0);
        above(flow, metrics::FRAME_LATENCY, 0.0);
    }
    above("conference", metrics::FRAME_DELAY, 0.0);
    assert!(done.mean("conference", metrics::FRAME_LOSS) < 5.0);
    above("dash", metrics::SEGMENT_RATE, 0.0);
    assert!(done.series("dash-load", metrics::ACTIVE_PLAYERS).iter().any(|players| *players > 0.0));
}

#[test]
fn a_constant_bit_rate_is_exact() {
    let Some(pair) = Pair::new("a_constant_bit_rate_is_exact") else { return };
    let mut run = Run::new(&pair, V4);
    // 50 Mbit/s in payloads of 1,250 bytes: 5,000 per second.
    run.flow_until(
        "cbr",
        "cbr",
        json!({ "rate": "50 Mbit/s", "payload": "1250 B" }),
        &udp(),
        Time::from_secs(1),
    );
    let done = run.go(Duration::from_millis(1100));
    let (sent, received) = (done.mean("cbr", metrics::SENT), done.mean("cbr", metrics::RECEIVED));
    // A thread may start some milliseconds late, but the rate is exact.
    assert!((4_500.0..=5_001.0).contains(&sent), "{sent}");
    assert_eq!(received, sent);
    assert_eq!(done.notes, Vec::<String>::new());
}

#[test]
fn applications_run_over_ipv6() {
    let Some(pair) = Pair::new("applications_run_over_ipv6") else { return };
    let mut run = Run::new(&pair, V6);
    run.flow("bulk", "bulk", json!({ "bytes": "1 MB" }), &tcp(newreno()));
    run.flow("cbr", "cbr", json!({ "rate": "1 Mbit/s" }), &udp());
    run.flow("ping", "ping", json!({ "interval": "50 ms" }), &udp());
    run.flow("video", "spatial-video", json!({}), &octopus());
    let done = run.go(Duration::from_secs(1));
    assert_eq!(done.notes, Vec::<String>::new());
    for flow in ["bulk", "cbr", "video"] {
        assert!(done.mean(flow, metrics::GOODPUT) > 0.0, "{flow}");
    }
    assert!(done.mean("ping", metrics::RECEIVED) > 10.0 && done.mean("ping", metrics::RTT) > 0.0);
    assert!(done.mean("bulk", metrics::COMPLETION) > 0.0);
}

#[test]
fn a_thousand_connections_leak_no_descriptor() {
    let Some(pair) = Pair::new("a_thousand_connections_leak_no_descriptor") else { return };
    let descriptors = || std::fs::read_dir("/proc/self/fd").map_or(0, |entries| entries.count() as u64);
    let mut run = Run::new(&pair, V4);
    let load = json!({ "transfers_per_second": 800.0, "min_size": "1 kB", "max_size": "20 kB" });
    run.flow_until("web", "web", load, &tcp(newreno()), Time::from_millis(1500));
    let before = descriptors();
    let counted = Arc::new(AtomicU64::new(u64::MAX));
    let shared = Arc::clone(&counted);
    let call = move |_| shared.store(descriptors(), Ordering::Relaxed);
    run.program("count", 0, At { at: Some(Time::from_millis(1900)), call });
    let done = run.go(Duration::from_secs(2));
    assert!(done.mean("web", metrics::TRANSFERS) >= 1000.0, "{}", done.mean("web", metrics::TRANSFERS));
    assert!(done.mean("web", metrics::FAILED_TRANSFERS).is_nan());
    // Descriptors of the loop: poller, namespaces of both ends, stop event, listener.
    let counted = counted.load(Ordering::Relaxed);
    assert!(counted <= before + 12, "{counted} after {before}");
    assert_eq!(done.notes, Vec::<String>::new());
}
