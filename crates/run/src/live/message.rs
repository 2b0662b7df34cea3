//! What a run's process tells the command's.

use jettison_report::{Failure, LiveFacts};
use jettison_watch::Event;
use serde::{Deserialize, Serialize};

/// A message of a run's process.
#[derive(Debug)]
pub enum Message {
    /// How far it is, in seconds of the run.
    Progress(f64),
    /// For the page that watches.
    Watch(Event),
    /// What it measured, as [`jettison_measure::RunRecord::to_bytes`] gives it.
    Record(Vec<u8>),
    /// What is to be told beside the measures.
    Facts(Facts),
}

/// What is to be told of a run beside its measures.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// How the machine carried it.
    pub live: LiveFacts,
    /// What went wrong: programs that ended as they should not have.
    pub failures: Vec<Failure>,
    /// The router's CPU time, in seconds.
    pub cpu_seconds: f64,
}

impl Message {
    /// As bytes: a letter, and what follows it.
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

    /// Reads it; `None` if it is none.
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
