//! The tables in `docs/src/appendix/players-live.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fmt::Write;
use std::path::PathBuf;

use thiserror::Error;

use super::compare::{Reasons, Row};
use super::figures::Watched;
use crate::folder;

/// Seeds of the models.
pub const SEEDS: u64 = 10;
const BEGIN: &str = "<!-- Written by `cargo run -p jettison-oracle -- players page` from here -->";
const END: &str = "<!-- to here. -->";

/// The page.
pub fn path() -> PathBuf {
    folder().join("../docs/src/appendix/players-live.md")
}

/// A page that cannot be written.
#[derive(Debug, Error)]
pub enum PlayersPageError {
    /// The page has no place for the tables.
    #[error("docs/src/appendix/players-live.md must contain the lines `{BEGIN}` and `{END}`")]
    Markers,
    /// Writing to a string.
    #[error(transparent)]
    Format(#[from] fmt::Error),
}

/// The page with these tables.
pub fn render(
    old: &str,
    watched: &[Watched],
    rows: &[Row],
    reasons: &Reasons,
) -> Result<String, PlayersPageError> {
    let (before, rest) = old.split_once(BEGIN).ok_or(PlayersPageError::Markers)?;
    let (_, after) = rest.split_once(END).ok_or(PlayersPageError::Markers)?;
    let mut text = String::new();
    let mut players: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in rows {
        players.entry(&row.player).or_default().push(row);
    }
    for (player, rows) in &players {
        let own = watched.iter().filter(|one| one.player == *player);
        let programs: BTreeSet<&str> = own.map(|one| one.program.as_str()).collect();
        let programs: Vec<&str> = programs.into_iter().collect();
        writeln!(text, "\n## {}\n", programs.join(", "))?;
        write_table(&mut text, rows)?;
        write_reasons(&mut text, player, rows, reasons)?;
    }
    Ok(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
}

fn write_table(text: &mut String, rows: &[&Row]) -> fmt::Result {
    writeln!(
        text,
        "| network | sessions | buffer, s | bitrate, kbit/s | shares, % | switches | stalls | stall time, s |"
    )?;
    writeln!(text, "| --- | --- | --- | --- | --- | --- | --- | --- |")?;
    for row in rows {
        write!(text, "| `{}` | {} |", row.network, row.sessions)?;
        for one in &row.differences {
            match one.is_within() {
                true => write!(text, " {one} |")?,
                false => write!(text, " **{one}** |")?,
            }
        }
        writeln!(text)?;
    }
    Ok(())
}

fn write_reasons(text: &mut String, player: &str, rows: &[&Row], reasons: &Reasons) -> fmt::Result {
    let networks: Vec<&str> = rows.iter().map(|row| row.network.as_str()).collect();
    let own = reasons.reasons.iter().filter(|reason| reason.player == player);
    for (i, reason) in own.filter(|reason| networks.contains(&reason.network.as_str())).enumerate() {
        let quantities: Vec<String> = reason.quantities.iter().map(ToString::to_string).collect();
        let gap = if i == 0 { "\n" } else { "" };
        writeln!(text, "{gap}- `{}`, {}: {}", reason.network, quantities.join(", "), reason.because)?;
    }
    Ok(())
}
