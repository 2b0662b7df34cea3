//! Hosts and routers.

use std::net::IpAddr;

use jettison_core::Duration;
use jettison_switch::RecirculationSettings;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::QueueChoice;

/// A node of the topology.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[schemars(title = "node kind")]
pub enum Node {
    /// Runs transports and applications; forwards nothing.
    Host(Host),
    /// Forwards natively.
    Router(Router),
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
        }
    }
    /// The queue of its interfaces, if the file gives one.
    pub fn queue(&self) -> Option<&QueueChoice> {
        match self {
            Node::Host(host) => host.queue.as_ref(),
            Node::Router(router) => router.queue.as_ref(),
        }
    }
    /// Whether it runs flows and forwards nothing.
    pub fn is_host(&self) -> bool {
        matches!(self, Node::Host(_))
    }
    /// Its policy routes.
    pub fn routes(&self) -> &[PolicyRoute] {
        match self {
            Node::Host(_) => &[],
            Node::Router(router) => &router.routes,
        }
    }
}
