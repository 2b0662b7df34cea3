//! Network profiles as the DASH Industry Forum writes them: bandwidth, round-trip time and loss over time, in JSON.
//!
//! ```json
//! { "changes": [{ "time": 0, "bw": 5, "rtt": 76, "loss": 0.09 }, { "time": 30, "bw": 4, "rtt": 100, "loss": 0.08 }],
//!   "repeat": "True", "pause": 30, "duration": 640 }
//! ```
//!
//! Units: `time`, `pause` and `duration` in seconds, `bw` in Mbit/s (10⁶ bit/s), `rtt` in milliseconds, `loss` in
//! percent of the packets. No document defines `pause`. It is read as the time that the last change holds before the
//! next round begins: in all profiles of the Forum it equals the time between two changes. `duration` is how long the
//! Forum's own tests last; it is checked to be a number and otherwise means nothing here.

use jettison_core::{Duration, Rate, Time, nearest};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::Share;

/// No profile lasts longer than a year: sums of times stay far from the end of 64 bits.
const MOST_SECONDS: f64 = 31_536_000.0;
/// 1 Tbit/s.
const MOST_MBIT: f64 = 1e6;
/// An hour.
const MOST_RTT_MS: f64 = 3.6e6;

/// What a network is like over time.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkProfile {
    /// In order of time, the first at zero: never none.
    steps: Vec<ProfileStep>,
    /// The length of a round, of a profile that repeats.
    round: Option<Duration>,
}

/// What a network is like from an instant on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProfileStep {
    /// The instant.
    pub at: Time,
    /// Bits a second; zero is an outage.
    pub rate: Rate,
    /// Round-trip time without any queue.
    pub rtt: Duration,
    /// Share of the packets that are lost.
    pub loss: Share,
}

/// A profile that cannot be used. The message says where in the file; the reader adds the file.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProfileError {
    /// The text is no JSON.
    #[error("not JSON: {message}")]
    NotJson {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What is wrong there.
        message: String,
    },
    /// The JSON is no profile.
    #[error("{place}: {message}")]
    NoProfile {
        /// Where: `changes[3].bw`.
        place: String,
        /// What is wrong and what would be right.
        message: String,
    },
}

impl NetworkProfile {
    /// Reads the text of a file.
    pub fn parse(text: &[u8]) -> Result<NetworkProfile, ProfileError> {
        let value: Value = serde_json::from_slice(text).map_err(|error| not_json(&error))?;
        let Value::Object(table) = &value else {
            return Err(wrong("the file", "is no object; write { \"changes\": [ … ] }"));
        };
        known_keys(table, "", &["changes", "repeat", "pause", "duration"])?;
        let Some(Value::Array(list)) = table.get("changes") else {
            let message = "a list of changes is missing; write [{ \"time\": 0, \"bw\": 5, \"rtt\": 40, \"loss\": 0.1 }, …]";
            return Err(wrong("changes", message));
        };
        let steps = steps(list)?;
        number(table, "duration", "", 0.0, f64::MAX, "seconds")?;
        let pause = number(table, "pause", "", 0.0, MOST_SECONDS, "seconds")?;
        let round = match repeats(table)? {
            false => None,
            true => {
                let pause = pause.map(Duration::from_secs_f64).filter(|pause| !pause.is_zero());
                let message = "a profile that repeats needs the seconds that its last change holds before the next round begins, more than 0";
                let pause = pause.ok_or_else(|| wrong("pause", message))?;
                steps.last().map(|last| last.at.since(Time::ZERO) + pause)
            }
        };
        let ends_dead = steps.last().is_some_and(|last| last.rate.is_zero());
        if round.is_none() && ends_dead {
            let message = "the last bandwidth is 0, after which nothing is carried; add a change that ends the outage, or let the profile repeat";
            return Err(wrong(&format!("changes[{}].bw", steps.len() - 1), message));
        }
        if steps.iter().all(|step| step.rate.is_zero()) {
            return Err(wrong("changes", "every bandwidth is 0, so that nothing is ever carried"));
        }
        Ok(NetworkProfile { steps, round })
    }

    /// What holds from the start and each change before `until`, in order of time, rounds one after the other.
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

    /// How many steps begin before `until`.
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
    /// Line and column of text that is no JSON, both from 1.
    pub fn position(&self) -> Option<(usize, usize)> {
        match self {
            ProfileError::NotJson { line, column, .. } => Some((*line, *column)),
            ProfileError::NoProfile { .. } => None,
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
                "is no object; write { \"time\": 0, \"bw\": 5, \"rtt\": 40, \"loss\": 0.1 }",
            ));
        };
        let inside = format!("{place}.");
        known_keys(table, &inside, &["time", "bw", "rtt", "loss"])?;
        let step = step(table, &inside, steps.last())?;
        match steps.last() {
            None if step.at != Time::ZERO => {
                return Err(wrong(
                    &format!("{inside}time"),
                    "the first change is not at 0: what holds from the start?",
                ));
            }
            Some(before) if step.at <= before.at => {
                let message =
                    format!("{} does not come after {}; write changes in order of time", step.at, before.at);
                return Err(wrong(&format!("{inside}time"), message));
            }
            _ => steps.push(step),
        }
    }
    if steps.is_empty() {
        return Err(wrong("changes", "there is none; write at least one, at time 0"));
    }
    Ok(steps)
}

/// One change; RTT and loss that it leaves out stay as they were before, at first none.
fn step(
    table: &Map<String, Value>,
    inside: &str,
    before: Option<&ProfileStep>,
) -> Result<ProfileStep, ProfileError> {
    let missing =
        |key: &str, unit: &str| wrong(&format!("{inside}{key}"), format!("is missing; write {unit}"));
    let time = number(table, "time", inside, 0.0, MOST_SECONDS, "seconds")?;
    let time = time.ok_or_else(|| missing("time", "seconds from the start"))?;
    let bandwidth = number(table, "bw", inside, 0.0, MOST_MBIT, "Mbit/s (0 is an outage)")?;
    let bandwidth = bandwidth.ok_or_else(|| missing("bw", "a bandwidth in Mbit/s"))?;
    let rate = Rate::from_mbit(1).mul_f64(bandwidth);
    if rate.is_zero() && bandwidth > 0.0 {
        return Err(wrong(&format!("{inside}bw"), format!("{bandwidth} Mbit/s is less than 1 bit/s")));
    }
    let rtt = number(table, "rtt", inside, 0.0, MOST_RTT_MS, "milliseconds")?;
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

/// The number under `key`, if there is one, from `least` to `most`.
fn number(
    table: &Map<String, Value>,
    key: &str,
    inside: &str,
    least: f64,
    most: f64,
    unit: &str,
) -> Result<Option<f64>, ProfileError> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let place = format!("{inside}{key}");
    let Some(number) = value.as_f64() else {
        return Err(wrong(&place, format!("{value} is no number; write one of {unit}")));
    };
    if (least..=most).contains(&number) {
        return Ok(Some(number));
    }
    let range = if most < f64::MAX { format!("{least} to {most}") } else { format!("at least {least}") };
    Err(wrong(&place, format!("{value} is out of range; write {range} {unit}")))
}

/// `repeat` is a truth, or, as the Forum writes it, one in quotes.
fn repeats(table: &Map<String, Value>) -> Result<bool, ProfileError> {
    match table.get("repeat") {
        None => Ok(false),
        Some(Value::Bool(repeat)) => Ok(*repeat),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("true") => Ok(true),
        Some(Value::String(word)) if word.eq_ignore_ascii_case("false") => Ok(false),
        Some(other) => Err(wrong("repeat", format!("cannot be {other}; write \"True\" or \"False\""))),
    }
}

fn known_keys(table: &Map<String, Value>, inside: &str, known: &[&str]) -> Result<(), ProfileError> {
    let Some(key) = table.keys().find(|key| !known.contains(&key.as_str())) else { return Ok(()) };
    let help = match nearest(key, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known: {}", known.join(", ")),
    };
    Err(wrong(&format!("{inside}{key}"), format!("an unknown key; {help}")))
}

fn wrong(place: &str, message: impl Into<String>) -> ProfileError {
    ProfileError::NoProfile { place: place.to_owned(), message: message.into() }
}

fn not_json(error: &serde_json::Error) -> ProfileError {
    let text = error.to_string();
    // The place is said by the reader, once.
    let message = text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned();
    ProfileError::NotJson { line: error.line().max(1), column: error.column().max(1), message }
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
