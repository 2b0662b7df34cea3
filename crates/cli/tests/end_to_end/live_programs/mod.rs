//! The scenarios of `scenarios/live/` in their short form: real programs, for seconds each.
//!
//! They share two cores with a browser, so they run sequentially, with generous bounds on all values.

use std::fs;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};

use serde_json::Value;

mod calls;
mod players;
mod twin;

/// One at a time.
static TURN: Mutex<()> = Mutex::new(());

/// Results of a scenario.
struct Done {
    _turn: MutexGuard<'static, ()>,
    records: Vec<Value>,
    manifest: Value,
    output: String,
}

impl Done {
    /// The means of an object's metric, one per variant.
    fn means(&self, object: &str, metric: &str) -> Vec<f64> {
        means(&self.records, object, metric)
    }

    /// Checks that every variant has the metric, within these bounds.
    #[track_caller]
    fn within(&self, object: &str, metric: &str, bounds: std::ops::RangeInclusive<f64>) {
        let means = self.means(object, metric);
        assert!(!means.is_empty(), "no {metric} of {object}: {}", self.output);
        assert!(
            means.iter().all(|mean| bounds.contains(mean)),
            "{metric} of {object}: {means:?} {}",
            self.manifest
        );
    }
}

fn means(records: &[Value], object: &str, metric: &str) -> Vec<f64> {
    let is_own = |r: &&Value| r["type"] == "summary" && r["object"] == object && r["metric"] == metric;
    let own = records.iter().filter(is_own);
    own.filter_map(|record| record["mean"].as_f64()).collect()
}

/// Records of the same scenario, simulated.
fn simulate(scenario: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("jettison"));
    command.arg("run").arg(project(&format!("scenarios/live/{scenario}.toml"))).args(["--quick", "--json"]);
    let output = command.arg("--out").arg(folder.path().join("out")).output().expect("it can be started");
    assert!(output.status.success(), "{scenario}: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

fn project(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn skipped(test: &str, why: &str) {
    writeln!(std::io::stderr(), "left out: {test} ({why})").expect("standard error is open");
}

/// Runs the short form of a scenario of the project; prints a notice if this machine cannot.
fn run(test: &str, scenario: &str, programs: &[&str], more: &[&str]) -> Option<Done> {
    let more: Vec<&str> = std::iter::once("--quick").chain(more.iter().copied()).collect();
    run_file(test, &project(&format!("scenarios/live/{scenario}.toml")), programs, &more)
}

/// Runs a scenario; prints a notice if this machine cannot.
fn run_file(test: &str, scenario: &Path, programs: &[&str], more: &[&str]) -> Option<Done> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let (output, turn) = start_file(test, scenario, programs, more, folder.path(), |_| ())?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let output_text = format!("{}{}", text(&output.stdout), text(&output.stderr));
    let manifest = fs::read(folder.path().join("out/manifest.json")).unwrap_or_default();
    let manifest: Value = serde_json::from_slice(&manifest).unwrap_or_default();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}: {output_text} {}",
        scenario.display(),
        manifest["failures"]
    );
    let records = text(&output.stdout).lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    Some(Done { _turn: turn, records, manifest, output: output_text })
}

/// Runs a scenario, whatever comes of it, with its results in `folder`, after `set` has changed its command; prints a notice if this machine cannot.
fn start_file(
    test: &str,
    scenario: &Path,
    programs: &[&str],
    more: &[&str],
    folder: &Path,
    set: impl FnOnce(&mut Command),
) -> Option<(Output, MutexGuard<'static, ()>)> {
    let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    if !fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        skipped(test, "live runs are tested as root");
        return None;
    }
    if let Err(error) = fs::File::options().read(true).write(true).open("/dev/net/tun") {
        skipped(test, &format!("/dev/net/tun: {error}"));
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = |program: &&&str| {
        std::env::split_paths(&path).chain(["/usr/sbin".into()]).any(|folder| folder.join(program).is_file())
    };
    if let Some(missing) = programs.iter().find(|program| !there(program)) {
        skipped(test, &format!("there is no `{missing}`: make live-deps installs it"));
        return None;
    }
    if programs.contains(&"apache2")
        && programs.contains(&"chromium")
        && !project("web/player/node_modules").is_dir()
    {
        skipped(test, "the player is not installed: make live-deps does that");
        return None;
    }
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("jettison"));
    command.arg("live").arg(scenario).args(["--yes", "--json", "--out"]);
    command.arg(folder.join("out")).args(more).env_remove("JETTISON_DATA").stdin(Stdio::null());
    set(&mut command);
    Some((command.output().expect("the command was built and can be started"), turn))
}

#[test]
fn ired_with_iperf3_and_ping() {
    let Some(done) = run("ired_with_iperf3_and_ping", "ired-experiment-1", &["iperf3", "ping", "node"], &[])
    else {
        return;
    };
    done.within("bulk", "goodput", 20.0..=100.0);
    done.within("ping", "rtt", 20.0..=300.0);
    done.within("bottleneck.forward", "throughput", 20.0..=100.5);
}

#[test]
fn dash_in_a_browser() {
    let Some(done) = run("dash_in_a_browser", "dash", &["ffmpeg", "apache2", "chromium", "node"], &[]) else {
        return;
    };
    done.within("video", "buffer", 0.1..=60.0);
    done.within("video", "representation_rate", 50.0..=5000.0);
    done.within("video", "frames_per_second", 1.0..=61.0);
    done.within("video", "decoder_dropped_frames", 0.0..=1e4);
    done.within("client-load", "sessions", 1.0..=20.0);
}

#[test]
fn dash_in_vlc() {
    let Some(done) = run("dash_in_vlc", "dash-vlc", &["ffmpeg", "apache2", "cvlc", "node"], &[]) else {
        return;
    };
    done.within("video", "frames_per_second", 1.0..=61.0);
}

#[test]
fn newcwv_in_the_kernel() {
    if let Some(missing) = jettison_cc::missing() {
        return skipped("newcwv_in_the_kernel", missing);
    }
    let Some(live) = run("newcwv_in_the_kernel", "newcwv", &[], &[]) else { return };
    let simulated = simulate("newcwv");
    // What docs/newcwv-kernel.md states. Losses differ more: the two TCPs send their bursts in other patterns.
    for (metric, tolerance) in [
        ("goodput", 0.05),
        ("representation_rate", 0.05),
        ("buffer", 0.15),
        ("segment_rate", 0.15),
        ("burst_time", 0.15),
        ("completion_time", 0.15),
        ("rtt", 0.20),
    ] {
        let (own, of_model) = (live.means("dash", metric), means(&simulated, "dash", metric));
        assert_eq!((own.len(), of_model.len()), (3, 3), "{metric}: {}", live.output);
        for (own, of_model) in own.iter().zip(&of_model) {
            let off = own / of_model - 1.0;
            assert!(off.abs() <= tolerance, "{metric}: {own} live, {of_model} simulated");
        }
    }
}

#[test]
fn octopus_over_a_cellular_link() {
    let data = project("../shared/data");
    let data = data.is_dir().then(|| data.display().to_string());
    let more: Vec<&str> = data.iter().flat_map(|data| ["--data", data.as_str()]).collect();
    let Some(done) = run("octopus_over_a_cellular_link", "octopus-lte", &[], &more) else { return };
    done.within("video", "frame_latency", 1.0..=2000.0);
    done.within("video", "frames_decoded", 50.0..=100.0);
}

#[test]
fn a_call_between_two_browsers() {
    let Some(done) = run("a_call_between_two_browsers", "webrtc-networks", &["chromium", "node"], &[]) else {
        return;
    };
    // A link of 1 Mbit/s with an RTT of 60 ms: the least latency of a frame is the delay of one way.
    done.within("call", "goodput", 0.3..=1.0);
    done.within("call", "bandwidth_estimate", 0.3..=1.5);
    done.within("call", "frame_latency", 30.0..=1000.0);
    done.within("call", "frames_decoded", 50.0..=100.0);
    done.within("call", "frames_per_second", 10.0..=31.0);
}
