//! The same scenario and seed give the same bytes, however many runs go at once.

use super::support::Folder;

#[test]
fn one_job_and_four_write_the_same_files() {
    let folder = Folder::with_small();
    let run = |jobs: &str, out: &str| {
        folder.jettison(&["run", "small.toml", "--pcap", "--json", "--jobs", jobs, "--out", out]).ok()
    };
    assert_eq!(run("1", "one"), run("4", "four"));
    let files = folder.files("one");
    assert_eq!(files, folder.files("four"));
    for file in files.iter().filter(|file| *file != "timing.json") {
        let same = folder.read(&format!("one/{file}")) == folder.read(&format!("four/{file}"));
        assert!(same, "{file} differs");
    }
}

#[test]
fn another_seed_gives_other_results() {
    let folder = Folder::with_small();
    let run = |seed: &str| folder.jettison(&["run", "small.toml", "--json", "--seed", seed]).ok();
    assert_ne!(run("1"), run("100"));
}
