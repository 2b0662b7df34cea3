//! Accounts of delays in short runs of all shipped scenarios: the parts of each unit add up to the whole, and the wholes are what the
//! flows' own meters say.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;

use jettison_core::{Duration, Time};
use jettison_measure::{
    AccountRow, Component, Kind, Metric, ObjectId, RunRecord, Status, Unit, UnitKind, metrics,
};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Contents, Settings};
use jettison_wire::FlowId;

use super::shipped::QUICK;

/// Variants of each scenario.
const VARIANTS: usize = 1;
/// Time by which all flows begin.
const STARTS: Time = Time::from_millis(300);
/// Duration of a run, and of one with players, who take their time.
const DURATION: Duration = Duration::from_secs(1);
const WITH_PLAYERS: Duration = Duration::from_secs(3);

/// The record of a variant's run, shortened unless it is to be `full`; `None` if it is for live runs alone.
fn run(builder: &Builder, settings: &Settings, contents: &Contents, full: bool) -> Option<RunRecord> {
    let mut settings = settings.clone();
    let has_players = settings.flows.values().any(|flow| flow.app.0.kind.starts_with("dash"));
    if !full {
        settings.duration = settings.duration.min(if has_players { WITH_PLAYERS } else { DURATION });
        for flow in settings.flows.values_mut() {
            flow.start = flow.start.min(STARTS);
        }
    }
    settings.warm_up = Duration::ZERO;
    settings.record.accounts = true;
    let mut world = match builder.build(&settings, contents, 1, &BuildOptions::default()) {
        Ok(world) => world,
        Err(error) if error.to_string().contains("only `jettison live`") => return None,
        Err(error) => panic!("{error}"),
    };
    world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
    Some(world.finish())
}

/// The account of a unit.
struct Account<'a>(&'a [AccountRow]);

impl Account<'_> {
    fn unit(&self) -> Unit {
        self.0[0].unit
    }

    fn status(&self) -> Status {
        self.0[0].status
    }

    fn whole(&self) -> Duration {
        self.0[0].end.since(self.0[0].start)
    }

    /// The sum of the parts of components.
    fn of(&self, is_counted: impl Fn(Component) -> bool) -> Duration {
        let parts = self.0.iter().filter(|row| is_counted(row.part.component));
        parts.fold(Duration::ZERO, |sum, row| sum + row.part.duration)
    }
}

/// Count and mean of delays, rounded as distributions do.
fn mean(delays: impl Iterator<Item = Duration>) -> (u64, Duration) {
    let (count, sum) = delays.fold((0, 0), |(count, sum), delay| (count + 1, sum + delay.as_nanos()));
    (count, Duration::from_nanos(sum.checked_div(count).unwrap_or(0)))
}

/// Accounts of a run by flow.
struct Checked<'a> {
    name: &'a str,
    record: &'a RunRecord,
    by_flow: BTreeMap<FlowId, Vec<Account<'a>>>,
}

impl Checked<'_> {
    /// Compares the delays of a flow's units with one of its distributions.
    fn compare(&self, flow: FlowId, metric: Metric, delays: (u64, Duration)) {
        let id = ObjectId { kind: Kind::Flow, index: flow.0 };
        let object = self.record.objects.iter().find(|object| object.id == id).expect("it is a flow");
        let own = object.distributions.iter().find(|(own, _)| *own == metric);
        let found = own.map_or((0, Duration::ZERO), |(_, own)| (own.count(), own.mean()));
        assert_eq!(delays, found, "{}: {} of {}", self.name, metric.name, object.name);
    }

    fn of<'b>(&'b self, flow: FlowId, kind: UnitKind) -> impl Iterator<Item = &'b Account<'b>> {
        self.by_flow.get(&flow).into_iter().flatten().filter(move |account| account.unit().kind == kind)
    }

    /// Delays of units that datagrams carry.
    fn datagrams(&self, flow: FlowId) {
        for (kind, metric) in [
            (UnitKind::Datagram, metrics::OWD),
            (UnitKind::Sample, metrics::OWD),
            (UnitKind::Update, metrics::OWD),
            (UnitKind::Echo, metrics::RTT),
        ] {
            if self.of(flow, kind).next().is_some() {
                let shown = self.of(flow, kind).filter(|account| account.status() == Status::Shown);
                self.compare(flow, metric, mean(shown.map(Account::whole)));
            }
        }
    }

    /// Times from the request of a segment to its last byte.
    fn segments(&self, flow: FlowId) {
        let is_download = |component| component != Component::Playout;
        let is_whole = |account: &&Account<'_>| {
            account.status() == Status::Shown || account.of(|own| !is_download(own)) > Duration::ZERO
        };
        let asked = self.of(flow, UnitKind::Segment).filter(|account| account.unit().number as u32 > 0);
        if self.of(flow, UnitKind::Manifest).next().is_some() {
            let delays = asked.filter(is_whole).map(|account| account.of(is_download));
            self.compare(flow, metrics::COMPLETION, mean(delays));
        }
    }

    /// Frames against their scores, which the viewers of videos keep, and those of conferences against their meter.
    fn frames(&self, flow: FlowId) {
        if let Some(video) = self.record.frames.iter().find(|video| video.flow == flow) {
            let accounts: BTreeMap<u64, &Account<'_>> =
                self.of(flow, UnitKind::Frame).map(|account| (account.unit().number, account)).collect();
            // Calls without pictures score a frame when it is rendered; its account ends with its last packet, or before, if it
            // waits for another frame. Times of capture have the 11 µs of RTP timestamps.
            if video.scores.iter().any(|score| score.ssim.is_nan()) {
                for score in &video.scores {
                    let account = accounts.get(&u64::from(score.frame));
                    let Some((account, latency)) = account.zip(score.latency) else { continue };
                    let bound = latency.saturating_add(Duration::from_micros(12));
                    assert!(account.whole() <= bound, "{}: frame {}", self.name, score.frame);
                }
                return;
            }
            assert_eq!(accounts.len(), video.scores.len(), "{}: frames", self.name);
            for score in &video.scores {
                let account = accounts[&u64::from(score.frame)];
                let latency = (account.status() == Status::Shown).then(|| account.whole());
                assert_eq!(latency, score.latency, "{}: frame {}", self.name, score.frame);
                assert_eq!(account.0[0].start, score.captured_at, "{}: frame {}", self.name, score.frame);
            }
        } else if self.of(flow, UnitKind::Frame).next().is_some() {
            let shown = self.of(flow, UnitKind::Frame).filter(|account| account.status() == Status::Shown);
            self.compare(flow, metrics::FRAME_DELAY, mean(shown.map(Account::whole)));
        }
    }
}

/// Checks the accounts of a run; returns their number by kind and status.
fn check(name: &str, record: &RunRecord) -> BTreeMap<(UnitKind, Status), u64> {
    let rows = record.accounts.all().expect("the rows can be read");
    let mut by_flow: BTreeMap<FlowId, Vec<Account<'_>>> = BTreeMap::new();
    let mut seen = BTreeMap::new();
    // A unit may come twice: a segment that was fetched anew has another start.
    for own in
        rows.chunk_by(|one, other| (one.unit, one.start, one.end) == (other.unit, other.start, other.end))
    {
        let account = Account(own);
        let unit = account.unit();
        assert!(own[0].end >= own[0].start, "{name}: {unit}");
        assert_eq!(account.of(|_| true), account.whole(), "{name}: {unit}");
        assert!(own.iter().all(|row| (row.status, row.reason) == (own[0].status, own[0].reason)));
        let is_asked = unit.kind != UnitKind::Request || account.status() != Status::Shown;
        assert!(is_asked, "{name}: a request is a part of what it asks for");
        *seen.entry((unit.kind, account.status())).or_insert(0) += 1;
        by_flow.entry(unit.flow).or_default().push(account);
    }
    let flows: Vec<FlowId> = by_flow.keys().copied().collect();
    let checked = Checked { name, record, by_flow };
    for flow in flows {
        checked.datagrams(flow);
        checked.segments(flow);
        checked.frames(flow);
    }
    seen
}

/// Checks a variant of each scenario; returns the number of accounts by kind and status.
fn check_all(full: bool) -> BTreeMap<(UnitKind, Status), u64> {
    let builder = Builder::standard();
    let mut all: BTreeMap<(UnitKind, Status), u64> = BTreeMap::new();
    for (path, scenario) in QUICK.iter() {
        let step = scenario.variants.len().div_ceil(VARIANTS);
        for variant in scenario.variants.iter().step_by(step) {
            let Some(record) = run(&builder, &variant.settings, &scenario.contents, full) else { continue };
            let name = format!("{} {}", path.display(), variant.name);
            for (key, count) in check(&name, &record) {
                *all.entry(key).or_insert(0) += count;
            }
        }
    }
    all
}

#[test]
#[ignore = "minutes; `make experiments` runs it"]
fn the_parts_of_every_delay_add_up_in_long_runs() {
    let all = check_all(true);
    assert!(all.contains_key(&(UnitKind::Segment, Status::Shown)), "{all:?}");
}

#[test]
fn the_parts_of_every_delay_add_up_in_every_scenario() {
    let all = check_all(false);
    // The scenarios have all of these between them.
    for kind in [
        UnitKind::Segment,
        UnitKind::Manifest,
        UnitKind::Object,
        UnitKind::Response,
        UnitKind::Message,
        UnitKind::Frame,
        UnitKind::Sample,
        UnitKind::Update,
        UnitKind::Command,
        UnitKind::Datagram,
        UnitKind::Echo,
    ] {
        assert!(all.contains_key(&(kind, Status::Shown)), "none is a {}: {all:?}", kind.name());
    }
    for status in [Status::Never, Status::Unfinished] {
        assert!(all.keys().any(|(_, own)| *own == status), "none is {}: {all:?}", status.name());
    }
}
