//! Clone sessions.

use jettison_switch::Port;
use rustc_hash::FxHashMap;

/// Target and settings of a clone session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MirrorSession {
    /// Target.
    pub to: MirrorTarget,
    /// Maximum length of a clone's frame after deparsing, in bytes.
    pub truncate: Option<u32>,
    /// Priority, in the numbering of `standard_metadata.priority`: the highest is served first. `simple_switch` has no
    /// such setting; its value, and the default, is 0, the lowest.
    pub priority: u8,
}

/// Target of a clone session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MirrorTarget {
    /// The queue of a port.
    Port(Port),
    /// Each member of a multicast group.
    Group(u16),
}

impl MirrorSession {
    /// Maximum session number.
    pub const MAX: u32 = 32_767;

    /// Session to a port, without truncation, at the lowest priority.
    pub fn to_port(port: Port) -> MirrorSession {
        MirrorSession { to: MirrorTarget::Port(port), truncate: None, priority: 0 }
    }

    /// Session to a multicast group, without truncation, at the lowest priority.
    pub fn to_group(group: u16) -> MirrorSession {
        MirrorSession { to: MirrorTarget::Group(group), truncate: None, priority: 0 }
    }
}

/// Configured sessions.
#[derive(Debug, Clone, Default)]
pub(crate) struct Mirrors {
    sessions: FxHashMap<u32, MirrorSession>,
}

impl Mirrors {
    pub fn session(&self, number: u32) -> Option<MirrorSession> {
        self.sessions.get(&number).copied()
    }

    pub fn configure(&mut self, number: u32, session: MirrorSession) {
        self.sessions.insert(number, session);
    }

    /// Removes a session; returns false if it was not configured.
    pub fn remove(&mut self, number: u32) -> bool {
        self.sessions.remove(&number).is_some()
    }
}
