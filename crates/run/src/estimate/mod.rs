//! Estimates of a scenario's runs before they start: packets, CPU time, memory, bytes on disk.
//!
//! A fluid model: time is cut into equal slots; in each, the flows share the links of their paths by max-min fairness
//! (`sharing.rs`), limited by what their applications offer (`offered.rs`). Packets follow from rates and sizes, costs from packets
//! (`cost.rs`). Loss recovery, slow start and the disciplines are left out: within a factor of two for the scenarios that come with
//! Jettison.

mod cost;
mod machine;
mod offered;
mod sharing;

use std::fmt;
use std::path::Path;

use indexmap::IndexMap;
use jettison_core::Time;
use jettison_scenario::build::Builder;
use jettison_scenario::schema::{GaugeSettings, Node, Settings};
use jettison_scenario::{Hop, Scenario, Variant};
use serde::Serialize;
use serde_json::Value;

use self::offered::{Carried, Offer};
use self::sharing::{Group, shares};

/// Number of slots of a run.
const SLOTS: usize = 48;
/// Entries that the drop log holds.
const MOST_DROPS: f64 = 1e6;
/// Share of the packets of adaptive flows that are dropped.
const DROPPED: f64 = 0.004;

/// What the runs of a scenario need.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Estimate {
    /// Packets over all links and in both directions, ACKs included, of all runs.
    pub packets: u64,
    /// CPU time of all runs, in seconds.
    pub cpu_seconds: f64,
    /// Highest memory, with as many runs at a time as there are jobs, in bytes.
    pub memory: u64,
    /// Size of the results, in bytes.
    pub disk: u64,
    /// One run of each variant.
    pub variants: Vec<VariantEstimate>,
}

/// What one run of a variant needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantEstimate {
    /// Name of the variant.
    pub variant: String,
    /// Packets over all links and in both directions.
    pub packets: u64,
    /// CPU time in seconds.
    pub cpu_seconds: f64,
    /// Memory in bytes, without that of the program.
    pub memory: u64,
    /// Size of its part of the results, in bytes.
    pub disk: u64,
}

/// Estimates the runs of a scenario with `jobs` at a time; `captures` if all ports are captured.
pub fn estimate(scenario: &Scenario, jobs: usize, captures: bool) -> Estimate {
    let builder = Builder::standard();
    let runs = scenario.seeds.len() as f64;
    let (mut kept, mut rows, mut described) = (0.0, 0.0_f64, 0.0);
    let mut variants = Vec::with_capacity(scenario.variants.len());
    for variant in &scenario.variants {
        let run = Run::of(variant, scenario, &builder);
        kept += cost::REPORT_VARIANT + run.values * runs * cost::VALUE;
        rows += run.points * runs;
        described += cost::VARIANT_ON_DISK + run.values * cost::VALUE_ON_DISK;
        variants.push(run.estimate(&variant.name, captures));
    }
    let sum = |of: fn(&VariantEstimate) -> f64| variants.iter().map(of).sum::<f64>() * runs;
    let at_once = (jobs.max(1) as f64).min(runs * variants.len() as f64);
    let largest = variants.iter().map(|variant| variant.memory).max().unwrap_or(0) as f64;
    Estimate {
        packets: sum(|variant| variant.packets as f64) as u64,
        cpu_seconds: cost::COMMAND_SECONDS + sum(|variant| variant.cpu_seconds),
        memory: (cost::PROGRAM + at_once * largest + kept + rows.min(cost::ROWS) * cost::ROW) as u64,
        disk: (cost::FOLDER + described + sum(|variant| variant.disk as f64)) as u64,
        variants,
    }
}

impl Estimate {
    /// Why the runs cannot be done on this machine with results in `out`, if so.
    pub fn refusal(&self, out: &Path) -> Option<String> {
        self.exceeds(machine::available_memory(), machine::free_space(out))
    }

    fn exceeds(&self, memory: Option<u64>, space: Option<u64>) -> Option<String> {
        if let Some(memory) = memory.filter(|memory| self.memory > *memory) {
            return Some(format!(
                "needs about {} of memory, and {} are available; lower `--jobs`, flows or `duration`, or use --force",
                size(self.memory),
                size(memory)
            ));
        }
        let space = space.filter(|space| self.disk > *space)?;
        Some(format!(
            "writes about {}, and {} are free; choose another --out, raise `sample_interval`, or use --force",
            size(self.disk),
            size(space)
        ))
    }
}

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (memory, disk) = (size(self.memory), size(self.disk));
        let cpu = time(self.cpu_seconds);
        write!(
            f,
            "about {} packets, {cpu} of CPU, {memory} of memory, {disk} on disk",
            count(self.packets as f64)
        )
    }
}

/// Two significant digits.
fn rounded(value: f64) -> String {
    if value >= 9.95 { format!("{value:.0}") } else { format!("{value:.1}") }
}

fn count(value: f64) -> String {
    match value {
        value if value >= 1e9 => format!("{} billion", rounded(value / 1e9)),
        value if value >= 1e6 => format!("{} million", rounded(value / 1e6)),
        value if value >= 1e4 => format!("{:.0},000", value / 1e3),
        value => format!("{value:.0}"),
    }
}

fn size(bytes: u64) -> String {
    let bytes = bytes as f64;
    match bytes {
        bytes if bytes >= 1e12 => format!("{} TB", rounded(bytes / 1e12)),
        bytes if bytes >= 1e9 => format!("{} GB", rounded(bytes / 1e9)),
        bytes if bytes >= 1e6 => format!("{} MB", rounded(bytes / 1e6)),
        bytes => format!("{} kB", rounded(bytes / 1e3)),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        seconds if seconds >= 7_200.0 => format!("{} h", rounded(seconds / 3_600.0)),
        seconds if seconds >= 120.0 => format!("{} min", rounded(seconds / 60.0)),
        seconds => format!("{} s", rounded(seconds)),
    }
}

/// Quantities of one run.
#[derive(Debug, Default)]
struct Run {
    /// Packets over links.
    hops: f64,
    /// Those into P4 routers.
    p4_hops: f64,
    /// CPU nanoseconds at the ends.
    ends: f64,
    drops: f64,
    flows: f64,
    queues: f64,
    /// Packets in queues and on links at a time.
    waiting: f64,
    points: f64,
    values: f64,
    captured: f64,
}

/// Flows of one entry.
struct Entry<'s> {
    offer: Offer,
    path: Vec<Hop<'s>>,
    /// Links of the path by index, with wire bits per payload bit.
    factors: Vec<(usize, f64)>,
    /// Active flows in each slot.
    active: Vec<f64>,
    /// Payload bits left of all flows.
    left: f64,
}

impl Run {
    fn of(variant: &Variant, scenario: &Scenario, builder: &Builder) -> Run {
        let settings = &variant.settings;
        let mut run = Run::default();
        let mut links: IndexMap<Hop<'_>, Vec<f64>> = IndexMap::new();
        let span = settings.duration.as_secs_f64();
        let slot = span / SLOTS as f64;
        for (name, link) in &settings.links {
            for forward in [true, false] {
                // A software switch delays its links' packets, by a packet and half an ACK for each packet of a transfer.
                let service = settings.nodes.get(link.sender(forward)).and_then(Node::service);
                let served =
                    service.map_or(f64::INFINITY, |service| service.packet_rate() / 1.5 * 1_500.0 * 8.0);
                let capacities = match builder.link_model(settings, &scenario.contents, name, forward) {
                    Ok(model) => slots(settings)
                        .map(|(from, to)| (model.capacity(from, to).get() as f64 * 8.0 / slot).min(served))
                        .collect(),
                    Err(_) => vec![0.0; SLOTS],
                };
                links.insert(Hop { link: name, forward }, capacities);
            }
        }
        let mut entries = entries(variant, &links);
        for at in 0..SLOTS {
            let capacity: Vec<f64> = links.values().map(|slots| slots[at]).collect();
            run.add_slot(&mut entries, &capacity, at, slot, settings);
        }
        run.add_objects(settings, &entries, &links, span);
        run
    }

    /// Adds the packets of a slot.
    fn add_slot(
        &mut self,
        entries: &mut [Entry<'_>],
        capacity: &[f64],
        at: usize,
        slot: f64,
        settings: &Settings,
    ) {
        let rates: Vec<f64> = entries.iter().map(|entry| entry.highest(at, slot)).collect();
        let wanted: Vec<_> = entries
            .iter()
            .zip(&rates)
            .map(|(entry, most)| {
                let (offer, most) = (&entry.offer, *most);
                move |share: f64| offer.wanted(share).min(most)
            })
            .collect();
        let groups: Vec<Group<'_>> = entries
            .iter()
            .zip(&wanted)
            .map(|(entry, wanted)| Group {
                flows: entry.active[at],
                path: &entry.factors,
                wanted,
                adapts: entry.offer.carried != Carried::Datagrams || !entry.offer.rungs.is_empty(),
            })
            .collect();
        let found = shares(&groups, capacity);
        drop(groups);
        drop(wanted);
        for (entry, share) in entries.iter_mut().zip(found) {
            let flows = entry.active[at];
            if flows <= 0.0 {
                continue;
            }
            let packets = |rate: f64| (rate / 8.0 / entry.offer.payload + entry.offer.extra) * flows * slot;
            let sent = packets(share.sent);
            let arrived = share.carried.last().map_or(sent, |rate| packets(*rate));
            let replies = arrived * entry.offer.replies
                + if entry.offer.carried == Carried::Tcp { entry.offer.extra * flows * slot } else { 0.0 };
            for (hop, rate) in entry.path.iter().zip(&share.carried) {
                let over = packets(*rate) + replies;
                self.hops += over;
                let link = &settings.links[hop.link];
                let is_p4 =
                    |forward: bool| matches!(settings.nodes.get(link.sender(forward)), Some(Node::P4(_)));
                self.p4_hops += if is_p4(!hop.forward) { packets(*rate) } else { 0.0 };
                self.p4_hops += if is_p4(hop.forward) { replies } else { 0.0 };
                self.captured += if link.pcap { over } else { 0.0 };
            }
            self.ends += sent
                * match entry.offer.carried {
                    Carried::Tcp => cost::TCP_ENDS,
                    Carried::Messages => cost::MESSAGE_ENDS,
                    Carried::Datagrams => cost::DATAGRAM_ENDS,
                };
            self.drops += sent - arrived;
            if entry.offer.carried != Carried::Datagrams {
                self.drops += DROPPED * sent;
            }
            entry.left = (entry.left - share.sent * flows * slot).max(0.0);
        }
    }

    /// Adds what flows, queues and samples need.
    fn add_objects(
        &mut self,
        settings: &Settings,
        entries: &[Entry<'_>],
        links: &IndexMap<Hop<'_>, Vec<f64>>,
        span: f64,
    ) {
        let samples = span / settings.sample_interval.as_secs_f64().max(1e-9);
        self.queues = links.len() as f64;
        // Backlog in packets and bytes, sojourn time, its maximum, throughput; drops and marks where there are any.
        let mut series = 5.5 * self.queues;
        for (entry, flow) in entries.iter().zip(settings.flows.values()) {
            let players = entry.offer.load.map_or(1.0, |load| load.mean);
            let flows = f64::from(flow.count);
            self.flows += flows * players;
            series += flows
                * match entry.offer.carried {
                    Carried::Tcp => 5.0,
                    Carried::Messages => 8.0,
                    Carried::Datagrams => 3.0,
                };
        }
        if matches!(&settings.gauges, Some(GaugeSettings::All(true) | GaugeSettings::Named(_))) {
            series += 3.0 * self.queues + 3.0 * self.flows;
        }
        self.points = series * samples;
        self.values = 8.0 * self.queues + 8.0 * self.flows;
        for (hop, capacities) in links {
            let Some(link) = settings.links.get(hop.link) else { continue };
            let mean = capacities.iter().sum::<f64>() / SLOTS as f64;
            // What is on the way, and a hundred milliseconds of queue, but no more than a usual limit.
            let rate = (mean / 8.0 / 1_500.0).min(self.hops / span);
            let delay = settings.direction(link, hop.forward).delay.as_secs_f64();
            self.waiting += rate * delay + (0.1 * rate).min(1_000.0);
        }
    }

    fn estimate(&self, name: &str, captures: bool) -> VariantEstimate {
        let drops = self.drops.min(MOST_DROPS);
        let nanos =
            self.hops * cost::HOP + self.p4_hops * cost::P4 + self.ends + self.points * cost::POINT_NANOS;
        let memory = cost::RUN
            + self.queues * cost::QUEUE
            + self.flows * cost::FLOW
            + self.waiting * cost::PACKET
            + self.points.min(cost::POINTS_IN_MEMORY) * cost::POINT
            + drops * cost::DROP;
        let captured = if captures { self.hops } else { self.captured };
        let disk = cost::RUN_ON_DISK
            + self.points * cost::POINT_ON_DISK
            + drops * cost::DROP_ON_DISK
            + captured * cost::CAPTURED;
        VariantEstimate {
            variant: name.to_owned(),
            packets: self.hops as u64,
            cpu_seconds: cost::RUN_SECONDS + nanos / 1e9,
            memory: memory as u64,
            disk: disk as u64,
        }
    }
}

impl Entry<'_> {
    /// The most that each flow may still send in a slot, in payload bits per second.
    fn highest(&self, at: usize, slot: f64) -> f64 {
        if self.active[at] <= 0.0 { 0.0 } else { self.left / (self.active[at] * slot) }
    }
}

/// Begin and end of each slot.
fn slots(settings: &Settings) -> impl Iterator<Item = (Time, Time)> {
    let nanos = settings.duration.as_nanos();
    let at = move |slot: usize| Time::from_nanos((u128::from(nanos) * slot as u128 / SLOTS as u128) as u64);
    (0..SLOTS).map(move |slot| (at(slot), at(slot + 1)))
}

fn entries<'s>(variant: &'s Variant, links: &IndexMap<Hop<'s>, Vec<f64>>) -> Vec<Entry<'s>> {
    let settings = &variant.settings;
    let span = settings.duration.as_secs_f64();
    let slot = span / SLOTS as f64;
    let none = Value::Null;
    settings
        .flows
        .iter()
        .map(|(name, flow)| {
            let tree = variant.effective.get("flows").and_then(|flows| flows.get(name)).unwrap_or(&none);
            let app = tree.get("app").unwrap_or(&none);
            let transport = tree.get("transport").unwrap_or(&none);
            let kind = transport.get("kind").unwrap_or(transport).as_str();
            let usual = match flow.app.0.kind.as_str() {
                "cbr" | "on-off" | "ping" | "frames" | "conference" | "haptic" | "webrtc" => "udp",
                "spatial-video" | "temporal-video" | "volumetric-video" => "octopus",
                _ => "tcp",
            };
            let offer = Offer::of(app, kind.unwrap_or(usual), transport);
            let path = settings.path(&flow.from, &flow.to).unwrap_or_default();
            let factors = path.iter().filter_map(|hop| {
                let link = settings.links.get(hop.link)?;
                let overhead = settings.direction(link, hop.forward).overhead.get() as f64;
                let wire = offer.payload + offer.headers + overhead;
                Some((links.get_index_of(hop)?, wire / offer.payload))
            });
            let factors = factors.collect();
            let mut active = vec![0.0; SLOTS];
            let last = flow.stop.map_or(span, |stop| stop.since(Time::ZERO).as_secs_f64().min(span));
            for number in 0..flow.count {
                let spacing = flow.start_spacing.as_secs_f64() * f64::from(number);
                let jitter = flow.start_jitter.as_secs_f64() / 2.0;
                let begin = flow.start.since(Time::ZERO).as_secs_f64() + spacing + jitter;
                // Flows without spacing are alike.
                let alike = if flow.start_spacing.is_zero() { f64::from(flow.count) } else { 1.0 };
                for (at, active) in active.iter_mut().enumerate() {
                    let (from, to) = (at as f64 * slot, (at + 1) as f64 * slot);
                    *active += alike * ((to.min(last) - from.max(begin)).max(0.0) / slot);
                }
                if alike > 1.0 {
                    break;
                }
            }
            if let Some(load) = offer.load {
                let players = load.players(span, SLOTS);
                active.iter_mut().zip(players).for_each(|(active, players)| *active *= players);
            }
            let left = offer.total.map_or(f64::INFINITY, |total| total * f64::from(flow.count));
            Entry { offer, path, factors, active, left }
        })
        .collect()
}

#[cfg(test)]
mod tests;
