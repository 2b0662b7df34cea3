//! A test whose names have been looked up in a program.

use std::sync::Arc;

use crate::control::Command;
use jettison_p4_front::ir::{ActionProfileId, ActionValue, ExternId, KeyMatch, TableId};
use jettison_p4_front::source::Span;

use super::statement::{Comparison, Unit};

/// What a test does, in order.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Packets and changes.
    pub steps: Vec<Step>,
    /// What must come out, in the order of the lines.
    pub expectations: Vec<Expectation>,
    /// Whether there is a `no_packet`: packets out of ports that the test does not name fail it then.
    pub strict: bool,
    /// Ports that a `packet` or `expect` names.
    pub ports: Vec<u16>,
}

/// A step.
#[derive(Debug, Clone)]
pub struct Step {
    /// What it does.
    pub kind: StepKind,
    /// Its line.
    pub span: Span,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// A packet comes in.
    Packet {
        /// Where.
        port: u16,
        /// All of it.
        bytes: Arc<[u8]>,
    },
    /// Time passes.
    Wait,
    /// An entry of a table whose actions' data is in an action profile: a member is made for it.
    AddMember {
        /// The profile.
        profile: ActionProfileId,
        /// What the member runs.
        action: ActionValue,
        /// Which table.
        table: TableId,
        /// The entry's keys and priority; the table's default where `None`.
        entry: Option<(Vec<KeyMatch>, i64)>,
    },
    /// Every entry that is not `const` goes.
    RemoveAll,
    /// A command of the control plane.
    Command(Command),
    /// A counter is read.
    CheckCounter {
        /// Which.
        counter: ExternId,
        /// Which element.
        index: Element,
        /// What of it.
        unit: Unit,
        /// What it must be.
        comparison: Comparison,
    },
    /// A register is read.
    CheckRegister {
        /// Which.
        register: ExternId,
        /// Which element.
        index: u64,
        /// What it must be.
        comparison: Comparison,
    },
}

/// An element of a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// By its number.
    Number(u64),
    /// That of the entry that this step adds.
    Entry(usize),
}

/// A packet that must come out.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Of which port.
    pub port: u16,
    /// What it looks like; anything where `None`.
    pub pattern: Option<Pattern>,
    /// Its line.
    pub span: Span,
}

/// What a packet looks like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Values of 4 bits; `None` for `*`.
    pub nibbles: Vec<Option<u8>>,
    /// Whether the packet ends there (`$`).
    pub exact: bool,
}

impl Pattern {
    /// The first nibble in which a packet differs: one that is another, is missing, or (where the pattern ends) is too
    /// many. `None` if it matches.
    pub fn difference(&self, packet: &[u8]) -> Option<usize> {
        let found = packet.len() * 2;
        let nibble = |at: usize| if at.is_multiple_of(2) { packet[at / 2] >> 4 } else { packet[at / 2] & 15 };
        for (at, wanted) in self.nibbles.iter().enumerate() {
            if at >= found || wanted.is_some_and(|wanted| wanted != nibble(at)) {
                return Some(at);
            }
        }
        (self.exact && found > self.nibbles.len()).then_some(self.nibbles.len())
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for nibble in &self.nibbles {
            match nibble {
                Some(nibble) => write!(f, "{nibble:x}")?,
                None => write!(f, "*")?,
            }
        }
        if self.exact { write!(f, "$") } else { Ok(()) }
    }
}

impl Pattern {
    /// In hex, a blank behind each byte, as packets are printed.
    pub(super) fn spaced(&self) -> Vec<String> {
        let digit = |nibble: &Option<u8>| match nibble {
            Some(nibble) => format!("{nibble:x}"),
            None => "*".to_owned(),
        };
        let mut bytes: Vec<String> =
            self.nibbles.chunks(2).map(|pair| pair.iter().map(digit).collect::<String>() + " ").collect();
        if self.exact {
            bytes.push("$".to_owned());
        }
        bytes
    }
}
