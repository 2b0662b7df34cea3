//! Constant-bit-rate (CBR) traffic over UDP, with regular, jittered or random gaps.

use jettison_core::{Bytes, Duration, RandomStream, Rate, Time};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bandwidth::{Tool, rate_of};
use super::sink::UdpSink;
use crate::load::probe::{ProbeSender, check_payload};
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("cbr", "CBR", build)
        .style(BLUE, Solid)
        .summary("datagrams of one size at a constant bit rate; measures loss, delay and jitter")
        .source("RFC 3550 §6.4.1 (jitter)")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
}

fn build(parameters: CbrParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    check_payload(parameters.payload)?;
    let pace = parameters.pace()?;
    let random = (context.random)("cbr");
    Ok(FlowApplications {
        from: Box::new(Cbr::new(&parameters, pace, context.remote, traffic_class, random)),
        to: Some(Box::new(UdpSink::new(context.remote.port))),
    })
}

/// Parameters of `cbr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CbrParameters {
    /// Payload bits per second. One of `rate`, `bandwidth` and `interval` may be given; without any it is 1 Mbit/s.
    pub rate: Option<Rate>,
    /// Payload bits per second as written for `tool`, such as "2M" for `iperf -b 2M`.
    pub bandwidth: Option<String>,
    /// The program that `bandwidth` is written for, which defines its suffixes: 1M is 1,048,576 bit/s in iPerf 2 and 1,000,000
    /// bit/s in iPerf 3.
    pub tool: Option<Tool>,
    /// UDP payload of each datagram, >= 16 bytes.
    pub payload: Bytes,
    /// Time between two datagrams.
    pub interval: Option<Duration>,
    /// Distribution of the times between datagrams: constant, or exponential with the same mean (a Poisson process).
    pub gaps: Gaps,
    /// With constant gaps: each datagram leaves later than scheduled by a time drawn uniformly from zero to this, at most one
    /// gap. The schedule is not affected, so delays do not add up.
    pub jitter: Duration,
}

/// Distribution of the times between datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Gaps {
    /// All equal.
    Constant,
    /// Exponential.
    Poisson,
}

/// What determines the mean time between datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Payload bits per second.
    Rate(Rate),
    /// Time between two datagrams.
    Interval(Duration),
}

impl CbrParameters {
    /// The mean time between datagrams.
    ///
    /// # Errors
    /// If a parameter is out of range, or two contradict each other.
    pub fn pace(&self) -> Result<Pace, ParameterError> {
        let written = rate_of(self.bandwidth.as_deref(), self.tool)?;
        let given = [
            ("rate", self.rate.is_some()),
            ("bandwidth", written.is_some()),
            ("interval", self.interval.is_some()),
        ];
        let mut names = given.iter().filter(|(_, is_given)| *is_given).map(|(name, _)| *name);
        if let (Some(first), Some(second)) = (names.next(), names.next()) {
            return Err(ParameterError::at(second, format!("give `{first}` or `{second}`, not both")));
        }
        if let Some(rate) = self.rate {
            ParameterError::require(!rate.is_zero(), "rate", "be > 0", rate)?;
        }
        if let Some(interval) = self.interval {
            ParameterError::require(!interval.is_zero(), "interval", "be > 0", interval)?;
        }
        let pace = match self.interval {
            Some(interval) => Pace::Interval(interval),
            None => Pace::Rate(self.rate.or(written).unwrap_or(DEFAULT_RATE)),
        };
        if !self.jitter.is_zero() {
            ParameterError::unless(self.gaps == Gaps::Constant, "jitter", || {
                "`jitter` requires `gaps = \"constant\"`: Poisson gaps have no schedule".to_owned()
            })?;
            let gap = pace.gap(self.payload.get()).whole();
            let requirement = format!("be <= the gap of {gap}");
            ParameterError::require(self.jitter <= gap, "jitter", &requirement, self.jitter)?;
        }
        Ok(pace)
    }
}

impl Pace {
    /// The gaps of datagrams with this payload in bytes.
    fn gap(self, payload: u64) -> Gap {
        match self {
            Pace::Rate(rate) => Gap::of_rate(payload, rate),
            Pace::Interval(interval) => Gap::of_interval(interval),
        }
    }
}

/// iperf's default for UDP is 1 Mbit/s.
const DEFAULT_RATE: Rate = Rate::from_mbit(1);

impl Default for CbrParameters {
    fn default() -> CbrParameters {
        CbrParameters {
            rate: None,
            bandwidth: None,
            tool: None,
            payload: Bytes::new(1470), // iperf's default for UDP over Ethernet
            interval: None,
            gaps: Gaps::Constant,
            jitter: Duration::ZERO,
        }
    }
}

/// The sender: datagrams of one size at one mean rate.
#[derive(Debug, Clone)]
pub struct Cbr {
    sender: ProbeSender,
    schedule: Schedule,
    next: Option<Time>,
}

/// The times of datagrams.
#[derive(Debug, Clone)]
struct Schedule {
    gap: Gap,
    gaps: Gaps,
    jitter: Duration,
    random: RandomStream,
    /// Time of the last datagram, without its jitter.
    scheduled: Time,
}

impl Schedule {
    /// The first datagram's time.
    fn begin(&mut self, now: Time) -> Time {
        self.scheduled = now;
        self.delayed()
    }

    /// The next datagram's time. Jitter of at most a gap preserves the order.
    #[inline]
    fn advance(&mut self) -> Time {
        let gap = match self.gaps {
            Gaps::Constant => self.gap.advance(),
            Gaps::Poisson => Duration::from_secs_f64(self.random.exponential(self.gap.mean_secs())),
        };
        self.scheduled = self.scheduled.saturating_add(gap);
        self.delayed()
    }

    #[inline]
    fn delayed(&mut self) -> Time {
        if self.jitter.is_zero() {
            return self.scheduled;
        }
        self.scheduled.saturating_add(Duration::from_nanos(self.random.uniform(0, self.jitter.as_nanos())))
    }
}

/// Interval between datagrams at a given rate, without drift: the fraction of a nanosecond carries over.
#[derive(Debug, Clone)]
pub(crate) struct Gap {
    whole: u64,
    numerator: u64,
    denominator: u64,
    carried: u64,
}

impl Gap {
    /// Creates the interval for `payload` bytes at `rate`.
    pub(crate) fn of_rate(payload: u64, rate: Rate) -> Gap {
        let bit_nanos = u128::from(payload) * 8_000_000_000;
        let denominator = rate.as_bits().max(1);
        let whole = bit_nanos / u128::from(denominator);
        let numerator = (bit_nanos % u128::from(denominator)) as u64;
        Gap { whole: u64::try_from(whole).unwrap_or(u64::MAX), numerator, denominator, carried: 0 }
    }

    /// Creates a fixed interval.
    pub(crate) fn of_interval(interval: Duration) -> Gap {
        Gap { whole: interval.as_nanos(), numerator: 0, denominator: 1, carried: 0 }
    }

    /// Creates the interval for a frequency, with a resolution of a thousandth.
    pub(crate) fn of_frequency(per_second: f64) -> Gap {
        let denominator = (libm::round(per_second * 1e3) as u64).max(1);
        let (whole, numerator) = (1_000_000_000_000 / denominator, 1_000_000_000_000 % denominator);
        Gap { whole, numerator, denominator, carried: 0 }
    }

    /// The interval in whole nanoseconds.
    pub(crate) fn whole(&self) -> Duration {
        Duration::from_nanos(self.whole)
    }

    /// The mean in seconds.
    pub(crate) fn mean_secs(&self) -> f64 {
        (self.whole as f64 + self.numerator as f64 / self.denominator as f64) * 1e-9
    }

    /// Returns the next interval.
    #[inline]
    pub(crate) fn advance(&mut self) -> Duration {
        let mut nanos = self.whole;
        self.carried += self.numerator;
        if self.carried >= self.denominator {
            self.carried -= self.denominator;
            nanos += 1;
        }
        Duration::from_nanos(nanos)
    }
}

impl Cbr {
    /// Creates a sender to `remote` that draws jitter and random gaps from `random`. The registry has validated the
    /// parameters.
    pub fn new(
        parameters: &CbrParameters,
        pace: Pace,
        remote: Endpoint,
        traffic_class: u8,
        random: RandomStream,
    ) -> Cbr {
        let payload = parameters.payload.get() as u16;
        let CbrParameters { gaps, jitter, .. } = *parameters;
        let gap = pace.gap(u64::from(payload));
        let schedule = Schedule { gap, gaps, jitter, random, scheduled: Time::ZERO };
        Cbr { sender: ProbeSender::new(remote, payload, traffic_class), schedule, next: None }
    }
}

impl Application for Cbr {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.sender.open(host);
        self.next = Some(self.schedule.begin(now));
    }

    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while self.next.is_some_and(|at| at <= now) {
            self.sender.send(now, host);
            self.next = Some(self.schedule.advance());
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}

#[cfg(test)]
mod tests {
    use jettison_core::Seed;
    use serde_json::{Value, json};

    use super::*;

    fn parameters(value: Value) -> CbrParameters {
        serde_json::from_value(value).expect("the types are right")
    }

    /// Times of the first datagrams after a start at 1 s, in ns after it.
    fn times(value: Value, count: usize) -> Vec<u64> {
        let parameters = parameters(value);
        let pace = parameters.pace().expect("the parameters are right");
        let random = Seed(1).stream(&["cbr"]);
        let remote = Endpoint { address: jettison_wire::Address::v4(10, 0, 0, 1), port: 1 };
        let mut schedule = Cbr::new(&parameters, pace, remote, 0, random).schedule;
        let start = Time::from_secs(1);
        let mut times = vec![schedule.begin(start)];
        times.extend((1..count).map(|_| schedule.advance()));
        times.into_iter().map(|at| at.since(start).as_nanos()).collect()
    }

    #[test]
    fn a_bandwidth_has_the_gaps_of_its_tool() {
        // 1,470 · 8 bit at 2 · 2^20 bit/s take 5,607.604... µs, at 2 · 10^6 bit/s 5,880 µs.
        let of = |tool: &str| times(json!({ "bandwidth": "2M", "tool": tool }), 4);
        assert_eq!(of("iperf2"), [0, 5_607_604, 11_215_209, 16_822_814]);
        assert_eq!(of("iperf3"), [0, 5_880_000, 11_760_000, 17_640_000]);
        assert_eq!(of("iperf3"), times(json!({ "rate": "2 Mbit/s" }), 4));
        // 2^21 / (1,470 · 8) is 178.3 datagrams/s.
        let second = times(json!({ "bandwidth": "2M", "tool": "iperf2" }), 1_000);
        assert_eq!(second.iter().filter(|at| **at < 1_000_000_000).count(), 179);
    }

    #[test]
    fn jitter_delays_each_datagram_and_not_the_schedule() {
        let jittered = times(json!({ "interval": "5 ms", "jitter": "2 ms" }), 10_000);
        let offsets: Vec<u64> = (0..).zip(&jittered).map(|(k, at)| at - k * 5_000_000).collect();
        assert!(offsets.iter().all(|offset| *offset <= 2_000_000));
        // Uniform: the mean is 1 ms, and a fourth is in each quarter.
        let mean = offsets.iter().sum::<u64>() / 10_000;
        assert!(mean.abs_diff(1_000_000) < 20_000, "{mean}");
        let quarter = offsets.iter().filter(|offset| **offset < 500_000).count();
        assert!(quarter.abs_diff(2_500) < 150, "{quarter}");
        let widest = times(json!({ "interval": "5 ms", "jitter": "5 ms" }), 10_000);
        assert!(widest.is_sorted());
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_an_equal_deviation() {
        let times = times(json!({ "bandwidth": "2M", "tool": "iperf2", "gaps": "poisson" }), 100_001);
        let gaps: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) as f64 / 1e3).collect();
        let mean = gaps.iter().sum::<f64>() / 1e5;
        let deviation = (gaps.iter().map(|gap| (gap - mean) * (gap - mean)).sum::<f64>() / 1e5).sqrt();
        assert!(
            (mean / 5_607.6 - 1.0).abs() < 0.01 && (deviation / mean - 1.0).abs() < 0.01,
            "{mean} {deviation}"
        );
        // P(gap > mean) is 1/e.
        let above = gaps.iter().filter(|gap| **gap > 5_607.6).count() as f64 / 1e5;
        assert!((above - 1.0 / std::f64::consts::E).abs() < 0.005, "{above}");
    }

    #[test]
    fn contradictions_are_refused() {
        let error = |value: Value| parameters(value).pace().expect_err("it is wrong").to_string();
        assert_eq!(
            error(json!({ "rate": "1 Mbit/s", "interval": "1 ms" })),
            "interval: give `rate` or `interval`, not both"
        );
        assert_eq!(
            error(json!({ "rate": "1 Mbit/s", "bandwidth": "1M", "tool": "iperf2" })),
            "bandwidth: give `rate` or `bandwidth`, not both"
        );
        assert!(
            error(json!({ "bandwidth": "1M" }))
                .starts_with("bandwidth: `bandwidth = \"1M\"` requires `tool`")
        );
        assert!(error(json!({ "tool": "iperf3" })).starts_with("tool: `tool` requires `bandwidth`"));
        assert_eq!(error(json!({ "interval": "0 ms" })), "interval: must be > 0, got 0 s");
        assert_eq!(
            error(json!({ "interval": "5 ms", "jitter": "6 ms" })),
            "jitter: must be <= the gap of 5 ms, got 6 ms"
        );
        assert_eq!(
            error(json!({ "gaps": "poisson", "jitter": "1 ms" })),
            "jitter: `jitter` requires `gaps = \"constant\"`: Poisson gaps have no schedule"
        );
    }

    #[test]
    fn gaps_add_up_exactly() {
        let mut gap = Gap::of_rate(1470, Rate::from_mbit(3));
        let total: u64 = (0..300_000).map(|_| gap.advance().as_nanos()).sum();
        assert_eq!(total, 1_176_000_000_000); // 300,000 × 1,470 × 8 bit at 3 Mbit/s
        let mut gap = Gap::of_frequency(29.97);
        let total: u64 = (0..2_997).map(|_| gap.advance().as_nanos()).sum();
        assert_eq!(total, 100_000_000_000);
    }
}
