//! Web-like load: short transfers at Poisson instants with heavy-tailed sizes, one TCP connection per transfer.

use std::collections::VecDeque;

use jettison_core::{Bytes, Duration, RandomStream, Time};
use jettison_measure::{Unit, UnitKind};
use jettison_registry::style::{Line::Solid, ORANGE};
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
    Entry::<FlowApplication>::new("web", "web", build)
        .style(ORANGE, Solid)
        .summary("short transfers at Poisson instants with heavy-tailed sizes, a connection each")
        .source("Crovella & Bestavros 1997 §3")
        .page("applications.md")
        .facts(FlowFacts::over(&["tcp"]))
}

fn build(parameters: WebParameters, context: &FlowContext<'_>) -> Result<FlowApplications, ParameterError> {
    let options = context.tcp()?;
    let WebParameters { transfers_per_second: transfers, min_size, max_size, shape } = parameters;
    let holds = transfers > 0.0 && transfers <= 1e6;
    ParameterError::require(holds, "transfers_per_second", "be > 0 and at most a million", transfers)?;
    ParameterError::require(shape.is_finite() && shape > 0.0, "shape", "be > 0", shape)?;
    let holds = min_size > Bytes::ZERO && min_size <= max_size;
    let most = format!("be > 0 and at most max_size ({max_size})");
    ParameterError::require(holds, "min_size", &most, min_size)?;
    let (arrivals, sizes) = ((context.random)("arrivals"), (context.random)("sizes"));
    Ok(FlowApplications {
        from: Box::new(Web::new(&parameters, context.remote, options.clone(), arrivals, sizes)),
        to: Some(Box::new(TcpSink::new(context.remote.port, options))),
    })
}

/// Parameters of `web`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebParameters {
    /// Mean number of transfers started per second (Poisson).
    pub transfers_per_second: f64,
    /// Minimum size of a transfer.
    pub min_size: Bytes,
    /// Maximum size of a transfer.
    pub max_size: Bytes,
    /// Shape of the bounded Pareto distribution of sizes; the smaller, the heavier the tail.
    pub shape: f64,
}

impl Default for WebParameters {
    fn default() -> WebParameters {
        WebParameters {
            transfers_per_second: 5.0,
            // Crovella & Bestavros 1997 §3: web files are Pareto with a shape near 1.2.
            min_size: Bytes::new(4_000),
            max_size: Bytes::new(10_000_000),
            shape: 1.2,
        }
    }
}

/// The sender: opens a connection per transfer, sends its bytes, closes, and measures the time until all bytes are
/// acknowledged.
#[derive(Debug, Clone)]
pub struct Web {
    // Parameters.
    remote: Endpoint,
    options: TcpOptions,
    mean_gap: f64,
    sizes: BoundedPareto,
    arrivals: RandomStream,
    // State: unfinished transfers, in order of their start.
    open: VecDeque<(SocketId, u64, Time)>,
    /// Number of the next transfer.
    number: u64,
    next: Option<Time>,
}

/// Pareto distribution bounded to `low..=high`.
#[derive(Debug, Clone)]
struct BoundedPareto {
    low: f64,
    shape: f64,
    // 1 − (low / high)^shape
    mass: f64,
    random: RandomStream,
}

impl BoundedPareto {
    fn draw(&mut self) -> u64 {
        // Inversion: F(x) = (1 − (low/x)^a) / (1 − (low/high)^a).
        let tail = 1.0 - self.random.unit() * self.mass;
        libm::round(self.low / libm::pow(tail, 1.0 / self.shape)) as u64
    }
}

impl Web {
    /// Creates a load towards `remote`. The registry has validated the parameters.
    pub fn new(
        parameters: &WebParameters,
        remote: Endpoint,
        options: TcpOptions,
        arrivals: RandomStream,
        sizes: RandomStream,
    ) -> Web {
        let (low, high) = (parameters.min_size.get() as f64, parameters.max_size.get() as f64);
        let mass = 1.0 - libm::pow(low / high, parameters.shape);
        Web {
            remote,
            options,
            mean_gap: 1.0 / parameters.transfers_per_second,
            sizes: BoundedPareto { low, shape: parameters.shape, mass, random: sizes },
            arrivals,
            open: VecDeque::new(),
            number: 0,
            next: None,
        }
    }

    fn gap(&mut self) -> Duration {
        Duration::from_secs_f64(self.arrivals.exponential(self.mean_gap))
    }

    fn remove(&mut self, socket: SocketId) -> Option<(u64, Time)> {
        let at = self.open.iter().position(|(open, ..)| *open == socket)?;
        self.open.remove(at).map(|(_, number, started)| (number, started))
    }
}

impl Application for Web {
    fn start(&mut self, now: Time, _: &mut dyn Sockets) {
        self.next = Some(now + self.gap());
    }

    fn handle_event(&mut self, event: SocketEvent, now: Time, host: &mut dyn Sockets) {
        match event {
            SocketEvent::Acknowledged(socket) if host.unacknowledged(socket) == 0 => {
                if let Some((number, started)) = self.remove(socket) {
                    host.meter().completed(now.since(started));
                    if let Some(events) = host.meter().events() {
                        events.loaded(started, now, Some(Unit::new(UnitKind::Response, number, 0)));
                    }
                }
            }
            SocketEvent::Closed(socket, _) if self.remove(socket).is_some() => host.meter().failed(),
            _ => {}
        }
    }

    fn handle_wakeup(&mut self, now: Time, host: &mut dyn Sockets) {
        while let Some(at) = self.next.filter(|at| *at <= now) {
            let socket = host.tcp_connect(self.remote, &self.options);
            let size = self.sizes.draw();
            host.carries(socket, Unit::new(UnitKind::Response, self.number, 0), size);
            host.write(socket, Payload::Zeros(size));
            host.close(socket);
            self.open.push_back((socket, self.number, now));
            self.number += 1;
            self.next = Some(at + self.gap().max(Duration::from_nanos(1)));
        }
    }

    fn next_wakeup(&self) -> Option<Time> {
        self.next
    }

    fn stop(&mut self, _: Time, host: &mut dyn Sockets) {
        self.next = None;
        while let Some((socket, ..)) = self.open.pop_front() {
            host.abort(socket);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jettison_core::Seed;

    #[test]
    fn sizes_stay_in_bounds_with_the_mean_of_a_bounded_pareto() {
        let (low, high, shape) = (4_000.0_f64, 10_000_000.0_f64, 1.2);
        let mass = 1.0 - libm::pow(low / high, shape);
        let mut sizes = BoundedPareto { low, shape, mass, random: Seed(1).stream(&["sizes"]) };
        let drawn: Vec<u64> = (0..400_000).map(|_| sizes.draw()).collect();
        assert!(drawn.iter().all(|s| (4_000..=10_000_000).contains(s)));
        let mean = drawn.iter().sum::<u64>() as f64 / drawn.len() as f64;
        // E[X] = a L^a (L^(1−a) − H^(1−a)) / ((a − 1)(1 − (L/H)^a))
        let expected =
            shape * libm::pow(low, shape) * (libm::pow(low, 1.0 - shape) - libm::pow(high, 1.0 - shape))
                / ((shape - 1.0) * mass);
        assert!((mean / expected - 1.0).abs() < 0.05, "{mean} against {expected}");
    }
}
