//! A player with any adaptation rule, which stands for no program in particular.

use std::sync::Arc;

use jettison_core::Duration;
use jettison_registry::style::{Line::Solid, VERMILION};
use jettison_registry::{Choice, Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{PlayerContext, PlayerProfile};
use crate::abr::AdaptationRule;
use crate::player::{Connections, Filling, PlayerSetup, RuleFactory, Thresholds};
use crate::qoe::LinearWeights;
use crate::qoe::p1203::Viewing;

/// Its entry in the list of players.
pub(super) fn entry() -> Entry<PlayerProfile> {
    Entry::<PlayerProfile>::new("generic", "DASH player", build)
        .style(VERMILION, Solid)
        .summary("any adaptation rule; one request at a time, of the kind of media that is behind")
        .source("ISO/IEC 23009-1; no program in particular")
        .page("dash.md")
}

fn build(
    parameters: GenericParameters,
    context: &PlayerContext<'_>,
) -> Result<Arc<PlayerSetup>, ParameterError> {
    parameters.setup(context)
}

/// Parameters of `generic`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GenericParameters {
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
    /// Version of HTTP and lifetime of connections.
    pub connections: Connections,
    /// Whether video and audio are requested independently of each other, with HTTP/1.1 on a connection each.
    pub parallel: bool,
    /// Weights of the linear QoE.
    pub qoe: LinearWeights,
    /// Display and audio codec, for P.1203.
    pub viewing: Viewing,
}

impl Default for GenericParameters {
    fn default() -> GenericParameters {
        GenericParameters {
            abr: Choice::default(),
            start_up: Duration::from_secs(4),
            rebuffer: Duration::from_secs(4),
            max_buffer: Duration::from_secs(30),
            resume: None,
            connections: Connections::default(),
            parallel: false,
            qoe: LinearWeights::default(),
            viewing: Viewing::default(),
        }
    }
}

impl GenericParameters {
    /// Builds the settings shared by all players of the given titles and server.
    ///
    /// # Errors
    /// If the rule is unknown, a threshold exceeds the maximum buffer, or a segment is longer than it.
    fn setup(&self, context: &PlayerContext<'_>) -> Result<Arc<PlayerSetup>, ParameterError> {
        let sets =
            context.titles.iter().flat_map(|title| [Some(&title.video), title.audio.as_ref()]).flatten();
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
        context.check_scores(&self.qoe, &self.viewing)?;
        let abr = self.abr.clone();
        abr.build(&()).map_err(|error| error.under("abr"))?;
        let rule = RuleFactory::new(move |_| abr.build(&()).expect("the same parameters built a rule above"));
        Ok(Arc::new(PlayerSetup {
            server: context.server,
            options: context.options.clone(),
            connections: self.connections,
            request_timeout: None,
            is_parallel: self.parallel,
            thresholds: Thresholds { start_up: self.start_up, rebuffer: self.rebuffer },
            filling: Filling::Fits { max: self.max_buffer, resume: self.resume },
            fast_switch: None,
            keeps_initialization: true,
            rule,
            weights: self.qoe.clone(),
            viewing: self.viewing.clone(),
        }))
    }
}
