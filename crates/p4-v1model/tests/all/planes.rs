//! Tests of the programs in `/p4`: they compile without warnings, match their command files, and pass their packet
//! tests on both machines.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::ir::Program;
use jettison_p4_front::source::{FileId, Sources};
use jettison_p4_front::syntax::Options;
use jettison_p4_oracle::Reference;
use jettison_p4_v1model::control;
use jettison_p4_v1model::stf::{self, Case};

#[test]
fn forward() {
    assert_program_passes("forward");
}

#[test]
fn ired() {
    assert_program_passes("ired");
}

#[test]
fn codel() {
    assert_program_passes("codel");
}

#[test]
fn codelpp() {
    assert_program_passes("codelpp");
}

#[test]
fn labels() {
    assert_program_passes("labels");
}

#[test]
fn octopus() {
    assert_program_passes("octopus");
}

#[test]
fn red() {
    assert_program_passes("red");
}

#[test]
fn pi2() {
    assert_program_passes("pi2");
}

#[test]
fn dpm() {
    assert_program_passes("dpm");
}

#[test]
fn fabric() {
    assert_program_passes("fabric");
}

#[test]
fn flow_cache() {
    assert_program_passes("flow_cache");
}

#[test]
fn psa_codel() {
    assert_program_passes("psa/codel");
}

#[test]
fn psa_codelpp() {
    assert_program_passes("psa/codelpp");
}

#[test]
fn psa_ired() {
    assert_program_passes("psa/ired");
}

#[test]
fn psa_octopus() {
    assert_program_passes("psa/octopus");
}

#[test]
fn every_program_of_psa_is_tested_and_every_test_has_its_program() {
    tested("psa/", &["codel", "codelpp", "ired", "octopus"]);
}

#[test]
fn every_program_is_tested_and_every_test_has_its_program() {
    let tested_programs = [
        "codel",
        "codelpp",
        "dpm",
        "fabric",
        "flow_cache",
        "forward",
        "ired",
        "labels",
        "octopus",
        "pi2",
        "red",
    ];
    tested("", &tested_programs);
}

fn tested(folder: &str, tested: &[&str]) {
    let programs: Vec<String> = files(folder, "p4").iter().map(|path| stem(path)).collect();
    assert_eq!(programs, tested);
    let of_tests: BTreeSet<String> = files(&format!("{folder}tests"), "stf")
        .iter()
        .filter_map(|path| Some(stem(path).split_once('-')?.0.to_owned()))
        .collect();
    assert_eq!(of_tests.into_iter().collect::<Vec<_>>(), tested);
}

/// The output of `jettison p4 check --dump` contains names and operators, not Rust types.
#[test]
fn elaborated_programs_are_readable() {
    let mut sources = Sources::default();
    for (name, line) in [
        ("ired", "clone at egress, session (100 + "),
        ("ired", " = random 0 .. "),
        ("forward", "headers#0.ipv4.checksum = csum16 "),
    ] {
        let main = add(&mut sources, &root().join(format!("{name}.p4")));
        let compiled = jettison_p4_front::compile(&mut sources, main, &Options::default());
        let (program, _) = compiled.unwrap_or_else(|errors| panic!("{}", shown(&errors, &sources)));
        let text = program.to_string();
        assert!(text.contains(line), "{line:?} is not in:\n{text}");
        assert!(!text.contains("VarId("), "{text}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../p4")
}

/// Files of a folder with an extension, sorted.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("the folder exists");
    let paths = entries.map(|entry| entry.expect("it can be read").path());
    let mut paths: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file has a name").to_string_lossy().into_owned()
}

fn add(sources: &mut Sources, path: &Path) -> FileId {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    sources.add(path.display().to_string(), text)
}

fn shown(problems: &[Diagnostic], sources: &Sources) -> String {
    problems.iter().map(|problem| problem.render(sources, false)).collect()
}

/// Compiles a program and runs its commands and tests, which are in its folder.
fn assert_program_passes(path: &str) {
    let mut sources = Sources::default();
    let main = add(&mut sources, &root().join(path).with_extension("p4"));
    let (folder, name) = path.split_at(path.rfind('/').map_or(0, |at| at + 1));
    let program = match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
        Ok((program, warnings)) => {
            assert!(warnings.is_empty(), "{}", shown(&warnings, &sources));
            Arc::new(program)
        }
        Err(errors) => panic!("{}", shown(&errors, &sources)),
    };
    let of_it = |path: &PathBuf| {
        let stem = stem(path);
        stem == name || stem.strip_prefix(name).is_some_and(|rest| rest.starts_with('-'))
    };
    for path in files(folder, "commands").iter().filter(|path| of_it(path)) {
        let file = add(&mut sources, path);
        if let Err(errors) = control::parse(&sources, file, &program) {
            panic!("{}", shown(&errors, &sources));
        }
    }
    let tests = files(&format!("{folder}tests"), "stf");
    let cases: Vec<Case> = tests
        .iter()
        .filter(|path| of_it(path))
        .flat_map(|path| run(name, &program, &mut sources, path))
        .collect();
    assert!(!cases.is_empty(), "{name} has no tests");
    let failed: Vec<String> = cases.iter().filter(|case| !case.passed()).map(Case::to_string).collect();
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

/// Runs a packet test on both machines.
fn run(name: &str, program: &Arc<Program>, sources: &mut Sources, test: &Path) -> Vec<Case> {
    let file = add(sources, test);
    let script = match stf::parse(sources, file).and_then(|parsed| stf::resolve(&parsed, program)) {
        Ok(script) => script,
        Err(errors) => panic!("{}", shown(&errors, sources)),
    };
    let fast = stf::run(program, &script, Compiled::new(program.clone()));
    let exact = stf::run(program, &script, Reference::new(program.clone()));
    [("compiled", fast), ("reference", exact)]
        .map(|(machine, outcome)| Case::of(name, &format!("{} ({machine})", stem(test)), &outcome, sources))
        .into()
}
