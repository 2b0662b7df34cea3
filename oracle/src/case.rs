//! The table of cases.

use std::collections::BTreeMap;

use jettison_core::{Bytes, Duration, Rate};
use serde::Deserialize;
use thiserror::Error;

/// The table, `cases.toml`.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Start offsets of the runs of each case.
    pub offsets: Vec<Duration>,
    /// The cases.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

/// One case: a load through one bottleneck.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Unique name.
    pub name: String,
    /// Rate of the bottleneck, of IP packets.
    pub rate: Rate,
    /// Base round-trip time, without serialisation.
    pub rtt: Duration,
    /// The discipline, as `tc` reads it.
    pub qdisc: String,
    /// The discipline, as a scenario has it.
    pub queue: toml::Table,
    /// Congestion control: the kernel's name.
    pub congestion: String,
    /// Whether both hosts negotiate ECN.
    #[serde(default)]
    pub ecn: bool,
    /// Number of flows, which start `spacing` apart.
    #[serde(default = "one")]
    pub flows: u32,
    /// Time between the starts of two flows.
    #[serde(default = "default_spacing")]
    pub spacing: Duration,
    /// What the flows carry.
    #[serde(default)]
    pub load: Load,
    /// Length of a run.
    #[serde(default = "default_duration")]
    pub duration: Duration,
    /// Start of the measured window.
    #[serde(default = "default_warm_up")]
    pub warm_up: Duration,
    /// Whether `make test-live` runs the case on the machine's own kernel.
    #[serde(default)]
    pub live: bool,
    /// Reasons for differences beyond the bounds, by metric.
    #[serde(default)]
    pub explained: BTreeMap<String, String>,
}

/// What the flows of a case carry.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind", deny_unknown_fields)]
pub enum Load {
    /// Data without end.
    #[default]
    Bulk,
    /// Each flow is one transfer over a connection of its own.
    Transfers {
        /// Length of a transfer.
        size: Bytes,
    },
    /// Each flow sends a burst at an interval over one connection.
    OnOff {
        /// Length of a burst.
        size: Bytes,
        /// Time between the starts of two bursts.
        interval: Duration,
    },
}

fn one() -> u32 {
    1
}

fn default_spacing() -> Duration {
    Duration::from_millis(100)
}

fn default_duration() -> Duration {
    Duration::from_secs(30)
}

fn default_warm_up() -> Duration {
    Duration::from_secs(5)
}

/// A fault of `cases.toml`.
#[derive(Debug, Error)]
pub enum CaseError {
    /// Not readable as a table of cases.
    #[error("cases.toml: {0}")]
    Syntax(#[from] toml::de::Error),
    /// Two cases have one name.
    #[error("cases.toml: the name `{0}` must be unique")]
    Duplicate(String),
    /// The window is empty.
    #[error("cases.toml: `{0}`: `warm_up` must be shorter than `duration`")]
    Window(String),
}

impl Table {
    /// The table of the project.
    pub fn load() -> Result<Table, CaseError> {
        Table::parse(include_str!("../cases.toml"))
    }

    /// Parses a table.
    pub fn parse(text: &str) -> Result<Table, CaseError> {
        let table: Table = toml::from_str(text)?;
        for (i, case) in table.cases.iter().enumerate() {
            if table.cases[..i].iter().any(|other| other.name == case.name) {
                return Err(CaseError::Duplicate(case.name.clone()));
            }
            if case.warm_up >= case.duration {
                return Err(CaseError::Window(case.name.clone()));
            }
        }
        Ok(table)
    }
}

impl Case {
    /// Time that a full packet of 1,500 bytes takes at the bottleneck.
    pub fn serialisation(&self) -> Duration {
        Duration::from_nanos(1500 * 8 * 1_000_000_000 / self.rate.as_bits())
    }

    /// What the kernel's figures depend on, in one line; stored beside them.
    pub fn settings(&self) -> String {
        let load = match self.load {
            Load::Bulk => "bulk".to_owned(),
            Load::Transfers { size } => format!("transfers of {size}"),
            Load::OnOff { size, interval } => format!("{size} every {interval}"),
        };
        let ecn = if self.ecn { " ecn" } else { "" };
        format!(
            "{}, {}; {}; {} × {}{ecn}, {load}, {} apart; {} to {}",
            self.rate,
            self.rtt,
            self.qdisc,
            self.flows,
            self.congestion,
            self.spacing,
            self.warm_up,
            self.duration
        )
    }

    /// Whether flows end, so that completion times are compared.
    pub fn has_completions(&self) -> bool {
        !matches!(self.load, Load::Bulk)
    }
}
