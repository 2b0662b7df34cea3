//! Clone sessions.

use jettison_switch::Port;
use rustc_hash::FxHashMap;

/// Where a session's clones go, and what becomes of them on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MirrorSession {
    /// Where to.
    pub to: MirrorTarget,
    /// The most bytes of a clone, its frame counted after deparsing.
    pub truncate: Option<u32>,
    /// Its priority, as `standard_metadata.priority` counts: the highest number is served first. `simple_switch` has no
    /// such thing: there, and by default, it is 0, the lowest.
    pub priority: u8,
}

/// Where a session's clones go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MirrorTarget {
    /// To a port's queue.
    Port(Port),
    /// To each member of a multicast group.
    Group(u16),
}

impl MirrorSession {
    /// The highest number of a session.
    pub const MOST: u32 = 32_767;

    /// To a port, whole, at the lowest priority.
    pub fn to_port(port: Port) -> MirrorSession {
        MirrorSession { to: MirrorTarget::Port(port), truncate: None, priority: 0 }
    }

    /// To a multicast group, whole, at the lowest priority.
    pub fn to_group(group: u16) -> MirrorSession {
        MirrorSession { to: MirrorTarget::Group(group), truncate: None, priority: 0 }
    }
}

/// The sessions that are configured.
#[derive(Debug, Default)]
pub(super) struct Mirrors {
    sessions: FxHashMap<u32, MirrorSession>,
}

impl Mirrors {
    pub fn session(&self, number: u32) -> Option<MirrorSession> {
        self.sessions.get(&number).copied()
    }

    pub fn configure(&mut self, number: u32, session: MirrorSession) {
        self.sessions.insert(number, session);
    }

    /// False if it was not configured.
    pub fn remove(&mut self, number: u32) -> bool {
        self.sessions.remove(&number).is_some()
    }
}
