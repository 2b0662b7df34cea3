//! `jettison compare`.

use std::path::Path;

use jettison_report::side_by_side_table;

use crate::output::{Failure, print_error, print_record, width};
use crate::screen::Screen;

/// Prints two results side by side; with `out`, also writes a page.
pub fn compare(a: &Path, b: &Path, out: Option<&Path>, json: bool, all: bool) -> Result<(), Failure> {
    let compared = jettison_run::compare(a, b).map_err(Failure::of)?;
    let both = &compared.both;
    for remark in both.a.remarks.iter().chain(&both.b.remarks) {
        print_error(format_args!("jettison: {remark}"));
    }
    let page = out.map(|out| both.write_page(out)).transpose().map_err(Failure::of)?;
    if json {
        return both.records().try_for_each(|record| print_record(&record));
    }
    let screen = Screen::new(all);
    screen.print_cut(
        &side_by_side_table(both, width(), all),
        screen.room(1),
        "values, means and warnings",
    )?;
    if let Some(page) = page {
        screen.print(&format!("Page: {}\n", page.display()))?;
    }
    screen.end("`--all` prints all values.")
}
