//! Statements of a test, with unresolved names.

use super::number::Number;
use super::script::Pattern;
use jettison_p4_front::source::Span;

/// A parsed test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Test {
    /// Statements, in order.
    pub statements: Vec<Statement>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Kind.
    pub kind: StatementKind,
    /// Position of the line, without its comment.
    pub span: Span,
}

/// Kind of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `packet PORT hex`
    Packet {
        /// Ingress port.
        port: u16,
        /// Whole frame.
        bytes: Vec<u8>,
    },
    /// `expect PORT [hex-with-* [$]]`
    Expect {
        /// Egress port.
        port: u16,
        /// Expected bytes; any packet if `None`.
        pattern: Option<Pattern>,
    },
    /// `no_packet`: packets without an `expect` must not leave the switch.
    NoPacket,
    /// `wait`: waits until the switch is idle, plus a second.
    Wait,
    /// `add TABLE [priority] key:value ... action(arguments) [= handle]`
    Add {
        /// Table.
        table: Name,
        /// Priority; the larger wins.
        priority: Option<(i64, Span)>,
        /// Keys; omitted ones match any value (exact keys: 0).
        keys: Vec<KeyValue>,
        /// Action.
        action: Call,
        /// Name of the entry for `check_counter`.
        handle: Option<Name>,
    },
    /// `setdefault TABLE action(arguments)`
    SetDefault {
        /// Table.
        table: Name,
        /// Action.
        action: Call,
    },
    /// `remove all`: removes every entry of every table, except `const` ones.
    RemoveAll,
    /// `check_counter COUNTER(index) [packets|bytes] [== n]`; `counter_read` is the same.
    CheckCounter {
        /// Counter, or the table of a direct counter.
        counter: Name,
        /// Element or entry.
        index: Index,
        /// Unit.
        unit: Unit,
        /// Expected value; if `None`, only the name is checked.
        comparison: Option<Comparison>,
    },
    /// `register_read REGISTER [index [== n]]`
    CheckRegister {
        /// Register.
        register: Name,
        /// Index of the element; all elements if `None`.
        index: Option<u32>,
        /// Expected value.
        comparison: Option<Comparison>,
    },
    /// `mirroring_get SESSION`: prints information in simple_switch; ignored here.
    MirroringGet,
    /// A command in the language of `simple_switch_CLI`: `mirroring_add`, `mc_mgrp_create`, `register_write`, …
    Command(String),
}

/// A name and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Text.
    pub text: String,
    /// Position.
    pub span: Span,
}

/// `name:value` of an entry's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// Name of the key.
    pub name: Name,
    /// Match criterion.
    pub value: Value,
    /// Position of the value.
    pub span: Span,
}

/// Match criterion of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `0x1*`, `17`, `true`
    Number(Number),
    /// `v/n`: the first `n` bits, or a mask if `n` is in hex or binary and not a valid length.
    Slash(Number, Number),
    /// `v &&& mask`
    Mask(Number, Number),
    /// `low -> high`, `low .. high`
    Range(Number, Number),
    /// `*`
    Any,
}

/// An action with arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name of the action.
    pub name: Name,
    /// Arguments, by position or by name.
    pub arguments: Vec<Argument>,
}

/// An argument of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Parameter name; `None` for an argument by position.
    pub name: Option<Name>,
    /// Value.
    pub value: Number,
    /// Position.
    pub span: Span,
}

/// An element of a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// By index. For a direct counter, the index of the entry in order of insertion, from 0.
    Number(u32),
    /// For a direct counter, the entry added with `= name`.
    Entry(Name),
}

/// Unit of a counter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

/// A comparison, such as `== n`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// Relation.
    pub relation: Relation,
    /// Right operand.
    pub value: num_bigint::BigUint,
}

/// Relation between two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Comparison {
    /// Whether a value satisfies the comparison.
    pub fn holds(&self, found: &num_bigint::BigUint) -> bool {
        match self.relation {
            Relation::Equal => *found == self.value,
            Relation::Unequal => *found != self.value,
            Relation::Less => *found < self.value,
            Relation::AtMost => *found <= self.value,
            Relation::Greater => *found > self.value,
            Relation::AtLeast => *found >= self.value,
        }
    }
}

impl std::fmt::Display for Comparison {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let sign = match self.relation {
            Relation::Equal => "==",
            Relation::Unequal => "!=",
            Relation::Less => "<",
            Relation::AtMost => "<=",
            Relation::Greater => ">",
            Relation::AtLeast => ">=",
        };
        write!(f, "{sign} {}", self.value)
    }
}
