//! Measures the router and prints the figures: `cargo run --release -p jettison-live --example bench`. With the argument
//! `throughput` or `timing` only those.

use std::process::ExitCode;

use jettison_live::bench::{Required, Spans, run, throughput, timing};

fn main() -> ExitCode {
    let measure = match std::env::args().nth(1).as_deref() {
        None => run,
        Some("throughput") => throughput,
        Some("timing") => timing,
        Some(other) => {
            eprintln!("error: `{other}` is neither `throughput` nor `timing`");
            return ExitCode::from(2);
        }
    };
    let figures = match measure(&Spans::default()) {
        Ok(figures) => figures,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    for figure in &figures {
        let required = match figure.required {
            None => String::new(),
            Some(Required::AtLeast(least)) => format!("at least {least}"),
            Some(Required::AtMost(most)) => format!("at most {most}"),
        };
        let verdict = if figure.is_met() { "" } else { "MISSED" };
        let (name, value, unit, note) = (figure.name, figure.value, figure.unit, &figure.note);
        println!("{name:48} {value:9.3} {unit:12} {required:14} {verdict:6} {note}");
    }
    if figures.iter().all(|figure| figure.is_met()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
