//! Constant-bit-rate (CBR) traffic over UDP.

use jettison_core::{Bytes, Duration, Rate, Time};
use jettison_registry::style::{BLUE, Line::Solid};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sink::UdpSink;
use crate::load::probe::{ProbeSender, check_payload};
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("cbr", "CBR", build)
        .style(BLUE, Solid)
        .summary("datagrams of one size at a constant bit rate; the sink measures loss, delay and jitter")
        .source("RFC 3550 §6.4.1 (jitter)")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
}

fn build(parameters: CbrParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    check_payload(parameters.payload)?;
    let CbrParameters { rate, interval, .. } = parameters;
    if rate.is_some() && interval.is_some() {
        return Err(ParameterError::at("interval", "give `rate` or `interval`, not both"));
    }
    if let Some(rate) = rate {
        ParameterError::require(!rate.is_zero(), "rate", "be > 0", rate)?;
    }
    if let Some(interval) = interval {
        ParameterError::require(!interval.is_zero(), "interval", "be > 0", interval)?;
    }
    Ok(FlowApplications {
        from: Box::new(Cbr::new(&parameters, context.remote, traffic_class)),
        to: Some(Box::new(UdpSink::new(context.remote.port))),
    })
}

/// Parameters of `cbr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CbrParameters {
    /// Payload bits per second (as `iperf -b` counts), 1 Mbit/s without this and `interval`. Mutually exclusive with
    /// `interval`.
    pub rate: Option<Rate>,
    /// UDP payload of each datagram, >= 16 bytes.
    pub payload: Bytes,
    /// Time between two datagrams, as an alternative to `rate`.
    pub interval: Option<Duration>,
}

/// iperf's default for UDP is 1 Mbit/s.
const DEFAULT_RATE: Rate = Rate::from_mbit(1);

impl Default for CbrParameters {
    fn default() -> CbrParameters {
        CbrParameters {
            rate: None,
            payload: Bytes::new(1470), // iperf's default for UDP over Ethernet
            interval: None,
        }
    }
}

/// The sender: datagrams of one size at one rate.
#[derive(Debug)]
pub struct Cbr {
    sender: ProbeSender,
    gap: Gap,
    next: Option<Time>,
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
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub fn new(parameters: &CbrParameters, remote: Endpoint, traffic_class: u8) -> Cbr {
        let payload = parameters.payload.get() as u16;
        let gap = match parameters.interval {
            Some(interval) => Gap::of_interval(interval),
            None => Gap::of_rate(u64::from(payload), parameters.rate.unwrap_or(DEFAULT_RATE)),
        };
        Cbr { sender: ProbeSender::new(remote, payload, traffic_class), gap, next: None }
    }
}

impl Application for Cbr {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.sender.open(host);
        self.next = Some(now);
    }

    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            self.sender.send(now, host);
            self.next = Some(at + self.gap.advance());
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
    use super::*;

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
