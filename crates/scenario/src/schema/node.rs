//! Hosts and routers.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;

use jettison_core::Duration;
use jettison_switch::RecirculationSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{P4Router, QueueChoice};

/// A node of the topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(title = "node kind")]
pub enum Node {
    /// Runs transports and applications; forwards nothing.
    Host(Host),
    /// Forwards natively.
    Router(Router),
    /// Forwards as a P4_16 program for v1model says.
    P4(Box<P4Router>),
}

/// A host.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its address; the next free one of 198.18.0.0/15 (RFC 2544) by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The queue of its interfaces, for links that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// In `live`: the kernel's TCP congestion control for programs that choose none. Default: `cubic`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub congestion: Option<String>,
    /// In `live`: settings of the host's kernel, such as `"net.ipv4.tcp_ecn" = 1`; those of the network namespace only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub sysctls: BTreeMap<String, SysctlValue>,
}

/// A kernel setting's value.
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
    /// Its address; the next free one of 198.18.0.0/15 (RFC 2544) by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<IpAddr>,
    /// The queue of its ports, for links that name none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChoice>,
    /// Policy routes: the first that matches a packet decides, before the shortest path does.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub routes: Vec<PolicyRoute>,
    /// From a packet's arrival to the end of ingress, when it is queued: what a software switch's parser and tables
    /// take. Default 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ingress_delay: Option<Duration>,
    /// The port that packets take from egress back to ingress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recirculation: Option<RecirculationSettings>,
}

/// A policy route. A packet matches if all the conditions that are given hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyRoute {
    /// The node that sent it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The node that it goes to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The link that it arrived on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arriving: Option<String>,
    /// Its DSCP (RFC 2474).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(max = 63))]
    pub dscp: Option<u8>,
    /// The link that it leaves on.
    pub via: String,
}

impl Node {
    /// Its address, if the file gives one.
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Node::Host(host) => host.address,
            Node::Router(router) => router.address,
            Node::P4(router) => router.address,
        }
    }
    /// The queue of its interfaces, if the file gives one.
    pub fn queue(&self) -> Option<&QueueChoice> {
        match self {
            Node::Host(host) => host.queue.as_ref(),
            Node::Router(router) => router.queue.as_ref(),
            Node::P4(router) => router.queue.as_ref(),
        }
    }
    /// Whether it runs flows and forwards nothing.
    pub fn is_host(&self) -> bool {
        matches!(self, Node::Host(_))
    }
    /// The port that packets take from its egress back to its ingress, if the file says something about it.
    pub fn recirculation(&self) -> Option<&RecirculationSettings> {
        match self {
            Node::Host(_) => None,
            Node::Router(router) => router.recirculation.as_ref(),
            Node::P4(router) => router.recirculation.as_ref(),
        }
    }
    /// The discipline of its interfaces where neither a link nor the node names one.
    pub fn default_queue(&self) -> &'static str {
        match self {
            Node::Host(_) | Node::Router(_) => "tail-drop",
            Node::P4(_) => "bmv2",
        }
    }
    /// Whether queue management that acts in a native router's pipeline (iRED, CoDel++) can act here.
    pub fn has_hooks(&self) -> bool {
        matches!(self, Node::Router(_))
    }
    /// Its policy routes.
    pub fn routes(&self) -> &[PolicyRoute] {
        match self {
            Node::Host(_) | Node::P4(_) => &[],
            Node::Router(router) => &router.routes,
        }
    }
}
