//! State that outlives a packet.

use jettison_core::{RandomStream, Time};

use super::Effects;
use crate::objects::Objects;
use crate::table::Tables;
use jettison_p4_front::ir::Program;

/// Tables, extern objects, and requests of the blocks.
#[derive(Debug, Clone)]
pub struct Plane {
    /// Tables with their entries, action profiles and value sets.
    pub tables: Tables,
    /// Registers, counters and meters.
    pub objects: Objects,
    /// Requests of the current block to the architecture.
    pub effects: Effects,
    /// Current time, for meters.
    pub now: Time,
    /// Length of the packet as it came to ingress, which counters and meters of bytes count.
    pub packet_bytes: u64,
    /// Random stream of `random`. The architecture sets the stream of the port that is served, twice per packet; boxed
    /// to make this cheap.
    pub random: Box<RandomStream>,
}

impl Plane {
    /// Creates a plane with the entries and initial values of the program.
    pub fn new(program: &Program, random: RandomStream) -> Plane {
        Plane {
            tables: Tables::new(program),
            objects: Objects::new(program),
            effects: Effects::default(),
            now: Time::ZERO,
            packet_bytes: 0,
            random: Box::new(random),
        }
    }
}
