use std::io::{BufReader, Seek, SeekFrom};

use jettison_core::{DropReason, Duration, MarkReason};
use jettison_wire::Instance;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use super::*;
use crate::{
    Content, Decision, DecisionLog, EventKind, GaugeKey, Identity, Outcome, QueueState, Unit, UnitKind,
    ViewerEvent, metrics,
};

const METRICS: [Metric; 5] = [
    metrics::SOJOURN,
    metrics::GOODPUT,
    metrics::LATENESS,
    metrics::KERNEL_DROPS,
    Metric::new("made_up", "parsec"),
];

const GAUGES: [Gauge; 2] = [
    Gauge::new("red_average", "packets", "Average queue."),
    Gauge::new("a_python_classs_own", "1", "Something new."),
];

fn a_metric() -> impl Strategy<Value = Metric> {
    proptest::sample::select(METRICS.as_slice())
}

fn an_id() -> impl Strategy<Value = ObjectId> {
    (any::<bool>(), any::<u32>())
        .prop_map(|(flow, index)| ObjectId { kind: if flow { Kind::Flow } else { Kind::Queue }, index })
}

fn a_distribution() -> impl Strategy<Value = Distribution> {
    let value = prop_oneof![0..5_000u64, 0..10_000_000_000u64, any::<u64>()];
    vec(value, 0..40).prop_map(|values| {
        let mut distribution = Distribution::default();
        values.iter().for_each(|nanos| distribution.record(Duration::from_nanos(*nanos)));
        distribution
    })
}

fn an_object() -> impl Strategy<Value = ObjectRecord> {
    let distributions = vec((a_metric(), a_distribution()), 0..3);
    (an_id(), ".{0,12}", distributions).prop_map(|(id, name, distributions)| ObjectRecord {
        id,
        name,
        distributions,
    })
}

fn a_value() -> impl Strategy<Value = f64> {
    any::<f64>().prop_filter("equal to itself", |value| !value.is_nan())
}

fn a_series() -> impl Strategy<Value = Series> {
    let part = proptest::sample::select(["", "codel", "5 ms"].as_slice());
    let points = vec((any::<u64>().prop_map(Time::from_nanos), a_value()), 0..40);
    (an_id(), a_metric(), part, points)
        .prop_map(|(object, metric, part, points)| Series::new(object, metric, part).with(points))
}

fn a_unit() -> impl Strategy<Value = Unit> {
    let kind = proptest::sample::select(UnitKind::ALL.as_slice());
    (any::<u32>(), kind, any::<u64>(), any::<u32>()).prop_map(|(flow, kind, number, part)| Unit {
        flow: FlowId(flow),
        kind,
        number,
        part,
    })
}

fn a_content() -> impl Strategy<Value = Content> {
    (option::of(a_unit()), any::<u64>(), any::<u32>(), any::<bool>(), option::of(any::<u32>())).prop_map(
        |(unit, offset, length, retransmission, previous)| Content {
            unit,
            offset,
            length,
            retransmission,
            previous,
        },
    )
}

fn a_state() -> impl Strategy<Value = QueueState> {
    let holder = (any::<u32>().prop_map(FlowId), any::<u32>());
    let part = proptest::sample::select(["", "band.1"].as_slice());
    let key = (proptest::sample::select(GAUGES.as_slice()), part)
        .prop_map(|(gauge, part)| GaugeKey { name: gauge.name, part });
    (any::<[u64; 3]>(), vec(holder, 0..4), vec((key, a_value()), 0..4)).prop_map(
        |([packets, bytes, others], holders, gauges)| QueueState { packets, bytes, others, holders, gauges },
    )
}

fn an_identity() -> impl Strategy<Value = Identity> {
    let instance = proptest::sample::select([Instance::Normal, Instance::EgressClone].as_slice());
    let waited = option::of(any::<u64>().prop_map(Duration::from_nanos));
    (any::<u32>(), instance, option::of(a_content()), waited, option::of(a_state())).prop_map(
        |(packet, instance, content, waited, queue)| Identity { packet, instance, content, waited, queue },
    )
}

fn a_decision() -> impl Strategy<Value = Decision> {
    let reason = proptest::sample::select(DropReason::ALL.as_slice());
    let mark = proptest::sample::select(MarkReason::ALL.as_slice());
    let outcome = (0..5, reason, mark).prop_map(|(kind, reason, mark)| match kind {
        0 => Outcome::Dropped(reason),
        1 => Outcome::Evicted(reason),
        2 => Outcome::Marked(mark),
        3 => Outcome::Kept(reason),
        _ => Outcome::Unmarked(mark),
    });
    (any::<[u64; 2]>(), any::<u32>(), any::<u32>(), outcome, any::<u16>(), option::of(an_identity()))
        .prop_map(|([id, nanos], queue, flow, outcome, length, identity)| Decision {
            id,
            time: Time::from_nanos(nanos),
            queue,
            flow: FlowId(flow),
            outcome,
            length,
            identity,
        })
}

fn a_summary_value() -> impl Strategy<Value = SummaryValue> {
    let percentiles = option::of([a_value(), a_value(), a_value()]);
    (".{0,12}", a_metric(), ".{0,8}", a_value(), percentiles).prop_map(
        |(object, metric, part, mean, percentiles)| SummaryValue {
            object,
            metric,
            part: part.into(),
            mean,
            percentiles,
        },
    )
}

fn a_video() -> impl Strategy<Value = VideoFrames> {
    let score = (any::<u32>(), any::<u64>(), any::<u8>(), option::of(any::<u64>()), a_value(), a_value());
    let score = score.prop_map(|(frame, captured, layers, latency, ssim_db, ssim)| FrameScore {
        frame,
        captured_at: Time::from_nanos(captured),
        layers,
        latency: latency.map(Duration::from_nanos),
        ssim_db,
        ssim,
    });
    (any::<u32>(), vec(score, 0..20)).prop_map(|(flow, scores)| VideoFrames { flow: FlowId(flow), scores })
}

fn an_event() -> impl Strategy<Value = ViewerEvent> {
    let kinds = (
        proptest::sample::select(EventKind::ALL.as_slice()),
        proptest::sample::select(UnitKind::ALL.as_slice()),
    );
    let unit = option::of((any::<u64>(), any::<u32>()));
    (any::<u32>(), kinds, any::<u64>(), any::<u64>(), a_value(), unit).prop_map(
        |(flow, (kind, unit_kind), at, duration, cost, unit)| ViewerEvent {
            flow: FlowId(flow),
            kind,
            since: Time::from_nanos(duration),
            at: Time::from_nanos(at),
            duration: Duration::from_nanos(duration),
            cost,
            unit: unit.map(|(number, part)| Unit::new(unit_kind, number, part).of(FlowId(flow))),
        },
    )
}

fn a_record() -> impl Strategy<Value = RunRecord> {
    let lists = (vec(an_object(), 0..5), vec(a_series(), 0..5), vec(a_decision(), 0..20));
    let gauges = vec(proptest::sample::select(GAUGES.as_slice()), 0..3);
    (lists, (vec(a_video(), 0..4), vec(an_event(), 0..9)), vec(a_summary_value(), 0..10), gauges).prop_map(
        |((objects, series, drops), (frames, events), summary, gauges)| RunRecord {
            objects,
            series,
            drops: drops.into_iter().collect(),
            frames,
            events,
            summary,
            gauges,
            accounts: AccountLog::default(),
            ends: Vec::new(),
        },
    )
}

proptest! {
    #[test]
    fn a_record_survives_the_transfer(record in a_record()) {
        let bytes = record.to_bytes().unwrap();
        let back = RunRecord::from_bytes(&bytes).unwrap();
        prop_assert_eq!(&back, &record);
        prop_assert_eq!(back.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn truncated_or_trailing_bytes_are_refused(record in a_record(), at in any::<prop::sample::Index>()) {
        let mut bytes = record.to_bytes().unwrap();
        prop_assert!(RunRecord::from_bytes(&bytes[..at.index(bytes.len())]).is_err());
        bytes.push(0);
        prop_assert!(RunRecord::from_bytes(&bytes).is_err());
    }

    #[test]
    fn damaged_bytes_are_read_or_refused(record in a_record(), flips in vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let mut bytes = record.to_bytes().unwrap();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        if let Ok(other) = RunRecord::from_bytes(&bytes) {
            prop_assert_eq!(RunRecord::from_bytes(&other.to_bytes().unwrap()).map(|back| back.to_bytes().unwrap()), Ok(other.to_bytes().unwrap()));
        }
    }
}

fn with_head(body: &[u8]) -> Vec<u8> {
    [HEAD.as_slice(), body].concat()
}

#[test]
fn another_version_is_refused() {
    let mut bytes = with_head(&[0; 9]);
    assert!(RunRecord::from_bytes(&bytes).is_ok_and(|record| record.summary.is_empty()));
    bytes[HEAD.len() - 1] += 1;
    assert_eq!(RunRecord::from_bytes(&bytes), Err(TransferError::OtherFormat));
    assert_eq!(RunRecord::from_bytes(b"jet"), Err(TransferError::OtherFormat));
}

#[test]
fn a_length_beyond_the_input_allocates_nothing() {
    let most = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01];
    assert_eq!(RunRecord::from_bytes(&with_head(&most)), Err(TransferError::CutOff));
    let too_long = [0xff; 10];
    let expected = TransferError::Damaged("an integer exceeds 64 bits");
    assert_eq!(RunRecord::from_bytes(&with_head(&too_long)), Err(expected));
}

#[test]
fn an_unknown_drop_reason_is_refused() {
    // No objects, no series, one drop: number 0, at 0, queue 0, flow 0, the names "drop" and "new".
    let names = [&[0, 4][..], b"drop", &[1, 3], b"new"].concat();
    let bytes = with_head(&[&[0, 0, 1, 0, 0, 0, 0], &names[..], &[0, 0, 0, 0, 0]].concat());
    let expected = TransferError::Damaged("unknown reason of a drop or mark");
    assert_eq!(RunRecord::from_bytes(&bytes), Err(expected));
}

fn on_grid(queue: u32, points: u64) -> Series {
    let object = ObjectId { kind: Kind::Queue, index: queue };
    let value = |at| (at * at % 1009 + u64::from(queue)) as f64;
    Series::new(object, metrics::BACKLOG, "")
        .with((1..=points).map(|at| (Time::from_millis(100 * at), value(at))))
}

fn of_series(series: Vec<Series>) -> RunRecord {
    RunRecord {
        objects: Vec::new(),
        series,
        drops: DecisionLog::default(),
        frames: Vec::new(),
        events: Vec::new(),
        summary: Vec::new(),
        gauges: Vec::new(),
        accounts: AccountLog::default(),
        ends: Vec::new(),
    }
}

#[test]
fn a_series_takes_little_more_than_its_values() {
    let record = of_series(vec![on_grid(0, 1000)]);
    assert!(record.to_bytes().unwrap().len() < 1000 * (8 + 4) + 100);
}

#[test]
fn long_series_are_spilled_while_they_are_read_and_written_in_pieces() {
    let series: Vec<Series> = (0..3).map(|queue| on_grid(queue, 250_000)).collect();
    let record = of_series(series);
    let mut stored = tempfile::tempfile().unwrap();
    record.write_to(&mut stored).unwrap();
    stored.seek(SeekFrom::Start(0)).unwrap();
    let back = RunRecord::read_from(BufReader::new(stored)).unwrap();
    let pieces = |series: &Series| series.pieces().count();
    assert!(back.series.iter().any(|series| pieces(series) > 1));
    assert!(record.series.iter().all(|series| pieces(series) == 1));
    assert_eq!(back, record);
    assert_eq!(back.to_bytes().unwrap(), record.to_bytes().unwrap());
}

#[test]
fn a_sink_that_takes_no_more_is_an_error() {
    let mut room = [0u8; 100];
    assert!(of_series(vec![on_grid(0, 100_000)]).write_to(&mut room.as_mut_slice()).is_err());
}
