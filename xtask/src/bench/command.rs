//! Command `bench`: selects benchmarks, runs them and prints the results.

use std::process::ExitCode;

use super::{Better, Measured, select};
use crate::output::{Failure, print, print_record};

/// Runs the benchmarks; exit status 1 if one misses its target.
pub fn bench(names: &[String], json: bool, list: bool) -> Result<ExitCode, Failure> {
    let benchmarks = select(names).map_err(Failure::Message)?;
    let mut missed = false;
    for benchmark in &benchmarks {
        if list && json {
            print_record(&benchmark.record())?;
            continue;
        }
        if list {
            print(&format!("{:<34} {}", benchmark.name, benchmark.group))?;
            continue;
        }
        let measured =
            benchmark.run().map_err(|error| Failure::Message(format!("{}: {error}", benchmark.name)))?;
        missed |= !measured.meets_target();
        if json {
            print_record(&measured)?;
            continue;
        }
        print(&line(&measured))?;
    }
    Ok(ExitCode::from(u8::from(missed)))
}

/// Formats a result with its target and notes.
fn line(measured: &Measured) -> String {
    let value = match measured.value {
        Some(ratio) if ratio < 10.0 => format!("{ratio:.3}"),
        Some(value) => format!("{value:.1}"),
        None => "-".to_owned(),
    };
    let mut line = format!("{:<34} {value:>12} {}", measured.name, measured.unit);
    if let Some(required) = measured.required {
        let bound = if measured.better == Better::Higher { "at least" } else { "at most" };
        line += &format!("  ({bound} {required})");
    }
    if let Some(instructions) = measured.instructions {
        line += &format!("  {instructions:.1} instructions");
    }
    if let Some(note) = &measured.note {
        line += &format!("  {note}");
    }
    if !measured.meets_target() {
        line += "  MISSED";
    }
    line
}
