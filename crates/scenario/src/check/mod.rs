//! Checks beyond the schema: names that must exist, paths that must connect, values that must be consistent.

mod ethernet;
mod flows;
mod links;
mod nodes;
mod p4;
mod report;

use jettison_core::Duration;
use serde_json::Value;

use crate::error::ScenarioError;
use crate::names::{LONGEST_NAME, LONGEST_PATH, hidden, is_name, too_long};
use crate::registries::Registries;
use crate::schema::{IdentitySample, IdentitySettings, QueueChoice, Settings};
use crate::validate::Finding;
use jettison_registry::KeyPath;
use jettison_registry::suggestion;

/// Maximum number of samples per series.
const MOST_SAMPLES: u64 = 100_000_000;

/// Checks one variant.
pub(crate) struct Checker<'a> {
    /// The settings, as far as they are readable.
    settings: &'a Settings,
    /// The tree that the settings were read from, including values refused by the schema.
    tree: &'a Value,
    /// Findings of the schema check.
    refused: &'a [Finding],
    registries: &'a Registries,
    findings: Vec<Finding>,
    /// Errors in files that the scenario names.
    file_errors: Vec<ScenarioError>,
}

impl<'a> Checker<'a> {
    /// Returns the findings beyond those of the schema check, without consequences of the latter, and the errors in
    /// named files.
    pub fn check(
        settings: &'a Settings,
        tree: &'a Value,
        refused: &'a [Finding],
        registries: &'a Registries,
    ) -> (Vec<Finding>, Vec<ScenarioError>) {
        let (findings, file_errors) = (Vec::new(), Vec::new());
        let mut checker = Checker { settings, tree, refused, registries, findings, file_errors };
        checker.run();
        checker.nodes();
        checker.ethernet();
        checker.links();
        checker.flows();
        // A finding at, above or below a refused value is a likely consequence of it.
        let related = |finding: &Finding, other: &Finding| {
            !other.path.is_root()
                && (finding.path.starts_with(&other.path) || other.path.starts_with(&finding.path))
        };
        let mut findings = checker.findings;
        findings.retain(|finding| !refused.iter().any(|other| related(finding, other)));
        (findings, checker.file_errors)
    }

    fn run(&mut self) {
        let root = KeyPath::root();
        let settings = self.settings;
        if !is_relative_path(&settings.name) {
            self.find(
                &root.key("name"),
                format!("`name` must be a valid folder name, got `{}`", settings.name),
                "use letters, digits, `-`, `_`, `.` and `+`, with `/` between folders, such as \"ired/mixed\"",
            );
        } else if let Some(problem) = settings
            .name
            .split('/')
            .find_map(|folder| too_long(folder, LONGEST_NAME))
            .map(|problem| format!("each folder in `name` must {problem}"))
            .or_else(|| {
                too_long(&settings.name, LONGEST_PATH).map(|problem| format!("`name` must {problem}"))
            })
        {
            self.find(&root.key("name"), problem, "write a shorter name");
        }
        self.description();
        self.rate_ratios();
        self.record();
        self.bottleneck();
        self.columns();
        for (table, names) in [
            ("nodes", settings.nodes.keys().collect::<Vec<_>>()),
            ("queues", settings.queues.keys().collect()),
            ("links", settings.links.keys().collect()),
            ("flows", settings.flows.keys().collect()),
        ] {
            for name in names {
                let at = root.key(table).key(name);
                if !is_name(name) {
                    let message = format!("`{name}` is not a valid name in [{table}]");
                    let help = "use letters, digits, `-`, `_`, `.` and `+`, without a leading `.`";
                    self.find(&at, message, help);
                } else if let Some(problem) = too_long(name, LONGEST_NAME) {
                    let message = format!("names in [{table}] must {problem}");
                    self.find(&at, message, "write a shorter name");
                }
            }
        }
        let duration = root.key("duration");
        if duration.find(self.tree).is_some() && !self.is_refused(&duration) {
            self.times(&duration);
        }
        let seeds = settings.seeds.list();
        let mut sorted = seeds.clone();
        sorted.sort_unstable();
        if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            let message = format!("`seeds` must be unique, got {} twice", twice[0]);
            self.find(&root.key("seeds"), message, "remove one: equal seeds give equal runs");
        }
    }

    /// Each pair is of two entries of `[flows]`.
    fn rate_ratios(&mut self) {
        for (index, pair) in self.settings.rate_ratios.iter().enumerate() {
            let at = KeyPath::root().key("rate_ratios").index(index);
            let mut known = true;
            for (place, name) in pair.iter().enumerate() {
                if !self.settings.flows.contains_key(name) {
                    known = false;
                    let names = self.settings.flows.keys().map(String::as_str);
                    self.find(&at.index(place), format!("unknown flow `{name}`"), suggestion(name, names));
                }
            }
            if known && pair[0] == pair[1] {
                let message =
                    format!("a pair of `rate_ratios` must be of two entries, got `{}` twice", pair[0]);
                self.find(&at, message, "name two entries of [flows]");
            }
        }
    }

    /// A sample is a share.
    fn record(&mut self) {
        let IdentitySettings::Sample(IdentitySample { sample }) = self.settings.record.identities else {
            return;
        };
        if !(sample > 0.0 && sample <= 1.0) {
            let at = KeyPath::root().key("record").key("identities").key("sample");
            let message = format!("`sample` must be in (0, 1], got {sample}");
            self.find(&at, message, "write `identities = false` to record none");
        }
    }

    /// A description may have several lines.
    fn description(&mut self) {
        let Some(text) = &self.settings.description else { return };
        if let Some(problem) = text.split(['\n', '\r', '\t']).find_map(hidden) {
            let message = format!("`description` must {problem}");
            self.find(&KeyPath::root().key("description"), message, "remove it");
        }
    }

    fn times(&mut self, duration_at: &KeyPath) {
        let Settings { duration, warm_up, sample_interval, .. } = *self.settings;
        if duration <= warm_up && !self.is_refused(&KeyPath::root().key("warm_up")) {
            self.find(
                duration_at,
                format!("`duration` must be longer than `warm_up` ({warm_up}), got {duration}"),
                "lengthen `duration` or shorten `warm_up`",
            );
        }
        let interval_at = KeyPath::root().key("sample_interval");
        if sample_interval.is_zero() {
            let message = format!("`sample_interval` must be > 0, got {sample_interval}");
            self.find(&interval_at, message, "write a duration such as \"100 ms\"");
        } else if samples(duration, sample_interval) > MOST_SAMPLES {
            let count = samples(duration, sample_interval);
            let message = format!("a run must have at most {MOST_SAMPLES} samples per series, got {count}");
            self.find(&interval_at, message, "write a longer `sample_interval`");
        }
    }

    /// Checks that a queue is a `[queues]` entry or the id of a discipline.
    fn queue_choice(&mut self, choice: Option<&QueueChoice>, at: &KeyPath) {
        let Some(QueueChoice::Named(name)) = choice else { return };
        let queues = self.tree.get("queues").and_then(Value::as_object);
        let names: Vec<&str> =
            queues.into_iter().flat_map(|table| table.keys().map(String::as_str)).collect();
        if !names.contains(&name.as_str()) && self.registries.queue(name).is_none() {
            let known = || names.iter().copied().chain(self.registries.queue_ids());
            let help = word_of_tc(name).map_or_else(|| suggestion(name, known()), str::to_owned);
            self.find(at, format!("unknown queue `{name}`, neither a [queues] entry nor a discipline"), help);
        }
    }

    /// Checks that the node exists.
    fn node_name(&mut self, name: &str, at: &KeyPath) -> bool {
        let nodes = self.tree.get("nodes").and_then(Value::as_object);
        let known = nodes.is_some_and(|nodes| nodes.contains_key(name));
        if !known {
            let names = nodes.into_iter().flat_map(|nodes| nodes.keys().map(String::as_str));
            self.find(at, format!("unknown node `{name}`"), suggestion(name, names));
        }
        known
    }

    /// Checks that the link exists.
    fn link_name(&mut self, name: &str, at: &KeyPath) -> bool {
        let links = self.tree.get("links").and_then(Value::as_object);
        let known = links.is_some_and(|links| links.contains_key(name));
        if !known {
            let names = links.into_iter().flat_map(|links| links.keys().map(String::as_str));
            self.find(at, format!("unknown link `{name}`"), suggestion(name, names));
        }
        known
    }

    fn find(&mut self, at: &KeyPath, message: String, help: impl Into<String>) {
        self.findings.push(Finding::value(at, message, help));
    }

    /// Whether the schema check refused the value at `path` or a part of it.
    fn is_refused(&self, path: &KeyPath) -> bool {
        self.refused.iter().any(|finding| finding.path.starts_with(path))
    }
}

/// What a word of Linux's `tc` is here, where no id is like it.
fn word_of_tc(word: &str) -> Option<&'static str> {
    match word {
        "pfifo" | "bfifo" | "pfifo_fast" | "noqueue" => {
            Some("Linux's fifo is `tail-drop`, with `limit = \"1000 packets\"` or in bytes")
        }
        "netem" => Some(
            "what netem does are keys of the link: `delay`, `jitter`, `loss`, `reorder`, `duplicate`, `corrupt`",
        ),
        "prio" => Some("Linux's prio is `priority`"),
        "hfsc" | "cbq" => Some("the shapers with classes are `htb` and `ets`"),
        "mq" | "multiq" => Some("a port has one transmit queue; name the discipline of the queue itself"),
        _ => None,
    }
}

fn samples(duration: Duration, interval: Duration) -> u64 {
    duration.as_nanos() / interval.as_nanos().max(1)
}

fn is_relative_path(name: &str) -> bool {
    name.split('/').all(is_name)
}
