//! Hosts and routers.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use indexmap::IndexMap;
use jettison_core::Duration;
use jettison_switch::{RecirculationSettings, ServiceSettings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{HardwareAddress, Layer, P4Router, QueueChoice};

/// A node of the topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(title = "node kind")]
pub enum Node {
    /// Runs transports and applications; does not forward.
    Host(Host),
    /// Forwards natively.
    Router(Router),
    /// Forwards by a P4_16 program for v1model.
    P4(Box<P4Router>),
}

/// A host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Address. Default: the next free one of 198.18.0.0/15 (RFC 2544).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Queue of its interfaces, for links without `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// The layer at which it is attached: 3, a device for IP packets, or 2, an Ethernet interface with ARP. Then all hosts must be
    /// of layer 2, and between them P4 routers, which see and keep whole frames.
    #[serde(default, skip_serializing_if = "Layer::is_default")]
    pub layer: Layer,
    /// With `layer = 2`: hardware address. Default: derived from the address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mac: Option<HardwareAddress>,
    /// With `layer = 2`: length of the prefix of its subnet. Default: 24 bits, for IPv6 64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 128))]
    pub prefix: Option<u8>,
    /// With `layer = 2`: the router of other subnets. Default: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gateway: Option<IpAddr>,
    /// With `layer = 2`: permanent entries of the neighbour table (ARP), such as `{ "10.0.1.10" = "08:00:00:00:01:00" }`.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub neighbours: IndexMap<IpAddr, HardwareAddress>,
    /// In `live`: shell commands that set the host up before the clock starts, with root's rights in its namespace.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// In `live`: the kernel's default TCP congestion control. Default: `cubic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion: Option<String>,
    /// In `live`: kernel settings of the host's network namespace, such as `"net.ipv4.tcp_ecn" = 1`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctls: BTreeMap<String, SysctlValue>,
}

/// Value of a kernel setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SysctlValue {
    /// A number.
    Number(i64),
    /// A text, such as three numbers.
    Text(String),
}

impl fmt::Display for SysctlValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SysctlValue::Number(number) => number.fmt(f),
            SysctlValue::Text(text) => text.fmt(f),
        }
    }
}

/// A router.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// Address. Default: the next free one of 198.18.0.0/15 (RFC 2544).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// Queue of its ports, for links without `queue`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// Policy routes. The first match takes precedence over the shortest path.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<PolicyRoute>,
    /// Time from a packet's arrival to the end of ingress processing, as in the parser and tables of a software switch. Default
    /// 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_delay: Option<Duration>,
    /// Recirculation port, from egress back to ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recirculation: Option<RecirculationSettings>,
    /// CPU times of its passes, as in a software switch. Default: passes take no time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<ServiceSettings>,
    /// Network address translation: hosts behind some links appear with the router's address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nat: Option<NatSettings>,
}

/// Network address translation of a router.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NatSettings {
    /// Links to the hosts that appear with the router's address on all other links.
    pub inside: Vec<String>,
}

/// A policy route. A packet matches if it meets all given conditions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRoute {
    /// Sending node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Destination node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// Link of arrival.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arriving: Option<String>,
    /// DSCP (RFC 2474).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 63))]
    pub dscp: Option<u8>,
    /// Outgoing link.
    pub via: String,
}

impl Node {
    /// Its address, if set.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Node::Host(host) => host.address,
            Node::Router(router) => router.address,
            Node::P4(router) => router.address,
        }
    }
    /// The queue of its interfaces, if set.
    pub fn queue(&self) -> Option<&QueueChoice> {
        match self {
            Node::Host(host) => host.queue.as_ref(),
            Node::Router(router) => router.queue.as_ref(),
            Node::P4(router) => router.queue.as_ref(),
        }
    }
    /// Its network address translation, if set.
    pub fn nat(&self) -> Option<&NatSettings> {
        match self {
            Node::Router(router) => router.nat.as_ref(),
            Node::Host(_) | Node::P4(_) => None,
        }
    }
    /// Whether it is a host, which runs flows and does not forward.
    pub fn is_host(&self) -> bool {
        matches!(self, Node::Host(_))
    }
    /// Its recirculation port, if set.
    pub fn recirculation(&self) -> Option<&RecirculationSettings> {
        match self {
            Node::Host(_) => None,
            Node::Router(router) => router.recirculation.as_ref(),
            Node::P4(router) => router.recirculation.as_ref(),
        }
    }
    /// Its service model, if set.
    pub fn service(&self) -> Option<&ServiceSettings> {
        match self {
            Node::Host(_) => None,
            Node::Router(router) => router.service.as_ref(),
            Node::P4(router) => router.service.as_ref(),
        }
    }
    /// Its ingress delay, if set.
    pub fn ingress_delay(&self) -> Option<Duration> {
        match self {
            Node::Host(_) => None,
            Node::Router(router) => router.ingress_delay,
            Node::P4(router) => router.ingress_delay,
        }
    }
    /// The default discipline of its interfaces.
    pub fn default_queue(&self) -> &'static str {
        match self {
            Node::Host(_) | Node::Router(_) => "tail-drop",
            Node::P4(_) => "bmv2",
        }
    }
    /// Whether it supports queue management in a native router's pipeline (iRED, CoDel++).
    pub fn has_hooks(&self) -> bool {
        matches!(self, Node::Router(_))
    }
    /// The host, if it is one with an Ethernet interface.
    pub fn ethernet_host(&self) -> Option<&Host> {
        match self {
            Node::Host(host) if host.layer == Layer::Ethernet => Some(host),
            _ => None,
        }
    }
    /// Its policy routes.
    pub fn routes(&self) -> &[PolicyRoute] {
        match self {
            Node::Host(_) | Node::P4(_) => &[],
            Node::Router(router) => &router.routes,
        }
    }
}
