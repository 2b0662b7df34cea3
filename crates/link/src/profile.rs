//! Network profiles in the JSON format of the DASH Industry Forum: bandwidth, round-trip time and loss over time.
//!
//! ```json
//! { "changes": [{ "time": 0, "bw": 5, "rtt": 76, "loss": 0.09 }, { "time": 30, "bw": 4, "rtt": 100, "loss": 0.08 }],
//!   "repeat": "True", "pause": 30, "duration": 640 }
//! ```
//!
//! Units: `time`, `pause` and `duration` in seconds, `bw` in Mbit/s (10⁶ bit/s), `rtt` in milliseconds, `loss` in
//! percent of the packets. No document defines `pause`; this reader takes it as the time that the last change holds
//! before the next round begins: in all profiles of the Forum it equals the time between two changes. `duration` is the
//! length of the Forum's own tests; it must be a number and is otherwise ignored.

use jettison_core::{Duration, Rate, Time};
use jettison_registry::nearest;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::Share;

/// The longest time in a profile, one year: sums of times stay far below 64 bits.
const MAX_SECONDS: f64 = 31_536_000.0;
/// The largest bandwidth, 1 Tbit/s.
const MAX_MBIT: f64 = 1e6;
/// The largest round-trip time, one hour.
const MAX_RTT_MS: f64 = 3.6e6;

/// Network conditions over time.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkProfile {
    /// At least one step, in order of time; the first is at zero.
    steps: Vec<ProfileStep>,
    /// The length of a round, if the profile repeats.
    round: Option<Duration>,
}

/// Network conditions from an instant on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileStep {
    /// Start of the step.
    pub at: Time,
    /// Bandwidth; zero is an outage.
    pub rate: Rate,
    /// Round-trip time without queueing.
    pub rtt: Duration,
    /// Share of packets lost.
    pub loss: Share,
}

/// A profile that cannot be used. The message names the place in the file; the caller adds the file name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProfileError {
    /// The text is not JSON.
    #[error("invalid JSON: {message}")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Description of the error.
        message: String,
    },
    /// The JSON is not a valid profile.
    #[error("{place}: {message}")]
    Invalid {
        /// Path of the value, such as `changes[3].bw`.
        place: String,
        /// What is required and what was found.
        message: String,
    },
}

impl NetworkProfile {
    /// Reads the text of a file.
    pub fn parse(text: &[u8]) -> Result<NetworkProfile, ProfileError> {
        let value: Value = serde_json::from_slice(text).map_err(|error| not_json(&error))?;
        let Value::Object(table) = &value else {
            return Err(wrong("the file", "must be an object such as { \"changes\": [ … ] }"));
        };
        known_keys(table, "", &["changes", "repeat", "pause", "duration"])?;
        let Some(Value::Array(list)) = table.get("changes") else {
            let message =
                "must be a list such as [{ \"time\": 0, \"bw\": 5, \"rtt\": 40, \"loss\": 0.1 }, …]";
            return Err(wrong("changes", message));
        };
        let steps = steps(list)?;
        number(table, "duration", "", 0.0, f64::MAX, "seconds")?;
        let pause = number(table, "pause", "", 0.0, MAX_SECONDS, "seconds")?;
        let round = match repeats(table)? {
            false => None,
            true => {
                let pause = pause.map(Duration::from_secs_f64).filter(|pause| !pause.is_zero());
                let message = "must be > 0 seconds in a profile that repeats: the time that the last change holds before the next round";
                let pause = pause.ok_or_else(|| wrong("pause", message))?;
                steps.last().map(|last| last.at.since(Time::ZERO) + pause)
            }
        };
        let ends_dead = steps.last().is_some_and(|last| last.rate.is_zero());
        if round.is_none() && ends_dead {
            let message = "must be > 0 in the last change of a profile that does not repeat, got 0; add a change that ends the outage, or set `repeat`";
            return Err(wrong(&format!("changes[{}].bw", steps.len() - 1), message));
        }
        if steps.iter().all(|step| step.rate.is_zero()) {
            return Err(wrong("changes", "at least one `bw` must be > 0"));
        }
        Ok(NetworkProfile { steps, round })
    }

    /// The steps before `until`, in order of time, over all rounds.
    pub fn steps(&self, until: Time) -> impl Iterator<Item = ProfileStep> + '_ {
        let rounds = self.round.map_or(1, |round| until.as_nanos().div_ceil(round.as_nanos()).max(1));
        let length = self.round.unwrap_or_default();
        (0..rounds)
            .flat_map(move |number| {
                let begins = length.saturating_mul(number);
                self.steps.iter().map(move |step| ProfileStep { at: step.at.saturating_add(begins), ..*step })
            })
            .take_while(move |step| step.at < until || step.at == Time::ZERO)
    }

    /// Number of steps that begin before `until`.
    pub fn count(&self, until: Time) -> u64 {
        let (full, rest) = match self.round {
            None => (0, until.as_nanos()),
            Some(round) => (until.as_nanos() / round.as_nanos(), until.as_nanos() % round.as_nanos()),
        };
        let begun = self.steps.partition_point(|step| step.at.as_nanos() < rest) as u64;
        full.saturating_mul(self.steps.len() as u64).saturating_add(begun)
    }

    /// The length of a round; `None` if the profile does not repeat.
    pub fn round(&self) -> Option<Duration> {
        self.round
    }
}

impl ProfileError {
    /// Line and column of a JSON syntax error, both from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            ProfileError::NotJson { line, column, .. } => Some((*line, *column)),
            ProfileError::Invalid { .. } => None,
        }
    }
}

fn steps(list: &[Value]) -> Result<Vec<ProfileStep>, ProfileError> {
    let mut steps: Vec<ProfileStep> = Vec::with_capacity(list.len());
    for (index, change) in list.iter().enumerate() {
        let place = format!("changes[{index}]");
        let Value::Object(table) = change else {
            return Err(wrong(
                &place,
                "must be an object such as { \"time\": 0, \"bw\": 5, \"rtt\": 40, \"loss\": 0.1 }",
            ));
        };
        let inside = format!("{place}.");
        known_keys(table, &inside, &["time", "bw", "rtt", "loss"])?;
        let step = step(table, &inside, steps.last())?;
        match steps.last() {
            None if step.at != Time::ZERO => {
                return Err(wrong(
                    &format!("{inside}time"),
                    format!("must be 0 in the first change, got {}", step.at),
                ));
            }
            Some(before) if step.at <= before.at => {
                let message =
                    format!("must be later than the previous change at {}, got {}", before.at, step.at);
                return Err(wrong(&format!("{inside}time"), message));
            }
            _ => steps.push(step),
        }
    }
    if steps.is_empty() {
        return Err(wrong("changes", "must have at least one change, at time 0"));
    }
    Ok(steps)
}

/// Reads one change; omitted RTT and loss keep their previous values, initially zero.
fn step(
    table: &Map<String, Value>,
    inside: &str,
    before: Option<&ProfileStep>,
) -> Result<ProfileStep, ProfileError> {
    let missing = |key: &str, unit: &str| wrong(&format!("{inside}{key}"), format!("required: {unit}"));
    let time = number(table, "time", inside, 0.0, MAX_SECONDS, "seconds")?;
    let time = time.ok_or_else(|| missing("time", "seconds from the start"))?;
    let bandwidth = number(table, "bw", inside, 0.0, MAX_MBIT, "Mbit/s (0 is an outage)")?;
    let bandwidth = bandwidth.ok_or_else(|| missing("bw", "a bandwidth in Mbit/s"))?;
    let rate = Rate::from_mbit(1).mul_f64(bandwidth);
    if rate.is_zero() && bandwidth > 0.0 {
        return Err(wrong(
            &format!("{inside}bw"),
            format!("must be 0 or at least 1 bit/s, got {bandwidth} Mbit/s"),
        ));
    }
    let rtt = number(table, "rtt", inside, 0.0, MAX_RTT_MS, "milliseconds")?;
    let rtt = rtt.map(|millis| Duration::from_secs_f64(millis / 1e3));
    let loss = number(table, "loss", inside, 0.0, 100.0, "percent")?;
    Ok(ProfileStep {
        at: Time::ZERO + Duration::from_secs_f64(time),
        rate,
        rtt: rtt.unwrap_or(before.map_or(Duration::ZERO, |before| before.rtt)),
        loss: loss
            .and_then(|percent| Share::new(percent / 100.0))
            .unwrap_or(before.map_or(Share::ZERO, |before| before.loss)),
    })
}

/// Reads the number under `key`, if present; it must be in `min..=max`.
fn number(
    table: &Map<String, Value>,
    key: &str,
    inside: &str,
    min: f64,
    max: f64,
    unit: &str,
) -> Result<Option<f64>, ProfileError> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let place = format!("{inside}{key}");
    let Some(number) = value.as_f64() else {
        return Err(wrong(&place, format!("must be a number ({unit}), got {value}")));
    };
    if (min..=max).contains(&number) {
        return Ok(Some(number));
    }
    let range = if max < f64::MAX { format!("{min} to {max}") } else { format!("at least {min}") };
    Err(wrong(&place, format!("must be {range} {unit}, got {value}")))
}

/// Reads `repeat`: a boolean, or a string that contains one, as in the Forum's files.
fn repeats(table: &Map<String, Value>) -> Result<bool, ProfileError> {
    match table.get("repeat") {
        None => Ok(false),
        Some(Value::Bool(repeat)) => Ok(*repeat),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Ok(false),
        Some(other) => Err(wrong("repeat", format!("must be \"True\" or \"False\", got {other}"))),
    }
}

fn known_keys(table: &Map<String, Value>, inside: &str, known: &[&str]) -> Result<(), ProfileError> {
    let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let help = match nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known keys: {}", known.join(", ")),
    };
    Err(wrong(&format!("{inside}{key}"), format!("unknown key; {help}")))
}

fn wrong(place: &str, message: impl Into<String>) -> ProfileError {
    ProfileError::Invalid { place: place.to_owned(), message: message.into() }
}

fn not_json(error: &serde_json::Error) -> ProfileError {
    let text = error.to_string();
    // The caller adds the position, so remove it here.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned();
    ProfileError::NotJson { line: error.line().max(1), column: error.column().max(1), message }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
