//! `jettison p4 test`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::{FileId, Sources};
use jettison_p4_front::syntax::Options;
use jettison_p4_v1model::stf::{self, Case};

use super::{add, compile, count, options, rendered};
use crate::options::PreprocessorArguments;
use crate::output::{Failure, print, print_styled};

/// Runs tests; exit status 1 if one fails, 2 if a program or test is malformed.
pub fn test(
    files: &[PathBuf],
    junit: Option<&Path>,
    preprocessor: &PreprocessorArguments,
) -> Result<ExitCode, Failure> {
    let options = options(preprocessor)?;
    let mut run = Run { options, cases: Vec::new(), malformed: false };
    for suite in suites(files)? {
        run.suite(&suite)?;
    }
    let Run { cases, malformed, .. } = run;
    let failed = cases.iter().filter(|case| !case.passed()).count();
    print(format_args!(
        "{}: {} passed, {failed} failed\n",
        count(cases.len(), "test"),
        cases.len() - failed
    ))?;
    if let Some(file) = junit {
        std::fs::write(file, stf::junit(&cases))
            .map_err(|error| Failure::of(format!("{}: cannot write: {error}", file.display())))?;
    }
    Ok(match (malformed, failed) {
        (true, _) => ExitCode::from(2),
        (false, 0) => ExitCode::SUCCESS,
        (false, _) => ExitCode::FAILURE,
    })
}

/// A program and its tests.
struct Suite {
    program: PathBuf,
    tests: Vec<PathBuf>,
}

/// Groups the arguments. A program is tested by the tests that follow it, or else by the test of the same name. A
/// folder means all programs in it, recursively, that have a test of the same name beside them.
fn suites(files: &[PathBuf]) -> Result<Vec<Suite>, Failure> {
    let mut suites: Vec<Suite> = Vec::new();
    let mut open = false;
    for file in files {
        if file.is_dir() {
            let mut found = Vec::new();
            pairs(file, &mut found)?;
            if found.is_empty() {
                let message = "has no test; a test is a file NAME.stf beside a program NAME.p4";
                return Err(Failure::of(format!("{} {message}", file.display())));
            }
            suites.extend(found);
            open = false;
        } else if file.extension().is_some_and(|extension| extension == "stf") {
            match suites.last_mut() {
                Some(suite) if open => suite.tests.push(file.clone()),
                _ => suites.push(Suite { program: file.with_extension("p4"), tests: vec![file.clone()] }),
            }
        } else {
            suites.push(Suite { program: file.clone(), tests: Vec::new() });
            open = true;
        }
    }
    for suite in &mut suites {
        if suite.tests.is_empty() {
            suite.tests.push(suite.program.with_extension("stf"));
        }
    }
    Ok(suites)
}

fn pairs(folder: &Path, found: &mut Vec<Suite>) -> Result<(), Failure> {
    let failed =
        |error: std::io::Error| Failure::of(format!("{}: cannot read the folder: {error}", folder.display()));
    let entries: Result<Vec<_>, _> = std::fs::read_dir(folder).map_err(failed)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(failed)?.iter().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        let is_link = path.symlink_metadata().is_ok_and(|about| about.is_symlink());
        if path.is_dir() && !is_link {
            pairs(&path, found)?;
        } else if path.extension().is_some_and(|extension| extension == "stf") {
            let program = path.with_extension("p4");
            if program.is_file() {
                found.push(Suite { program, tests: vec![path] });
            }
        }
    }
    Ok(())
}

/// State of a test run.
struct Run {
    options: Options,
    cases: Vec<Case>,
    malformed: bool,
}

impl Run {
    fn suite(&mut self, suite: &Suite) -> Result<(), Failure> {
        let mut sources = Sources::default();
        let main = add(&mut sources, &suite.program, "a program")?;
        let mut tests = Vec::new();
        for test in &suite.tests {
            tests.push((test.display().to_string(), add(&mut sources, test, "a packet test")?));
        }
        let program = suite.program.display().to_string();
        match compile(&mut sources, main, &self.options) {
            Ok((compiled, _)) => tests
                .iter()
                .try_for_each(|(name, test)| self.test(&program, name, *test, &compiled, &sources)),
            Err(errors) => {
                tests.iter().try_for_each(|(name, _)| self.broken(&program, name, &errors, &sources))
            }
        }
    }

    fn test(
        &mut self,
        program: &str,
        name: &str,
        test: FileId,
        compiled: &Arc<Program>,
        sources: &Sources,
    ) -> Result<(), Failure> {
        let script = match stf::parse(sources, test).and_then(|parsed| stf::resolve(&parsed, compiled)) {
            Ok(script) => script,
            Err(errors) => return self.broken(program, name, &errors, sources),
        };
        let outcome = stf::run(compiled, &script, Compiled::new(compiled.clone()));
        self.done(Case::of(program, name, &outcome, sources))
    }

    /// Reports a malformed program or test.
    fn broken(
        &mut self,
        program: &str,
        name: &str,
        errors: &[Diagnostic],
        sources: &Sources,
    ) -> Result<(), Failure> {
        self.malformed = true;
        print_styled(&rendered(errors, sources));
        let lines: Vec<String> =
            errors.iter().filter(|error| error.is_error()).map(|error| error.one_line(sources)).collect();
        self.done(Case {
            program: program.to_owned(),
            name: name.to_owned(),
            failure: Some(lines.join("\n")),
        })
    }

    fn done(&mut self, case: Case) -> Result<(), Failure> {
        print(format_args!("{case}\n"))?;
        self.cases.push(case);
        Ok(())
    }
}
