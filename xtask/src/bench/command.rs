//! The command `bench`: chooses the benchmarks, runs them and prints their figures.

use std::process::ExitCode;

use super::{Better, Measured, select};
use crate::output::{Failure, print, print_record};

/// Measures; exit status 1 if a figure falls short.
pub fn bench(names: &[String], json: bool, list: bool) -> Result<ExitCode, Failure> {
    let benchmarks = select(names).map_err(Failure::Message)?;
    let mut short = false;
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
        short |= !measured.suffices();
        if json {
            print_record(&measured)?;
            continue;
        }
        print(&line(&measured))?;
    }
    Ok(ExitCode::from(u8::from(short)))
}

/// A figure, what is required of it, and what was counted beside it.
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
    if !measured.suffices() {
        line += "  FALLS SHORT";
    }
    line
}
