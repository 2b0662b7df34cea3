//! The page with synthetic data, for development: `cargo run -p jettison-watch --example demo -- [PORT [RUN_SECONDS]]`.
//!
//! It starts one run after another until it is stopped.

#![expect(clippy::disallowed_methods, reason = "a watched run takes real time")]

mod synthetic;

use std::error::Error;
use std::time::Duration;

use jettison_watch::{Event, Watch};
use synthetic::{DURATION_S, Synthetic};

const RUNS: u32 = 4;
const STEP_MS: u32 = 100;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let port = arguments.next().map_or(Ok(8080), |port| port.parse())?;
    let seconds: f64 = arguments.next().map_or(Ok(DURATION_S), |seconds| seconds.parse())?;
    let watch = Watch::start(port)?;
    println!("{}", watch.url());
    watch.publish(&Event::Note { text: "These numbers are synthetic".into() });
    for run in (1..=RUNS).cycle() {
        let mut synthetic = Synthetic::new(run);
        watch.publish(&Event::Layout(synthetic.layout(RUNS)));
        let steps = (seconds * 1_000.0 / f64::from(STEP_MS)) as u32;
        for step in 1..=steps {
            std::thread::sleep(Duration::from_millis(u64::from(STEP_MS)));
            watch.publish(&Event::Snapshot(synthetic.snapshot(f64::from(step * STEP_MS) / 1_000.0)));
        }
        watch.publish(&Event::Ended { message: "complete".into() });
        std::thread::sleep(Duration::from_secs(2));
    }
    Ok(())
}
