//! Stored results: a folder of which one file is changed in any way is read, and its page rendered, or refused, without a panic.

#![no_main]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::sync::atomic::AtomicBool;

use arbitrary::Arbitrary;
use jettison_core::Time;
use jettison_report::{Closing, Experiment, Mode, Results, RunKey, Variant, Writer, WriterOptions, html};
use jettison_scenario::build::{BuildOptions, Builder};
use jettison_scenario::{Changes, NoFiles, Scenario};
use libfuzzer_sys::fuzz_target;

/// What is done to a file.
#[derive(Debug, Arbitrary)]
enum Change {
    /// Other contents.
    Replace(Vec<u8>),
    /// Bytes XORed, at a place in 1/65,536 of the file's length.
    Patch(Vec<(u16, u8)>),
    /// Shortened to so many parts.
    Cut(u16),
    Remove,
}

const SCENARIO: &str = r#"
name = "fuzz/small"
duration = "2 s"
warm_up = "0 s"

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.bottleneck]
between = ["a", "b"]
rate = "1 Mbit/s"
delay = "10 ms"
queue = "codel"

[flows.bulk]
from = "a"
to = "b"
transport = "tcp"
app = { kind = "bulk" }
"#;

/// A folder of results, and the files in it with their contents.
struct Stored {
    _temporary: tempfile::TempDir,
    folder: PathBuf,
    files: Vec<(PathBuf, Vec<u8>)>,
}

static STORED: LazyLock<Stored> = LazyLock::new(|| {
    let temporary = tempfile::tempdir().expect("a temporary folder");
    let folder = temporary.path().join("results");
    let builder = Builder::standard();
    let changes = Changes { set: Vec::new(), quick: false };
    let scenario = match Scenario::parse(SCENARIO, "fuzz.toml", &NoFiles, &changes, &builder.registries()) {
        Ok(scenario) => scenario,
        Err(error) => panic!("{error}"),
    };
    let settings = &scenario.variants[0].settings;
    let experiment = Experiment {
        name: scenario.name.clone(),
        description: String::new(),
        mode: Mode::Simulated,
        duration: settings.duration,
        warm_up: settings.warm_up,
        variants: vec![Variant {
            name: scenario.variants[0].name.clone(),
            labels: scenario.variants[0].labels.clone(),
            baseline: None,
        }],
        seeds: vec![1, 2],
        inputs: Vec::new(),
        bottleneck: None,
        figures: Vec::new(),
        styles: Default::default(),
        report: Default::default(),
        configuration: scenario.variants[0].effective_toml(),
    };
    let mut writer =
        Writer::create(&folder, experiment, WriterOptions::default()).expect("the folder can be written");
    for seed in [1, 2] {
        let built = builder.build(settings, &scenario.contents, seed, &BuildOptions::default());
        let Ok(mut world) = built else { panic!("the scenario can be built") };
        world.run(Time::ZERO + settings.duration, &AtomicBool::new(false));
        let key = RunKey { variant: scenario.variants[0].name.clone(), seed };
        writer.add_run(&key, &world.finish()).expect("the folder can be written");
    }
    writer.finish(Closing::default()).expect("the folder can be written");
    without_hashes(&folder.join("manifest.json"));
    let mut files: Vec<(PathBuf, Vec<u8>)> = fs::read_dir(&folder)
        .expect("it exists")
        .map(|entry| entry.expect("it can be listed").path())
        // Written, but not read.
        .filter(|path| path.is_file() && path.extension().is_some_and(|extension| extension != "html"))
        .map(|path| {
            let contents = fs::read(&path).expect("it can be read");
            (path, contents)
        })
        .collect();
    files.sort();
    assert!(files.len() >= 5, "{files:?}");
    let results = Results::load(&folder).expect("unchanged results");
    html::render(&results).expect("unchanged results");
    Stored { _temporary: temporary, folder, files }
});

/// Makes the manifest one of the format without hashes: those would keep all changes from the readers.
fn without_hashes(path: &Path) {
    let text = fs::read(path).expect("it was written");
    let mut manifest: serde_json::Value = serde_json::from_slice(&text).expect("it was written as JSON");
    manifest["format"] = 1.into();
    for key in ["files", "seal"] {
        manifest.as_object_mut().expect("it is an object").remove(key);
    }
    fs::write(path, manifest.to_string()).expect("the folder can be written");
}

fuzz_target!(|input: (u8, Change)| {
    let (which, change) = input;
    let Stored { folder, files, .. } = &*STORED;
    let (path, contents) = &files[usize::from(which) % files.len()];
    let place = |at: u16| (usize::from(at) * contents.len()) >> 16;
    let changed = match change {
        Change::Replace(bytes) => Some(bytes),
        Change::Patch(patches) => {
            let mut bytes = contents.clone();
            for (at, change) in patches {
                if let Some(byte) = bytes.get_mut(place(at)) {
                    *byte ^= change;
                }
            }
            Some(bytes)
        }
        Change::Cut(at) => Some(contents[..place(at)].to_vec()),
        Change::Remove => None,
    };
    match changed {
        Some(bytes) => fs::write(path, bytes).expect("it can be written"),
        None => fs::remove_file(path).expect("it exists"),
    }
    if let Ok(results) = Results::load(folder) {
        let _ = results.records().count();
        let _ = html::render(&results);
    }
    fs::write(path, contents).expect("it can be written");
});
