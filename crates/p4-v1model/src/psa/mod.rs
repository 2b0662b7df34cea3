//! The Portable Switch Architecture (PSA 1.2, "Packet Path Details"): the passes of a packet through the six blocks.
//!
//! - Ingress: parser, control, deparser. Then a clone of the packet as it arrived, if asked for; and the first of drop,
//!   resubmission, multicast and unicast. The queues hold what the deparser left.
//! - Egress, after the queue: parser, control, deparser. Then a clone of the packet as deparsed, if asked for; and a drop, or
//!   departure. A packet of the recirculation port goes back to ingress.
//!
//! Passes share nothing but the packet's bytes and one kind of metadata, which the context keeps.
//!
//! What the specification leaves open: undefined metadata are zero, as are undefined `resubmit_meta` and the like. A queue
//! with a higher class of service is served first, and a class without a queue counts as 0. Timestamps are in µs from the
//! start of the run. Counters and meters of bytes use the length of the packet as it comes to the pass's parser. A session or
//! group may have any port; session 0 goes to `PSA_PORT_CPU` unless it is configured. Direct counters and meters of a
//! default action exist, but the control plane cannot read or set them.

mod egress;
mod ingress;
mod ports;

pub(super) use ports::{Inside, MAX_LOOPS, PsaPorts, named_port, recirculation_queue};

use jettison_p4_exec::{CloneRequest, Machine};
use jettison_switch::{Mirror, MirrorTo, Port};

use crate::{MirrorSession, MirrorTarget, SimpleSwitch};

/// How a packet came to a block: members of `PSA_PacketPath_t`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Path {
    Normal = 0,
    NormalUnicast = 1,
    NormalMulticast = 2,
    CloneI2e = 3,
    CloneE2e = 4,
    Resubmit = 5,
    Recirculate = 6,
}

/// `PSA_CLONE_SESSION_TO_CPU`.
const SESSION_TO_CPU: u32 = 0;

impl<M: Machine> SimpleSwitch<M> {
    /// Clones the packet `tag`: its frame as it is now, truncated, with the state that the machine holds.
    fn psa_clone(&mut self, tag: u32, session: u64) -> Option<Mirror> {
        let session = self.psa_session(session)?;
        let clone = self.contexts.take();
        let (original, copy) = self.contexts.pair(tag, clone);
        copy.copy_frame(original);
        copy.consumed = 0;
        if let Some(length) = session.truncate
            && copy.frame().length() > length as usize
        {
            copy.truncate = Some(length as usize);
            copy.deparse(&[]);
            (copy.truncate, copy.is_cut) = (None, true);
        }
        self.machine.save(&mut copy.saved);
        copy.is_clone = true;
        let class = u64::from(session.priority);
        copy.priority = class;
        let to = match session.to {
            MirrorTarget::Port(port) => MirrorTo::Queue { port, class: self.class_or_lowest(port, class) },
            // The class of each member is set at replication.
            MirrorTarget::Group(group) => MirrorTo::Group { group, class: 0 },
        };
        if let MirrorTo::Queue { port, .. } = to {
            self.contexts.get_mut(clone).priority = self.psa_class(port, class);
        }
        Some(Mirror { to, tag: clone })
    }

    fn psa_session(&mut self, number: u64) -> Option<MirrorSession> {
        let number = u32::try_from(number).unwrap_or(u32::MAX);
        if number == SESSION_TO_CPU
            && self.mirrors.session(number).is_none()
            && let Some(port) = self.psa.as_ref().and_then(|ports| ports.cpu)
        {
            return Some(MirrorSession::to_port(port));
        }
        self.session(CloneRequest { egress: false, session: number, keep: None })
    }

    /// The class of service of a packet at a port: 0 if no queue has the class.
    fn psa_class(&mut self, port: Port, class: u64) -> u64 {
        match self.class(port, class) {
            Some(_) => class,
            None => {
                self.counters.unsupported_classes += 1;
                0
            }
        }
    }
}
