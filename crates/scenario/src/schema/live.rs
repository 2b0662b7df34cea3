//! Settings of `jettison live` alone.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Packet handling of a live run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Live {
    /// MTU of the hosts' devices, in bytes.
    #[schemars(range(min = 576, max = 65_535))]
    pub mtu: u16,
    /// Work that the hosts' kernels may offload to the router.
    pub offload: Offload,
    /// Whether to merge packets of a TCP connection that reach a host at about the same time, as a network card does (generic
    /// receive offload). Up to a link rate of about 300 Mbit/s packets still arrive one by one.
    pub merge: bool,
}

/// Work that a host's kernel offloads to the router.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Offload {
    /// None: every packet has its checksums.
    None,
    /// Checksums: none is computed, since no wire can corrupt a packet. Packets keep their size.
    #[default]
    Checksum,
    /// Segmentation as well: the router splits large segments. For rates above 2 Gbit/s; queue disciplines still see packets
    /// of the MTU.
    Segmentation,
}

impl Default for Live {
    fn default() -> Live {
        Live { mtu: 1500, offload: Offload::Checksum, merge: true }
    }
}
