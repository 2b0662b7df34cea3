//! Stored figures of real players: `figures/players.jsonl`, one line per session.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::session::{Session, Short};
use crate::figures::FiguresError;
use crate::folder;

/// A session of a real player.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// The network.
    pub network: String,
    /// The player.
    pub player: String,
    /// The run's seed.
    pub seed: u64,
    /// The program with its version, as it names itself.
    pub program: String,
    /// The network and the duration as they were ([`super::compare::settings`]).
    pub settings: String,
    /// What was measured.
    pub session: Session,
    /// The short form of it.
    pub short: Short,
}

/// The file.
pub fn path() -> PathBuf {
    folder().join("figures/players.jsonl")
}

/// Reads the figures.
pub fn load() -> Result<Vec<Watched>, FiguresError> {
    let path = path();
    let text =
        fs::read_to_string(&path).map_err(|source| FiguresError::File { path: path.clone(), source })?;
    let parse = |(i, line)| {
        serde_json::from_str(line).map_err(|source| FiguresError::Line {
            path: path.clone(),
            line: i + 1,
            source,
        })
    };
    text.lines().enumerate().map(parse).collect()
}

/// Replaces the figures.
pub fn save(figures: &[Watched]) -> Result<PathBuf, FiguresError> {
    let path = path();
    let mut text = String::new();
    for one in figures {
        let line = serde_json::to_string(one);
        text += &line.map_err(|source| FiguresError::Line { path: path.clone(), line: 0, source })?;
        text.push('\n');
    }
    fs::write(&path, text).map_err(|source| FiguresError::File { path: path.clone(), source })?;
    Ok(path)
}
