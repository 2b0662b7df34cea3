//! STF, packet tests of P4 programs: input packets, expected output packets, and commands of the control plane.
//!
//! ```text
//! # comment
//! add ingress.t 10 hdr.h.a:0x0* hdr.h.b:5 set_port(port:2)   # the larger priority wins
//! setdefault t drop()
//! packet 0 0a 05 ff
//! expect 2 0a 05 **            # a prefix, nibble by nibble
//! packet 0 0b 05
//! expect 2 0b05 $              # end of the packet
//! ```
//!
//! The language is that of the tests of p4lang's compiler for BMv2. [`parse`] reads a test, [`resolve()`] resolves its
//! names in a program, [`run`] runs it, and [`Outcome`] is the result.
//!
//! Output is checked at the end, when no packet is in flight, for each port separately:
//!
//! - The output of a port is compared in order with its `expect` lines. A missing, surplus or different packet fails
//!   the test.
//! - A packet without an `expect` fails the test if a line names its port; if the test contains `no_packet`, it fails
//!   on any port. Otherwise ports that no line names are ignored, as in p4lang's own runner.
//! - `expect PORT` without data matches any packet. If a port has only such lines, surplus packets are allowed.
//!
//! A key's value compares only the bits of its digits: `0x1` leaves the upper four bits open for a `ternary` key of 8
//! bits, and is a prefix of four bits for an `lpm` key. Decimal values compare all bits.
//!
//! Virtual time advances by a microsecond per packet and by a second at `wait`.

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
pub use testbed::{EndlessLoop, Sent, Testbed};
