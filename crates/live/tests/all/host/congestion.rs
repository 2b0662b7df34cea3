//! Mapping of a flow's congestion control to its sockets.

use std::sync::{Arc, Mutex};

use jettison_core::{Duration, Time};
use jettison_live::host::{DiagSampler, SocketRule, TcpReading, check_congestion};
use jettison_measure::metrics;
use jettison_tcp::{Switch, TcpParameters};
use serde_json::json;

use super::harness::{At, Pair, Run, V4, address, newreno, tcp};

/// Reads a host's TCP sockets at 0.4 s.
fn read_later(run: &mut Run, pair: &Pair) -> Arc<Mutex<Vec<TcpReading>>> {
    let read = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&read);
    let sampler = DiagSampler::new(Arc::clone(&pair.namespaces[0])).expect("socket diagnostics");
    // Programs can be cloned, a sampler cannot.
    let sampler = Arc::new(Mutex::new(sampler));
    let call = move |_| {
        *shared.lock().expect("no thread panicked") =
            sampler.lock().expect("no thread panicked").sample().expect("the kernel answers");
    };
    run.program("reader", 0, At { at: Some(Time::from_millis(400)), call });
    read
}

fn sender(readings: &[TcpReading], port: u16) -> &TcpReading {
    let rule = SocketRule { peer: address(V4[1]), port: Some(port) };
    let found = readings.iter().find(|reading| rule.includes(reading) && reading.remote.port() == port);
    found.unwrap_or_else(|| panic!("no socket towards port {port}: {readings:?}"))
}

#[test]
fn each_flow_uses_the_kernels_controller_it_names() {
    let Some(pair) = Pair::new("each_flow_uses_the_kernels_controller_it_names") else { return };
    let mut run = Run::new(&pair, V4);
    let segments = json!({ "size": "100 kB", "interval": "50 ms" });
    let mut expected = Vec::new();
    for (ours, kernels) in [("newreno", "reno"), ("cubic", "cubic"), ("bbr", "bbr"), ("dctcp", "dctcp")] {
        let parameters = TcpParameters { congestion: ours.into(), ..TcpParameters::default() };
        if let Err(reason) = check_congestion(&parameters) {
            eprintln!("left out: {ours} ({reason})");
            continue;
        }
        expected.push((run.flow(ours, "segments", segments.clone(), &tcp(parameters)), kernels));
    }
    let read = read_later(&mut run, &pair);
    let done = run.go(Duration::from_millis(600));
    assert!(expected.len() >= 2, "every kernel has reno, and common kernels have another");
    let read = read.lock().unwrap();
    for (port, kernels) in expected {
        assert_eq!(sender(&read, port).congestion, kernels);
    }
    assert_eq!(done.notes, Vec::<String>::new());
}

#[test]
fn a_missing_controller_is_noted_and_the_flow_continues() {
    let Some(pair) = Pair::new("a_missing_controller_is_noted_and_the_flow_continues") else {
        return;
    };
    let parameters = TcpParameters { congestion: "prague".into(), ..TcpParameters::default() };
    if check_congestion(&parameters).is_ok() {
        return eprintln!("left out: this kernel has Prague");
    }
    let mut run = Run::new(&pair, V4);
    run.flow("bulk", "bulk", json!({ "bytes": "100 kB" }), &tcp(parameters));
    let done = run.go(Duration::from_millis(300));
    assert!(done.notes.iter().any(|note| note.contains("prague")), "{:?}", done.notes);
    assert!(done.mean("bulk", metrics::GOODPUT) > 0.0);
}

#[test]
fn mss_and_pacing_reach_the_socket() {
    let Some(pair) = Pair::new("mss_and_pacing_reach_the_socket") else { return };
    let mut run = Run::new(&pair, V4);
    let segments = json!({ "size": "100 kB", "interval": "50 ms" });
    let small = TcpParameters { mss: 536, ..newreno() };
    let paced = TcpParameters { pacing: Switch::On, ..newreno() };
    let small = run.flow("small", "segments", segments.clone(), &tcp(small));
    let paced = run.flow("paced", "segments", segments.clone(), &tcp(paced));
    let plain = run.flow("plain", "segments", segments, &tcp(newreno()));
    let read = read_later(&mut run, &pair);
    let done = run.go(Duration::from_millis(600));
    let read = read.lock().unwrap();
    assert_eq!(sender(&read, small).info.mss, 536);
    assert_eq!(sender(&read, plain).info.mss, 1448);
    assert!(sender(&read, paced).info.pacing_rate.is_some());
    assert!(done.series("paced", metrics::PACING_RATE).iter().all(|rate| *rate > 0.0));
    assert_eq!(done.notes, Vec::<String>::new());
}
