//! The ledger of a paper's claims.

use jettison_run::reproduce::{Claims, Library};

use crate::output::{Failure, print};

/// Reads and checks the ledger of a whole paper; `None` for a single experiment, or a paper without one.
pub fn claims(library: &Library, name: &str) -> Result<Option<Claims>, Failure> {
    if name.contains('/') {
        return Ok(None);
    }
    let Some(claims) = library.claims(name).map_err(Failure::of)? else { return Ok(None) };
    let mut existing = Vec::new();
    for experiment in library.find(name).map_err(Failure::of)? {
        let rows =
            experiment.paper_figures().map_err(Failure::of)?.map(|paper| paper.rows).unwrap_or_default();
        existing.extend(rows.into_iter().map(|row| (experiment.name.clone(), row.figure)));
    }
    let existing: Vec<(&str, &str)> = existing.iter().map(|(e, f)| (e.as_str(), f.as_str())).collect();
    match claims.unknown_rows(&existing).as_slice() {
        [] => Ok(Some(claims)),
        unknown => Err(Failure::of(format!("{name}/claims.toml: {}", unknown.join("; ")))),
    }
}

/// Prints the ledger as a Markdown table.
pub fn print_markdown(name: &str, claims: Option<&Claims>) -> Result<(), Failure> {
    match claims {
        Some(claims) => print(claims.markdown()),
        None if name.contains('/') => {
            Err(Failure::of(format!("--ledger requires a paper, got the experiment `{name}`")))
        }
        None => Err(Failure::of(format!("--ledger requires a claims.toml beside the scenarios of `{name}`"))),
    }
}
