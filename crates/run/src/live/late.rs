//! Decision whether the threads of a run were too late for what it measured.

use jettison_core::Duration;
use jettison_live::load::Load;
use jettison_live::process::ThreadsOutcome;
use jettison_live::router::Lateness;
use jettison_measure::{Distribution, RunRecord, SummaryValue, metrics};
use jettison_report::{ThreadLateness, Timeliness};

/// Lateness that no run suffers from: about what an idle machine has without real-time scheduling.
const ALWAYS_FINE: Duration = Duration::from_micros(250);
/// Share of the mean sojourn time of the queue with the longest: a host that answers so much later adds about as much to it.
const OF_SOJOURN: f64 = 0.1;
/// Lateness that is too much, however rare: whole windows wait for so long.
const STANDSTILL: Duration = Duration::from_millis(100);

/// Lateness of the threads of a run.
#[derive(Debug, Default)]
pub struct Observed {
    /// Of the router, by queue.
    pub router: Vec<Distribution>,
    /// Of the built-in applications.
    pub hosts: Distribution,
    /// Of the programs.
    pub programs: Distribution,
    /// Load of the machine.
    pub load: Load,
}

impl Observed {
    /// Collects what the threads of a run measured.
    pub fn of(router: &Lateness, hosts: &Distribution, programs: &ThreadsOutcome, load: Load) -> Observed {
        Observed {
            router: router.queues().to_vec(),
            hosts: hosts.clone(),
            programs: programs.waited.clone(),
            load,
        }
    }

    /// Compares the lateness with the limit for a run whose longest mean sojourn time is `sojourn`.
    pub fn judge(&self, sojourn: Duration) -> Timeliness {
        let limit = ALWAYS_FINE.max(sojourn.mul_f64(OF_SOJOURN));
        // A busy queue in the other direction must not hide the late one.
        let worst = |a: &&Distribution, b: &&Distribution| a.quantile(0.99).cmp(&b.quantile(0.99));
        let router = self.router.iter().max_by(worst);
        let latest = self.router.iter().map(Distribution::max).max().unwrap_or_default();
        let hosts =
            [("hosts", &self.hosts, self.hosts.max()), ("programs", &self.programs, self.programs.max())];
        let all = router.map(|router| ("router", router, latest)).into_iter().chain(hosts);
        let threads = all.filter(|(_, lateness, _)| lateness.count() > 0).map(|(of, lateness, max)| {
            let p99 = lateness.quantile(0.99);
            ThreadLateness {
                of: of.to_owned(),
                p50_us: micros(lateness.quantile(0.5)),
                p99_us: micros(p99),
                max_us: micros(max),
                late: p99 > limit || max >= STANDSTILL,
            }
        });
        let threads: Vec<ThreadLateness> = threads.collect();
        Timeliness {
            late: threads.iter().any(|thread| thread.late),
            limit_us: micros(limit),
            threads,
            cpu_pressure: self.load.pressure,
            steal: self.load.steal,
        }
    }

    /// Judges the run of a record, and adds the lateness of its hosts, the machine's load and the verdict to its summary.
    pub fn judge_record(&self, record: &mut RunRecord) -> Timeliness {
        let longest =
            record.summary.iter().filter(|value| value.metric == metrics::SOJOURN && value.part.is_empty());
        let longest = longest.map(|value| value.mean).fold(0.0, f64::max);
        let timeliness = self.judge(Duration::from_nanos((longest * 1e6) as u64));
        let mut add = |object: &str, metric, mean, percentiles| {
            let (object, part) = (object.to_owned(), "".into());
            record.summary.push(SummaryValue { object, metric, part, mean, percentiles });
        };
        for (object, lateness) in [("hosts", &self.hosts), ("programs", &self.programs)] {
            if lateness.count() > 0 {
                let percentiles = [0.5, 0.95, 0.99].map(|share| micros(lateness.quantile(share)));
                add(object, metrics::HOST_LATENESS, micros(lateness.mean()), Some(percentiles));
            }
        }
        add("machine", metrics::LATE_RUN, f64::from(u8::from(timeliness.late)), None);
        for (metric, value) in
            [(metrics::CPU_PRESSURE, self.load.pressure), (metrics::STEAL, self.load.steal)]
        {
            if let Some(value) = value {
                add("machine", metric, value, None);
            }
        }
        timeliness
    }
}

fn micros(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A distribution whose percentiles are about these, in microseconds.
    fn distribution(p50: u64, p99: u64, max: u64) -> Distribution {
        let mut out = Distribution::default();
        out.record_many(Duration::from_micros(p50), 950);
        out.record_many(Duration::from_micros(p99), 49);
        out.record(Duration::from_micros(max));
        out
    }

    fn verdict(router: [u64; 3], hosts: [u64; 3], sojourn_us: u64) -> Timeliness {
        let of = |[p50, p99, max]: [u64; 3]| distribution(p50, p99, max);
        let observed = Observed {
            router: vec![Distribution::default(), of(router)],
            hosts: of(hosts),
            ..Observed::default()
        };
        observed.judge(Duration::from_micros(sojourn_us))
    }

    fn late(timeliness: &Timeliness) -> Vec<&str> {
        timeliness.threads.iter().filter(|thread| thread.late).map(|thread| thread.of.as_str()).collect()
    }

    /// One CUBIC flow through CoDel at 20 Mbit/s and 40 ms on two processors, as recorded: 50th and 99th percentile and maximum of
    /// the lateness in microseconds, mean sojourn time.
    #[test]
    fn recorded_runs_are_judged_as_their_figures_deserve() {
        // With real-time scheduling, idle and with six busy loops beside: 2.27 and 2.34 ms.
        assert!(!verdict([1, 54, 310], [21, 54, 420], 2_270).late);
        assert!(!verdict([1, 51, 350], [18, 51, 530], 2_340).late);
        // The router alone in real time, with six busy loops: 3.54 ms, though the router was never late.
        assert_eq!(late(&verdict([1, 40, 90], [19, 4_127, 105_776], 3_540)), ["hosts"]);
        assert_eq!(late(&verdict([1, 40, 90], [19, 4_127, 9_776], 3_540)), ["hosts"]);
        // Nothing in real time, with six busy loops: 4.23 ms.
        assert_eq!(late(&verdict([1, 6_156, 66_814], [19, 4_127, 9_776], 4_230)), ["router", "hosts"]);
    }

    #[test]
    fn programs_count_as_hosts_do() {
        let programs = distribution(5, 900, 2_000);
        let observed =
            Observed { programs, load: Load { pressure: Some(50.0), steal: None }, ..Observed::default() };
        assert_eq!(late(&observed.judge(Duration::from_millis(2))), ["programs"]);
        // A long queue hides so much.
        let found = observed.judge(Duration::from_millis(20));
        assert!(!found.late && found.cpu_pressure == Some(50.0) && found.steal.is_none());
    }

    #[test]
    fn the_limit_is_a_tenth_of_the_longest_sojourn_time_but_no_less_than_a_floor() {
        assert_eq!(verdict([1, 40, 90], [5, 60, 400], 2_710).limit_us, 271.0);
        assert_eq!(verdict([1, 40, 90], [5, 60, 400], 30).limit_us, 250.0);
    }

    #[test]
    fn a_standstill_is_late_however_rare() {
        assert!(!verdict([1, 40, 90_000], [5, 60, 400], 2_000).late);
        assert_eq!(late(&verdict([1, 40, 100_001], [5, 60, 400], 2_000)), ["router"]);
    }

    #[test]
    fn the_queue_whose_packets_were_latest_counts() {
        let router = vec![distribution(1, 600, 700), distribution(1, 10, 5_000), Distribution::default()];
        let found = Observed { router, ..Observed::default() }.judge(Duration::from_micros(400));
        assert_eq!(late(&found), ["router"]);
        let [thread] = &found.threads[..] else { panic!("{found:?}") };
        assert!((thread.p99_us - 600.0).abs() < 1.0 && (thread.max_us - 5_000.0).abs() < 5.0, "{thread:?}");
        // Nothing was measured, and nothing was late.
        let none = Observed::default().judge(Duration::ZERO);
        assert!(!none.late && none.threads.is_empty());
    }
}
