use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_report::{Closing, Experiment, Failure, Manifest, Mode, RunKey, Variant, Writer, WriterOptions};
use jettison_scenario::Changes;
use jettison_scenario::build::Builder;
use tempfile::TempDir;

use super::*;
use crate::program::Program;
use crate::rebuild::{Which, rebuild};
use crate::{RunOptions, StorePlace, load, run_scenario};

const TEXT: &str = r#"name = "small"
duration = "4 s"
[nodes]
a = { kind = "host" }
r = { kind = "router" }
b = { kind = "host" }
[links.access]
between = ["a", "r"]
rate = "100 Mbit/s"
[links.bottleneck]
between = ["r", "b"]
rate = "2 Mbit/s"
delay = "5 ms"
queue = "codel"
[flows.viewer]
from = "a"
to = "b"
app = "dash"
[flows.load]
from = "a"
to = "b"
app = "bulk"
"#;

fn program(identity: &str) -> Program {
    Program { commit: Some(identity.to_owned()), identity: identity.to_owned() }
}

/// A stored result of a scenario, made by a program called `one`.
fn stored(text: &str, builder: &Builder) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("small.toml");
    std::fs::write(&file, text).unwrap();
    let scenario = load(&file, None, &Changes::default(), &builder.registries()).unwrap();
    let options = RunOptions {
        out: &folder.path().join("out"),
        force: false,
        jobs: 1,
        pcap: false,
        figures: Vec::new(),
        program: &program("one"),
        store: StorePlace::Nowhere,
        sources: &BTreeMap::new(),
        precision: None,
        cancel: &AtomicBool::new(false),
        progress: &|_| {},
        notice: &|_| {},
        compare: &|_| Vec::new(),
    };
    run_scenario(&scenario, builder, &options).unwrap();
    folder
}

fn rebuilt(folder: &Path, builder: &Builder, by: &str) -> Result<Rebuilt, RebuildError> {
    rebuild(&folder.join("out"), &Which::default(), builder, &BTreeMap::new(), &program(by))
}

fn asked(change: Change) -> Question {
    Question { change, until: None, horizon: None, draws: 0 }
}

#[test]
fn a_flip_goes_on_from_a_fork_as_a_run_with_the_script_from_its_start() {
    let builder = Builder::standard();
    let folder = stored(TEXT, &builder);
    let rebuilt = rebuilt(folder.path(), &builder, "one").unwrap();
    let never = AtomicBool::new(false);
    for decision in [0, 5] {
        let answer = ask(&rebuilt, &asked(Change::Flip { decision }), &builder, &never).unwrap();
        let run = |script: Script| {
            let mut world = rebuilt.world(&builder).unwrap();
            world.set_script(script);
            world.run(rebuilt.end(), &never);
            world.finish().to_bytes().unwrap()
        };
        let [original, changed] = answer.pairs[0].each_ref().map(|record| record.to_bytes().unwrap());
        assert!(original == run(Script::new()));
        assert!(changed == run(Script::new().with(Intervention::Flip { decision })));
        assert!(original != changed);
        assert_eq!((answer.effects.kept, answer.reverted.len()), (1, 1));
        assert_eq!((answer.reverted[0].decision, answer.reverted[0].at), (decision, answer.from));
        let rows = answer.rows();
        assert!(rows[0].viewer && rows[0].flow == "viewer" && rows.iter().any(|row| row.metric == "stalls"));
        assert!(rows.iter().any(|row| !row.viewer && row.flow == "load"));
        assert!(table(&answer, &rebuilt).lines().count() <= 60);
    }
}

#[test]
fn draws_differ_and_share_what_is_before_the_change() {
    let builder = Builder::standard();
    // RED draws.
    let folder = stored(&TEXT.replace("\"codel\"", "\"red\""), &builder);
    let rebuilt = rebuilt(folder.path(), &builder, "one").unwrap();
    let change = Change::Flip { decision: 2 };
    let question = Question { draws: 3, horizon: Some(Duration::from_secs(1)), ..asked(change) };
    let answer = ask(&rebuilt, &question, &builder, &AtomicBool::new(false)).unwrap();
    assert_eq!((answer.pairs.len(), answer.until), (3, answer.from.saturating_add(Duration::from_secs(1))));
    let bytes: Vec<Vec<u8>> = answer.pairs.iter().map(|pair| pair[0].to_bytes().unwrap()).collect();
    assert!(bytes[0] != bytes[1] && bytes[1] != bytes[2]);
    assert!(answer.rows().iter().any(|row| row.ci95.is_some()));
}

#[test]
fn the_run_of_another_program_is_not_repeated() {
    let builder = Builder::standard();
    let folder = stored(TEXT, &builder);
    let said = rebuilt(folder.path(), &builder, "two").unwrap_err().to_string();
    assert!(said.starts_with("another program made ") && said.contains("commit one; this is"), "{said}");
}

#[test]
fn a_discipline_of_another_program_is_named() {
    let mut builder = Builder::standard();
    let entry = jettison_registry::Entry::<jettison_queue::entry::Discipline>::new(
        "mine",
        "Mine",
        |parameters: TailDropParameters, _| {
            Ok(Box::new(TailDrop::new(parameters)) as Box<dyn jettison_queue::QueueDiscipline>)
        },
    );
    builder.disciplines_mut().register(entry);
    let folder = stored(&TEXT.replace("\"codel\"", "\"mine\""), &builder);
    rebuilt(folder.path(), &builder, "one").unwrap();
    let said = rebuilt(folder.path(), &Builder::standard(), "one").unwrap_err().to_string();
    assert!(said.contains("the queue discipline `mine` is not one of this program"), "{said}");
}

#[test]
fn a_live_result_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let experiment = Experiment {
        name: "small".to_owned(),
        description: String::new(),
        mode: Mode::Live,
        duration: Duration::from_secs(1),
        warm_up: Duration::ZERO,
        variants: vec![Variant { name: "base".to_owned(), labels: Default::default(), baseline: None }],
        seeds: vec![1],
        inputs: Vec::new(),
        bottleneck: None,
        report: Default::default(),
        figures: Vec::new(),
        styles: Default::default(),
        configuration: String::new(),
    };
    let mut writer =
        Writer::create(&folder.path().join("out"), experiment, WriterOptions::default()).unwrap();
    let key = RunKey { variant: "base".to_owned(), seed: 1 };
    writer.add_failure(&key, Failure { at: None, what: "made up".to_owned(), status: None }).unwrap();
    let manifest: Manifest = writer.finish(Closing::default()).unwrap().manifest;
    assert_eq!(manifest.experiment.mode, Mode::Live);
    let said = rebuilt(folder.path(), &Builder::standard(), "one").unwrap_err().to_string();
    assert!(said.contains("was measured live, which cannot be repeated"), "{said}");
}
