//! A small experiment with made-up measurements, for tests.

pub(crate) mod streaming;

use std::path::Path;

use indexmap::IndexMap;
use jettison_core::{DropReason, Duration, MarkReason, Time};
use jettison_measure::{DropRecord, Recorder, RecorderSettings, RunRecord, metrics};
use jettison_wire::FlowId;

use crate::model::{Combine, Experiment, Figure, Input, RunKey, Variant, View};
use crate::store::{Closing, Results, Writer, WriterOptions};

pub(crate) fn experiment(variants: &[&str], seeds: u64) -> Experiment {
    Experiment {
        name: "test/made-up".to_owned(),
        description: "A <made-up> experiment & its values.".to_owned(),
        duration: Duration::from_secs(20),
        warm_up: Duration::from_secs(2),
        variants: variants
            .iter()
            .map(|name| Variant {
                name: (*name).to_owned(),
                labels: IndexMap::from([("queue".to_owned(), (*name).to_owned())]),
            })
            .collect(),
        seeds: (1..=seeds).collect(),
        inputs: vec![Input { path: "trace.up".to_owned(), sha256: "ab".repeat(32) }],
        bottleneck: None,
        figures: vec![
            Figure {
                title: "Rolling RTT".to_owned(),
                caption: "Mean of ten samples.".to_owned(),
                object: "ping".to_owned(),
                metric: "rtt".to_owned(),
                combine: Combine::Mean,
                variants: String::new(),
                view: View::Rolling(10),
            },
            Figure {
                title: "Throughput CDF".to_owned(),
                caption: String::new(),
                object: "bottleneck.forward".to_owned(),
                metric: "throughput".to_owned(),
                combine: Combine::Mean,
                variants: String::new(),
                view: View::Cdf,
            },
        ],
        configuration: "name = \"test/made-up\"\nduration = \"20 s\"\n".to_owned(),
    }
}

/// A run whose values follow from `arm` and `seed`: a sawtooth of backlog, a few drops and marks.
pub(crate) fn record(arm: u64, seed: u64) -> RunRecord {
    let settings = RecorderSettings { warm_up: Time::from_secs(2), ..RecorderSettings::default() };
    let mut recorder = Recorder::new(settings);
    let access = recorder.add_queue("access.forward");
    let bottleneck = recorder.add_queue("bottleneck.forward");
    let bulk = recorder.add_flow("bulk");
    let ping = recorder.add_flow("ping");
    let flow = |object: jettison_measure::ObjectId| FlowId(object.index);
    let mut state = seed * 1_000_003 + 17;
    let mut noise = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) % 100
    };
    for tick in 1..=200u64 {
        let now = Time::from_millis(100 * tick);
        if tick == 20 {
            recorder.start_measuring();
        }
        let saw = (tick * (3 + arm) + seed * 7) % 40;
        let depth = 10 + saw * (arm + 1) / 2 + noise() / 20;
        for i in 0..80 {
            let sojourn = Duration::from_micros(depth * 120 + i * 3 + noise());
            recorder.queue(bottleneck.index).offered();
            recorder.queue(bottleneck.index).departed(sojourn, 1514);
            recorder.queue(access.index).offered();
            recorder.queue(access.index).departed(Duration::from_micros(1 + noise() / 50), 1514);
            if let Some(meter) = recorder.flow(flow(bulk)) {
                meter.delivered(1448 - 2 * arm);
                meter.round_trip(Duration::from_millis(20) + sojourn);
            }
        }
        if saw > 36 {
            let reason = if arm == 0 { DropReason::BufferFull } else { DropReason::CoDel };
            recorder.queue(bottleneck.index).offered();
            recorder.dropped(DropRecord {
                time: now,
                queue: bottleneck.index,
                flow: flow(bulk),
                reason,
                length: 1500,
            });
        }
        if arm == 2 && saw > 30 {
            recorder.queue(bottleneck.index).marked(MarkReason::CoDel);
        }
        let rtt = Duration::from_millis(20) + Duration::from_micros(depth * 120);
        if let Some(meter) = recorder.flow(flow(ping)) {
            meter.round_trip(rtt);
        }
        recorder.point(ping, metrics::RTT, now, rtt.as_secs_f64() * 1e3);
        recorder.point(bulk, metrics::CWND, now, (depth * 1448 + 20_000) as f64);
        recorder.point(bulk, metrics::SRTT, now, rtt.as_secs_f64() * 1e3);
        recorder.sample_queue(access.index, 0, 0, now);
        recorder.sample_queue(bottleneck.index, depth, depth * 1500, now);
        recorder.sample_flow(flow(bulk), now);
        recorder.end_sample(now);
    }
    recorder.finish(Time::from_secs(20))
}

/// All runs of an experiment with those variants, in order.
pub(crate) fn runs(variants: &[&str], seeds: u64) -> Vec<(RunKey, RunRecord)> {
    let arms = variants.iter().enumerate();
    arms.flat_map(|(arm, variant)| {
        (1..=seeds)
            .map(move |seed| (RunKey { variant: (*variant).to_owned(), seed }, record(arm as u64, seed)))
    })
    .collect()
}

/// Stored results of three variants under three seeds.
pub(crate) fn results(target: &Path) -> Results {
    stored(target, &["tail-drop", "codel", "codel-ecn"], 3)
}

/// Stored results of those variants.
pub(crate) fn stored(target: &Path, variants: &[&str], seeds: u64) -> Results {
    let mut writer = Writer::create(target, experiment(variants, seeds), WriterOptions::default()).unwrap();
    for (key, record) in runs(variants, seeds) {
        writer.add_run(&key, &record).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}

/// Stored results of `rows` queues under `columns` loads, two seeds each.
pub(crate) fn of_two_axes(target: &Path, rows: usize, columns: usize) -> Results {
    let mut experiment = experiment(&[], 2);
    let mut records = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let name = format!("queue=queue-{row},load=load-{column}");
        let labels = [("queue", format!("queue-{row}")), ("load", format!("load-{column}"))];
        let labels = labels.into_iter().map(|(axis, label)| (axis.to_owned(), label)).collect();
        experiment.variants.push(Variant { name: name.clone(), labels });
        for seed in 1..=2 {
            let arm = (row * 3 % 5 + column) as u64;
            records.push((RunKey { variant: name.clone(), seed }, record(arm, seed)));
        }
    }
    let mut writer = Writer::create(target, experiment, WriterOptions::default()).unwrap();
    for (key, record) in records {
        writer.add_run(&key, &record).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}
