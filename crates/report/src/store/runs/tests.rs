use std::fs;

use super::*;
use crate::store::{Fault, FaultKind};
use crate::testing::runs;

const KEY: &str = "00ff";

fn saved(folder: &Path, key: &str) -> (RunStore, RunRecord) {
    let store = RunStore::create(folder).unwrap();
    let (run, record) = runs(&["a"], 1).swap_remove(0);
    let captures = store.capture_folder(key).unwrap();
    fs::write(captures.path().join("port.pcapng"), b"packets").unwrap();
    let about = About { key, commit: None };
    let kept = store.save(&about, &run, &record, [2.0, 1.0], Some(captures)).unwrap();
    assert_eq!(fs::read(&kept[0].path).unwrap(), b"packets");
    (store, record)
}

#[test]
fn a_run_is_read_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let (store, record) = saved(folder.path(), KEY);
    let Search::Found(run) = store.load(KEY) else { panic!("it was saved") };
    assert_eq!(run.record, record);
    assert_eq!((run.wall_seconds, run.cpu_seconds, run.captures.len()), (2.0, 1.0, 1));
    assert!(matches!(store.load("00fe"), Search::Missing));
    assert!(verify(folder.path()).unwrap().is_intact());
    let names = files_in(folder.path()).unwrap().into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    assert_eq!(names, ["captures/00ff/port.pcapng", "records/00ff", "runs/00ff.parquet", "store.json"]);
}

#[test]
fn a_damaged_run_is_noticed_and_replaced() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["captures/00ff/port.pcapng", "records/00ff", "runs/00ff.parquet"] {
        let (store, _) = saved(folder.path(), KEY);
        let path = folder.path().join(name);
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        fs::write(&path, bytes).unwrap();
        let found = verify(folder.path()).unwrap();
        assert_eq!(found.faults, [Fault { file: name.to_owned(), fault: FaultKind::Changed }]);
        // The summary values are not what a run is continued from.
        if !name.starts_with("runs") {
            assert!(matches!(store.load(KEY), Search::Damaged), "{name}");
        }
        let (store, _) = saved(folder.path(), KEY);
        assert!(matches!(store.load(KEY), Search::Found(_)), "{name}");
        assert!(verify(folder.path()).unwrap().is_intact(), "{name}");
    }
}

#[test]
fn a_truncated_record_and_one_under_another_key_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = saved(folder.path(), KEY);
    let whole = fs::read(store.record(KEY)).unwrap();
    for length in [0, 7, 40, whole.len() - 1] {
        fs::write(store.record(KEY), &whole[..length]).unwrap();
        assert!(record_file::read(&store.record(KEY), KEY).is_none(), "{length} bytes");
    }
    fs::write(store.record(KEY), &whole).unwrap();
    assert!(record_file::read(&store.record(KEY), KEY).is_some());
    assert!(record_file::read(&store.record(KEY), "00fe").is_none());
}

#[test]
fn every_changed_bit_of_a_partition_is_noticed() {
    let (run, record) = runs(&["a"], 1).swap_remove(0);
    let about = About { key: KEY, commit: Some("0123456789ab") };
    let whole = partition(&about, &[RunSummary::of(&run, &record)], Mode::Simulated).unwrap();
    assert!(is_whole_partition(&whole));
    for bit in (0..8 * whole.len()).step_by(7) {
        let mut changed = whole.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert!(!is_whole_partition(&changed), "bit {bit}");
    }
}

#[test]
fn temporary_files_of_dead_processes_are_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (store, _) = saved(folder.path(), KEY);
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let mut gone = std::process::Command::new("true").spawn().unwrap();
    gone.wait().unwrap();
    let mine = format!(".a.{host}.{}.0123", std::process::id());
    let theirs = format!(".b.{host}.{}.0123", gone.id());
    let elsewhere = ".c.another.machine.1.0123".to_owned();
    for name in [&mine, &theirs, &elsewhere] {
        fs::write(folder.path().join(RUNS).join(name), "").unwrap();
    }
    fs::create_dir(folder.path().join(CAPTURES).join(&theirs)).unwrap();
    drop(store);
    RunStore::create(folder.path()).unwrap();
    let mut names: Vec<String> = fs::read_dir(folder.path().join(RUNS))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let mut expected = vec![mine, elsewhere, format!("{KEY}.parquet")];
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(fs::read_dir(folder.path().join(CAPTURES)).unwrap().count(), 1);
}

#[test]
fn a_folder_with_something_else_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("letter.txt"), "dear").unwrap();
    let error = RunStore::create(folder.path()).unwrap_err();
    assert!(error.to_string().contains("holds something other than runs"), "{error}");
    assert!(RunStore::open(folder.path()).unwrap_err().to_string().contains("it has no store.json"));
    fs::remove_file(folder.path().join("letter.txt")).unwrap();
    let token = RunStore::create(folder.path()).unwrap().token().to_owned();
    assert_eq!(RunStore::create(folder.path()).unwrap().token(), token);
    assert_eq!(RunStore::open(folder.path()).unwrap().token(), token);
}
