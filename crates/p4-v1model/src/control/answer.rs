//! Results and errors of commands.

use std::fmt;
use std::sync::Arc;

use num_bigint::BigUint;
use thiserror::Error;

use jettison_p4_exec::table::TableError;

/// Result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The command has no result.
    Done,
    /// Number of a new object: an entry's handle, a profile's member or group, or a multicast node.
    Number(u32),
    /// Number of entries.
    Count(u64),
    /// Elements of a register.
    Values(Vec<BigUint>),
    /// Element of a counter.
    Counter {
        /// Number of packets.
        packets: u64,
        /// Number of bytes.
        bytes: u64,
    },
    /// Text for humans.
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

/// Failure of a command; the switch is unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)] // the messages name the fields
pub enum CommandError {
    /// Rejected by a table.
    #[error("table `{table}`: {error}")]
    Table { table: Arc<str>, error: TableError },
    /// Rejected by an action profile.
    #[error("action profile `{profile}`: {error}")]
    Profile { profile: Arc<str>, error: TableError },
    /// Rejected by a value set.
    #[error("value set `{set}`: {error}")]
    ValueSet { set: Arc<str>, error: TableError },
    /// Array index out of range.
    #[error("the index of `{object}` must be < {length}, got {index}")]
    NoElement { object: Arc<str>, index: u64, length: usize },
    /// Unconfigured clone session.
    #[error("the clone session {0} is not configured")]
    NoSession(u32),
    /// Invalid clone session number.
    #[error("a clone session must be from 0 to 32767, got {0}")]
    SessionRange(u32),
    /// Unknown port.
    #[error("the port must be < {ports}, got {port}")]
    NoPort { port: u16, ports: usize },
    /// Priority without a queue at the port.
    #[error("port {port} has no queue of priority {priority}")]
    NoPriority { port: u16, priority: u8 },
    /// Setting that no queue supports.
    #[error("no selected queue has a configurable {0}; only `bmv2` queues do")]
    NoQueueSetting(&'static str),
    /// Unknown multicast group.
    #[error("unknown multicast group {0}: create it with `mc_mgrp_create {0}`")]
    NoGroup(u16),
    /// Group 0, which means "not multicast".
    #[error("a multicast group must be > 0, got 0 (which means that a packet is not multicast)")]
    GroupZero,
    /// Multicast group that already exists.
    #[error("the multicast group {0} already exists")]
    GroupExists(u16),
    /// Unknown multicast node.
    #[error("unknown multicast node {0}")]
    NoNode(u32),
    /// Multicast node that already is in a group.
    #[error("the multicast node {node} is already in group {group}; a node can be in at most one group")]
    NodeInGroup { node: u32, group: u16 },
    /// Multicast node that is not in the group.
    #[error("the multicast node {node} is not in group {group}")]
    NodeNotInGroup { node: u32, group: u16 },
}
