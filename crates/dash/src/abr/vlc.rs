//! Rate rule similar to VLC's DASH plugin: the highest representation below the measured download rate.
//!
//! C. Müller, C. Timmerer, "A VLC Media Player Plugin enabling Dynamic Adaptive Streaming over HTTP" (ACM Multimedia
//! 2011), describe the plugin, whose adaptation logic is exchangeable. Our interpretation: the logic takes the highest
//! representation below the download rate without a margin, measured over the whole session (default) or over the last
//! segment. VLC's source has other rules: `vlc_2` and `vlc_3`.

use jettison_core::Duration;
use jettison_registry::style::{GREY, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::entry::AdaptationRule;
use super::{AbrRule, AbrState, Choice, Download};

/// Its entry in the list of adaptation rules.
pub(super) fn entry() -> Entry<AdaptationRule> {
    Entry::<AdaptationRule>::new("vlc-rate", "VLC", build)
        .style(GREY, Solid)
        .summary("the highest representation below the measured download rate, like VLC's DASH plugin")
        .source("Müller, Timmerer 2011 (ACM Multimedia), one reading of it")
        .page("appendix/dash-abr.md")
}

fn build(parameters: VlcRateParameters, _: &()) -> Result<Box<dyn AbrRule>, ParameterError> {
    parameters.validate()?;
    Ok(Box::new(VlcRate::new(parameters)))
}

/// Parameters of `vlc-rate`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct VlcRateParameters {
    /// Measurement interval of the download rate. Downloads are measured from their requests.
    pub measured: Measured,
    /// Share of the measured rate that a representation may use.
    pub share: f64,
}

/// Measurement interval of the download rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measured {
    /// All downloads so far: their bits divided by their time, without the time between them.
    Session,
    /// The last segment.
    LastSegment,
}

impl Default for VlcRateParameters {
    fn default() -> VlcRateParameters {
        VlcRateParameters { measured: Measured::Session, share: 1.0 }
    }
}

impl VlcRateParameters {
    /// Checks the ranges.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless(self.share > 0.0 && self.share <= 1.0, "share", || {
            format!("must be in (0, 1], got {}", self.share)
        })
    }
}

/// The download-rate rule.
#[derive(Debug, Clone)]
pub struct VlcRate {
    parameters: VlcRateParameters,
    bits: f64,
    time: Duration,
}

impl VlcRate {
    /// Creates a rule without history: the first segment is of the lowest representation.
    pub fn new(parameters: VlcRateParameters) -> VlcRate {
        VlcRate { parameters, bits: 0.0, time: Duration::ZERO }
    }
}

impl AbrRule for VlcRate {
    fn choose(&mut self, state: &AbrState<'_>) -> Choice {
        if self.bits == 0.0 {
            return Choice::now(0);
        }
        // A download in zero time is faster than any representation.
        let rate = self.bits / self.time.as_secs_f64();
        Choice::now(state.set.highest_below(rate * self.parameters.share))
    }

    fn on_segment(&mut self, download: &Download, _state: &AbrState<'_>) {
        if self.parameters.measured == Measured::LastSegment {
            (self.bits, self.time) = (0.0, Duration::ZERO);
        }
        self.bits += download.bytes as f64 * 8.0;
        self.time += download.finished_at.since(download.requested_at);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{download, ladder, playing};
    use super::*;

    fn choices(measured: Measured, downloads: &[u64]) -> Vec<usize> {
        let set = ladder(&[140, 490, 1000]);
        let state = playing(&set, Duration::from_secs(10));
        let mut rule = VlcRate::new(VlcRateParameters { measured, ..VlcRateParameters::default() });
        let mut choices = vec![rule.choose(&state).representation];
        for kbit in downloads {
            rule.on_segment(&download(*kbit, Duration::from_secs(1)), &state);
            choices.push(rule.choose(&state).representation);
        }
        choices
    }

    #[test]
    fn the_session_averages_all_downloads() {
        assert_eq!(choices(Measured::Session, &[1000, 200, 200]), [0, 2, 1, 0]);
    }

    #[test]
    fn the_last_segment_forgets_those_before() {
        assert_eq!(choices(Measured::LastSegment, &[1000, 200, 1000]), [0, 2, 0, 2]);
    }

    #[test]
    fn there_is_no_margin() {
        assert_eq!(choices(Measured::Session, &[1000]), [0, 2]);
        assert_eq!(choices(Measured::Session, &[999]), [0, 1]);
    }

    #[test]
    fn a_download_in_no_time_takes_the_highest() {
        let set = ladder(&[140, 490]);
        let state = playing(&set, Duration::ZERO);
        let mut rule = VlcRate::new(VlcRateParameters::default());
        rule.on_segment(&download(1, Duration::ZERO), &state);
        assert_eq!(rule.choose(&state), Choice::now(1));
    }

    #[test]
    fn a_share_out_of_range_is_refused() {
        let parameters = VlcRateParameters { share: 0.0, ..VlcRateParameters::default() };
        assert!(parameters.validate().unwrap_err().to_string().starts_with("share: "));
    }
}
