//! Both machines held to recordings of BMv2's `simple_switch`: the cases of `tests/bmv2/*.cases`, whose language
//! `tests/bmv2/FORMAT.md` describes. `scripts/bmv2-record.py` makes the recordings.

mod cases;
mod run;
mod spec;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use cases::Case;
use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::ir::TargetModel;
use jettison_p4_oracle::Reference;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bmv2")
}

fn read(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("the file is beside the test")
}

/// The cases of a file, and the program whose slots they fill.
fn load(file: &str) -> (Vec<Case>, String) {
    let cases = cases::parse(&read(&format!("{file}.cases")));
    (cases.unwrap_or_else(|error| panic!("{file}.cases: {error}")), read("base.p4"))
}

/// Runs the cases of a file on both machines. A case must behave as recorded, or be marked as a known difference and
/// still differ.
fn holds(file: &str) {
    let (cases, base) = load(file);
    assert!(cases.len() > 30, "{file}.cases has lost its cases");
    let mut failures = String::new();
    let mut failed = 0;
    for case in &cases {
        let problems = problems(case, &base);
        failed += u32::from(!problems.is_empty());
        failures.push_str(&problems);
    }
    assert!(failures.is_empty(), "{failed} of {} cases:\n{failures}", cases.len());
}

/// What is wrong with a case; empty if nothing is.
fn problems(case: &Case, base: &str) -> String {
    let mut text = String::new();
    let program = match run::compile(case, base, TargetModel::Bmv2) {
        Ok(program) => program,
        // A refusal must be recorded, or be the known difference.
        Err(_) if case.is_refused() == case.differs.is_none() => return text,
        Err(error) => return format!("{}: refused here: {error}\n", case.name),
    };
    let compiled = run::run(case, &program, Compiled::new(program.clone()));
    let reference = run::run(case, &program, Reference::new(program.clone()));
    for (machine, found) in [("compiled", compiled), ("reference", reference)] {
        let same = found == case.recorded;
        match &case.differs {
            Some(_) if same => {
                let _ = writeln!(text, "{}: no longer differs ({machine}); remove its mark", case.name);
            }
            None if !same => {
                let _ = writeln!(text, "{} ({machine}):", case.name);
                let marked = |line: &String, other: &[String]| if other.contains(line) { ' ' } else { '*' };
                for line in &case.recorded {
                    let _ = writeln!(text, "   simple_switch {} {line}", marked(line, &found));
                }
                for line in &found {
                    let _ = writeln!(text, "   here          {} {line}", marked(line, &case.recorded));
                }
            }
            _ => {}
        }
    }
    text
}

/// Defines one test per file, and one that all files are listed.
macro_rules! files {
    ($($name:ident,)*) => {
        $(
            #[test]
            fn $name() {
                holds(stringify!($name));
            }
        )*

        #[test]
        fn every_file_is_run() {
            let mut found: Vec<String> = fs::read_dir(folder())
                .expect("the folder is beside the test")
                .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
                .filter_map(|name| name.strip_suffix(".cases").map(str::to_owned))
                .collect();
            found.sort();
            assert_eq!(found, [$(stringify!($name)),*]);
        }
    };
}

files! {
    expressions,
    externs,
    headers,
    packets,
    parsers,
    stacks,
    statements,
    tables,
}
