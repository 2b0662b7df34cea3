//! Segments at an interval over one TCP connection: the on/off pattern of adaptive streaming, without a player.
//!
//! A player with a full buffer fetches one segment per segment duration, so the connection alternates between activity
//! and idleness (Akhshabi, Begen, Dovrolis 2011, §3). Here the server writes one segment per `interval`, independent
//! of the arrival of the previous one, which keeps the offered load the same under every queue discipline.

use std::collections::VecDeque;

use jettison_core::{Bytes, Duration, Time};
use jettison_measure::{Unit, UnitKind};
use jettison_registry::style::{Line::Solid, PINK};
use jettison_registry::{Entry, ParameterError};
use jettison_tcp::{Endpoint, Payload};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sink::TcpSink;
use jettison_sockets::{
    Application, FlowApplication, FlowApplications, FlowContext, FlowFacts, SocketEvent, SocketId, Sockets,
    TcpOptions,
};

/// Its entry in the list of applications.
pub fn entry() -> Entry<FlowApplication> {
    Entry::<FlowApplication>::new("segments", "segments", build)
        .style(PINK, Solid)
        .summary("a segment at an interval over one connection: the on/off pattern of streaming")
        .source("Akhshabi, Begen, Dovrolis 2011 §3 (steady state)")
        .page("applications.md")
        .facts(FlowFacts::over(&["tcp"]))
}

fn build(
    parameters: SegmentsParameters,
    context: &FlowContext<'_>,
) -> Result<FlowApplications, ParameterError> {
    let options = context.tcp()?;
    let SegmentsParameters { size, interval } = parameters;
    ParameterError::require(size > Bytes::ZERO, "size", "be > 0", size)?;
    ParameterError::require(!interval.is_zero(), "interval", "be > 0", interval)?;
    Ok(FlowApplications {
        from: Box::new(Segments::new(&parameters, context.remote, options.clone())),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

/// Parameters of `segments`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SegmentsParameters {
    /// Size of a segment. The default is four seconds at 2 Mbit/s.
    pub size: Bytes,
    /// Interval between the starts of two segments.
    pub interval: Duration,
}

impl Default for SegmentsParameters {
    fn default() -> SegmentsParameters {
        SegmentsParameters { size: Bytes::new(1_000_000), interval: Duration::from_secs(4) }
    }
}

/// The sender: writes a segment per interval, and measures the time until it is fully acknowledged.
#[derive(Debug, Clone)]
pub struct Segments {
    // Parameters.
    remote: Endpoint,
    options: TcpOptions,
    size: u64,
    interval: Duration,
    // State.
    socket: Option<SocketId>,
    /// Segments written so far.
    number: u64,
    /// Bytes written to the current connection.
    written: u64,
    /// Unacknowledged segments, oldest first: the stream offset of their ends, and when they were written.
    under_way: VecDeque<(u64, Time)>,
    next: Option<Time>,
}

impl Segments {
    /// Creates a sender to `remote`. The registry has validated the parameters.
    pub fn new(parameters: &SegmentsParameters, remote: Endpoint, options: TcpOptions) -> Segments {
        Segments {
            remote,
            options,
            size: parameters.size.get(),
            interval: parameters.interval,
            socket: None,
            number: 0,
            written: 0,
            under_way: VecDeque::new(),
            next: None,
        }
    }

    fn write_segment(&mut self, now: Time, host: &mut dyn Sockets) {
        let socket = match self.socket {
            Some(socket) => socket,
            None => {
                let socket = host.tcp_connect(self.remote, &self.options);
                host.observe(socket);
                self.written = 0;
                *self.socket.insert(socket)
            }
        };
        self.number += 1;
        host.carries(socket, Unit::new(UnitKind::Segment, self.number, 0), self.size);
        host.write(socket, Payload::Zeros(self.size));
        self.written += self.size;
        self.under_way.push_back((self.written, now));
    }
}

impl Application for Segments {
    fn start(&mut self, now: Time, _: &mut dyn Sockets) {
        self.next = Some(now);
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Acknowledged(socket) if self.socket == Some(socket) => {
                let acknowledged = self.written - host.unacknowledged(socket);
                while let Some((_, started)) = self.under_way.pop_front_if(|(end, _)| *end <= acknowledged) {
                    host.meter().completed(now.since(started));
                }
            }
            // Unacknowledged segments are lost with the connection; the next segment opens another.
            SocketEvent::Closed(socket, _) if self.socket == Some(socket) => {
                self.socket = None;
                self.under_way.drain(..).for_each(|_| host.meter().failed());
            }
            _ => {}
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            self.write_segment(now, host);
            self.next = Some(at + self.interval);
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, host: &mut dyn Sockets) {
        self.next = None;
        self.under_way.clear();
        if let Some(socket) = self.socket.take() {
            host.abort(socket);
        }
    }
}
