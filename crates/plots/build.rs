#![forbid(unsafe_code)]
//! Embeds uPlot, which is not in the repository: from `web/plots/node_modules`, else installed with npm in the build's folder in the
//! version that `web/plots/package-lock.json` pins by its hash. Without npm or a network the crate embeds nothing, and pages draw
//! plain lines.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SCRIPT: &str = "uPlot.iife.min.js";
const STYLE: &str = "uPlot.min.css";
/// Files of npm's package.
const PACKAGE: [&str; 2] = ["package.json", "package-lock.json"];

fn main() -> io::Result<()> {
    let out = PathBuf::from(variable("OUT_DIR"));
    let web = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../../web/plots");
    println!("cargo::rerun-if-changed=build.rs");
    // Also changes when npm installs something there.
    println!("cargo::rerun-if-changed={}", web.display());
    println!("cargo::rerun-if-env-changed=JETTISON_WITHOUT_UPLOT");

    let found = match env::var_os("JETTISON_WITHOUT_UPLOT") {
        Some(_) => Err("JETTISON_WITHOUT_UPLOT is set".to_owned()),
        None => library(&web).map_or_else(|| install(&web, &out.join("npm")), Ok),
    };
    match found {
        Ok(folder) => {
            for file in [SCRIPT, STYLE] {
                fs::copy(folder.join(file), out.join(file))?;
            }
        }
        Err(why) => {
            println!("cargo::warning=built without uPlot, so plots have no zoom: {why}");
            for file in [SCRIPT, STYLE] {
                fs::write(out.join(file), "")?;
            }
        }
    }
    Ok(())
}

/// The folder with uPlot's files below `folder`, if they are installed there.
fn library(folder: &Path) -> Option<PathBuf> {
    let files = folder.join("node_modules/uplot/dist");
    [SCRIPT, STYLE].iter().all(|file| files.join(file).is_file()).then_some(files)
}

/// Installs the package below `scratch`. npm refuses a file whose hash differs from the lock file's.
fn install(web: &Path, scratch: &Path) -> Result<PathBuf, String> {
    fs::create_dir_all(scratch).map_err(|error| error.to_string())?;
    for file in PACKAGE {
        fs::copy(web.join(file), scratch.join(file)).map_err(|error| error.to_string())?;
    }
    let output = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"])
        // A machine without a network builds without uPlot rather than slowly.
        .args(["--fetch-retries=1", "--fetch-timeout=20000"])
        .current_dir(scratch)
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("cannot start npm ({error}); on Debian: apt-get install npm"))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        let line = stderr.lines().find(|line| line.contains("error")).unwrap_or("npm failed");
        return Err(line.to_owned());
    }
    library(scratch).ok_or_else(|| "npm's package lacks its files".to_owned())
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}
