//! A made-up load test: bulk flows in both directions, pings and a voice flow.

use std::path::Path;

use jettison_core::{Duration, Time};
use jettison_measure::{Recorder, RecorderSettings, RunRecord, metrics};
use jettison_wire::FlowId;

use super::experiment;
use crate::model::{Experiment, RunKey};
use crate::store::{Closing, Results, Writer, WriterOptions};

/// Entries of the scenario: name, from, to and application.
pub(crate) const FLOWS: [(&str, &str, &str, &str); 5] = [
    ("a-be", "server", "client", "bulk"),
    ("b-ef", "client", "server", "bulk"),
    ("icmp", "client", "server", "ping"),
    ("udp-ef", "client", "server", "ping"),
    ("voice", "client", "server", "cbr"),
];

/// The effective configuration with these flows.
pub(crate) fn configuration(flows: &[(&str, &str, &str, &str)]) -> String {
    let entry = |(name, from, to, app): &(&str, &str, &str, &str)| {
        format!("[flows.{name}]\nfrom = \"{from}\"\nto = \"{to}\"\n[flows.{name}.app]\nkind = \"{app}\"\n")
    };
    flows.iter().map(entry).collect()
}

/// Segments that each bulk flow delivers in 100 ms, and its RTT or that of a ping.
const BULK: [(&str, u64, u64); 3] = [("a-be.1", 80, 200), ("a-be.2", 80, 200), ("b-ef", 10, 200)];
const PINGS: [(&str, u64); 2] = [("icmp", 30), ("udp-ef", 50)];

/// A run of 20 s. Pings are lost from 10 to 12 s.
fn record() -> RunRecord {
    let settings = RecorderSettings { warm_up: Time::from_secs(2), ..RecorderSettings::default() };
    let mut recorder = Recorder::new(settings);
    let queues = ["line.forward", "line.reverse"].map(|name| recorder.add_queue(name));
    let bulk = BULK.map(|(name, segments, rtt)| (recorder.add_flow(name), segments, rtt));
    let pings = PINGS.map(|(name, rtt)| (recorder.add_flow(name), rtt));
    let voice = recorder.add_flow("voice");
    for tick in 1..=200u64 {
        let now = Time::from_millis(100 * tick);
        if tick == 20 {
            recorder.start_measuring();
        }
        for (queue, sojourn) in queues.iter().zip([5, 90]) {
            recorder.queue(queue.index).offered();
            recorder.queue(queue.index).departed(Duration::from_millis(sojourn), 1514);
            recorder.sample_queue(queue.index, sojourn, sojourn * 1500, now);
        }
        for (flow, segments, rtt) in bulk {
            if let Some(meter) = recorder.flow(FlowId(flow.index)) {
                meter.delivered(1448 * segments);
                meter.round_trip(Duration::from_millis(rtt));
            }
            recorder.sample_flow(FlowId(flow.index), now);
        }
        for (flow, rtt) in pings.iter().filter(|_| !(100..120).contains(&tick)) {
            if let Some(meter) = recorder.flow(FlowId(flow.index)) {
                meter.round_trip(Duration::from_millis(*rtt));
            }
            recorder.point(*flow, metrics::RTT, now, *rtt as f64);
        }
        if let Some(meter) = recorder.flow(FlowId(voice.index)) {
            // Every tenth is lost.
            meter.sent();
            if tick % 10 != 0 {
                meter.received(tick, now - Duration::from_millis(20), now);
            }
        }
        recorder.end_sample(now);
    }
    recorder.finish(Time::from_secs(20))
}

/// Stored results of these variants with one seed each.
pub(crate) fn stored(target: &Path, variants: &[&str], configuration: &str) -> Results {
    let configuration = configuration.to_owned();
    let experiment = Experiment { configuration, figures: Vec::new(), ..experiment(variants, 1) };
    let mut writer = Writer::create(target, experiment, WriterOptions::default()).unwrap();
    for variant in variants {
        writer.add_run(&RunKey { variant: (*variant).to_owned(), seed: 1 }, &record()).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}
