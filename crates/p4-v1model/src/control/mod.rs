//! The control plane: what may be asked of a P4 switch while it runs.
//!
//! A [`Command`] is resolved: names have become ids and values numbers of the right width, so that carrying it out can only
//! fail for what is in the switch (a full table, an entry that is not there). [`parse`] makes commands of a file in the
//! language of `simple_switch_CLI`; packet tests make them of their own.

mod answer;
mod apply;
mod command;
mod dump;
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
