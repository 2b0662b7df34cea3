//! `jettison bench`.

use std::process::ExitCode;

use jettison_run::bench::{Better, select};

use crate::output::{Failure, print, print_record};

/// Measures; exit 1 if a figure falls short.
pub fn bench(names: &[String], json: bool, list: bool) -> Result<ExitCode, Failure> {
    let benchmarks = select(names).map_err(Failure::of)?;
    let mut short = false;
    for benchmark in &benchmarks {
        if list && json {
            print_record(&benchmark.record())?;
            continue;
        }
        if list {
            print(format_args!("{:<24} {}\n", benchmark.name, benchmark.group))?;
            continue;
        }
        let measured =
            benchmark.run().map_err(|error| Failure::of(format!("{}: {error}", benchmark.name)))?;
        short |= !measured.suffices();
        if json {
            print_record(&measured)?;
            continue;
        }
        let required = measured.required.map_or_else(String::new, |required| {
            let bound = if measured.better == Better::Higher { "at least" } else { "at most" };
            let verdict = if measured.suffices() { "" } else { "  FALLS SHORT" };
            format!("  ({bound} {required}){verdict}")
        });
        print(format_args!(
            "{:<24} {:>14.1} {}{required}\n",
            measured.name,
            measured.value.unwrap_or_default(),
            measured.unit
        ))?;
    }
    Ok(ExitCode::from(u8::from(short)))
}
