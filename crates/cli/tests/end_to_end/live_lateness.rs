//! Lateness of live runs: scheduling, warnings and flags, and the kernel settings that results record.

use std::process::Command;

use super::live::{Guard, can_run_live, with_app};
use super::support::{Folder, changed};

/// Processes that never sleep: eight for each processor, so that a thread waits for several of their slices.
fn busy_loops() -> Vec<Guard> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let spin = || Command::new("sh").args(["-c", "while :; do :; done"]).spawn().expect("a shell starts");
    (0..8 * processors).map(|_| Guard(spin())).collect()
}

#[test]
fn a_run_on_a_busy_machine_without_real_time_says_that_it_was_late() {
    if !can_run_live("a_run_on_a_busy_machine_without_real_time_says_that_it_was_late") {
        return;
    }
    let folder = Folder::new();
    // Short queues, and so a low limit.
    folder.write("small.toml", &changed("rate = \"5 Mbit/s\"", "rate = \"50 Mbit/s\""));
    let busy = busy_loops();
    let ran = folder.jettison(&["live", "small.toml", "--runs", "1", "--no-real-time", "--out", "late"]);
    drop(busy);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Lateness: router "), "{ran:?}");
    assert!(ran.stdout.contains("Warning: Threads ran too late in "), "{ran:?}");
    let warnings = folder.json("late/warnings.json");
    assert_eq!(warnings[0]["kind"], "late-run", "{warnings}");
    assert!(warnings[0]["remedy"].as_str().is_some_and(|text| text.contains("--no-real-time")), "{warnings}");
    let manifest = folder.json("late/manifest.json");
    let runs = manifest["live"].as_array().expect("live runs");
    assert!(runs.iter().any(|run| run["timeliness"]["late"] == true), "{manifest}");
    assert!(
        runs.iter().all(|run| run["hosts_scheduling"].as_str().is_some_and(|how| how.starts_with("normal")))
    );
    let report = String::from_utf8_lossy(&folder.read("late/report.html")).into_owned();
    assert!(report.contains("Threads ran too late in ") && report.contains("CPU pressure"));
    // The flag is a value of each run.
    let records = folder.jettison(&["report", "late", "--json"]).ok();
    let is_flag = |line: &&str| line.starts_with("{\"type\":\"summary\"") && line.contains("\"late_run\"");
    let flags = records.lines().filter(is_flag);
    assert_eq!(flags.count(), runs.len(), "{records}");
    assert!(records.contains("\"kind\":\"late-run\""), "{records}");
    let compared = folder.jettison(&["run", "small.toml", "--runs", "1", "--out", "sim"]);
    assert_eq!(compared.status, Some(0), "{compared:?}");
    let table = folder.jettison(&["compare", "sim", "late"]).ok();
    assert!(table.contains("B (live): Threads ran too late"), "{table}");
}

#[test]
fn a_live_run_tells_its_scheduling_lateness_and_kernel_settings() {
    if !can_run_live("a_live_run_tells_its_scheduling_lateness_and_kernel_settings") {
        return;
    }
    // The program at `near` waits for a timer and the one at `far` never sleeps.
    let folder = with_app(
        r#"at_from = "sh -c 'while :; do sleep 0.01; done'", ready = { delay = "10 ms" }, at_to = "sh -c 'while :; do :; done'""#,
    );
    let text = String::from_utf8_lossy(&folder.read("programs.toml")).into_owned();
    let own = r#"far = { kind = "host", sysctls = { "net.ipv4.tcp_wmem" = "4096 16384 1048576" } }"#;
    folder.write("programs.toml", &text.replace(r#"far = { kind = "host" }"#, own));
    let ran = folder.jettison(&["live", "programs.toml", "--yes", "--out", "out"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let manifest = folder.json("out/manifest.json");
    let live = &manifest["live"][0];
    let threads = live["timeliness"]["threads"].as_array().expect("threads");
    let names: Vec<&str> = threads.iter().filter_map(|thread| thread["of"].as_str()).collect();
    assert_eq!(names, ["router", "hosts", "programs"], "{manifest}");
    for (key, expected) in [
        ("scheduling", "SCHED_FIFO 50"),
        ("hosts_scheduling", "SCHED_FIFO 40"),
        ("programs_scheduling", "SCHED_RR 10"),
    ] {
        assert_eq!(live[key], expected, "{manifest}");
    }
    let demoted = "threads of programs that did not sleep for a second and lost their real-time priority: 1";
    assert!(live["notes"].as_array().is_some_and(|notes| notes.iter().any(|note| note == demoted)), "{live}");
    let settings = live["settings"].as_array().expect("settings");
    let of = |host: &str, name: &str| {
        let found = settings
            .iter()
            .find(|entry| entry["hosts"].as_array().is_some_and(|hosts| hosts.iter().any(|h| h == host)));
        found.and_then(|entry| entry["values"][name].as_str()).unwrap_or_default().to_owned()
    };
    assert_eq!(of("near", "net.ipv4.tcp_wmem"), "4096 16384 33554432", "{manifest}");
    assert_eq!(of("far", "net.ipv4.tcp_wmem"), "4096 16384 1048576");
    assert_eq!(of("near", "net.ipv4.tcp_no_metrics_save"), "1");
    assert_eq!((of("far", "congestion"), of("far", "txqueuelen")), ("cubic".to_owned(), "100000".to_owned()));
    assert!(!of("near", "net.core.netdev_max_backlog").is_empty(), "the machine's own, as root: {manifest}");
}
