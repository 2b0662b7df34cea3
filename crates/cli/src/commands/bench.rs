//! `jettison bench`.

use std::process::ExitCode;

use jettison_run::bench::{Better, Measured, select};

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
            print(format_args!("{:<34} {}\n", benchmark.name, benchmark.group))?;
            continue;
        }
        let measured =
            benchmark.run().map_err(|error| Failure::of(format!("{}: {error}", benchmark.name)))?;
        short |= !measured.suffices();
        if json {
            print_record(&measured)?;
            continue;
        }
        print(format_args!("{}\n", line(&measured)))?;
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
