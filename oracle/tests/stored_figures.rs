//! Holds the simulator to the stored figures, and the explanations and the page to the comparison.

use std::fs;

use jettison_oracle::case::{Case, Table};
use jettison_oracle::figures::Figures;
use jettison_oracle::page;

/// Below this share of idle time the guest's CPU disturbs what is measured.
const LEAST_IDLE: f64 = 0.3;

#[test]
fn differences_are_within_the_bounds_or_explained_and_on_the_page() {
    let table = Table::load().expect("cases.toml is valid");
    let figures = Figures::load(page::KERNEL).expect("there are figures");
    let cases: Vec<&Case> = table.cases.iter().collect();
    let rows = page::rows(&table, &cases, &figures).expect("all cases run");
    assert_eq!(rows.len(), table.cases.len(), "every case has figures");
    assert!(rows.len() >= 40, "the table has at least 40 cases");
    let mut faults = String::new();
    for row in &rows {
        for one in &row.comparisons {
            let key = one.quantity.key();
            let is_explained = row.case.explained.contains_key(key);
            match (one.is_within_bound(), is_explained) {
                (false, false) => faults += &format!("{}: {key} {one} exceeds its bound\n", row.case.name),
                (true, true) => faults += &format!("{}: {key} {one} needs no explanation\n", row.case.name),
                _ => {}
            }
        }
    }
    assert!(faults.is_empty(), "simulated / kernel:\n{faults}");
    let page = fs::read_to_string(page::path()).expect("the page is there");
    let new = page::render(&page, &figures.kernel, &rows).expect("the page can be rendered");
    assert!(new == page, "docs/src/appendix/linux.md is stale; run: cargo run -p jettison-oracle -- page");
}

#[test]
fn every_run_is_of_the_case_as_it_stands() {
    let table = Table::load().expect("cases.toml is valid");
    let kernel = page::KERNEL;
    let figures = Figures::load(kernel).expect("there are figures");
    for case in &table.cases {
        let runs: Vec<_> = figures.runs.iter().filter(|run| run.case == case.name).collect();
        assert_eq!(runs.len(), table.offsets.len(), "{kernel}, {}: one run per offset", case.name);
        for run in runs {
            assert_eq!(
                run.settings,
                case.settings(),
                "{kernel}, {}: the case has changed; measure it",
                case.name
            );
            assert_eq!(run.measured.unmatched, 0, "{kernel}, {}: packets without arrival", case.name);
            assert!(run.measured.idle > LEAST_IDLE, "{kernel}, {}: the guest was busy", case.name);
        }
    }
}
