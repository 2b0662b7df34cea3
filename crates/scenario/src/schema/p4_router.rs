//! Routers that run a P4 program.

use std::net::IpAddr;

use jettison_core::{Duration, Time};
use jettison_switch::RecirculationSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueueChoice;
use crate::p4_program::P4Program;

/// A router that runs a P4_16 program for v1model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct P4Router {
    /// The program: a file, from the scenario's folder, or `<ired.p4>` for one that Jettison brings.
    pub program: String,
    /// Folders, from the scenario's, in which the program's includes are looked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// What is defined for the preprocessor: `NAME` or `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// A file of control-plane commands (`table_add`, `mirroring_add`, `register_write`, …), one a line, that are given
    /// before the run; `<ired.commands>` for one that Jettison brings. In it and in all commands here
    /// `${address.NODE}` stands for a node's address and `${port.LINK}` for the number of this router's port to a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<String>,
    /// More commands, given after those of the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub control: Vec<String>,
    /// A command given once for each host, such as `table_add ipv4_lpm forward ${address}/32 => ${port}`: `${address}`
    /// is the host's address and `${port}` the number of the port that leads there by the shortest path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// Commands given at times during the run, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Later>,
    /// The name of the random stream of each port, from which the program's `random()` draws: a native discipline whose
    /// stream has the same name draws alike (`ired` for iRED, `drop` for the others). Default `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// The link of the port whose stream `random()` draws from at ingress too: a program that decides there about one port
    /// (RED) then draws as that port's native discipline does. By default ingress has a stream of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_stream: Option<String>,
    /// Its address; the next free one of 198.18.0.0/15 (RFC 2544) by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The queue of its ports, for links that name none. `bmv2` is the traffic manager of BMv2's `simple_switch`;
    /// with any other the link's own rate serves the port, as in hardware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// From a packet's arrival to the parser. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_delay: Option<Duration>,
    /// The port that packets take from egress back to ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recirculation: Option<RecirculationSettings>,
    /// The program and its commands, compiled: the check of a scenario does it.
    #[serde(skip)]
    pub read: Option<P4Program>,
}

/// Commands given at a time during the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Later {
    /// When.
    pub at: Time,
    /// The commands.
    pub control: Vec<String>,
}

impl P4Router {
    /// The name of the ports' random streams.
    pub fn stream(&self) -> &str {
        self.stream.as_deref().unwrap_or("drop")
    }
}
