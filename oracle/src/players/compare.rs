//! Differences between a real player and its model, with bounds and reasons.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jettison_core::Duration;
use serde::Deserialize;
use thiserror::Error;

use super::figures::Watched;
use super::live_scenario;
use super::session::{Session, mean};
use super::simulate::Modelled;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// The buffer's mean level.
    Buffer,
    /// The mean bitrate.
    Bitrate,
    /// The share of each representation.
    Shares,
    /// Switches between representations.
    Switches,
    /// Number of stalls.
    Stalls,
    /// Time that they took.
    StallTime,
}

impl Quantity {
    /// All quantities, in the order of the table.
    pub const ALL: [Quantity; 6] = [
        Quantity::Buffer,
        Quantity::Bitrate,
        Quantity::Shares,
        Quantity::Switches,
        Quantity::Stalls,
        Quantity::StallTime,
    ];

    /// Absolute bound, beside that of 15 %: of shares, counts and short times 15 % are less than one segment or stall.
    fn absolute(self) -> f64 {
        match self {
            Quantity::Buffer | Quantity::Bitrate => 0.0,
            Quantity::Shares => BOUND,
            Quantity::Switches | Quantity::Stalls | Quantity::StallTime => 1.0,
        }
    }

    /// Its values in a session: one, or of shares one for each bitrate.
    fn of(self, session: &Session, bitrates: &BTreeSet<u32>) -> Vec<f64> {
        match self {
            Quantity::Buffer => vec![session.buffer_s],
            Quantity::Bitrate => vec![session.bitrate],
            Quantity::Shares => {
                bitrates.iter().map(|bitrate| session.shares.get(bitrate).copied().unwrap_or(0.0)).collect()
            }
            Quantity::Switches => vec![session.switches],
            Quantity::Stalls => session.stalls.into_iter().collect(),
            Quantity::StallTime => session.stall_s.into_iter().collect(),
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantity::Buffer => "buffer",
            Quantity::Bitrate => "bitrate",
            Quantity::Shares => "shares",
            Quantity::Switches => "switches",
            Quantity::Stalls => "stalls",
            Quantity::StallTime => "stall time",
        })
    }
}

/// Relative bound.
pub const BOUND: f64 = 0.15;

/// A quantity of a real player and of its model: means over the sessions of each.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What.
    pub quantity: Quantity,
    /// Real.
    pub live: Vec<f64>,
    /// Modelled.
    pub modelled: Vec<f64>,
    /// Largest deviation of a real session from the mean of its kind.
    pub deviation: f64,
}

impl Difference {
    /// Whether the model is as near as the bound allows, or nearer than real sessions are to each other.
    pub fn is_within(&self) -> bool {
        let near = |(live, modelled): (&f64, &f64)| {
            let bound = (BOUND * live).max(self.quantity.absolute()).max(self.deviation);
            (live - modelled).abs() <= bound
        };
        self.live.iter().zip(&self.modelled).all(near)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |values: &[f64]| -> String {
            let one = |value: &f64| match self.quantity {
                Quantity::Bitrate => format!("{value:.0}"),
                Quantity::Shares => format!("{:.0}", value * 100.0),
                _ => format!("{value:.1}"),
            };
            values.iter().map(one).collect::<Vec<String>>().join("·")
        };
        write!(f, "{} / {}", text(&self.live), text(&self.modelled))
    }
}

/// A player on a network.
#[derive(Debug, Clone)]
pub struct Row {
    /// The network.
    pub network: String,
    /// The player.
    pub player: String,
    /// Number of real sessions.
    pub sessions: usize,
    /// The quantities.
    pub differences: Vec<Difference>,
}

/// The rows of those players and networks that have figures, in the order of the scenario.
pub fn rows(watched: &[Watched], modelled: &[Modelled]) -> Vec<Row> {
    let mut rows = Vec::new();
    for model in modelled {
        let is_own = |one: &&Watched| (&one.network, &one.player) == (&model.network, &model.player);
        let live: Vec<&Session> = watched.iter().filter(is_own).map(|one| &one.session).collect();
        if live.is_empty() {
            continue;
        }
        let own: Vec<&Session> = model.sessions.iter().collect();
        let bitrates = live.iter().chain(&own).flat_map(|session| session.shares.keys().copied()).collect();
        let differences = Quantity::ALL.iter().map(|quantity| difference(*quantity, &live, &own, &bitrates));
        rows.push(Row {
            network: model.network.clone(),
            player: model.player.clone(),
            sessions: live.len(),
            differences: differences.collect(),
        });
    }
    rows
}

fn difference(
    quantity: Quantity,
    live: &[&Session],
    modelled: &[&Session],
    bitrates: &BTreeSet<u32>,
) -> Difference {
    let means = |sessions: &[&Session]| -> Vec<f64> {
        let all = sessions.iter().map(|session| quantity.of(session, bitrates));
        let all: Vec<Vec<f64>> = all.filter(|values| !values.is_empty()).collect();
        let width = all.first().map_or(0, Vec::len);
        let column = |i: usize| all.iter().map(|values| values[i]).collect::<Vec<f64>>();
        (0..width).map(|i| mean(&column(i)).unwrap_or(0.0)).collect()
    };
    let (own, of_model) = (means(live), means(modelled));
    let deviations = live.iter().flat_map(|session| {
        let values = quantity.of(session, bitrates);
        values.into_iter().zip(&own).map(|(value, mean)| (value - mean).abs()).collect::<Vec<f64>>()
    });
    let deviation = deviations.fold(0.0, f64::max);
    Difference { quantity, live: own, modelled: of_model, deviation }
}

/// A reason for a difference beyond the bounds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The network.
    pub network: String,
    /// The player.
    pub player: String,
    /// The quantities.
    pub quantities: Vec<Quantity>,
    /// What causes it, as traced in the logs.
    pub because: String,
}

/// The reasons, `players.toml`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reasons {
    /// The reasons, in any order.
    #[serde(default, rename = "reason")]
    pub reasons: Vec<Reason>,
}

impl Reasons {
    /// The reasons of the project.
    pub fn load() -> Result<Reasons, toml::de::Error> {
        toml::from_str(include_str!("../../players.toml"))
    }

    /// Whether there is a reason for a difference.
    pub fn of(&self, network: &str, player: &str, quantity: Quantity) -> bool {
        self.reasons.iter().any(|reason| {
            (reason.network.as_str(), reason.player.as_str()) == (network, player)
                && reason.quantities.contains(&quantity)
        })
    }
}

/// A scenario without a network.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// It cannot be read.
    #[error("scenarios/live/players.toml: {0}")]
    Read(#[from] std::io::Error),
    /// It is no TOML.
    #[error("scenarios/live/players.toml: {0}")]
    Syntax(#[from] toml::de::Error),
    /// It has no such network.
    #[error("scenarios/live/players.toml: has no network `{0}`")]
    Network(String),
}

/// A network's settings in the scenario and the duration, in one line; stored beside the figures.
pub fn settings(network: &str, duration: Duration) -> Result<String, SettingsError> {
    let text = std::fs::read_to_string(live_scenario())?;
    let file: toml::Table = toml::from_str(&text)?;
    let networks = networks(&file);
    let set = networks.get(network).ok_or_else(|| SettingsError::Network(network.to_owned()))?;
    Ok(format!("{duration}; {set}"))
}

/// Names and settings of the variants on an axis of a scenario, in its order.
fn arms(file: &toml::Table, axis: &str) -> Vec<(String, String)> {
    let axes = file.get("vary").and_then(toml::Value::as_array).into_iter().flatten();
    let own = axes.filter(|one| one.get("name").and_then(toml::Value::as_str) == Some(axis));
    let variants = own.filter_map(|axis| axis.get("variants")?.as_array()).flatten();
    let named = variants.filter_map(|variant| {
        Some((variant.get("name")?.as_str()?.to_owned(), variant.get("set")?.to_string()))
    });
    named.collect()
}

/// The settings of each network of a scenario, by name.
pub fn networks(file: &toml::Table) -> BTreeMap<String, String> {
    arms(file, "network").into_iter().collect()
}

/// Networks and players, in the order of the scenario.
pub fn order() -> Result<Vec<(String, String)>, SettingsError> {
    let file: toml::Table = toml::from_str(&std::fs::read_to_string(live_scenario())?)?;
    let players = arms(&file, "player");
    let of_network = |(network, _): (String, String)| {
        players.iter().map(|(player, _)| (network.clone(), player.clone())).collect::<Vec<_>>()
    };
    Ok(arms(&file, "network").into_iter().flat_map(of_network).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(buffer_s: f64, shares: &[(u32, f64)]) -> Session {
        Session { buffer_s, shares: shares.iter().copied().collect(), ..Session::default() }
    }

    #[test]
    fn a_difference_is_judged_by_share_and_by_the_spread_of_real_sessions() {
        let judge = |live: &[f64], model: f64| {
            let live: Vec<Session> = live.iter().map(|buffer| session(*buffer, &[])).collect();
            let live: Vec<&Session> = live.iter().collect();
            difference(Quantity::Buffer, &live, &[&session(model, &[])], &BTreeSet::new()).is_within()
        };
        assert!(judge(&[20.0], 22.9));
        assert!(!judge(&[20.0], 23.1));
        assert!(judge(&[15.0, 25.0], 24.9));
        assert!(!judge(&[15.0, 25.0], 25.1));
    }

    #[test]
    fn shares_are_compared_bitrate_by_bitrate() {
        let (live, model) = (session(1.0, &[(280, 0.5), (980, 0.5)]), session(1.0, &[(980, 1.0)]));
        let bitrates = BTreeSet::from([280, 980]);
        let one = difference(Quantity::Shares, &[&live], &[&model], &bitrates);
        assert_eq!((one.live.clone(), one.modelled.clone()), (vec![0.5, 0.5], vec![0.0, 1.0]));
        assert!(!one.is_within());
        assert_eq!(one.to_string(), "50·50 / 0·100");
    }
}
