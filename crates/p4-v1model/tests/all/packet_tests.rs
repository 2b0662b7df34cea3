//! Every packet test of `tests/stf`, on both machines: `<feature>/<name>.p4` with `<feature>/<name>.stf` beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jettison_p4_exec::compiled::Compiled;
use jettison_p4_front::diagnostic::Diagnostic;
use jettison_p4_front::source::Sources;
use jettison_p4_front::syntax::Options;
use jettison_p4_oracle::Reference;
use jettison_p4_v1model::stf::{self, Case};

/// Defines one test per folder, and one that all folders are listed.
macro_rules! features {
    ($($test:ident $folder:literal,)*) => {
        $(
            #[test]
            fn $test() {
                passes($folder);
            }
        )*

        #[test]
        fn every_folder_is_run() {
            let mut found: Vec<String> = fs::read_dir(root())
                .expect("the folder is beside this file")
                .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
                .collect();
            found.sort();
            assert_eq!(found, [$($folder),*]);
        }
    };
}

features! {
    actions "actions",
    annotations "annotations",
    arithmetic "arithmetic",
    checksums "checksums",
    clone "clone",
    controls "controls",
    corners "corners",
    counters "counters",
    declarations "declarations",
    digest "digest",
    enums "enums",
    expressions "expressions",
    for_loops "for",
    functions "functions",
    generics "generics",
    hash "hash",
    headers "headers",
    messages "messages",
    metadata "metadata",
    meters "meters",
    multicast "multicast",
    names "names",
    old_forms "old_forms",
    packet_tests "packet_tests",
    parsers "parsers",
    preprocessor "preprocessor",
    programs "programs",
    psa "psa",
    random "random",
    recirculate "recirculate",
    registers "registers",
    resubmit "resubmit",
    semantics "semantics",
    stacks "stacks",
    structs "structs",
    switch "switch",
    tables "tables",
    truncate "truncate",
    unions "unions",
    varbit "varbit",
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stf")
}

/// Runs the tests of a folder; the message lists those that fail.
fn passes(folder: &str) {
    let mut tests: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .expect("a listed folder exists")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "stf"))
        .collect();
    tests.sort();
    assert!(!tests.is_empty(), "{folder} has no tests");
    let cases: Vec<Case> = tests.iter().flat_map(|test| run(test)).collect();
    let failed: Vec<String> = cases.iter().filter(|case| !case.passed()).map(Case::to_string).collect();
    assert!(failed.is_empty(), "{} of {} failed:\n{}", failed.len(), cases.len(), failed.join("\n"));
}

fn run(test: &Path) -> Vec<Case> {
    let program = test.with_extension("p4");
    let shown = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    let (program_name, test_name) = (shown(&program), shown(test));
    let read =
        |path: &Path| fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut sources = Sources::default();
    let main = sources.add(program.display().to_string(), read(&program));
    let file = sources.add(test.display().to_string(), read(test));
    let broken = |errors: Vec<Diagnostic>, sources: &Sources| {
        let failure = errors.iter().map(|error| error.render(sources, false)).collect();
        vec![Case { program: program_name.clone(), name: test_name.clone(), failure: Some(failure) }]
    };
    let compiled = match jettison_p4_front::compile(&mut sources, main, &Options::default()) {
        Ok((program, _)) => Arc::new(program),
        Err(errors) => return broken(errors, &sources),
    };
    let script = match stf::parse(&sources, file).and_then(|parsed| stf::resolve(&parsed, &compiled)) {
        Ok(script) => script,
        Err(errors) => return broken(errors, &sources),
    };
    let fast = stf::run(&compiled, &script, Compiled::new(compiled.clone()));
    let exact = stf::run(&compiled, &script, Reference::new(compiled.clone()));
    [("compiled", fast), ("reference", exact)]
        .map(|(machine, outcome)| {
            Case::of(&program_name, &format!("{test_name} ({machine})"), &outcome, &sources)
        })
        .into()
}
