//! Scenario parameters of players and of loads of players.

use jettison_core::Duration;
use jettison_registry::{Choice, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::content::ContentParameters;
use super::generator::Sinusoid;
use super::profile::PlayerProfile;

/// Parameters of `dash`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashParameters {
    /// Titles to watch.
    pub content: ContentParameters,
    /// Player: its id, or a table with `kind` and the player's own parameters. Without `kind` the table is of `generic`.
    pub player: Choice<PlayerProfile>,
    /// Number of the title in the catalogue, from 1.
    pub title: TitleNumber,
}

/// Parameters of `dash-load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashLoadParameters {
    /// Titles to watch; each player chooses one at random.
    pub content: ContentParameters,
    /// Player: its id, or a table with `kind` and the player's own parameters. Without `kind` the table is of `generic`.
    pub player: Choice<PlayerProfile>,
    /// Mean of λ: active players, and steps per minute.
    pub mean: f64,
    /// Amplitude of λ; at most the mean.
    pub amplitude: f64,
    /// Period of λ.
    pub period: Duration,
    /// Steps per minute at the mean of λ; unset: `mean`. More steps make the number of players follow λ more closely.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<f64>,
}

impl Default for DashLoadParameters {
    fn default() -> DashLoadParameters {
        DashLoadParameters {
            content: ContentParameters { titles: 10, ..ContentParameters::default() },
            player: Choice::default(),
            mean: 25.0,
            amplitude: 10.0,
            period: Duration::from_secs(120),
            steps: None,
        }
    }
}

impl DashLoadParameters {
    /// Returns λ(t).
    ///
    /// # Errors
    /// If a parameter is out of range, such as an amplitude above the mean.
    pub fn load(&self) -> Result<Sinusoid, ParameterError> {
        let DashLoadParameters { mean, amplitude, period, steps, .. } = *self;
        ParameterError::unless(mean > 0.0 && mean <= 1e4, "mean", || {
            format!("must be in (0, 10000] players, got {mean}")
        })?;
        ParameterError::unless((0.0..=mean).contains(&amplitude), "amplitude", || {
            format!("must be in [0, mean] players (mean is {mean}), got {amplitude}")
        })?;
        ParameterError::unless(!period.is_zero(), "period", || "must be > 0, got 0 s".to_owned())?;
        let steps = steps.unwrap_or(mean);
        ParameterError::unless(steps > 0.0 && steps <= 1e6, "steps", || {
            format!("must be in (0, 1000000] per minute, got {steps}")
        })?;
        Ok(Sinusoid { mean, amplitude, period, steps })
    }
}

/// Number of a title in the catalogue, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TitleNumber(#[schemars(range(min = 1))] pub u32);

impl Default for TitleNumber {
    fn default() -> TitleNumber {
        TitleNumber(1)
    }
}
