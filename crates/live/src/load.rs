//! Load of the machine during a run, from the kernel's own counters: what other processes and the hypervisor took.

use std::fs;

/// Counters of the machine's processors at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadCounters {
    /// Microseconds for which at least one task waited for a processor (`/proc/pressure/cpu`, `some`), if the kernel counts them.
    waiting_micros: Option<u64>,
    /// Ticks of all processors, and those that the hypervisor gave to others (`/proc/stat`, steal).
    ticks: Option<[u64; 2]>,
}

/// Load between two readings.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// Time for which at least one task of the machine waited for a processor, in per cent; `None` if the kernel does not say.
    pub pressure: Option<f64>,
    /// Time that the hypervisor took from the processors, in per cent.
    pub steal: Option<f64>,
}

impl LoadCounters {
    /// Reads the counters.
    pub fn read() -> LoadCounters {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        LoadCounters::parse(&text("/proc/pressure/cpu"), &text("/proc/stat"))
    }

    fn parse(pressure: &str, stat: &str) -> LoadCounters {
        let some = pressure.lines().find(|line| line.starts_with("some "));
        let total = some.and_then(|line| line.split("total=").nth(1));
        let waiting_micros = total.and_then(|total| total.trim().parse().ok());
        // cpu user nice system idle iowait irq softirq steal guest guest_nice; user and nice include the guests' time.
        let cpu = stat.lines().find_map(|line| line.strip_prefix("cpu "));
        let ticks = cpu.and_then(|line| {
            let values: Vec<u64> = line.split_whitespace().map_while(|value| value.parse().ok()).collect();
            Some([values.iter().take(8).sum(), *values.get(7)?])
        });
        LoadCounters { waiting_micros, ticks }
    }

    /// The load since `before`, which was read `micros` microseconds earlier.
    pub fn since(&self, before: &LoadCounters, micros: u64) -> Load {
        let share =
            |part: u64, whole: u64| (whole > 0).then(|| 100.0 * part.min(whole) as f64 / whole as f64);
        let waited = self.waiting_micros.zip(before.waiting_micros);
        let ticks = self.ticks.zip(before.ticks);
        Load {
            pressure: waited.and_then(|(now, then)| share(now.saturating_sub(then), micros)),
            steal: ticks.and_then(|([all, steal], [all_before, steal_before])| {
                share(steal.saturating_sub(steal_before), all.saturating_sub(all_before))
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_load_is_the_difference_of_two_readings() {
        let pressure = |total: u64| {
            format!(
                "some avg10=0.00 avg60=0.81 avg300=1.00 total={total}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
            )
        };
        let stat =
            |idle: u64, steal: u64| format!("cpu  100 0 50 {idle} 5 1 2 {steal} 30 0\ncpu0 1 2 3\nintr 5\n");
        let before = LoadCounters::parse(&pressure(1_000_000), &stat(1_000, 10));
        let after = LoadCounters::parse(&pressure(1_500_000), &stat(1_090, 20));
        assert_eq!(after.since(&before, 2_000_000), Load { pressure: Some(25.0), steal: Some(10.0) });
        // A kernel without pressure, and one that counts past the time that passed.
        let none = LoadCounters::parse("", "cpu  1 2 3\n");
        assert_eq!(after.since(&none, 2_000_000), Load::default());
        assert_eq!(after.since(&before, 400_000).pressure, Some(100.0));
    }

    #[test]
    fn this_machine_has_ticks() {
        assert!(LoadCounters::read().ticks.is_some_and(|[all, steal]| all > 0 && steal <= all));
    }
}
