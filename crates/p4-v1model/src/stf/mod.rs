//! STF, the packet tests of P4 programs: what goes in, what must come out, and what the control plane says in between.
//!
//! ```text
//! # comment
//! add ingress.t 10 hdr.h.a:0x0* hdr.h.b:5 set_port(port:2)   # the larger priority wins
//! setdefault t drop()
//! packet 0 0a 05 ff
//! expect 2 0a 05 **            # a prefix, nibble by nibble
//! packet 0 0b 05
//! expect 2 0b05 $              # nothing behind it
//! ```
//!
//! The language is that of the tests of p4lang's compiler for BMv2. [`parse`] reads it, [`resolve()`] looks the names up in
//! a program, [`run`] runs it, and [`Outcome`] says how that went.
//!
//! What is checked is checked at the end, when nothing moves any more, for each port by itself:
//!
//! - The packets that come out of a port are compared with its `expect`s in order. Too few, too many, or another one
//!   fails.
//! - A packet that no `expect` names fails the test where a line names its port, and out of any other port if the test
//!   has a `no_packet`. Ports that no line names are not looked at otherwise, as p4lang's own runner has it.
//! - `expect PORT` without data wants a packet, whatever is in it. If a port has only such lines, more may come.
//!
//! A key's value counts the bits that its digits have: `0x1` for a `ternary` key of 8 bits leaves the upper four open, and
//! for an `lpm` key it is a prefix of four bits. Decimal values count all bits.
//!
//! Virtual time passes: a microsecond from packet to packet, a second at `wait`.

mod lexer;
mod number;
mod parse;
mod report;
mod resolve;
mod runner;
mod script;
mod statement;
mod testbed;

#[cfg(test)]
mod tests;

pub use number::Number;
pub use parse::parse;
pub use report::{Case, junit};
pub use resolve::resolve;
pub use runner::{Outcome, Problem, run};
pub use script::{Element, Expectation, Pattern, Script, Step, StepKind};
pub use statement::{
    Argument, Call, Comparison, Index, KeyValue, Name, Relation, Statement, StatementKind, Test, Unit, Value,
};
pub use testbed::{NeverAtRest, Sent, Testbed};
