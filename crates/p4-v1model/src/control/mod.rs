//! Control plane: commands to a running P4 switch.
//!
//! A [`Command`] is resolved: names are replaced by ids and values are numbers of the right width. Its execution can
//! only fail because of the switch's state (a full table, an unknown entry). [`parse`] reads commands from a file in
//! the language of `simple_switch_CLI`; packet tests create them directly.

mod answer;
mod apply;
mod command;
mod dump;
mod members;
mod names;
mod parse;
mod replication;
mod sessions;
#[cfg(test)]
mod tests;
mod values;
mod words;

pub use answer::{Answer, CommandError};
pub use command::Command;
pub use names::{Names, suffix_matches};
pub use parse::{Located, parse};
pub use replication::{Node, Replication};
pub use sessions::unconfigured_sessions;
pub use values::{key_match, parse_value};
