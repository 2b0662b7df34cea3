//! `jettison report`.

use std::path::Path;

use jettison_report::{Results, reproduction_table};

use super::run::{ALL, print_records};
use crate::options::ShowArguments;
use crate::output::{Failure, print_error, width};
use crate::screen::{Screen, with_choice};

/// Prints the answer and table of stored results and writes their page again.
pub fn report(dir: &Path, json: bool, show: &ShowArguments) -> Result<(), Failure> {
    let results = Results::load(dir).map_err(Failure::of)?;
    results.rebuild_report().map_err(Failure::of)?;
    for remark in &results.remarks {
        print_error(format_args!("jettison: {remark}"));
    }
    let results = with_choice(results, show);
    if json {
        return print_records(&results);
    }
    let screen = Screen::new(show.all);
    print_with_paper(&screen, &results, width(), 2)?;
    screen.places(&results)?;
    screen.end(ALL)
}

/// Lines for the comparison with a paper beside ours, if both are long.
const PAPER: usize = 22;

/// Prints the comparison, and that with a paper's figures; `reserve` lines follow.
pub fn print_with_paper(
    screen: &Screen,
    results: &Results,
    width: usize,
    reserve: usize,
) -> Result<(), Failure> {
    if results.reproduction.is_empty() {
        return screen.comparison(results, reserve);
    }
    let paper = reproduction_table(&results.reproduction, width);
    let needed = paper.lines().count();
    screen.comparison(results, reserve + needed.min(PAPER))?;
    screen.print_cut(&paper, screen.room(reserve), "the comparison with the paper")
}
