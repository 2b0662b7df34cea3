//! Runs outlive the process: the repeated command does only what is missing, and the results are those of an
//! undisturbed run, byte for byte.

#![expect(clippy::disallowed_methods, reason = "the tests wait for processes")]

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::support::{Folder, Ran, SMALL, changed, skipped};

/// 200 runs of some milliseconds each.
const MANY: &str = r#"name = "many"
duration = "10 s"
sample_interval = "1 s"
seeds = 100

[nodes]
a = { kind = "host" }
b = { kind = "host" }

[links.wire]
between = ["a", "b"]
rate = "1 Mbit/s"
delay = "1 ms"
loss = 0.1

[flows.echo]
from = "a"
to = "b"
app = { kind = "ping", interval = "5 ms" }
start_jitter = "20 ms"

[[vary]]
path = "links.wire.delay"
values = ["1 ms", "3 ms"]
"#;

/// Number of runs of [`MANY`].
const RUNS: usize = 200;

/// A child process, killed at the end of its test.
struct Guard(Child);

impl Drop for Guard {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A generator of pseudo-random numbers, so that a failure can be repeated.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn many() -> Folder {
    let folder = Folder::new();
    folder.write("many.toml", MANY);
    folder
}

fn start(folder: &Folder, arguments: &[&str]) -> Guard {
    let mut command = folder.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    Guard(command.spawn().expect("the command was built and can be started"))
}

/// The finished runs in a store: key, and what changes if the file is written again.
fn finished(folder: &Folder, store: &str) -> BTreeMap<String, (u64, i64, i64)> {
    let mut found = BTreeMap::new();
    // The summary values are written last: a run without them is not finished.
    for entry in std::fs::read_dir(folder.path(store).join("runs")).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let (false, Ok(data)) = (name.starts_with('.'), entry.metadata()) {
            found.insert(name, (data.ino(), data.mtime(), data.mtime_nsec()));
        }
    }
    found
}

/// Waits until the store has so many runs or the process ends; whether it still runs.
fn wait_for(child: &mut Guard, folder: &Folder, store: &str, runs: usize) -> bool {
    let begun = Instant::now();
    while finished(folder, store).len() < runs {
        assert!(begun.elapsed() < Duration::from_secs(120), "{runs} runs did not finish");
        if child.0.try_wait().expect("it is our own child").is_some() {
            return false;
        }
        sleep(Duration::from_millis(1));
    }
    true
}

/// Checks that two folders of results are equal but for the durations, and as they were written.
#[track_caller]
fn assert_same(folder: &Folder, one: &str, other: &str) {
    let files = folder.files(one);
    assert_eq!(files, folder.files(other));
    for file in files.iter().filter(|file| *file != "timing.json") {
        assert!(
            folder.read(&format!("{one}/{file}")) == folder.read(&format!("{other}/{file}")),
            "{file} differs"
        );
    }
    folder.jettison(&["verify", other]).ok();
}

/// Runs the command, which must succeed; returns what it says on standard error.
#[track_caller]
fn run(folder: &Folder, arguments: &[&str]) -> String {
    let ran = folder.jettison(arguments);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    ran.stderr
}

#[test]
fn fifty_kills_leave_the_bytes_of_an_undisturbed_run() {
    let folder = many();
    assert_eq!(run(&folder, &["run", "many.toml", "--out", "out/whole"]), "");
    let arguments = ["run", "many.toml", "--out", "out/killed", "--jobs", "2"];
    let (store, mut random, mut before) = ("out/.killed.runs", Random(1), BTreeMap::new());
    let mut kills = 0;
    while kills < 50 {
        let mut child = start(&folder, &arguments);
        // At first some runs later, each time; then, with all runs finished, while the results are written.
        let more = random.below(9) as usize;
        let is_running = wait_for(&mut child, &folder, store, (before.len() + more).min(RUNS));
        let delay = if before.len() < RUNS { 5_000 } else { 400_000 };
        sleep(Duration::from_micros(random.below(delay)));
        if !is_running || child.0.try_wait().expect("it is our own child").is_some() {
            // It was faster than the kill: from the start, for the rest of the kills.
            assert_same(&folder, "out/whole", "out/killed");
            std::fs::remove_dir_all(folder.path("out/killed")).expect("it is there");
            before.clear();
            continue;
        }
        child.0.kill().expect("it is our own child");
        child.0.wait().expect("it is our own child");
        kills += 1;
        if folder.path("out/killed").exists() {
            // Between the results and the removal of the store.
            assert_eq!(run(&folder, &arguments), "");
            assert_same(&folder, "out/whole", "out/killed");
            assert_eq!(folder.names("out"), ["killed", "whole"]);
            std::fs::remove_dir_all(folder.path("out/killed")).expect("it is there");
            before.clear();
            continue;
        }
        let now = finished(&folder, store);
        for (key, written) in &before {
            assert_eq!(
                now.get(key),
                Some(written),
                "a finished run was lost or repeated after {kills} kills"
            );
        }
        before = now;
    }
    let said = run(&folder, &arguments);
    let found = format!("jettison: resuming: {} of {RUNS} runs found\n", before.len());
    assert!(before.is_empty() || said == found, "{said}{found}");
    assert_same(&folder, "out/whole", "out/killed");
    assert_eq!(folder.names("out"), ["killed", "whole"], "nothing temporary is left");
}

#[test]
fn the_command_after_ctrl_c_runs_the_rest() {
    let folder = many();
    run(&folder, &["run", "many.toml", "--out", "out/whole", "--pcap"]);
    let arguments = ["run", "many.toml", "--out", "out/stopped", "--pcap"];
    let mut command = folder.command(&arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = Guard(command.spawn().expect("the command was built and can be started"));
    assert!(wait_for(&mut child, &folder, "out/.stopped.runs", 20));
    let interrupt = format!("kill -INT {}", child.0.id());
    assert!(folder.shell(&interrupt).status().expect("there is a shell").success());
    assert_eq!(child.0.wait().expect("it is our own child").code(), Some(130));
    let mut said = String::new();
    let stderr = child.0.stderr.as_mut().expect("it is piped");
    std::io::Read::read_to_string(stderr, &mut said).expect("what is printed is UTF-8");
    let kept = finished(&folder, "out/.stopped.runs").len();
    let store = folder.path("out/.stopped.runs");
    let wanted = format!(
        "jettison: {kept} of {RUNS} runs are kept in {}; the same command runs the rest\n",
        store.display()
    );
    assert!(said.ends_with(&wanted), "{said}");

    // The interrupted results are whole in themselves, and replaced by the complete ones.
    assert_eq!(folder.json("out/stopped/manifest.json")["status"], "interrupted");
    assert_eq!(folder.json("out/stopped/manifest.json")["runs"].as_array().map(Vec::len), Some(kept));
    folder.jettison(&["verify", "out/stopped"]).ok();
    folder.jettison(&["verify", "out/.stopped.runs"]).ok();
    assert_eq!(run(&folder, &arguments), format!("jettison: resuming: {kept} of {RUNS} runs found\n"));
    assert_same(&folder, "out/whole", "out/stopped");
    assert_eq!(folder.names("out"), ["stopped", "whole"]);
}

#[test]
fn a_full_disk_loses_no_finished_run() {
    let folder = Folder::with_small();
    folder.jettison(&["run", "small.toml", "--out", "whole"]).ok();
    let largest = |below: &str| {
        let sizes = folder.files(below).into_iter().map(|file| folder.read(&format!("{below}/{file}")).len());
        sizes.max().expect("there are files")
    };
    run(&folder, &["run", "small.toml", "--out", "other", "--store", "store"]);
    // Room for each record, and not for the page.
    let (record, page) = (largest("store"), largest("whole"));
    let limit = record + (page - record) / 2;
    // The signal that the limit would also send is ignored, as it is where a disk is full.
    let blocks = limit / block(&folder);
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$JETTISON\" run small.toml");
    let said = Ran::of(&mut folder.shell(&script)).refused();
    let store = folder.path("out/.small.runs");
    let wanted = format!("; 4 of 4 runs are kept in {}, and the same command runs the rest", store.display());
    assert!(said.starts_with("jettison: cannot write ") && said.ends_with(&wanted), "{said}");
    assert!(said.contains("; free some space or choose another folder"), "{said}");
    assert_eq!(folder.names("out"), [".small.runs"]);
    assert_eq!(run(&folder, &["run", "small.toml"]), "jettison: resuming: 4 of 4 runs found\n");
    assert_same(&folder, "whole", "out/small");
    assert_eq!(folder.names("out"), ["small"]);
}

/// The unit of the shell's `ulimit -f` in bytes: 512 or 1024.
fn block(folder: &Folder) -> usize {
    let script = "ulimit -f 1; head -c 1024 /dev/zero > size 2>/dev/null; true";
    let _ = folder.shell(&format!("trap '' XFSZ; {script}")).status();
    folder.read("size").len()
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_between_runs_keeps_those_before() {
    // A file system of its own that only this test sees.
    let folder = many();
    run(&folder, &["run", "many.toml", "--out", "whole"]);
    folder.write("disk/below", "");
    let mount = "mount -t tmpfs -o size=300k none disk";
    let private =
        |script: &str| Ran::of(&mut folder.shell(&format!("exec unshare --mount sh -c '{script}'")));
    if private(mount).status != Some(0) {
        let why = "needs root, to mount a file system of its own";
        skipped("resume::a_disk_that_fills_up_between_runs_keeps_those_before", why);
        return;
    }
    // `--force`, since the estimate would refuse to start.
    let run = "\"$JETTISON\" run many.toml --out disk/results --force";
    let script = format!(
        "{mount} && {{ {run} 2>first; echo $? >status; ls disk/.results.runs/runs >before; \
         mount -o remount,size=40m disk && {run} 2>second && cp -r disk/results copy && ls -A disk; }}"
    );
    let ran = private(&script);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let text = |name: &str| String::from_utf8(folder.read(name)).expect("it is text");
    // Of the two files of a run this is the second.
    let kept = text("before").lines().count();
    assert!(kept > 0 && kept < RUNS, "{kept}");
    assert_eq!(text("status"), "2\n");
    // The thread beside the one that failed may keep one more after the count.
    let first = text("first");
    let says = |kept: usize| first.contains(&format!("; {kept} of {RUNS} runs are kept in"));
    assert!(first.contains("No space left on device") && (says(kept) || says(kept - 1)), "{kept}: {first}");
    assert_eq!(text("second"), format!("jettison: resuming: {kept} of {RUNS} runs found\n"));
    assert!(ran.stdout.ends_with("\nresults\n"), "{}", ran.stdout);
    assert_same(&folder, "whole", "copy");
}

#[test]
fn processes_share_a_store() {
    let folder = many();
    run(&folder, &["run", "many.toml", "--out", "whole"]);
    let of = |out: &'static str| ["run", "many.toml", "--out", out, "--store", "store"];
    let mut both = [start(&folder, &of("one")), start(&folder, &of("two"))];
    for child in &mut both {
        assert_eq!(child.0.wait().expect("it is our own child").code(), Some(0));
    }
    assert_same(&folder, "whole", "one");
    assert_same(&folder, "whole", "two");
    folder.jettison(&["verify", "store"]).ok();
    let before = finished(&folder, "store");
    assert_eq!(run(&folder, &of("three")), format!("jettison: resuming: {RUNS} of {RUNS} runs found\n"));
    assert_same(&folder, "whole", "three");
    assert_eq!((before.len(), finished(&folder, "store")), (RUNS, before.clone()));
}

#[test]
fn a_damaged_record_is_run_again() {
    let folder = Folder::with_small();
    let of = |out: &'static str| ["run", "small.toml", "--pcap", "--out", out, "--store", "store"];
    assert_eq!(run(&folder, &of("one")), "");
    let record = format!("store/records/{}", folder.names("store/records")[1]);
    let capture = folder.names("store/captures").swap_remove(2);
    let capture =
        format!("store/captures/{capture}/{}", folder.names(&format!("store/captures/{capture}"))[0]);
    for file in [&record, &capture] {
        let mut bytes = folder.read(file);
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(folder.path(file), bytes).expect("it is ours");
    }
    assert_eq!(folder.jettison(&["verify", "store"]).status, Some(1));
    let said = run(&folder, &of("two"));
    assert!(said.starts_with("jettison: resuming: 4 of 4 runs found\n"), "{said}");
    assert_eq!(said.matches("is damaged; repeating the run\n").count(), 2, "{said}");
    assert_same(&folder, "one", "two");
    folder.jettison(&["verify", "store"]).ok();
}

#[test]
fn only_equal_runs_are_found() {
    let folder = Folder::with_small();
    let with = |more: &[&'static str]| {
        let arguments = [&["run", "small.toml", "--out", "out", "--store", "store"], more].concat();
        run(&folder, &arguments)
    };
    assert_eq!(with(&["--runs", "1"]), "");
    assert_eq!(with(&["--set", "links.bottleneck.delay=5 ms"]), "");
    assert_eq!(with(&["--pcap"]), "", "captures need runs of their own");
    assert_eq!(with(&["--seed", "2"]), "");
    assert_eq!(with(&["--runs", "4"]), "jettison: resuming: 6 of 8 runs found\n");
    // A text about the scenario and another arm change no run.
    folder.write(
        "small.toml",
        &changed("\"codel\"]", "\"codel\", \"red\"]").replace("name = \"small\"", "name = \"other\""),
    );
    let said = with(&["--runs", "4"]);
    assert!(
        said.starts_with("jettison: replacing the results of another scenario, `small`, in out;"),
        "{said}"
    );
    assert!(said.ends_with("\njettison: resuming: 8 of 12 runs found\n"), "{said}");
}

#[test]
fn complete_results_are_not_made_again_unless_forced() {
    let folder = Folder::with_small();
    let stdout = folder.jettison(&["run", "small.toml"]).ok();
    let written = || folder.path("out/small/timing.json").metadata().expect("it is there").ino();
    let before = written();
    let again = folder.jettison(&["run", "small.toml"]).ok();
    let shown = folder.path("out/small");
    let note = format!(
        "{} already holds the results of exactly these runs; nothing was run (--force runs them again)\n",
        shown.display()
    );
    assert_eq!((again, written()), (format!("{note}{stdout}"), before));
    folder.jettison(&["run", "small.toml", "--force"]).ok();
    assert_ne!(written(), before);
    // Damaged results are not complete, and a text about the scenario belongs to the results.
    let before = written();
    folder.write("out/small/drops.parquet", "");
    folder.jettison(&["run", "small.toml"]).ok();
    assert_ne!(written(), before);
    let before = written();
    folder
        .write("small.toml", &SMALL.replace("name = \"small\"", "name = \"small\"\ndescription = \"words\""));
    folder.jettison(&["run", "small.toml"]).ok();
    assert_ne!(written(), before);
    assert_eq!(folder.names("out"), ["small"]);
}

#[test]
fn a_store_that_would_be_replaced_or_is_something_else_is_refused() {
    let folder = Folder::with_small();
    let said = folder.jettison(&["run", "small.toml", "--out", "out", "--store", "out/store"]).refused();
    assert!(
        said.ends_with(
            "is inside the output folder, which is replaced as a whole; choose another folder with --store"
        ),
        "{said}"
    );
    folder.write("theirs/letter.txt", "dear");
    let said = folder.jettison(&["run", "small.toml", "--out", "out", "--store", "theirs"]).refused();
    assert!(
        said.ends_with(
            "theirs is no store of runs: it holds something other than runs; choose another folder"
        ),
        "{said}"
    );
    assert_eq!(folder.names("theirs"), ["letter.txt"]);
}
