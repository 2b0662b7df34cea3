//! The tables in `docs/src/appendix/linux.md`.

use std::fmt;
use std::fmt::Write;
use std::path::PathBuf;

use jettison_core::Duration;
use jettison_scenario::build::Builder;
use thiserror::Error;

use crate::case::{Case, Load, Table};
use crate::compare::{Comparison, Quantity, compare};
use crate::figures::Figures;
use crate::folder;
use crate::job::Measured;
use crate::simulate::{SimulateError, simulate};

/// Seeds per start offset. The kernel has one run per offset; more of the simulator's make its mean certain.
const SEEDS: u64 = 3;
const BEGIN: &str = "<!-- Written by `cargo run -p jettison-oracle -- page` from here -->";
const END: &str = "<!-- to here. -->";

/// The kernel that the bounds hold for: a name of `linux-vm -k`.
pub const KERNEL: &str = "new";

/// The comparison of one case.
pub struct Row<'a> {
    /// The case.
    pub case: &'a Case,
    /// Its quantities.
    pub comparisons: Vec<Comparison>,
    /// The guest's lowest share of idle time.
    pub idle: f64,
}

impl Row<'_> {
    /// The comparison of a quantity, if the case has it.
    pub fn quantity(&self, quantity: Quantity) -> Option<&Comparison> {
        self.comparisons.iter().find(|one| one.quantity == quantity)
    }
}

impl fmt::Display for Row<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:34}", self.case.name)?;
        for one in &self.comparisons {
            let flag = if one.is_within_bound() { ' ' } else { '!' };
            write!(f, " {} {:>17}{flag}", one.quantity.key(), one.to_string())?;
        }
        write!(f, " idle {:.0} %", self.idle * 100.0)
    }
}

/// Runs the simulator on cases, and compares. Cases without figures are left out.
pub fn rows<'a>(table: &Table, cases: &[&'a Case], figures: &Figures) -> Result<Vec<Row<'a>>, SimulateError> {
    let builder = Builder::standard();
    let mut rows = Vec::new();
    for case in cases {
        let kernel: Vec<&Measured> = figures.of(&case.name).collect();
        if kernel.is_empty() {
            continue;
        }
        let runs = table.offsets.iter().flat_map(|offset| (1..=SEEDS).map(move |seed| (*offset, seed)));
        let simulated = runs.map(|(offset, seed)| simulate(&builder, case, offset, seed));
        let comparisons = compare(case, &kernel, &simulated.collect::<Result<Vec<_>, _>>()?);
        let idle = kernel.iter().map(|run| run.idle).fold(1.0, f64::min);
        rows.push(Row { case, comparisons, idle });
    }
    Ok(rows)
}

/// The page.
pub fn path() -> PathBuf {
    folder().join("../docs/src/appendix/linux.md")
}

/// A page that cannot be written.
#[derive(Debug, Error)]
pub enum PageError {
    /// The page has no place for the tables.
    #[error("docs/src/appendix/linux.md must contain the lines `{BEGIN}` and `{END}`")]
    Markers,
    /// Writing to a string.
    #[error(transparent)]
    Format(#[from] fmt::Error),
}

/// The page with the table of [`KERNEL`].
pub fn render(old: &str, kernel: &str, rows: &[Row<'_>]) -> Result<String, PageError> {
    let (before, rest) = old.split_once(BEGIN).ok_or(PageError::Markers)?;
    let (_, after) = rest.split_once(END).ok_or(PageError::Markers)?;
    let mut text = format!("\n## Linux {kernel}\n\n");
    write_table(&mut text, rows)?;
    write_explanations(&mut text, rows)?;
    Ok(format!("{before}{BEGIN}\n{text}\n{END}{after}"))
}

fn write_table(text: &mut String, rows: &[Row<'_>]) -> fmt::Result {
    writeln!(text, "| case | path | goodput Mbit/s | drops + marks | sojourn ms | completion ms | idle |")?;
    writeln!(text, "| --- | --- | --- | --- | --- | --- | --- |")?;
    for row in rows {
        let case = row.case;
        write!(text, "| `{}` | {}, {}{} |", case.name, case.rate, case.rtt, load(case))?;
        for quantity in Quantity::ALL {
            match row.quantity(quantity) {
                Some(one) if one.is_within_bound() => write!(text, " {one} |")?,
                Some(one) => write!(text, " **{one}** |")?,
                None => write!(text, " |")?,
            }
        }
        writeln!(text, " {:.0} % |", row.idle * 100.0)?;
    }
    Ok(())
}

fn load(case: &Case) -> String {
    let flows = match (case.flows, case.load) {
        (1, Load::Bulk) => return String::new(),
        (1, _) => String::new(),
        (n, Load::Transfers { .. }) => format!("{n} × "),
        (n, _) => format!("{n} flows, "),
    };
    let interval = |time: Duration| time.to_string();
    match case.load {
        Load::Bulk => format!(", {}", flows.trim_end_matches(", ")),
        Load::Transfers { size } => format!(", {flows}{size} every {}", interval(case.spacing)),
        Load::OnOff { size, interval: time } => format!(", {flows}{size} every {}", interval(time)),
    }
}

fn write_explanations(text: &mut String, rows: &[Row<'_>]) -> fmt::Result {
    writeln!(text, "\n### Differences beyond the bounds\n")?;
    for row in rows {
        for (quantity, reason) in &row.case.explained {
            writeln!(text, "- `{}`, {quantity}: {reason}", row.case.name)?;
        }
    }
    Ok(())
}
