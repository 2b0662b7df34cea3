//! The report in headless Chromium, driven by `web/test/report.mjs`.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use jettison_report::html::{Library, render_with};

use crate::made_up;

#[test]
fn a_report_is_used_in_a_browser() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let Some(chromium) = find_program("chromium").or_else(|| find_program("chromium-browser")) else {
        return skipped("requires chromium");
    };
    if find_program("node").is_none() || !web.join("node_modules/playwright-core").exists() {
        return skipped("requires node and web/node_modules: run scripts/web.sh");
    }
    if !jettison_plots::LIBRARY.exists() {
        return skipped("requires uPlot, which this build lacks");
    }
    let folder = tempfile::tempdir().unwrap();
    let names = ["one", "two", "three", "four", "<i>five</i>", "six"];
    let results = made_up::results(&folder.path().join("out"), &names, Some((4, 0))).unwrap();
    let plain = folder.path().join("plain.html");
    fs::write(&plain, render_with(&results, Library::NONE).unwrap()).unwrap();

    // Screenshots are kept if a folder for them is given.
    let pictures = std::env::var_os("JETTISON_REPORT_PICTURES");
    let status = Command::new("node")
        .arg("test/report.mjs")
        .args([&results.folder.join("report.html"), &plain])
        .args(pictures)
        .current_dir(web)
        .env("CHROMIUM", chromium)
        .status()
        .unwrap();
    assert!(status.success(), "report.mjs: {status}");
}

fn find_program(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.exists())
}

fn skipped(reason: &str) {
    // Written past the test harness's capture.
    let _ = writeln!(std::io::stderr(), "left out: a_report_is_used_in_a_browser ({reason})");
}
