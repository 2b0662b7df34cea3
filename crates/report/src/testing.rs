//! A small experiment with made-up measurements, for tests.

pub(crate) mod load;
pub(crate) mod streaming;

use std::path::Path;

use indexmap::IndexMap;
use jettison_core::{DropReason, Duration, Gauge, MarkReason, Time};
use jettison_measure::{
    AccountRow, Component, DropRecord, Metric, Part, Reason, Recorder, RecorderSettings, RunRecord, Series,
    Spot, Status, Unit, UnitKind, metrics,
};
use jettison_wire::FlowId;

use crate::model::{Combine, Experiment, Failure, Figure, Input, LiveFacts, Mode, RunKey, Variant, View};
use crate::store::{Closing, Results, Writer, WriterOptions};

pub(crate) fn experiment(variants: &[&str], seeds: u64) -> Experiment {
    Experiment {
        name: "test/made-up".to_owned(),
        description: "A <made-up> experiment & its values.".to_owned(),
        mode: Mode::Simulated,
        duration: Duration::from_secs(20),
        warm_up: Duration::from_secs(2),
        variants: variants
            .iter()
            .map(|name| Variant {
                name: (*name).to_owned(),
                labels: IndexMap::from([("queue".to_owned(), (*name).to_owned())]),
                baseline: (*name != variants[0]).then(|| variants[0].to_owned()),
            })
            .collect(),
        seeds: (1..=seeds).collect(),
        inputs: vec![Input { path: "trace.up".to_owned(), sha256: "ab".repeat(32) }],
        bottleneck: None,
        report: Default::default(),
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
        styles: Default::default(),
        configuration: "name = \"test/made-up\"\nduration = \"20 s\"\n".to_owned(),
    }
}

/// A run whose values depend on `arm` and `seed`: a sawtooth of backlog, a few drops and marks.
pub(crate) fn record(arm: u64, seed: u64) -> RunRecord {
    record_of(arm, seed, Mode::Simulated)
}

/// The same; in live mode, packets are written some µs late.
fn record_of(arm: u64, seed: u64, mode: Mode) -> RunRecord {
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
            if mode == Mode::Live {
                let late = Duration::from_micros(4 + noise() / 4);
                recorder.queue(bottleneck.index).record(metrics::LATENESS, late);
                let late = Duration::from_nanos(2_500 + 80 * noise());
                recorder.queue(access.index).record(metrics::LATENESS, late);
            }
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
    let mut record = recorder.finish(Time::from_secs(20));
    add_account(&mut record, seed);
    record
}

/// Stored results of two variants, one with gauges: CoDel's count, as a whole and in a band.
pub(crate) fn gauges(target: &Path) -> Results {
    const COUNT: Gauge = Gauge::new("codel_count", "count", "Signals since it <began>.");
    let mut writer =
        Writer::create(target, experiment(&["tail-drop", "codel"], 1), WriterOptions::default()).unwrap();
    for (arm, variant) in ["tail-drop", "codel"].into_iter().enumerate() {
        let mut record = record(arm as u64, 1);
        if variant == "codel" {
            let object = record.objects.iter().find(|object| object.name == "bottleneck.forward").unwrap().id;
            for (part, scale) in [("", 1.0), ("band.1", 2.0)] {
                let metric = Metric::new(COUNT.name, COUNT.unit);
                let points = (1..=20u32).map(|n| (Time::from_secs(u64::from(n)), scale * f64::from(n)));
                record.series.push(Series::new(object, metric, part).with(points));
            }
            record.gauges.push(COUNT);
        }
        writer.add_run(&RunKey { variant: variant.to_owned(), seed: 1 }, &record).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}

/// Adds the account of a unit: some time in a queue, for which a drop is to blame, and on the link.
fn add_account(record: &mut RunRecord, seed: u64) {
    let ms = Duration::from_millis;
    let part = |component, spot, duration, decision| Part { component, spot, duration, decision };
    let parts = [
        part(Component::RetransmissionRack, Spot::Sender(0), ms(20 + seed), Some(seed)),
        part(Component::Queue, Spot::Queue(1), ms(3), None),
        part(Component::Playout, Spot::Receiver(1), ms(500), None),
    ];
    let (start, end) = (Time::from_secs(1), Time::from_secs(1) + ms(523 + seed));
    let unit = Unit::new(UnitKind::Segment, 7, 2).of(FlowId(0));
    for part in parts {
        let (status, reason) = (Status::Shown, Reason::None);
        record.accounts.push(AccountRow { unit, start, end, status, reason, part });
    }
    record.ends = [["server", "r"], ["r", "client"]].map(|ends| ends.map(str::to_owned)).to_vec();
}

/// Stored live results of two variants with two seeds; one run is truncated and one is missing.
pub(crate) fn live(target: &Path) -> Results {
    let experiment = Experiment { mode: Mode::Live, ..experiment(&["tail-drop", "codel"], 2) };
    let mut writer = Writer::create(target, experiment, WriterOptions::default()).unwrap();
    let key = |variant: &str, seed| RunKey { variant: variant.to_owned(), seed };
    for (arm, run) in [(1, key("codel", 1)), (0, key("tail-drop", 2)), (0, key("tail-drop", 1))] {
        let facts = LiveFacts {
            scheduling: "SCHED_FIFO 50".to_owned(),
            offload: "checksums".to_owned(),
            kernel: "6.18.5".to_owned(),
            notes: vec!["two cores".to_owned()],
            ..LiveFacts::default()
        };
        writer.add_live(&run, facts).unwrap();
        let logs = writer.logs(&run).unwrap();
        std::fs::create_dir(logs.join("empty")).unwrap();
        std::fs::write(logs.join("iperf3 #1.log"), format!("connected {}\n", run.seed)).unwrap();
        writer.add_run(&run, &record_of(arm, run.seed, Mode::Live)).unwrap();
    }
    let at = Some(3.25);
    writer
        .add_failure(
            &key("codel", 2),
            Failure { at, what: "the router was killed by SIGKILL".to_owned(), status: None },
        )
        .unwrap();
    let what = "`iperf3` ended with status 1".to_owned();
    writer.add_failure(&key("tail-drop", 2), Failure { at: None, what, status: None }).unwrap();
    writer.logs(&key("codel", 2)).unwrap();
    writer.finish(Closing::default()).unwrap()
}

/// Stored live results without measurements: the only run failed.
pub(crate) fn failed(target: &Path) -> Results {
    let experiment = Experiment { mode: Mode::Live, ..experiment(&["tail-drop"], 1) };
    let mut writer = Writer::create(target, experiment, WriterOptions::default()).unwrap();
    let key = RunKey { variant: "tail-drop".to_owned(), seed: 1 };
    let what = "the program `iperf3` does not exist".to_owned();
    writer.add_failure(&key, Failure { at: None, what, status: None }).unwrap();
    writer.finish(Closing::default()).unwrap()
}

/// All runs of an experiment with these variants, in order.
pub(crate) fn runs(variants: &[&str], seeds: u64) -> Vec<(RunKey, RunRecord)> {
    let arms = variants.iter().enumerate();
    arms.flat_map(|(arm, variant)| {
        (1..=seeds)
            .map(move |seed| (RunKey { variant: (*variant).to_owned(), seed }, record(arm as u64, seed)))
    })
    .collect()
}

/// Stored results of three variants with three seeds.
pub(crate) fn results(target: &Path) -> Results {
    stored(target, &["tail-drop", "codel", "codel-ecn"], 3)
}

/// Stored results of these variants.
pub(crate) fn stored(target: &Path, variants: &[&str], seeds: u64) -> Results {
    let mut writer = Writer::create(target, experiment(variants, seeds), WriterOptions::default()).unwrap();
    for (key, record) in runs(variants, seeds) {
        writer.add_run(&key, &record).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}

/// Stored results of `rows` queues with `columns` loads, two seeds each.
pub(crate) fn of_two_axes(target: &Path, rows: usize, columns: usize) -> Results {
    let mut experiment = experiment(&[], 2);
    let mut records = Vec::new();
    for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
        let name = format!("queue=queue-{row},load=load-{column}");
        let labels = [("queue", format!("queue-{row}")), ("load", format!("load-{column}"))];
        let labels = labels.into_iter().map(|(axis, label)| (axis.to_owned(), label)).collect();
        let baseline = (row > 0).then(|| format!("queue=queue-0,load=load-{column}"));
        experiment.variants.push(Variant { name: name.clone(), labels, baseline });
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
