//! On/off traffic over UDP: bursts at a constant rate, separated by silence.

use jettison_core::{Bytes, Duration, RandomStream, Rate, Time};
use jettison_registry::style::{Line::Solid, SKY};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sink::UdpSink;
use crate::load::cbr::Gap;
use crate::load::probe::{ProbeSender, check_payload};
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("on-off", "on/off", build)
        .style(SKY, Solid)
        .summary("bursts at a constant bit rate with silences between them")
        .source("Willinger et al. 1997 §2 (on/off sources); RFC 3550 §6.4.1 (jitter)")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
}

fn build(parameters: OnOffParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    check_payload(parameters.payload)?;
    ParameterError::require(!parameters.rate.is_zero(), "rate", "be > 0", parameters.rate)?;
    ParameterError::require(!parameters.on.is_zero(), "on", "be > 0", parameters.on)?;
    Ok(FlowApplications {
        from: Box::new(OnOff::new(&parameters, context.remote, traffic_class, (context.random)("on-off"))),
        to: Some(Box::new(UdpSink::new(context.remote.port))),
    })
}

/// Parameters of `on-off`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct OnOffParameters {
    /// Payload bits per second during a burst.
    pub rate: Rate,
    /// UDP payload of each datagram, >= 16 bytes.
    pub payload: Bytes,
    /// Mean duration of a burst.
    pub on: Duration,
    /// Mean duration of silence.
    pub off: Duration,
    /// Distribution of durations: exponential with the mean, or constant.
    pub periods: Periods,
}

/// Distribution of durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Periods {
    /// Exponential with the given mean.
    Exponential,
    /// Constant.
    Fixed,
}

impl Default for OnOffParameters {
    fn default() -> OnOffParameters {
        OnOffParameters {
            rate: Rate::from_mbit(1),
            payload: Bytes::new(1470),
            on: Duration::from_millis(500),
            off: Duration::from_millis(500),
            periods: Periods::Exponential,
        }
    }
}

/// The sender: alternates between a constant rate and silence.
#[derive(Debug, Clone)]
pub struct OnOff {
    // Parameters.
    sender: ProbeSender,
    gap: Gap,
    on: Duration,
    off: Duration,
    periods: Periods,
    random: RandomStream,
    // State. During a burst, `next` is the next datagram and `until` the end of the burst; during silence both are its
    // end.
    next: Option<Time>,
    until: Time,
}

impl OnOff {
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub fn new(
        parameters: &OnOffParameters,
        remote: Endpoint,
        traffic_class: u8,
        random: RandomStream,
    ) -> OnOff {
        let payload = parameters.payload.get() as u16;
        OnOff {
            sender: ProbeSender::new(remote, payload, traffic_class),
            gap: Gap::of_rate(u64::from(payload), parameters.rate),
            on: parameters.on,
            off: parameters.off,
            periods: parameters.periods,
            random,
            next: None,
            until: Time::ZERO,
        }
    }

    fn period(&mut self, mean: Duration) -> Duration {
        match self.periods {
            Periods::Fixed => mean,
            Periods::Exponential => Duration::from_secs_f64(self.random.exponential(mean.as_secs_f64())),
        }
    }
}

impl Application for OnOff {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.sender.open(host);
        self.next = Some(now);
        self.until = now + self.period(self.on);
    }

    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            if at < self.until {
                self.sender.send(now, host);
                self.next = Some(at + self.gap.advance());
            } else {
                // After a burst and a silence the next burst starts immediately with a datagram. At least one
                // nanosecond, so that periods of zero length cannot stop the clock.
                let begin = self.until + self.period(self.off).max(Duration::from_nanos(1));
                self.until = begin + self.period(self.on);
                self.next = Some(begin);
            }
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}
