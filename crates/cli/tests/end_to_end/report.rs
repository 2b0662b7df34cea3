//! `jettison report`: the table and the page again, from stored results.

use serde_json::Value;

use super::support::{Folder, SMALL};

#[test]
fn the_page_comes_out_the_same() {
    let folder = Folder::with_small();
    let printed = folder.jettison(&["run", "small.toml"]).ok();
    let page = folder.read("out/small/report.html");
    let names = folder.names("out/small");
    folder.write("out/small/report.html", "lost");
    let ran = folder.jettison(&["report", "out/small"]);
    let said = "jettison: out/small/report.html was changed after it was written; `jettison report` writes it again\n";
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), said));
    assert_eq!(ran.stdout, printed.replace(&place(&folder), "out/small"));
    folder.jettison(&["report", "out/small"]).ok();
    assert!(folder.read("out/small/report.html") == page, "the page is another one");
    assert_eq!(folder.names("out/small"), names);
}

/// The folder as `run` prints it, absolute; `report` prints it as given.
fn place(folder: &Folder) -> String {
    folder.path("out/small").display().to_string()
}

#[test]
fn json_prints_the_records_again() {
    let folder = Folder::with_small();
    let printed = folder.jettison(&["run", "small.toml", "--json"]).records();
    let again: Vec<Value> = folder.jettison(&["report", "out/small", "--json"]).records();
    assert_eq!(again, printed);
}

#[test]
fn a_folder_that_is_not_ours_is_refused() {
    let folder = Folder::new();
    folder.write("theirs/letter.txt", "dear");
    let cases =
        [("theirs", "holds no Jettison results (no manifest.json of ours)"), ("nowhere", "does not exist")];
    for (name, wrong) in cases {
        assert_eq!(
            folder.jettison(&["report", name]).refused(),
            format!(
                "jettison: {name} {wrong}; name a folder written by `jettison run`, \
                 `live` or `reproduce`"
            )
        );
    }
    assert_eq!(folder.names("theirs"), ["letter.txt"]);
}

#[test]
fn results_that_were_cut_short_are_named() {
    let folder = Folder::new();
    folder.write("small.toml", SMALL);
    folder.jettison(&["run", "small.toml", "--quick", "--out", "out/small"]).ok();
    let whole = folder.read("out/small/queues.parquet");
    std::fs::write(folder.path("out/small/queues.parquet"), &whole[..whole.len() / 2])
        .expect("the folder can be written");
    let said = folder.jettison(&["report", "out/small"]).refused();
    assert!(
        said.starts_with("jettison: out/small/queues.parquet was changed after it was written"),
        "{said}"
    );
    assert!(said.contains("; run the experiment again ("), "{said}");
}
