//! What a scenario may say of players and their load.

use std::sync::Arc;

use jettison_core::{BuildError, Duration, Registry};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::abr::{AbrEntry, abr_rules, build_rule};
use super::content::{ContentParameters, Title};
use super::generator::Sinusoid;
use super::player::{Connections, PlayerSetup, RuleFactory, Thresholds};
use super::qoe::LinearWeights;
use super::qoe::p1203::Viewing;
use jettison_sockets::{Choice, Choices, TcpOptions};

/// Parameters of `dash`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashParameters {
    /// What there is to watch.
    pub content: ContentParameters,
    /// How it is watched.
    pub player: PlayerParameters,
    /// Which title of the catalogue is watched, from 1.
    pub title: TitleNumber,
}

/// Parameters of `dash-load`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DashLoadParameters {
    /// What there is to watch; each player takes one of the titles at random.
    pub content: ContentParameters,
    /// How it is watched.
    pub player: PlayerParameters,
    /// Mean of λ: active players, and steps a minute.
    pub mean: f64,
    /// By how much λ swings about its mean.
    pub amplitude: f64,
    /// Period of λ.
    pub period: Duration,
    /// Steps a minute at the mean, if not `mean` as well: how soon players are as many as λ says.
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
    /// λ(t).
    ///
    /// # Errors
    /// If it would fall below zero, never turns, or nobody ever comes.
    pub fn load(&self) -> Result<Sinusoid, BuildError> {
        let DashLoadParameters { mean, amplitude, period, steps, .. } = *self;
        BuildError::unless(mean > 0.0 && mean <= 1e4, "mean", || {
            format!("{mean} players: above 0 and at most 10,000")
        })?;
        BuildError::unless((0.0..=mean).contains(&amplitude), "amplitude", || {
            format!("{amplitude}: from 0 to the mean, {mean}, so that λ never falls below zero")
        })?;
        BuildError::unless(!period.is_zero(), "period", || "must be above zero".to_owned())?;
        let steps = steps.unwrap_or(mean);
        BuildError::unless(steps > 0.0 && steps <= 1e6, "steps", || {
            format!("{steps} a minute: above 0 and at most 1,000,000")
        })?;
        Ok(Sinusoid { mean, amplitude, period, steps })
    }
}

/// A place in a catalogue, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct TitleNumber(#[schemars(range(min = 1))] pub u32);

impl Default for TitleNumber {
    fn default() -> TitleNumber {
        TitleNumber(1)
    }
}

/// How titles are watched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PlayerParameters {
    /// Who chooses representations: a rule's id, or a table with `kind` and the rule's own parameters.
    pub abr: Choice<AbrRules>,
    /// Media time in the buffer at which the first picture is shown.
    pub start_up: Duration,
    /// Media time in the buffer at which playing goes on after it ran empty.
    pub rebuffer: Duration,
    /// Media time that the buffer holds at most.
    pub max_buffer: Duration,
    /// Once full, the buffer falls to this before more is fetched. Without it, as soon as a segment fits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resume: Option<Duration>,
    /// One connection for all requests, or a new one each.
    pub connections: Connections,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// The display and the sound's codec, for P.1203.
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
    /// What players of these titles at that server share.
    ///
    /// # Errors
    /// If the rule is none, thresholds contradict each other, or a segment is longer than the buffer.
    pub fn setup(
        &self,
        titles: &[Arc<Title>],
        server: Endpoint,
        options: TcpOptions,
    ) -> Result<Arc<PlayerSetup>, BuildError> {
        let sets = titles.iter().flat_map(|title| [Some(&title.video), title.audio.as_ref()]).flatten();
        let longest = sets.flat_map(|set| &set.durations).max().copied().unwrap_or_default();
        BuildError::unless(longest <= self.max_buffer && !self.max_buffer.is_zero(), "max_buffer", || {
            format!("{}: a segment of {longest} would not fit", self.max_buffer)
        })?;
        for (key, level) in
            [("start_up", Some(self.start_up)), ("rebuffer", Some(self.rebuffer)), ("resume", self.resume)]
        {
            BuildError::unless(level.is_none_or(|level| level <= self.max_buffer), key, || {
                let max = self.max_buffer;
                format!("the buffer never holds more than `max_buffer`, {max}")
            })?;
        }
        self.qoe.validate().map_err(|error| error.under("qoe"))?;
        self.viewing.validate().map_err(|error| error.under("viewing"))?;
        let Choice { kind, parameters, .. } = self.abr.clone();
        let parameters = Value::Object(parameters);
        build_rule(&kind, &parameters).map_err(|message| BuildError::at("abr", message))?;
        let rule = RuleFactory::new(move || {
            build_rule(&kind, &parameters).expect("the same parameters built a rule above")
        });
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

/// The adaptation rules, as a player's `abr` chooses among them.
#[derive(Debug, Clone, Copy)]
pub struct AbrRules;

impl Choices for AbrRules {
    type Entry = AbrEntry;
    const WHAT: &'static str = "a rule";
    const DEFAULT: &'static str = "dynamic";
    fn registry() -> Registry<AbrEntry> {
        abr_rules()
    }
}
