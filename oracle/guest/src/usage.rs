//! Use of the CPU, by /proc/stat. The guest's clock counts instructions, so a busy CPU distorts what is measured.

use anyhow::{Context, Result};

/// Time since boot, in ticks.
pub struct Usage {
    idle: u64,
    total: u64,
}

pub fn read() -> Result<Usage> {
    let text = std::fs::read_to_string("/proc/stat").context("cannot read /proc/stat")?;
    let line = text.lines().next().context("/proc/stat is empty")?;
    let ticks: Vec<u64> = line.split_whitespace().skip(1).filter_map(|word| word.parse().ok()).collect();
    // The fourth value is idle time, the fifth time that waits for a disk (proc(5)).
    Ok(Usage { idle: ticks.iter().skip(3).take(2).sum(), total: ticks.iter().take(8).sum() })
}

impl Usage {
    pub fn idle_share_since(&self, before: &Usage) -> f64 {
        (self.idle - before.idle) as f64 / (self.total - before.total).max(1) as f64
    }
}
