//! Tests of the page in headless Chromium, driven by `web/test/browser.mjs`.

#![expect(clippy::disallowed_methods, reason = "a watched run takes real time")]

#[path = "../../examples/demo/synthetic.rs"]
mod synthetic;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jettison_watch::{Event, Watch};
use synthetic::Synthetic;

const STEP_MS: u32 = 100;
/// Number of steps per run, long enough for checks that need a running run.
const STEPS: u32 = 140;
const RUNS: u32 = 40;

#[test]
fn plots_are_updated_in_a_browser() {
    let web = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web");
    let Some(chromium) = find_program("chromium").or_else(|| find_program("chromium-browser")) else {
        return skipped("requires chromium");
    };
    if find_program("node").is_none() || !web.join("node_modules/playwright-core").exists() {
        return skipped("requires node and web/node_modules: run scripts/web.sh");
    }

    let watch = Watch::start(0).unwrap();
    let (url, port) = (watch.url(), watch.address().port());
    let watch = Arc::new(Mutex::new(Some(watch)));
    let stop = Arc::new(AtomicBool::new(false));
    let run = Arc::new(AtomicU32::new(0));
    let publisher = std::thread::spawn({
        let (watch, stop, run) = (watch.clone(), stop.clone(), run.clone());
        move || publish(&watch, &stop, &run)
    });

    // Screenshots are kept if a folder for them is given.
    let pictures = std::env::var_os("JETTISON_WATCH_PICTURES");
    let mut browser = Command::new("node")
        .arg("test/browser.mjs")
        .arg(url)
        .args(pictures)
        .current_dir(web)
        .env("CHROMIUM", chromium)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // The script requests the end and the restart of the server, to test reconnection.
    for line in BufReader::new(browser.stdout.take().unwrap()).lines() {
        match line.unwrap().as_str() {
            "end the server" => *watch.lock().unwrap() = None,
            "start the server" => {
                let mut place = watch.lock().unwrap();
                let again = Watch::start(port).unwrap();
                again.publish(&Event::Layout(Synthetic::new(run.load(Ordering::Relaxed)).layout(RUNS)));
                *place = Some(again);
            }
            line => println!("{line}"),
        }
    }
    let status = browser.wait().unwrap();
    stop.store(true, Ordering::Relaxed);
    publisher.join().unwrap();
    assert!(status.success(), "browser.mjs: {status}");
}

/// Publishes runs in sequence until `stop`; events are discarded while there is no server.
fn publish(watch: &Mutex<Option<Watch>>, stop: &AtomicBool, current: &AtomicU32) {
    let publish = |event| {
        if let Some(watch) = watch.lock().expect("no holder panics").as_ref() {
            watch.publish(&event);
        }
    };
    publish(Event::Note { text: "These numbers are synthetic".into() });
    for run in 1.. {
        let mut synthetic = Synthetic::new(run);
        current.store(run, Ordering::Relaxed);
        publish(Event::Layout(synthetic.layout(RUNS)));
        for step in 1..=STEPS {
            if stop.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(Duration::from_millis(u64::from(STEP_MS)));
            publish(Event::Snapshot(synthetic.snapshot(f64::from(step * STEP_MS) / 1_000.0)));
        }
        publish(Event::Ended { message: "complete".into() });
        std::thread::sleep(Duration::from_secs(1));
    }
}

fn find_program(program: &str) -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?)
        .map(|folder| folder.join(program))
        .find(|path| path.exists())
}

fn skipped(reason: &str) {
    // Written past the test harness's capture.
    let _ = writeln!(std::io::stderr(), "left out: plots_are_updated_in_a_browser ({reason})");
}
