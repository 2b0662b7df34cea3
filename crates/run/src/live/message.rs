//! Messages from a run's process to the command's.

use jettison_report::{Failure, LiveFacts};
use jettison_watch::Event;
use serde::{Deserialize, Serialize};

/// A message from a run's process.
#[derive(Debug)]
pub enum Message {
    /// Progress in seconds of the run.
    Progress(f64),
    /// An event for the live page.
    Watch(Event),
    /// The measurements, from [`jettison_measure::RunRecord::to_bytes`].
    Record(Vec<u8>),
    /// Facts about the run beside the measurements.
    Facts(Facts),
}

/// Facts about a run beside its measurements.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// Conditions of the live run: scheduling, offloads, the kernel.
    pub live: LiveFacts,
    /// Failures, such as programs that ended early.
    pub failures: Vec<Failure>,
    /// The router's CPU time, in seconds.
    pub cpu_seconds: f64,
}

impl Message {
    /// Encodes the message: a letter for the kind, then the data.
    pub fn to_bytes(&self) -> Vec<u8> {
        let (letter, rest) = match self {
            Message::Progress(seconds) => (b'p', seconds.to_le_bytes().to_vec()),
            Message::Watch(event) => (b'w', json(event)),
            Message::Record(bytes) => (b'r', bytes.clone()),
            Message::Facts(facts) => (b'f', json(facts)),
        };
        let mut bytes = vec![letter];
        bytes.extend(rest);
        bytes
    }

    /// Decodes a message; `None` if it is malformed.
    pub fn from_bytes(bytes: &[u8]) -> Option<Message> {
        let (letter, rest) = bytes.split_first()?;
        match letter {
            b'p' => Some(Message::Progress(f64::from_le_bytes(rest.try_into().ok()?))),
            b'w' => serde_json::from_slice(rest).ok().map(Message::Watch),
            b'r' => Some(Message::Record(rest.to_vec())),
            b'f' => serde_json::from_slice(rest).ok().map(Message::Facts),
            _ => None,
        }
    }
}

fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("plain data with string keys is JSON")
}
