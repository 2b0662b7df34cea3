//! Haptic stream: force samples, usually at 1 kHz, either all of them or only the perceptible changes.

mod dead_band;
mod signal;

use jettison_core::{Bytes, Duration, RandomStream, Time};
use jettison_measure::UnitKind;
use jettison_registry::style::{Line::Solid, WINE};
use jettison_registry::{Entry, ParameterError, check_deadlines};
use jettison_tcp::Endpoint;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::load::cbr::Gap;
use crate::load::probe::{ProbeSender, check_payload};
use crate::load::sink::measure;
pub use dead_band::DeadBand;
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};
pub use signal::Signal;

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("haptic", "haptic", build)
        .style(WINE, Solid)
        .summary("samples of a force, all of them or those that are felt; counts the late ones")
        .source("Hinterseer et al. 2008 (perceptual dead-band)")
        .page("applications.md")
        .facts(FlowFacts::over(&["udp"]))
}

fn build(
    parameters: HapticParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let traffic_class = context.udp()?;
    check_payload(parameters.payload)?;
    parameters.validate()?;
    let signal = (context.random)("signal");
    Ok(FlowApplications {
        from: Box::new(HapticSender::new(&parameters, context.remote, traffic_class, signal)),
        to: Some(Box::new(HapticReceiver::new(&parameters, context.remote.port))),
    })
}

/// Parameters of `haptic`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct HapticParameters {
    /// Samples per second.
    pub samples: u32,
    /// UDP payload of each sent sample, >= 16 bytes.
    pub payload: Bytes,
    /// Weber fraction, in (0, 1): a sample is sent only if it differs from the last one sent by more than this share
    /// of it. Unset: every sample is sent.
    pub deadband: Option<f64>,
    /// With `deadband`: minimum perceptible difference in newtons; smaller ones are never sent.
    pub floor: f64,
    /// With `deadband`: the median force of a contact, in newtons.
    pub force: f64,
    /// With `deadband`: mean duration of a contact.
    pub contact: Duration,
    /// With `deadband`: mean duration of free motion, without a force.
    pub free_motion: Duration,
    /// Deadlines: for each one the receiver counts the samples that arrive later.
    pub deadlines: Vec<Duration>,
}

impl Default for HapticParameters {
    fn default() -> HapticParameters {
        HapticParameters {
            samples: 1000, // usual rate of a force-feedback loop
            payload: Bytes::new(100),
            deadband: None,
            // Our assumptions. Fingertips hold forces of 2 to 6 N well and distinguish differences of 6 to 10 %; the
            // perception threshold is a few hundredths of a newton.
            floor: 0.05,
            force: 2.0,
            // A person exploring an object: contact lasts twice as long as free motion.
            contact: Duration::from_secs(2),
            free_motion: Duration::from_secs(1),
            deadlines: [5, 10, 50].map(Duration::from_millis).to_vec(),
        }
    }
}

/// Maximum number of samples per second.
const MOST_SAMPLES: u32 = 100_000;

impl HapticParameters {
    /// Checks the ranges.
    ///
    /// # Errors
    /// With the offending key.
    pub fn validate(&self) -> Result<(), ParameterError> {
        ParameterError::unless((1..=MOST_SAMPLES).contains(&self.samples), "samples", || {
            format!("must be in [1, {MOST_SAMPLES}], got {}", self.samples)
        })?;
        let is_share = |k: f64| k > 0.0 && k < 1.0;
        ParameterError::unless(self.deadband.is_none_or(is_share), "deadband", || {
            let found = self.deadband.unwrap_or_default();
            format!("must be in (0, 1), such as 0.1, got {found}; omit it to send every sample")
        })?;
        ParameterError::unless(self.floor.is_finite() && self.floor >= 0.0, "floor", || {
            format!("must be finite and >= 0 N, got {}", self.floor)
        })?;
        ParameterError::unless(self.force.is_finite() && self.force > 0.0, "force", || {
            format!("must be finite and > 0 N, got {}", self.force)
        })?;
        ParameterError::unless(!self.contact.is_zero(), "contact", || "must be > 0, got 0 s".to_owned())?;
        check_deadlines(&self.deadlines)
    }
}

/// The sender: sends the selected samples.
#[derive(Debug, Clone)]
pub struct HapticSender {
    sender: ProbeSender,
    gap: Gap,
    reduction: Option<Reduction>,
    next: Option<Time>,
}

/// The signal and its dead band.
#[derive(Debug, Clone)]
struct Reduction {
    signal: Signal,
    dead_band: DeadBand,
    started: Time,
}

impl HapticSender {
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub fn new(
        parameters: &HapticParameters,
        remote: Endpoint,
        traffic_class: u8,
        random: RandomStream,
    ) -> HapticSender {
        let reduction = parameters.deadband.map(|fraction| Reduction {
            signal: Signal::new(parameters, random),
            dead_band: DeadBand::new(fraction, parameters.floor),
            started: Time::ZERO,
        });
        HapticSender {
            sender: ProbeSender::new(remote, parameters.payload.get() as u16, traffic_class)
                .of(UnitKind::Sample),
            gap: Gap::of_frequency(f64::from(parameters.samples)),
            reduction,
            next: None,
        }
    }
}

impl Application for HapticSender {
    fn start(&mut self, now: Time, host: &mut dyn Sockets) {
        self.sender.open(host);
        if let Some(reduction) = &mut self.reduction {
            reduction.started = now;
        }
        self.next = Some(now);
    }

    fn handle_event(&mut self, _: SocketEvent, _: Time, _: &mut dyn Sockets) {}

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            let is_felt = self.reduction.as_mut().is_none_or(|reduction| {
                let force = reduction.signal.at(at.since(reduction.started));
                reduction.dead_band.admits(force)
            });
            if is_felt {
                self.sender.send(now, host);
            }
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

/// Binds a UDP port; measures probes as a sink does, missed deadlines, and the longest gap.
#[derive(Debug, Clone)]
pub struct HapticReceiver {
    port: u16,
    deadlines: Vec<Duration>,
}

impl HapticReceiver {
    /// Creates a receiver on a port.
    pub fn new(parameters: &HapticParameters, port: u16) -> HapticReceiver {
        HapticReceiver { port, deadlines: parameters.deadlines.clone() }
    }
}

impl Application for HapticReceiver {
    fn start(&mut self, _: Time, host: &mut dyn Sockets) {
        host.udp_bind(self.port);
        host.meter().watch_deadlines(&self.deadlines);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        let SocketEvent::Datagram { datagram, .. } = event else { return };
        let meter = host.meter();
        if let Some(head) = measure(&datagram, now, meter) {
            meter.sample_arrived((UnitKind::Sample, head.sequence), head.sent_at, now);
        }
    }
}

#[cfg(test)]
mod tests;
