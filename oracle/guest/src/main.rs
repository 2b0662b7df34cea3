#![deny(unsafe_code)]
//! Measures one case of the oracle in the virtual machine: builds the path, loads it, and prints what the kernel's TCP and
//! queue discipline did.
//!
//! `oracle-guest FILE` reads a [`Job`] as JSON and prints one line `MEASURED {…}` per start offset.

#[path = "../../src/job.rs"]
mod job;
mod path;
mod sojourn;
mod traffic;
mod usage;

use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::job::{Job, Measured};
use crate::sojourn::Sojourn;

/// Time between the listeners' start and the first flow.
const LEAD: Duration = Duration::from_millis(200);

fn main() -> Result<()> {
    let file = std::env::args().nth(1).context("usage: oracle-guest FILE")?;
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {file}"))?;
    let job: Job = serde_json::from_str(&text).with_context(|| format!("cannot parse {file}"))?;
    let mut storage = std::mem::MaybeUninit::uninit();
    let sojourn = Sojourn::load(&mut storage)?;
    for offset in &job.offsets_us {
        let measured = measure(&job, *offset, &sojourn)?;
        println!("MEASURED {}", serde_json::to_string(&measured)?);
    }
    Ok(())
}

/// One run of the case; all flows start `offset_us` later than the case says.
fn measure(job: &Job, offset_us: u64, sojourn: &Sojourn<'_>) -> Result<Measured> {
    let path = path::build(job)?;
    let zero = Instant::now() + LEAD;
    let from = zero + Duration::from_micros(job.warm_up_us);
    let until = zero + Duration::from_micros(job.duration_us);
    sojourn.open_window(from, until)?;
    let traffic = traffic::start(job, zero, Duration::from_micros(offset_us), from, until)?;
    sleep_until(from);
    let (at_start, busy_at_start) = (path.counters()?, usage::read()?);
    sleep_until(until);
    let (at_end, busy_at_end) = (path.counters()?, usage::read()?);
    let delivered = traffic.finish();
    let queue = sojourn.read()?;
    path.remove();
    let seconds = (until - from).as_secs_f64();
    Ok(Measured {
        offset_us,
        goodput_mbps: delivered.bytes as f64 * 8.0 / seconds / 1e6,
        packets: queue.packets,
        unmatched: queue.unmatched,
        drops: at_end.drops - at_start.drops,
        marks: queue.marks,
        retransmits: at_end.retransmits - at_start.retransmits,
        timeouts: at_end.timeouts - at_start.timeouts,
        sojourn_mean_ms: queue.mean_ms(),
        sojourn_p50_ms: queue.quantile_ms(0.5),
        sojourn_p99_ms: queue.quantile_ms(0.99),
        sojourn_max_ms: queue.highest_ms(),
        completion_ms: delivered.completion_ms,
        idle: busy_at_end.idle_share_since(&busy_at_start),
    })
}

fn sleep_until(instant: Instant) {
    std::thread::sleep(instant.saturating_duration_since(Instant::now()));
}
