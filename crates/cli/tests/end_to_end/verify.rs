//! `jettison verify`, and what else looks at hashes.

use super::support::{Folder, SMALL};

/// Flips a bit in the middle of a file; returns its bytes.
fn flip(folder: &Folder, file: &str) -> Vec<u8> {
    let whole = folder.read(file);
    let mut bytes = whole.clone();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(folder.path(file), bytes).expect("it is ours");
    whole
}

#[test]
fn every_file_is_verified_and_damaged_data_are_not_shown() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--quick", "--pcap", "--out", "out"]).ok();
    let files = folder.files("out");
    let count = files.len();
    assert_eq!(
        folder.jettison(&["verify", "out"]).ok(),
        format!("OK: {count} files in out are as they were written\n")
    );
    for file in &files {
        let whole = flip(&folder, &format!("out/{file}"));
        let ran = folder.jettison(&["verify", "out"]);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""), "{file}");
        assert!(ran.stdout.lines().any(|line| line == format!("changed   {file}")), "{}", ran.stdout);
        let ran = folder.jettison(&["report", "out"]);
        if file == "report.html" {
            assert_eq!(ran.status, Some(0), "{}", ran.stderr);
            let said = "jettison: out/report.html was changed after it was written; `jettison report` writes it again\n";
            assert_eq!(ran.stderr, said);
            assert!(folder.read("out/report.html") == whole);
        } else {
            let said = ran.refused();
            let wanted = format!(
                "out/{file} was changed after it was written; run the experiment again (`jettison verify out` lists all damage)"
            );
            assert_eq!(said, format!("jettison: {wanted}"));
            std::fs::write(folder.path(&format!("out/{file}")), whole).expect("it is ours");
        }
    }
    folder.jettison(&["verify", "out"]).ok();
}

#[test]
fn missing_and_additional_files_are_listed() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--quick", "--out", "out"]).ok();
    std::fs::remove_file(folder.path("out/summary.json")).expect("it is there");
    folder.write("out/notes/mine.txt", "mine");
    let ran = folder.jettison(&["verify", "out"]);
    assert_eq!(
        (ran.status, ran.stdout.as_str()),
        (
            Some(1),
            "unlisted  notes/mine.txt\nmissing   summary.json\n2 files are not as written in out (16 files checked)\n"
        )
    );
    let ran = folder.jettison(&["verify", "out", "--json"]);
    assert_eq!(
        ran.stdout,
        "{\"type\":\"fault\",\"file\":\"notes/mine.txt\",\"fault\":\"unlisted\"}\n\
         {\"type\":\"fault\",\"file\":\"summary.json\",\"fault\":\"missing\"}\n\
         {\"type\":\"verification\",\"folder\":\"out\",\"files\":16,\"faults\":2}\n"
    );
    let said = folder.jettison(&["verify", "."]).refused();
    assert!(said.contains("holds no Jettison results"), "{said}");
}

#[test]
fn compare_refuses_damaged_results() {
    let folder = Folder::with_small();
    for out in ["a", "b"] {
        folder.jettison(&["run", "small.toml", "--quick", "--out", out]).ok();
    }
    flip(&folder, "b/queues.parquet");
    let said = folder.jettison(&["compare", "a", "b"]).refused();
    assert!(said.starts_with("jettison: b/queues.parquet was changed after it was written"), "{said}");
}

#[test]
fn results_do_not_depend_on_where_the_scenario_is_run_from() {
    let folder = Folder::new();
    folder.write("deep/below/small.toml", SMALL);
    let here = folder.path("");
    let absolute = here.join("deep/below/small.toml").display().to_string();
    let run = |path: &str, out: &str| folder.jettison(&["run", path, "--quick", "--out", out]).ok();
    run("deep/below/small.toml", "one");
    run(&absolute, "two");
    for file in folder.files("one").iter().filter(|file| *file != "timing.json") {
        assert!(folder.read(&format!("one/{file}")) == folder.read(&format!("two/{file}")), "{file} differs");
    }
    assert_eq!(folder.json("one/manifest.json")["inputs"][0]["path"], "small.toml");
    let page = String::from_utf8(folder.read("one/report.html")).expect("it is UTF-8");
    assert!(!page.contains("deep/below"), "the page names the folder");
}
