//! Routers that run a P4 program.

use std::collections::BTreeMap;

use std::net::IpAddr;

use jettison_core::{Duration, Time};
use jettison_p4_front::ir::TargetModel;
use jettison_switch::{RecirculationSettings, ServiceSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueueChoice;
use crate::p4_program::P4Program;

/// A router that runs a P4_16 program for v1model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct P4Router {
    /// The program: a file relative to the scenario's folder, or a built-in one such as `<ired.p4>`.
    pub program: String,
    /// Folders of included files, relative to the scenario's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub include: Vec<String>,
    /// Preprocessor definitions: `NAME` or `NAME=VALUE`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub define: Vec<String>,
    /// What the program does where BMv2's `simple_switch` departs from the specification, or the specification leaves it open.
    #[serde(default, skip_serializing_if = "is_default")]
    pub target: P4Target,
    /// File of control-plane commands (`table_add`, `mirroring_add`, `register_write`, …), one per line, applied before the
    /// run; or a built-in one such as `<ired.commands>`. In all commands `${address.NODE}` is replaced by the address of a
    /// node, and `${port.LINK}` by the number of this router's port on a link.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<String>,
    /// File of table entries, multicast groups and clone sessions as JSON, in the format of the P4 tutorials'
    /// `sX-runtime.json`, applied after `commands`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entities: Option<String>,
    /// More commands, applied after those of the files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub control: Vec<String>,
    /// Command applied once per host, such as `table_add ipv4_lpm forward ${address}/32 => ${port}`: `${address}` is the
    /// address of the host and `${port}` the number of the port on the shortest path to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub route: Option<String>,
    /// Commands applied during the run, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub later: Vec<Later>,
    /// Name of the random stream of each port, from which the program's `random()` draws. A native discipline with a stream of
    /// the same name draws the same numbers (`ired` for iRED, `drop` for others). Default `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<String>,
    /// Link of the port whose stream `random()` also uses at ingress. A program that decides there for one port (RED) then
    /// draws the same numbers as the native discipline of that port. Default: a separate stream for ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_stream: Option<String>,
    /// Address. Default: the next free one of 198.18.0.0/15 (RFC 2544).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Number of the CPU port, such as 510: packets that the program sends there go to its controller, and those of the
    /// controller arrive there. At most 510, and none of the numbers of the router's links. Default: no CPU port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_port: Option<u16>,
    /// In `jettison live`: where controllers on this machine reach the switch over P4Runtime. Runs of a simulation ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p4runtime: Option<P4RuntimeServer>,
    /// In `jettison live`: where programs on this machine reach the switch over BMv2's Thrift interface, such as
    /// `simple_switch_CLI` and controllers of p4-utils. Runs of a simulation ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thrift: Option<ThriftServer>,
    /// Queue of its ports, for links without `queue`. `bmv2` is the traffic manager of BMv2's `simple_switch`; with any other
    /// discipline the link's rate serves the port, as in hardware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// Time from a packet's arrival to the parser. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_delay: Option<Duration>,
    /// Recirculation port, from egress back to ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recirculation: Option<RecirculationSettings>,
    /// CPU times of its passes, as in a software switch. Default: passes take no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceSettings>,
    /// The compiled program, its commands and entities, set by the check of the scenario.
    #[serde(skip)]
    pub read: Option<P4Program>,
}

/// A P4Runtime server of a live switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct P4RuntimeServer {
    /// Address and TCP port of this machine, such as `127.0.0.1:9559`; port 0 is any free one. The connection has no TLS.
    pub listen: String,
    /// Device id of the switch for its controllers. Default 1.
    #[serde(default = "first_device")]
    pub device_id: u64,
    /// Values of types with `@p4runtime_translation`, by URI: the program's number of each value. Default: numbers stand for
    /// themselves, and each text for the next free number.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub translation: BTreeMap<String, BTreeMap<String, u64>>,
}

/// A Thrift server of a live switch.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ThriftServer {
    /// Address and TCP port of this machine, such as `127.0.0.1:9090`; port 0 is any free one. The connection has no TLS.
    pub listen: String,
    /// Whether any free port takes the place of one that is in use, as for projects, of which few need it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub or_free: bool,
}

fn first_device() -> u64 {
    1
}

/// Whose behaviour a P4 program gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum P4Target {
    /// That of BMv2's `simple_switch`.
    #[default]
    Bmv2,
    /// That of the P4_16 specification.
    Spec,
}

impl From<P4Target> for TargetModel {
    fn from(target: P4Target) -> TargetModel {
        match target {
            P4Target::Bmv2 => TargetModel::Bmv2,
            P4Target::Spec => TargetModel::Spec,
        }
    }
}

fn is_default(target: &P4Target) -> bool {
    *target == P4Target::default()
}

/// Commands applied at a time during the run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Later {
    /// Time since the start of the run.
    pub at: Time,
    /// The commands.
    pub control: Vec<String>,
}

impl P4Router {
    /// Name of the ports' random streams.
    pub fn stream(&self) -> &str {
        self.stream.as_deref().unwrap_or("drop")
    }
}
