//! Echo requests at an interval: ICMP as `ping`, or UDP.

use jettison_core::{Bytes, Duration, Time};
use jettison_measure::{Description, Unit, UnitKind, metrics};
use jettison_registry::style::{Line::Solid, OLIVE};
use jettison_registry::{Entry, ParameterError};
use jettison_wire::Address;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::echo::{UdpEcho, UdpPing};
use super::probe::{ProbeSender, check_payload};
use jettison_sockets::{
    Application, EchoRequest, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, Sockets,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("ping", "ping", build)
        .style(OLIVE, Solid)
        .summary("echo requests at an interval, over ICMP or UDP")
        .source("RFC 792, RFC 4443 §4")
        .page("applications.md")
        .facts(FlowFacts::over(&[]))
}

fn build(parameters: PingParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let PingParameters { interval, payload, dscp, protocol, count } = parameters;
    ParameterError::require(!interval.is_zero(), "interval", "be > 0", interval)?;
    ParameterError::require(payload.get() <= 65_000, "payload", "be at most 65000 bytes", payload)?;
    ParameterError::require(dscp < 64, "dscp", "be 0 to 63", dscp)?;
    if protocol == Protocol::Udp {
        check_payload(payload)?;
        let sender = ProbeSender::new(context.remote, payload.get() as u16, dscp << 2);
        return Ok(FlowApplications {
            from: Box::new(UdpPing::new(sender, interval, count)),
            to: Some(Box::new(UdpEcho::new(context.remote.port))),
        });
    }
    Ok(FlowApplications { from: Box::new(Ping::new(&parameters, context.remote.address)), to: None })
}

/// Parameters of `ping`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PingParameters {
    /// Interval between two requests.
    pub interval: Duration,
    /// Payload of each request; over UDP >= 16 bytes.
    pub payload: Bytes,
    /// Number of requests; unset: send until the end of the flow.
    pub count: Option<u64>,
    /// Differentiated-services code point, 0 to 63.
    pub dscp: u8,
    /// Protocol of requests and replies: `icmp`, which hosts answer, or `udp`, which a program at `to` answers.
    pub protocol: Protocol,
}

/// Protocol of echo requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
pub enum Protocol {
    /// ICMP echo.
    Icmp,
    /// UDP datagrams that are returned.
    Udp,
}

impl Default for PingParameters {
    fn default() -> PingParameters {
        // Defaults of iputils' ping: one request per second, 56 bytes.
        PingParameters {
            interval: Duration::from_secs(1),
            payload: Bytes::new(56),
            count: None,
            dscp: 0,
            protocol: Protocol::Icmp,
        }
    }
}

/// The sender: sends echo requests and records the round-trip times.
#[derive(Debug, Clone)]
pub struct Ping {
    // Parameters.
    remote: Address,
    interval: Duration,
    request: EchoRequest,
    left: u64,
    // State.
    next_number: u64,
    next: Option<Time>,
}

impl Ping {
    /// Creates a ping of `remote`. The registry has validated the parameters.
    pub fn new(parameters: &PingParameters, remote: Address) -> Ping {
        let request = EchoRequest {
            sequence: 0,
            length: parameters.payload.get() as u16,
            traffic_class: parameters.dscp << 2,
        };
        let left = parameters.count.unwrap_or(u64::MAX);
        Ping { remote, interval: parameters.interval, request, left, next_number: 0, next: None }
    }
}

impl Application for Ping {
    fn start(&mut self, now: Time, _: &mut dyn Sockets) {
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        if let SocketEvent::EchoReply { sequence, rtt } = event {
            // The header's 16 bits count modulo 65,536: choose the nearest number below the next one to be sent.
            let behind = u64::from((self.next_number as u16).wrapping_sub(sequence));
            if !host.meter().echo_received(self.next_number.saturating_sub(behind)) {
                return; // a copy
            }
            // Half a round trip is not a one-way delay: only the round trip and its arrival are recorded.
            host.meter().round_trip(rtt);
            host.point(metrics::RTT, now, rtt.as_nanos() as f64 / 1e6);
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            if self.left == 0 {
                self.next = None;
                return;
            }
            self.left -= 1;
            host.meter().sent();
            host.describes(Description::new(Unit::new(UnitKind::Echo, self.next_number, 0), 0));
            host.send_echo(self.remote, &self.request);
            self.next_number += 1;
            self.request.sequence = self.next_number as u16;
            self.next = Some(at + self.interval);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, _: &mut dyn Sockets) {
        self.next = None;
    }
}
