//! PSA's ports without a link: the controller's, and the one that leads back to ingress.

use jettison_core::Time;
use jettison_measure::Outcomes;
use jettison_p4_exec::Machine;
use jettison_p4_front::ir::Program;
use jettison_queue::tail_drop::{TailDrop, TailDropParameters};
use jettison_queue::{Limit, QueueDiscipline};
use jettison_switch::{Port, PortOutcomes};
use jettison_wire::Packet;

use crate::SimpleSwitch;

/// `PSA_PORT_RECIRCULATE`.
const RECIRCULATE: u64 = 0xffff_fffa;
/// `PSA_PORT_CPU`.
const CPU: u64 = 0xffff_fffd;

/// Maximum number of packets that the recirculation port serves at one time.
pub(crate) const MAX_LOOPS: u32 = 1 << 8;

/// Packets that wait in the recirculation port, which is served at once.
const WAITING: u64 = 1 << 16;

/// The ports of a PSA switch.
#[derive(Debug, Clone)]
pub(crate) struct PsaPorts {
    /// Number of ports with links.
    count: usize,
    /// The port of the controller.
    pub cpu: Option<Port>,
}

/// The queue of the recirculation port. Its rate and delay are those of the recirculation path behind it.
pub(crate) fn recirculation_queue() -> Box<dyn QueueDiscipline> {
    Box::new(TailDrop::new(TailDropParameters { limit: Limit::packets(WAITING) }))
}

/// A port that the control plane names, as a [`Port`] that [`SimpleSwitch::real_port`] resolves: the lower half of its
/// number.
pub(crate) fn named_port(word: &str) -> Option<Port> {
    let number = match word {
        "PSA_PORT_RECIRCULATE" => RECIRCULATE,
        "PSA_PORT_CPU" => CPU,
        _ => match word.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16)) {
            Some(number) => number.ok()?,
            None => word.parse().ok()?,
        },
    };
    matches!(number, RECIRCULATE | CPU).then_some(Port(number as u16))
}

impl PsaPorts {
    /// The ports of a program's switch; `None` for v1model.
    pub fn of(program: &Program, count: usize) -> Option<PsaPorts> {
        program.pipeline.psa.as_ref().map(|_| PsaPorts { count, cpu: None })
    }

    /// The recirculation port, behind the others.
    pub fn recirculation(&self) -> Port {
        Port(u16::try_from(self.count).unwrap_or(u16::MAX))
    }

    /// The number that a program sees.
    pub fn seen(&self, port: Port) -> u64 {
        if port == self.recirculation() {
            RECIRCULATE
        } else if Some(port) == self.cpu {
            CPU
        } else {
            u64::from(port.0)
        }
    }

    /// The port that a program means; `None` if it does not exist (the specification's `platform_port_valid`).
    pub fn meant(&self, number: u64) -> Option<Port> {
        match number {
            RECIRCULATE => Some(self.recirculation()),
            CPU => self.cpu,
            number => u16::try_from(number).ok().map(Port).filter(|port| usize::from(port.0) < self.count),
        }
    }
}

impl<M: Machine> SimpleSwitch<M> {
    /// PSA: makes a port that of the controller.
    pub(crate) fn set_controller_port(&mut self, port: Option<Port>) {
        if let Some(psa) = &mut self.psa {
            psa.cpu = port;
        }
    }

    /// PSA's recirculation port, which is behind the others; `None` for v1model.
    pub(crate) fn recirculation_port(&self) -> Option<Port> {
        self.psa.as_ref().map(PsaPorts::recirculation)
    }

    /// The port that the control plane means. One that does not exist stays as it is.
    pub(crate) fn real_port(&self, port: Port) -> Port {
        let Some(psa) = &self.psa else { return port };
        let special = [RECIRCULATE, CPU].into_iter().find(|number| *number as u16 == port.0);
        special.and_then(|number| psa.meant(number)).unwrap_or(port)
    }
}

/// The sink without the recirculation port, of which callers do not know: its drops are those of the switch.
pub(crate) struct Inside<'a> {
    pub inner: &'a mut dyn PortOutcomes,
    pub port: Port,
}

impl PortOutcomes for Inside<'_> {
    fn at(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.inner.at(port.filter(|port| *port != self.port))
    }
    fn beside(&mut self, port: Option<Port>) -> &mut dyn Outcomes {
        self.inner.beside(port.filter(|port| *port != self.port))
    }
    fn offered(&mut self, port: Port, packet: &Packet, now: Time) {
        if port != self.port {
            self.inner.offered(port, packet, now);
        }
    }
    fn enqueued(&mut self, port: Port, packet: &Packet, now: Time) {
        if port != self.port {
            self.inner.enqueued(port, packet, now);
        }
    }
    fn dequeued(&mut self, port: Port, packet: &Packet, now: Time) {
        if port != self.port {
            self.inner.dequeued(port, packet, now);
        }
    }
}
