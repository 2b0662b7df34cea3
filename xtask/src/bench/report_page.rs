//! Benchmark of a report in a browser: how long a page of many variants takes until its pictures are drawn.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Benchmark, Better, Reading};

#[path = "../../../crates/report/tests/all/made_up.rs"]
mod made_up;

/// Number of variants.
const VARIANTS: usize = 40;
/// Milliseconds from the start of the navigation until all pictures that are not folded are drawn.
const REQUIRED: f64 = 2_000.0;

pub(super) fn benchmarks() -> Vec<Benchmark> {
    vec![Benchmark {
        group: "report",
        name: format!("report-page/{VARIANTS}-variants"),
        unit: "ms",
        required: Some(REQUIRED),
        better: Better::Lower,
        measure: Box::new(measure),
    }]
}

fn measure() -> Result<Reading, String> {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../web");
    let left_out = |why: &str| {
        let note = Some(format!("the page is not drawn: {why}"));
        Ok(Reading { value: None, instructions: None, note })
    };
    let Some(chromium) = program("chromium").or_else(|| program("chromium-browser")) else {
        return left_out("requires chromium; on Debian: apt-get install chromium");
    };
    if program("node").is_none() || !web.join("node_modules/playwright-core").exists() {
        return left_out("requires node and web/node_modules: run scripts/web.sh");
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let names: Vec<String> = (1..=VARIANTS).map(|number| format!("variant-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let results = made_up::results(&folder.path().join("out"), &names, None);
    let results = results.map_err(|error| error.to_string())?;
    let output = Command::new("node")
        .args(["test/report.mjs", "--time"])
        .arg(results.folder.join("report.html"))
        .current_dir(web)
        .env("CHROMIUM", chromium)
        .output()
        .map_err(|error| error.to_string())?;
    let said = String::from_utf8_lossy(&output.stdout);
    let time = said.lines().find_map(|line| line.strip_prefix("milliseconds ")?.parse().ok());
    time.map(Reading::of).ok_or_else(|| format!("{said}{}", String::from_utf8_lossy(&output.stderr)))
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|path| path.exists())
}
