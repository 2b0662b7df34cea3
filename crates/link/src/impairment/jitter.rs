//! Jitter: a random addition to the delay of each packet.

use std::sync::Arc;

use jettison_core::{Duration, RandomStream};
use jettison_registry::ParameterError;
use schemars::JsonSchema;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use thiserror::Error;

use crate::Share;

/// Jitter: its scale, `"5 ms"`, or a table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(title = "jitter")]
pub enum JitterChoice {
    /// The scale of a normal distribution, in order.
    Deviation(Duration),
    /// Another distribution, a correlation, or reordering.
    Table(JitterParameters),
}

/// Jitter of a link's delay.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JitterParameters {
    /// Scale of the distribution, at most the delay: the standard deviation of `normal`, half the range of `uniform`.
    pub deviation: Duration,
    /// Distribution of the additions.
    #[serde(default)]
    pub distribution: Distribution,
    /// File of a distribution in the format of `tc`, in place of `distribution`: ascending integers, 8192 for one `deviation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "distribution-file"))]
    pub table: Option<String>,
    /// Correlation with the packet before, below 1.
    #[serde(default)]
    pub correlation: Share,
    /// Whether packets may overtake each other. Otherwise a packet arrives no earlier than the one before it.
    #[serde(default)]
    pub reorder: bool,
    /// The content of `table`, read by the check of the scenario.
    #[serde(skip)]
    pub read: Option<Arc<DistributionTable>>,
}

/// Distribution of jitter, in units of the deviation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Distribution {
    /// Uniform from -1 to 1.
    Uniform,
    /// Normal with mean 0 and standard deviation 1, cut at -4 and 4.
    #[default]
    Normal,
    /// Pareto with shape 3 and minimum 1, less its mean, by 4/3, cut at 4.
    Pareto,
    /// A quarter of `normal` and three quarters of `pareto`, at the same quantile.
    Paretonormal,
}

/// A distribution as a table of its quantiles, in units of 1/8192 of the deviation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DistributionTable(Box<[i16]>);

/// Error in a file of a distribution.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct TableError {
    /// Line, from 1; `None` for the whole file.
    pub line: Option<usize>,
    message: String,
}

/// Units of a table for one deviation.
const TABLE_SCALE: f64 = 8192.0;
/// Values in a table, at most: as many as `tc` takes.
const MOST_VALUES: usize = 65_536;
/// Largest deviation that the distributions draw, in multiples of the scale: that of the tables of `tc`.
const CUT: f64 = 4.0;

impl DistributionTable {
    /// Reads a table in the format of `tc`: integers from -32768 to 32767 in ascending order, separated by blanks; `#`
    /// begins a comment line.
    pub fn parse(content: &[u8]) -> Result<DistributionTable, TableError> {
        let whole = |message: &str| TableError { line: None, message: message.to_owned() };
        let text = std::str::from_utf8(content)
            .map_err(|_| whole("a distribution must be UTF-8 text: integers separated by blanks"))?;
        let mut values: Vec<i16> = Vec::new();
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')) {
            let error = |message: String| TableError { line: Some(number + 1), message };
            for word in line.split_ascii_whitespace() {
                let value: i16 = word.parse().map_err(|_| {
                    error(format!(
                        "a value must be an integer from -32768 to 32767, got `{}`",
                        shortened(word)
                    ))
                })?;
                if let Some(last) = values.last().filter(|last| **last > value) {
                    return Err(error(format!(
                        "values must be in ascending order, got {value} after {last}"
                    )));
                }
                if values.len() == MOST_VALUES {
                    return Err(error(format!("a distribution must have at most {MOST_VALUES} values")));
                }
                values.push(value);
            }
        }
        if values.len() < 2 {
            return Err(whole(&format!("a distribution must have at least 2 values, got {}", values.len())));
        }
        Ok(DistributionTable(values.into()))
    }

    /// The value of the quantile `share`, 0 to 1.
    fn quantile(&self, share: f64) -> f64 {
        let place = (share * self.0.len() as f64) as usize;
        f64::from(self.0[place.min(self.0.len() - 1)]) / TABLE_SCALE
    }
}

fn shortened(word: &str) -> String {
    word.chars().take(20).collect()
}

impl JitterChoice {
    /// As a table.
    pub fn parameters(&self) -> JitterParameters {
        match self {
            JitterChoice::Deviation(deviation) => JitterParameters {
                deviation: *deviation,
                distribution: Distribution::default(),
                table: None,
                correlation: Share::ZERO,
                reorder: false,
                read: None,
            },
            JitterChoice::Table(parameters) => parameters.clone(),
        }
    }

    /// The table of parameters, if it is written as one.
    pub fn table_mut(&mut self) -> Option<&mut JitterParameters> {
        match self {
            JitterChoice::Deviation(_) => None,
            JitterChoice::Table(parameters) => Some(parameters),
        }
    }
}

impl<'de> Deserialize<'de> for JitterChoice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JitterChoice, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        let read = match value.is_object() {
            true => serde_json::from_value(value).map(JitterChoice::Table),
            false => serde_json::from_value(value).map(JitterChoice::Deviation),
        };
        read.map_err(D::Error::custom)
    }
}

impl JitterParameters {
    /// Checks the parameters against the least delay of the link.
    pub fn validate(&self, least_delay: Duration) -> Result<(), ParameterError> {
        if self.deviation > least_delay {
            let message = format!(
                "must be <= the link's delay of {least_delay}, got {}: no packet arrives before it has left",
                self.deviation
            );
            return Err(ParameterError::at("deviation", message));
        }
        if self.table.is_some() && self.distribution != Distribution::default() {
            let message = "must be left out beside `distribution`: it is a distribution of its own";
            return Err(ParameterError::at("table", message));
        }
        if self.correlation >= Share::ONE {
            let message = format!("must be < 1, got {}", self.correlation);
            return Err(ParameterError::at("correlation", message));
        }
        Ok(())
    }
}

/// Draws the jitter of packets.
///
/// The correlation is that of a normal variable (an autoregressive process of order 1) whose quantile is drawn, so the
/// distribution stays what it is.
#[derive(Debug, Clone)]
pub(crate) struct Jitter {
    /// In nanoseconds.
    deviation: f64,
    shape: Shape,
    correlation: f64,
    /// Factor of the new part: √(1 - correlation²).
    fresh: f64,
    last: Option<f64>,
    stream: RandomStream,
}

#[derive(Debug, Clone)]
enum Shape {
    Of(Distribution),
    Table(Arc<DistributionTable>),
}

impl Jitter {
    /// Jitter of validated parameters.
    pub fn new(parameters: &JitterParameters, stream: RandomStream) -> Result<Jitter, ParameterError> {
        let shape = match (&parameters.table, &parameters.read) {
            (Some(_), Some(table)) => Shape::Table(Arc::clone(table)),
            (Some(file), None) => {
                return Err(ParameterError::at("table", format!("`{file}` was not read by the check")));
            }
            (None, _) => Shape::Of(parameters.distribution),
        };
        let correlation = parameters.correlation.value();
        Ok(Jitter {
            deviation: parameters.deviation.as_nanos() as f64,
            shape,
            correlation,
            fresh: (1.0 - correlation * correlation).sqrt(),
            last: None,
            stream,
        })
    }

    /// The addition to the next packet's delay, in nanoseconds.
    pub fn draw(&mut self) -> i64 {
        let mut normal = standard_normal(&mut self.stream);
        if let Some(last) = self.last {
            normal = self.correlation * last + self.fresh * normal;
        }
        self.last = Some(normal);
        let value = match &self.shape {
            Shape::Of(distribution) => distribution.at(normal),
            Shape::Table(table) => table.quantile(below(normal)),
        };
        (value * self.deviation) as i64
    }
}

impl Distribution {
    /// The value at the quantile at which a normal variable has the value `normal`.
    fn at(self, normal: f64) -> f64 {
        match self {
            Distribution::Uniform => 2.0 * below(normal) - 1.0,
            Distribution::Normal => normal.clamp(-CUT, CUT),
            Distribution::Pareto => {
                // P(X > x) = x^-3, from the upper tail, where it matters.
                let above = below(-normal).max(f64::MIN_POSITIVE);
                (4.0 / (3.0 * libm::cbrt(above)) - 2.0).min(CUT)
            }
            Distribution::Paretonormal => {
                0.25 * Distribution::Normal.at(normal) + 0.75 * Distribution::Pareto.at(normal)
            }
        }
    }
}

/// A normal variable with mean 0 and deviation 1 (Box and Muller 1958).
fn standard_normal(stream: &mut RandomStream) -> f64 {
    let radius = (-2.0 * libm::log1p(-stream.unit())).sqrt();
    radius * libm::cos(std::f64::consts::TAU * stream.unit())
}

/// Probability that a standard normal variable is below `value`.
fn below(value: f64) -> f64 {
    0.5 * libm::erfc(-value * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
#[path = "jitter_tests.rs"]
mod tests;
