//! What outlives a packet.

use jettison_core::{RandomStream, Time};

use super::Effects;
use crate::objects::Objects;
use crate::table::Tables;
use jettison_p4_front::ir::Program;

/// Tables, objects, and what the blocks ask for.
#[derive(Debug)]
pub struct Plane {
    /// The tables with their entries, action profiles, and value sets.
    pub tables: Tables,
    /// Registers, counters and meters.
    pub objects: Objects,
    /// What the block that runs asks of the architecture.
    pub effects: Effects,
    /// Now, for meters.
    pub now: Time,
    /// The stream that `random` draws from. The architecture puts the one of the port that is served here; boxed, since it
    /// does so twice a packet.
    pub random: Box<RandomStream>,
}

impl Plane {
    /// A plane with the entries and values that the program itself gives.
    pub fn new(program: &Program, random: RandomStream) -> Plane {
        Plane {
            tables: Tables::new(program),
            objects: Objects::new(program),
            effects: Effects::default(),
            now: Time::ZERO,
            random: Box::new(random),
        }
    }
}
