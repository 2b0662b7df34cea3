//! What a command gives back.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;
use thiserror::Error;

use jettison_p4_exec::table::TableError;

/// What a command gives back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// Nothing but that it is done.
    Done,
    /// The number of what was made: an entry's handle, a profile's member or group, a multicast node.
    Number(u32),
    /// How many there are.
    Count(u64),
    /// The elements of a register.
    Values(Vec<BigUint>),
    /// A counter's element.
    Counter {
        /// Packets.
        packets: u64,
        /// Bytes.
        bytes: u64,
    },
    /// Lines for a reader.
    Text(String),
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Answer::Done => f.write_str("done"),
            Answer::Number(number) => write!(f, "{number}"),
            Answer::Count(count) => write!(f, "{count}"),
            Answer::Values(values) => {
                let values: Vec<String> = values.iter().map(BigUint::to_string).collect();
                f.write_str(&values.join(", "))
            }
            Answer::Counter { packets, bytes } => write!(f, "packets={packets}, bytes={bytes}"),
            Answer::Text(text) => f.write_str(text),
        }
    }
}

/// Why a command was not carried out. Nothing has changed then.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)] // the messages name the fields
pub enum CommandError {
    /// A table refuses it.
    #[error("table `{table}`: {error}")]
    Table { table: Arc<str>, error: TableError },
    /// An action profile refuses it.
    #[error("action profile `{profile}`: {error}")]
    Profile { profile: Arc<str>, error: TableError },
    /// A value set refuses it.
    #[error("value set `{set}`: {error}")]
    ValueSet { set: Arc<str>, error: TableError },
    /// An array is not so long.
    #[error("`{object}` has {length} elements: there is no element {index}")]
    NoElement { object: Arc<str>, index: u64, length: usize },
    /// A session that is not configured.
    #[error("the clone session {0} is not configured")]
    NoSession(u32),
    /// A session that cannot be.
    #[error("{0} is no clone session: they are 0 to 32767")]
    SessionRange(u32),
    /// The switch has no such port.
    #[error("there is no port {port}: the switch has {ports}, from 0")]
    NoPort { port: u16, ports: usize },
    /// A port has no queue of that priority.
    #[error("port {port} has no queue of priority {priority}")]
    NoPriority { port: u16, priority: u8 },
    /// No queue takes the setting.
    #[error("no queue meant here has a {0} that can be set: `bmv2` has")]
    NoQueueSetting(&'static str),
    /// A multicast group that is not there.
    #[error("there is no multicast group {0}: create it with `mc_mgrp_create {0}`")]
    NoGroup(u16),
    /// Group 0 means no multicast.
    #[error("0 is no multicast group: it means that a packet is not multicast")]
    GroupZero,
    /// A multicast group that is there already.
    #[error("the multicast group {0} is there already")]
    GroupExists(u16),
    /// A multicast node that is not there.
    #[error("there is no multicast node {0}")]
    NoNode(u32),
    /// A multicast node that has a group.
    #[error("the multicast node {node} is in group {group} already: a node is in one group at most")]
    NodeInGroup { node: u32, group: u16 },
    /// A multicast node that is not in the group.
    #[error("the multicast node {node} is not in group {group}")]
    NodeNotInGroup { node: u32, group: u16 },
}
