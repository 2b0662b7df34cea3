//! A test with resolved names.

use std::sync::Arc;

use crate::control::Command;
use jettison_p4_front::ir::{ActionProfileId, ActionValue, ExternId, KeyMatch, TableId};
use jettison_p4_front::source::Span;

use super::statement::{Comparison, Unit};

/// A resolved test.
#[derive(Debug, Clone, Default)]
pub struct Script {
    /// Packets and commands, in order.
    pub steps: Vec<Step>,
    /// Expected packets, in the order of the lines.
    pub expectations: Vec<Expectation>,
    /// Whether the test contains `no_packet`: unexpected packets on any port then fail it.
    pub strict: bool,
    /// Ports named by a `packet` or `expect`.
    pub ports: Vec<u16>,
}

/// A step.
#[derive(Debug, Clone)]
pub struct Step {
    /// Kind.
    pub kind: StepKind,
    /// Position of the line.
    pub span: Span,
}

/// Kind of a step.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// Sends a packet into the switch.
    Packet {
        /// Ingress port.
        port: u16,
        /// Whole frame.
        bytes: Arc<[u8]>,
    },
    /// Waits until the switch is idle, plus a second.
    Wait,
    /// Adds an entry (or default action) to a table with an action profile, and creates a member for it.
    AddMember {
        /// Profile.
        profile: ActionProfileId,
        /// Action of the member.
        action: ActionValue,
        /// Table.
        table: TableId,
        /// Keys and priority of the entry; `None` for the table's default action.
        entry: Option<(Vec<KeyMatch>, i64)>,
    },
    /// Removes all entries that are not `const`.
    RemoveAll,
    /// Executes a command of the control plane.
    Command(Command),
    /// Checks a counter.
    CheckCounter {
        /// Counter.
        counter: ExternId,
        /// Element.
        index: Element,
        /// Unit.
        unit: Unit,
        /// Expected value.
        comparison: Comparison,
    },
    /// Checks a register.
    CheckRegister {
        /// Register.
        register: ExternId,
        /// Index of the element.
        index: u64,
        /// Expected value.
        comparison: Comparison,
    },
}

/// An element of a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Element {
    /// By index.
    Number(u64),
    /// The element of the entry that a step adds.
    Entry(usize),
}

/// An expected packet.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// Egress port.
    pub port: u16,
    /// Expected bytes; any packet if `None`.
    pub pattern: Option<Pattern>,
    /// Position of the line.
    pub span: Span,
}

/// Pattern of a packet's bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Values of 4 bits; `None` for `*`.
    pub nibbles: Vec<Option<u8>>,
    /// Whether the packet must end after the pattern (`$`).
    pub exact: bool,
}

impl Pattern {
    /// Index of the first nibble that differs, is missing, or (for an exact pattern) is surplus. `None` if the packet
    /// matches.
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
    /// The pattern in hex, with a space after each byte, like packets.
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
