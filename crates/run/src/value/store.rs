//! The files of a study, beside the results of its runs.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use serde::Serialize;

use super::study::Cell;
use super::summary::Summary;
use super::table::tables;
use super::trial::{Feature, Measure};

/// Folder of the files within the results.
pub const FOLDER: &str = "value";

/// What `value.json` holds.
#[derive(Debug, Serialize)]
struct File<'a> {
    /// Name of the experiment.
    experiment: &'a str,
    /// What the cells say.
    cells: &'a [Summary],
}

/// Writes `value/value.json` (what the cells say), `value/tables.md` (the same as tables) and `value/trials.csv` (each trial and arm)
/// into a folder of results.
///
/// # Errors
/// If a file cannot be written.
pub fn store(folder: &Path, experiment: &str, cells: &[Cell], summaries: &[Summary]) -> io::Result<()> {
    let folder = folder.join(FOLDER);
    std::fs::create_dir_all(&folder)?;
    let json = serde_json::to_string_pretty(&File { experiment, cells: summaries })?;
    std::fs::write(folder.join("value.json"), json + "\n")?;
    std::fs::write(folder.join("tables.md"), tables(summaries))?;
    std::fs::write(folder.join("trials.csv"), csv(cells))
}

/// One line per trial and arm, with the means over the draws.
fn csv(cells: &[Cell]) -> String {
    let features = Feature::ALL.map(Feature::name).join(",");
    let measures = Measure::ALL.map(Measure::name).join(",");
    let mut out = format!("variant,seed,decision,{features},arm,{measures}\n");
    for cell in cells {
        for trial in &cell.trials {
            let features = Feature::ALL.map(|feature| quoted(trial.feature(feature))).join(",");
            for gains in &trial.arms {
                let values = Measure::ALL.map(|measure| format!("{:.6}", gains.mean(measure))).join(",");
                let _ = writeln!(
                    out,
                    "{},{},{},{features},{},{values}",
                    quoted(&cell.variant),
                    trial.seed,
                    trial.decision,
                    gains.arm
                );
            }
        }
    }
    out
}

/// A text in quotation marks if it has a comma or quotation marks.
fn quoted(text: &str) -> String {
    if text.contains([',', '"']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_with_commas_is_quoted() {
        assert_eq!([quoted("a"), quoted("a, b"), quoted("\"")], ["a", "\"a, b\"", "\"\"\"\""]);
    }
}
