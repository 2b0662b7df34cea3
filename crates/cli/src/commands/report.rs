//! `jettison report`.

use std::path::Path;

use jettison_report::{Results, comparison_table, reproduction_table};

use super::run::{print_places, print_records};
use crate::output::{Failure, print, print_error, width};

/// Prints the table of stored results and writes their page again.
pub fn report(dir: &Path, json: bool) -> Result<(), Failure> {
    let results = Results::load(dir).map_err(Failure::of)?;
    results.rebuild_report().map_err(Failure::of)?;
    for remark in &results.remarks {
        print_error(format_args!("jettison: {remark}"));
    }
    if json {
        return print_records(&results);
    }
    print(comparison_table(&results, width()))?;
    if !results.reproduction.is_empty() {
        print(reproduction_table(&results.reproduction, width()))?;
    }
    print_places(&results)
}
