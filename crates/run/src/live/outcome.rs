//! Results of a run, collected from its threads, its programs and the kernel.

use jettison_core::{Duration, Time};
use jettison_live::clock;
use jettison_live::host::{HostsOutcome, unsupported};
use jettison_live::net::counters::is_part;
use jettison_live::process::Privileges;
use jettison_live::router::{Ended, RouterOutcome, Scheduling};
use jettison_measure::{Distribution, Recorder, RunRecord, metrics};
use jettison_report::{Failure, HostSettings};
use jettison_scenario::build::LivePlan;
use jettison_wire::FlowId;

use super::late::Observed;
use super::measures;
use super::message::Facts;
use super::supervise::Programs;
use super::watching::seconds;

/// Lateness beyond normal scheduling delays.
const STANDSTILL: Duration = Duration::from_millis(100);

/// Collects the results of a run.
pub struct Outcome {
    origin_unix_ms: f64,
    hosts: Vec<String>,
    built_in: Vec<bool>,
    facts: Facts,
    kernel_drops: Vec<(String, u64)>,
    /// Flow, name and text of the programs' own measurements.
    own_measures: Vec<(FlowId, String, String)>,
}

impl Outcome {
    /// Starts the collection, with notes from the set-up.
    pub fn begin(plan: &LivePlan, notes: Vec<String>) -> Outcome {
        let mut facts = Facts::default();
        facts.live.offload = offload(plan);
        facts.live.kernel = kernel();
        let external = plan.flows.iter().filter(|flow| !flow.built_in);
        facts.live.external = external.map(|flow| flow.name.clone()).collect();
        let mut ignored = notes;
        for flow in plan.flows.iter().filter(|flow| flow.built_in) {
            for key in flow.tcp.iter().flat_map(unsupported) {
                ignored.push(format!("flow {}: {key}", flow.name));
            }
        }
        facts.live.notes.extend(ignored);
        Outcome {
            origin_unix_ms: clock::unix_time().as_secs_f64() * 1e3,
            hosts: plan.hosts.iter().map(|host| host.name.clone()).collect(),
            built_in: plan.flows.iter().map(|flow| flow.built_in).collect(),
            facts,
            kernel_drops: Vec::new(),
            own_measures: Vec::new(),
        }
    }

    /// Adds the settings of the hosts' kernels.
    pub fn kernels(&mut self, settings: Vec<HostSettings>) {
        self.facts.live.settings = settings;
    }

    /// Adds how programs are scheduled: their priority, or the reason why they have none.
    pub fn programs_scheduling(&mut self, priority: Result<&u8, &str>, has_programs: bool) {
        if has_programs {
            self.facts.live.programs_scheduling = match priority {
                Ok(priority) => format!("SCHED_RR {priority}"),
                Err(why) => format!("normal ({why})"),
            };
        }
    }

    /// Adds packets dropped by kernels: host (empty for the machine), counter, number.
    pub fn kernel_dropped(&mut self, drops: &[(String, String, u64)]) {
        for (host, what, count) in drops {
            let whose = if host.is_empty() { "the machine".to_owned() } else { format!("host {host}") };
            self.facts.live.notes.push(format!("{whose}'s kernel: {what}: {count}"));
            if is_part(what) {
                continue;
            }
            let object = if host.is_empty() { "machine" } else { host };
            match self.kernel_drops.iter_mut().find(|(name, _)| name == object) {
                Some((_, sum)) => *sum += count,
                None => self.kernel_drops.push((object.to_owned(), *count)),
            }
        }
    }

    /// Adds failures, notes and measurements of the user's programs, which have all ended.
    pub fn programs(&mut self, programs: &mut Programs) {
        self.facts.failures.extend(programs.take_failures());
        self.facts.live.notes.extend(programs.take_notes());
        for (planned, text) in programs.results() {
            self.own_measures.push((planned.flow, planned.name.clone(), text));
        }
    }

    /// Returns the record and the facts beside it.
    pub fn finish(
        mut self,
        router: RouterOutcome,
        hosts: HostsOutcome,
        observed: &Observed,
        privileges: &Privileges,
        ended: Time,
    ) -> (RunRecord, Facts) {
        let RouterOutcome { mut world, lateness, facts, .. } = router;
        let live = &mut self.facts.live;
        let scheduling = |found: &Scheduling| match (found, &privileges.real_time_error) {
            (Scheduling::Fifo(priority), _) => format!("SCHED_FIFO {priority}"),
            (Scheduling::Normal(_), Some(why)) => format!("normal ({why})"),
            (Scheduling::Normal(why), None) => format!("normal ({why})"),
        };
        live.scheduling = scheduling(&facts.scheduling);
        live.hosts_scheduling = scheduling(&hosts.scheduling);
        live.notes.extend(hosts.notes);
        for (port, name) in facts.ports.iter().zip(&self.hosts) {
            if port.refused > 0 {
                let why = port.refusal.as_deref().unwrap_or("no reason given");
                live.notes.push(format!("host {}: its device refused {} packets: {why}", name, port.refused));
            }
            if port.not_carried > 0 {
                live.notes.push(format!(
                    "host {}: {} packets were not forwarded: link-local, multicast or broadcast destination, or malformed",
                    name, port.not_carried
                ));
            }
        }
        if let Ended::Failed { device, error } = &facts.ended {
            let what = format!("the router: host {device}: {error}");
            self.facts.failures.push(Failure { at: Some(seconds(ended)), what, status: None });
        }
        if facts.undeliverable > 0 {
            live.notes
                .push(format!("{} packets were addressed to hosts without a device", facts.undeliverable));
        }
        let latest = lateness.queues().iter().map(Distribution::max).max().unwrap_or_default();
        if latest >= STANDSTILL {
            let millis = latest.as_nanos() / 1_000_000;
            live.notes.push(format!("the router was not scheduled for up to {millis} ms"));
        }
        self.facts.cpu_seconds = facts.cpu.as_secs_f64();
        let recorder: &mut Recorder = world.recorder();
        let built_in = std::mem::take(&mut self.built_in);
        let numbers = recorder
            .adopt_flows(hosts.recorder, |flow| built_in.get(flow.0 as usize).copied().unwrap_or(false));
        if let Some(told) = &hosts.told
            && let Some(at) = recorder.join(told, &numbers, ended)
        {
            let at = seconds(at);
            live.notes
                .push(format!("the router's log of packets was full at {at:.1} s: no accounts after that"));
        }
        for (queue, lateness) in lateness.queues().iter().enumerate() {
            if lateness.count() > 0 {
                recorder.queue(queue as u32).set_distribution(metrics::LATENESS, lateness.clone());
            }
        }
        recorder.summarise("router", metrics::ROUTER_CPU, facts.cpu_percent(), None);
        for (object, count) in &self.kernel_drops {
            recorder.summarise(object.as_str(), metrics::KERNEL_DROPS, *count as f64, None);
        }
        for index in (0..built_in.len()).filter(|index| !built_in[*index]) {
            // A program that only pings has no goodput to report.
            let flow = FlowId(index as u32);
            if recorder.flow(flow).is_some_and(|meter| meter.goodput_bytes() == 0) {
                recorder.carries_no_data(flow);
            }
        }
        for (flow, name, text) in &self.own_measures {
            let told = measures::add(text, *flow, self.origin_unix_ms, ended, recorder, name);
            self.facts.live.notes.extend(told.notes);
        }
        let mut record = world.finish();
        self.facts.live.timeliness = Some(observed.judge_record(&mut record));
        (record, self.facts)
    }
}

fn offload(plan: &LivePlan) -> String {
    use jettison_scenario::schema::Offload;
    match plan.settings.offload {
        Offload::None => "none".to_owned(),
        Offload::Checksum => "checksums".to_owned(),
        Offload::Segmentation => "checksums and segmentation".to_owned(),
    }
}

fn kernel() -> String {
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_owned()
}
