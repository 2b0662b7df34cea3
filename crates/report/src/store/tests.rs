use std::fs::{self, File};
use std::path::Path;

use super::column::{Cell, RowSink};
use super::drops::each_drop;
use super::folder_name::folder_name;
use super::*;
use crate::error::ReportError;
use crate::model::{Failure, LiveFacts, Mode, RunKey, Status, Timing};
use crate::testing::{self, experiment, record, results, runs};

const VARIANTS: [&str; 3] = ["tail-drop", "codel", "codel-ecn"];

/// Names and bytes of all files below `folder`.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else {
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

fn write_in_order(target: &Path, order: &[usize], timing: Timing) -> Vec<(String, Vec<u8>)> {
    let runs = runs(&VARIANTS, 3);
    let mut writer = Writer::create(target, experiment(&VARIANTS, 3), WriterOptions::default()).unwrap();
    for index in order {
        writer.add_run(&runs[*index].0, &runs[*index].1).unwrap();
    }
    writer.finish(Closing { timing, ..Closing::default() }).unwrap();
    let mut files = files(target);
    files.retain(|(name, _)| name != "timing.json");
    files
}

#[test]
fn bytes_do_not_depend_on_the_order_of_finishing_or_on_timing() {
    let folder = tempfile::tempdir().unwrap();
    let slow = Timing { wall_seconds: 9.0, jobs: 2, ..Timing::default() };
    let first = write_in_order(&folder.path().join("a"), &[0, 1, 2, 3, 4, 5, 6, 7, 8], Timing::default());
    let second = write_in_order(&folder.path().join("b"), &[8, 1, 3, 0, 7, 2, 6, 5, 4], slow);
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "accounts.parquet",
            "differences.parquet",
            "distributions.parquet",
            "drops.parquet",
            "events.parquet",
            "flows.parquet",
            "frames.parquet",
            "manifest.json",
            "queues.parquet",
            "report.html",
            "runs.parquet",
            "summary.json",
            "summary.parquet",
            "warnings.json"
        ]
    );
    for ((name, a), (_, b)) in first.iter().zip(&second) {
        assert!(a == b, "{name} differs");
    }
}

#[test]
fn an_interrupted_experiment_keeps_its_finished_runs_whatever_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let first = write_in_order(&folder.path().join("a"), &[4, 0, 7], Timing::default());
    let second = write_in_order(&folder.path().join("b"), &[7, 4, 0], Timing::default());
    assert!(first == second);
    let results = Results::load(&folder.path().join("a")).unwrap();
    assert_eq!(results.manifest.status, Status::Interrupted);
    let kept: Vec<String> = results.manifest.runs.iter().map(|run| run.key.to_string()).collect();
    assert_eq!(kept, ["tail-drop (seed 1)", "codel (seed 2)", "codel-ecn (seed 2)"]);
}

#[test]
fn stored_results_are_read_back_and_make_the_same_page() {
    let folder = tempfile::tempdir().unwrap();
    let written = results(&folder.path().join("out"));
    assert_eq!(written.manifest.status, Status::Complete);
    let loaded = Results::load(&written.folder).unwrap();
    assert_eq!(loaded, written);
    let page = fs::read(written.report()).unwrap();
    fs::remove_file(written.report()).unwrap();
    assert_eq!(loaded.rebuild_report().unwrap(), written.report());
    assert!(fs::read(written.report()).unwrap() == page);

    let record = record(1, 2);
    let mut points = Vec::new();
    read_series("queues", &loaded.folder, |run, values| {
        if (run.variant, run.seed, run.object, run.metric) == ("codel", 2, "bottleneck.forward", "backlog") {
            points.extend(values);
        }
    })
    .unwrap();
    let series = record.series.iter().find(|s| s.object.index == 1 && s.metric.name == "backlog").unwrap();
    let expected: Vec<(f64, f64)> =
        series.points().unwrap().into_iter().map(|(t, v)| (t.as_secs_f64(), v)).collect();
    assert_eq!(points, expected);

    let mut shares = Vec::new();
    read_distributions(&loaded.folder, |run, values| {
        if (run.variant, run.seed, run.metric) == ("codel", 2, "sojourn")
            && run.object == "bottleneck.forward"
        {
            shares.extend(values);
        }
    })
    .unwrap();
    assert!(shares.len() <= 1000 && shares.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 < w[1].1));
    assert_eq!(shares.last().unwrap().1, 1.0);
}

#[test]
fn only_a_folder_of_ours_is_replaced_without_force() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let create = |force| {
        Writer::create(&target, experiment(&VARIANTS, 1), WriterOptions { force, ..WriterOptions::default() })
    };

    fs::create_dir(&target).unwrap();
    drop(create(false).unwrap()); // empty: may be used
    fs::write(target.join("thesis.tex"), "years of work").unwrap();
    assert!(matches!(create(false), Err(ReportError::Occupied(_))));
    fs::write(target.join("manifest.json"), r#"{"program": "something else"}"#).unwrap();
    assert!(matches!(create(false), Err(ReportError::Occupied(_))));
    assert_eq!(fs::read(target.join("thesis.tex")).unwrap(), b"years of work");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    create(true).unwrap().finish(Closing::default()).unwrap();
    assert!(!target.join("thesis.tex").exists() && target.join("manifest.json").exists());
    fs::write(target.join("left-over.pcapng"), "").unwrap();
    create(false).unwrap().finish(Closing::default()).unwrap();
    assert!(!target.join("left-over.pcapng").exists());
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

    let file = target.join("manifest.json");
    let error = Writer::create(
        &file,
        experiment(&VARIANTS, 1),
        WriterOptions { force: true, ..WriterOptions::default() },
    );
    assert!(matches!(error, Err(ReportError::NotAFolder(_))));
    let here = Writer::create(
        Path::new("."),
        experiment(&VARIANTS, 1),
        WriterOptions { force: true, ..WriterOptions::default() },
    );
    assert!(matches!(here, Err(ReportError::HoldsWorkingFolder(_))));
}

#[test]
fn old_results_stay_until_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    results(&target);
    let before = files(&target);
    let mut writer = Writer::create(&target, experiment(&["other"], 1), WriterOptions::default()).unwrap();
    writer.add_run(&RunKey { variant: "other".to_owned(), seed: 1 }, &record(0, 1)).unwrap();
    assert!(files(&target) == before);
    drop(writer);
    assert!(files(&target) == before);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the temporary folder is gone");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_one_error_and_leaves_nothing() {
    fn full_for_flows(path: &Path) -> std::io::Result<File> {
        match path.file_name() {
            Some(name) if name == "flows.parquet" => File::options().write(true).open("/dev/full"),
            _ => File::create(path),
        }
    }
    fn full_for_page(path: &Path) -> std::io::Result<File> {
        match path.file_name() {
            Some(name) if name == "report.html" => File::options().write(true).open("/dev/full"),
            _ => File::create(path),
        }
    }
    for (open, name) in [(full_for_flows as fn(&Path) -> _, "flows.parquet"), (full_for_page, "report.html")]
    {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("out");
        let written = Writer::create_with(
            &target,
            experiment(&VARIANTS, 3),
            WriterOptions::default(),
            table::OpenFile(open),
        )
        .and_then(|mut writer| {
            runs(&VARIANTS, 3).iter().try_for_each(|(key, record)| writer.add_run(key, record))?;
            writer.finish(Closing::default())
        });
        let error = written.unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("free some space"), "{error}");
        assert!(!error.contains(".jettison-"), "the message names the folder that was asked for: {error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

#[test]
fn an_unknown_or_repeated_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut writer =
        Writer::create(&folder.path().join("out"), experiment(&["a"], 1), WriterOptions::default()).unwrap();
    let key = |variant: &str, seed| RunKey { variant: variant.to_owned(), seed };
    writer.add_run(&key("a", 1), &record(0, 1)).unwrap();
    for key in [key("a", 1), key("a", 2), key("b", 1)] {
        assert!(matches!(writer.add_run(&key, &record(0, 1)), Err(ReportError::UnexpectedRun(_))));
    }
}

#[test]
fn errors_of_damaged_results_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Results::load(folder.path()), Err(ReportError::NotOurs(_))));
    let target = folder.path().join("out");
    for name in ["queues.parquet", "runs.parquet", "distributions.parquet"] {
        results(&target);
        let bytes = fs::read(target.join(name)).unwrap();
        fs::write(target.join(name), &bytes[..bytes.len() / 2]).unwrap();
        let error = Results::load(&target).unwrap_err().to_string();
        assert!(error.contains(name) && error.contains("run the experiment again"), "{error}");
        fs::remove_file(target.join(name)).unwrap();
        let error = Results::load(&target).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
    }
    let manifest = fs::read_to_string(target.join("manifest.json")).unwrap();
    results(&target);
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut other = manifest.as_object().unwrap().clone();
    other.insert("format".to_owned(), 99.into());
    other.shift_remove("seal");
    fs::write(target.join("manifest.json"), seal::sealed_json(&other).unwrap()).unwrap();
    let error = Results::load(&target).unwrap_err().to_string();
    assert!(error.contains("layout version must be 1 to 2, got 99"), "{error}");
}

#[test]
fn captures_end_up_in_the_results() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let mut writer = Writer::create(&target, experiment(&["a/b"], 1), WriterOptions::default()).unwrap();
    let key = RunKey { variant: "a/b".to_owned(), seed: 1 };
    writer.captures().create(&key, "r:bottleneck", 96).unwrap().finish().unwrap();
    writer.add_run(&key, &record(0, 1)).unwrap();
    writer.finish(Closing::default()).unwrap();
    let (variant, port) = (folder_name("a/b"), folder_name("r:bottleneck"));
    assert!(variant.starts_with("a_b~") && port.starts_with("r_bottleneck~"), "{variant} {port}");
    let capture = target.join("pcap").join(variant).join("1").join(format!("{port}.pcapng"));
    assert!(capture.metadata().unwrap().len() > 28);
}

#[test]
fn a_writer_may_be_shared_between_threads() {
    fn is_send<T: Send>() {}
    is_send::<Writer>();
    is_send::<Captures>();
}

/// The tables of the results, with their contents.
const TABLES: [&schema::TableSchema; 6] = [
    &schema::QUEUES,
    &schema::FLOWS,
    &schema::DROPS,
    &schema::DISTRIBUTIONS,
    &schema::RUNS,
    &schema::SUMMARY,
];

#[test]
fn every_table_and_record_has_the_mode() {
    let folder = tempfile::tempdir().unwrap();
    let (sim, live) = (results(&folder.path().join("sim")), testing::live(&folder.path().join("live")));
    for (results, mode) in [(&sim, "sim"), (&live, "live")] {
        for table in TABLES {
            let last = table.columns.len() - 1;
            let mut rows = 0;
            for batch in table::TableReader::open(table, &results.folder).unwrap() {
                let batch = batch.unwrap();
                rows += batch.len();
                assert!((0..batch.len()).all(|row| batch.text(last, row) == mode), "{}", table.name);
            }
            assert!(rows > 0, "{} is empty", table.name);
        }
        let manifest = fs::read_to_string(results.folder.join("manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"mode\": \"{mode}\"")));
        let records = fs::read_to_string(results.folder.join("summary.json")).unwrap();
        let modes = records.matches(&format!("\"scenario\":\"test/made-up\",\"mode\":\"{mode}\"")).count();
        assert_eq!(modes, results.summary.rows.len());
    }
    assert!(!fs::read_to_string(sim.folder.join("manifest.json")).unwrap().contains("\"failures\""));
}

/// Makes the manifest one of the first layout.
fn remove_hashes(folder: &Path) {
    let path = folder.join("manifest.json");
    let manifest = fs::read_to_string(&path).unwrap().replace("\"format\": 2", "\"format\": 1");
    let hashes = manifest.find(",\n  \"files\"").unwrap();
    fs::write(&path, format!("{}\n}}\n", &manifest[..hashes])).unwrap();
}

#[test]
fn results_of_versions_that_did_not_know_packets_load_and_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let written = results(&folder.path().join("out"));
    assert!(written.remarks.is_empty());
    let (old, other) = (&schema::DROPS_WITHOUT_IDENTITIES, folder.path().join("old"));
    fs::create_dir_all(&other).unwrap();
    let open = table::OpenFile(|path| File::create(path));
    let mut writer = table::TableWriter::create(old, &other, &other, open).unwrap();
    let mode = schema::DROPS.columns.len() - 1;
    for batch in table::TableReader::open(&schema::DROPS, &written.folder).unwrap() {
        let batch = batch.unwrap();
        for row in 0..batch.len() {
            let cells: Vec<_> = (0..7).chain([mode]).map(|column| batch.cell(column, row)).collect();
            writer.row(&cells).unwrap();
        }
    }
    writer.finish().unwrap();
    fs::rename(other.join(old.file()), written.folder.join(old.file())).unwrap();
    remove_hashes(&written.folder);
    let loaded = Results::load(&written.folder).unwrap();
    assert!(loaded.remarks[1].ends_with(
        "drops.parquet was written by an earlier version of Jettison and does not say what packets carried"
    ));
    assert_eq!(loaded.runs, written.runs);
    loaded.rebuild_report().unwrap();
    let reader = table::TableReader::open(&schema::DROPS, &written.folder).unwrap();
    assert!(!reader.has("id"));
    let error = loaded.drops(&loaded.runs[0].key, |_| ()).unwrap_err().to_string();
    assert!(error.contains("do not say what packets carried"), "{error}");
    assert!(reader.map(|rows| rows.unwrap().len()).sum::<usize>() > 0);
}

#[test]
fn a_drop_is_stored_with_its_packet_and_its_queue() {
    use jettison_core::{DropReason, Duration, MarkReason, Time};
    use jettison_measure::{Content, Decision, GaugeKey, Identity, Outcome, QueueState, Unit, UnitKind};
    use jettison_wire::{FlowId, Instance};
    let gauge = |part, value| (GaugeKey { name: "codel_count", part }, value);
    let state = QueueState {
        packets: 44,
        bytes: 60_000,
        holders: vec![(FlowId(0), 40), (FlowId::NONE, 1)],
        others: 3,
        gauges: vec![gauge("", 2.0), gauge("band.1", 0.5)],
    };
    let unit = Unit::new(UnitKind::Segment, 7, 2).of(FlowId(0));
    let content =
        Content { unit: Some(unit), offset: 9, length: 1_000, retransmission: true, previous: Some(80) };
    let identity = Identity {
        packet: 90,
        instance: Instance::Normal,
        content: Some(content),
        waited: Some(Duration::from_millis(30)),
        queue: Some(state),
    };
    let dropped = Decision {
        id: 5,
        time: Time::from_millis(70),
        queue: 0,
        flow: FlowId(0),
        outcome: Outcome::Evicted(DropReason::CoDel),
        length: 1_052,
        identity: Some(identity),
    };
    let mark =
        Decision { id: 6, outcome: Outcome::Marked(MarkReason::ALL[0]), identity: None, ..dropped.clone() };
    let mut runs = runs(&VARIANTS[..1], 1);
    runs[0].1.drops = [dropped, mark].into_iter().collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out");
    let mut writer = Writer::create(&path, experiment(&VARIANTS[..1], 1), WriterOptions::default()).unwrap();
    writer.add_run(&runs[0].0, &runs[0].1).unwrap();
    writer.finish(Closing::default()).unwrap();
    let mut reader = table::TableReader::open(&schema::DROPS, &path).unwrap();
    let rows = reader.next().unwrap().unwrap();
    let row = |row| -> Vec<_> { (2..schema::DROPS.columns.len() - 1).map(|at| rows.cell(at, row)).collect() };
    let (text, number) = (Cell::Text, |value| Cell::Optional(Some(value)));
    let expected = [
        Cell::Signed(70_000_000),
        text("access.forward"),
        text("bulk"),
        text("codel"),
        Cell::Unsigned(1_052),
        Cell::Unsigned(5),
        text("eviction"),
        number(90),
        text(""),
        text("segment"),
        number(7),
        number(2),
        number(9),
        number(1),
        number(80),
        number(30_000_000),
        number(44),
        number(60_000),
        text("bulk 40, other traffic 1, other flows 3"),
        text("codel_count=2 codel_count[band.1]=0.5"),
    ];
    assert_eq!(row(0), expected);
    drop(reader);
    let mut drops = Vec::new();
    each_drop(&path, |_, seed| seed == runs[0].0.seed, |run, row| drops.push((run, row))).unwrap();
    assert_eq!(drops.len(), 2);
    assert_eq!(drops[0].0, runs[0].0);
    let first = &drops[0].1;
    assert_eq!(first.unit, Some(("segment".to_owned(), 7, 2)));
    assert_eq!(
        (first.retransmission, first.previous, first.backlog),
        (Some(true), Some(80), Some((44, 60_000)))
    );
    let holders = [("bulk", 40), ("other traffic", 1), ("other flows", 3)];
    assert_eq!(first.holders, holders.map(|(name, count)| (name.to_owned(), count)));
    let gauges = [("codel_count", 2.0), ("codel_count[band.1]", 0.5)];
    assert_eq!(first.gauges, gauges.map(|(name, value)| (name.to_owned(), value)));
    assert_eq!((drops[1].1.packet, &drops[1].1.unit, drops[1].1.holders.len()), (None, &None, 0));
    let bare = row(1);
    assert_eq!((bare[5], bare[6], bare[7]), (Cell::Unsigned(6), text("mark"), Cell::Optional(None)));
    assert_eq!((bare[16], bare[19]), (Cell::Optional(None), text("")));
}

#[test]
fn results_without_a_mode_are_simulated() {
    let folder = tempfile::tempdir().unwrap();
    let written = results(&folder.path().join("out"));
    for table in TABLES {
        let old = table.without_mode();
        let other = folder.path().join("old");
        fs::create_dir_all(&other).unwrap();
        let open = table::OpenFile(|path| File::create(path));
        let mut writer = table::TableWriter::create(&old, &other, &other, open).unwrap();
        for batch in table::TableReader::open(table, &written.folder).unwrap() {
            let batch = batch.unwrap();
            for row in 0..batch.len() {
                let cells: Vec<_> = (0..old.columns.len()).map(|column| batch.cell(column, row)).collect();
                writer.row(&cells).unwrap();
            }
        }
        writer.finish().unwrap();
        fs::rename(other.join(table.file()), written.folder.join(table.file())).unwrap();
    }
    let path = written.folder.join("manifest.json");
    let manifest = fs::read_to_string(&path).unwrap();
    fs::write(&path, manifest.replace("  \"mode\": \"sim\",\n", "")).unwrap();
    remove_hashes(&written.folder);
    assert!(!fs::read_to_string(&path).unwrap().contains("mode"));
    let loaded = Results::load(&written.folder).unwrap();
    assert_eq!(loaded.manifest.experiment.mode, Mode::Simulated);
    assert!(loaded.remarks[0].ends_with("has no hashes, so damage is not noticed"), "{:?}", loaded.remarks);
    assert!(matches!(verify(&written.folder), Err(ReportError::NoHashes(_))));
    let mut expected = written.clone();
    expected.manifest.format = 1;
    expected.manifest.files.clear();
    expected.remarks = loaded.remarks.clone();
    assert_eq!(loaded, expected);
    let page = fs::read(written.report()).unwrap();
    loaded.rebuild_report().unwrap();
    assert!(fs::read(written.report()).unwrap() == page);
}

#[test]
fn conditions_and_failures_are_stored_in_the_order_of_the_experiment() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let results = testing::live(&target);
    assert_eq!(Results::load(&target).unwrap(), results);
    assert_eq!(results.manifest.status, Status::Failed);
    let live: Vec<String> = results.manifest.live.iter().map(|entry| entry.key.to_string()).collect();
    assert_eq!(live, ["tail-drop (seed 1)", "tail-drop (seed 2)", "codel (seed 1)"]);
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(target.join("manifest.json")).unwrap()).unwrap();
    assert_eq!(manifest["status"], "failed");
    assert_eq!(
        manifest["failures"],
        serde_json::json!([
            { "variant": "tail-drop", "seed": 2, "at": null, "what": "`iperf3` ended with status 1" },
            { "variant": "codel", "seed": 2, "at": 3.25, "what": "the router was killed by SIGKILL" }
        ])
    );
    assert_eq!(
        manifest["live"][0],
        serde_json::json!({
            "variant": "tail-drop", "seed": 1, "scheduling": "SCHED_FIFO 50", "offload": "checksums",
            "kernel": "6.18.5", "notes": ["two cores"]
        })
    );
}

#[test]
fn logs_are_part_of_the_results_without_empty_folders() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    testing::live(&target);
    let logs = ["codel/1", "tail-drop/1", "tail-drop/2"].map(|run| format!("logs/{run}/iperf3 #1.log"));
    let stored = stored_logs(&target);
    assert_eq!(stored.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>(), logs);
    assert_eq!(fs::read(target.join(&logs[2])).unwrap(), b"connected 2\n");
    assert!(!target.join("logs/codel/2").exists() && !target.join("logs/codel/1/empty").exists());
    testing::failed(&target);
    assert!(!target.join("logs").exists());
}

#[test]
fn notes_on_unknown_runs_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let mut writer = Writer::create(&target, experiment(&["a"], 1), WriterOptions::default()).unwrap();
    let key = RunKey { variant: "a".to_owned(), seed: 2 };
    let failure = Failure { at: None, what: String::new(), status: None };
    assert!(matches!(writer.add_failure(&key, failure), Err(ReportError::UnknownRun(_))));
    assert!(matches!(writer.add_live(&key, LiveFacts::default()), Err(ReportError::UnknownRun(_))));
    assert!(matches!(writer.logs(&key), Err(ReportError::UnknownRun(_))));
}

#[test]
fn the_manifest_names_the_commit_only_if_known() {
    let folder = tempfile::tempdir().unwrap();
    for commit in [Some("0123456789ab".to_owned()), None] {
        let options = WriterOptions { commit: commit.clone(), ..WriterOptions::default() };
        let target = folder.path().join(commit.as_deref().unwrap_or("none"));
        let written = Writer::create(&target, experiment(&["a"], 1), options).unwrap();
        let written = written.finish(Closing::default()).unwrap();
        assert_eq!(written.manifest.commit, commit);
        let text = std::fs::read_to_string(target.join("manifest.json")).unwrap();
        let manifest: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(manifest.get("commit").and_then(|commit| commit.as_str()), commit.as_deref());
        let memory = MemoryWriter::create(experiment(&["a"], 1), commit.clone());
        assert_eq!(memory.finish(Closing::default()).unwrap().manifest.commit, commit);
        assert_eq!(Results::load(&target).unwrap().manifest.commit, commit);
    }
}

/// Results of two variants with two seeds.
pub(super) fn in_memory() -> MemoryResults {
    let mut memory = MemoryWriter::create(experiment(&VARIANTS, 2), None);
    for (key, record) in &runs(&VARIANTS, 2) {
        memory.add_run(key, record).unwrap();
    }
    memory.finish(Closing::default()).unwrap()
}

#[test]
fn results_in_memory_equal_those_in_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    let runs = runs(&VARIANTS, 2);
    let mut writer =
        Writer::create(&folder.path().join("a"), experiment(&VARIANTS, 2), WriterOptions::default()).unwrap();
    for (key, record) in &runs {
        writer.add_run(key, record).unwrap();
    }
    let written = writer.finish(Closing::default()).unwrap();
    let kept = in_memory();
    let without_files = crate::model::Manifest { files: Default::default(), ..written.manifest.clone() };
    assert_eq!(kept.manifest, without_files);
    assert_eq!(kept.summary, written.summary);
    assert_eq!(kept.warnings, written.warnings);
    assert_eq!(kept.warnings[0].kind, "few-seeds");
    let names: Vec<&str> = kept.tables.keys().copied().collect();
    assert_eq!(
        names,
        [
            "queues",
            "flows",
            "drops",
            "distributions",
            "frames",
            "events",
            "accounts",
            "runs",
            "summary",
            "differences"
        ]
    );
    for (name, batch) in &kept.tables {
        let all = [
            &schema::QUEUES,
            &schema::FLOWS,
            &schema::DROPS,
            &schema::DISTRIBUTIONS,
            &schema::FRAMES,
            &schema::EVENTS,
            &schema::ACCOUNTS,
            &schema::RUNS,
            &schema::SUMMARY,
            &schema::DIFFERENCES,
        ];
        let table = all.into_iter().find(|table| table.name == *name).unwrap();
        let ours = arrow::rows_of(batch, table).unwrap();
        let mut at = 0;
        for rows in table::TableReader::open(table, &written.folder).unwrap() {
            let rows = rows.unwrap();
            for row in 0..rows.len() {
                for column in 0..table.columns.len() {
                    assert_eq!(ours.cell(column, at + row), rows.cell(column, row), "{name}");
                }
            }
            at += rows.len();
        }
        assert_eq!(at, ours.len(), "{name}");
        assert!(at > 0 || ["frames", "events"].contains(name), "{name}");
    }
}

#[test]
fn the_writer_in_memory_refuses_runs_out_of_order() {
    let runs = runs(&VARIANTS, 2);
    let mut memory = MemoryWriter::create(experiment(&VARIANTS, 2), None);
    memory.add_run(&runs[1].0, &runs[1].1).unwrap();
    for wrong in [0, 1] {
        let error = memory.add_run(&runs[wrong].0, &runs[wrong].1).unwrap_err();
        assert!(matches!(error, ReportError::UnexpectedRun(_)), "{error}");
    }
    let kept = memory.finish(Closing::default()).unwrap();
    assert_eq!(kept.manifest.status, Status::Interrupted);
}

#[test]
fn there_is_one_row_per_frame() {
    let folder = tempfile::tempdir().unwrap();
    let (key, mut record) = runs(&VARIANTS, 1).swap_remove(0);
    let flow = jettison_wire::FlowId(0);
    let score = |frame: u32, latency: Option<u64>| jettison_measure::FrameScore {
        frame,
        captured_at: jettison_core::Time::from_millis(40 * u64::from(frame)),
        layers: u8::from(latency.is_some()),
        latency: latency.map(jettison_core::Duration::from_millis),
        ssim_db: 12.5,
        ssim: 0.75,
    };
    let scores = vec![score(0, Some(30)), score(1, None)];
    record.frames = vec![jettison_measure::VideoFrames { flow, scores }];
    let target = folder.path().join("a");
    let mut writer = Writer::create(&target, experiment(&VARIANTS, 1), WriterOptions::default()).unwrap();
    writer.add_run(&key, &record).unwrap();
    writer.finish(Closing::default()).unwrap();
    let rows = table::TableReader::open(&schema::FRAMES, &target).unwrap().next().unwrap().unwrap();
    assert_eq!(rows.len(), 2);
    let shown: Vec<_> = (0..2)
        .map(|row| (rows.text(2, row), rows.unsigned(3, row), rows.signed(4, row), rows.float(6, row)))
        .collect();
    let name = record.objects.iter().find(|object| object.id.kind == jettison_measure::Kind::Flow).unwrap();
    assert_eq!(shown, [(name.name.as_str(), 0, 0, Some(30.0)), (name.name.as_str(), 1, 40_000_000, None)]);
    assert_eq!((rows.float(7, 0), rows.float(8, 1)), (Some(12.5), Some(0.75)));
    fs::remove_file(target.join("frames.parquet")).unwrap();
    remove_hashes(&target);
    assert!(Results::load(&target).is_ok(), "results of earlier versions have none");
}

/// Results with every kind of file that a simulation leaves.
fn with_everything(target: &Path) -> Results {
    let mut writer = Writer::create(target, experiment(&VARIANTS, 2), WriterOptions::default()).unwrap();
    for (key, record) in runs(&VARIANTS, 2) {
        writer.captures().create(&key, "r:bottleneck", 96).unwrap().finish().unwrap();
        writer.add_run(&key, &record).unwrap();
    }
    writer.finish(Closing::default()).unwrap()
}

#[test]
fn every_flipped_bit_is_noticed_and_no_damaged_data_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let results = with_everything(&target);
    assert!(verify(&target).unwrap().is_intact());
    let names: Vec<String> = files(&target).into_iter().map(|(name, _)| name).collect();
    let mut state = 1u64;
    for n in 0..100 {
        // Every file in turn, at a place that a generator chooses.
        let name = &names[n % names.len()];
        let path = target.join(name);
        let whole = fs::read(&path).unwrap();
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bit = (state >> 16) as usize % (8 * whole.len());
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &changed).unwrap();
        let faults = verify(&target).unwrap().faults;
        let fault = Fault { file: name.clone(), fault: FaultKind::Changed };
        assert!(faults.contains(&fault), "bit {bit} of {name}: {faults:?}");
        match Results::load(&target) {
            Err(ReportError::Damaged { fault, .. }) => assert_eq!(fault.file, *name),
            Ok(results) => assert_eq!((name.as_str(), results.remarks.len()), ("report.html", 1)),
            Err(other) => panic!("bit {bit} of {name}: {other}"),
        }
        fs::write(&path, whole).unwrap();
    }
    assert_eq!(Results::load(&target).unwrap(), results);
}

#[test]
fn missing_and_additional_files_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let results = with_everything(&target);
    fs::write(target.join("notes.txt"), "mine").unwrap();
    fs::remove_file(target.join("drops.parquet")).unwrap();
    let fault = |file: &str, fault| Fault { file: file.to_owned(), fault };
    let faults = verify(&target).unwrap().faults;
    assert_eq!(faults, [fault("drops.parquet", FaultKind::Missing), fault("notes.txt", FaultKind::Unlisted)]);
    let error = Results::load(&target).unwrap_err().to_string();
    assert!(
        error.contains("drops.parquet is missing; run the experiment again (`jettison verify "),
        "{error}"
    );
    // What is only unlisted prevents nothing, and figures that we drew ourselves are listed.
    with_everything(&target);
    fs::create_dir(target.join("figures")).unwrap();
    fs::write(target.join("figures/a.svg"), "<svg/>").unwrap();
    assert_eq!(verify(&target).unwrap().faults, [fault("figures/a.svg", FaultKind::Unlisted)]);
    assert_eq!(Results::load(&target).unwrap(), results);
    results.adopt("figures").unwrap();
    assert!(verify(&target).unwrap().is_intact());
}

#[test]
fn a_damaged_page_is_written_again() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("out");
    let before = with_everything(&target);
    let whole = files(&target);
    fs::write(before.report(), "<html>").unwrap();
    Results::load(&target).unwrap().rebuild_report().unwrap();
    assert!(files(&target) == whole && verify(&target).unwrap().is_intact());
    // Another version may make another page: the manifest has its hash.
    fs::write(before.report(), "<html>").unwrap();
    before.list_again_for_tests();
    assert!(verify(&target).unwrap().is_intact());
}
