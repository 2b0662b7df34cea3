//! Scenario parameters of players and of loads of players.

use std::sync::Arc;

use jettison_core::Duration;
use jettison_registry::{Choice, ParameterError};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::abr::AdaptationRule;
use super::content::{ContentParameters, Title};
use super::generator::Sinusoid;
use super::player::{Connections, PlayerSetup, RuleFactory, Thresholds};
use super::qoe::LinearWeights;
use super::qoe::p1203::Viewing;
use jettison_sockets::TcpOptions;

/// Parameters of `dash`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashParameters {
    /// Titles to watch.
    pub content: ContentParameters,
    /// Player settings.
    pub player: PlayerParameters,
    /// Number of the title in the catalogue, from 1.
    pub title: TitleNumber,
}

/// Parameters of `dash-load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashLoadParameters {
    /// Titles to watch; each player chooses one at random.
    pub content: ContentParameters,
    /// Player settings.
    pub player: PlayerParameters,
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
            player: PlayerParameters::default(),
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

/// Player settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerParameters {
    /// Adaptation rule: its id, or a table with `kind` and the rule's own parameters.
    pub abr: Choice<AdaptationRule>,
    /// Buffer level at which playback starts.
    pub start_up: Duration,
    /// Buffer level at which playback resumes after a stall.
    pub rebuffer: Duration,
    /// Maximum buffer level, in media time.
    pub max_buffer: Duration,
    /// Level to which a full buffer must drain before fetching resumes. Unset: fetching resumes as soon as one segment
    /// fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Duration>,
    /// Whether one connection carries all requests, or each request opens a new one.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// Display and audio codec, for P.1203.
    pub viewing: Viewing,
}

impl Default for PlayerParameters {
    fn default() -> PlayerParameters {
        PlayerParameters {
            abr: Choice::default(),
            start_up: Duration::from_secs(4),
            rebuffer: Duration::from_secs(4),
            max_buffer: Duration::from_secs(30),
            resume: None,
            connections: Connections::default(),
            qoe: LinearWeights::default(),
            viewing: Viewing::default(),
        }
    }
}

impl PlayerParameters {
    /// Builds the settings shared by all players of the given titles and server.
    ///
    /// # Errors
    /// If the rule is unknown, a threshold exceeds the maximum buffer, or a segment is longer than it.
    pub fn setup(
        &self,
        titles: &[Arc<Title>],
        server: Endpoint,
        options: TcpOptions,
    ) -> Result<Arc<PlayerSetup>, ParameterError> {
        let sets = titles.iter().flat_map(|title| [Some(&title.video), title.audio.as_ref()]).flatten();
        let longest = sets.flat_map(|set| &set.durations).max().copied().unwrap_or_default();
        ParameterError::unless(
            longest <= self.max_buffer && !self.max_buffer.is_zero(),
            "max_buffer",
            || format!("must be > 0 and hold the longest segment of {longest}, got {}", self.max_buffer),
        )?;
        for (key, level) in
            [("start_up", Some(self.start_up)), ("rebuffer", Some(self.rebuffer)), ("resume", self.resume)]
        {
            ParameterError::unless(level.is_none_or(|level| level <= self.max_buffer), key, || {
                let max = self.max_buffer;
                format!("must be <= `max_buffer` ({max}), got {}", level.unwrap_or_default())
            })?;
        }
        self.qoe.validate().map_err(|error| error.under("qoe"))?;
        self.viewing.validate().map_err(|error| error.under("viewing"))?;
        let abr = self.abr.clone();
        abr.build(&()).map_err(|error| error.under("abr"))?;
        let rule = RuleFactory::new(move || abr.build(&()).expect("the same parameters built a rule above"));
        Ok(Arc::new(PlayerSetup {
            server,
            options,
            connections: self.connections,
            thresholds: Thresholds { start_up: self.start_up, rebuffer: self.rebuffer },
            max_buffer: self.max_buffer,
            resume: self.resume,
            rule,
            weights: self.qoe.clone(),
            viewing: self.viewing.clone(),
        }))
    }
}
