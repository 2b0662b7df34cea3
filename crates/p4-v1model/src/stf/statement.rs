//! The lines of a test as they are written: names are not looked up yet.

use super::number::Number;
use super::script::Pattern;
use jettison_p4_front::source::Span;

/// A test: its lines that say something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Test {
    /// In order.
    pub statements: Vec<Statement>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it says.
    pub kind: StatementKind,
    /// The line without its comment.
    pub span: Span,
}

/// What a line says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StatementKind {
    /// `packet PORT hex`
    Packet {
        /// Where it comes in.
        port: u16,
        /// All of it.
        bytes: Vec<u8>,
    },
    /// `expect PORT [hex-with-* [$]]`
    Expect {
        /// Where it comes out.
        port: u16,
        /// What it looks like; anything where `None`.
        pattern: Option<Pattern>,
    },
    /// `no_packet`: what no `expect` names must not come out.
    NoPacket,
    /// `wait`: lets everything come to rest, and a second pass.
    Wait,
    /// `add TABLE [priority] key:value ... action(arguments) [= handle]`
    Add {
        /// The table.
        table: Name,
        /// The larger wins.
        priority: Option<(i64, Span)>,
        /// Those that are not named match anything (exact keys: 0).
        keys: Vec<KeyValue>,
        /// What it runs.
        action: Call,
        /// What the entry is called in `check_counter`.
        handle: Option<Name>,
    },
    /// `setdefault TABLE action(arguments)`
    SetDefault {
        /// The table.
        table: Name,
        /// What it runs.
        action: Call,
    },
    /// `remove all`: every entry of every table, but `const` ones.
    RemoveAll,
    /// `check_counter COUNTER(index) [packets|bytes] [== n]`; `counter_read` is the same.
    CheckCounter {
        /// The counter, or the table that has it.
        counter: Name,
        /// Which of its elements, or which entry.
        index: Index,
        /// What is compared.
        unit: Unit,
        /// With what; nothing is checked but the name where `None`.
        comparison: Option<Comparison>,
    },
    /// `register_read REGISTER [index [== n]]`
    CheckRegister {
        /// The register.
        register: Name,
        /// Which element; all of them where `None`.
        index: Option<u32>,
        /// With what it is compared.
        comparison: Option<Comparison>,
    },
    /// `mirroring_get SESSION`: where simple_switch prints something, nothing happens here.
    MirroringGet,
    /// A command as `simple_switch_CLI` has it: `mirroring_add`, `mc_mgrp_create`, `register_write`, …
    Command(String),
}

/// A name and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

/// `name:value` of an entry's key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyValue {
    /// The key.
    pub name: Name,
    /// What it must be.
    pub value: Value,
    /// Of the value.
    pub span: Span,
}

/// What a key must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `0x1*`, `17`, `true`
    Number(Number),
    /// `v/n`: the first `n` bits, or a mask where `n` is in hex or binary and no length.
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
    /// The action.
    pub name: Name,
    /// By position or by name.
    pub arguments: Vec<Argument>,
}

/// An argument of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// Of which parameter; by position where `None`.
    pub name: Option<Name>,
    /// Its value.
    pub value: Number,
    /// Where it stands.
    pub span: Span,
}

/// An element of a counter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Index {
    /// By its number. Of a direct counter: the entry's, in order of insertion from 0.
    Number(u32),
    /// Of a direct counter: the entry that was added with `= name`.
    Entry(Name),
}

/// What a counter counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Packets.
    Packets,
    /// Bytes.
    Bytes,
}

/// `== n` and its like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// How.
    pub relation: Relation,
    /// With what.
    pub value: num_bigint::BigUint,
}

/// How two numbers are compared.
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
    /// Whether a value is as wanted.
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
